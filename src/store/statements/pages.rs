//! Sightings of the next few runs, in one short statement. In which form rows leave the database is its own (`packed`), for
//! that is most of what they cost; their order within the page is made here, for the same reason.

use sqlx::QueryBuilder;

use super::{Conn, Database, narrow, packed, read};
use crate::store::pages::{Next, Page};
use crate::store::{Filter, StoreError};

/// A cell of a row: its name, what it is, and whether it may hold anything at all.
pub(in crate::store) type Cell = (&'static str, &'static str, bool);

/// The cells of a sighting beside those of its run, in the order in which [`packed`] reads them.
const CELLS: [Cell; 22] = [
    ("source", "s.source", false),
    ("rank", "s.rank", false),
    ("key", "i.key", true),
    ("kind", "i.kind", false),
    ("fit", "s.fit", false),
    ("new", "CAST(CASE WHEN t.first_run = p.id THEN 1 ELSE 0 END AS BIGINT)", false),
    ("published_at", "i.published_at", false),
    ("url", "i.url", true),
    ("author", "i.author", true),
    ("title", "i.title", true),
    ("text", "i.text", true),
    ("lang", "i.lang", true),
    ("likes", "s.likes", false),
    ("reposts", "s.reposts", false),
    ("replies", "s.replies", false),
    ("quotes", "s.quotes", false),
    ("bookmarks", "s.bookmarks", false),
    ("views", "s.views", false),
    // Most are the first of their cluster, or alone.
    (
        "cluster",
        "CASE WHEN i.cluster = i.id THEN i.key ELSE (SELECT c.key FROM item c WHERE c.id = i.cluster) END",
        true,
    ),
    ("tone", "i.tone", false),
    ("score", "i.score", false),
    ("scorer", "i.scorer", true),
];

/// The next runs; fewer than were asked for when there are no more.
pub(in crate::store) async fn sightings(conn: &mut Conn, filter: &Filter, next: &Next) -> Result<Page, StoreError> {
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
    query.push(") SELECT p.place, p.run, p.topic, p.started_at, ");
    let (before, after) = packed::around(&CELLS);
    query.push(before);
    query.push(" FROM sighting s CROSS JOIN item i CROSS JOIN topic_item t WHERE s.run = p.id AND i.id = s.item AND t.topic = p.topic AND t.item = i.id");
    narrow::sources(&mut query, filter, "s.source");
    narrow::items(&mut query, filter);
    query.push(after);

    let mut page = Page::new();
    for row in query.build().fetch_all(conn).await? {
        packed::unpack(&row, &mut page)?;
    }
    for rows in page.values_mut() {
        rows.sort_unstable_by(|a, b| (a.source, a.rank, &a.key).cmp(&(b.source, b.rank, &b.key)));
    }
    Ok(page)
}
