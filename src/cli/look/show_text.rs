//! A run as text or Markdown, for `show`.

use std::time::Duration;

use crate::cli::terminal::{output, run_table};
use crate::compare::FirstSeen;
use crate::draw::answer_text::{Piece, parse_line};
use crate::insight::{MergedItem, volume};
use crate::model::{EMPTY_REPLY, Kind, SearchState, Source, Time, WindowFit, format_duration};
use crate::normalise::safe_link;
use crate::store::{AnswerRow, RunRow, SearchRow};

/// Everything about one run.
pub(super) struct Snapshot {
    pub(super) run: RunRow,
    pub(super) answer: Option<AnswerRow>,
    pub(super) searches: Vec<SearchRow>,
    pub(super) items: Vec<MergedItem>,
    pub(super) first_seen: FirstSeen,
    /// Items that the topic's filter hides.
    pub(super) filtered: usize,
    /// Why the topic's AI source was not asked, and its previous answer.
    pub(super) unasked: Option<(String, Option<AnswerRow>)>,
    /// A later run that failed; only set if the last run is shown.
    pub(super) failed_since: Option<RunRow>,
    /// The last run before it that found something; only set if this one found nothing.
    pub(super) last_found: Option<RunRow>,
    /// Sources that answered this question for the first time.
    pub(super) baseline: Vec<Source>,
    pub(super) invented: bool,
}

fn heading(snapshot: &Snapshot) -> String {
    let run = &snapshot.run;
    let at = output::format_time_or_dash(run.started_at.or(run.slot));
    let FirstSeen { new, baseline, older, .. } = snapshot.first_seen;
    let filtered = i64::try_from(snapshot.filtered).unwrap_or(i64::MAX);
    let others: String = [(baseline, "baseline"), (older, "older or dated in the future"), (filtered, "filtered")]
        .iter()
        .filter(|(many, _)| *many > 0)
        .map(|(many, what)| format!(", {many} {what}"))
        .collect();
    let topic = run.topic.as_deref().unwrap_or("");
    if !run.has_counts(&snapshot.searches) {
        // Nothing was searched, or no reply is known: as in other lists, there are no numbers.
        let why = run.reason.as_deref().map_or_else(String::new, |why| format!(": {}", output::truncate(why, 200)));
        return format!("{topic} · {at} · {}{why} · - found, - new", run.state);
    }
    format!(
        "{topic} · {at} · {} · {} found, {} new{others} · {}",
        run.state,
        output::at_least(run.counts.found, run.may_be_more(&snapshot.searches)),
        output::at_least(new, run.may_be_more_new(&snapshot.searches, new, baseline)),
        output::volume(volume(&snapshot.items))
    )
}

