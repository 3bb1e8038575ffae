//! Which subjects of alerts are a topic's, and what becomes of them when the topic is renamed or forgotten. A day's budget
//! of a provider is not that of a topic with its name.

use sqlx::AssertSqlSafe;

use super::{Conn, definitions, resolve};
use crate::model::JobKind;
use crate::store::StoreError;

/// Returns the alerts that check no budgets of topics, removed ones included: what they say of a day is of no topic. One
/// that cannot be read may check them.
pub(in crate::store) async fn without_topic_budgets(conn: &mut Conn) -> Result<Vec<String>, StoreError> {
    let stored = sqlx::query_scalar("SELECT definition FROM job WHERE kind = $1");
    let stored: Vec<String> = stored.bind(JobKind::Alert.as_str()).fetch_all(conn).await?;
    let specs = stored.iter().filter_map(|text| definitions::job(text).ok()?.alert().ok());
    Ok(specs.filter(|spec| !spec.checks_topic_budgets()).map(|spec| spec.name).collect())
}

/// True for a row of table `of` whose subject may be a topic's; parameter `list` has the alerts of
/// [`without_topic_budgets`], as JSON.
pub(super) fn may_be_topics(of: &str, list: u8) -> String {
    let given = super::texts(list);
    format!("({of}.subject NOT LIKE '%/____-__-__' OR {of}.alert NOT IN (SELECT given.value FROM {given}))")
}

/// True for what is about the topic `$1`; `$2` has the alerts of [`without_topic_budgets`].
fn of_topic(of: &str) -> String {
    let may_be = may_be_topics(of, 2);
    format!("({of}.subject = $1 OR substr({of}.subject, 1, length($1) + 1) = $1 || '/') AND {may_be}")
}

/// Moves events and firing subjects of a topic to its new id.
pub(in crate::store) async fn rename(conn: &mut Conn, old: &str, new: &str) -> Result<(), StoreError> {
    let others = resolve::to_json(&without_topic_budgets(conn).await?)?;
    for table in ["alert_event", "alert_firing"] {
        let which = of_topic(table);
        let sql = format!("UPDATE {table} SET subject = $3 || substr(subject, length($1) + 1) WHERE {which}");
        sqlx::query(AssertSqlSafe(sql)).bind(old).bind(&others).bind(new).execute(&mut *conn).await?;
    }
    Ok(())
}

/// Deletes all events and firing subjects of a topic, and the requests that name those events.
pub(in crate::store) async fn forget_topic(conn: &mut Conn, topic: &str) -> Result<(), StoreError> {
    let others = resolve::to_json(&without_topic_budgets(conn).await?)?;
    let which = of_topic("e");
    let requests = format!("DELETE FROM request WHERE event IN (SELECT e.event FROM alert_event e WHERE {which})");
    sqlx::query(AssertSqlSafe(requests)).bind(topic).bind(&others).execute(&mut *conn).await?;
    for table in ["alert_event", "alert_firing"] {
        let sql = format!("DELETE FROM {table} WHERE {}", of_topic(table));
        sqlx::query(AssertSqlSafe(sql)).bind(topic).bind(&others).execute(&mut *conn).await?;
    }
    Ok(())
}
