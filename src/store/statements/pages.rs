//! Sightings of the next few runs, and the items they are of, in two short statements: an item is met by many runs, and is
//! read once for all of a page, or not at all while it is known. Orders within a page are made by who reads it.

use std::sync::Arc;

use sqlx::{QueryBuilder, Row as _};

use super::resolve::list;
use super::{Conn, Database, Row, narrow, read};
use crate::model::{Engagement, Source, WindowFit};
use crate::store::cells::{Cells, unreadable};
use crate::store::pages::{Next, Page, Seen, Sight};
use crate::store::{Filter, StoreError};

/// A cell: its column, and whether it may hold anything at all.
type Cell = (&'static str, bool);

/// The cells of a sighting, in the order in which [`sight`] reads them.
const SIGHT: [Cell; 10] = [
    ("s.item", false),
    ("s.source", false),
    ("s.rank", false),
    ("s.fit", false),
    ("s.likes", false),
    ("s.reposts", false),
    ("s.replies", false),
    ("s.quotes", false),
    ("s.bookmarks", false),
    ("s.views", false),
];

/// The cells of an item, its number first; in the order in which `pages` reads the others.
const ITEM: [Cell; 14] = [
    ("i.id", false),
    ("i.key", true),
    ("i.kind", false),
    ("i.published_at", false),
    ("i.url", true),
    ("i.author", true),
    ("i.title", true),
    ("i.text", true),
    ("i.lang", true),
    // Most are the first of their cluster, or alone.
    ("CASE WHEN i.cluster = i.id THEN i.key ELSE (SELECT c.key FROM item c WHERE c.id = i.cluster) END", true),
    ("i.tone", false),
    ("i.score", false),
    ("i.scorer", true),
    ("(SELECT string_agg(CAST(t.first_run AS TEXT), ' ') FROM topic_item t WHERE t.item = i.id)", true),
];

/// All rows of a selection as one text of such cells.
fn told(cells: &[Cell]) -> String {
    let told = |(column, words): &Cell| {
        if *words { format!("{}, ',', {column}", super::octets(column)) } else { format!("{column}, ','") }
    };
    let told: Vec<String> = cells.iter().map(told).collect();
    format!("string_agg(concat({}), '')", told.join(", "))
}

/// The next runs with what they saw; fewer than were asked for when there are no more.
pub(in crate::store) async fn runs(conn: &mut Conn, filter: &Filter, next: &Next) -> Result<Page, StoreError> {
    let by_number = filter.seq.is_some();
    let mut query = QueryBuilder::<Database>::new(
        "WITH p AS MATERIALIZED (SELECT r.id, r.public_id AS run, r.topic, r.started_at, ",
    );
    query.push(if by_number { "r.seq" } else { read::RUN_AT }).push(" AS place FROM run r");
    narrow::topics(&mut query, filter, "r.topic", read::RUN_AT);
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
    query.push(") SELECT p.place, p.run, p.topic, p.started_at, p.id, (SELECT ").push(told(&SIGHT));
    query.push(" FROM sighting s WHERE s.run = p.id");
    narrow::sources(&mut query, filter, "s.source");
    query.push(") AS cells FROM p");

    let mut page = Page::new();
    for row in query.build().fetch_all(conn).await? {
        let seen = Seen {
            id: row.try_get("id")?,
            topic: row.try_get("topic")?,
            seen_at: read::time(&row, "started_at")?.unwrap_or_default(),
            sights: sights(&row)?,
        };
        page.insert((row.try_get("place")?, row.try_get("run")?), seen);
    }
    Ok(page)
}

fn sights(row: &Row) -> Result<Vec<Sight>, StoreError> {
    let mut cells = Cells::of(row.try_get::<Option<&str>, _>("cells")?.unwrap_or_default());
    let mut sights = Vec::new();
    while !cells.is_empty() {
        sights.push(sight(&mut cells)?);
    }
    Ok(sights)
}

fn sight(cells: &mut Cells<'_>) -> Result<Sight, StoreError> {
    Ok(Sight {
        item: cells.number()?.ok_or_else(unreadable)?,
        source: cells.word(Source::parse)?,
        rank: cells.number()?.unwrap_or_default(),
        fit: cells.word(WindowFit::parse)?,
        engagement: Engagement {
            likes: cells.number()?,
            reposts: cells.number()?,
            replies: cells.number()?,
            quotes: cells.number()?,
            bookmarks: cells.number()?,
            views: cells.number()?,
        },
    })
}

/// Those of some items that the filter means, each as its cells.
pub(in crate::store) async fn items(
    conn: &mut Conn,
    filter: &Filter,
    ids: &[i64],
) -> Result<Vec<(i64, Arc<str>)>, StoreError> {
    let mut query = QueryBuilder::<Database>::new("SELECT ");
    query.push(told(&ITEM)).push(" AS cells FROM (SELECT given.value FROM ");
    // The list is the first that is bound, also where the filter binds more.
    query
        .push(super::numbers(1))
        .push(" WHERE ")
        .push_bind(list(ids)?)
        .push(" <> '') AS g CROSS JOIN item i WHERE i.id = g.value");
    narrow::items(&mut query, filter);
    let row = query.build().fetch_one(conn).await?;
    let mut cells = Cells::of(row.try_get::<Option<&str>, _>("cells")?.unwrap_or_default());
    let mut items = Vec::with_capacity(ids.len());
    while !cells.is_empty() {
        let id = cells.number()?.ok_or_else(unreadable)?;
        let from = cells.rest();
        for (_, words) in &ITEM[1..] {
            cells.pass(*words)?;
        }
        items.push((id, Arc::from(&from[..from.len() - cells.rest().len()])));
    }
    Ok(items)
}
