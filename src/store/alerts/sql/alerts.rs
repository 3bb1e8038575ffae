//! Alerts: their definitions, the runs they check, their state, and what a check changes. An event is added once,
//! whichever process finds it; the cursor moves only if it is still where the check began.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, Row, alert_messages, definitions, followers, outbox, pulse, read};
use crate::model::{
    Acked, AlertEvent, AlertEventKind, AlertRun, AlertSpec, AlertState, Delivery, Firing, JobKind, RunState,
    SearchHealth, SearchState, Source, Time, alert_job,
};
use crate::store::{AlertChange, Cursor, MOST_WAITING, StoreError};

/// How long an event is kept.
const RETENTION: Duration = Duration::from_secs(400 * 86_400);

pub(in crate::store) const EVENT: &str =
    "SELECT event, alert, subject, kind, at, summary, lines, message, muted, acked_at FROM alert_event";

/// True for jobs that are alerts: `;` follows `:` in ASCII. The kind has no index, and topics are many.
pub(in crate::store) const IS_ALERT: &str = "id > 'alert:' AND id < 'alert;'";

pub(in crate::store) async fn specs(conn: &mut Conn) -> Result<Vec<AlertSpec>, StoreError> {
    let sql =
        format!("SELECT id, definition FROM job WHERE kind = $1 AND removed_at IS NULL AND {IS_ALERT} ORDER BY id");
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(JobKind::Alert.as_str()).fetch_all(conn).await?;
    let mut all = Vec::with_capacity(rows.len());
    for row in &rows {
        let read = definitions::job(&row.try_get::<String, _>("definition")?)
            .and_then(|job| job.alert().map_err(|e| StoreError::unreadable(&format!("an alert ({e})"))));
        match read {
            Ok(spec) => all.push(spec),
            Err(error) => tracing::error!(job = row.try_get::<String, _>("id")?, "not evaluated: {error}"),
        }
    }
    Ok(all)
}

pub(in crate::store) async fn runs(conn: &mut Conn, since: i64, most: i64) -> Result<Vec<AlertRun>, StoreError> {
    let sql = format!(
        "SELECT r.public_id, r.topic, r.seq, r.state, {} AS at FROM run r WHERE r.seq > $1 AND r.topic IS NOT NULL \
         ORDER BY r.seq LIMIT $2",
        read::RUN_AT
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(since).bind(most).fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            Ok(AlertRun {
                run: row.try_get("public_id")?,
                topic: row.try_get("topic")?,
                seq: row.try_get("seq")?,
                state: read::word(row, "state", RunState::parse)?,
                at: Time(row.try_get("at")?),
            })
        })
        .collect()
}

/// Returns the last `seq` of the runs that started before an instant. Missed and skipped slots do not count: they may be
/// recorded long after their time.
pub(in crate::store) async fn seq_before(conn: &mut Conn, at: Time) -> Result<i64, StoreError> {
    let sql = format!(
        "SELECT coalesce(max(r.seq), 0) FROM run r WHERE r.seq IS NOT NULL AND r.started_at IS NOT NULL AND {} < $1",
        read::RUN_AT
    );
    Ok(sqlx::query_scalar(AssertSqlSafe(sql)).bind(at.0).fetch_one(conn).await?)
}

pub(in crate::store) async fn missed_before(
    conn: &mut Conn,
    topic: &str,
    seq: i64,
) -> Result<(i64, Option<Time>), StoreError> {
    let sql = format!(
        "SELECT count(*) AS many, min({}) AS first_at FROM run r WHERE r.topic = $1 AND r.state = 'missed' AND r.seq < $2 \
         AND r.seq > coalesce((SELECT o.seq FROM run o WHERE o.topic = $1 AND o.seq < $2 \
           AND o.state IN ('ok', 'partial', 'failed', 'over_quota') ORDER BY o.seq DESC LIMIT 1), 0)",
        read::RUN_AT
    );
    let row = sqlx::query(AssertSqlSafe(sql)).bind(topic).bind(seq).fetch_one(conn).await?;
    Ok((row.try_get("many")?, read::time(&row, "first_at")?))
}

pub(in crate::store) fn event(row: &Row) -> Result<AlertEvent, StoreError> {
    let lines: String = row.try_get("lines")?;
    Ok(AlertEvent {
        event: row.try_get("event")?,
        alert: row.try_get("alert")?,
        subject: row.try_get("subject")?,
        kind: read::word(row, "kind", AlertEventKind::parse)?,
        at: Time(row.try_get("at")?),
        summary: row.try_get("summary")?,
        // An event blanked by `forget` has no lines.
        lines: serde_json::from_str(&lines).unwrap_or_default(),
        message: row.try_get("message")?,
        delivery: None,
        muted: row.try_get("muted")?,
        acked_at: read::time(row, "acked_at")?,
    })
}

