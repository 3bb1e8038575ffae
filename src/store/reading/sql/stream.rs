//! Streams whole tables for exports, row by row in constant memory and in an order that is the same on both databases.

use futures_util::TryStreamExt as _;
use sqlx::{QueryBuilder, Row as _};

use super::spent::UNBILLED;
use super::{Conn, Database, Row, filter_conditions, fresh, item_history, read, search_history};
use crate::model::{FirstSightingRow, Kind, Micros, RunExportRow, RunSearch, SearchExportRow, Time};
use crate::store::reading::item_history as before;
use crate::store::{AnswerRow, Filter, ItemRow, StoreError};

/// Called for each row.
type RowCallback<'a, T, E> = &'a mut (dyn FnMut(T) -> Result<(), E> + Send);

/// Reads all items, or the first `most`. PostgreSQL would sort all of them before the first, if it did not know that few
/// are read.
pub(in crate::store) async fn items<E: From<StoreError>>(
    conn: &mut Conn,
    filter: &Filter,
    most: Option<i64>,
    each: RowCallback<'_, ItemRow, E>,
) -> Result<(), E> {
    let ahead = filter_conditions::ahead(conn, filter).await?;
    let mut query = QueryBuilder::<Database>::new(read::ITEM);
    filter_conditions::topics(&mut query, filter, "t.topic", "t.first_seen");
    if most.is_some() {
        filter_conditions::one_topic_after_another(&mut query, filter);
    }
    filter_conditions::items(&mut query, filter);
    filter_conditions::marks_and_notes(&mut query, filter);
    filter_conditions::new(&mut query, filter, &ahead);
    filter_conditions::found_by_sources(&mut query, filter, "q.topic = t.topic AND q.seq IS NOT NULL");
    query.push(" AND f.seq IS NOT NULL ORDER BY t.topic, t.first_seen, i.key");
    if let Some(most) = most {
        query.push(" LIMIT ").push_bind(most);
    }
    run(conn, query, read::item, each).await
}

pub(in crate::store) async fn answers<E: From<StoreError>>(
    conn: &mut Conn,
    filter: &Filter,
    each: RowCallback<'_, AnswerRow, E>,
) -> Result<(), E> {
    let mut query = QueryBuilder::<Database>::new(read::ANSWER);
    filter_conditions::topics(&mut query, filter, "r.topic", read::RUN_AT);
    filter_conditions::runs_in_order(&mut query, filter);
    run(conn, query, read::answer, each).await
}

pub(in crate::store) async fn runs<E: From<StoreError>>(
    conn: &mut Conn,
    filter: &Filter,
    each: RowCallback<'_, RunExportRow, E>,
) -> Result<(), E> {
    let assumed = format!(
        "SELECT CASE WHEN r.pruned_at IS NULL OR r.cost = 0 THEN (SELECT CAST(coalesce(sum(s.cost), 0) AS BIGINT) \
         FROM search s WHERE s.run = r.id AND {UNBILLED} AND s.cost > 0) END AS assumed, "
    );
    let mut query = QueryBuilder::<Database>::new(read::RUN.replacen("SELECT ", &assumed, 1));
    filter_conditions::topics(&mut query, filter, "r.topic", read::RUN_AT);
    filter_conditions::runs_in_order(&mut query, filter);
    run(conn, query, exported_run, each).await
}

fn exported_run(row: &Row) -> Result<RunExportRow, StoreError> {
    let assumed = row.try_get::<Option<i64>, _>("assumed")?.map(Micros);
    Ok(RunExportRow { run: read::run(row)?, assumed })
}

pub(in crate::store) async fn searches<E: From<StoreError>>(
    conn: &mut Conn,
    filter: &Filter,
    each: RowCallback<'_, SearchExportRow, E>,
) -> Result<(), E> {
    let mut query = QueryBuilder::<Database>::new("SELECT r.topic, s.finished_at, s.expected_cost, s.cost AS paid, ");
    query.push(read::search_columns()).push(" FROM run r CROSS JOIN search s");
    filter_conditions::topics(&mut query, filter, "r.topic", read::RUN_AT);
    query.push(" AND s.run = r.id");
    filter_conditions::sources(&mut query, filter, "s.source");
    filter_conditions::runs_in_order(&mut query, filter);
    query.push(", s.attempt, ").push(read::BY_SOURCE);
    run(conn, query, searched, each).await
}

