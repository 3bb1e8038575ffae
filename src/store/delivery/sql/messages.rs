//! Messages of the outbox as people see and change them: list, count, queue again, drop; and cleaning up old ones.
//! Sending is in `outbox`.

use sqlx::{AssertSqlSafe, Row as _};

use super::outbox::{HELD, message_of, release};
use super::{Conn, Row, alert_messages, read};
use crate::model::{JobKind, OutboxEntry, OutboxState, Time, Undelivered, alert_of};
use crate::store::retention::rows::{Batch, MESSAGE_BYTES, Progress, StepInput};
use crate::store::{StoreError, WaitingMessages};

/// The most messages emptied by one statement.
const MOST_EMPTIED: i64 = 200;

/// The columns of a message. A queued message also waits until its channel may be used again.
fn columns() -> String {
    format!(
        "event, channel, kind, origin, subject, state, attempt, created_at, delivered_at, error, \
         (SELECT max(w.at) FROM (SELECT o.next_at AS at UNION ALL SELECT CAST(i.value AS BIGINT) FROM store_info i \
           WHERE i.name = '{HELD}' || o.channel) AS w) AS next_at"
    )
}

fn posted(row: &Row, with_body: bool) -> Result<OutboxEntry, StoreError> {
    let state = read::word(row, "state", OutboxState::parse)?;
    Ok(OutboxEntry {
        message: message_of(row, with_body)?,
        origin: row.try_get("origin")?,
        state,
        attempt: row.try_get("attempt")?,
        created_at: Time(row.try_get("created_at")?),
        next_at: read::time(row, "next_at")?.filter(|_| state == OutboxState::Queued),
        delivered_at: read::time(row, "delivered_at")?,
        error: row.try_get("error")?,
    })
}

