//! The lists of items on the page: standouts, copied texts, hosts and authors, and the rows behind the numbers.

use maud::{Markup, html};

use super::super::document::Report;
use super::super::facts::{ItemExcerpt, RowFacts, TopicFacts};
use super::super::format::{self, count_noun, number};
use super::super::items::host;
use super::links;
use super::print::{ITEMS, ROWS, long, more, off_paper_class};
use crate::insight::daily::Tally;
use crate::model::Kind;

/// The titles of empty lists, and why they are empty.
#[derive(Default)]
pub(super) struct Empty<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Empty<'a> {
    pub(super) fn note(&mut self, title: &'a str, why: &'a str) {
        self.0.push((title, why));
    }

    /// Returns all of them in one line that unfolds.
    pub(super) fn folded(&self) -> Markup {
        let titles: Vec<&str> = self.0.iter().map(|(title, _)| *title).collect();
        html! {
            @if !titles.is_empty() {
                details.empty.brief {
                    summary { "Nothing to list: " (titles.join(", ")) }
                    ul { @for (title, why) in &self.0 { li { (title) ": " (why) } } }
                }
            }
        }
    }
}

/// Returns the item's text, as a link if its address may be one.
pub(super) fn item_link(item: &ItemExcerpt) -> Markup {
    let words = if item.words.is_empty() { "(no text)" } else { &item.words };
    html! {
        @match &item.link {
            Some(link) => a dir="auto" href=(link) rel="noopener noreferrer nofollow" class=[long(words.chars().count())] { (words) },
            None => span dir="auto" class=[long(words.chars().count())] { (words) },
        }
    }
}

pub(super) fn by(item: &ItemExcerpt) -> Markup {
    html! { @match &item.author { Some(author) => bdi { "@" (author) }, None => "author unknown" } }
}

/// Returns what searches cost. The assumed part has a line of its own, because the columns are narrow.
pub(super) fn cost(total: &str, assumed: Option<String>) -> Markup {
    html! { (total) @if let Some(words) = assumed { br; "(" (words) ")" } }
}

/// Returns the author of a post or the host of a page.
fn source(row: &RowFacts) -> Markup {
    let host = row.item.link.as_deref().filter(|_| row.kind == Kind::Page && row.item.author.is_none()).and_then(host);
    html! { @match host { Some(host) => bdi { (format::line(&host, 60)) }, None => (by(&row.item)) } }
}

fn row_id(topic: &TopicFacts, place: usize) -> String {
    format::id(&topic.id, &format!("row-{}", place + 1))
}

fn to_row(topic: &TopicFacts, place: usize) -> Markup {
    html! { a.row href=(format!("#{}", row_id(topic, place))) { "row " (place + 1) } }
}

fn engagement(row: &RowFacts) -> String {
    row.engagement.map_or("engagement unknown".to_owned(), |sum| format!("engagement {}", format::signed(sum)))
}

/// A list: its title, its items, whether it shows scores, and how many items there are if it does not show all.
struct List<'a> {
    title: &'static str,
    places: &'a [usize],
    scores: bool,
    count: Option<(String, Option<String>)>,
}

fn list(report: &Report, topic: &TopicFacts, List { title, places, scores, count }: &List<'_>) -> Markup {
    html! {
        section {
            h3 { (title) @if let Some((all, _)) = count { ": " (all) } (more(places.len(), ITEMS)) }
            ol.items { @for (at, (place, row)) in places.iter().filter_map(|place| Some((*place, topic.rows.get(*place)?))).enumerate() { li class=[off_paper_class(at, ITEMS)] {
                (item_link(&row.item))
                p.meta {
                    (source(row)) " · " (report.format_date(row.at)) @if row.undated { " (undated)" }
                    @if *scores { " · " (format::tone(row.sound)) " " (row.score.map_or(String::new(), format::score)) } @else { " · " (engagement(row)) }
                    span.page-only { " · " (to_row(topic, place)) }
                }
            } } }
            @if let Some((_, Some(more))) = count { p.meta.off-paper { (more) } }
        }
    }
}

