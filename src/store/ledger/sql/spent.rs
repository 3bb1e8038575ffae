//! Counters of the money that a day's calls cost or may cost: a call is counted at its expected price, and corrected in
//! the transaction that stores the actual cost. A lost call stays as counted. Without any budget nothing is corrected;
//! a budget set later starts with sums over the ledger.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::{Conn, Database, read};
use crate::model::{Micros, PaidUsage, SERVICE, SearchCost, Source, Time, Usage, UsageByProvider};
use crate::store::{Outcome, RunRef, StoreError};

/// How long counters of topics are kept, in days.
const KEPT_DAYS: i64 = 40;

/// SQL for the provider of a search.
pub(super) const PROVIDER: &str = "CASE WHEN s.source IN ('social', 'web', 'ai') THEN 'service' ELSE s.source END";
/// SQL for the UTC day on which the calls of a search were counted; null if it made none.
pub(super) const CALLED_ON: &str = "CASE WHEN s.tries > 0 THEN coalesce(s.counted_on, s.started_at / 86400000) END";
/// SQL for the same if the search is known to have made a call, written as in the index of searches without a bill.
const COUNTED_ON: &str = "coalesce(s.counted_on, s.started_at / 86400000)";
/// SQL for the two parts of a search, as table `p`: the calls of its last day, and those of the day before it, if its
/// tries passed midnight. `s.counted_before` is the expected cost of the latter.
const PARTS: &str = "(SELECT 0 AS earlier UNION ALL SELECT 1 AS earlier) AS p";
/// SQL condition: there is such a part.
const IS_PART: &str = "(p.earlier = 0 OR s.counted_before > 0)";
/// SQL for the UTC day of a part; null if the search made no calls.
const PART_DAY: &str = "CASE WHEN s.tries > 0 AND p.earlier = 0 THEN coalesce(s.counted_on, s.started_at / 86400000) \
     WHEN s.tries > 0 THEN s.started_at / 86400000 END";
/// SQL for the UTC day of the first call of a search that made several, which may have passed midnight.
pub(super) const FIRST_CALLED_ON: &str = "CASE WHEN s.tries > 1 THEN s.started_at / 86400000 END";
/// SQL condition: no bill confirms the cost of a search. It was assumed from a price, or the search is not over.
pub(super) const UNBILLED: &str = "(s.cost_basis = 'assumed' OR s.cost IS NULL)";
/// SQL for the cost of a part, or its expected cost while that is unknown.
const COST: &str = "CASE WHEN p.earlier = 1 THEN s.counted_before \
     WHEN coalesce(s.cost, s.expected_cost) > s.counted_before \
     THEN coalesce(s.cost, s.expected_cost) - s.counted_before ELSE 0 END";

/// Returns whether money is counted on a day: there was a budget on it or on the day before.
pub(in crate::store) fn is_counted(money: Option<i64>, day: i64) -> bool {
    money.is_some_and(|last| last >= day - 1)
}

/// Records that money is counted on a day.
pub(in crate::store) async fn count_from(conn: &mut Conn, day: i64) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO store_info (name, value) VALUES ('money', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    )
    .bind(day.to_string())
    .execute(&mut *conn)
    .await?;
    // Once a day, so that the counters of topics do not grow forever; the ledger keeps the details.
    sqlx::query("DELETE FROM topic_calls WHERE day < $1").bind(day.saturating_sub(KEPT_DAYS)).execute(conn).await?;
    Ok(())
}

/// Replaces the expected cost of ending runs by the actual cost. Tries of an earlier day stay counted on that day.
pub(in crate::store) async fn settle_all(
    conn: &mut Conn,
    ends: &[(&RunRef, &Outcome)],
    money: Option<i64>,
) -> Result<(), StoreError> {
    let counted = |(_, outcome): &&(&RunRef, &Outcome)| is_counted(money, outcome.seen_at.utc_day());
    let costs = ends
        .iter()
        .filter(counted)
        .flat_map(|(run, outcome)| outcome.searches.iter().map(move |search| (*run, search.source, search.cost)));
    settle(conn, &costs.collect::<Vec<_>>()).await
}

/// Keeps other processes from changing the counters of topics with limits until the transaction ends. A day's row is one
/// provider's, and two runs of a topic may call two providers at once. Taken after the runs and before any day's row.
pub(in crate::store) async fn lock_topic_counters(conn: &mut Conn) -> Result<(), StoreError> {
    super::lock(conn, 5).await
}

