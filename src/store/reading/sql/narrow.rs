//! A filter as conditions of a statement: each part once, for every statement that can mean it. Which parts make sense for
//! which rows, whoever asks for them decides. Words are bound, never written into a statement.

use sqlx::QueryBuilder;

use super::{Database, fresh, read, tokens};
use crate::store::Filter;

/// One of a list.
fn one_of(query: &mut QueryBuilder<Database>, column: &str, values: impl Iterator<Item = String>) {
    query.push(" AND ").push(column).push(" IN (");
    let mut list = query.separated(", ");
    for value in values {
        list.push_bind(value);
    }
    list.push_unseparated(")");
}

/// Begins the conditions: topics, tags and time. `time` is the column that `since` and `until` mean, `topic` that of the
/// topic.
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

/// What is asked of the item `i`.
pub(in crate::store) fn items(query: &mut QueryBuilder<Database>, filter: &Filter) {
    if !filter.tones.is_empty() {
        one_of(query, "i.tone", filter.tones.iter().map(ToString::to_string));
    }
    if !filter.authors.is_empty() {
        // Both databases turn ASCII letters alone: SQLite knows no others, PostgreSQL's column is bytewise.
        one_of(query, "lower(i.author)", filter.authors.iter().map(|handle| handle.to_ascii_lowercase()));
    }
    if !filter.kinds.is_empty() {
        one_of(query, "i.kind", filter.kinds.iter().map(ToString::to_string));
    }
    if !filter.languages.is_empty() {
        query.push(" AND (1 = 0");
        for tag in &filter.languages {
            // `en` is `en`, `en-GB` and `en_GB`, and not `eng`.
            let begin = format!("{}-", tag.to_ascii_lowercase().replace('_', "-"));
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

/// What people said and kept of the item of a topic, `t`.
pub(in crate::store) fn kept(query: &mut QueryBuilder<Database>, filter: &Filter) {
    if !filter.marks.is_empty() {
        query.push(" AND EXISTS (SELECT 1 FROM item_mark m WHERE m.topic = t.topic AND m.item = t.item");
        one_of(query, "m.mark", filter.marks.iter().map(ToString::to_string));
        query.push(")");
    }
    for (asked, table) in [(filter.starred, "item_star"), (filter.noted, "item_note")] {
        if asked {
            query.push(format!(" AND t.item IN (SELECT item FROM {table})"));
        }
    }
}

/// Those that were first seen, `t` by its first run `f`, lately, and not older than their window then.
pub(in crate::store) fn new(query: &mut QueryBuilder<Database>, filter: &Filter) {
    if let Some(since) = filter.new_since {
        query.push(" AND t.first_seen >= ").push_bind(since.0);
        query.push(" AND coalesce(").push(fresh::FIT).push(", 1) <> 2");
    }
}

/// The sources in a column.
pub(in crate::store) fn sources(query: &mut QueryBuilder<Database>, filter: &Filter, column: &str) {
    if !filter.sources.is_empty() {
        one_of(query, column, filter.sources.iter().map(ToString::to_string));
    }
}

/// Items of a topic, `t`, that any of the sources showed in a run that meets a condition.
pub(in crate::store) fn shown(query: &mut QueryBuilder<Database>, filter: &Filter, run: &str) {
    if !filter.sources.is_empty() {
        query
            .push(" AND EXISTS (SELECT 1 FROM sighting s JOIN run q ON q.id = s.run WHERE s.item = t.item AND ")
            .push(run);
        sources(query, filter, "s.source");
        query.push(")");
    }
}

/// Numbered runs: all of them, or a stretch of the reading order. Then the order of rows: that of the numbers where a
/// stretch was asked for, else by time.
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

/// The same for runs by the time at which they were or would have been.
pub(in crate::store) fn runs_in_order(query: &mut QueryBuilder<Database>, filter: &Filter) {
    in_order(query, filter, "r", read::RUN_AT);
}
