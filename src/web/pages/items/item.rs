//! One item: its words and earlier words, its sightings, which topics know it, how it spread, its near-copies.

use std::collections::BTreeSet;
use std::sync::Arc;

use maud::{Markup, html};

use super::story::{self, StoryItems};
use super::{item_view, marks, stars_and_notes};
use crate::compare::{self, Rankings};
use crate::draw::format::{self, count_noun, number};
use crate::draw::growth::growth;
use crate::insight::word_diff;
use crate::model::{CopyRow, ItemRow, ItemSightingRow, RevisionRow, Time};
use crate::web::access::visitor::Visitor;
use crate::web::layout::{Page, moment};
use crate::web::page_request::{PageRequest, link};
use crate::web::problem::Problem;
use crate::web::site::Site;

/// Maximum number of sightings, earlier words and near-copies shown.
const MAX_LISTED: u32 = 100;
const EARLIER: u32 = 20;
const COPIES: u32 = 50;
/// The same, if all near-copies are asked for.
const ALL_COPIES: u32 = 1_000;

/// The parameters of the page: the item, which items of its story are listed, and which near-copies.
pub(in crate::web) const PARAMETERS: &[&str] = &["key", "story", "topic", "source", "author", "copies", "within"];

/// The address of all near-copies of an item; of a topic if one is named.
pub(in crate::web::pages) fn all_copies(key: &str, topic: Option<&str>) -> String {
    let within = topic.map(|topic| ("within", topic));
    link("/item", [("key", key), ("copies", "all")].into_iter().chain(within)) + "#copies"
}

pub(in crate::web) async fn show(site: Arc<Site>, request: PageRequest) -> Result<Page, Problem> {
    let store = &site.store;
    let Some(key) = request.get("key") else {
        let hint = "Add `?key=` and the key of an item, or choose an item on /items.";
        return Err(Problem::bad_request("This address names no item", hint));
    };
    let rows = seen_by(&request.visitor, store.item_by_key(key).await?);
    let rows = Rankings::rate_all(store, rows).await?;
    let Some(item) = rows.first() else {
        let hint = "It may have been forgotten. Items are found on the pages of their topics.";
        return Err(Problem { hint: hint.to_owned(), ..Problem::not_found("There is no such item") });
    };
    let only = request.visitor.visible_topics();
    let seen = store.item_sightings(key, only.as_deref(), MAX_LISTED).await?;
    let earlier = store.item_revisions(key, only.as_deref(), EARLIER).await?;
    let whole = request.word("copies", |word| (word == "all").then_some(()))?.is_some();
    let within = request.get("within").filter(|topic| request.visitor.sees(topic)).map(|topic| vec![topic.to_owned()]);
    let of_topics = within.as_deref().or(only.as_deref());
    let (many, copies) = store.copies_of(key, of_topics, if whole { ALL_COPIES } else { COPIES }).await?;
    // A story leads through the items of all topics.
    let story = if request.visitor.sees_all() { compare::story(store, key).await? } else { None };
    let story_items = StoryItems::of(&request)?;
    // The whole title is shown: it is nowhere else on the page.
    let title = item.title.as_deref().map(|title| format::line(title, 500)).filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| item_view::summary_line(None, item.text.as_deref(), 80));
    let pages: BTreeSet<String> = store.topic_ids().await?.into_iter().collect();
    let main = html! {
        h1 dir="auto" { (title) }
        div data-item {
            (item_view::metadata(item, "UTC"))
            (stars_and_notes::of_item(item, site.may_annotate(&request.visitor), &item_view::item_page(&item.key), 0))
            @if let Some(text) = &item.text { div.words { @for part in text.lines().map(|part| format::line(part, 20_000)).filter(|part| !part.is_empty()) { p dir="auto" { (part) } } } }
            (facts(item))
        }
        @if let Some(story) = &story { (story::section(story, &story_items)) }
        (topics(&rows, (site.may_act(&request.visitor), !seen.is_empty()), &pages))
        (sightings(&seen, &rows, &pages))
        (edits(item, &earlier))
        (near(item, many, &copies, request.get("within").filter(|_| within.is_some())))
    };
    Ok(Page { title, place: "", live: false, origin: site.origin().await?, main })
}

/// The rows that the visitor sees, one for each topic of an item. For visitors who do not see all topics, without
/// what an item has from others.
pub(in crate::web) fn seen_by(visitor: &Visitor, rows: Vec<ItemRow>) -> Vec<ItemRow> {
    rows.into_iter().filter_map(|row| seen(visitor, row)).collect()
}

/// The same for one row.
pub(in crate::web) fn seen(visitor: &Visitor, row: ItemRow) -> Option<ItemRow> {
    match visitor.sees_all() {
        true => Some(row),
        false => visitor.sees(&row.topic).then(|| row.without_shared_fields()),
    }
}

fn facts(item: &ItemRow) -> Markup {
    html! { dl.facts {
        dt { (item.kind) } dd { @match &item.url { Some(address) => (item_view::external_link(address, &format::line(address, 160))), None => "no address" } }
        dt { "Author" } dd { @match item_view::writer(item) { Some(writer) => { (writer) @if item.author.is_some() && let Some(name) = &item.author_name { ", " bdi { (format::line(name, 80)) } } }, None => "unknown" } }
        dt { "Published" } dd { (item_view::when(item.published_at, "UTC")) }
        dt { "Language" } dd { (item.lang.as_deref().map_or_else(|| "unknown".to_owned(), |lang| format::line(lang, 20))) }
        dt { "Tone" } dd { (item_view::tone(&item.tone)) @if let Some(scorer) = &item.tone.scorer { " by " code { (format::line(scorer, 40)) } } }
        dt { "Reactions" } dd { (item_view::reactions(&item.engagement)) }
        dt { "Key" } dd { code { (format::line(&item.key, 300)) } }
    } }
}

