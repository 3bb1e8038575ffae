//! `show`: one run with every item once: answer, posts, pages, and which sources agree. As text, Markdown or JSON.

use std::collections::BTreeSet;

use clap::Args;
use serde_json::json;

use super::show_text::{Snapshot, render_markdown, render_text};
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::check_names::renamed;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::compare::{FilterMode, RowFilter, first_seen};
use crate::insight::{merge_sightings, volume};
use crate::model::{Question, RunState, SearchState, Source, Topic};
use crate::store::{AnswerRow, Filter, RunRow, SearchRow, Store};

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Topic id
    pub topic: String,
    /// This run instead of the last
    #[arg(long, value_name = "ID")]
    pub run: Option<String>,
    /// Items hidden by the topic's filter: hide them, keep them, or show only them
    #[arg(long, value_name = "WHAT", default_value = "hide", value_parser = ["hide", "keep", "only"])]
    pub filtered: String,
    /// Print Markdown, ready to paste
    #[arg(long, conflicts_with = "json")]
    pub md: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub(in crate::cli) async fn run(common: &Common, args: &ShowArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let store = context.store_to_read().await?;
    renamed(&context, &store, std::slice::from_ref(&args.topic)).await?;
    let (run, failed_since) = match &args.run {
        Some(id) => (store.run(id).await?.filter(|run| run.topic.as_deref() == Some(args.topic.as_str())), None),
        None => {
            let found = store.last_snapshot(&args.topic).await?;
            let failed = last_failed(&store, &args.topic).await?;
            match found {
                Some(run) => {
                    // A run whose process died is read later than one that began after it.
                    let later = |failed: &RunRow| failed.seq > run.seq && failed.started_at >= run.started_at;
                    (Some(run.clone()), failed.filter(later))
                }
                // No run succeeded: show the one that failed.
                None => (failed, None),
            }
        }
    };
    let Some(run) = run else {
        if args.run.is_none() {
            context.check_topics(std::slice::from_ref(&args.topic))?;
        }
        return Err(match &args.run {
            Some(id) => Failure::usage(
                format!("topic {} has no run {}", output::truncate(&args.topic, 64), output::truncate(id, 100)),
                "topicwatch runs lists them",
            ),
            None => Failure::usage(
                format!("topic {} has no finished run yet", args.topic),
                format!("run it: {}", context.command(&format!("once --topic {}", args.topic))),
            ),
        });
    };
    let mode = FilterMode::parse(&args.filtered).unwrap_or(FilterMode::Hide);
    let mut hiding = RowFilter::of(&store, std::slice::from_ref(&args.topic), mode).await?;
    let mut sightings = store.sightings_of(&run.run).await?;
    // Several sources may have found the same item: count it once.
    let mut hidden = BTreeSet::new();
    sightings.retain(|sighting| {
        let before = hiding.hidden_count();
        let is_shown = hiding.shows_sighting(sighting);
        if hiding.hidden_count() > before {
            hidden.insert(sighting.key.clone());
        }
        is_shown
    });
    let searches = store.searches(std::slice::from_ref(&run.run)).await?;
    let answer = store.answer_of(&run.run).await?;
    let unasked = if answer.is_some() { None } else { reason_not_asked(&store, &run, &searches).await? };
    let last_found = if run.counts.found == 0 && answer.is_none() { last_found(&store, &run).await? } else { None };
    let now = (context.clock)();
    let watched = store.watched_topics(std::slice::from_ref(&args.topic)).await?;
    let definitions: Vec<Topic> = watched.into_iter().filter_map(|watched| watched.definition).collect();
    let first_seen = first_seen(&store, &[&run], if args.filtered == "hide" { &definitions } else { &[] }).await?;
    let snapshot = Snapshot {
        answer,
        first_seen: first_seen.get(&run.run).copied().unwrap_or_default(),
        unasked,
        failed_since,
        last_found,
        baseline: baseline(&store, &run, &searches).await?,
        searches,
        items: merge_sightings(&sightings),
        filtered: hidden.len(),
        invented: store.is_sandbox().await?,
        run,
    };
    store.close().await;
    if args.json {
        output::json(&json!({
            "sandbox": snapshot.invented, "run": snapshot.run, "answer": snapshot.answer, "searches": snapshot.searches, "baseline": snapshot.baseline, "first_seen": snapshot.first_seen,
            "not_asked": snapshot.unasked.as_ref().map(|(why, _)| why), "last_answer": snapshot.unasked.as_ref().and_then(|(_, last)| last.as_ref()),
            "failed_since": snapshot.failed_since, "filtered": snapshot.filtered, "volume": volume(&snapshot.items), "items": snapshot.items,
            "last_found": snapshot.last_found,
        }))?;
    } else if args.md {
        output::text(&render_markdown(&snapshot, now))?;
    } else {
        output::text(&render_text(&snapshot, now))?;
    }
    Ok(Exit::Ok)
}

/// The most runs searched for a failed one, including missed and skipped runs.
const MAX_RUNS_READ: i64 = 100;

/// Returns the topic's last run that failed or was over quota.
async fn last_failed(store: &Store, topic: &str) -> Result<Option<RunRow>, Failure> {
    let filter = Filter { topics: vec![topic.to_owned()], ..Filter::default() };
    let runs = store.runs(&filter, MAX_RUNS_READ).await?;
    let failed = |run: &RunRow| run.seq.is_some() && matches!(run.state, RunState::Failed | RunState::OverQuota);
    Ok(runs.into_iter().find(failed))
}

/// Returns the last run before this one that found something.
async fn last_found(store: &Store, run: &RunRow) -> Result<Option<RunRow>, Failure> {
    // Without a seq the findings are not readable yet.
    let (Some(topic), Some(seq)) = (&run.topic, run.seq) else { return Ok(None) };
    Ok(store.last_found_before(topic, seq).await?)
}

/// Returns why a run did not ask the AI source although nothing failed, and the previous answer.
async fn reason_not_asked(
    store: &Store,
    run: &RunRow,
    searches: &[SearchRow],
) -> Result<Option<(String, Option<AnswerRow>)>, Failure> {
    let left_out = |s: &&SearchRow| {
        s.attempt == run.attempt && s.source == Source::Ai && s.state == SearchState::NotRun && s.error_class.is_none()
    };
    let reason = searches.iter().find(left_out).and_then(|search| search.reason.clone());
    let (Some(reason), Some(topic), Some(seq)) = (reason, &run.topic, run.seq) else { return Ok(None) };
    Ok(Some((reason, store.latest_answer(topic, seq).await?)))
}

/// Returns the sources that answered this topic's question for the first time in this run.
async fn baseline(store: &Store, run: &RunRow, searches: &[SearchRow]) -> Result<Vec<Source>, Failure> {
    let (Some(topic), Some(seq)) = (&run.topic, run.seq) else { return Ok(Vec::new()) };
    let mut baseline = Vec::new();
    let was_answered =
        |s: &&SearchRow| s.attempt == run.attempt && matches!(s.state, SearchState::Ok | SearchState::Empty);
    for search in searches.iter().filter(was_answered) {
        let question =
            Question { source: search.source, operation: search.operation.clone(), query: search.query.clone() };
        if !store.was_answered_before(topic, &question, seq).await? {
            baseline.push(search.source);
        }
    }
    Ok(baseline)
}