/// Replaces the expected cost of searches of a run that is given back by the known cost.
pub(in crate::store) async fn settle_given_back(
    conn: &mut Conn,
    run: &RunRef,
    now: Time,
    costs: &[(Source, Micros, &'static str)],
) -> Result<(), StoreError> {
    if !run.topic.limits.is_none() {
        lock_topic_counters(conn).await?;
    }
    let money: Option<String> =
        sqlx::query_scalar("SELECT value FROM store_info WHERE name = 'money'").fetch_optional(&mut *conn).await?;
    if is_counted(money.and_then(|day| day.parse().ok()), now.utc_day()) {
        settle(conn, &costs.iter().map(|(source, cost, _)| (run, *source, *cost)).collect::<Vec<_>>()).await?;
    }
    for (source, cost, basis) in costs {
        sqlx::query(
            "UPDATE search SET expected_cost = $1, cost_basis = $5 WHERE run = $2 AND attempt = $3 AND source = $4 AND state = 'started'",
        )
        .bind((*cost).max(Micros(0)).0)
        .bind(run.id)
        .bind(run.attempt)
        .bind(source.as_str())
        .bind(*basis)
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

/// Replaces the expected cost of started searches by the actual cost. Tries of an earlier day stay counted on that day.
async fn settle(conn: &mut Conn, costs: &[(&RunRef, Source, Micros)]) -> Result<(), StoreError> {
    if costs.is_empty() {
        return Ok(());
    }
    // The day's row first, as when counting a call.
    for (update, of, same) in [
        ("calls", PROVIDER, "calls.day = d.day AND calls.provider = d.owner"),
        ("topic_calls", "v.column5", "topic_calls.day = d.day AND topic_calls.topic = d.owner"),
    ] {
        let mut query = QueryBuilder::<Database>::new(format!(
            "UPDATE {update} SET spent = {update}.spent + d.more FROM (SELECT {of} AS owner, s.counted_on AS day, CAST(sum(\
             CASE WHEN v.column4 > s.counted_before THEN v.column4 ELSE s.counted_before END - s.expected_cost) AS BIGINT) AS more FROM ("
        ));
        query.push_values(costs, |mut row, (run, source, cost)| {
            row.push_bind(run.id).push_bind(run.attempt).push_bind(source.as_str());
            row.push_bind((*cost).max(Micros(0)).0).push_bind(&run.topic.id);
        });
        query.push(format!(
            ") AS v JOIN search s ON s.run = v.column1 AND s.attempt = v.column2 AND s.source = v.column3 \
             WHERE s.state = 'started' AND s.counted_on IS NOT NULL GROUP BY {of}, s.counted_on) AS d WHERE {same}"
        ));
        query.build().execute(&mut *conn).await?;
    }
    Ok(())
}

/// SQL for the usage summed over the ledger, and how much of the money no bill confirms. All calls of a search count on
/// its last day, but their cost counts on the day of each part. `$1` and `$2` limit when runs happened, for the index:
/// the start for the first day and the end for the last one. Runs that were begun again later have an index of their
/// own, so reading past days costs no more than today.
fn ledger(columns: &str, conditions: &str) -> String {
    let at = read::RUN_AT;
    format!(
        "SELECT {columns}, CAST(coalesce(sum(CASE WHEN p.earlier = 0 THEN s.tries ELSE 0 END), 0) AS BIGINT) AS made, CAST(coalesce(sum({COST}), 0) AS BIGINT) AS spent, \
         CAST(coalesce(sum(CASE WHEN {UNBILLED} THEN {COST} ELSE 0 END), 0) AS BIGINT) AS assumed FROM (\
           SELECT r.id, r.topic FROM run r WHERE {at} >= $1 AND {at} < $2 \
           UNION ALL SELECT r.id, r.topic FROM run r WHERE r.attempt > 1 AND {at} >= $2) AS called CROSS JOIN search s \
         CROSS JOIN {PARTS} WHERE s.run = called.id AND {IS_PART} AND {conditions}"
    )
}

/// The start of the time in which runs may have made calls of a day.
pub(super) fn index_start(day: i64) -> i64 {
    Time::of_utc_day(day.saturating_sub(2)).0
}

/// The end of the time in which runs may have made calls of a day. A run that was begun again is found by its last
/// start, which may be later: such runs have an index of their own.
pub(super) fn index_end(day: i64) -> i64 {
    Time::of_utc_day(day.saturating_add(3)).0
}

/// Returns a provider's usage on a day, summed over the ledger.
pub(in crate::store) async fn in_ledger(conn: &mut Conn, provider: &str, day: i64) -> Result<Usage, StoreError> {
    let of = format!("{PART_DAY} = $3 AND {PROVIDER} = $4");
    let select = sqlx::query(AssertSqlSafe(ledger("''", &of))).bind(index_start(day)).bind(index_end(day));
    let row = select.bind(day).bind(provider).fetch_one(conn).await?;
    Ok(Usage { calls: row.try_get("made")?, money: Micros(row.try_get("spent")?) })
}

/// Returns the usage on each of these days, by provider, and how much of the money no bill confirms. If money is
/// counted, it reads only the counters and the searches without a bill: an open page requests this every half minute.
pub(in crate::store) async fn by_provider(
    conn: &mut Conn,
    (first, last): (i64, i64),
) -> Result<BTreeMap<i64, UsageByProvider>, StoreError> {
    // The conditions are written as in the index, and include the day after the last: its searches may have begun
    // before midnight. `MATERIALIZED`, because PostgreSQL may run a plain subquery again for each row.
    let sql = format!(
        "WITH unbilled AS MATERIALIZED (SELECT {PART_DAY} AS day, {PROVIDER} AS provider, CAST(sum({COST}) AS BIGINT) AS money \
           FROM search s CROSS JOIN {PARTS} WHERE s.tries > 0 AND {UNBILLED} AND {COUNTED_ON} >= $1 AND {COUNTED_ON} <= $3 \
           AND {IS_PART} GROUP BY {PART_DAY}, {PROVIDER}) \
         SELECT c.day, c.provider, c.made, c.spent, coalesce(u.money, 0) AS assumed FROM calls c \
         LEFT JOIN unbilled u ON u.day = c.day AND u.provider = c.provider WHERE c.day >= $1 AND c.day <= $2 ORDER BY c.day, c.provider"
    );
    let mut used: Vec<(i64, String, i64, Option<i64>, i64)> = Vec::new();
    let select = sqlx::query(AssertSqlSafe(sql)).bind(first).bind(last).bind(last.saturating_add(1));
    for row in select.fetch_all(&mut *conn).await? {
        let (day, provider, made) = (row.try_get("day")?, row.try_get("provider")?, row.try_get("made")?);
        used.push((day, provider, made, row.try_get("spent")?, row.try_get("assumed")?));
    }
    let uncounted = || used.iter().filter(|(_, _, _, spent, _)| spent.is_none()).map(|(day, ..)| *day);
    let summed = match uncounted().min().zip(uncounted().max()) {
        Some(days) => sums(conn, days).await?,
        None => BTreeMap::new(),
    };
    let mut days: BTreeMap<i64, UsageByProvider> = BTreeMap::new();
    for (day, provider, calls, spent, assumed) in used {
        let total = spent.unwrap_or_else(|| summed.get(&(day, provider.clone())).copied().unwrap_or_default());
        // The total is read elsewhere; no more of it is assumed than there is.
        let cost = SearchCost { total: Micros(total), assumed: Micros(assumed.min(total)) };
        let used = PaidUsage { calls, cost };
        let of_day = days.entry(day).or_default();
        if provider == SERVICE {
            of_day.service = used;
        } else if let Some(source) = Source::parse(&provider) {
            of_day.others.push((source, used));
        }
    }
    Ok(days)
}

/// Returns the cost of each provider's searches of these days, summed over the ledger.
async fn sums(conn: &mut Conn, (first, last): (i64, i64)) -> Result<BTreeMap<(i64, String), i64>, StoreError> {
    let sql = ledger(
        &format!("{PART_DAY} AS day, {PROVIDER} AS provider"),
        &format!("{PART_DAY} >= $3 AND {PART_DAY} <= $4 GROUP BY {PART_DAY}, {PROVIDER}"),
    );
    let select = sqlx::query(AssertSqlSafe(sql)).bind(index_start(first)).bind(index_end(last)).bind(first).bind(last);
    let rows = select.fetch_all(conn).await?;
    rows.iter().map(|row| Ok(((row.try_get("day")?, row.try_get("provider")?), row.try_get("spent")?))).collect()
}

/// Returns how much of a topic's cost on each of these days no bill confirms. Days without searches are left out.
pub(in crate::store) async fn assumed_of_topic(
    conn: &mut Conn,
    topic: &str,
    (first, last): (i64, i64),
) -> Result<BTreeMap<i64, Micros>, StoreError> {
    let sql = ledger(
        &format!("{PART_DAY} AS day"),
        &format!("{PART_DAY} >= $3 AND {PART_DAY} <= $4 AND called.topic = $5 GROUP BY {PART_DAY}"),
    );
    let select = sqlx::query(AssertSqlSafe(sql)).bind(index_start(first)).bind(index_end(last)).bind(first).bind(last);
    let rows = select.bind(topic).fetch_all(conn).await?;
    rows.iter().map(|row| Ok((row.try_get("day")?, Micros(row.try_get("assumed")?)))).collect()
}

/// SQL for the usage on day `$3` of each of the topics in `$4`, each given once. It reads only the runs of these
/// topics, which are few among many.
fn usage_sql_of_topics(conditions: &str) -> String {
    let sql = ledger("called.topic", &format!("{PART_DAY} = $3{conditions} GROUP BY called.topic"));
    sql.replace("FROM run r WHERE ", &super::runs_of_topics(4))
}

/// Returns how much of these topics' cost on a day no bill confirms; each topic must be given once. Topics without such
/// searches are left out.
pub(in crate::store) async fn assumed_of_topics(
    conn: &mut Conn,
    day: i64,
    topics: &[String],
) -> Result<BTreeMap<String, Micros>, StoreError> {
    if topics.is_empty() {
        return Ok(BTreeMap::new());
    }
    let summed = sqlx::query(AssertSqlSafe(usage_sql_of_topics(&format!(" AND {UNBILLED}"))));
    let summed = summed.bind(index_start(day)).bind(index_end(day)).bind(day);
    let rows = summed.bind(super::resolve::to_json(topics)?).fetch_all(conn).await?;
    rows.iter().map(|row| Ok((row.try_get("topic")?, Micros(row.try_get("assumed")?)))).collect()
}

/// Returns the usage of these topics on a day: as counted, or summed over the ledger if there is no counter yet.
pub(in crate::store) async fn of_topics(
    conn: &mut Conn,
    day: i64,
    topics: &[&str],
) -> Result<BTreeMap<String, Usage>, StoreError> {
    let mut used = BTreeMap::new();
    if topics.is_empty() {
        return Ok(used);
    }
    let counted = format!(
        "SELECT topic, made, spent FROM topic_calls WHERE day = $1 AND topic IN (SELECT given.value FROM {})",
        super::texts(2)
    );
    let counted = sqlx::query(AssertSqlSafe(counted)).bind(day).bind(super::resolve::to_json(topics)?);
    for row in counted.fetch_all(&mut *conn).await? {
        used.insert(row.try_get(0)?, Usage { calls: row.try_get(1)?, money: Micros(row.try_get(2)?) });
    }
    let missing: BTreeSet<&str> = topics.iter().filter(|topic| !used.contains_key(**topic)).copied().collect();
    if missing.is_empty() {
        return Ok(used);
    }
    let summed = sqlx::query(AssertSqlSafe(usage_sql_of_topics("")));
    let summed = summed.bind(index_start(day)).bind(index_end(day)).bind(day);
    used.extend(missing.iter().map(|topic| ((*topic).to_owned(), Usage::default())));
    for row in summed.bind(super::resolve::to_json(&missing)?).fetch_all(conn).await? {
        let topic: String = row.try_get("topic")?;
        used.insert(topic, Usage { calls: row.try_get("made")?, money: Micros(row.try_get("spent")?) });
    }
    Ok(used)
}

/// Stores the usage of topics. The caller holds the day's row.
pub(in crate::store) async fn keep_topics(
    conn: &mut Conn,
    day: i64,
    topics: &BTreeMap<String, Usage>,
) -> Result<(), StoreError> {
    if topics.is_empty() {
        return Ok(());
    }
    let mut insert = QueryBuilder::<Database>::new("INSERT INTO topic_calls (topic, day, made, spent) ");
    insert.push_values(topics, |mut row, (topic, used)| {
        row.push_bind(topic).push_bind(day).push_bind(used.calls).push_bind(used.money.0);
    });
    insert.push(" ON CONFLICT (topic, day) DO UPDATE SET made = excluded.made, spent = excluded.spent");
    insert.build().execute(conn).await?;
    Ok(())
}

/// Drops the counters of topics that are called without limits, because nothing counts their calls. When they have limits
/// again, `of_topics` starts from the ledger. The caller holds the day's row.
pub(in crate::store) async fn drop_topics(
    conn: &mut Conn,
    day: i64,
    topics: &BTreeSet<&str>,
    money: Option<i64>,
) -> Result<(), StoreError> {
    // Without `money`, no topic ever had limits.
    if topics.is_empty() || money.is_none() {
        return Ok(());
    }
    let given = super::texts(2);
    let sql = format!("DELETE FROM topic_calls WHERE day = $1 AND topic IN (SELECT given.value FROM {given})");
    sqlx::query(AssertSqlSafe(sql)).bind(day).bind(super::resolve::to_json(topics)?).execute(conn).await?;
    Ok(())
}
