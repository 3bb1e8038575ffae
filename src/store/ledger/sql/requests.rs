//! Requests made on pages: one row each, stored there, and executed by the first daemon that takes it, in one
//! transaction.

use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, Row, alerts, controls, outbox, read};
use crate::model::{ControlRequest, JobKind, Message, Request, RequestKind, RequestState, Time, alert_job};
use crate::store::{StoreError, StoreErrorKind};

/// The most waiting requests; more are not accepted.
const MOST: i64 = 100;
/// How long finished requests are shown, in milliseconds.
const RETENTION_MS: i64 = 7 * 86_400_000;

const REQUEST: &str = "SELECT id, kind, topic, alert, event, length, asked_at, state, answer FROM request";

/// Stores a request, unless the same one is waiting, its id is taken, or too many are waiting. Returns whether it was
/// stored.
pub(in crate::store) async fn store(
    conn: &mut Conn,
    id: &str,
    request: &ControlRequest,
    now: Time,
) -> Result<bool, StoreError> {
    let (topic, alert) =
        if request.kind.is_for_alert() { (None, Some(&request.of)) } else { (Some(&request.of), None) };
    let written = sqlx::query(
        "INSERT INTO request (id, kind, topic, alert, event, length, asked_at, state) SELECT $1, $2, $3, $4, $5, $6, $7, 'queued' \
         WHERE NOT EXISTS (SELECT 1 FROM request WHERE state = 'queued' AND kind = $2 AND coalesce(topic, alert) = $8 \
         AND coalesce(event, '') = coalesce($5, '') AND coalesce(length, 0) = coalesce($6, 0)) \
         AND (SELECT count(*) FROM request WHERE state = 'queued') < $9 \
         AND NOT EXISTS (SELECT 1 FROM run WHERE public_id = $1) ON CONFLICT (id) DO NOTHING",
    )
    .bind(id)
    .bind(request.kind.as_str())
    .bind(topic)
    .bind(alert)
    .bind(&request.event)
    .bind(request.length_ms)
    .bind(now.0)
    .bind(&request.of)
    .bind(MOST)
    .execute(conn)
    .await?;
    Ok(written.rows_affected() > 0)
}

/// Returns waiting requests, the oldest first.
pub(in crate::store) async fn open(conn: &mut Conn) -> Result<Vec<Request>, StoreError> {
    let sql = format!("{REQUEST} WHERE state = 'queued' ORDER BY asked_at, id LIMIT 20");
    sqlx::query(AssertSqlSafe(sql)).fetch_all(conn).await?.iter().map(request).collect()
}

/// Returns the last requests for a topic, the latest first.
pub(in crate::store) async fn of_topic(conn: &mut Conn, topic: &str, limit: i64) -> Result<Vec<Request>, StoreError> {
    let sql = format!("{REQUEST} WHERE topic = $1 ORDER BY asked_at DESC, id DESC LIMIT $2");
    sqlx::query(AssertSqlSafe(sql)).bind(topic).bind(limit).fetch_all(conn).await?.iter().map(request).collect()
}

