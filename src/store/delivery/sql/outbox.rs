//! Statements of the outbox: adding messages in the transaction that causes them, claiming them one by one, settling
//! them by token, and moving the cursor when the last message of a report is sent. What people see and change is in
//! `messages`.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, Row, followers, read};
use crate::model::{JobKind, Message, OutboxState, QuietHours, Time};
use crate::store::{AbandonedMessage, ClaimedMessage, Outgoing, SendResult, StoreError};

pub(in crate::store) async fn add(
    conn: &mut Conn,
    messages: &[Message],
    origin: &str,
    now: Time,
) -> Result<(), StoreError> {
    for message in messages {
        sqlx::query(
            "INSERT INTO outbox (event, channel, kind, origin, subject, text, html, data, state, created_at, next_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'queued', $9, $9) ON CONFLICT (event) DO NOTHING",
        )
        .bind(&message.event)
        .bind(&message.channel)
        .bind(&message.kind)
        .bind(origin)
        .bind(&message.subject)
        .bind(&message.text)
        .bind(&message.html)
        .bind(&message.data)
        .bind(now.0)
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

/// The prefix of the names in `store_info` that hold until when a channel wants no messages.
pub(super) const HELD: &str = "channel_held_until:";

fn hold_name(channel: &str) -> String {
    format!("{HELD}{channel}")
}

pub(in crate::store) async fn hold_channel(conn: &mut Conn, channel: &str, until: Time) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO store_info (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value \
         WHERE CAST(excluded.value AS BIGINT) > CAST(store_info.value AS BIGINT)",
    )
    .bind(hold_name(channel))
    .bind(until.0.to_string())
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns until when a channel wants no messages, even if that has passed.
pub(in crate::store) async fn held_until(conn: &mut Conn, channel: &str) -> Result<Option<i64>, StoreError> {
    let until = sqlx::query_scalar("SELECT CAST(value AS BIGINT) FROM store_info WHERE name = $1");
    Ok(until.bind(hold_name(channel)).fetch_optional(conn).await?)
}

/// Ends the pause of a channel.
pub(super) async fn release(conn: &mut Conn, channel: &str) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM store_info WHERE name = $1").bind(hold_name(channel)).execute(conn).await?;
    Ok(())
}

/// Moves the cursor of a run's report when all its messages are sent. It never moves back.
pub(in crate::store) async fn delivered(conn: &mut Conn, run: &str, now: Time) -> Result<(), StoreError> {
    let done = sqlx::query(
        "UPDATE report SET delivered_at = $1 WHERE run = $2 AND delivered_at IS NULL \
         AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.origin = report.run AND o.state <> 'sent')",
    )
    .bind(now.0)
    .bind(run)
    .execute(&mut *conn)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(());
    }
    followers::raise_to_report(conn, run).await
}

pub(in crate::store) async fn next(conn: &mut Conn, channel: &str) -> Result<Option<Time>, StoreError> {
    let row = sqlx::query(
        "SELECT (SELECT min(next_at) FROM outbox WHERE channel = $1 AND state = 'queued') AS queued, \
           (SELECT min(lease_until) FROM outbox WHERE channel = $1 AND state = 'sending') AS lost",
    );
    let row = row.bind(channel).fetch_one(&mut *conn).await?;
    let (queued, lost): (Option<i64>, Option<i64>) = (row.try_get("queued")?, row.try_get("lost")?);
    let until = if queued.is_some() { held_until(conn, channel).await? } else { None };
    let queued = queued.map(|at| until.map_or(at, |until| at.max(until)));
    Ok([queued, lost].into_iter().flatten().min().map(Time))
}

/// SQL condition: a message of channel `$1` waits for longer than until `$2`, and not for the end of a snooze. `$3` is the
/// kind of alerts, `$4` the longest quiet hours.
const PUT_OFF: &str = "channel = $1 AND state = 'queued' AND next_at > $2 \
     AND NOT (kind = $3 AND EXISTS (SELECT 1 FROM alert_state s \
       WHERE s.snoozed_until <= outbox.next_at AND s.snoozed_until + $4 >= outbox.next_at))";

/// Returns whether a clock that was ahead put off a channel or one of its messages.
pub(in crate::store) async fn is_put_off(conn: &mut Conn, channel: &str, now: Time) -> Result<bool, StoreError> {
    let farthest = now.believed_until(Message::LONGEST_WAIT).0;
    if held_until(conn, channel).await?.is_some_and(|until| until > farthest) {
        return Ok(true);
    }
    let sql = format!(
        "SELECT (SELECT count(*) FROM outbox WHERE {PUT_OFF}) \
         + (SELECT count(*) FROM outbox WHERE channel = $1 AND state = 'sending' AND lease_until > $2)"
    );
    let query = sqlx::query_scalar::<_, i64>(AssertSqlSafe(sql)).bind(channel).bind(farthest);
    Ok(query.bind(JobKind::Alert.as_str()).bind(QuietHours::LONGEST_MS).fetch_one(conn).await? > 0)
}

/// Makes a channel usable, and its messages due, if they were put off by a clock that was ahead. Messages that wait for
/// the end of a snooze keep waiting.
async fn bring_forward(conn: &mut Conn, channel: &str, now: Time) -> Result<(), StoreError> {
    let farthest = now.believed_until(Message::LONGEST_WAIT).0;
    if held_until(conn, channel).await?.is_some_and(|until| until > farthest) {
        release(conn, channel).await?;
    }
    let sql = format!("UPDATE outbox SET next_at = $5 WHERE {PUT_OFF}");
    let query = sqlx::query(AssertSqlSafe(sql)).bind(channel).bind(farthest);
    query.bind(JobKind::Alert.as_str()).bind(QuietHours::LONGEST_MS).bind(now.0).execute(conn).await?;
    Ok(())
}