/// Formats one line per source that did not answer in full, or with nothing in error, and one for a later failed run.
fn problems(snapshot: &Snapshot) -> Vec<String> {
    // A failure in an attempt that was repeated is no problem of the shown result.
    let is_last = |s: &&SearchRow| s.attempt == snapshot.run.attempt;
    let troubled = snapshot.searches.iter().filter(is_last).filter(|s| s.error_class.is_some());
    let emptied = snapshot.searches.iter().filter(is_last).filter(|s| s.empty_in_error);
    let since = snapshot.failed_since.iter().map(|run| {
        let at = run.started_at.map_or_else(String::new, output::format_time);
        let why = run.error_text.as_deref().or(run.reason.as_deref()).unwrap_or("");
        format!("a later run, at {at}, is {}: {} (--run {})", run.state, output::truncate(why, 200), run.run)
    });
    troubled
        .map(|s| {
            let text = output::truncate(s.error_text.as_deref().unwrap_or(""), 200);
            let why = run_table::error_words(s.error_class.as_deref().unwrap_or(""), &text);
            format!("{} {}: {why}", s.source, s.state)
        })
        .chain(emptied.map(|s| format!("{}: {EMPTY_REPLY}", s.source)))
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

/// Says which sources were not searched and why, and where the last findings are if there are none here. For the AI
/// source, see [`unasked_note`].
fn empty_notes(snapshot: &Snapshot) -> Vec<String> {
    let left_out = snapshot.searches.iter().filter(|s| {
        s.attempt == snapshot.run.attempt
            && s.source != Source::Ai
            && s.state == SearchState::NotRun
            && s.error_class.is_none()
    });
    let reasons = left_out.filter_map(|s| {
        s.reason.as_ref().map(|why| format!("{}: not searched: {}", s.source, output::truncate(why, 200)))
    });
    let last = snapshot.last_found.iter().map(|run| {
        let at = run.started_at.map_or_else(String::new, output::format_time);
        format!("the last run before it that found something was at {at} (--run {})", run.run)
    });
    reasons.chain(last).collect()
}

/// Says which sources' findings are a baseline.
fn baseline_note(snapshot: &Snapshot) -> Option<String> {
    let names: Vec<&str> = snapshot.baseline.iter().map(Source::as_str).collect();
    let were = if names.len() == 1 { "was" } else { "were" };
    (!names.is_empty())
        .then(|| format!("baseline: first time that {} {were} searched with this query", names.join(", ")))
}

/// A search for a span that ended this long before its run is a backfill, as for the counts above the items.
const OF_THE_PAST: Duration = Duration::from_secs(60);

/// Whether a source was searched for a past span only: what it found is not new.
fn searched_the_past(snapshot: &Snapshot, source: Source) -> bool {
    let run = &snapshot.run;
    let mut own = snapshot.searches.iter().filter(|s| s.attempt == run.attempt && s.source == source);
    own.any(|s| s.asked_until.zip(run.started_at).is_some_and(|(until, started)| until.plus(OF_THE_PAST) < started))
}

/// Returns an item's sources, how it fits the window, and whether it is new: first seen, not older than the window, and not
/// found only by a backfill, or only by sources that were searched with this query for the first time.
fn item_labels(item: &MergedItem, snapshot: &Snapshot) -> String {
    let sources: Vec<&str> = item.sources.keys().map(Source::as_str).collect();
    let fit = match item.fit {
        WindowFit::In => "",
        WindowFit::Outside => ", outside the window",
        WindowFit::Undated => ", undated",
    };
    let is_baseline = item.sources.keys().all(|source| snapshot.baseline.contains(source));
    let is_past = item.sources.keys().all(|source| searched_the_past(snapshot, *source));
    let is_new = item.new && item.fit != WindowFit::Outside && !is_baseline && !is_past;
    format!("{}{fit}{}", sources.join("+"), if is_new { ", new" } else { "" })
}

pub(super) fn render_text(snapshot: &Snapshot, now: Time) -> String {
    let mut text = if snapshot.invented { "SANDBOX: invented findings\n".to_owned() } else { String::new() };
    text.push_str(&format!("{}\nrun {}\n", heading(snapshot), snapshot.run.run));
    for note in baseline_note(snapshot).into_iter().chain(empty_notes(snapshot)) {
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
            let words = item.title.as_deref().or(item.text.as_deref()).unwrap_or("(no text)");
            text.push_str(&format!("  {author}{}\n", output::truncate(words, 200)));
            let date = item.published_at.map_or_else(String::new, |at| format!("{} · ", output::format_time(at)));
            let url = item.url.as_deref().map_or_else(String::new, |u| format!(" · {}", output::escape_control(u)));
            text.push_str(&format!("    {date}{}{url}\n", item_labels(item, snapshot)));
        }
    }
    text
}

/// Escapes control characters and keeps the lines.
fn paragraphs(text: &str) -> String {
    text.lines().map(output::escape_control).collect::<Vec<_>>().join("\n")
}

pub(super) fn render_markdown(snapshot: &Snapshot, now: Time) -> String {
    let mut text = format!("# {}\n\n", escape_markdown(&heading(snapshot)));
    if snapshot.invented {
        text.push_str("**SANDBOX: invented findings**\n\n");
    }
    for note in baseline_note(snapshot).into_iter().chain(empty_notes(snapshot)).chain(problems(snapshot)) {
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
            text.push_str(&format!("- {author}{linked} ({}{date})\n", item_labels(item, snapshot)));
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