pub(super) fn standouts<'a>(report: &Report, topic: &'a TopicFacts, empty: &mut Empty<'a>) -> Markup {
    let quiet = if topic.period.raw > 0 && topic.period.no_engagement == topic.period.raw {
        "Engagement is unknown for every item."
    } else if topic.period.no_engagement > 0 {
        "No post in the period is known to have any engagement."
    } else {
        "No post in the period has any engagement."
    };
    let unscored = if topic.tone.scorer.is_none() { "Nothing is scored." } else { "None." };
    let list_of = |title, places, scores| List { title, places, scores, count: None };
    let mut sections: Vec<Markup> = Vec::new();
    let mut add = |of: List<'a>, why: &'a str| match of.places {
        [] => empty.note(of.title, why),
        _ => sections.push(list(report, topic, &of)),
    };
    add(list_of("Top posts by engagement", &topic.top_posts, false), quiet);
    add(list_of("Most negative", &topic.negative, true), unscored);
    add(list_of("Most positive", &topic.positive, true), unscored);
    let pages = List { count: Some(topic.new_pages_words()), ..list_of("New pages", &topic.top_pages, false) };
    add(pages, "No new pages were found.");
    match topic.rising.is_empty() {
        true => empty.note("Rising fastest", nothing_rose(topic)),
        false => sections.insert(sections.len().min(1), rising(report, topic)),
    }
    match topic.campaigns.is_empty() {
        true if topic.uncompared => empty.note("One text, many times", UNCOMPARED),
        true => empty.note("One text, many times", "No text was found three times in the period."),
        false => sections.push(campaigns(report, topic)),
    }
    html! {
        @if !sections.is_empty() { div.pair { @for one in &sections { (one) } } }
        @if topic.risers_cut { p.note { (format::RISERS_CUT) } }
        @if topic.risers_pruned && !topic.rising.is_empty() { p.note { (format::RISERS_PRUNED) } }
    }
}

/// Returns why no rising items are listed.
fn nothing_rose(topic: &TopicFacts) -> &'static str {
    match topic.risers_compared {
        _ if topic.risers_pruned => RISES_PRUNED,
        true => RISES,
        false => NOT_COMPARED,
    }
}

/// Shown when no text is known to repeat, but some items may turn out to be copies.
const UNCOMPARED: &str = "Not known yet: not every item has been compared with the others.";

/// Shown when nothing rose enough.
const RISES: &str = "No item gained at least 10 reactions and 20 %, of those seen twice with their reactions since the run before the period.";

/// The same when some sightings were not compared, since runs between them were pruned.
const RISES_PRUNED: &str = "Runs were pruned. Of the sightings that could still be compared, none show a gain of at least 10 reactions and 20 %.";

/// Shown when no reactions are known twice.
const NOT_COMPARED: &str = "Not known: no item was seen twice with its reactions since the run before the period.";

fn rising(report: &Report, topic: &TopicFacts) -> Markup {
    html! {
        section {
            h3 { "Rising fastest" (more(topic.rising.len(), ITEMS)) }
            ol.items { @for (at, riser) in topic.rising.iter().enumerate() { li class=[off_paper_class(at, ITEMS)] {
                (item_link(&riser.item))
                p.meta {
                    (by(&riser.item)) " · " (format::rise(&riser.rise)) ": "
                    (report.format_date(riser.rise.from_at)) " – " (report.format_date(riser.rise.to_at))
                }
            } } }
        }
    }
}

fn campaigns(report: &Report, topic: &TopicFacts) -> Markup {
    html! {
        section aria-labelledby=(links::part_label(&topic.id, "copies")) {
            h3 id=(format::id(&topic.id, "copies")) { "One text, many times" (more(topic.campaigns.len(), ITEMS)) }
            ol.items { @for (at, copies) in topic.campaigns.iter().enumerate() { li class=[off_paper_class(at, ITEMS)] {
                (item_link(&copies.item))
                p.meta {
                    strong { (format::items(copies.campaign.copies, copies.campaign.posts)) } ", "
                    @if copies.campaign.authors == 0 { (copies.authors_words()) } @else { strong { (copies.authors_words()) } }
                    " · " (report.format_date(copies.campaign.from)) " – " (report.format_date(copies.campaign.until))
                    @if let Some(place) = copies.row { span.page-only { " · " (to_row(topic, place)) } }
                }
            } } }
        }
    }
}

