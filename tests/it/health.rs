//! Liveness and readiness for monitoring: `/healthz` and `/readyz`, which need no token and reveal no content, and
//! `topicwatch health`.

use crate::support::daemons::{sandbox_of_today, topics};
use crate::support::databases::{block_on, databases, postgres, sqlite};
use crate::support::ledger_checks::FAILPOINT;
use crate::support::program::{NINE, Place, wait_until};
use crate::support::service::{FakeServer, Sandbox, reply, unused_port};
use crate::support::waits::{count_passes, stop_between_writes};
use crate::support::web_client::{Answer, Pages, TOKEN};
use crate::support::web_topics::TOPICS;

fn json(answer: &Answer) -> serde_json::Value {
    assert_eq!(answer.header("content-type"), Some("application/health+json"), "{}", answer.text);
    serde_json::from_str(&answer.body).unwrap_or_else(|error| panic!("{error}\n{}", answer.text))
}

/// A daemon with pages that need a token.
fn daemon(place: &Place, environment: &[(&str, &str)]) -> Pages {
    let program = place.program(&["run"]).env("TOPICWATCH_WEB_TOKEN", TOKEN);
    Pages::wait_for_address(environment.iter().fold(program, |program, (name, value)| program.env(name, value)).start())
}

fn with_pages(names: &[&str]) -> String {
    format!("[web]\nlisten = \"127.0.0.1:0\"\n\n{}", topics(names))
}

#[test]
fn healthz_is_public_and_reveals_only_liveness() {
    for database in databases() {
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(database, &sandbox.lines(), &with_pages(&["acme-secret"]));
        let pages = daemon(&place, &[]);
        for (path, check) in [("/healthz", "scheduler"), ("/readyz", "database")] {
            pages.wait_for_status(path, 200);
            let answer = pages.get(path);
            let output = json(&answer);
            assert_eq!((&output["status"], &output["checks"][check][0]["status"]), (&"pass".into(), &"pass".into()));
            for hidden in ["acme-secret", env!("CARGO_PKG_VERSION"), &place.database.schema, "t.db"] {
                assert!(!answer.text.contains(hidden), "{hidden} in {}", answer.text);
            }
            assert!(pages.request("HEAD", path, &[], "").body.is_empty());
        }
        assert!(json(&pages.get("/healthz"))["checks"]["scheduler"][0]["observedValue"].is_number());
        let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
        place.ok(&["db", "migrate"]);
        let pages = Pages::serve(&place, &[]);
        let output = json(&pages.get("/healthz"));
        assert_eq!(output["checks"]["scheduler"][0]["output"], "not in this process", "{output}");
        // Pages alone are no daemon, whether the pages or the database are checked.
        let url = format!("http://{}", pages.address);
        let hint = "hint: start `topicwatch run`";
        place.run(&["health", "--url", &url]).assert_stderr(1, &["which does not run the schedule", hint]);
        place.configure(&sandbox.lines(), &format!("[web]\nlisten = \"{}\"\n\n{TOPICS}", pages.address));
        place.run(&["health"]).assert_stderr(1, &["no running daemon found", hint]);
    }
}

#[test]
fn a_stopped_loop_is_reported_while_pages_and_database_still_answer() {
    for database in databases() {
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(database, &sandbox.lines(), &with_pages(&["acme"]));
        let trace = place.path("trace");
        let environment = [
            (FAILPOINT, "hang loop/round pass=3"),
            ("TOPICWATCH_TEST_FAILPOINT_TRACE", trace.to_str().unwrap()),
            ("TOPICWATCH_TEST_BOUND", "loop=3000"),
        ];
        let pages = daemon(&place, &environment);
        wait_until("it hangs", || count_passes(&trace, "loop/round") == 3);
        wait_until("the log line", || pages.get("/healthz").status == 503);
        let output = json(&pages.get("/healthz"));
        assert_eq!((&output["status"], &output["checks"]["process"][0]["status"]), (&"fail".into(), &"pass".into()));
        assert!(
            output["checks"]["scheduler"][0]["output"].as_str().unwrap().contains("the loop has stopped"),
            "{output}"
        );
        pages.wait_for_status("/readyz", 200);
        let cookie = pages.log_in();
        let page = pages.request("GET", "/health", &[("Cookie", &cookie)], "").body;
        assert!(page.contains("The loop of this process has stopped"), "{page}");
        let url = format!("http://{}", pages.address);
        place
            .run(&["health", "--url", &url])
            .assert_stderr(1, &["not alive", "the loop has stopped", "hint: restart it"]);
        let ended = place.run(&["health", "--url", &url, "--json"]);
        let output: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
        assert_eq!((ended.code, &output["healthy"]), (Some(1), &false.into()), "{ended}");
    }
}

