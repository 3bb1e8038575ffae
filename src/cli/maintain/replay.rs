//! `db replay`: decodes stored replies again with this version and reports what changed. It makes no calls and needs no
//! key.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use serde_json::json;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::terminal::signals::StopSignals;
use crate::cli::wiring::check_names::check_topics;
use crate::cli::wiring::context::{Context, instant};
use crate::cli::wiring::options::Common;
use crate::collect::{self, ReplayOptions, Replayed};
use crate::draw::format::count_noun;
use crate::model::{Follower, Time};
use crate::sentiment;

#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Only runs started at or after: 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d ago
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only this topic's runs (repeat for more)
    #[arg(long, value_name = "ID")]
    pub topic: Vec<String>,
    /// Write nothing; show what would change
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Items judged in one transaction.
const BATCH: u32 = 500;

pub(in crate::cli) async fn run(common: &Common, args: &ReplayArgs) -> Result<Exit, Failure> {
    let context = Context::load_without_topics(common)?;
    let since = instant("--since", args.since.as_deref(), (context.clock)())?.unwrap_or(Time(i64::MIN));
    let store = context.store(false).await?;
    check_topics(&context, &store, &args.topic).await?;
    let stop_requested = Arc::new(AtomicBool::new(false));
    let ending = {
        let stop_requested = Arc::clone(&stop_requested);
        tokio::spawn(StopSignals::listen().stop_then_exit(move || stop_requested.store(true, Ordering::Relaxed)))
    };
    let should_stop = move || stop_requested.load(Ordering::Relaxed);
    let options =
        ReplayOptions { since, topics: &args.topic, platform: &context.config.service.platform, dry_run: args.dry_run };
    let lively = output::is_interactive() && !common.quiet;
    let show_progress = |so_far: &Replayed| {
        if lively && so_far.runs.is_multiple_of(500) {
            output::print_stderr(&format!("{} runs…", so_far.runs));
        }
    };
    let done = collect::replay(&store, &options, &should_stop, show_progress).await?;
    let mut rescore_counts = (0, 0);
    if !done.interrupted {
        let tones = store.rescore(sentiment::judge, &args.topic, BATCH, args.dry_run, |_| {}).await?;
        rescore_counts = (tones.rescored, tones.changed());
        if !args.dry_run {
            collect::catch_up(Follower::NearCopies, &store, &context.clock, &should_stop).await?;
            collect::follow(&store, &context.clock, &should_stop, "the next run will do it").await;
        }
    }
    ending.abort();
    store.close().await;
    if args.json {
        let mut all = json!(done);
        if let Some(all) = all.as_object_mut() {
            all.insert("dry_run".into(), json!(args.dry_run));
            all.insert("tones".into(), json!(rescore_counts.0));
            all.insert("tones_changed".into(), json!(rescore_counts.1));
        }
        output::json(&all)?;
    } else {
        output::text(&as_text(&done, rescore_counts, args.dry_run))?;
    }
    Ok(if done.interrupted { Exit::Interrupted } else { Exit::Ok })
}

fn as_text(done: &Replayed, rescore_counts: (i64, i64), dry_run: bool) -> String {
    let changed = &done.changed;
    let would = if dry_run { "would change" } else { "changed" };
    let replies = if done.replies == 1 { "reply" } else { "replies" };
    let (runs, changed_runs) = (count_noun(done.runs, "run"), count_noun(done.changed_runs, "run"));
    let mut text = format!("{runs} read again, {} {replies}; {changed_runs} {would}\n", done.replies);
    let mut line = |number: u64, what: &str| {
        if number > 0 {
            text.push_str(&format!("  {number} {what}\n"));
        }
    };
    line(changed.items, "items that were not found before");
    line(changed.sightings, "sightings added");
    line(changed.keys, "keys added to known items");
    line(changed.merged, "items merged into another");
    for (number, what) in [
        (changed.titles, "title"),
        (changed.texts, "text"),
        (changed.authors, "author"),
        (changed.dates, "date"),
        (changed.others, "other field"),
    ] {
        line(number, &format!("known items whose {what} can now be read"));
    }
    line(changed.refined, "sightings whose reactions or date can now be read");
    line(changed.readable, "entries that are readable now");
    line(changed.answers, "answers that can now be read");
    line(
        u64::try_from(rescore_counts.0).unwrap_or(0),
        &format!("items scored by {}, {} with a different tone", sentiment::VERSION, rescore_counts.1),
    );
    line(changed.lost, "sightings that would no longer be found; they are kept");
    line(changed.forgotten, "findings kept out because they were erased");
    line(done.unreadable, "replies that cannot be read");
    line(done.cut, "replies that were cut");
    line(changed.thinned, "runs whose sightings are no longer stored");
    line(u64::try_from(done.pruned).unwrap_or(0), "answered searches whose replies are no longer stored");
    for behind in &done.behind {
        text.push_str(&format!(
            "note: {} already covered {} of these runs and will not include the {} sightings added: run it again in full\n",
            output::truncate(&behind.reader, 80),
            behind.runs,
            behind.sightings
        ));
    }
    if done.interrupted {
        text.push_str("interrupted; run the command again to read the rest\n");
    }
    text
}
