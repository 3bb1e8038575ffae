//! Finds the subjects of alerts that belong to a topic. They are renamed and deleted with the topic. A day's budget of
//! a provider is not that of a topic with its name.

use sqlx::AssertSqlSafe;

use super::{Conn, alerts, definitions, resolve};
use crate::model::{AlertSpec, JobKind};
use crate::store::StoreError;

/// Returns all alerts, removed ones included, except those that this version cannot read.
pub(in crate::store) async fn all_alerts(conn: &mut Conn) -> Result<Vec<AlertSpec>, StoreError> {
    let sql = format!("SELECT definition FROM job WHERE kind = $1 AND {} ORDER BY id", alerts::IS_ALERT);
    let stored = sqlx::query_scalar(AssertSqlSafe(sql)).bind(JobKind::Alert.as_str());
    let stored: Vec<String> = stored.fetch_all(conn).await?;
    Ok(stored.iter().filter_map(|text| definitions::job(text).ok()?.alert().ok()).collect())
}

/// Returns the names of the alerts that check budgets of topics: only they report days of topics' budgets.
pub(in crate::store) async fn with_topic_budgets(conn: &mut Conn) -> Result<Vec<String>, StoreError> {
    let all = all_alerts(conn).await?.into_iter();
    Ok(all.filter(AlertSpec::checks_topic_budgets).map(|spec| spec.name).collect())
}

/// Returns the names of the alerts that check the budget of a provider with this name, as JSON. The events of all other
/// alerts about a day and this name belong to the topic: their definitions may have changed since.
async fn with_provider_budget(conn: &mut Conn, name: &str) -> Result<String, StoreError> {
    let all = all_alerts(conn).await?.into_iter();
    let names: Vec<String> = all.filter(|spec| spec.checks_provider_budget(name)).map(|spec| spec.name).collect();
    resolve::to_json(&names)
}

/// True for a row of table `of` whose subject is a name and a day. A source may have a name like `news-de-at`, but it
/// starts with a letter.
fn is_day(of: &str) -> String {
    format!("({of}.subject LIKE '%/____-__-__' AND substr({of}.subject, length({of}.subject) - 9, 1) < 'a')")
}

/// True for a row of table `of` whose subject starts with a topic's id and belongs to the topic; parameter `list` has
/// the alerts of [`with_topic_budgets`], as JSON.
pub(super) fn is_topics(of: &str, list: u8) -> String {
    format!("(NOT {} OR {of}.alert IN (SELECT given.value FROM {}))", is_day(of), super::texts(list))
}

/// True for what may be about the topic `$1`; `$2` has the alerts of [`with_provider_budget`].
fn of_topic(of: &str) -> String {
    let may_be = format!("(NOT {} OR {of}.alert NOT IN (SELECT given.value FROM {}))", is_day(of), super::texts(2));
    format!("({of}.subject = $1 OR substr({of}.subject, 1, length($1) + 1) = $1 || '/') AND {may_be}")
}

/// Moves events and firing subjects of a topic to its new id. Days that an alert reported while it named topics are not
/// moved if it now checks a provider with the new id: they would become that provider's. Nothing fires for them any
/// more.
pub(in crate::store) async fn rename(conn: &mut Conn, old: &str, new: &str) -> Result<(), StoreError> {
    let (others, taken) = (with_provider_budget(conn, old).await?, with_provider_budget(conn, new).await?);
    let of_taken = |table: &str, list: u8| {
        format!("({} AND {table}.alert IN (SELECT given.value FROM {}))", is_day(table), super::texts(list))
    };
    let over =
        format!("DELETE FROM alert_firing WHERE {} AND {}", of_topic("alert_firing"), of_taken("alert_firing", 3));
    sqlx::query(AssertSqlSafe(over)).bind(old).bind(&others).bind(&taken).execute(&mut *conn).await?;
    // An alert that was changed may have fired for a provider with the new name.
    let twice = format!(
        "DELETE FROM alert_firing WHERE {} AND EXISTS (SELECT 1 FROM alert_firing o WHERE o.alert = alert_firing.alert \
         AND o.subject = $3 || substr(alert_firing.subject, length($1) + 1))",
        of_topic("alert_firing")
    );
    sqlx::query(AssertSqlSafe(twice)).bind(old).bind(&others).bind(new).execute(&mut *conn).await?;
    for table in ["alert_event", "alert_firing"] {
        let which = format!("{} AND NOT {}", of_topic(table), of_taken(table, 4));
        let sql = format!("UPDATE {table} SET subject = $3 || substr(subject, length($1) + 1) WHERE {which}");
        sqlx::query(AssertSqlSafe(sql)).bind(old).bind(&others).bind(new).bind(&taken).execute(&mut *conn).await?;
    }
    Ok(())
}

/// Deletes all events and firing subjects of a topic, and the requests that name those events.
pub(in crate::store) async fn forget_topic(conn: &mut Conn, topic: &str) -> Result<(), StoreError> {
    let others = with_provider_budget(conn, topic).await?;
    let which = of_topic("e");
    let requests = format!("DELETE FROM request WHERE event IN (SELECT e.event FROM alert_event e WHERE {which})");
    sqlx::query(AssertSqlSafe(requests)).bind(topic).bind(&others).execute(&mut *conn).await?;
    for table in ["alert_event", "alert_firing"] {
        let sql = format!("DELETE FROM {table} WHERE {}", of_topic(table));
        sqlx::query(AssertSqlSafe(sql)).bind(topic).bind(&others).execute(&mut *conn).await?;
    }
    Ok(())
}