/// Returns a table of hosts, or with `reach` of authors with the reactions to their items.
fn tally(topic: &str, title: &str, name: &str, all: &[Tally], reach: bool) -> Markup {
    let of = |one: &Tally| match one.known {
        0 => "unknown".to_owned(),
        known => format!("{} (n {})", format::signed(one.engagement), number(known)),
    };
    html! {
        section {
            h3 id=(format::id(topic, &name.to_lowercase())) { (title) (more(all.len(), ROWS)) }
            div.wide role="region" tabindex="0" aria-labelledby=(links::part_label(topic, &name.to_lowercase())) { table {
                caption.quiet { (title) }
                thead { tr { th scope="col" { (name) } th.n scope="col" { "Items" } th.n scope="col" { "Unique" } @if reach { th.n scope="col" { "Engagement" } } } }
                tbody { @for (at, one) in all.iter().enumerate() { tr class=[off_paper_class(at, ROWS)] { th scope="row" { bdi { (format::line(&one.name, 60)) } } td.n { (number(one.raw)) } td.n { (number(one.unique)) } @if reach { td.n { (of(one)) } } } } }
            } }
        }
    }
}

pub(super) fn tallies<'a>(topic: &'a TopicFacts, empty: &mut Empty<'a>) -> Markup {
    let mut tables: Vec<Markup> = Vec::new();
    let no_domains =
        if topic.period.pages > 0 { "No addresses of its pages are stored." } else { "No pages in the period." };
    for (title, name, none, all, reach) in [
        ("Authors by engagement", "Author", "No authors are known.", &topic.authors, true),
        ("Domains", "Domain", no_domains, &topic.domains, false),
    ] {
        match all.is_empty() {
            true => empty.note(title, none),
            false => tables.push(tally(&topic.id, title, name, all, reach)),
        }
    }
    html! { @if !tables.is_empty() { div.pair { @for one in &tables { (one) } } } }
}

/// Returns the rows behind the numbers.
pub(super) fn rows(report: &Report, topic: &TopicFacts) -> Markup {
    let caption = format::id(&topic.id, "rows-caption");
    html! {
        details.rows.page-only open[false] id=(format::id(&topic.id, "rows")) {
            summary { "The rows: " (count_noun(topic.rows.len() as u64, "item")) @if topic.rows_left_out > 0 { ", " (number(topic.rows_left_out)) " more in the database" } }
            div.wide role="region" tabindex="0" aria-labelledby=(links::part_label(&topic.id, "rows-caption")) { table {
                caption id=(caption) {
                    "Items of the period and items in the lists above, latest first. "
                    @if topic.rows_left_out > 0 { "The SQL below lists all." }
                }
                thead { tr { th.n scope="col" { "Row" } th scope="col" { "When" } th scope="col" { "What" } th scope="col" { "Tone" } th.n scope="col" { "Engagement" } th scope="col" { "Key" } } }
                tbody { @for (place, row) in topic.rows.iter().enumerate() { tr id=(row_id(topic, place)) {
                    th.n scope="row" { (place + 1) }
                    td { (report.format_date(row.at)) @if row.undated { " (first seen; undated)" } }
                    td { (source(row)) ": " (item_link(&row.item)) }
                    td { (format::tone(row.sound)) @if let Some(score) = row.score { " " (format::score(score)) } }
                    td.n { (row.engagement.map_or("unknown".to_owned(), format::signed)) }
                    td { code { (row.item.key) } @if let Some(of) = &row.copy_of { br; "copy of " code { (of) } } }
                } } }
            } }
        }
    }
}

/// Returns which source found what.
pub(super) fn found_by(topic: &TopicFacts) -> Markup {
    let found = &topic.found_by;
    html! {
        @if let Some(sentence) = found.sentence() { section {
            h3 id=(format::id(&topic.id, "found-by")) { "Found by" }
            p { (sentence) }
            div.wide role="region" tabindex="0" aria-labelledby=(links::part_label(&topic.id, "found-by")) { table {
                caption.quiet { "Found by" }
                thead { tr { th scope="col" { "Source" } th.n scope="col" { "Items" } th.n scope="col" { "Unique" } th.n scope="col" { "Only this source" } } }
                tbody { @for one in &found.sources { tr { th scope="row" { (one.source) } @for cell in found.cells(one) { td.n { (cell) } } } } }
            } }
        } }
    }
}
