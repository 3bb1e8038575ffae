//! What is asked for on pages: one row, written there, and taken up by whichever daemon is first, in one transaction with
//! what was asked.

use sqlx::Row as _;

use super::{Conn, Row, controls, read};
use crate::model::{Request, RequestKind, RequestState, Time};
use crate::store::{StoreError, StoreErrorKind};

/// Requests that wait at a time; more are not taken.
const MOST: i64 = 100;
/// How long what became of one is told, milliseconds.
const KEPT: i64 = 7 * 86_400_000;

/// Asks, unless the same is asked already or too much is; whether it was written.
pub(in crate::store) async fn ask(
    conn: &mut Conn,
    id: &str,
    kind: RequestKind,
    topic: &str,
    now: Time,
) -> Result<bool, StoreError> {
    let written = sqlx::query(
        "INSERT INTO request (id, kind, topic, asked_at, state) SELECT $1, $2, $3, $4, 'queued' \
         WHERE NOT EXISTS (SELECT 1 FROM request WHERE state = 'queued' AND topic = $3 AND kind = $2) \
         AND (SELECT count(*) FROM request WHERE state = 'queued') < $5",
    )
    .bind(id)
    .bind(kind.as_str())
    .bind(topic)
    .bind(now.0)
    .bind(MOST)
    .execute(conn)
    .await?;
    Ok(written.rows_affected() > 0)
}

/// The requests that wait, the oldest first.
pub(in crate::store) async fn open(conn: &mut Conn) -> Result<Vec<Request>, StoreError> {
    let rows = sqlx::query(
        "SELECT id, kind, topic, asked_at, state, answer FROM request WHERE state = 'queued' ORDER BY asked_at, id LIMIT 20",
    )
    .fetch_all(conn)
    .await?;
    rows.iter().map(request).collect()
}

/// The last requests of a topic, the latest first.
pub(in crate::store) async fn of_topic(conn: &mut Conn, topic: &str, limit: i64) -> Result<Vec<Request>, StoreError> {
    let rows = sqlx::query(
        "SELECT id, kind, topic, asked_at, state, answer FROM request WHERE topic = $1 ORDER BY asked_at DESC, id DESC LIMIT $2",
    )
    .bind(topic)
    .bind(limit)
    .fetch_all(conn)
    .await?;
    rows.iter().map(request).collect()
}

/// One of them.
pub(in crate::store) async fn one(conn: &mut Conn, topic: &str, id: &str) -> Result<Option<Request>, StoreError> {
    let row = sqlx::query("SELECT id, kind, topic, asked_at, state, answer FROM request WHERE id = $1 AND topic = $2")
        .bind(id)
        .bind(topic)
        .fetch_optional(conn)
        .await?;
    row.as_ref().map(request).transpose()
}

fn request(row: &Row) -> Result<Request, StoreError> {
    Ok(Request {
        id: row.try_get("id")?,
        kind: read::word(row, "kind", RequestKind::parse)?,
        topic: row.try_get("topic")?,
        asked_at: Time(row.try_get("asked_at")?),
        state: read::word(row, "state", RequestState::parse)?,
        answer: row.try_get("answer")?,
    })
}

/// Does what was asked and says so; nothing when somebody else did. What cannot be done is refused in words.
pub(in crate::store) async fn take(conn: &mut Conn, request: &Request, now: Time) -> Result<bool, StoreError> {
    let topics = std::slice::from_ref(&request.topic);
    let taken = sqlx::query("UPDATE request SET state = 'done', done_at = $1 WHERE id = $2 AND state = 'queued'");
    if taken.bind(now.0).bind(&request.id).execute(&mut *conn).await?.rows_affected() == 0 {
        return Ok(false);
    }
    let done = match request.kind {
        RequestKind::RunNow => {
            let runs = [(request.topic.clone(), request.id.clone())];
            controls::queue_manual(conn, &runs, now).await.map(|()| "queued".to_owned())
        }
        RequestKind::Pause => controls::pause(conn, topics, Some("asked for on a page"), now).await.map(|paused| {
            let paused = paused.first();
            let cancelled = paused.map_or(0, |topic| topic.cancelled);
            let word = if paused.is_some_and(|topic| topic.already) { "was paused already" } else { "paused" };
            if cancelled > 0 { format!("{word}; queued runs cancelled: {cancelled}") } else { word.to_owned() }
        }),
        RequestKind::Resume => controls::resume(conn, topics, now).await.map(|resumed| match resumed.first() {
            Some(topic) if topic.by_file => {
                "stays paused: the configuration says `paused = true`, which wins".to_owned()
            }
            Some(topic) if topic.already => "was not paused".to_owned(),
            _ => "resumed".to_owned(),
        }),
    };
    let (state, answer) = match done {
        Ok(answer) => (RequestState::Done, answer),
        Err(error) if error.kind == StoreErrorKind::Refused => (RequestState::Refused, error.text),
        Err(error) => return Err(error),
    };
    sqlx::query("UPDATE request SET state = $1, answer = $2 WHERE id = $3")
        .bind(state.as_str())
        .bind(answer)
        .bind(&request.id)
        .execute(&mut *conn)
        .await?;
    sqlx::query("DELETE FROM request WHERE state <> 'queued' AND asked_at < $1")
        .bind(now.0 - KEPT)
        .execute(conn)
        .await?;
    Ok(true)
}
