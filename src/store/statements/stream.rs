//! Whole tables for exports, row by row in constant memory and in an order that is the same on both databases.

use futures_util::TryStreamExt as _;
use sqlx::QueryBuilder;

use super::{Conn, Database, Row, looks, read, words};
use crate::model::Look;
use crate::store::{AnswerRow, Filter, ItemRow, RunRow, SightingRow, StoreError};

/// What is done with each row.
type Each<'a, T, E> = &'a mut (dyn FnMut(T) -> Result<(), E> + Send);

pub(in crate::store) async fn items<E: From<StoreError>>(
    conn: &mut Conn,
    filter: &Filter,
    each: Each<'_, ItemRow, E>,
) -> Result<(), E> {
    let mut query = QueryBuilder::<Database>::new(read::ITEM);
    read::narrow(&mut query, filter, "t.topic", "t.first_seen");
    words::narrow(&mut query, filter.words.as_ref(), "t.item");
    query.push(" AND f.seq IS NOT NULL ORDER BY t.topic, t.first_seen, i.key");
    run(conn, query, read::item, each).await
}

pub(in crate::store) async fn sightings<E: From<StoreError>>(
    conn: &mut Conn,
    filter: &Filter,
    each: Each<'_, SightingRow, E>,
) -> Result<(), E> {
    let mut query = QueryBuilder::<Database>::new(read::SIGHTING);
    read::narrow(&mut query, filter, "r.topic", read::RUN_AT);
    words::narrow(&mut query, filter.words.as_ref(), "s.item");
    query.push(read::SIGHTING_ON).push(" AND r.seq IS NOT NULL ORDER BY ").push(read::RUN_AT);
    query.push(", r.public_id, CASE s.source WHEN 'social' THEN 1 WHEN 'web' THEN 2 ELSE 3 END, s.rank, i.key");
    run(conn, query, read::sighting, each).await
}

pub(in crate::store) async fn answers<E: From<StoreError>>(
    conn: &mut Conn,
    filter: &Filter,
    each: Each<'_, AnswerRow, E>,
) -> Result<(), E> {
    let mut query = QueryBuilder::<Database>::new(read::ANSWER);
    read::narrow(&mut query, filter, "r.topic", read::RUN_AT);
    query.push(" AND r.seq IS NOT NULL ORDER BY ").push(read::RUN_AT).push(", r.public_id");
    run(conn, query, read::answer, each).await
}

pub(in crate::store) async fn runs<E: From<StoreError>>(
    conn: &mut Conn,
    filter: &Filter,
    each: Each<'_, RunRow, E>,
) -> Result<(), E> {
    let mut query = QueryBuilder::<Database>::new(read::RUN);
    read::narrow(&mut query, filter, "r.topic", read::RUN_AT);
    query.push(" AND r.seq IS NOT NULL ORDER BY ").push(read::RUN_AT).push(", r.public_id");
    run(conn, query, read::run, each).await
}

pub(in crate::store) async fn looks<E: From<StoreError>>(
    conn: &mut Conn,
    filter: &Filter,
    each: Each<'_, Look, E>,
) -> Result<(), E> {
    let mut query = QueryBuilder::<Database>::new(looks::LOOK);
    read::narrow(&mut query, filter, "r.topic", read::RUN_AT);
    query.push(" AND r.seq IS NOT NULL ORDER BY r.topic, at, r.public_id, s.attempt, s.source");
    run(conn, query, looks::look, each).await
}

async fn run<T, E: From<StoreError>>(
    conn: &mut Conn,
    mut query: QueryBuilder<Database>,
    read: impl Fn(&Row) -> Result<T, StoreError>,
    each: Each<'_, T, E>,
) -> Result<(), E> {
    let statement = query.build();
    let mut rows = statement.fetch(conn);
    while let Some(row) = rows.try_next().await.map_err(StoreError::from)? {
        each(read(&row)?)?;
    }
    Ok(())
}