pub(in crate::store) async fn state(conn: &mut Conn, alert: &str) -> Result<AlertState, StoreError> {
    let cursor = followers::cursor(conn, &alert_job(alert)).await?;
    let state = sqlx::query("SELECT sent_at, snoozed_until FROM alert_state WHERE alert = $1");
    let state = state.bind(alert).fetch_optional(&mut *conn).await?;
    let at = |column| state.as_ref().map_or(Ok(None), |row| read::time(row, column));
    let (sent_at, snoozed_until) = (at("sent_at")?, at("snoozed_until")?);
    // An event with a message was reported, at least to some channels.
    let firing = "SELECT f.subject, f.since, f.acked, (SELECT CASE WHEN e.message IS NULL THEN e.muted END FROM alert_event e WHERE e.alert = f.alert AND e.at = f.since \
         AND e.subject = f.subject AND e.kind = 'fired' LIMIT 1) AS muted FROM alert_firing f WHERE f.alert = $1 ORDER BY f.subject";
    let rows = sqlx::query(firing).bind(alert).fetch_all(&mut *conn).await?;
    let firing = rows.iter().map(|row| {
        let acked = row.try_get::<i64, _>("acked")? != 0;
        let (subject, since) = (row.try_get("subject")?, Time(row.try_get("since")?));
        Ok(Firing { subject, since, acked, muted: row.try_get("muted")? })
    });
    let firing = firing.collect::<Result<_, StoreError>>()?;
    let sql = format!("{EVENT} WHERE alert = $1 AND message IS NULL AND muted IS NULL ORDER BY at, event LIMIT $2");
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(alert).bind(MOST_WAITING).fetch_all(&mut *conn).await?;
    let waiting: Vec<AlertEvent> = rows.iter().map(event).collect::<Result<_, _>>()?;
    let waiting_in_all =
        sqlx::query_scalar("SELECT count(*) FROM alert_event WHERE alert = $1 AND message IS NULL AND muted IS NULL")
            .bind(alert)
            .fetch_one(&mut *conn)
            .await?;
    let last = alert_messages::last(conn, &super::resolve::to_json(&[alert])?).await?.remove(alert);
    let delivery = sent_at.map(|_| last.unwrap_or(Delivery::Unknown));
    let cursor = cursor.map(|cursor| (cursor.seq, cursor.at));
    Ok(AlertState { cursor, sent_at, delivery, snoozed_until, firing, waiting, waiting_in_all })
}

/// Returns the searches of a topic's latest runs, by source. Marks those of spans that were already over (backfills):
/// they say nothing about the present.
pub(in crate::store) async fn searched(
    conn: &mut Conn,
    topic: &str,
    until: i64,
    runs: u32,
) -> Result<Vec<SearchHealth>, StoreError> {
    let sql = format!(
        "SELECT s.source, s.state, r.started_at AS at, s.found, s.new, s.duplicate, s.outside, s.undated, CAST({} AS BIGINT) AS fresh, \
         coalesce(s.error_class, s.reason) AS trouble, CAST(CASE WHEN {} THEN 1 ELSE 0 END AS BIGINT) AS past, {} AS empty_in_error \
         FROM run r JOIN search s ON s.run = r.id AND s.attempt = r.attempt \
         WHERE r.topic = $1 AND r.seq <= $2 AND r.started_at IS NOT NULL \
         AND r.seq >= coalesce((SELECT o.seq FROM run o WHERE o.topic = $1 AND o.seq <= $2 AND o.started_at IS NOT NULL \
           ORDER BY o.seq DESC LIMIT 1 OFFSET $3), 0) ORDER BY s.source, r.seq, s.id",
        pulse::FRESH,
        is_backfill!("s", "r"),
        read::EMPTY_IN_ERROR
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(topic).bind(until).bind(i64::from(runs.max(1)) - 1);
    let rows = query.fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            Ok(SearchHealth {
                source: read::word(row, "source", Source::parse)?,
                state: read::word(row, "state", SearchState::parse)?,
                at: Time(row.try_get("at")?),
                counts: read::counts(row)?,
                fresh: row.try_get("fresh")?,
                past: row.try_get::<i64, _>("past")? != 0,
                empty_in_error: row.try_get::<i64, _>("empty_in_error")? != 0,
                trouble: row.try_get("trouble")?,
            })
        })
        .collect()
}

