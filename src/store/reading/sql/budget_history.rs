//! Averages for forecasts: prices, and how often the AI source was needed. Sums over runs since an instant; the
//! forecast itself is made elsewhere.

use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, read};
use crate::model::{AiUsageRow, BilledCostRow, Micros, Source, Time};
use crate::store::StoreError;

/// SQL for searches since an instant, found by the index on when runs happened.
fn searches(columns: &str, condition: &str, group: &str) -> String {
    format!(
        "SELECT {columns} FROM run r CROSS JOIN search s WHERE s.run = r.id AND {} >= $1 AND r.seq IS NOT NULL AND {condition} \
         GROUP BY {group} ORDER BY {group}",
        read::RUN_AT
    )
}

/// Returns what searches cost on average: as billed, or as assumed where the reply did not say. Both count in the ledger
/// and against budgets.
pub(in crate::store) async fn billed(conn: &mut Conn, since: Time) -> Result<Vec<BilledCostRow>, StoreError> {
    let sql = searches(
        "s.source, count(*) AS searches, CAST(sum(s.tries) AS BIGINT) AS calls, CAST(sum(s.cost) AS BIGINT) AS cost",
        "s.cost_basis IN ('billed', 'assumed') AND s.cost IS NOT NULL",
        "s.source",
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(since.0).fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            Ok(BilledCostRow {
                source: read::word(row, "source", Source::parse)?,
                searches: row.try_get("searches")?,
                calls: row.try_get("calls")?,
                cost: Micros(row.try_get("cost")?),
            })
        })
        .collect()
}

/// Returns by topic when its last run with an answer was.
pub(in crate::store) async fn last_answers(conn: &mut Conn, since: Time) -> Result<Vec<(String, Time)>, StoreError> {
    let at = read::RUN_AT;
    let sql = format!(
        "SELECT r.topic, max({at}) AS last FROM run r JOIN answer a ON a.run = r.id WHERE {at} >= $1 AND r.topic IS NOT NULL \
         GROUP BY r.topic"
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(since.0).fetch_all(conn).await?;
    rows.iter().map(|row| Ok((row.try_get("topic")?, Time(row.try_get("last")?)))).collect()
}

/// Leaves out manual runs: one right after another run finds nothing new, which says little about the next slot. Also
/// leaves out searches that something prevented.
pub(in crate::store) async fn ai_asked(conn: &mut Conn, since: Time) -> Result<Vec<AiUsageRow>, StoreError> {
    let sql = searches(
        "r.topic, CAST(sum(CASE WHEN s.state = 'not_run' THEN 0 ELSE 1 END) AS BIGINT) AS asked, count(*) AS considered",
        "s.source = 'ai' AND r.slot IS NOT NULL AND r.topic IS NOT NULL AND s.state <> 'over_quota' \
         AND NOT (s.state = 'not_run' AND (s.error_class IS NOT NULL OR s.reason = 'interrupted'))",
        "r.topic",
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(since.0).fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            Ok(AiUsageRow {
                topic: row.try_get("topic")?,
                asked: row.try_get("asked")?,
                considered: row.try_get("considered")?,
            })
        })
        .collect()
}
