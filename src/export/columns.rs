//! The columns of each export, in order. They are a contract with whoever loads the files: from now on only added to,
//! at the end, where `origin` says of every row whether it is invented. docs/exports.md tells what each means, and a test holds the two together.

use super::csv::Cell;
use crate::model::{Engagement, Time};
use crate::store::{AnswerRow, ItemRow, RunRow, SightingRow};

/// Columns of `items`: one row per topic and item.
pub const ITEMS: &[&str] = &[
    "topic",
    "key",
    "kind",
    "url",
    "author",
    "author_name",
    "title",
    "text",
    "lang",
    "published_at",
    "first_seen",
    "first_run",
    "last_seen",
    "last_run",
    "times_seen",
    "is_repost",
    "is_quote",
    "conversation_id",
    "likes",
    "reposts",
    "replies",
    "quotes",
    "bookmarks",
    "views",
    "revisions",
    "cluster",
    "tone",
    "score",
    "scorer",
    "origin",
];

/// Columns of `sightings`: one row per run, item and source.
pub const SIGHTINGS: &[&str] = &[
    "run",
    "topic",
    "seen_at",
    "source",
    "rank",
    "key",
    "kind",
    "fit",
    "new",
    "published_at",
    "url",
    "author",
    "title",
    "text",
    "likes",
    "reposts",
    "replies",
    "quotes",
    "bookmarks",
    "views",
    "origin",
];

/// Columns of `answers`: one row per run that was answered.
pub const ANSWERS: &[&str] = &["run", "topic", "asked_at", "model", "partial", "text", "cited", "origin"];

/// Columns of `runs`: one row per finished run.
pub const RUNS: &[&str] = &[
    "run",
    "topic",
    "trigger",
    "state",
    "reason",
    "slot",
    "started_at",
    "finished_at",
    "attempt",
    "found",
    "new",
    "duplicate",
    "outside",
    "undated",
    "unreadable",
    "cost_usd",
    "error_class",
    "error_text",
    "origin",
];

/// Numbers and times of a row as text, so that cells can borrow them.
#[derive(Default)]
pub(super) struct Scratch(Vec<String>);

impl Scratch {
    fn number(&mut self, value: Option<i64>) {
        self.0.push(value.map_or_else(String::new, |v| v.to_string()));
    }

    fn time(&mut self, value: Option<Time>) {
        self.0.push(value.map_or_else(String::new, Time::iso_millis));
    }

    fn engagement(&mut self, value: Engagement) {
        for count in [value.likes, value.reposts, value.replies, value.quotes, value.bookmarks, value.views] {
            self.number(count);
        }
    }
}

fn text(value: Option<&String>) -> Cell<'_> {
    value.map_or(Cell::Empty, |v| Cell::Text(v))
}

fn flag(value: Option<bool>) -> Cell<'static> {
    match value {
        Some(true) => Cell::Plain("true"),
        Some(false) => Cell::Plain("false"),
        None => Cell::Empty,
    }
}

/// Cells that follow the conversation in a row of items.
const ENGAGEMENT_AND_REVISIONS: usize = 7;