fn searched(row: &Row) -> Result<SearchExportRow, StoreError> {
    Ok(SearchExportRow {
        topic: row.try_get("topic")?,
        finished_at: read::time(row, "finished_at")?,
        expected: Micros(row.try_get("expected_cost")?),
        actual: row.try_get::<Option<i64>, _>("paid")?.map(Micros),
        search: read::search(row)?,
    })
}

pub(in crate::store) async fn new<E: From<StoreError>>(
    conn: &mut Conn,
    filter: &Filter,
    each: RowCallback<'_, FirstSightingRow, E>,
) -> Result<(), E> {
    let ahead = filter_conditions::ahead(conn, filter).await?;
    let mut query = QueryBuilder::<Database>::new(
        "SELECT t.topic, i.key, i.kind, t.first_seen, f.public_id AS first_run, i.url, i.author, i.author_name, i.title, i.text, i.lang, i.published_at, f.seq, ",
    );
    query
        .push(item_history::versions_sql())
        .push(format!(" AS past, CAST({} AS BIGINT) AS baseline, ", fresh::BASELINE))
        .push(fresh::fit_column())
        .push(" FROM topic_item t JOIN item i ON i.id = t.item JOIN run f ON f.id = t.first_run");
    filter_conditions::topics(&mut query, filter, "t.topic", "t.first_seen");
    filter_conditions::items(&mut query, filter);
    filter_conditions::new(&mut query, filter, &ahead);
    filter_conditions::found_by_sources(&mut query, filter, "s.run = t.first_run");
    if let Some(between) = filter.seq {
        // `first_seen` is the start of the first run, so the index on it bounds the search.
        query.push(" AND t.first_seen >= (SELECT min(b.started_at) FROM run b WHERE b.seq > ").push_bind(between.since);
        query.push(" AND b.seq <= ").push_bind(between.until).push(")");
    }
    filter_conditions::in_order(&mut query, filter, "f", "t.first_seen");
    query.push(", i.key");
    run(conn, query, first_seen, each).await
}

fn first_seen(row: &Row) -> Result<FirstSightingRow, StoreError> {
    let mut new = FirstSightingRow {
        topic: row.try_get("topic")?,
        key: row.try_get("key")?,
        kind: read::word(row, "kind", Kind::parse)?,
        first_seen: Time(row.try_get("first_seen")?),
        first_run: row.try_get("first_run")?,
        baseline: read::flag(row, "baseline")?.unwrap_or(false),
        fit: fresh::fit(row)?,
        url: row.try_get("url")?,
        author: row.try_get("author")?,
        author_name: row.try_get("author_name")?,
        title: row.try_get("title")?,
        text: row.try_get("text")?,
        lang: row.try_get("lang")?,
        published_at: read::time(row, "published_at")?,
    };
    if let (Some(history), Some(seq)) = (row.try_get::<Option<&str>, _>("past")?, row.try_get("seq")?)
        && let Some(version) = before::version_at(history, seq)?
    {
        (new.url, new.author, new.author_name) = (version.url, version.author, version.author_name);
        (new.title, new.text) = (version.title, version.text);
        (new.lang, new.published_at) = (version.lang, version.published_at);
    }
    Ok(new)
}

pub(in crate::store) async fn run_searches<E: From<StoreError>>(
    conn: &mut Conn,
    filter: &Filter,
    each: RowCallback<'_, RunSearch, E>,
) -> Result<(), E> {
    let mut query = QueryBuilder::<Database>::new(search_history::select());
    filter_conditions::topics(&mut query, filter, "r.topic", read::RUN_AT);
    query.push(" AND r.seq IS NOT NULL ORDER BY r.topic, at, r.public_id, s.attempt, s.source");
    run(conn, query, search_history::run_search, each).await
}

async fn run<T, E: From<StoreError>>(
    conn: &mut Conn,
    mut query: QueryBuilder<Database>,
    read: impl Fn(&Row) -> Result<T, StoreError>,
    each: RowCallback<'_, T, E>,
) -> Result<(), E> {
    let statement = query.build();
    let mut rows = statement.fetch(conn);
    while let Some(row) = rows.try_next().await.map_err(StoreError::from)? {
        each(read(&row)?)?;
    }
    Ok(())
}
