//! The states of alerts' messages, as the outbox knows them.

use std::collections::HashMap;

use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, Row, read};
use crate::model::{Delivery, JobKind, OutboxState, QuietHours, alert_job};
use crate::store::StoreError;

/// The reason if a channel did not get an event's message; stored in `muted`, next to the message.
const DROPPED: &str = "dropped";

/// Returns the states of these messages, by name; nothing for those that are no longer in the outbox.
pub(in crate::store) async fn of(conn: &mut Conn, names: &str) -> Result<HashMap<String, Delivery>, StoreError> {
    let sql = format!(
        "SELECT o.origin AS name, o.state, CAST(0 AS BIGINT) AS dropped FROM outbox o WHERE o.origin IN (SELECT given.value FROM {})",
        super::texts(1)
    );
    by_name(&sqlx::query(AssertSqlSafe(sql)).bind(names).fetch_all(conn).await?)
}

/// Returns the state of the last message of each of these alerts, by alert.
pub(in crate::store) async fn last(conn: &mut Conn, alerts: &str) -> Result<HashMap<String, Delivery>, StoreError> {
    // A message is queued at the time that is stored as the alert's last, and is named after an event of the alert.
    let sql = format!(
        "SELECT given.value AS name, o.state, \
         CAST(CASE WHEN e.message IS NOT NULL AND e.muted IS NOT NULL THEN 1 ELSE 0 END AS BIGINT) AS dropped \
         FROM {} JOIN alert_state s ON s.alert = given.value JOIN outbox o ON o.created_at = s.sent_at \
         LEFT JOIN alert_event e ON e.event = o.origin \
         WHERE o.kind = $2 AND substr(o.origin, 1, length(given.value) + 7) = 'alert:' || given.value || '/'",
        super::texts(1)
    );
    by_name(&sqlx::query(AssertSqlSafe(sql)).bind(alerts).bind(JobKind::Alert.as_str()).fetch_all(conn).await?)
}

/// Drops the queued and dead messages of an alert that report only acknowledged events. A message that is being sent now
/// is left.
pub(in crate::store) async fn cancel_acked(conn: &mut Conn, alert: &str, why: &str) -> Result<(), StoreError> {
    let gone: Vec<String> = sqlx::query_scalar(
        "DELETE FROM outbox WHERE kind = $2 AND state IN ('queued', 'dead') \
         AND origin IN (SELECT e.message FROM alert_event e WHERE e.alert = $1 AND e.message IS NOT NULL AND e.acked_at IS NOT NULL) \
         AND NOT EXISTS (SELECT 1 FROM alert_event w WHERE w.alert = $1 AND w.message = outbox.origin AND w.acked_at IS NULL) \
         RETURNING origin",
    )
    .bind(alert)
    .bind(JobKind::Alert.as_str())
    .fetch_all(&mut *conn)
    .await?;
    cancelled(conn, alert, gone, why).await
}

/// Drops the waiting events and queued messages of an alert. A message that is being sent now is left.
pub(in crate::store) async fn drop_waiting(conn: &mut Conn, alert: &str, why: &str) -> Result<(), StoreError> {
    mute_waiting(conn, alert, why).await?;
    let (from, until) = origins(alert);
    let gone: Vec<String> = sqlx::query_scalar(
        "DELETE FROM outbox WHERE kind = $1 AND state = 'queued' AND origin > $2 AND origin < $3 RETURNING origin",
    )
    .bind(JobKind::Alert.as_str())
    .bind(from)
    .bind(until)
    .fetch_all(&mut *conn)
    .await?;
    cancelled(conn, alert, gone, why).await
}

/// Ends, without an event, all firing subjects of an alert that does not continue, and drops its waiting events.
/// Messages in the outbox stay.
pub(in crate::store) async fn end_all(conn: &mut Conn, alert: &str, why: &str) -> Result<(), StoreError> {
    mute_waiting(conn, alert, why).await?;
    sqlx::query("DELETE FROM alert_firing WHERE alert = $1").bind(alert).execute(conn).await?;
    Ok(())
}

