//! Alerts as they are shown: those in force with their state, what fires for topics, and events page by page.
//! Read-only.

use std::collections::HashMap;

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::{Conn, Database, Row, alert_messages, alert_subjects, alerts, definitions, read};
use crate::model::{
    AlertCard, AlertEvent, AlertEventKind, AlertSpec, Delivery, Firing, JobKind, Time, TopicFiring, alert_job,
};
use crate::store::{EventCursor, StoreError};

/// The most firing subjects returned for a list of topics.
const AT_TOPICS: i64 = 500;

/// True for alerts of the current configuration that are not paused; `f` is the table alias.
fn active() -> String {
    format!("EXISTS (SELECT 1 FROM job j WHERE j.id = 'alert:' || f.alert AND j.removed_at IS NULL AND {NOT_PAUSED})")
}

/// True for a job whose definition does not say that it is paused. A paused alert checks nothing, so it is unknown
/// whether its subjects still fire. Quotes inside a text of the definition have a backslash.
pub(in crate::store) const NOT_PAUSED: &str = "j.definition NOT LIKE '%\"paused\":true%'";

/// True for what is held back, as `Firing::is_held_back` says.
pub(in crate::store) fn held_back() -> String {
    format!(
        "EXISTS (SELECT 1 FROM alert_event e WHERE e.alert = f.alert AND e.at = f.since AND e.subject = f.subject \
         AND e.kind = '{}' AND e.muted = '{}')",
        AlertEventKind::Fired,
        Firing::UNRELATED
    )
}

/// True unless it is about a budget's UTC day that is over; `day` is the parameter of today's date. Such a row ends
/// only at the next check, which may not have happened yet.
pub(in crate::store) fn still_fires(day: &str) -> String {
    format!("(f.subject NOT LIKE '%/____-__-__' OR substr(f.subject, length(f.subject) - 9) >= {day})")
}

/// Returns alerts in force after a name, by name, or the one with the given name; of each, the number of its firing
/// subjects and at most `subjects` of them.
pub(in crate::store) async fn cards(
    conn: &mut Conn,
    one: Option<&str>,
    after: &str,
    (limit, subjects): (i64, i64),
    now: Time,
) -> Result<Vec<AlertCard>, StoreError> {
    let (which, from) = match one {
        Some(name) => ("id = $2", name),
        // The end keeps it from reading all jobs after the alerts; `;` follows `:` in ASCII.
        None => ("id > $2 AND id < 'alert;'", after),
    };
    let sql = format!(
        "SELECT id, definition FROM job WHERE kind = $1 AND removed_at IS NULL AND {which} ORDER BY id LIMIT $3"
    );
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(JobKind::Alert.as_str())
        .bind(alert_job(from))
        .bind(limit)
        .fetch_all(&mut *conn)
        .await?;
    let mut specs = Vec::with_capacity(rows.len());
    for row in &rows {
        let job = definitions::job(&row.try_get::<String, _>("definition")?);
        match job.and_then(|job| job.alert().map_err(|e| StoreError::unreadable(&format!("an alert ({e})")))) {
            Ok(spec) => specs.push(spec),
            Err(error) => tracing::warn!(job = row.try_get::<String, _>("id")?, "not shown: {error}"),
        }
    }
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    let list = super::resolve::to_json(&names)?;
    let mut states = states(conn, &list).await?;
    let mut last = alert_messages::last(conn, &list).await?;
    let mut firing = firing(conn, &list, subjects, now).await?;
    let card = |spec: AlertSpec| {
        let state = states.remove(&spec.name).unwrap_or_default();
        let Fires { firing, held_back, firing_in_all, acked_in_all } = firing.remove(&spec.name).unwrap_or_default();
        let AlertState { looked_at, sent_at, snoozed_until, waiting } = state;
        let delivery = sent_at.map(|_| last.remove(&spec.name).unwrap_or(Delivery::Unknown));
        AlertCard {
            spec,
            looked_at,
            sent_at,
            delivery,
            snoozed_until,
            firing,
            firing_in_all,
            acked_in_all,
            held_back,
            waiting,
        }
    };
    Ok(specs.into_iter().map(card).collect())
}

