//! `show`: one run with every item once: answer, posts, pages, and which sources agree. As text, Markdown or JSON.

use std::collections::BTreeSet;

use clap::Args;
use serde_json::json;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::check_names::renamed;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::compare::{FilterMode, RowFilter};
use crate::draw::answer_text::{Piece, parse_line};
use crate::insight::{MergedItem, merge_sightings, volume};
use crate::model::{Kind, Question, RunState, SearchState, Source, Time, WindowFit, format_duration};
use crate::normalise::safe_link;
use crate::store::{AnswerRow, DataOrigin, Filter, RunRow, SearchRow, Store};

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

/// Everything about one run.
struct Snapshot {
    run: RunRow,
    answer: Option<AnswerRow>,
    searches: Vec<SearchRow>,
    items: Vec<MergedItem>,
    /// Items that the topic's filter hides.
    filtered: usize,
    /// Why the topic's AI source was not asked, and its previous answer.
    unasked: Option<(String, Option<AnswerRow>)>,
    /// A later run that failed; only set if the last run is shown.
    failed_since: Option<RunRow>,
    /// Sources that answered this question for the first time.
    baseline: Vec<Source>,
    invented: bool,
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
                Some(run) => (Some(run.clone()), failed.filter(|failed| failed.seq > run.seq)),
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
                format!("run it: topicwatch once --topic {}", args.topic),
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
    let now = (context.clock)();
    let snapshot = Snapshot {
        answer,
        unasked,
        failed_since,
        baseline: baseline(&store, &run, &searches).await?,
        searches,
        items: merge_sightings(&sightings),
        filtered: hidden.len(),
        invented: store.nature().await? == Some(DataOrigin::Sandbox),
        run,
    };
    store.close().await;
    if args.json {
        output::json(&json!({
            "sandbox": snapshot.invented, "run": snapshot.run, "answer": snapshot.answer, "searches": snapshot.searches, "baseline": snapshot.baseline,
            "not_asked": snapshot.unasked.as_ref().map(|(why, _)| why), "last_answer": snapshot.unasked.as_ref().and_then(|(_, last)| last.as_ref()),
            "failed_since": snapshot.failed_since, "filtered": snapshot.filtered, "volume": volume(&snapshot.items), "items": snapshot.items,
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
    let before = store.list_answers(topic, seq, 1).await?;
    Ok(Some((reason, before.into_iter().next().map(|(_, answer)| answer))))
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

fn heading(snapshot: &Snapshot) -> String {
    let run = &snapshot.run;
    let at = run.started_at.map_or_else(String::new, output::format_time);
    let full = snapshot.searches.iter().any(|search| search.attempt == run.attempt && search.saturated);
    let filtered = if snapshot.filtered > 0 { format!(", {} filtered", snapshot.filtered) } else { String::new() };
    format!(
        "{} · {at} · {} · {} found, {} new{filtered} · {}",
        run.topic.as_deref().unwrap_or(""),
        run.state,
        output::at_least(run.counts.found, full),
        output::at_least(run.counts.new, full),
        output::volume(volume(&snapshot.items))
    )
}

/// Formats one line per source that did not answer in full, and one for a later failed run.
fn problems(snapshot: &Snapshot) -> Vec<String> {
    let troubled = snapshot.searches.iter().filter(|s| s.error_class.is_some());
    let since = snapshot.failed_since.iter().map(|run| {
        let at = run.started_at.map_or_else(String::new, output::format_time);
        let why = run.error_text.as_deref().or(run.reason.as_deref()).unwrap_or("");
        format!("a later run, at {at}, is {}: {} (--run {})", run.state, output::truncate(why, 200), run.run)
    });
    troubled
        .map(|s| {
            format!(
                "{} {}: {}: {}",
                s.source,
                s.state,
                s.error_class.as_deref().unwrap_or(""),
                output::truncate(s.error_text.as_deref().unwrap_or(""), 200)
            )
        })
        .chain(since)
        .collect()
}

/// Says why no answer was requested, and how old the last one is.
fn unasked_note(why: &str, last: Option<&AnswerRow>, now: Time) -> String {
    let last = match last {
        Some(answer) => {
            format!(
                "; the last answer is {} old, from {}",
                format_duration(now.since(answer.asked_at)),
                output::format_time(answer.asked_at)
            )
        }
        None => "; there is no earlier answer".to_owned(),
    };
    format!("answer: not asked: {}{last}", output::truncate(why, 200))
}

/// Says which sources' findings are a baseline.
fn baseline_note(snapshot: &Snapshot) -> Option<String> {
    let names: Vec<&str> = snapshot.baseline.iter().map(Source::as_str).collect();
    let were = if names.len() == 1 { "was" } else { "were" };
    (!names.is_empty()).then(|| format!("baseline: {} {were} asked this for the first time", names.join(", ")))
}

fn item_labels(item: &MergedItem) -> String {
    let sources: Vec<&str> = item.sources.keys().map(Source::as_str).collect();
    let fit = match item.fit {
        WindowFit::In => "",
        WindowFit::Outside => ", outside the window",
        WindowFit::Undated => ", undated",
    };
    format!("{}{fit}{}", sources.join("+"), if item.new { ", new" } else { "" })
}

fn render_text(snapshot: &Snapshot, now: Time) -> String {
    let mut text = if snapshot.invented { "SANDBOX: invented findings\n".to_owned() } else { String::new() };
    text.push_str(&format!("{}\nrun {}\n", heading(snapshot), snapshot.run.run));
    if let Some(note) = baseline_note(snapshot) {
        text.push_str(&format!("{note}\n"));
    }
    for trouble in problems(snapshot) {
        text.push_str(&format!("! {trouble}\n"));
    }
    let mut shown_answer = snapshot.answer.as_ref();
    if let Some((why, last)) = &snapshot.unasked {
        text.push_str(&format!("\n{}\n", unasked_note(why, last.as_ref(), now)));
        shown_answer = last.as_ref();
    }
    if let Some(answer) = shown_answer {
        text.push_str(&format!(
            "\n{}{}\n",
            paragraphs(&answer.text),
            if answer.partial { "\n(incomplete)" } else { "" }
        ));
    }
    for (kind, title) in [(Kind::Post, "Posts"), (Kind::Page, "Pages")] {
        let items: Vec<&MergedItem> = snapshot.items.iter().filter(|i| i.kind == kind).collect();
        if items.is_empty() {
            continue;
        }
        text.push_str(&format!("\n{title}\n"));
        for item in items {
            let author = item.author.as_ref().map_or_else(String::new, |a| format!("@{}: ", output::truncate(a, 40)));
            let words = item.title.as_deref().or(item.text.as_deref()).unwrap_or("");
            text.push_str(&format!("  {author}{}\n", output::truncate(words, 200)));
            let date = item.published_at.map_or_else(String::new, |at| format!("{} · ", output::format_time(at)));
            let url = item.url.as_deref().map_or_else(String::new, |u| format!(" · {}", output::escape_control(u)));
            text.push_str(&format!("    {date}{}{url}\n", item_labels(item)));
        }
    }
    text
}

/// Escapes control characters and keeps the lines.
fn paragraphs(text: &str) -> String {
    text.lines().map(output::escape_control).collect::<Vec<_>>().join("\n")
}

fn render_markdown(snapshot: &Snapshot, now: Time) -> String {
    let mut text = format!("# {}\n\n", escape_markdown(&heading(snapshot)));
    if snapshot.invented {
        text.push_str("**SANDBOX: invented findings**\n\n");
    }
    for note in baseline_note(snapshot).into_iter().chain(problems(snapshot)) {
        text.push_str(&format!("> {}\n\n", escape_markdown(&note)));
    }
    let mut shown_answer = snapshot.answer.as_ref().map(|answer| ("Answer", answer));
    if let Some((why, last)) = &snapshot.unasked {
        text.push_str(&format!("> {}\n\n", escape_markdown(&unasked_note(why, last.as_ref(), now))));
        shown_answer = last.as_ref().map(|answer| ("Last answer", answer));
    }
    if let Some((heading, answer)) = shown_answer {
        let model = answer.model.as_ref().map_or_else(String::new, |m| format!(" ({})", escape_markdown(m)));
        text.push_str(&format!(
            "## {heading}{model}\n\n{}\n\n",
            answer.text.lines().map(with_links).collect::<Vec<_>>().join("\n")
        ));
    }
    for (kind, title) in [(Kind::Post, "Posts"), (Kind::Page, "Pages")] {
        let items: Vec<&MergedItem> = snapshot.items.iter().filter(|i| i.kind == kind).collect();
        if items.is_empty() {
            continue;
        }
        text.push_str(&format!("## {title}\n\n"));
        for item in items {
            let words = escape_markdown(item.title.as_deref().or(item.text.as_deref()).unwrap_or("(no text)"));
            let linked = markdown_link(&words, item.url.as_deref().unwrap_or_default());
            let author = item.author.as_ref().map_or_else(String::new, |a| format!("@{}: ", escape_markdown(a)));
            let date = item.published_at.map_or_else(String::new, |at| format!(", {}", output::format_time(at)));
            text.push_str(&format!("- {author}{linked} ({}{date})\n", item_labels(item)));
        }
        text.push('\n');
    }
    text
}

/// Formats a line of an answer: links stay links, everything else becomes plain text.
fn with_links(line: &str) -> String {
    let render_piece = |piece| match piece {
        Piece::Words(words) => escape_markdown(&words),
        Piece::Link(label, address) => markdown_link(&escape_markdown(label), address),
    };
    parse_line(line).into_iter().map(render_piece).collect()
}

/// Formats Markdown text as a link if the address is safe, else returns the text alone.
fn markdown_link(words: &str, address: &str) -> String {
    match safe_link(address) {
        Some(url) => format!("[{words}](<{url}>)"),
        None => words.to_owned(),
    }
}

/// Escapes foreign text for Markdown: no markup remains, and it stays on one line.
fn escape_markdown(text: &str) -> String {
    let escaped = output::escape_control(text);
    let mut safe = String::with_capacity(escaped.len());
    for c in escaped.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '!' | '~' | '&') {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}
