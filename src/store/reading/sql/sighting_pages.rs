//! Reads the sightings of the next few runs, and their items, in two short statements. An item is seen by many runs, so
//! it is read once for all of a page, or not at all if it is cached. The caller sorts within a page.

use std::sync::Arc;

use sqlx::{QueryBuilder, Row as _};

use super::resolve::to_json;
use super::{Conn, Database, filter_conditions, item_history, read, sightings};
use crate::store::database::cells::{Cells, unreadable};
use crate::store::reading::sighting_page::{Page, PageRequest, RunSightings};
use crate::store::{Filter, StoreError};

/// The columns of an item `i`. Subqueries are computed once here, however often their columns are used below.
const ITEM: &str = "SELECT i.id, i.key, i.kind, i.published_at, i.url, i.author, i.title, i.text, i.lang, i.tone, i.score, i.scorer, \
     CASE WHEN i.cluster = i.id THEN i.key ELSE (SELECT c.key FROM item c WHERE c.id = i.cluster) END AS cluster, \
     (SELECT string_agg(CAST(t.first_run AS TEXT), ' ') FROM topic_item t WHERE t.item = i.id) AS firsts, \
     (SELECT string_agg(concat(m.topic, '=', m.mark), ' ') FROM item_mark m WHERE m.item = i.id) AS marks, ";

/// An item's cells, the id first, and whether each is a text with a length; in the order in which `reading/sightings`
/// reads them.
const CELLS: [(&str, bool); 16] = [
    ("id", false),
    ("key", true),
    ("kind", false),
    ("published_at", false),
    ("url", true),
    ("author", true),
    ("title", true),
    ("text", true),
    ("lang", true),
    // Most are the first of their cluster, or alone.
    ("cluster", true),
    ("tone", false),
    ("score", false),
    ("scorer", true),
    ("firsts", true),
    ("marks", true),
    ("past", true),
];

/// SQL for all rows of a selection as one text of such cells.
fn item_columns() -> String {
    let cell_sql = |(column, words): &(&str, bool)| {
        if *words { format!("{}, ',', {column}", super::octets(column)) } else { format!("{column}, ','") }
    };
    let cells: Vec<String> = CELLS.iter().map(cell_sql).collect();
    format!("string_agg(concat({}), '')", cells.join(", "))
}

/// Returns the next runs with what they saw; fewer than asked for if there are no more.
pub(in crate::store) async fn runs(conn: &mut Conn, filter: &Filter, next: &PageRequest) -> Result<Page, StoreError> {
    let by_number = filter.seq.is_some();
    let mut query = QueryBuilder::<Database>::new(
        "WITH p AS MATERIALIZED (SELECT r.id, r.public_id AS run, r.topic, r.started_at, r.seq, ",
    );
    query.push(if by_number { "r.seq" } else { read::RUN_AT }).push(" AS place FROM run r");
    filter_conditions::topics(&mut query, filter, "r.topic", read::RUN_AT);
    query.push(" AND r.seq <= ").push_bind(next.until);
    match (&next.after, filter.seq) {
        (Some((seq, _)), Some(_)) => drop(query.push(" AND r.seq > ").push_bind(*seq)),
        (None, Some(between)) => drop(query.push(" AND r.seq > ").push_bind(between.since)),
        (Some((at, run)), None) => {
            query.push(" AND ").push(read::RUN_AT).push(" >= ").push_bind(*at).push(" AND (").push(read::RUN_AT);
            query.push(" > ").push_bind(*at).push(" OR r.public_id > ").push_bind(run.clone()).push(")");
        }
        (None, None) => {}
    }
    query.push(" ORDER BY place").push(if by_number { "" } else { ", run" }).push(" LIMIT ").push_bind(next.runs);
    query.push(") ").push(sightings::OF_RUNS.0);
    filter_conditions::sources(&mut query, filter, "s.source");
    query.push(sightings::OF_RUNS.1);

    let mut page = Page::new();
    for row in query.build().fetch_all(conn).await? {
        let seen = RunSightings {
            id: row.try_get("id")?,
            topic: row.try_get("topic")?,
            seq: row.try_get("seq")?,
            seen_at: read::time(&row, "started_at")?.unwrap_or_default(),
            sights: sightings::of(&row)?,
        };
        page.insert((row.try_get("place")?, row.try_get("run")?), seen);
    }
    Ok(page)
}

/// Returns those of some items that match the filter, each as its cells.
pub(in crate::store) async fn items(
    conn: &mut Conn,
    filter: &Filter,
    ids: &[i64],
) -> Result<Vec<(i64, Arc<str>)>, StoreError> {
    let mut query = QueryBuilder::<Database>::new("WITH matching AS MATERIALIZED (");
    query.push(ITEM).push(item_history::versions_sql()).push(" AS past FROM (SELECT given.value FROM ");
    // The list must be bound first, before the filter's values.
    query
        .push(super::numbers(1))
        .push(" WHERE ")
        .push_bind(to_json(ids)?)
        .push(" <> '') AS g CROSS JOIN item i WHERE i.id = g.value");
    filter_conditions::items(&mut query, filter);
    query.push(") SELECT ").push(item_columns()).push(" AS cells FROM matching");
    let row = query.build().fetch_one(conn).await?;
    let mut cells = Cells::of(row.try_get::<Option<&str>, _>("cells")?.unwrap_or_default());
    let mut items = Vec::with_capacity(ids.len());
    while !cells.is_empty() {
        let id = cells.number()?.ok_or_else(unreadable)?;
        let from = cells.rest();
        for (_, words) in &CELLS[1..] {
            cells.skip(*words)?;
        }
        items.push((id, Arc::from(&from[..from.len() - cells.rest().len()])));
    }
    Ok(items)
}
