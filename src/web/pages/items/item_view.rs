//! Renders items, answers and differences for every page. All of it comes from outside: the template escapes text,
//! and links are http or https and send no referrer.

use std::collections::BTreeSet;

use maud::{Markup, html};

use crate::compare::Citations;
use crate::draw::answer_text::{Piece as Prose, parse_line};
use crate::draw::format;
use crate::insight::Piece;
use crate::model::{Engagement, ItemRow, ItemTone, Kind, Time};
use crate::normalise::safe_link;
use crate::web::layout::moment;
use crate::web::page_request::link;

/// Maximum number of characters of an item in a list.
const LIST: usize = 280;
/// Maximum number of characters of the text under a title.
const GIST: usize = 200;

/// Begins the sentence that filters hide all that a list found; `note` says how it is counted.
pub(in crate::web::pages) fn all_hidden(hidden: u64, note: &str) -> String {
    let all = if hidden == 1 { "" } else { "all " };
    format!("{} found{note}, {all}hidden by", format::count_noun(hidden, "item"))
}

/// An address from outside as a link, or as text if it may not be one.
pub(in crate::web::pages) fn external_link(address: &str, label: &str) -> Markup {
    html! { @match safe_link(address) {
        Some(address) => a href=(address) rel="noopener noreferrer nofollow" { (label) },
        None => (label),
    } }
}

pub(in crate::web::pages) fn by(author: Option<&str>) -> Markup {
    html! { @match author { Some(author) => bdi { "@" (format::line(author, 60)) }, None => "author unknown" } }
}

/// Who wrote an item, if known.
pub(in crate::web::pages) fn writer(row: &ItemRow) -> Option<Markup> {
    match (row.author.as_deref(), row.author_name.as_deref()) {
        (Some(author), _) => Some(by(Some(author))),
        (None, Some(name)) => Some(html! { bdi { (format::line(name, 80)) } }),
        (None, None) => None,
    }
}

/// Title and text on one line.
pub(in crate::web::pages) fn summary_line(title: Option<&str>, text: Option<&str>, most: usize) -> String {
    let both = [title, text].into_iter().flatten().map(|text| format::line(text, most)).filter(|text| !text.is_empty());
    let summary = format::line(&both.collect::<Vec<_>>().join(" – "), most);
    if summary.is_empty() { "(no text)".to_owned() } else { summary }
}

/// The page of an item.
pub(in crate::web::pages) fn item_page(key: &str) -> String {
    link("/item", [("key", key)])
}

/// The page of a requested run.
pub(in crate::web::pages) fn progress_page(run: &str) -> String {
    format!("/progress/{run}")
}

pub(in crate::web::pages) fn reactions(engagement: &Engagement) -> String {
    let counts = [
        ("like", "likes", engagement.likes),
        ("repost", "reposts", engagement.reposts),
        ("reply", "replies", engagement.replies),
        ("quote", "quotes", engagement.quotes),
        ("view", "views", engagement.views),
    ];
    let parts: Vec<String> = counts
        .iter()
        .filter_map(|(one, more, many)| Some((if *many == Some(1) { one } else { more }, (*many)?)))
        .map(|(name, many)| format!("{} {name}", format::signed(many)))
        .collect();
    if parts.is_empty() { "reactions unknown".to_owned() } else { parts.join(", ") }
}

pub(in crate::web::pages) fn tone(tone: &ItemTone) -> Markup {
    html! {
        @let class = tone.tone.map_or("", |tone| tone.as_str());
        span.(class) { (format::tone(tone.tone)) @if let Some(score) = tone.score { " " (format::score(score)) } }
    }
}

/// An item in a list.
pub(in crate::web::pages) fn item(row: &ItemRow, zone: &str) -> Markup {
    html! {
        @match row.title.as_deref().map(|title| format::line(title, LIST)).filter(|title| !title.is_empty()) {
            Some(title) => {
                p.title { a dir="auto" href=(item_page(&row.key)) { (title) } }
                @if let Some(text) = row.text.as_deref().map(|text| format::line(text, GIST)).filter(|text| !text.is_empty()) { p.gist dir="auto" { (text) } }
            }
            None => p { a dir="auto" href=(item_page(&row.key)) { (summary_line(None, row.text.as_deref(), LIST)) } },
        }
        (metadata(row, zone))
    }
}

/// The same, without a link to the item's page.
pub(in crate::web::pages) fn item_without_link(row: &ItemRow, zone: &str) -> Markup {
    html! {
        p dir="auto" { (summary_line(row.title.as_deref(), row.text.as_deref(), LIST)) }
        (metadata(row, zone))
    }
}

pub(in crate::web::pages) fn metadata(row: &ItemRow, zone: &str) -> Markup {
    html! {
        p.meta {
            @if let Some(writer) = writer(row) { (writer) " · " }
            @if let Some(at) = row.published_at { "published " (moment(at, zone)) " · " }
            "first seen " (moment(row.first_seen, zone))
            @if row.kind == Kind::Post && row.engagement.is_known() { " · " (reactions(&row.engagement)) }
            " · " (tone(&row.tone))
            @if let Some(address) = &row.url { " · " (external_link(address, "open")) }
        }
    }
}

/// The text of an answer: each line as a paragraph or as an entry of a list, with its links. Links that were looked
/// up and not found are marked.
pub(in crate::web::pages) fn answer(text: &str, cited: &Citations) -> Markup {
    let lines: Vec<String> =
        text.lines().map(|line| format::line(line, 2_000)).filter(|line| !line.is_empty()).take(200).collect();
    let line_markup = |line: &str| {
        html! { @for piece in parse_line(line) { @match piece {
            Prose::Words(words) => (words),
            Prose::Link(label, address) => {
                (external_link(address, label))
                @if cited.is_missing(address, line) { " " strong.bad { "✗ not found" } }
            }
        } } }
    };
    // Consecutive entries are one list.
    html! { @for part in lines.chunk_by(|a, b| entry(a).is_some() && entry(b).is_some()) {
        @if part.iter().all(|line| entry(line).is_some()) {
            ul { @for line in part.iter().filter_map(|line| entry(line)) { li dir="auto" { (line_markup(line)) } } }
        } @else {
            @for line in part { p dir="auto" { (line_markup(line)) } }
        }
    } }
}

/// An entry of a list, without its mark; `None` for other lines.
fn entry(line: &str) -> Option<&str> {
    ["- ", "* ", "• "].iter().find_map(|mark| line.strip_prefix(mark))
}

/// The difference between two texts.
pub(in crate::web::pages) fn difference(pieces: &[Piece]) -> Markup {
    html! { span dir="auto" { @for piece in pieces { @match piece {
        Piece::Same(text) => { (format::line(text, 2_000)) " " },
        Piece::Removed(text) => { del { (format::line(text, 1_000)) } " " },
        Piece::Added(text) => { ins { (format::line(text, 1_000)) } " " },
    } } } }
}

/// A time, or a dash if it is unknown.
pub(in crate::web::pages) fn when(at: Option<Time>, zone: &str) -> Markup {
    html! { @match at { Some(at) => (moment(at, zone)), None => "–" } }
}
/// A topic as a link to its page; a deleted one has none.
pub(in crate::web::pages) fn topic_link(topic: &str, pages: &BTreeSet<String>) -> Markup {
    html! { @if pages.contains(topic) { a href=(format!("/topics/{topic}")) { (topic) } } @else { (topic) ", deleted" } }
}