fn topics(rows: &[ItemRow], (acts, has_sightings): (bool, bool), pages: &BTreeSet<String>) -> Markup {
    let has_marks = acts || rows.iter().any(|row| row.mark.is_some() || row.relevance.is_some());
    html! { section aria-labelledby="topics" {
        h2 #topics { "Topics that found it" }
        div.wide { table.cards {
            caption.quiet { "Topics that found the item" }
            thead { tr { th scope="col" { "Topic" } th scope="col" { "First seen" } th scope="col" { "Last seen" } th.n scope="col" { "In runs" } @if has_marks { th scope="col" { "Mark" } } } }
            tbody { @for row in rows { tr {
                th scope="row" { (item_view::topic_link(&row.topic, pages)) }
                td data-label="First seen" { (moment(row.first_seen, "UTC")) }
                td data-label="Last seen" { (moment(row.last_seen, "UTC")) }
                td.n data-label="In runs" { @if has_sightings { a href="#sightings" { (number(row.times_seen.unsigned_abs())) } } @else { (number(row.times_seen.unsigned_abs())) } }
                @if has_marks { td data-label="Mark" { (marks::of_item(row, acts, &item_view::item_page(&row.key), false)) } }
            } } }
        } }
    } }
}

/// Whether more runs showed an item than its sightings show: the others were pruned.
fn are_some_gone(seen: &[ItemSightingRow], rows: &[ItemRow]) -> bool {
    let runs = seen.iter().map(|sighting| sighting.run.as_str()).collect::<BTreeSet<_>>().len();
    let shown = rows.iter().fold(0_i64, |sum, row| sum.saturating_add(row.times_seen));
    seen.len() < MAX_LISTED as usize && i64::try_from(runs).is_ok_and(|runs| runs < shown)
}

fn sightings(seen: &[ItemSightingRow], rows: &[ItemRow], pages: &BTreeSet<String>) -> Markup {
    let points: Vec<(Time, i64)> =
        seen.iter().rev().filter(|s| s.engagement.is_known()).map(|s| (s.at, s.engagement.sum())).collect();
    html! { section aria-labelledby="sightings" {
        h2 #sightings { "Sightings" }
        @if points.len() > 1 { figure { (growth(&points, "reactions")) figcaption { "Likes, reposts, replies and quotes together, over time." } } }
        div.wide role="region" tabindex="0" aria-label="Table of sightings" { table.cards {
            caption {
                @if seen.is_empty() { "Its sightings are no longer kept." }
                @else if are_some_gone(seen, rows) { (count_noun(seen.len() as u64, "sighting")) "; the others are no longer kept." }
                @else if seen.len() == 1 { "One sighting." }
                @else { "The latest " (count_noun(seen.len() as u64, "sighting")) @if seen.len() == MAX_LISTED as usize { " that are kept; there may be more" } "." }
            }
            thead { tr { th scope="col" { "When" } th scope="col" { "Topic" } th scope="col" { "Source" } th.n scope="col" { "Rank" } th scope="col" { "Reactions" } } }
            tbody { @for row in seen { tr {
                td data-label="When" { a href=(link("/runs", [("run", row.run.as_str())])) { (moment(row.at, "UTC")) } }
                td data-label="Topic" { (item_view::topic_link(&row.topic, pages)) }
                td data-label="Source" { (row.source) }
                td.n data-label="Rank" { (number(row.rank.unsigned_abs())) }
                td data-label="Reactions" { (item_view::reactions(&row.engagement)) }
            } } }
        } }
    } }
}

/// Each edit as the words it removed and the words it added, latest first.
fn edits(item: &ItemRow, earlier: &[RevisionRow]) -> Markup {
    let text = |title: &Option<String>, text: &Option<String>| {
        [title, text].into_iter().flatten().cloned().collect::<Vec<_>>().join(" – ")
    };
    let mut after = text(&item.title, &item.text);
    let mut changes = Vec::new();
    for row in earlier {
        let before = text(&row.title, &row.text);
        changes.push((row.until, word_diff(&before, &after)));
        after = before;
    }
    html! { @if !changes.is_empty() { section aria-labelledby="edits" {
        h2 #edits { "Edits" }
        ol.found { @for (at, pieces) in &changes { li {
            p.meta { "Change seen " (moment(*at, "UTC")) }
            p { (item_view::difference(pieces)) }
        } } }
    } } }
}

/// The near-copies: all that the visitor sees, or those within a topic.
fn near(item: &ItemRow, many: i64, copies: &[CopyRow], within: Option<&str>) -> Markup {
    let beyond = i64::try_from(copies.len()).is_ok_and(|listed| listed < many);
    html! { @if many > 0 { section aria-labelledby="copies" {
        h2 #copies { "Near-copies" }
        p.meta { (count_noun(many.unsigned_abs(), "other item")) @if let Some(topic) = within { " of " (format::line(topic, 64)) } @if many == 1 { " says" } @else { " say" } " nearly the same" @if beyond { "; the first of them" } "." }
        ul { @for copy in copies { li {
            a dir="auto" href=(item_view::item_page(&copy.key)) { (item_view::summary_line(copy.title.as_deref(), copy.text.as_deref(), 160)) } " "
            span.meta { (item_view::by(copy.author.as_deref())) @if let Some(at) = copy.published_at { ", " (moment(at, "UTC")) } }
        } } }
        @if beyond && copies.len() == COPIES as usize { p { a href=(all_copies(&item.key, within)) { @if many > i64::from(ALL_COPIES) { "The first " (number(u64::from(ALL_COPIES))) } @else { "All " (number(many.unsigned_abs())) } } } }
    } } }
}