async fn mute_waiting(conn: &mut Conn, alert: &str, why: &str) -> Result<(), StoreError> {
    sqlx::query("UPDATE alert_event SET muted = $2 WHERE alert = $1 AND message IS NULL AND muted IS NULL")
        .bind(alert)
        .bind(why)
        .execute(conn)
        .await?;
    Ok(())
}

/// Records that messages of an alert, by name, were dropped for some of their channels.
pub(in crate::store) async fn mark_dropped(conn: &mut Conn, alert: &str, name: &str) -> Result<(), StoreError> {
    sqlx::query("UPDATE alert_event SET muted = $3 WHERE alert = $1 AND message = $2 AND muted IS NULL")
        .bind(alert)
        .bind(name)
        .bind(DROPPED)
        .execute(conn)
        .await?;
    Ok(())
}

/// Records that messages of an alert, by name, are not sent. Events of a message that reached no channel then count as
/// not reported, and the message counts as never queued.
async fn cancelled(conn: &mut Conn, alert: &str, mut gone: Vec<String>, why: &str) -> Result<(), StoreError> {
    gone.sort_unstable();
    gone.dedup();
    for name in &gone {
        sqlx::query(
            "UPDATE alert_event SET message = NULL, muted = $3 WHERE alert = $1 AND message = $2 \
             AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.origin = $2)",
        )
        .bind(alert)
        .bind(name)
        .bind(why)
        .execute(&mut *conn)
        .await?;
        mark_dropped(conn, alert, name).await?;
    }
    if gone.is_empty() {
        return Ok(());
    }
    // The previous message is the last one again, also for the cool-down.
    let (from, until) = origins(alert);
    sqlx::query(
        "UPDATE alert_state SET sent_at = (SELECT max(o.created_at) FROM outbox o WHERE o.kind = $2 AND o.origin > $3 AND o.origin < $4) \
         WHERE alert = $1",
    )
    .bind(alert)
    .bind(JobKind::Alert.as_str())
    .bind(from)
    .bind(until)
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns the bounds of the origins of an alert's messages: each starts with the alert's job and a slash, and `0`
/// follows `/` in ASCII.
fn origins(alert: &str) -> (String, String) {
    let job = alert_job(alert);
    (format!("{job}/"), format!("{job}0"))
}

/// Makes the queued messages that wait for the end of an alert's snooze due, because the snooze changes: they are sent,
/// or wait for its new end. If a snooze ends in quiet hours, they wait for the end of these, even if the quiet hours
/// have changed since.
pub(in crate::store) async fn recheck_snoozed(conn: &mut Conn, alert: &str) -> Result<(), StoreError> {
    let (from, until) = origins(alert);
    sqlx::query(
        "UPDATE outbox SET next_at = created_at WHERE kind = $2 AND state = 'queued' \
         AND next_at >= (SELECT s.snoozed_until FROM alert_state s WHERE s.alert = $1) \
         AND next_at <= (SELECT s.snoozed_until + $3 FROM alert_state s WHERE s.alert = $1) \
         AND origin > $4 AND origin < $5",
    )
    .bind(alert)
    .bind(JobKind::Alert.as_str())
    .bind(QuietHours::LONGEST_MS)
    .bind(from)
    .bind(until)
    .execute(conn)
    .await?;
    Ok(())
}

fn by_name(rows: &[Row]) -> Result<HashMap<String, Delivery>, StoreError> {
    let mut states: HashMap<String, (Vec<OutboxState>, bool)> = HashMap::new();
    for row in rows {
        let (states, dropped) = states.entry(row.try_get("name")?).or_default();
        states.push(read::word(row, "state", OutboxState::parse)?);
        *dropped |= row.try_get::<i64, _>("dropped")? != 0;
    }
    let of = |(states, dropped): (Vec<OutboxState>, bool)| {
        let delivery = Delivery::of(&states);
        if dropped { delivery.with_dropped() } else { delivery }
    };
    Ok(states.into_iter().map(|(name, states)| (name, of(states))).collect())
}
