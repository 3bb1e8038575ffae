//! Averages for forecasts: prices, and how often the AI source was needed. Sums over runs since an instant; the
//! forecast itself is made elsewhere.

use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, read};
use crate::model::{AiUsageRow, BilledCostRow, Micros, Source, Span, Time};
use crate::store::StoreError;

/// SQL for searches since an instant, found by the index on when runs happened.
fn searches(columns: &str, condition: &str, group: &str) -> String {
    format!(
        "SELECT {columns} FROM run r CROSS JOIN search s WHERE s.run = r.id AND {} >= $1 AND r.seq IS NOT NULL AND {condition} \
         GROUP BY {group} ORDER BY {group}",
        read::RUN_AT
    )
}

/// Returns the billed cost of searches, and the number of searches whose cost was assumed. An assumed cost comes from
/// the file of that time, so it does not predict the next call.
pub(in crate::store) async fn billed(conn: &mut Conn, since: Time) -> Result<Vec<BilledCostRow>, StoreError> {
    let sql = searches(
        "s.source, CAST(sum(CASE WHEN s.cost_basis = 'billed' THEN 1 ELSE 0 END) AS BIGINT) AS searches, \
         CAST(sum(CASE WHEN s.cost_basis = 'billed' THEN s.tries ELSE 0 END) AS BIGINT) AS calls, \
         CAST(sum(CASE WHEN s.cost_basis = 'billed' THEN s.cost ELSE 0 END) AS BIGINT) AS cost, \
         CAST(coalesce(max(CASE WHEN s.cost_basis = 'billed' AND s.tries > 0 THEN (s.cost + s.tries - 1) / s.tries END), 0) \
         AS BIGINT) AS highest_call, \
         CAST(coalesce(max(CASE WHEN s.cost_basis = 'billed' AND s.tries = 1 THEN s.cost END), 0) AS BIGINT) AS highest_single, \
         CAST(coalesce(max(CASE WHEN s.cost_basis = 'billed' AND s.tries > 0 THEN s.cost END), 0) AS BIGINT) AS highest_bill, \
         CAST(sum(CASE WHEN s.cost_basis = 'assumed' THEN 1 ELSE 0 END) AS BIGINT) AS assumed_searches, \
         CAST(sum(CASE WHEN s.cost_basis = 'assumed' THEN s.tries ELSE 0 END) AS BIGINT) AS assumed_calls",
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
                highest_call: Micros(row.try_get("highest_call")?),
                highest_single: Micros(row.try_get("highest_single")?),
                highest_bill: Micros(row.try_get("highest_bill")?),
                assumed_searches: row.try_get("assumed_searches")?,
                assumed_calls: row.try_get("assumed_calls")?,
            })
        })
        .collect()
}

/// Returns by topic when its last run with an answer was.
pub(in crate::store) async fn last_answers(conn: &mut Conn, span: Span) -> Result<Vec<(String, Time)>, StoreError> {
    let at = read::RUN_AT;
    let sql = format!(
        "SELECT r.topic, max({at}) AS last FROM run r JOIN answer a ON a.run = r.id WHERE {at} >= $1 AND {at} < $2 \
         AND r.topic IS NOT NULL AND {} GROUP BY r.topic",
        read::ANSWER_IS_PRESENT
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(span.from.0).bind(span.until.0).fetch_all(conn).await?;
    rows.iter().map(|row| Ok((row.try_get("topic")?, Time(row.try_get("last")?)))).collect()
}

/// Leaves out manual runs: one right after another run finds nothing new, which does not predict the next slot. Also
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
