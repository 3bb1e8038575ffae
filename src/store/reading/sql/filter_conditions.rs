//! Turns a filter into SQL conditions: each part once, for all statements that use it. The caller decides which parts
//! apply to which rows. Values are always bound, never written into the SQL text.

use sqlx::QueryBuilder;

use super::{Conn, Database, followers, fresh, read, tokens};
use crate::model::{Time, equal_language_tags};
use crate::store::{Filter, StoreError};

/// Up to this many topics, a list of the latest rows is merged from one list for each topic. Preparing a list takes SQLite a
/// fifth of a millisecond.
pub(in crate::store) const MERGED: usize = 50;

/// Adds `column IN (...)`.
fn one_of(query: &mut QueryBuilder<Database>, column: &str, values: impl Iterator<Item = String>) {
    query.push(" AND ").push(column).push(" IN (");
    let mut list = query.separated(", ");
    for value in values {
        list.push_bind(value);
    }
    list.push_unseparated(")");
}

/// Begins the conditions with topics, tags and time. `time` is the column for `since` and `until`, `topic` the topic
/// column.
pub(in crate::store) fn topics(query: &mut QueryBuilder<Database>, filter: &Filter, topic: &str, time: &str) {
    query.push(" WHERE ").push(topic).push(" IS NOT NULL");
    if !filter.topics.is_empty() {
        one_of(query, topic, filter.topics.iter().cloned());
    }
    if !filter.tags.is_empty() {
        let given = super::listed("w.tags");
        query
            .push(" AND ")
            .push(topic)
            .push(" IN (SELECT w.id FROM topic w CROSS JOIN ")
            .push(given)
            .push(" WHERE 1 = 1");
        one_of(query, "given.value", filter.tags.iter().cloned());
        query.push(")");
    }
    if let Some(since) = filter.since {
        query.push(" AND ").push(time).push(" >= ").push_bind(since.0);
    }
    if let Some(until) = filter.until {
        query.push(" AND ").push(time).push(" < ").push_bind(until.0);
    }
}

/// Names all topics that have items, for the first rows of a list of items by topic and time. With topics to look up,
/// SQLite reads their items in this order and stops at the limit. Without, it may find all rows of a time first, and
/// sort them; rows of all times it reads in this order anyway. There are few rows with certain words, stars or notes.
pub(in crate::store) fn one_topic_after_another(query: &mut QueryBuilder<Database>, filter: &Filter) {
    let is_narrow = filter.words.is_some() || filter.starred || filter.noted;
    let is_of_a_time = filter.since.is_some() || filter.until.is_some() || filter.new_since.is_some();
    let is_of_all_topics = filter.topics.is_empty() && filter.tags.is_empty();
    if super::SORTS_SEVERAL_TOPICS && is_of_all_topics && is_of_a_time && !is_narrow {
        // Each step finds the next topic in the index.
        query.push(
            " AND t.topic IN (WITH RECURSIVE e(topic) AS (SELECT min(topic) FROM topic_item UNION ALL \
             SELECT (SELECT min(n.topic) FROM topic_item n WHERE n.topic > e.topic) FROM e WHERE e.topic IS NOT NULL) \
             SELECT e.topic FROM e)",
        );
    }
}

/// Bounds an indexed time by all times there are, on each side without a bound. A list of the latest rows needs it if
/// more columns decide the order: with bounds on both sides SQLite walks back along the index and stops at the limit,
/// without them it sorts all rows. If one side has two bounds, SQLite uses the first, even if the other is tighter.
pub(in crate::store) fn any_time(
    query: &mut QueryBuilder<Database>,
    time: &str,
    since: Option<Time>,
    until: Option<Time>,
) {
    if since.is_none() {
        query.push(format!(" AND {time} >= {}", -i64::MAX));
    }
    if until.is_none() {
        query.push(format!(" AND {time} <= {}", i64::MAX));
    }
}

/// The filter of a list of the latest rows from a place on. It has only one bound, so that no page reads the rows
/// before it again.
pub(in crate::store) fn from_place(filter: &Filter, place: Option<Time>) -> Filter {
    let until = place.map(|at| Time(at.0.saturating_add(1)));
    Filter { until: filter.until.into_iter().chain(until).min(), ..filter.clone() }
}

/// A list of the latest rows as the lists that make it up: their filters, to be joined by `UNION ALL`, and the topic column.
pub(in crate::store) struct LatestList {
    pub(in crate::store) parts: Vec<Filter>,
    pub(in crate::store) topic: String,
}

/// Splits a list of the latest rows. SQLite reads one topic's rows in their order, and merges such lists, but sorts all
/// rows of several topics. With more topics it reads all rows in their order and skips those of others. PostgreSQL
/// chooses by its statistics. There are few rows with certain words, stars or notes.
pub(in crate::store) async fn latest_list(
    conn: &mut Conn,
    filter: &Filter,
    topic: &str,
) -> Result<LatestList, StoreError> {
    let whole = |topic: String| LatestList { parts: vec![filter.clone()], topic };
    let is_split = super::SORTS_SEVERAL_TOPICS && (filter.topics.len() > 1 || !filter.tags.is_empty());
    if !is_split || filter.words.is_some() || filter.starred || filter.noted {
        return Ok(whole(topic.to_owned()));
    }
    let mut named = filter.topics.clone();
    if !filter.tags.is_empty() {
        let mut query = QueryBuilder::<Database>::new("SELECT w.id FROM topic w CROSS JOIN ");
        query.push(super::listed("w.tags")).push(" WHERE 1 = 1");
        one_of(&mut query, "given.value", filter.tags.iter().cloned());
        let tagged: Vec<String> = query.build_query_scalar().persistent(false).fetch_all(conn).await?;
        if named.is_empty() {
            named = tagged;
        } else {
            named.retain(|topic| tagged.contains(topic));
        }
    }
    named.sort_unstable();
    named.dedup();
    match named.len() {
        0 => Ok(whole(topic.to_owned())),
        1..=MERGED => {
            let of = |topic| Filter { topics: vec![topic], tags: Vec::new(), ..filter.clone() };
            Ok(LatestList { parts: named.into_iter().map(of).collect(), topic: topic.to_owned() })
        }
        // A column with a plus is not looked up in an index.
        _ => Ok(whole(format!("+{topic}"))),
    }
}

