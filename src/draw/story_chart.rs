//! Presents a story: a chart of its items over time, and sentences about what was found, how fast it spread, and why
//! its first item may not be the real first. Shared by pages and the terminal; each formats times its own way.

use std::time::Duration;

use maud::{Markup, html};

use super::chart::{HEIGHT, LEFT, RIGHT, WIDTH, ceiling, coordinate, scale, y};
use super::format::{self, count_noun, number};
use crate::insight::story::{Bar, MissedSpan, Story, TimeBasis, TimelineEntry};
use crate::model::{Time, format_duration};

/// Formats an instant.
pub type FormatTime<'w> = &'w dyn Fn(Time) -> String;

/// Returns sentences on the number of items, texts and authors, where they were, and over how long.
#[must_use]
pub fn summary(story: &Story, when: FormatTime<'_>) -> Vec<String> {
    let first = &story.first_seen;
    if story.seen_once {
        let source = first.source.map_or_else(String::new, |source| format!(" ({source})"));
        return vec![
            format!("It was seen once: by {}{source}, {}.", first.topic, when(first.first_seen)),
            single_item_sentence(story).to_owned(),
        ];
    }
    let many = |n: usize, one: &str| count_noun(n as u64, one);
    let by = story.authors.map_or_else(|| "authors unknown".to_owned(), |authors| many(authors, "author"));
    let places = format!("{} and {}", many(story.topics.len(), "topic"), many(story.sources.len(), "source"));
    let mut sentences = Vec::new();
    if story.items == 1 {
        sentences.push(format!("One item, seen several times, in {places}."));
        sentences.push(single_item_sentence(story).to_owned());
    } else {
        let items = many(story.items, "item");
        sentences.push(format!("{items}, {}, {by}, in {places}.", many(story.unique, "text")));
        let copies = match story.copies {
            1 => "1 is a near-copy".to_owned(),
            n => format!("{} are near-copies", number(n as u64)),
        };
        sentences.push(format!("Of these, {copies} of it and {} a link with it.", share(story.linked)));
        let length = format_duration(story.until.since(story.from));
        sentences.push(format!("From {} to {}: {length}.", when(story.from), when(story.until)));
    }
    sentences.extend(story.half_ms.map(|half| {
        format!(
            "Half of them appeared within {} of the earliest.",
            format_duration(Duration::from_millis(half.unsigned_abs()))
        )
    }));
    sentences.extend(
        story
            .peak
            .map(|peak| format!("The peak hour started at {}: {} items.", when(peak.hour), number(peak.items as u64))),
    );
    sentences
}

/// Returns a sentence about a story of one item. While items wait to be compared or indexed, it does not claim that
/// there are no others.
fn single_item_sentence(story: &Story) -> &'static str {
    if story.uncompared || story.unindexed > 0 || story.links_beyond > 0 {
        "Whether other items repeat its words or share a link with it is not fully known."
    } else {
        "No other item repeats its words or shares a link with it."
    }
}

fn share(many: usize) -> String {
    if many == 1 { "1 shares".to_owned() } else { format!("{} share", number(many as u64)) }
}

/// Returns the first items, each with a label.
#[must_use]
pub fn first_entries(story: &Story) -> Vec<(&'static str, &TimelineEntry)> {
    let published = story.first_published.as_ref();
    let sure = published.filter(|_| story.first_is_sure).map(|entry| ("First", entry));
    let earliest = published.filter(|_| !story.first_is_sure).map(|entry| ("Earliest published", entry));
    sure.into_iter().chain([("First seen", &story.first_seen)]).chain(earliest).collect()
}

/// Returns when an item was published and seen.
#[must_use]
pub fn times(entry: &TimelineEntry, when: FormatTime<'_>) -> String {
    match entry.at_is {
        TimeBasis::Published => format!("published {}, seen {}", when(entry.at), when(entry.first_seen)),
        TimeBasis::Seen => format!("seen {}; publication time unknown", when(entry.first_seen)),
    }
}

/// Returns at most two headings with reasons why items may be missing, or a statement that everything was covered.
#[must_use]
pub fn caveats(story: &Story, when: FormatTime<'_>) -> Vec<(String, Vec<String>)> {
    let (before, later): (Vec<&MissedSpan>, Vec<&MissedSpan>) =
        story.caveats.holes.iter().partition(|hole| hole.span.from < story.from);
    let hole = |hole: &&MissedSpan| {
        let (topic, source) = (&hole.topic, hole.source);
        let (from, until) = (when(hole.span.from), when(hole.span.until));
        if hole.late_indexing {
            format!(
                "{topic} {source} searched {from} to {until} too soon afterwards: posts may have been indexed later."
            )
        } else {
            format!("{topic} {source} did not cover {from} to {until}.")
        }
    };
    let mut sections = Vec::new();
    if !story.first_is_sure {
        let mut reasons: Vec<String> = before.iter().map(hole).collect();
        // The listed holes are the earliest: those left out come last.
        if later.is_empty() {
            reasons.extend(gaps_beyond(story));
        }
        reasons.extend(earlier(story, when));
        sections.push(("Earlier ones may be missing:".to_owned(), reasons));
    } else if later.is_empty() {
        let checked = story.caveats.checked;
        let all = format!(
            "The searches of its topics that look back over time covered all of {} to {}.",
            when(checked.from),
            when(checked.until)
        );
        sections.push((all, Vec::new()));
    }
    if !later.is_empty() {
        let mut reasons: Vec<String> = later.iter().map(hole).collect();
        reasons.extend(gaps_beyond(story));
        sections.push(("Later ones may be missing:".to_owned(), reasons));
    }
    sections
}