pub(in crate::store) async fn list(
    conn: &mut Conn,
    state: Option<OutboxState>,
    limit: u32,
) -> Result<Vec<OutboxEntry>, StoreError> {
    let sql = format!(
        "SELECT {} FROM outbox o WHERE $1 = '' OR state = $1 ORDER BY created_at DESC, event DESC LIMIT $2",
        columns()
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(state.map_or("", OutboxState::as_str)).bind(i64::from(limit));
    query.fetch_all(conn).await?.iter().map(|row| posted(row, false)).collect()
}

pub(in crate::store) async fn counts(conn: &mut Conn) -> Result<Vec<(OutboxState, i64)>, StoreError> {
    let rows = sqlx::query("SELECT state, count(*) AS messages FROM outbox GROUP BY state").fetch_all(conn).await?;
    rows.iter().map(|row| Ok((read::word(row, "state", OutboxState::parse)?, row.try_get("messages")?))).collect()
}

pub(in crate::store) async fn undelivered(
    conn: &mut Conn,
    known: Option<&[String]>,
) -> Result<Undelivered, StoreError> {
    let dead = sqlx::query_scalar("SELECT count(*) FROM outbox WHERE state = 'dead'").fetch_one(&mut *conn).await?;
    // Uses the indexes of the two states, since there are many sent messages.
    let rows = sqlx::query(
        "SELECT channel, count(*) AS messages FROM (\
           SELECT channel FROM outbox WHERE state = 'queued' UNION ALL \
           SELECT channel FROM outbox WHERE state = 'sending') AS waiting GROUP BY channel",
    )
    .fetch_all(conn)
    .await?;
    let mut all = Undelivered { dead, ..Undelivered::default() };
    for row in &rows {
        let channel: String = row.try_get("channel")?;
        let messages: i64 = row.try_get("messages")?;
        *if known.is_none_or(|known| known.contains(&channel)) { &mut all.waiting } else { &mut all.stranded } +=
            messages;
    }
    Ok(all)
}

pub(in crate::store) async fn waiting(conn: &mut Conn) -> Result<Vec<WaitingMessages>, StoreError> {
    // Uses the indexes of the two states, since there are many sent messages.
    let rows = sqlx::query(
        "SELECT channel, kind, origin, CAST(sum(queued) AS BIGINT) AS messages, min(next_at) AS next_at FROM (\
           SELECT channel, kind, origin, 1 AS queued, next_at FROM outbox WHERE state = 'queued' UNION ALL \
           SELECT channel, kind, origin, 0 AS queued, lease_until AS next_at FROM outbox WHERE state = 'sending') AS waiting \
         GROUP BY channel, kind, origin, queued",
    )
    .fetch_all(conn)
    .await?;
    rows.iter()
        .map(|row| {
            let (kind, origin): (String, Option<String>) = (row.try_get("kind")?, row.try_get("origin")?);
            let origin = origin.filter(|_| kind == JobKind::Alert.as_str());
            Ok(WaitingMessages {
                channel: row.try_get("channel")?,
                alert: origin.as_deref().and_then(alert_of).map(str::to_owned),
                queued: row.try_get("messages")?,
                next_at: read::time(row, "next_at")?,
            })
        })
        .collect()
}

pub(in crate::store) async fn empty_sent(conn: &mut Conn, before: Time) -> Result<u64, StoreError> {
    // A message is never delivered before it was queued, so the index on `created_at` bounds the search.
    let done = sqlx::query(
        "UPDATE outbox SET text = '', html = NULL, data = NULL WHERE event IN (\
           SELECT o.event FROM outbox o WHERE o.created_at < $1 AND o.state = 'sent' AND o.delivered_at < $1 \
           AND (o.text <> '' OR o.html IS NOT NULL OR o.data IS NOT NULL) ORDER BY o.created_at, o.event LIMIT $2) \
         AND state = 'sent'",
    )
    .bind(before.0)
    .bind(MOST_EMPTIED)
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

pub(in crate::store) async fn message(conn: &mut Conn, event: &str) -> Result<Option<OutboxEntry>, StoreError> {
    let sql = format!("SELECT {}, text, html, data FROM outbox o WHERE event = $1", columns());
    let row = sqlx::query(AssertSqlSafe(sql)).bind(event).fetch_optional(conn).await?;
    row.map(|row| posted(&row, true)).transpose()
}

pub(in crate::store) async fn retry(conn: &mut Conn, events: Option<&[String]>, now: Time) -> Result<u64, StoreError> {
    const AGAIN: &str =
        "UPDATE outbox SET state = 'queued', attempt = 0, next_at = $1, delivered_at = NULL WHERE state";
    // A message whose body was deleted or erased would be sent empty.
    const WHOLE: &str = "NOT (text = '' AND html IS NULL AND data IS NULL) RETURNING channel";
    let mut channels: Vec<String> = Vec::new();
    match events {
        None => {
            let all = sqlx::query_scalar(AssertSqlSafe(format!("{AGAIN} = 'dead' AND {WHOLE}")));
            channels = all.bind(now.0).fetch_all(&mut *conn).await?;
        }
        Some(events) => {
            for event in events {
                let one = sqlx::query_scalar(AssertSqlSafe(format!("{AGAIN} <> 'sending' AND event = $2 AND {WHOLE}")));
                channels.extend(one.bind(now.0).bind(event).fetch_optional(&mut *conn).await?);
            }
        }
    }
    let queued = channels.len() as u64;
    channels.sort_unstable();
    channels.dedup();
    // A person who asks for a retry means now, even if the channel asked to wait.
    for channel in channels {
        release(conn, &channel).await?;
    }
    Ok(queued)
}

pub(in crate::store) async fn delete(
    conn: &mut Conn,
    events: Option<&[String]>,
    now: Time,
) -> Result<Vec<String>, StoreError> {
    let mut gone: Vec<(String, Option<String>)> = Vec::new();
    if events.is_none() {
        let all = sqlx::query_as("DELETE FROM outbox WHERE state = 'dead' RETURNING event, origin");
        gone = all.fetch_all(&mut *conn).await?;
        gone.sort_unstable();
    }
    for event in events.unwrap_or_default() {
        // A message left by a dead process, on a channel that is gone: no process would take it over.
        let one = sqlx::query_as(
            "DELETE FROM outbox WHERE event = $1 AND (state IN ('queued', 'dead') OR (state = 'sending' AND lease_until <= $2)) \
             RETURNING event, origin",
        );
        gone.extend(one.bind(event).bind(now.0).fetch_optional(&mut *conn).await?);
    }
    for name in gone.iter().filter_map(|(_, origin)| origin.as_deref()) {
        if let Some(alert) = alert_of(name) {
            alert_messages::mark_dropped(conn, alert, name).await?;
        }
    }
    Ok(gone.into_iter().map(|(event, _)| event).collect())
}

/// Deletes sent and dead messages older than an instant. Messages of a run are deleted with the run.
pub(in crate::store) async fn prune(conn: &mut Conn, input: &StepInput) -> Result<Batch, StoreError> {
    let rows = sqlx::query(
        "SELECT o.event, o.created_at, CAST(CASE WHEN o.state IN ('sent', 'dead') \
           AND NOT EXISTS (SELECT 1 FROM run r WHERE r.public_id = o.origin) THEN 1 ELSE 0 END AS BIGINT) AS goes \
         FROM outbox o WHERE o.created_at < $1 AND o.created_at >= $2 AND (o.created_at > $2 OR o.event > $3) \
         ORDER BY o.created_at, o.event LIMIT $4",
    );
    let rows = rows.bind(input.before).bind(input.after.at).bind(&input.after.name).bind(input.limit);
    let rows = rows.fetch_all(&mut *conn).await?;
    let mut batch = Batch::new(input, rows.len());
    let mut events: Vec<String> = Vec::new();
    for row in &rows {
        batch.after = Progress { at: row.try_get("created_at")?, name: row.try_get("event")?, ..Progress::default() };
        if row.try_get::<i64, _>("goes")? == 1 {
            events.push(batch.after.name.clone());
        }
    }
    batch.add("outbox", events.len(), MESSAGE_BYTES * i64::try_from(events.len()).unwrap_or(i64::MAX));
    if !input.dry_run && !events.is_empty() {
        let sql = format!(
            "DELETE FROM outbox WHERE state IN ('sent', 'dead') AND event IN (SELECT given.value FROM {})",
            super::texts(1)
        );
        sqlx::query(AssertSqlSafe(sql)).bind(serde_json::json!(events).to_string()).execute(conn).await?;
    }
    Ok(batch)
}