/// Cells of an item.
pub(super) fn item<'a>(row: &'a ItemRow, scratch: &'a mut Scratch) -> Vec<Cell<'a>> {
    scratch.0.clear();
    scratch.time(row.published_at);
    scratch.time(Some(row.first_seen));
    scratch.time(Some(row.last_seen));
    scratch.number(Some(row.times_seen));
    scratch.engagement(row.engagement);
    scratch.number(Some(row.revisions));
    scratch.0.push(row.tone.score.map_or_else(String::new, |score| format!("{:.3}", score as f64 / 1_000.0)));
    let mut plain = scratch.0.iter().map(|s| Cell::Plain(s));
    let mut next = || plain.next().unwrap_or(Cell::Empty);
    let (published, first, last, times) = (next(), next(), next(), next());
    let mut cells = vec![
        Cell::Text(&row.topic),
        Cell::Text(&row.key),
        Cell::Plain(row.kind.as_str()),
        text(row.url.as_ref()),
        text(row.author.as_ref()),
        text(row.author_name.as_ref()),
        text(row.title.as_ref()),
        text(row.text.as_ref()),
        text(row.lang.as_ref()),
        published,
        first,
        Cell::Text(&row.first_run),
        last,
        Cell::Text(&row.last_run),
        times,
        flag(row.is_repost),
        flag(row.is_quote),
        row.conversation_id.as_ref().map_or(Cell::Empty, |id| Cell::Id(id)),
    ];
    cells.extend(plain.by_ref().take(ENGAGEMENT_AND_REVISIONS));
    cells.extend([
        text(row.cluster.as_ref()),
        row.tone.tone.map_or(Cell::Empty, |tone| Cell::Plain(tone.as_str())),
        plain.next().filter(|_| row.tone.score.is_some()).unwrap_or(Cell::Empty),
        text(row.tone.scorer.as_ref()),
    ]);
    cells
}

/// Cells of a sighting.
pub(super) fn sighting<'a>(row: &'a SightingRow, scratch: &'a mut Scratch) -> Vec<Cell<'a>> {
    scratch.0.clear();
    scratch.time(Some(row.seen_at));
    scratch.number(Some(row.rank));
    scratch.time(row.published_at);
    scratch.engagement(row.engagement);
    let mut plain = scratch.0.iter().map(|s| Cell::Plain(s));
    let mut next = || plain.next().unwrap_or(Cell::Empty);
    let (seen, rank, published) = (next(), next(), next());
    let mut cells = vec![
        Cell::Text(&row.run),
        Cell::Text(&row.topic),
        seen,
        Cell::Plain(row.source.as_str()),
        rank,
        Cell::Text(&row.key),
        Cell::Plain(row.kind.as_str()),
        Cell::Plain(row.fit.as_str()),
        flag(Some(row.new)),
        published,
        text(row.url.as_ref()),
        text(row.author.as_ref()),
        text(row.title.as_ref()),
        text(row.text.as_ref()),
    ];
    cells.extend(plain);
    cells
}

/// Cells of an answer.
pub(super) fn answer<'a>(row: &'a AnswerRow, scratch: &'a mut Scratch) -> Vec<Cell<'a>> {
    scratch.0.clear();
    scratch.time(Some(row.asked_at));
    scratch.0.push(row.cited.join(" "));
    let [asked, cited] = scratch.0.as_slice() else { return Vec::new() };
    vec![
        Cell::Text(&row.run),
        Cell::Text(&row.topic),
        Cell::Plain(asked),
        text(row.model.as_ref()),
        flag(Some(row.partial)),
        Cell::Text(&row.text),
        Cell::Text(cited),
    ]
}

/// Cells of a run.
pub(super) fn run<'a>(row: &'a RunRow, scratch: &'a mut Scratch) -> Vec<Cell<'a>> {
    scratch.0.clear();
    scratch.time(row.slot);
    scratch.time(row.started_at);
    scratch.time(row.finished_at);
    let counts = row.counts;
    for number in
        [row.attempt, counts.found, counts.new, counts.duplicate, counts.outside, counts.undated, row.unreadable]
    {
        scratch.number(Some(number));
    }
    scratch.0.push(format!("{}.{:06}", row.cost.0 / 1_000_000, row.cost.0 % 1_000_000));
    let mut cells = vec![
        Cell::Text(&row.run),
        row.topic.as_ref().map_or(Cell::Empty, |t| Cell::Text(t)),
        Cell::Plain(row.trigger.as_str()),
        Cell::Plain(row.state.as_str()),
        text(row.reason.as_ref()),
    ];
    cells.extend(scratch.0.iter().map(|s| Cell::Plain(s)));
    cells.push(text(row.error_class.as_ref()));
    cells.push(text(row.error_text.as_ref()));
    cells
}