/// Returns the last requests for alerts, or for one alert, the latest first.
pub(in crate::store) async fn of_alerts(
    conn: &mut Conn,
    alert: Option<&str>,
    limit: i64,
) -> Result<Vec<Request>, StoreError> {
    let sql = format!(
        "{REQUEST} WHERE alert IS NOT NULL AND ($1 = '' OR alert = $1) ORDER BY asked_at DESC, id DESC LIMIT $2"
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(alert.unwrap_or("")).bind(limit).fetch_all(conn).await?;
    rows.iter().map(request).collect()
}

/// Returns one request.
pub(in crate::store) async fn one(conn: &mut Conn, id: &str) -> Result<Option<Request>, StoreError> {
    let row = sqlx::query(AssertSqlSafe(format!("{REQUEST} WHERE id = $1"))).bind(id).fetch_optional(conn).await?;
    row.as_ref().map(request).transpose()
}

fn request(row: &Row) -> Result<Request, StoreError> {
    let topic: Option<String> = row.try_get("topic")?;
    let of = match topic {
        Some(topic) => topic,
        None => row.try_get("alert")?,
    };
    let request = ControlRequest {
        kind: read::word(row, "kind", RequestKind::parse)?,
        of,
        event: row.try_get("event")?,
        length_ms: row.try_get("length")?,
    };
    Ok(Request {
        id: row.try_get("id")?,
        request,
        asked_at: Time(row.try_get("asked_at")?),
        state: read::word(row, "state", RequestState::parse)?,
        answer: row.try_get("answer")?,
    })
}

/// Executes a request and stores the result. Returns false if another process did. A refusal is stored as the result.
pub(in crate::store) async fn execute(conn: &mut Conn, request: &Request, now: Time) -> Result<bool, StoreError> {
    let taken = sqlx::query("UPDATE request SET state = 'done', done_at = $1 WHERE id = $2 AND state = 'queued'");
    if taken.bind(now.0).bind(&request.id).execute(&mut *conn).await?.rows_affected() == 0 {
        return Ok(false);
    }
    let (state, answer) = match execute_kind(conn, request, now).await {
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
        .bind(now.0 - RETENTION_MS)
        .execute(conn)
        .await?;
    Ok(true)
}

/// Executes a request and returns the result as text. The page may be out of date, so the text also says what had
/// changed.
async fn execute_kind(conn: &mut Conn, request: &Request, now: Time) -> Result<String, StoreError> {
    let ControlRequest { kind, of, event, length_ms } = &request.request;
    if kind.is_for_alert() {
        require_alert(conn, of).await?;
    }
    match kind {
        RequestKind::RunNow => {
            if let Some(channel) = of.strip_prefix("channel:") {
                return queue_test_message(conn, channel, &request.id, now).await;
            }
            let runs = [(of.clone(), request.id.clone())];
            let queued = match of.contains(':') {
                true => controls::queue_job(conn, of, &request.id, now).await,
                false => controls::queue_manual(conn, &runs, now).await,
            };
            queued.map(|()| "queued".to_owned())
        }
        RequestKind::Pause => pause(conn, of, now).await,
        RequestKind::Resume => resume(conn, of, now).await,
        RequestKind::Ack => acknowledge(conn, of, event.as_deref(), now).await,
        RequestKind::Snooze => {
            let until = Time(request.asked_at.0.saturating_add(length_ms.unwrap_or(0)));
            if until <= now {
                return Err(StoreError::refused("the snooze was over before a daemon handled it", ""));
            }
            alerts::snooze(conn, of, Some(until)).await?;
            Ok(format!("snoozed until {until}"))
        }
        RequestKind::Unsnooze => unsnooze(conn, of, now).await,
    }
}

/// Queues a test message.
async fn queue_test_message(conn: &mut Conn, channel: &str, id: &str, now: Time) -> Result<String, StoreError> {
    let message = Message {
        event: format!("test/{id}"),
        channel: channel.to_owned(),
        kind: JobKind::Report.as_str().to_owned(),
        subject: "Test from topicwatch".to_owned(),
        text: "Test message, requested on a web page: this channel works.".to_owned(),
        html: None,
        data: None,
    };
    outbox::add(conn, &[message], id, now).await?;
    Ok("queued".to_owned())
}

async fn pause(conn: &mut Conn, topic: &String, now: Time) -> Result<String, StoreError> {
    let paused =
        controls::pause(conn, std::slice::from_ref(topic), Some("requested through the pages or the API"), now).await?;
    let paused = paused.first();
    let cancelled = paused.map_or(0, |topic| topic.cancelled);
    let word = if paused.is_some_and(|topic| topic.already) { "was already paused" } else { "paused" };
    Ok(if cancelled > 0 { format!("{word}; queued runs cancelled: {cancelled}") } else { word.to_owned() })
}

async fn resume(conn: &mut Conn, topic: &String, now: Time) -> Result<String, StoreError> {
    let resumed = controls::resume(conn, std::slice::from_ref(topic), now).await?;
    let answer = match resumed.first() {
        Some(topic) if topic.by_file => "stays paused: the configuration has `paused = true`, which takes precedence",
        Some(topic) if topic.already => "was not paused",
        Some(_) | None => "resumed",
    };
    Ok(answer.to_owned())
}

/// Refuses requests for an alert that is no longer configured.
async fn require_alert(conn: &mut Conn, alert: &str) -> Result<(), StoreError> {
    let existing: Option<String> =
        sqlx::query_scalar("SELECT id FROM job WHERE id = $1 AND kind = $2 AND removed_at IS NULL")
            .bind(alert_job(alert))
            .bind(JobKind::Alert.as_str())
            .fetch_optional(conn)
            .await?;
    match existing {
        Some(_) => Ok(()),
        None => Err(StoreError::refused(format!("there is no alert `{alert}` any more"), "")),
    }
}

async fn unsnooze(conn: &mut Conn, alert: &str, now: Time) -> Result<String, StoreError> {
    let until: Option<Option<i64>> = sqlx::query_scalar("SELECT snoozed_until FROM alert_state WHERE alert = $1")
        .bind(alert)
        .fetch_optional(&mut *conn)
        .await?;
    alerts::snooze(conn, alert, None).await?;
    let snoozed = until.flatten().is_some_and(|until| until > now.0);
    Ok(if snoozed { "no longer snoozed" } else { "was not snoozed" }.to_owned())
}

async fn acknowledge(conn: &mut Conn, name: &str, event: Option<&str>, now: Time) -> Result<String, StoreError> {
    if let Some(event) = event {
        let existing: Option<String> =
            sqlx::query_scalar("SELECT event FROM alert_event WHERE event = $1 AND alert = $2")
                .bind(event)
                .bind(name)
                .fetch_optional(&mut *conn)
                .await?;
        if existing.is_none() {
            return Err(StoreError::refused(format!("`{name}` has no such event any more"), ""));
        }
    }
    let acked = alerts::ack(conn, name, event, now).await?;
    if acked.events == 0 && acked.firing == 0 {
        return Ok("nothing to acknowledge".to_owned());
    }
    let s = if acked.events == 1 { "" } else { "s" };
    Ok(format!("acknowledged: {} event{s}", acked.events))
}
