//! `items story`: how a text or link spread, starting at its first item. `compare` decides which items belong to it;
//! `insight` summarises them.

use clap::Args;
use serde_json::json;

use super::search::index_pending;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::compare;
use crate::draw::{format, story_chart};
use crate::insight::story::{FirstSighting, Story, TimelineEntry};
use crate::insight::{Piece, word_diff};
use crate::model::{STORY_WORDS, whole_start};

#[derive(Debug, Args)]
pub struct StoryArgs {
    /// Key of an item, or the address of a page or post
    #[arg(value_name = "KEY")]
    pub key: String,
    /// Print it as text or as JSON
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"])]
    pub format: String,
    /// The same as --format json
    #[arg(long, hide = true)]
    pub json: bool,
}

/// The most columns of the text: wider lines are hard to read.
const WIDEST: usize = 80;

/// Columns of the longest bar.
const BAR: usize = 40;

/// The most items listed.
const LISTED: usize = 20;

/// The most topics or sources listed.
const PLACES: usize = 20;

/// The most characters of a text, and columns of a name or key.
const WORDS: usize = 300;
const NAME: usize = 24;

pub(in crate::cli) async fn run(common: &Common, args: &StoryArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let store = context.store_to_read().await?;
    index_pending(&store, common.quiet).await?;
    let story = compare::story(&store, &args.key).await?;
    let invented = store.is_sandbox().await?;
    store.close().await;
    let Some(story) = story else {
        return Err(Failure::usage(
            format!("there is no item `{}`", output::truncate(&args.key, 80)),
            "topicwatch items --json shows keys (post:x:123, page:https://…); the item may have been erased",
        ));
    };
    if args.json || args.format == "json" {
        output::json(&json!({ "sandbox": invented, "story": story }))?;
        return Ok(Exit::Ok);
    }
    let head = if invented { "SANDBOX: invented findings\n\n" } else { "" };
    output::text(&format!("{head}{}", render(&story, usize::from(output::width()).min(WIDEST))))?;
    Ok(Exit::Ok)
}

fn render(story: &Story, width: usize) -> String {
    let mut text = format!("{}\n", output::truncate(&story.key, width));
    let requested = story.timeline.iter().find(|entry| entry.key == story.key);
    if let Some(requested) = requested {
        text.push_str(&output::wrap("  ", &output::truncate(&entry_text(requested), WORDS), width));
    }
    text.push('\n');
    for line in story_chart::summary(story, &output::format_time) {
        text.push_str(&output::wrap("", &line, width));
    }
    for (what, entry) in story_chart::first_entries(story) {
        text.push_str(&format!("\n{what}: {}\n", author_and_key(entry, width.saturating_sub(what.len() + 2))));
        text.push_str(&output::wrap("  ", &story_chart::times(entry, &output::format_time), width));
        if entry.key != story.key {
            text.push_str(&output::wrap("  ", &output::truncate(&entry_text(entry), WORDS), width));
        }
    }
    text.push('\n');
    for (head, reasons) in story_chart::caveats(story, &output::format_time) {
        text.push_str(&output::wrap("", &head, width));
        for reason in reasons {
            text.push_str(&output::wrap("  - ", &reason, width));
        }
    }
    if !story.seen_once {
        text.push_str(&render_spread(story, width));
    }
    text.push_str(&edits(story, width));
    text.push('\n');
    for line in story_chart::remaining_items(story, &output::format_time) {
        text.push_str(&output::wrap("", &line, width));
    }
    text
}

/// Formats the part that only a story with several sightings has.
fn render_spread(story: &Story, width: usize) -> String {
    let mut text = String::new();
    if story.items > 1 {
        text.push_str(&format!("\nItems over time (UTC)\n{}", bars(story)));
    }
    text.push_str(&render_first_seen("topic", &story.topics));
    text.push_str(&render_first_seen("source", &story.sources));
    if !story.reach.is_empty() {
        let rows = story.reach.iter().map(|reach| {
            let reactions = reach.reactions.map_or_else(|| "unknown".to_owned(), format::signed);
            vec![format!("@{}", output::truncate(&reach.author, NAME)), reach.items.to_string(), reactions]
        });
        text.push_str(&format!("\n{}", output::table(&["author", "items", "reactions"], rows.collect(), &[1, 2])));
    }
    if story.items > 1 {
        text.push('\n');
        for entry in story.timeline.iter().take(LISTED) {
            let begin = format!("{}  ", output::format_time(entry.at));
            text.push_str(&format!("{begin}{}\n", author_and_key(entry, width.saturating_sub(begin.len()))));
        }
        let beyond = story.timeline.len().saturating_sub(LISTED);
        if beyond > 0 {
            text.push_str(&format!("and {beyond} more: --format json lists all\n"));
        }
    }
    text
}