#[derive(Default)]
struct AlertState {
    looked_at: Option<Time>,
    sent_at: Option<Time>,
    snoozed_until: Option<Time>,
    waiting: i64,
}

/// Returns by alert name: its last check, its last message, until when it is snoozed, and how many events wait.
async fn states(conn: &mut Conn, names: &str) -> Result<HashMap<String, AlertState>, StoreError> {
    let sql = format!(
        "SELECT given.value AS name, s.sent_at, s.snoozed_until, c.at AS looked_at, \
         (SELECT count(*) FROM alert_event e WHERE e.alert = given.value AND e.message IS NULL AND e.muted IS NULL) AS waiting \
         FROM {} LEFT JOIN alert_state s ON s.alert = given.value LEFT JOIN follower c ON c.name = 'alert:' || given.value",
        super::texts(1)
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(names).fetch_all(conn).await?;
    let states = rows.iter().map(|row| {
        let state = AlertState {
            looked_at: read::time(row, "looked_at")?,
            sent_at: read::time(row, "sent_at")?,
            snoozed_until: read::time(row, "snoozed_until")?,
            waiting: row.try_get("waiting")?,
        };
        Ok((row.try_get("name")?, state))
    });
    states.collect()
}

/// The firing subjects of one alert, their number, how many are acknowledged, and those that are held back.
#[derive(Default)]
struct Fires {
    firing: Vec<Firing>,
    held_back: Vec<Firing>,
    firing_in_all: i64,
    acked_in_all: i64,
}

async fn firing(conn: &mut Conn, names: &str, most: i64, now: Time) -> Result<HashMap<String, Fires>, StoreError> {
    let sql = format!(
        "SELECT alert, subject, since, acked, held, many, known FROM (SELECT h.alert, h.subject, h.since, h.acked, h.held, \
         row_number() OVER (PARTITION BY h.alert, h.held ORDER BY h.since DESC, h.subject) AS place, \
         CAST(sum(1 - h.held) OVER (PARTITION BY h.alert) AS BIGINT) AS many, \
         CAST(sum((1 - h.held) * h.acked) OVER (PARTITION BY h.alert) AS BIGINT) AS known \
         FROM (SELECT f.alert, f.subject, f.since, f.acked, {} AS held FROM alert_firing f \
         WHERE f.alert IN (SELECT given.value FROM {}) AND {}) AS h) AS fires WHERE place <= $2 ORDER BY alert, held, place",
        flag_held(),
        super::texts(1),
        still_fires("$3")
    );
    let mut all: HashMap<String, Fires> = HashMap::new();
    for row in &sqlx::query(AssertSqlSafe(sql)).bind(names).bind(most).bind(now.utc_date()).fetch_all(conn).await? {
        let one = all.entry(row.try_get("alert")?).or_default();
        (one.firing_in_all, one.acked_in_all) = (row.try_get("many")?, row.try_get("known")?);
        let fires = fires(row)?;
        if fires.is_held_back() { &mut one.held_back } else { &mut one.firing }.push(fires);
    }
    Ok(all)
}

/// A column: 1 for what is held back.
fn flag_held() -> String {
    format!("CAST(CASE WHEN {} THEN 1 ELSE 0 END AS BIGINT)", held_back())
}

fn fires(row: &Row) -> Result<Firing, StoreError> {
    let (acked, held) = (row.try_get::<i64, _>("acked")? != 0, row.try_get::<i64, _>("held")? != 0);
    let muted = held.then(|| Firing::UNRELATED.to_owned());
    Ok(Firing { subject: row.try_get("subject")?, since: Time(row.try_get("since")?), acked, muted })
}

/// Returns what fires for these topics, or is held back: for the topic itself, its sources and its budget. A provider's
/// budget is not that of a topic with its name; an alert that cannot be read does not show whose budget it is.
pub(in crate::store) async fn firing_for_topics(
    conn: &mut Conn,
    topics: &[String],
    now: Time,
) -> Result<Vec<TopicFiring>, StoreError> {
    let (given, still, active, held) = (super::texts(1), still_fires("$3"), active(), flag_held());
    let is_topics = alert_subjects::is_topics("f", 4);
    // `0` follows `/` in ASCII: every text that starts with the topic and a slash lies between.
    let sql = format!(
        "SELECT topic, alert, subject, since, acked, held FROM (\
         SELECT given.value AS topic, f.alert, f.subject, f.since, f.acked, {held} AS held FROM {given} \
         JOIN alert_firing f ON f.subject = given.value WHERE {active} AND {still} \
         UNION ALL SELECT given.value AS topic, f.alert, f.subject, f.since, f.acked, {held} AS held FROM {given} \
         JOIN alert_firing f ON f.subject > given.value || '/' AND f.subject < given.value || '0' WHERE {active} AND {still} \
         AND {is_topics}) AS fires \
         ORDER BY topic, alert, subject LIMIT $2"
    );
    let budgets = super::resolve::to_json(&alert_subjects::with_topic_budgets(conn).await?)?;
    let query = sqlx::query(AssertSqlSafe(sql)).bind(super::resolve::to_json(topics)?).bind(AT_TOPICS);
    let rows = query.bind(now.utc_date()).bind(budgets).fetch_all(conn).await?;
    rows.iter()
        .map(|row| Ok(TopicFiring { topic: row.try_get("topic")?, alert: row.try_get("alert")?, firing: fires(row)? }))
        .collect()
}

/// Returns the firing alerts, each with its number of firing subjects. There are no more than are configured.
pub(in crate::store) async fn firing_alerts(conn: &mut Conn, now: Time) -> Result<Vec<(String, i64)>, StoreError> {
    let sql = format!(
        "SELECT f.alert, count(*) AS many FROM alert_firing f WHERE {} AND {} AND NOT {} GROUP BY f.alert ORDER BY f.alert",
        active(),
        still_fires("$1"),
        held_back()
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(now.utc_date()).fetch_all(conn).await?;
    rows.iter().map(|row| Ok((row.try_get("alert")?, row.try_get("many")?))).collect()
}

/// Returns events after a place in the list, the latest first; of one alert or of all.
pub(in crate::store) async fn events(
    conn: &mut Conn,
    alert: Option<&str>,
    after: Option<&EventCursor>,
    most: i64,
) -> Result<Vec<AlertEvent>, StoreError> {
    let mut query = QueryBuilder::<Database>::new(alerts::EVENT);
    query.push(" WHERE 1 = 1");
    if let Some(alert) = alert {
        query.push(" AND alert = ").push_bind(alert.to_owned());
    }
    if let Some(after) = after {
        query.push(" AND (at, event) < (").push_bind(after.at.0).push(", ").push_bind(after.event.clone()).push(")");
    }
    query.push(" ORDER BY at DESC, event DESC LIMIT ").push_bind(most);
    let rows = query.build().fetch_all(&mut *conn).await?;
    let mut events: Vec<AlertEvent> = rows.iter().map(alerts::event).collect::<Result<_, _>>()?;
    let messages: Vec<&str> = events.iter().filter_map(|event| event.message.as_deref()).collect();
    if !messages.is_empty() {
        let deliveries = alert_messages::of(conn, &super::resolve::to_json(&messages)?).await?;
        for event in &mut events {
            let Some(message) = &event.message else { continue };
            let known = deliveries.get(message).copied().unwrap_or(Delivery::Unknown);
            // It was reported, but dropped for some channels.
            event.delivery = Some(if event.muted.take().is_some() { known.with_dropped() } else { known });
        }
    }
    Ok(events)
}
