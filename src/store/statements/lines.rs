//! Sightings as finished lines of CSV, a text for each run, made by the database itself: handing over a row at a time costs
//! more than all else. A test holds the lines to what the plain way writes, byte for byte. A page is a few runs in one short
//! statement, so that a long export keeps nobody from writing or from tidying up.

use sqlx::{QueryBuilder, Row as _};

use super::{Conn, Database, narrow, read};
use crate::store::lines::{Lines, Place, RunLines};
use crate::store::{Filter, StoreError};

/// First characters that `excel` guards, as a list of SQL.
const GUARDED: &str = "('=', '+', '-', '@', '|', '%', '\t', '\r', '\n', '＝', '＋', '－', '＠', '''')";

/// A text as a cell: quoted where it must be, guarded where a spreadsheet would take it for something else.
fn cell(column: &str, guard: Option<&str>) -> String {
    let apostrophe = guard.map_or_else(String::new, |when| format!("CASE WHEN {when} THEN '''' ELSE '' END || "));
    let special = [",", "\"", "\n", "\r"].map(|sign| super::holds(column, sign)).join(" OR ");
    format!(
        "CASE WHEN {column} IS NULL THEN '' WHEN {special} THEN '\"' || {apostrophe}replace({column}, '\"', '\"\"') || '\"' \
         ELSE {apostrophe}{column} END"
    )
}

fn text(column: &str, guard: bool) -> String {
    let when = format!("substr({column}, 1, 1) IN {GUARDED}");
    cell(column, guard.then_some(when.as_str()))
}

/// The same for an id, which must not become a number either.
fn id(column: &str, guard: bool) -> String {
    let digits = format!("({column} <> '' AND trim({column}, '0123456789') = '')");
    let when = format!("(substr({column}, 1, 1) IN {GUARDED} OR {digits})");
    cell(column, guard.then_some(when.as_str()))
}

fn number(column: &str) -> String {
    format!("coalesce(CAST({column} AS TEXT), '')")
}

fn time(column: &str) -> String {
    format!("coalesce({}, '')", super::iso(column))
}

/// Lines of the next runs; none when there are no more.
pub(in crate::store) async fn sightings(
    conn: &mut Conn,
    filter: &Filter,
    lines: &Lines,
) -> Result<Vec<RunLines>, StoreError> {
    let guard = lines.guard;
    let prefix = [id("r.public_id", guard), id("r.topic", guard), time("r.started_at")].join(" || ',' || ");
    let of_sighting = ["s.source".into(), number("s.rank"), id("i.key", guard), "i.kind".into(), "s.fit".into()];
    let of_item = ["i.url", "i.author", "i.title", "i.text"].map(|column| text(column, guard));
    let counts = ["s.likes", "s.reposts", "s.replies", "s.quotes", "s.bookmarks", "s.views"].map(number);
    let mut columns: Vec<String> = vec!["p.prefix".into()];
    columns.extend(of_sighting);
    columns.push("CASE WHEN t.first_run = p.id THEN 'true' ELSE 'false' END".into());
    columns.push(time("i.published_at"));
    columns.extend(of_item);
    columns.extend(counts);
    columns.push(format!("'{}\r\n'", lines.origin));

    let mut query = QueryBuilder::<Database>::new("WITH p AS MATERIALIZED (SELECT r.id, r.topic, r.public_id, r.seq, ");
    query.push(read::RUN_AT).push(" AS at, ").push(prefix).push(" AS prefix FROM run r");
    narrow::topics(&mut query, filter, "r.topic", read::RUN_AT);
    query.push(" AND r.seq <= ").push_bind(lines.until);
    match (&lines.after, filter.seq) {
        (Some(after), Some(_)) => drop(query.push(" AND r.seq > ").push_bind(after.seq)),
        (None, Some(between)) => drop(query.push(" AND r.seq > ").push_bind(between.since)),
        (Some(after), None) => {
            query.push(" AND ").push(read::RUN_AT).push(" >= ").push_bind(after.at).push(" AND (").push(read::RUN_AT);
            query.push(" > ").push_bind(after.at).push(" OR r.public_id > ").push_bind(after.run.clone()).push(")");
        }
        (None, None) => {}
    }
    let order = if filter.seq.is_some() { "seq" } else { "at, public_id" };
    let order_of_runs = if filter.seq.is_some() { "r.seq".into() } else { format!("{}, r.public_id", read::RUN_AT) };
    query.push(" ORDER BY ").push(order_of_runs).push(" LIMIT ").push_bind(lines.runs);
    query.push(") SELECT p.at, p.public_id, p.seq, (SELECT CAST(count(*) AS TEXT) || ' ' || string_agg(");
    query.push(columns.join(" || ',' || ")).push(", '' ORDER BY ").push(read::BY_SOURCE).push(", s.rank, i.key)");
    query.push(" FROM sighting s CROSS JOIN item i CROSS JOIN topic_item t WHERE s.run = p.id AND i.id = s.item AND t.topic = p.topic AND t.item = i.id");
    narrow::sources(&mut query, filter, "s.source");
    narrow::items(&mut query, filter);
    query.push(") AS lines FROM p ORDER BY ").push(order);

    let rows = query.build().fetch_all(conn).await?;
    rows.into_iter()
        .map(|row| {
            let place = Place { at: row.try_get("at")?, run: row.try_get("public_id")?, seq: row.try_get("seq")? };
            Ok(RunLines { place, counted: row.try_get("lines")? })
        })
        .collect()
}