#[test]
fn a_process_without_its_server_is_live_but_not_ready() {
    // A daemon ends when its SQLite file is removed; see `replaced`.
    let Some(database) = postgres() else { return };
    let sandbox = sandbox_of_today(&[]);
    let place = Place::new(database, &sandbox.lines(), &with_pages(&["acme"]));
    let pages = daemon(&place, &[]);
    pages.wait_for_status("/readyz", 200);
    let schema = &place.database.schema;
    let away = |away: bool| {
        let (from, to) = (schema.clone(), format!("{schema}_gone"));
        let (from, to) = if away { (from, to) } else { (to, from) };
        // A process that runs statements creates the schema when it is missing.
        let clear = if away { String::new() } else { format!("DROP SCHEMA IF EXISTS {to}; ") };
        block_on(place.database.execute(&format!("{clear}ALTER SCHEMA {from} RENAME TO {to}")));
    };
    away(true);
    wait_until("the log line", || pages.get("/readyz").status == 503);
    wait_until("its reason", || pages.get("/readyz").body.contains("cannot be reached"));
    let answer = pages.get("/readyz");
    assert!(!answer.text.contains(schema.as_str()), "{}", answer.text);
    assert_eq!(pages.get("/healthz").status, 200);
    let url = format!("http://{}", pages.address);
    place.run(&["health", "--url", &url]).assert_stderr(4, &["not ready", "cannot be reached", "hint:"]);
    let bearer = format!("Bearer {TOKEN}");
    let text = pages.request("GET", "/metrics", &[("Authorization", &bearer)], "").body;
    let exposed = crate::support::exposition::ExposedMetrics::parse(&text);
    assert_eq!(exposed.value("topicwatch_database_up", &[]), Some(0.0), "{text}");
    assert!(exposed.value("topicwatch_loop_last_tick_timestamp_seconds", &[]).is_some(), "{text}");
    away(false);
    wait_until("it is back", || pages.get("/readyz").status == 200);
    place.ok(&["health", "--url", &url]);
}

#[test]
fn pages_that_wait_for_the_database_do_not_delay_probes() {
    // Only a server can make readers wait for a lock; SQLite does not.
    let Some(database) = postgres() else { return };
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(database, &sandbox.lines(), TOPICS);
    place.ok(&["once", "--at", NINE]);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let options: sqlx::postgres::PgConnectOptions = place.database.url.parse().unwrap();
    let options = options.options([("search_path", &place.database.schema)]);
    let held = block_on(async {
        use sqlx::Connection as _;
        let mut conn = sqlx::PgConnection::connect_with(&options).await.unwrap();
        sqlx::raw_sql("BEGIN; LOCK TABLE topic IN ACCESS EXCLUSIVE MODE").execute(&mut conn).await.unwrap();
        conn
    });
    std::thread::scope(|scope| {
        let visitors: Vec<_> = (0..8).map(|_| scope.spawn(|| pages.get("/").status)).collect();
        let waiting = "SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace \
                       WHERE n.nspname = current_schema() AND NOT l.granted";
        wait_until("pages wait", || place.database.number(waiting) >= 4);
        assert_eq!(pages.get("/healthz").status, 200);
        pages.wait_for_status("/readyz", 200);
        block_on(async {
            use sqlx::Connection as _;
            held.close().await.unwrap();
        });
        assert!(visitors.into_iter().all(|visitor| matches!(visitor.join().unwrap(), 200 | 503)));
    });
}

#[test]
fn health_asks_the_database_where_no_pages_are_served() {
    for database in crate::support::databases::databases_without_schema() {
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"]));
        place.run(&["health"]).assert_stderr(4, &["hint:"]);
        place.ok(&["db", "migrate"]);
        place.run(&["health"]).assert_stderr(1, &["no running daemon found", "hint: start `topicwatch run`"]);
        let going = crate::support::daemons::start_daemon(&place, &[]);
        place.run(&["health"]).assert_stdout(0, &["healthy, according to the database"]);
        let output = place.json(&["health", "--json"]);
        assert_eq!(output["checks"].as_array().unwrap().len(), 2, "{output}");
        // A slot in the past that nobody planned means that the planner is stuck.
        stop_between_writes(&going, &place);
        block_on(place.database.execute("UPDATE job SET next_slot = 1000"));
        place
            .run(&["health"])
            .assert_stderr(1, &["the planner is late: 1 slot overdue", "or does it use another file?"]);
        going.signal("CONT");
        wait_until("the planner looks again", || place.run(&["health"]).code == Some(0));
        going.signal("TERM");
        assert_eq!(going.wait().code, Some(0));
        place.run(&["health"]).assert_stderr(1, &["no running daemon found"]);
    }
}