fn gaps_beyond(story: &Story) -> Option<String> {
    let beyond = story.caveats.holes_beyond;
    (beyond > 0).then(|| format!("{} more such gaps.", number(beyond as u64)))
}

/// Returns further reasons why earlier items may be missing, other than holes.
fn earlier(story: &Story, when: FormatTime<'_>) -> Vec<String> {
    let caveats = &story.caveats;
    let mut reasons = Vec::new();
    if !story.complete {
        reasons.push(format!("Only the {} items seen first are included.", number(story.items as u64)));
    }
    reasons.extend(
        caveats
            .watched_later
            .iter()
            .map(|one| format!("{} has only been watched since {}.", one.topic, when(one.since))),
    );
    reasons.extend(
        caveats.moments_only.iter().map(|topic| {
            format!("Searches of {topic} are snapshots: items that came and went between them are unknown.")
        }),
    );
    // For a topic without other sources, the text above says this.
    if story.first_by_snapshot && caveats.moments_only.is_empty() {
        reasons.push("No search that looks back over time is known to have found the earliest item.".to_owned());
    }
    reasons.extend(caveats.pruned_until.map(|at| format!("Searches before {} were pruned.", when(at))));
    if caveats.topics_beyond > 0 {
        reasons.push(format!("{} not checked.", count_noun(caveats.topics_beyond as u64, "further topic")));
    }
    if story.undated > 0 {
        let have = if story.undated == 1 { "has" } else { "have" };
        reasons.push(format!("{} {have} no publication time.", count_noun(story.undated as u64, "item")));
    }
    if story.uncompared {
        reasons.push("New items have not been compared with others yet.".to_owned());
    }
    if story.unindexed > 0 {
        reasons.push(format!("Links of {} are not indexed yet.", count_noun(story.unindexed.unsigned_abs(), "item")));
    }
    if story.links_beyond > 0 {
        reasons.push(format!("{} of the item not searched.", count_noun(story.links_beyond, "further link")));
    }
    reasons
}

/// Returns sentences about the items that are still shown, and about pruned ones.
#[must_use]
pub fn remaining_items(story: &Story, when: FormatTime<'_>) -> Vec<String> {
    let shown = match (story.items, story.still_shown) {
        (1, 0) => "did not show it".to_owned(),
        (1, _) => "showed it".to_owned(),
        (_, 0) => "showed none of them".to_owned(),
        (_, many) => format!("showed {} of them", number(many as u64)),
    };
    let runs = if story.topics.len() > 1 { "runs of these topics" } else { "run" };
    let mut sentences =
        vec![format!("The last answered {runs} {shown}; the latest sighting was {}.", when(story.last_seen))];
    if story.pruned > 0 {
        sentences
            .push(format!("The text of {} was deleted because of its age.", count_noun(story.pruned as u64, "item")));
    }
    if story.sightings_pruned {
        sentences.push("Old sightings were deleted: a source may have shown an item earlier.".to_owned());
    }
    sentences.push("Forgotten items are not counted.".to_owned());
    sentences
}

/// Draws items over time.
#[must_use]
pub fn chart(story: &Story) -> Markup {
    let bars = &story.chart;
    let (Some(first), Some(last)) = (bars.first(), bars.last()) else { return html! {} };
    #[expect(clippy::cast_precision_loss, reason = "a few bars, counts of items")]
    let real = |n: usize| n as f64;
    let top = ceiling(bars.iter().map(|bar| real(bar.items)).fold(0.0, f64::max));
    let step = (WIDTH - LEFT - RIGHT) / real(bars.len());
    let describe = |bar: &&Bar| format!("from {}: {}", format::date_time(bar.from, "UTC"), number(bar.items as u64));
    let words: Vec<String> = bars.iter().filter(|bar| bar.items > 0).map(|bar| describe(&bar)).collect();
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(format!("Items over time, UTC; {}", words.join(", "))) {
            (scale(1.0, &format::round(top)))
            (scale(0.5, &format::round(top / 2.0)))
            line class="axis" x1=(coordinate(LEFT)) y1=(coordinate(y(0.0))) x2=(coordinate(WIDTH - RIGHT)) y2=(coordinate(y(0.0))) {}
            @for (place, bar) in bars.iter().enumerate() {
                @let x = LEFT + real(place) * step;
                @let (all, new) = (y(real(bar.items) / top), y(real(bar.new_texts) / top));
                @if bar.items > 0 { rect class="bar copies" x=(coordinate(x + 1.0)) y=(coordinate(all)) width=(coordinate(step.min(60.0) - 2.0)) height=(coordinate(y(0.0) - all)) {} }
                @if bar.new_texts > 0 { rect class="bar" x=(coordinate(x + 1.0)) y=(coordinate(new)) width=(coordinate(step.min(60.0) - 2.0)) height=(coordinate(y(0.0) - new)) {} }
            }
            text class="label" x=(coordinate(LEFT)) y=(coordinate(HEIGHT - 8.0)) { (format::date_time(first.from, "UTC")) }
            @if bars.len() > 1 { text class="label" x=(coordinate(WIDTH - RIGHT)) y=(coordinate(HEIGHT - 8.0)) text-anchor="end" { (format::date_time(last.until, "UTC")) } }
        }
    }
}

/// Explains the chart: the length of a bar and the colours.
#[must_use]
pub fn legend(story: &Story) -> Markup {
    let length = story.chart.first().map_or(0, |bar| bar.until.0.saturating_sub(bar.from.0));
    html! {
        "Items in each " (format_duration(Duration::from_millis(length.unsigned_abs()))) ", UTC: "
        span.unique { "■" } " new texts, " span.copied { "■" } " near-copies of these."
    }
}
