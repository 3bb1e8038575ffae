//! `db prune`, and the job that prunes each day: deletes data older than `[retention]` allows. `store` decides what
//! that is.

use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::config::RetentionConfig;
use crate::daemon::{Failed, JobResult};
use crate::model::Time;
use crate::store::{JobRun, Pruned, Store};

#[derive(Debug, Args)]
pub struct PruneArgs {
    /// Write nothing; show what would be deleted
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

/// The longest time one run of the job prunes; the next run continues.
const OF_A_JOB: Duration = Duration::from_secs(20 * 60);

/// How far the job goes beyond each of its last runs, for each run since then. The clock may be ahead, even at some of
/// these runs, and a few wrong days must not delete data that is kept for months. After a longer pause, later runs
/// delete the rest.
const FARTHEST: Duration = Duration::from_secs(7 * 86_400);

/// How many of its last runs count.
const LAST_RUNS: i64 = 3;

/// The longest time a manual prune takes.
const BY_HAND: Duration = Duration::from_secs(30 * 86_400);

pub(in crate::cli) async fn run(common: &Common, args: &PruneArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, args.at.as_deref())?;
    let store = context.store(false).await?;
    let RetentionConfig { kept, .. } = &context.config.retention;
    let done = store.prune(kept, (context.clock)(), BY_HAND, args.dry_run, &|| false).await?;
    let invented = store.is_sandbox().await?;
    let disk = store.disk().await?;
    store.close().await;
    if args.json {
        output::json(&json!({ "sandbox": invented, "dry_run": args.dry_run, "pruned": done, "disk": disk }))?;
        return Ok(Exit::Ok);
    }
    let mut text = if invented { "SANDBOX: invented findings\n".to_owned() } else { String::new() };
    text.push_str(&render(&done, args.dry_run));
    if !disk.gives_back {
        text.push_str("this file does not shrink: it was created without auto_vacuum; `topicwatch db backup` writes one that does\n");
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}

fn render(done: &Pruned, dry_run: bool) -> String {
    if done.rows() == 0 {
        let mut text = "nothing is old enough to delete\n".to_owned();
        text.push_str(&render_held_by(done));
        return text;
    }
    let what = |table: &str| match table {
        "item" => "item (words only)".to_owned(),
        "sighting" => format!("sighting (of {} snapshots)", done.thinned),
        other => other.to_owned(),
    };
    let rows =
        done.gone.iter().map(|(table, gone)| vec![what(table), gone.rows.to_string(), output::bytes(gone.bytes)]);
    let title = if dry_run { "would delete" } else { "deleted" };
    let mut text = output::table(&["table", title, "approx. size"], rows.collect(), &[1, 2]);
    text.push_str(&render_held_by(done));
    if done.given_back > 0 {
        text.push_str(&format!("{} returned to the file system\n", output::bytes(done.given_back)));
    }
    text
}

fn render_held_by(done: &Pruned) -> String {
    done.held_by.as_ref().map_or_else(String::new, |reader| {
        format!("some old data is kept because {} still needs it\n", output::escape_control(reader))
    })
}

/// Runs the prune job.
pub(in crate::cli) async fn job(run: &JobRun, store: &Store, now: Time) -> Result<JobResult, Failed> {
    let kept = run.job.retention().map_err(|e| Failed {
        class: "definition".to_owned(),
        text: e.to_string(),
        hint: "is this the latest version of topicwatch?".to_owned(),
    })?;
    store.publish().await?;
    let last = store.last_starts_of_job(&run.job.id, LAST_RUNS).await?;
    let now = (1..).zip(last).map(|(runs, at)| at.plus(FARTHEST * runs)).fold(now, Time::min);
    let done = store.prune(&kept, now, OF_A_JOB, false, &|| false).await?;
    if done.rows() > 0 {
        tracing::info!(rows = done.rows(), thinned = done.thinned, given_back = done.given_back, "pruned");
    }
    let left = (!done.finished).then(|| "time ran out before everything was pruned; the next run continues".to_owned());
    Ok(JobResult { reason: left, ..JobResult::default() })
}
