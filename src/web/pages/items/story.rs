//! The section of an item's page that shows its story: who was first, how certain that is, a chart, and where it was
//! seen.

use maud::{Markup, html};

use super::item_view;
use crate::draw::format::{self, number};
use crate::draw::story_chart;
use crate::insight::story::{FirstSighting, Story, TimelineEntry};
use crate::model::{Tie, Time};
use crate::web::layout::moment;

/// Maximum number of items, topics and sources that are shown.
const LISTED: usize = 20;
const PLACES: usize = 20;

fn at(at: Time) -> String {
    format::with_offset(at, "UTC")
}

pub(in crate::web::pages) fn section(story: &Story) -> Markup {
    html! { section aria-labelledby="spread" {
        h2 #spread { "How it spread" }
        p { @for line in story_chart::summary(story, &at) { (line) " " } }
        @if !story.seen_once {
            dl.facts { @for (what, entry) in story_chart::firsts(story) {
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
        @if !story.seen_once { (first_sightings("Topic", &story.topics)) (first_sightings("Source", &story.sources)) }
        @if story.items > 1 { (authors(story)) (timeline(story)) }
        p.meta { @for line in story_chart::remaining(story, &at) { (line) " " } }
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

fn first_sightings(what: &str, places: &[FirstSighting]) -> Markup {
    let label = format!("{what}s it was seen in");
    html! { div.wide role="region" tabindex="0" aria-label=(label) { table.cards {
        caption { (label) @if places.len() > PLACES { ", the first " (PLACES) } }
        thead { tr { th scope="col" { (what) } th scope="col" { "First seen" } th.n scope="col" { "Items" } th scope="col" { "First author" } } }
        tbody { @for place in places.iter().take(PLACES) { tr {
            th scope="row" { (place.name) }
            td data-label="First seen" { (moment(place.first_seen, "UTC")) }
            td.n data-label="Items" { (number(place.items as u64)) }
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
            td.n data-label="Items" { (number(reach.items as u64)) }
            td.n data-label="Reactions" { (reach.reactions.map_or_else(|| "unknown".to_owned(), format::signed)) }
        } } }
    } } } }
}

fn timeline(story: &Story) -> Markup {
    let beyond = story.timeline.len().saturating_sub(LISTED);
    html! { details {
        summary { "Its items by time" @if beyond > 0 { ", the first " (LISTED) } }
        ol.found { @for entry in story.timeline.iter().take(LISTED) { li {
            p { (item(entry, story)) }
            p.meta { (story_chart::times(entry, &at)) @if matches!(entry.tie, Tie::Link | Tie::Both) { " · shares a link" } }
        } } }
    } }
}
