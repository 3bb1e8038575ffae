//! `topic run`: asks a running daemon to run topics now; with `--wait` shows the result. Without a daemon, use `once`.

use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::{output, run_table};
use crate::cli::topic::pause::{open, with_suggestion};
use crate::cli::wiring::check_names::renamed;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::ids;
use crate::cli::wiring::options::Common;
use crate::collect::{LOOKED_BACK, RunReport, SearchReport};
use crate::model::{LookBackKind, Micros, ProviderKind, RunState, SearchRow, SearchState, Span, Time};
use crate::search::hint_for_stored_failure;
use crate::store::{RunRow, Store};

#[derive(Debug, Args)]
pub struct RunNowArgs {
    /// Topic ids
    #[arg(required = true, value_name = "TOPIC")]
    pub topics: Vec<String>,
    /// Wait for the runs and show what they found, like `once`
    #[arg(long)]
    pub wait: bool,
    /// Give up waiting after this long
    #[arg(long, value_name = "DURATION", default_value = "10m", requires = "wait")]
    pub timeout: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub(in crate::cli) async fn run(common: &Common, args: &RunNowArgs) -> Result<Exit, Failure> {
    let limit = crate::schedule::parse_duration(&args.timeout).map_err(|_| {
        Failure::usage(
            format!("--timeout: `{}` is not a duration", output::truncate(&args.timeout, 60)),
            "write 90s, 10m or 1h",
        )
    })?;
    let context = Context::load(common, None)?;
    let (store, now) = open(&context).await?;
    if store.running_instances(now).await? == 0 {
        renamed(&context, &store, &args.topics).await?;
        // A configured topic is known even if no daemon has read it yet.
        let mut known = store.topic_ids().await?;
        known.extend(context.config.topics.iter().map(|topic| topic.id.clone()));
        known.sort();
        known.dedup();
        if let Some(unknown) = args.topics.iter().find(|topic| !known.contains(topic)) {
            return Err(context.unknown("topic", unknown, &known.iter().map(String::as_str).collect::<Vec<_>>()));
        }
        store.close().await;
        let topics: Vec<String> = args.topics.iter().map(|t| format!("--topic {}", output::truncate(t, 64))).collect();
        return Err(Failure::new(
            Exit::Searches,
            "no daemon is running; nothing was queued",
            format!(
                "start one (topicwatch run), or run it here: {}",
                context.command(&format!("once {}", topics.join(" ")))
            ),
        ));
    }
    let mut topics = args.topics.clone();
    topics.sort();
    topics.dedup();
    let runs: Vec<(String, String)> = topics.into_iter().map(|topic| (topic, ids::run_id(now))).collect();
    if let Err(error) = store.queue_manual(&runs, now).await {
        return Err(with_suggestion(&context, &store, &args.topics, error, "").await);
    }
    let exit = if args.wait { wait(&store, &runs, args, limit).await } else { print_queued(&runs, args) };
    store.close().await;
    exit
}

fn print_queued(runs: &[(String, String)], args: &RunNowArgs) -> Result<Exit, Failure> {
    if args.json {
        let runs: Vec<_> = runs.iter().map(|(topic, run)| json!({ "topic": topic, "run": run })).collect();
        output::json(&json!({ "queued": runs }))?;
    } else {
        let lines: String = runs.iter().map(|(topic, run)| format!("{topic}: queued as {run}\n")).collect();
        output::text(&lines)?;
    }
    Ok(Exit::Ok)
}

/// Waits until every run has ended or the time is over. The runs continue either way.
async fn wait(store: &Store, runs: &[(String, String)], args: &RunNowArgs, limit: Duration) -> Result<Exit, Failure> {
    let deadline = tokio::time::Instant::now() + limit;
    let ended = loop {
        let mut ended: Vec<RunRow> = Vec::new();
        for (_, id) in runs {
            // A run without a number is not readable yet: other verbs might still miss its findings.
            ended.extend(store.run(id).await?.filter(|run| run.state.is_final() && run.seq.is_some()));
        }
        if ended.len() == runs.len() {
            break ended;
        }
        if tokio::time::Instant::now() >= deadline {
            let open: Vec<&str> =
                runs.iter().filter(|(_, id)| ended.iter().all(|r| r.run != *id)).map(|(t, _)| t.as_str()).collect();
            return Err(Failure::new(
                Exit::Searches,
                format!("not finished after {}: {}; a running daemon continues", args.timeout, open.join(", ")),
                "topicwatch runs shows the outcome, topicwatch health whether a daemon is running; a longer --timeout waits longer",
            ));
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    let ids: Vec<String> = ended.iter().map(|run| run.run.clone()).collect();
    let searches = store.searches(&ids).await?;
    let reports: Vec<RunReport> = ended.into_iter().map(|run| report(run, &searches)).collect();
    let invented = run_table::is_invented(store, false, &ids).await?;
    let hidden = run_table::hidden(store, &reports).await?;
    if args.json {
        output::json(
            &json!({ "sandbox": invented, "database": store.location(), "sums": run_table::sums(&reports, &hidden), "runs": reports }),
        )?;
    } else {
        let heading = if invented { "SANDBOX: findings and costs are invented, nothing is billed\n\n" } else { "" };
        output::text(&format!(
            "{heading}{}stored in {}\n",
            run_table::render(&reports, &hidden),
            output::escape_control(store.location())
        ))?;
    }
    Ok(if reports.iter().all(|report| report.state == RunState::Ok) { Exit::Ok } else { Exit::Searches })
}

fn span(from: Option<Time>, until: Option<Time>) -> Option<Span> {
    from.zip(until).and_then(|(from, until)| Span::new(from, until))
}

/// Builds the report of another process's run, as that process would.
fn report(run: RunRow, searches: &[SearchRow]) -> RunReport {
    let own = searches.iter().filter(|search| search.run == run.run);
    let searches = own
        .map(|search| SearchReport {
            source: search.source,
            state: search.state,
            counts: search.counts,
            saturated: search.saturated,
            empty_in_error: search.empty_in_error,
            is_incomplete: search.is_incomplete(),
            cost: search.cost,
            latency_ms: search.latency_ms,
            requested_span: span(search.asked_from, search.asked_until),
            covered: span(search.covered_from, search.covered_until),
            // The reason of a successful search may also be a note on its reply.
            widened: search.reason.as_ref().is_some_and(|why| why.contains(LOOKED_BACK))
                && matches!(search.state, SearchState::Ok | SearchState::Empty),
            note: match &search.error_class {
                Some(class) => Some(run_table::error_words(class, search.error_text.as_deref().unwrap_or(""))),
                None => search.reason.clone().or_else(|| search.error_text.clone()),
            },
            clears_at: search.clears_at,
            hint: search.error_class.as_deref().and_then(|class| {
                let reads_feeds = |kind: &'static ProviderKind| kind.reach == LookBackKind::Feed;
                let (provider, feeds) =
                    (search.source.provider(), ProviderKind::named(&search.operation).is_some_and(reads_feeds));
                hint_for_stored_failure(provider, feeds, class, search.http_status, search.error_text.as_deref()?)
            }),
            // Without a basis it is the expected price.
            assumed: match search.cost_basis.as_deref() {
                None | Some("assumed") => search.cost,
                Some(_) => Micros(0),
            },
        })
        .collect();
    let reason = run.reason.or(run.error_text);
    RunReport {
        run: run.run,
        topic: run.topic.unwrap_or_default(),
        state: run.state,
        reason,
        clears_at: run.clears_at,
        searches,
    }
}