fn bars(story: &Story) -> String {
    let most = story.chart.iter().map(|bar| bar.items).max().unwrap_or(0).max(1);
    let bar = |bar: &crate::insight::story::Bar| {
        // An interval with items gets at least one mark.
        let length = (bar.items * BAR / most).max(usize::from(bar.items > 0));
        let marks = if length == 0 { String::new() } else { format!("{} ", "#".repeat(length)) };
        format!("  {}  {marks}{}\n", format::date_time(bar.from, "UTC"), bar.items)
    };
    story.chart.iter().map(bar).collect()
}

/// Formats a table of topics or sources with when each first found an item of the story.
fn render_first_seen(what: &str, places: &[FirstSighting]) -> String {
    let row = |first: &FirstSighting| {
        let author = first.author.as_deref().map_or_else(String::new, |a| format!("@{}", output::truncate(a, NAME)));
        vec![
            output::truncate(&first.name, NAME),
            output::format_time(first.first_seen),
            first.items.to_string(),
            author,
        ]
    };
    let rows = places.iter().take(PLACES).map(row).collect();
    let beyond = places.len().saturating_sub(PLACES);
    let more = if beyond > 0 { format!("and {beyond} more\n") } else { String::new() };
    format!("\n{}{more}", output::table(&[what, "first seen", "items", "first author"], rows, &[2]))
}

fn edits(story: &Story, width: usize) -> String {
    let Some(earliest) = story.timeline.first().filter(|_| !story.edits.is_empty()) else { return String::new() };
    let joined = |title: &Option<String>, text: &Option<String>| {
        [title, text].into_iter().flatten().map(|text| compared_part(text)).collect::<Vec<_>>().join(" – ")
    };
    let mut after = joined(&earliest.title, &earliest.text);
    let mut text = "\nEdits of the earliest item\n".to_owned();
    for row in &story.edits {
        let before = joined(&row.title, &row.text);
        let begin = format!("  {}  ", output::format_time(row.until));
        if before == after {
            text.push_str(&format!("{begin}(changed only after about the first {STORY_WORDS} characters)\n"));
            continue;
        }
        let changes: String = word_diff(&before, &after)
            .iter()
            .map(|piece| match piece {
                Piece::Same(same) => output::escape_keep_blanks(same),
                Piece::Removed(gone) => format!("[-{}-]", output::escape_keep_blanks(gone)),
                Piece::Added(new) => format!("{{+{}+}}", output::escape_keep_blanks(new)),
            })
            .collect();
        text.push_str(&output::wrap(&begin, &output::truncate(&changes, 2 * WORDS), width));
        after = before;
    }
    text
}

/// Returns the part of a text that is compared. The story has only the start of a text, which may end within a character
/// of several `char`s; earlier versions are complete.
fn compared_part(text: &str) -> &str {
    whole_start(text, STORY_WORDS - 1, |_| 1)
}

fn entry_text(entry: &TimelineEntry) -> String {
    let words = [&entry.title, &entry.text].into_iter().flatten().cloned().collect::<Vec<_>>().join(" – ");
    if words.is_empty() { "(no text)".to_owned() } else { words }
}

/// Formats author and key, and marks items tied by a link.
fn author_and_key(entry: &TimelineEntry, width: usize) -> String {
    let author = entry
        .author
        .as_deref()
        .map_or_else(|| "author unknown".to_owned(), |a| format!("@{}", output::truncate(a, NAME)));
    let tie = match entry.tie {
        crate::model::Tie::Link | crate::model::Tie::Both => " (link)",
        _ => "",
    };
    let room = width.saturating_sub(output::display_width(&author) + tie.len() + 2);
    format!("{author}  {}{tie}", output::truncate(&entry.key, room.max(8)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_text_and_the_whole_text_are_compared_up_to_the_same_whole_character() {
        for more in ["e\u{301}bc", "🇩🇪🇫🇷", "👩‍👩‍👧👩‍👩‍👧", "plain"] {
            for before in STORY_WORDS - 12..STORY_WORDS {
                let whole = format!("{}{more}{}", "x".repeat(before), "y".repeat(20));
                let cut: String = whole.chars().take(STORY_WORDS).collect();
                let compared = compared_part(&cut);
                assert_eq!(compared, compared_part(&whole), "{more} {before}");
                assert_eq!(compared, whole_start(&whole, compared.chars().count(), |_| 1), "{more} {before}");
            }
        }
        assert_eq!(compared_part("short"), "short");
    }
}
