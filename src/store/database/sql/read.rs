//! Converts columns to model types, and SELECTs shared by several readers.

use sqlx::Row as _;

use super::Row;
use crate::model::{
    Engagement, ItemTone, Kind, Mark, Micros, RunState, SearchState, Source, Time, Tone, Trigger, WindowFit,
};
use crate::store::{AnswerRow, Counts, ItemRow, RunRow, SearchRow, SightingRow, StoreError};

/// Reads a column whose values are one of a fixed list.
pub(in crate::store) fn word<T>(row: &Row, column: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, StoreError> {
    let text: String = row.try_get(column)?;
    parse(&text).ok_or_else(|| StoreError::unreadable(&format!("`{text}` in {column}")))
}

/// Reads an optional time.
pub(in crate::store) fn time(row: &Row, column: &str) -> Result<Option<Time>, StoreError> {
    Ok(row.try_get::<Option<i64>, _>(column)?.map(Time))
}

/// Reads an optional flag.
pub(in crate::store) fn flag(row: &Row, column: &str) -> Result<Option<bool>, StoreError> {
    Ok(row.try_get::<Option<i64>, _>(column)?.map(|v| v != 0))
}

/// Reads the six engagement columns.
pub(in crate::store) fn engagement(row: &Row) -> Result<Engagement, StoreError> {
    Ok(Engagement {
        likes: row.try_get("likes")?,
        reposts: row.try_get("reposts")?,
        replies: row.try_get("replies")?,
        quotes: row.try_get("quotes")?,
        bookmarks: row.try_get("bookmarks")?,
        views: row.try_get("views")?,
    })
}

/// Reads the three columns of a tone.
fn tone(row: &Row) -> Result<ItemTone, StoreError> {
    let tone: Option<String> = row.try_get("tone")?;
    let tone = tone.map(|tone| Tone::parse(&tone).ok_or_else(|| StoreError::unreadable(&format!("`{tone}` in tone"))));
    Ok(ItemTone { tone: tone.transpose()?, score: row.try_get("score")?, scorer: row.try_get("scorer")? })
}

/// Reads the mark that a person gave an item.
fn mark(row: &Row) -> Result<Option<Mark>, StoreError> {
    let mark: Option<String> = row.try_get("mark")?;
    mark.map(|mark| Mark::parse(&mark).ok_or_else(|| StoreError::unreadable(&format!("`{mark}` in mark")))).transpose()
}

/// A run. Readers may see runs that have a `seq`, their place in the reading order.
pub(in crate::store) const RUN: &str = "SELECT r.public_id, r.job, r.topic, r.trigger, r.state, r.reason, r.slot, r.started_at, r.finished_at, r.attempt, r.found, r.new, \
     r.duplicate, r.outside, r.undated, r.unreadable, r.cost, r.error_class, r.error_text, r.seq, r.clears_at, r.thinned FROM run r";

/// When a run happened, or would have. The expression of the index `run_at`, for all queries that list runs by time.
pub(in crate::store) const RUN_AT: &str = "coalesce(r.started_at, r.slot, r.planned_at)";

/// The order of every list of runs, the latest first. Among runs of the same instant, those still running come first,
/// then the last to become readable.
pub(in crate::store) const LATEST_RUN_FIRST: &str =
    "coalesce(r.started_at, r.slot, r.planned_at) DESC, coalesce(r.seq, 9223372036854775807) DESC, r.public_id DESC";

/// [`RUN`] with the columns that [`LATEST_RUN_FIRST`] orders by: merged lists must contain them.
pub(in crate::store) fn ordered_run() -> String {
    let order = format!("SELECT {RUN_AT} AS happened, coalesce(r.seq, 9223372036854775807) AS read_as, ");
    RUN.replacen("SELECT ", &order, 1)
}

/// SQL: whether the reply to search `s` was empty in error, 0 or 1. Such a reply covers nothing of the time asked for.
/// An answer never covers a time, and a search of feeds may cover none if no feed lists anything new: neither is an
/// error.
pub(in crate::store) const EMPTY_IN_ERROR: &str = "CAST(CASE WHEN s.state = 'empty' AND s.asked_from IS NOT NULL AND s.covered_from IS NULL \
     AND s.source <> 'ai' AND s.operation <> 'feeds' THEN 1 ELSE 0 END AS BIGINT)";

/// SQL condition: a topic saw the words that revision `v` of run `r` replaced, and saw the item again afterwards. `by`
/// returns the condition that a column holds one of the topics. Words are valid from the run that brought them to the
/// run that replaced them. A run that brought the words of another source made no revision; it is in `item_past`.
/// `CROSS JOIN` and the index make SQLite begin with the item's rows, whatever its statistics are.
pub(in crate::store) fn words_seen(by: impl Fn(&str) -> String) -> String {
    format!(
        "v.replaced_at <= (SELECT max(k.last_seen) FROM topic_item k WHERE k.item = v.item AND {}) \
         AND EXISTS (SELECT 1 FROM sighting s JOIN run q ON q.id = s.run WHERE s.item = v.item AND {} AND q.seq < r.seq \
           AND q.seq >= coalesce((SELECT max(p.seq) FROM item_revision e CROSS JOIN run p WHERE e.item = v.item AND p.id = e.run AND p.seq < r.seq), 0) \
           AND q.seq >= coalesce((SELECT p.seq FROM item_past h{} CROSS JOIN run p WHERE h.item = v.item AND p.id = h.run AND p.seq < r.seq \
             AND (h.title <> v.title OR h.text <> v.text) ORDER BY h.id DESC LIMIT 1), 0))",
        by("k.topic"),
        by("q.topic"),
        super::PAST_BY_ITEM
    )
}

/// One row per topic and item.
pub(in crate::store) const ITEM: &str = "SELECT t.topic, i.key, i.kind, i.url, i.author, i.author_name, i.title, i.text, i.lang, i.published_at, t.first_seen, \
     f.public_id AS first_run, t.last_seen, l.public_id AS last_run, t.times_seen, i.is_repost, i.is_quote, i.conversation_id, \
     i.likes, i.reposts, i.replies, i.quotes, i.bookmarks, i.views, i.revisions, (SELECT c.key FROM item c WHERE c.id = i.cluster) AS cluster, \
     i.tone, i.score, i.scorer, i.pruned_at, f.seq AS first_seq, \
     (SELECT m.mark FROM item_mark m WHERE m.topic = t.topic AND m.item = t.item) AS mark, \
     (SELECT k.at FROM item_star k WHERE k.item = t.item) AS starred_at, (SELECT n.note FROM item_note n WHERE n.item = t.item) AS note \
     FROM topic_item t JOIN item i ON i.id = t.item JOIN run f ON f.id = t.first_run LEFT JOIN run l ON l.id = t.last_run";

/// One row per run, item and source; use it with [`SIGHTING_ON`]. `CROSS JOIN` makes SQLite read the tables in this
/// order even without statistics: in any other order it would sort the whole table.
pub(in crate::store) const SIGHTING: &str = "SELECT r.public_id AS run, r.topic, r.started_at, s.source, s.rank, i.key, i.kind, s.fit, \
     CAST(CASE WHEN t.first_run = r.id THEN 1 ELSE 0 END AS BIGINT) AS new, i.published_at, i.url, i.author, i.title, i.text, i.lang, \
     s.likes, s.reposts, s.replies, s.quotes, s.bookmarks, s.views, \
     (SELECT c.key FROM item c WHERE c.id = i.cluster) AS cluster, i.tone, i.score, i.scorer, \
     (SELECT m.mark FROM item_mark m WHERE m.topic = t.topic AND m.item = t.item) AS mark \
     FROM run r CROSS JOIN sighting s CROSS JOIN item i CROSS JOIN topic_item t";

/// The join conditions of [`SIGHTING`].
pub(in crate::store) const SIGHTING_ON: &str =
    " AND s.run = r.id AND i.id = s.item AND t.topic = r.topic AND t.item = i.id";

/// One row per run that has an answer.
pub(in crate::store) const ANSWER: &str = "SELECT r.public_id AS run, r.topic, r.started_at, a.model, a.text, a.partial, a.cited FROM run r JOIN answer a ON a.run = r.id";

/// Whether the answer of run `r` is about the time of the run, and not about a past day of a backfill.
pub(in crate::store) const ANSWER_IS_PRESENT: &str = concat!(
    "NOT EXISTS (SELECT 1 FROM search q WHERE q.run = r.id AND q.attempt = r.attempt AND q.source = 'ai' AND ",
    is_backfill!("q", "r"),
    ")"
);

pub(in crate::store) fn run(row: &Row) -> Result<RunRow, StoreError> {
    Ok(RunRow {
        run: row.try_get("public_id")?,
        job: row.try_get("job")?,
        topic: row.try_get("topic")?,
        trigger: word(row, "trigger", Trigger::parse)?,
        state: word(row, "state", RunState::parse)?,
        reason: row.try_get("reason")?,
        slot: time(row, "slot")?,
        started_at: time(row, "started_at")?,
        finished_at: time(row, "finished_at")?,
        attempt: row.try_get("attempt")?,
        counts: counts(row)?,
        unreadable: row.try_get("unreadable")?,
        cost: Micros(row.try_get("cost")?),
        error_class: row.try_get("error_class")?,
        error_text: row.try_get("error_text")?,
        seq: row.try_get("seq")?,
        clears_at: time(row, "clears_at")?,
        thinned: flag(row, "thinned")?.unwrap_or(false),
    })
}

pub(in crate::store) fn counts(row: &Row) -> Result<Counts, StoreError> {
    Ok(Counts {
        found: row.try_get("found")?,
        new: row.try_get("new")?,
        duplicate: row.try_get("duplicate")?,
        outside: row.try_get("outside")?,
        undated: row.try_get("undated")?,
    })
}

pub(in crate::store) fn item(row: &Row) -> Result<ItemRow, StoreError> {
    Ok(ItemRow {
        topic: row.try_get("topic")?,
        key: row.try_get("key")?,
        kind: word(row, "kind", Kind::parse)?,
        url: row.try_get("url")?,
        author: row.try_get("author")?,
        author_name: row.try_get("author_name")?,
        title: row.try_get("title")?,
        text: row.try_get("text")?,
        lang: row.try_get("lang")?,
        published_at: time(row, "published_at")?,
        first_seen: time(row, "first_seen")?.unwrap_or_default(),
        first_run: row.try_get("first_run")?,
        last_seen: time(row, "last_seen")?.unwrap_or_default(),
        last_run: row.try_get("last_run")?,
        times_seen: row.try_get("times_seen")?,
        is_repost: flag(row, "is_repost")?,
        is_quote: flag(row, "is_quote")?,
        conversation_id: row.try_get("conversation_id")?,
        engagement: engagement(row)?,
        revisions: row.try_get("revisions")?,
        cluster: row.try_get("cluster")?,
        tone: tone(row)?,
        pruned_at: time(row, "pruned_at")?,
        mark: mark(row)?,
        relevance: None,
        starred_at: time(row, "starred_at")?,
        note: row.try_get("note")?,
    })
}

pub(in crate::store) fn sighting(row: &Row) -> Result<SightingRow, StoreError> {
    Ok(SightingRow {
        run: row.try_get("run")?,
        topic: row.try_get("topic")?,
        seen_at: time(row, "started_at")?.unwrap_or_default(),
        source: word(row, "source", Source::parse)?,
        rank: row.try_get("rank")?,
        key: row.try_get("key")?,
        kind: word(row, "kind", Kind::parse)?,
        fit: word(row, "fit", WindowFit::parse)?,
        new: flag(row, "new")?.unwrap_or(false),
        published_at: time(row, "published_at")?,
        url: row.try_get("url")?,
        author: row.try_get("author")?,
        title: row.try_get("title")?,
        text: row.try_get("text")?,
        lang: row.try_get("lang")?,
        engagement: engagement(row)?,
        cluster: row.try_get("cluster")?,
        tone: tone(row)?,
        mark: mark(row)?,
        relevance: None,
    })
}

pub(in crate::store) fn answer(row: &Row) -> Result<AnswerRow, StoreError> {
    let cited: String = row.try_get("cited")?;
    Ok(AnswerRow {
        run: row.try_get("run")?,
        topic: row.try_get("topic")?,
        asked_at: time(row, "started_at")?.unwrap_or_default(),
        model: row.try_get("model")?,
        text: row.try_get("text")?,
        partial: flag(row, "partial")?.unwrap_or(false),
        cited: serde_json::from_str(&cited).map_err(|_| StoreError::unreadable("a list of citations"))?,
    })
}

/// Returns the columns of a search that [`search`] reads, from `search s` and its `run r`.
pub(in crate::store) fn search_columns() -> String {
    format!(
        "r.public_id, s.attempt, s.source, s.operation, s.query, s.state, s.reason, s.http_status, s.tries, s.started_at, s.latency_ms, \
         s.found, s.new, s.duplicate, s.outside, s.undated, s.unreadable, s.saturated, coalesce(s.cost, s.expected_cost) AS cost, s.cost_basis, \
         s.error_class, s.error_text, s.asked_from, s.asked_until, s.covered_from, s.covered_until, s.clears_at, {EMPTY_IN_ERROR} AS empty_in_error"
    )
}

/// Orders sources `s`: social, web, then ai and providers by name.
pub(in crate::store) const BY_SOURCE: &str =
    "CASE s.source WHEN 'social' THEN 1 WHEN 'web' THEN 2 ELSE 3 END, s.source";

pub(in crate::store) fn search(row: &Row) -> Result<SearchRow, StoreError> {
    Ok(SearchRow {
        run: row.try_get("public_id")?,
        attempt: row.try_get("attempt")?,
        source: word(row, "source", Source::parse)?,
        operation: row.try_get("operation")?,
        query: row.try_get("query")?,
        state: word(row, "state", SearchState::parse)?,
        reason: row.try_get("reason")?,
        http_status: row.try_get("http_status")?,
        tries: row.try_get("tries")?,
        started_at: Time(row.try_get("started_at")?),
        latency_ms: row.try_get("latency_ms")?,
        counts: counts(row)?,
        unreadable: row.try_get("unreadable")?,
        saturated: flag(row, "saturated")?.unwrap_or(false),
        empty_in_error: flag(row, "empty_in_error")?.unwrap_or(false),
        cost: Micros(row.try_get("cost")?),
        cost_basis: row.try_get("cost_basis")?,
        error_class: row.try_get("error_class")?,
        error_text: row.try_get("error_text")?,
        asked_from: time(row, "asked_from")?,
        asked_until: time(row, "asked_until")?,
        covered_from: time(row, "covered_from")?,
        covered_until: time(row, "covered_until")?,
        clears_at: time(row, "clears_at")?,
    })
}