/// Like [`any_time`], for items as topics know them. Those with certain words are found by their words.
pub(in crate::store) fn latest_items(query: &mut QueryBuilder<Database>, filter: &Filter) {
    if filter.words.is_none() {
        any_time(query, "t.first_seen", filter.since, filter.until);
    }
}

/// Adds the conditions on the item `i`.
pub(in crate::store) fn items(query: &mut QueryBuilder<Database>, filter: &Filter) {
    if !filter.tones.is_empty() {
        one_of(query, "i.tone", filter.tones.iter().map(ToString::to_string));
    }
    if !filter.authors.is_empty() {
        // Both databases lower only ASCII letters: SQLite knows no others, and PostgreSQL's column is bytewise.
        one_of(query, "lower(i.author)", filter.authors.iter().map(|handle| handle.to_ascii_lowercase()));
    }
    if !filter.kinds.is_empty() {
        one_of(query, "i.kind", filter.kinds.iter().map(ToString::to_string));
    }
    if !filter.languages.is_empty() {
        query.push(" AND (1 = 0");
        for tag in filter.languages.iter().flat_map(|tag| equal_language_tags(tag)) {
            // `en` matches `en`, `en-GB`, `en_GB` and, as another code of the language, `eng`.
            let begin = format!("{tag}-");
            query
                .push(format!(" OR substr(replace(lower(i.lang), '_', '-') || '-', 1, {}) = ", begin.chars().count()))
                .push_bind(begin);
        }
        query.push(")");
    }
    if let Some(wanted) = &filter.words {
        query.push(" AND i.id IN ");
        tokens::push_found(query, wanted);
    }
}

/// Adds the conditions on marks, stars and notes of the topic item `t`.
pub(in crate::store) fn marks_and_notes(query: &mut QueryBuilder<Database>, filter: &Filter) {
    if !filter.marks.is_empty() {
        query.push(" AND EXISTS (SELECT 1 FROM item_mark m WHERE m.topic = t.topic AND m.item = t.item");
        one_of(query, "m.mark", filter.marks.iter().map(ToString::to_string));
        query.push(")");
    }
    for (is_required, table) in [(filter.starred, "item_star"), (filter.noted, "item_note")] {
        if is_required {
            query.push(format!(" AND t.item IN (SELECT item FROM {table})"));
        }
    }
}

/// Returns the runs whose items do not count as new for the filter, since a clock was ahead.
pub(in crate::store) async fn ahead(conn: &mut Conn, filter: &Filter) -> Result<Vec<(i64, String)>, StoreError> {
    match filter.new_since {
        Some(since) => followers::ahead_before(conn, since).await,
        None => Ok(Vec::new()),
    }
}

/// Keeps items first seen since `new_since` that were not older than their window then. `t` is the topic item, and `f`
/// its first run, which is not one of `ahead`.
pub(in crate::store) fn new(query: &mut QueryBuilder<Database>, filter: &Filter, ahead: &[(i64, String)]) {
    if let Some(since) = filter.new_since {
        query.push(" AND t.first_seen >= ").push_bind(since.0).push(followers::none_of(ahead));
        query.push(" AND coalesce(").push(fresh::FIT).push(", 1) <> 2");
    }
}

/// Adds the condition on a source column.
pub(in crate::store) fn sources(query: &mut QueryBuilder<Database>, filter: &Filter, column: &str) {
    if !filter.sources.is_empty() {
        one_of(query, column, filter.sources.iter().map(ToString::to_string));
    }
}

/// Keeps topic items `t` that one of the sources showed in a run that meets the condition `run`.
pub(in crate::store) fn found_by_sources(query: &mut QueryBuilder<Database>, filter: &Filter, run: &str) {
    if !filter.sources.is_empty() {
        query
            .push(" AND EXISTS (SELECT 1 FROM sighting s JOIN run q ON q.id = s.run WHERE s.item = t.item AND ")
            .push(run);
        sources(query, filter, "s.source");
        query.push(")");
    }
}

/// Keeps numbered runs, all or those in a range of the reading order, and adds the order of rows: by number if a range
/// is given, else by time.
pub(in crate::store) fn in_order(query: &mut QueryBuilder<Database>, filter: &Filter, run: &str, at: &str) {
    query.push(" AND ").push(run).push(".seq IS NOT NULL");
    match filter.seq {
        Some(between) => {
            query.push(" AND ").push(run).push(".seq > ").push_bind(between.since);
            query.push(" AND ").push(run).push(".seq <= ").push_bind(between.until);
            query.push(" ORDER BY ").push(run).push(".seq");
        }
        None => drop(query.push(" ORDER BY ").push(at).push(", ").push(run).push(".public_id")),
    }
}

/// Like [`in_order`] for runs `r`, ordered by when they happened or would have.
pub(in crate::store) fn runs_in_order(query: &mut QueryBuilder<Database>, filter: &Filter) {
    in_order(query, filter, "r", read::RUN_AT);
}