pub(in crate::store) async fn store_change(
    conn: &mut Conn,
    alert: &str,
    change: &AlertChange,
    now: Time,
) -> Result<bool, StoreError> {
    let cursor = |(seq, at)| Cursor { seq, at };
    let (name, from) = (alert_job(alert), change.from.map(cursor));
    if !followers::advance_cursor(conn, &name, from, cursor(change.to)).await? {
        return Ok(false);
    }
    if change.from.is_none() {
        // The alert begins, perhaps again: the state that an older version left is outdated.
        alert_messages::end_all(conn, alert, "removed").await?;
    }
    if let Some(why) = change.dropped {
        alert_messages::drop_waiting(conn, alert, why).await?;
    }
    for event in &change.events {
        let lines = serde_json::to_string(&event.lines).unwrap_or_else(|_| "[]".to_owned());
        sqlx::query(
            "INSERT INTO alert_event (event, alert, subject, kind, at, summary, lines, muted) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
             ON CONFLICT (event) DO NOTHING",
        )
        .bind(&event.event)
        .bind(alert)
        .bind(&event.subject)
        .bind(event.kind.as_str())
        .bind(event.at.0)
        .bind(&event.summary)
        .bind(lines)
        .bind(&event.muted)
        .execute(&mut *conn)
        .await?;
    }
    // Deletes come first, so that a subject that ended and began again within one check still fires.
    for subject in &change.ended {
        sqlx::query("DELETE FROM alert_firing WHERE alert = $1 AND subject = $2")
            .bind(alert)
            .bind(subject)
            .execute(&mut *conn)
            .await?;
    }
    for firing in &change.begun {
        sqlx::query(
            "INSERT INTO alert_firing (alert, subject, since) VALUES ($1, $2, $3) ON CONFLICT (alert, subject) DO NOTHING",
        )
        .bind(alert)
        .bind(&firing.subject)
        .bind(firing.since.0)
        .execute(&mut *conn)
        .await?;
    }
    if let Some(name) = &change.reported {
        // The message counts all waiting events: only this function adds events, from the same cursor.
        sqlx::query("UPDATE alert_event SET message = $2 WHERE alert = $1 AND message IS NULL AND muted IS NULL")
            .bind(alert)
            .bind(name)
            .execute(&mut *conn)
            .await?;
        sqlx::query(
            "INSERT INTO alert_state (alert, sent_at) VALUES ($1, $2) ON CONFLICT (alert) DO UPDATE SET sent_at = excluded.sent_at",
        )
        .bind(alert)
        .bind(now.0)
        .execute(&mut *conn)
        .await?;
        outbox::add(conn, &change.messages, name, now).await?;
    }
    sqlx::query("DELETE FROM alert_event WHERE at < $1").bind(now.minus(RETENTION).0).execute(conn).await?;
    Ok(true)
}

pub(in crate::store) async fn ack(
    conn: &mut Conn,
    alert: &str,
    one: Option<&str>,
    now: Time,
) -> Result<Acked, StoreError> {
    let mute_reason = "acknowledged";
    let done = sqlx::query(
        "UPDATE alert_event SET acked_at = $1, muted = CASE WHEN message IS NULL AND muted IS NULL THEN $4 ELSE muted END \
         WHERE alert = $2 AND acked_at IS NULL AND ($3 IS NULL OR event = $3)",
    )
    .bind(now.0)
    .bind(alert)
    .bind(one)
    .bind(mute_reason)
    .execute(&mut *conn)
    .await?;
    alert_messages::cancel_acked(conn, alert, mute_reason).await?;
    // An event changes only the firing that it began, not a later one of the same subject.
    let firing = sqlx::query(
        "UPDATE alert_firing SET acked = 1 WHERE alert = $1 AND acked = 0 \
         AND ($2 IS NULL OR EXISTS (SELECT 1 FROM alert_event e WHERE e.event = $2 AND e.alert = $1 AND e.kind = $3 \
           AND e.subject = alert_firing.subject AND e.at = alert_firing.since))",
    )
    .bind(alert)
    .bind(one)
    .bind(AlertEventKind::Fired.as_str())
    .execute(conn)
    .await?;
    Ok(Acked { events: done.rows_affected(), firing: firing.rows_affected() })
}

pub(in crate::store) async fn snooze(conn: &mut Conn, alert: &str, until: Option<Time>) -> Result<(), StoreError> {
    alert_messages::recheck_snoozed(conn, alert).await?;
    sqlx::query(
        "INSERT INTO alert_state (alert, snoozed_until) VALUES ($1, $2) \
         ON CONFLICT (alert) DO UPDATE SET snoozed_until = excluded.snoozed_until",
    )
    .bind(alert)
    .bind(until.map(|at| at.0))
    .execute(conn)
    .await?;
    Ok(())
}