pub(in crate::store) async fn claim(
    conn: &mut Conn,
    channel: &str,
    now: Time,
    lease: Duration,
    most: u32,
    token: &str,
) -> Result<ClaimedMessage, StoreError> {
    bring_forward(conn, channel, now).await?;
    let ended = sqlx::query(
        "UPDATE outbox SET state = CASE WHEN attempt >= $1 THEN 'dead' ELSE 'queued' END, next_at = $2, \
         error = 'the process that was sending it stopped or hung', token = NULL, lease_until = NULL \
         WHERE channel = $3 AND state = 'sending' AND (lease_until <= $2 OR lease_until > $4) RETURNING event, state, attempt, error",
    )
    .bind(i64::from(most))
    .bind(now.0)
    .bind(channel)
    .bind(now.believed_until(Message::LONGEST_WAIT).0)
    .fetch_all(&mut *conn)
    .await?;
    let mut given_up = Vec::new();
    for row in &ended {
        if read::word(row, "state", OutboxState::parse)? == OutboxState::Dead {
            let (event, attempt, error) = (row.try_get("event")?, row.try_get("attempt")?, row.try_get("error")?);
            given_up.push(AbandonedMessage { event, attempt, error });
        }
    }
    given_up.sort_by(|a, b| a.event.cmp(&b.event));
    if held_until(conn, channel).await?.is_some_and(|until| until > now.0) {
        return Ok(ClaimedMessage { message: None, given_up });
    }
    let sql = format!(
        "WITH due AS MATERIALIZED (SELECT q.event FROM outbox q WHERE q.channel = $1 AND q.state = 'queued' AND q.next_at <= $2 \
         ORDER BY q.next_at, q.event LIMIT 1{}) \
         UPDATE outbox SET state = 'sending', attempt = attempt + 1, token = $3, lease_until = $4 WHERE event IN (SELECT event FROM due) \
         RETURNING event, channel, kind, origin, subject, text, html, data, attempt, created_at",
        super::CLAIM_LOCK
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(channel).bind(now.0).bind(token).bind(now.plus(lease).0);
    let Some(row) = query.fetch_optional(conn).await? else { return Ok(ClaimedMessage { message: None, given_up }) };
    let message = Some(Outgoing {
        message: message_of(&row, true)?,
        origin: row.try_get("origin")?,
        attempt: row.try_get("attempt")?,
        created_at: Time(row.try_get("created_at")?),
        token: token.to_owned(),
    });
    Ok(ClaimedMessage { message, given_up })
}

/// Does nothing if another process has taken the message over.
pub(in crate::store) async fn postpone(conn: &mut Conn, out: &Outgoing, until: Time) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE outbox SET state = 'queued', attempt = attempt - 1, next_at = $1, token = NULL, lease_until = NULL \
         WHERE event = $2 AND state = 'sending' AND token = $3",
    )
    .bind(until.0)
    .bind(&out.message.event)
    .bind(&out.token)
    .execute(conn)
    .await?;
    Ok(())
}

pub(super) fn message_of(row: &Row, with_body: bool) -> Result<Message, StoreError> {
    Ok(Message {
        event: row.try_get("event")?,
        channel: row.try_get("channel")?,
        kind: row.try_get("kind")?,
        subject: row.try_get("subject")?,
        text: if with_body { row.try_get("text")? } else { String::new() },
        html: if with_body { row.try_get("html")? } else { None },
        data: if with_body { row.try_get("data")? } else { None },
    })
}

pub(in crate::store) async fn settle(
    conn: &mut Conn,
    out: &Outgoing,
    settled: &SendResult,
    now: Time,
) -> Result<(), StoreError> {
    if let Some(origin) = &out.origin {
        // Lock the report, so that two messages settled at once see each other: otherwise neither would be the last.
        let sql = format!("SELECT run FROM report WHERE run = $1{}", super::ROW_LOCK);
        sqlx::query(AssertSqlSafe(sql)).bind(origin).fetch_optional(&mut *conn).await?;
    }
    let (state, error, next_at, delivered_at) = match settled {
        SendResult::Sent => (OutboxState::Sent, None, now, Some(now.0)),
        SendResult::Again(at, error) => (OutboxState::Queued, Some(error), *at, None),
        SendResult::Dead(error) => (OutboxState::Dead, Some(error), now, None),
    };
    let done = sqlx::query(
        "UPDATE outbox SET state = $1, error = $2, next_at = $3, delivered_at = $4, token = NULL, lease_until = NULL \
         WHERE event = $5 AND state = 'sending' AND token = $6",
    )
    .bind(state.as_str())
    .bind(error)
    .bind(next_at.0)
    .bind(delivered_at)
    .bind(&out.message.event)
    .bind(&out.token)
    .execute(&mut *conn)
    .await?;
    if done.rows_affected() == 0 {
        return Err(StoreError::fenced(&out.message.event));
    }
    if state == OutboxState::Sent {
        release(conn, &out.message.channel).await?;
    }
    match &out.origin {
        Some(origin) if state == OutboxState::Sent => delivered(conn, origin, now).await,
        _ => Ok(()),
    }
}
