//! Stored replies with what is needed to read them again: those of a run, or all in sequence.

use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, Row, read};
use crate::model::{Source, Span, Time};
use crate::store::{StoreError, StoredReply, StoredRun};

const REPLY: &str = "SELECT w.search, w.request, w.headers, w.truncated, w.body, q.source, q.state, q.asked_from, q.asked_until, q.unreadable, \
     coalesce(r.started_at, r.slot, r.planned_at) AS at, t.definition \
     FROM raw_reply w JOIN search q ON q.id = w.search JOIN run r ON r.id = q.run LEFT JOIN topic t ON t.id = r.topic";

fn reply(row: &Row) -> Result<StoredReply, StoreError> {
    let seen_at = Time(row.try_get("at")?);
    let requested = read::time(row, "asked_from")?.zip(read::time(row, "asked_until")?);
    let definition: Option<String> = row.try_get("definition")?;
    let window = definition.and_then(|text| super::definitions::topic(&text).ok()).map(|topic| topic.window);
    Ok(StoredReply {
        search: row.try_get("search")?,
        source: read::word(row, "source", Source::parse)?,
        seen_at,
        asked: requested.and_then(|(from, until)| Span::new(from, until)),
        window,
        request: row.try_get("request")?,
        headers: row.try_get("headers")?,
        truncated: row.try_get::<i64, _>("truncated")? != 0,
        unreadable: row.try_get("unreadable")?,
        body: row.try_get("body")?,
    })
}

/// Returns replies after one, in the order in which their searches were started.
pub(in crate::store) async fn after(conn: &mut Conn, search: i64, most: i64) -> Result<Vec<StoredReply>, StoreError> {
    let sql = format!("{REPLY} WHERE w.search > $1 ORDER BY w.search LIMIT $2");
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(search).bind(most).fetch_all(conn).await?;
    rows.iter().map(reply).collect()
}

/// Returns the next run in reading order that has replies, with its replies in the order of the sources.
pub(in crate::store) async fn next_run(
    conn: &mut Conn,
    after: i64,
    since: Time,
    topics: &[String],
) -> Result<Option<(StoredRun, Vec<StoredReply>)>, StoreError> {
    let sql = format!(
        "SELECT r.id, r.public_id, r.topic, r.seq, coalesce(r.started_at, r.slot, r.planned_at) AS at FROM run r \
         WHERE r.seq IS NOT NULL AND r.seq > $1 AND r.topic IS NOT NULL AND r.started_at >= $2 \
         AND ($3 = 0 OR r.topic IN (SELECT given.value FROM {})) \
         AND EXISTS (SELECT 1 FROM search q JOIN raw_reply w ON w.search = q.id WHERE q.run = r.id) ORDER BY r.seq LIMIT 1",
        super::texts(4)
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(after).bind(since.0).bind(i64::from(!topics.is_empty()));
    let Some(row) = query.bind(super::resolve::to_json(topics)?).fetch_optional(&mut *conn).await? else {
        return Ok(None);
    };
    let run = StoredRun {
        id: row.try_get("id")?,
        public_id: row.try_get("public_id")?,
        topic: row.try_get("topic")?,
        seq: row.try_get("seq")?,
        seen_at: Time(row.try_get("at")?),
    };
    let sql = format!("{REPLY} WHERE q.run = $1 ORDER BY {}, q.attempt", read::BY_SOURCE.replace("s.", "q."));
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(run.id).fetch_all(conn).await?;
    Ok(Some((run, rows.iter().map(reply).collect::<Result<_, _>>()?)))
}

/// Returns the number of answered searches whose replies are no longer kept.
pub(in crate::store) async fn pruned(conn: &mut Conn, since: Time, topics: &[String]) -> Result<i64, StoreError> {
    let sql = format!(
        "SELECT count(*) FROM run r JOIN search q ON q.run = r.id WHERE r.seq IS NOT NULL AND r.started_at >= $1 \
         AND ($2 = 0 OR r.topic IN (SELECT given.value FROM {})) AND q.state IN ('ok', 'empty') \
         AND NOT EXISTS (SELECT 1 FROM raw_reply w WHERE w.search = q.id)",
        super::texts(3)
    );
    let query = sqlx::query_scalar(AssertSqlSafe(sql)).bind(since.0).bind(i64::from(!topics.is_empty()));
    Ok(query.bind(super::resolve::to_json(topics)?).fetch_one(conn).await?)
}
