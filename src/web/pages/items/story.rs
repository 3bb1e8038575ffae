//! The section of an item's page that shows its story: who was first, how certain that is, a chart, and where it was
//! seen. Its numbers link to the items that they count.

use maud::{Markup, html};

use super::item_view;
use crate::draw::format::{self, count_noun, number};
use crate::draw::story_chart;
use crate::insight::story::{FirstSighting, Story, TimelineEntry};
use crate::model::{Source, Tie, Time};
use crate::web::layout::moment;
use crate::web::page_request::{PageRequest, link};
use crate::web::problem::Problem;

/// Maximum number of items, topics and sources that are shown.
const LISTED: usize = 20;
const PLACES: usize = 20;

/// Which of a story's items are listed.
pub(in crate::web::pages) enum StoryItems<'r> {
    /// The first of them.
    First,
    All,
    OfTopic(&'r str),
    OfSource(Source),
    ByAuthor(&'r str),
}

impl<'r> StoryItems<'r> {
    /// Parses the query of an address.
    pub(in crate::web::pages) fn of(request: &'r PageRequest) -> Result<Self, Problem> {
        let all = request.word("story", |word| (word == "all").then_some(Self::All))?;
        let of_topic = request.get("topic").map(Self::OfTopic);
        let of_source = request.word("source", Source::parse)?.map(Self::OfSource);
        let by_author = request.get("author").map(Self::ByAuthor);
        Ok(all.or(of_topic).or(of_source).or(by_author).unwrap_or(Self::First))
    }

    fn has(&self, entry: &TimelineEntry) -> bool {
        match self {
            Self::First | Self::All => true,
            Self::OfTopic(topic) => entry.topics.iter().any(|one| one == topic),
            Self::OfSource(source) => entry.sources.contains(source),
            Self::ByAuthor(author) => entry.is_by(author),
        }
    }

    /// Describes which items are listed.
    fn description(&self) -> Markup {
        html! { @match self {
            Self::First | Self::All => "",
            Self::OfTopic(topic) => { " of the topic " (topic) },
            Self::OfSource(source) => { " of the source " (source) },
            Self::ByAuthor(author) => { " " (item_view::by(Some(*author))) },
        } }
    }
}

/// The address of some of a story's items.
fn address(story: &Story, name: &str, value: &str) -> String {
    link("/item", [("key", story.key.as_str()), (name, value)]) + "#story-items"
}

/// A number of a story's items as a link to them.
fn counted(story: &Story, name: &str, value: &str, many: usize) -> Markup {
    html! { @if story.items > 1 { a href=(address(story, name, value)) { (number(many as u64)) } } @else { (number(many as u64)) } }
}

fn at(at: Time) -> String {
    format::with_offset(at, "UTC")
}

pub(in crate::web::pages) fn section(story: &Story, listed: &StoryItems<'_>) -> Markup {
    html! { section aria-labelledby="spread" {
        h2 #spread { "How it spread" }
        p { @for line in story_chart::summary(story, &at) { (line) " " } }
        @if !story.seen_once {
            dl.facts { @for (what, entry) in story_chart::first_entries(story) {
                dt { (what) }
                dd { (item(entry, story)) br; span.meta { (story_chart::times(entry, &at)) } }
            } }
        }
        @for (head, reasons) in story_chart::caveats(story, &at) {
            @if reasons.is_empty() { p.meta { (head) } }
            @else { div.note { p { (head) } ul { @for reason in &reasons { li { (reason) } } } } }
        }
        @if story.items > 1 {
            figure { (story_chart::chart(story)) figcaption { (story_chart::legend(story)) } }
        }
        @if !story.seen_once { (first_sightings(story, "Topic", &story.topics)) (first_sightings(story, "Source", &story.sources)) }
        @if story.items > 1 { (authors(story)) (timeline(story, listed)) }
        p.meta { @for line in story_chart::remaining_items(story, &at) { (line) " " } }
    } }
}

/// An item as a link to its page; the item of this page as plain text.
fn item(entry: &TimelineEntry, story: &Story) -> Markup {
    let words = item_view::summary_line(entry.title.as_deref(), entry.text.as_deref(), 120);
    html! {
        (item_view::by(entry.author.as_deref())) ": "
        @if entry.key == story.key { span dir="auto" { (words) } }
        @else { a dir="auto" href=(item_view::item_page(&entry.key)) { (words) } }
    }
}

fn first_sightings(story: &Story, what: &str, places: &[FirstSighting]) -> Markup {
    let (label, name) = (format!("{what}s it was seen in"), what.to_lowercase());
    html! { div.wide role="region" tabindex="0" aria-label=(label) { table.cards {
        caption { (label) @if places.len() > PLACES { ", the first " (PLACES) } }
        thead { tr { th scope="col" { (what) } th scope="col" { "First seen" } th.n scope="col" { "Items" } th scope="col" { "First author" } } }
        tbody { @for place in places.iter().take(PLACES) { tr {
            th scope="row" { (place.name) }
            td data-label="First seen" { (moment(place.first_seen, "UTC")) }
            td.n data-label="Items" { (counted(story, &name, &place.name, place.items)) }
            td data-label="First author" { (item_view::by(place.author.as_deref())) }
        } } }
    } } }
}

fn authors(story: &Story) -> Markup {
    html! { @if !story.reach.is_empty() { div.wide role="region" tabindex="0" aria-label="Authors with most reactions" { table.cards {
        caption { "Authors with most reactions, as last seen" }
        thead { tr { th scope="col" { "Author" } th.n scope="col" { "Items" } th.n scope="col" { "Reactions" } } }
        tbody { @for reach in &story.reach { tr {
            th scope="row" { (item_view::by(Some(&reach.author))) }
            td.n data-label="Items" { (counted(story, "author", &reach.author, reach.items)) }
            td.n data-label="Reactions" { (reach.reactions.map_or_else(|| "unknown".to_owned(), format::signed)) }
        } } }
    } } } }
}

fn timeline(story: &Story, listed: &StoryItems<'_>) -> Markup {
    let is_chosen = !matches!(listed, StoryItems::First);
    let entries: Vec<&TimelineEntry> = story.timeline.iter().filter(|entry| listed.has(entry)).collect();
    let beyond = if is_chosen { 0 } else { entries.len().saturating_sub(LISTED) };
    html! { details #story-items open[is_chosen] {
        summary { "Its items by time" @if is_chosen { ": " (count_noun(entries.len() as u64, "item")) (listed.description()) } @else if beyond > 0 { ", the first " (LISTED) } }
        ol.found { @for entry in entries.iter().take(entries.len() - beyond) { li {
            p { (item(entry, story)) }
            p.meta { (story_chart::times(entry, &at)) @if matches!(entry.tie, Tie::Link | Tie::Both) { " · shares a link" } }
        } } }
        @if beyond > 0 { p { a href=(address(story, "story", "all")) { "All " (count_noun(entries.len() as u64, "item")) } } }
    } }
}