#[test]
fn health_finds_a_daemon_whose_file_has_mistakes_since() {
    for database in databases() {
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"]));
        let going = crate::support::daemons::start_daemon(&place, &[]);
        place.configure(&sandbox.lines(), &format!("{}\n[[topics]]\nid = \"No Id\"\n", topics(&["acme"])));
        let ended = place.run(&["health"]);
        ended.assert_stdout(0, &["healthy, according to the database"]);
        assert!(ended.err.contains("id") && ended.err.contains("the last valid file"), "{ended}");
        // Nothing can be read of this file; the image names the database in the environment.
        std::fs::write(place.path("jobs.toml"), "[[topics\n").unwrap();
        assert_eq!(place.run(&["health"]).code, Some(2), "{}", place.database.name);
        let named = || place.program(&["health"]).env("TOPICWATCH_DATABASE_URL", &place.database.url);
        // On PostgreSQL, the unreadable file may have named the schema.
        let without_schema = if place.database.url.starts_with("sqlite:") { 0 } else { 2 };
        assert_eq!(named().run().code, Some(without_schema), "{}", place.database.name);
        let ended = named().env("TOPICWATCH_DATABASE_SCHEMA", &place.database.schema).run();
        ended.assert_stdout(0, &["healthy, according to the database"]);
        drop(going);
        assert_eq!(place.run(&["status"]).code, Some(2), "other commands need a valid file");
    }
}

#[test]
fn health_reads_no_default_database_while_the_address_of_the_service_is_wrong() {
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", TOPICS);
    // The sandbox, which was probably meant, has another default database.
    for (base_url, code) in [("sandbx", 2), ("sandbox", 4)] {
        let file = format!("[service]\nbase_url = \"{base_url}\"\n\n{TOPICS}\n[[topics]]\nid = \"No Id\"\n");
        std::fs::write(place.path("jobs.toml"), file).unwrap();
        let ended = place.run(&["health"]);
        assert_eq!(ended.code, Some(code), "{ended}");
        assert_eq!(ended.err.contains("topicwatch-sandbox.db"), code == 4, "{ended}");
    }
}

#[test]
fn health_prints_the_answer_or_the_address_that_did_not_answer() {
    let sandbox = sandbox_of_today(&[]);
    let place = Place::new(sqlite(), &sandbox.lines(), &topics(&["acme"]));
    let other = FakeServer::respond_with(|_| reply("200 OK", "content-type: text/plain\r\n", b"hello"));
    place
        .run(&["health", "--url", &other.url()])
        .assert_stderr(1, &["answers /healthz with 200, but not as topicwatch does"]);
    let silent = FakeServer::respond_with(|_| {
        std::thread::park_timeout(std::time::Duration::from_secs(20));
        reply("200 OK", "", b"")
    });
    place
        .run(&["health", "--url", &silent.url(), "--timeout", "300ms"])
        .assert_stderr(1, &["does not answer: timed out"]);
    let nobody = format!("127.0.0.1:{}", unused_port());
    place
        .run(&["health", "--url", &format!("http://{nobody}")])
        .assert_stderr(1, &["does not answer", "hint: is `topicwatch run` running?"]);
    place.run(&["health", "--timeout", "soon"]).assert_stderr(2, &["--timeout", "write 5s"]);
    for url in ["nowhere", "127.0.0.1:8080", "localhost:8080"] {
        place.run(&["health", "--url", url]).assert_stderr(2, &["--url", "write http:// or https:// first"]);
    }
    // `health` uses the address in the file.
    place.configure(&sandbox.lines(), &format!("[web]\nlisten = \"{nobody}\"\n{}", topics(&["acme"])));
    place.run(&["health"]).assert_stderr(1, &[&nobody, "does not answer"]);
    let pages = Pages::wait_for_address(place.program(&["run"]).start());
    assert_eq!(pages.address, nobody);
    place.run(&["health"]).assert_stdout(0, &["healthy, according to http://127.0.0.1:"]);
}
