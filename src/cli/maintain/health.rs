//! `health`: one exit code for whether the daemon is alive and can store results. It asks the dashboard if one is
//! served, else the database, and writes nothing.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tokio::time::Instant;
use url::Url;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::{Context, request};
use crate::cli::wiring::options::Common;
use crate::cli::wiring::store_settings::store_settings;
use crate::config::database_only;
use crate::daemon::system_clock;
use crate::http;
use crate::model::LATE;
use crate::store::{Settings, Store};

#[derive(Debug, Args)]
pub struct HealthArgs {
    /// Check the pages at this address [default: [web] listen, or the database if `run` serves no pages]
    #[arg(long, value_name = "URL", value_parser = parse_url)]
    pub url: Option<Url>,
    /// Give up after this long
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    pub timeout: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The most bytes read of a reply.
const READ: u64 = 16 * 1024;

/// The hint when nothing runs the schedule.
const NO_DAEMON: &str = "start `topicwatch run`, or check its log";

/// One check, and what is wrong if it failed.
struct Check {
    name: &'static str,
    problem: Option<HealthProblem>,
}

struct HealthProblem {
    exit: Exit,
    text: String,
    hint: String,
}

pub(in crate::cli) async fn run(common: &Common, args: &HealthArgs) -> Result<Exit, Failure> {
    let timeout = crate::schedule::parse_duration(&args.timeout).map_err(|_| {
        let text = format!("--timeout: `{}` is not a duration", output::truncate(&args.timeout, 60));
        Failure::usage(text, "write 5s, 500ms or 1m")
    })?;
    // One for the pages and the database together.
    let deadline = Instant::now() + timeout;
    // With --url no configuration is needed.
    let (target, checks) = match &args.url {
        Some(url) => (url.to_string(), check_pages(url, deadline).await.0),
        None => {
            let (listen, settings) = match Context::load_silently(common, None) {
                Ok(context) => (context.config.web.listen, context.store_settings(false)),
                // The mistakes are printed. A daemon goes on with the last valid file, whose pages may be elsewhere.
                Err(failure) => (None, settings_despite_mistakes(common).ok_or(failure)?),
            };
            let pages = match listen.filter(|listen| listen.port() != 0) {
                Some(listen) => {
                    let url = url_of(listen);
                    let url = Url::parse(&url).map_err(|e| Failure::new(Exit::Unexpected, e.to_string(), ""))?;
                    let (checks, pages_only) = check_pages(&url, deadline).await;
                    // `serve` may have this address; the daemon is then known only to the database.
                    (!pages_only).then(|| (url.to_string(), checks))
                }
                None => None,
            };
            match pages {
                Some(checked) => checked,
                None => ("the database".to_owned(), check_database(settings, timeout, deadline).await),
            }
        }
    };
    let problem = checks.iter().find_map(|check| check.problem.as_ref());
    if args.json {
        let list: Vec<Value> = checks.iter().map(to_json).collect();
        output::json(&json!({ "healthy": problem.is_none(), "asked": target, "checks": list }))?;
        return Ok(problem.map_or(Exit::Ok, |problem| problem.exit));
    }
    match problem {
        None => {
            output::text(&format!("healthy, according to {}\n", output::escape_control(&target)))?;
            Ok(Exit::Ok)
        }
        Some(HealthProblem { exit, text, hint }) => Err(Failure::new(*exit, output::escape_control(text), hint)),
    }
}

/// Reads `--url`. Without `http://`, `localhost:8080` would be a URL of the scheme `localhost`.
fn parse_url(text: &str) -> Result<Url, String> {
    let prefixed = "write http:// or https:// first, such as http://127.0.0.1:8080";
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(_) | Err(url::ParseError::RelativeUrlWithoutBase) => Err(prefixed.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn to_json(check: &Check) -> Value {
    let Some(problem) = &check.problem else { return json!({ "name": check.name, "status": "pass" }) };
    json!({ "name": check.name, "status": "fail", "output": problem.text, "hint": problem.hint })
}

/// Returns the URL at which this machine reaches a listening address.
fn url_of(listen: SocketAddr) -> String {
    let host = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    format!("http://{}/", SocketAddr::new(host, listen.port()))
}

/// Returns the checks, and whether the process that answers shows pages without running the schedule, as `serve` does.
async fn check_pages(base: &Url, deadline: Instant) -> (Vec<Check>, bool) {
    let (mut checks, mut pages_only) = (Vec::new(), false);
    for (name, path, exit, hint) in [
        ("alive", "healthz", Exit::Unexpected, "restart it: its loop has stopped; the log says since when"),
        (
            "ready",
            "readyz",
            Exit::Store,
            "is the database reachable, and does its disk have room? the log of the process says what is wrong",
        ),
    ] {
        let problem = match get_health(base, path, deadline).await {
            // A process with a loop says how long ago it ran.
            Ok((200, reply))
                if reply["checks"]["scheduler"][0]["status"] == "pass"
                    && reply["checks"]["scheduler"][0]["observedValue"].is_null() =>
            {
                pages_only = true;
                Some(HealthProblem {
                    exit: Exit::Unexpected,
                    text: format!("{base} is `topicwatch serve`, which does not run the schedule"),
                    hint: NO_DAEMON.to_owned(),
                })
            }
            Ok((200, reply)) if reply["status"] == "pass" => None,
            Ok((503, reply)) if reply["status"] == "fail" => {
                Some(HealthProblem { exit, text: format!("not {name}: {}", reasons(&reply)), hint: hint.to_owned() })
            }
            Ok((status, _)) => Some(HealthProblem {
                exit: Exit::Unexpected,
                text: format!("{base} answers /{path} with {status}, but not as topicwatch does"),
                hint: "is it another program, or a proxy that needs a name from [web] hosts?".to_owned(),
            }),
            Err(why) => Some(HealthProblem {
                exit: Exit::Unexpected,
                text: format!("{base} does not answer: {why}"),
                hint:
                    "is `topicwatch run` running? its log says whether the pages are served; --url sets another address"
                        .to_owned(),
            }),
        };
        let over = problem.is_some();
        checks.push(Check { name, problem });
        if over {
            break;
        }
    }
    (checks, pages_only)
}

async fn get_health(base: &Url, path: &str, deadline: Instant) -> Result<(u16, Value), String> {
    let url = base.join(path).map_err(|e| e.to_string())?;
    let left = deadline.saturating_duration_since(Instant::now());
    let options = http::Options {
        connect_timeout: left,
        max_idle_per_host: 0,
        roots: http::Roots::needed_by(&url),
        public_only: false,
    };
    let client = http::client(&options).map_err(|e| e.text)?;
    let late = |_| "timed out".to_owned();
    let reply = tokio::time::timeout_at(deadline, client.get(url).send()).await.map_err(late)?;
    let reply = reply.map_err(http::describe)?;
    let status = reply.status().as_u16();
    let body = http::read_capped(reply, READ, deadline).await.unwrap_or_default();
    Ok((status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
}

/// Returns what a reply says is wrong.
fn reasons(reply: &Value) -> String {
    let checks = reply["checks"].as_object().into_iter().flatten();
    let failed = checks.filter_map(|(name, list)| Some(format!("{name} {}", list[0]["output"].as_str()?)));
    let reasons: Vec<String> = failed.collect();
    output::truncate(&reasons.join("; "), 300)
}

/// Returns the database of a file with mistakes, if they do not concern it, and says that it is read.
fn settings_despite_mistakes(common: &Common) -> Option<Settings> {
    let found = database_only(&request(common, system_clock()()).ok()?)?;
    output::print_stderr("warning: a daemon goes on with the last valid file; reading the database");
    Some(store_settings(found))
}

async fn check_database(settings: Settings, timeout: Duration, deadline: Instant) -> Vec<Check> {
    let clock = system_clock();
    // Run it in its own task: a timeout must not drop it midway while the process lives on.
    let query_task = tokio::spawn(async move {
        let store = Store::open_to_read(&settings).await?;
        let now = store.server_time().await?.unwrap_or_else(|| clock());
        let alive = store.running_instances(now).await? > 0;
        let plans = store.is_daemon_running(now).await?;
        let overdue = store.status_counts(now, now.minus(LATE)).await?.overdue;
        let room = store.has_room().await;
        store.close().await;
        Ok::<_, Failure>(((alive, plans), overdue, room))
    });
    let ready = |problem| Check { name: "ready", problem };
    let slow = || HealthProblem {
        exit: Exit::Store,
        text: format!("the database did not answer before --timeout ({} s) passed", timeout.as_secs_f64()),
        hint: "is it busy or unreachable? --timeout allows more".to_owned(),
    };
    match tokio::time::timeout_at(deadline, query_task).await {
        Err(_) | Ok(Err(_)) => vec![ready(Some(slow()))],
        Ok(Ok(Err(failure))) => {
            vec![ready(Some(HealthProblem { exit: failure.exit, text: failure.text, hint: failure.hint }))]
        }
        Ok(Ok(Ok((_, _, Err(full))))) => {
            vec![ready(Some(HealthProblem { exit: Exit::Store, text: full.text, hint: full.hint }))]
        }
        Ok(Ok(Ok(((alive, plans), overdue, Ok(()))))) => {
            let alive = if !alive {
                let hint = NO_DAEMON.to_owned();
                let text = "no running daemon found".to_owned();
                Some(HealthProblem { exit: Exit::Unexpected, text, hint })
            } else if overdue > 0 {
                let stuck = "restart it if its log says that its loop has stopped or cannot write; or does it use another file?";
                let hint = if plans { stuck } else { NO_DAEMON };
                let slots = if overdue == 1 { "slot" } else { "slots" };
                let text = format!("the planner is late: {overdue} {slots} overdue by more than two minutes");
                Some(HealthProblem { exit: Exit::Unexpected, text, hint: hint.to_owned() })
            } else {
                None
            };
            vec![ready(None), Check { name: "alive", problem: alive }]
        }
    }
}
