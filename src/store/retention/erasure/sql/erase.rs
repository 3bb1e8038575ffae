//! Erases what was forgotten: items with everything stored about them, and what one topic found. A few hundred at a
//! time: each step leaves the rest consistent, and repeating it erases what is left. The counts of runs stay, with how
//! many of the counted items were erased.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::AssertSqlSafe;

use super::resolve::{fetch_json, to_json};
use super::{
    Conn, access, alert_subjects, cluster_keys, day_counts, day_terms, followers, item_history, ledger, word_index,
};
use crate::model::{AccessChanges, Follower, Time, page_keys_of_post};
use crate::store::{ERASED, ErasedCounts, ForgetKey, RunClaim, StoreError, StoreErrorKind, TombstoneKind};

/// Erases items. With a key, leaves tombstones of their keys and of the pages at their own addresses. The caller must hold the items' lock.
pub(in crate::store) async fn items(
    conn: &mut Conn,
    key: Option<ForgetKey>,
    ids: &[i64],
    now: Time,
) -> Result<ErasedCounts, StoreError> {
    if ids.is_empty() {
        return Ok(ErasedCounts::default());
    }
    let given = super::numbers(1);
    let ids_json = to_json(ids)?;
    if let Some(key) = key {
        let sql = format!(
            "SELECT {} FROM {given} CROSS JOIN item_key k CROSS JOIN item i WHERE k.item = given.value AND i.id = k.item",
            super::rows_in_one("k.key, i.url")
        );
        let rows = fetch_json::<(String, Option<String>)>(conn, sql, [ids_json.clone()]).await?;
        let pages = rows.iter().flat_map(|(key, url)| page_keys_of_post(key, url.as_deref()));
        let keys: BTreeSet<String> = rows.iter().map(|(key, _)| key.clone()).chain(pages).collect();
        add_key_tombstones(conn, key, &keys, now).await?;
    }
    cluster_keys::forget(conn, &ids_json).await?;
    release_copies(conn, &ids_json).await?;
    // All replies of searches that showed them, whole; then the counts, while the rows are still there.
    let raw_replies = run(
        conn,
        &format!(
            "DELETE FROM raw_reply WHERE search IN (SELECT q.id FROM {given} CROSS JOIN sighting s CROSS JOIN search q \
             WHERE s.item = given.value AND q.run = s.run AND q.source = s.source)"
        ),
        &ids_json,
    )
    .await?;
    for statement in [
        "UPDATE run SET erased = run.erased + n.gone FROM (SELECT s.run AS run, count(*) AS gone FROM @given CROSS JOIN sighting s \
         WHERE s.item = given.value GROUP BY s.run) AS n WHERE run.id = n.run",
        "UPDATE run SET erased_new = run.erased_new + n.gone FROM (SELECT t.first_run AS run, count(*) AS gone FROM @given \
         CROSS JOIN topic_item t WHERE t.item = given.value GROUP BY t.first_run) AS n WHERE run.id = n.run",
        "UPDATE forgotten SET since = n.since FROM (SELECT min(i.first_seen) AS since FROM @given CROSS JOIN item i \
         WHERE i.id = given.value) AS n WHERE done = 0 AND n.since IS NOT NULL AND (forgotten.since IS NULL OR forgotten.since > n.since)",
    ] {
        run(conn, &statement.replace("@given", &given), &ids_json).await?;
    }
    let mut taken = ErasedCounts { raw_replies, ..ErasedCounts::default() };
    let delete =
        |table: &str, column: &str| format!("DELETE FROM {table} WHERE {column} IN (SELECT given.value FROM {given})");
    taken.revisions = run(conn, &delete("item_revision", "item"), &ids_json).await?;
    item_history::delete(conn, &ids_json).await?;
    day_counts::mark_due_for_items(conn, ids).await?;
    day_terms::forget(conn, ids).await?;
    run(conn, &delete("topic_item", "item"), &ids_json).await?;
    taken.sightings = run(conn, &delete("sighting", "item"), &ids_json).await?;
    run(conn, &delete("item_key", "item"), &ids_json).await?;
    for table in ["item_mark", "item_star", "item_note"] {
        run(conn, &delete(table, "item"), &ids_json).await?;
    }
    run(conn, &delete("cluster_head", "item"), &ids_json).await?;
    word_index::remove(conn, ids).await?;
    taken.items = run(conn, &delete("item", "id"), &ids_json).await?;
    Ok(taken)
}

/// Releases copies of erased items, so that they are compared again and form clusters of their own. Those whose text was
/// pruned cannot be compared: they stay together, as copies of the first of them.
async fn release_copies(conn: &mut Conn, ids: &str) -> Result<(), StoreError> {
    let given = super::numbers(1);
    let keep_together = format!(
        "UPDATE item SET cluster = n.heir, fingerprint = NULL FROM (SELECT i.cluster AS lead, min(i.id) AS heir FROM {given} CROSS JOIN item i \
         WHERE i.cluster = given.value AND i.cluster <> i.id AND i.pruned_at IS NOT NULL AND i.id NOT IN (SELECT given.value FROM {given}) \
         GROUP BY i.cluster) AS n WHERE item.cluster = n.lead AND item.cluster <> item.id AND item.pruned_at IS NOT NULL"
    );
    run(conn, &keep_together, ids).await?;
    let sql = format!(
        "SELECT min(r.seq) FROM {given} CROSS JOIN item i CROSS JOIN topic_item t CROSS JOIN run r \
         WHERE i.cluster = given.value AND i.cluster <> i.id AND t.item = i.id AND r.id = t.first_run"
    );
    let first: Option<i64> = sqlx::query_scalar(AssertSqlSafe(sql)).bind(ids).fetch_one(&mut *conn).await?;
    run(
        conn,
        &format!("UPDATE item SET cluster = NULL, fingerprint = NULL WHERE cluster IN (SELECT given.value FROM {given}) AND cluster <> id"),
        ids,
    )
    .await?;
    restart_clustering(conn, first).await
}

/// Restarts the search for near-copies from a run, and invalidates a batch that is being decided now.
pub(in crate::store) async fn restart_clustering(conn: &mut Conn, from: Option<i64>) -> Result<(), StoreError> {
    sqlx::query("UPDATE cluster_state SET turn = turn + 1").execute(&mut *conn).await?;
    followers::rewind(conn, Follower::NearCopies, from.unwrap_or(i64::MAX)).await
}

/// Like [`items`], but takes the lock itself.
pub(in crate::store) async fn page_of_items(
    conn: &mut Conn,
    key: Option<ForgetKey>,
    ids: &[i64],
    now: Time,
) -> Result<ErasedCounts, StoreError> {
    super::lock(conn, super::resolve::ITEMS_LOCK).await?;
    items(conn, key, ids, now).await
}

/// Stops watching a topic: cancels its queued runs, deletes its job, and ends the links and tokens that show it, which it
/// returns.
pub(in crate::store) async fn close_topic(
    conn: &mut Conn,
    topic: &str,
    now: Time,
) -> Result<AccessChanges, StoreError> {
    super::lock(conn, 1).await?;
    let running: i64 = sqlx::query_scalar("SELECT count(*) FROM run WHERE topic = $1 AND state = 'running'")
        .bind(topic)
        .fetch_one(&mut *conn)
        .await?;
    if running > 0 {
        return Err(StoreError::new(
            StoreErrorKind::Locked,
            format!("a run of topic `{topic}` is active"),
            "wait until it ends (topicwatch runs), then repeat the command",
        ));
    }
    sqlx::query(
        "UPDATE run SET state = 'cancelled', reason = 'the topic was forgotten', finished_at = $1 WHERE topic = $2 AND state = 'queued'",
    )
    .bind(now.0)
    .bind(topic)
    .execute(&mut *conn)
    .await?;
    let changed = access::forget_topic(conn, topic, now).await?;
    alert_subjects::forget_topic(conn, topic).await?;
    for statement in [
        "DELETE FROM job WHERE topic = $1",
        "DELETE FROM renamed WHERE old_id = $1",
        // Without runs, nothing leads to the topic any more.
        "DELETE FROM renamed WHERE new_id = $1 AND NOT EXISTS (SELECT 1 FROM run WHERE topic = $1)",
    ] {
        sqlx::query(statement).bind(topic).execute(&mut *conn).await?;
    }
    Ok(changed)
}

/// Forgets the former ids of a topic, after what names it by them was erased.
pub(in crate::store) async fn end_former_ids(conn: &mut Conn, topic: &str) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM renamed WHERE new_id = $1").bind(topic).execute(conn).await?;
    Ok(())
}

/// Erases some of what a topic found. Nothing is left when nothing was erased.
pub(in crate::store) async fn page_of_topic(
    conn: &mut Conn,
    topic: &str,
    most: i64,
    now: Time,
) -> Result<ErasedCounts, StoreError> {
    super::lock(conn, super::resolve::ITEMS_LOCK).await?;
    // Days of the topic that are being stored now are stored first and then erased, or not stored at all.
    followers::hold(conn, Follower::Days).await?;
    let found: Vec<(i64, i64)> = sqlx::query_as(
        "SELECT t.item, (SELECT count(*) FROM topic_item o WHERE o.item = t.item) FROM topic_item t WHERE t.topic = $1 \
         ORDER BY t.item LIMIT $2",
    )
    .bind(topic)
    .bind(most)
    .fetch_all(&mut *conn)
    .await?;
    let own: Vec<i64> = found.iter().filter(|(_, topics)| *topics == 1).map(|(item, _)| *item).collect();
    let shared: Vec<i64> = found.iter().filter(|(_, topics)| *topics > 1).map(|(item, _)| *item).collect();
    let mut taken = items(conn, None, &own, now).await?;
    for statement in [
        "DELETE FROM topic_day WHERE topic = $1",
        "DELETE FROM topic_day_due WHERE topic = $1",
        "DELETE FROM topic_term WHERE topic = $1",
        "DELETE FROM topic_latest WHERE topic = $1",
        "DELETE FROM request WHERE topic = $1",
        "DELETE FROM item_mark WHERE topic = $1",
        "DELETE FROM saved_search WHERE topic = $1",
        // Otherwise a new topic with this id would not get the entries that its feeds had shown before.
        "DELETE FROM provider_memory WHERE topic = $1",
    ] {
        sqlx::query(statement).bind(topic).execute(&mut *conn).await?;
    }
    if shared.is_empty() {
        return Ok(taken);
    }
    let (given, ids) = (super::numbers(1), to_json(&shared)?);
    for statement in [
        "UPDATE run SET erased = run.erased + n.gone FROM (SELECT s.run AS run, count(*) AS gone FROM @given CROSS JOIN sighting s \
         JOIN run r ON r.id = s.run WHERE s.item = given.value AND r.topic = $2 GROUP BY s.run) AS n WHERE run.id = n.run",
        "UPDATE run SET erased_new = run.erased_new + n.gone FROM (SELECT t.first_run AS run, count(*) AS gone FROM @given \
         CROSS JOIN topic_item t WHERE t.item = given.value AND t.topic = $2 GROUP BY t.first_run) AS n WHERE run.id = n.run",
        "DELETE FROM topic_item WHERE topic = $2 AND item IN (SELECT given.value FROM @given)",
    ] {
        let sql = statement.replace("@given", &given);
        sqlx::query(AssertSqlSafe(sql)).bind(&ids).bind(topic).execute(&mut *conn).await?;
    }
    let sql = format!(
        "DELETE FROM sighting WHERE item IN (SELECT given.value FROM {given}) AND run IN (SELECT id FROM run WHERE topic = $2)"
    );
    let gone = sqlx::query(AssertSqlSafe(sql)).bind(&ids).bind(topic).execute(conn).await?;
    taken.sightings += gone.rows_affected();
    taken.shared = shared.len() as u64;
    Ok(taken)
}

/// Erases what a topic's runs hold besides items: replies, answers, search queries and error texts.
pub(in crate::store) async fn page_of_runs(
    conn: &mut Conn,
    topic: &str,
    after: i64,
    most: i64,
) -> Result<(Option<i64>, ErasedCounts), StoreError> {
    let runs: Vec<i64> = sqlx::query_scalar("SELECT id FROM run WHERE topic = $1 AND id > $2 ORDER BY id LIMIT $3")
        .bind(topic)
        .bind(after)
        .bind(most)
        .fetch_all(&mut *conn)
        .await?;
    let (given, ids) = (super::numbers(1), to_json(&runs)?);
    let of_runs = format!("run IN (SELECT given.value FROM {given})");
    let mut taken = ErasedCounts::default();
    let delete_replies = format!("DELETE FROM raw_reply WHERE search IN (SELECT id FROM search WHERE {of_runs})");
    taken.raw_replies = run(conn, &delete_replies, &ids).await?;
    let answers = format!("UPDATE answer SET text = '{ERASED}', cited = '[]' WHERE {of_runs} AND text <> '{ERASED}'");
    taken.answers = run(conn, &answers, &ids).await?;
    let words = format!(
        "UPDATE search SET query = '{ERASED}', error_text = CASE WHEN error_text IS NULL THEN NULL ELSE '{ERASED}' END WHERE {of_runs}"
    );
    taken.words = run(conn, &words, &ids).await?;
    let errors = format!(
        "UPDATE run SET error_text = '{ERASED}' WHERE error_text IS NOT NULL AND id IN (SELECT given.value FROM {given})"
    );
    run(conn, &errors, &ids).await?;
    Ok((runs.last().copied(), taken))
}

async fn run(conn: &mut Conn, sql: &str, ids: &str) -> Result<u64, StoreError> {
    let done = sqlx::query(AssertSqlSafe(sql.to_owned())).bind(ids).execute(conn).await?;
    Ok(done.rows_affected())
}

/// Gives back the runs of reports and exports, and restarts the checks of alerts: they may have read data that is
/// erased by now. Their results are not stored.
pub(in crate::store) async fn restart_readers(conn: &mut Conn, now: Time) -> Result<(), StoreError> {
    let sql = format!(
        "SELECT id, public_id, token FROM run WHERE state = 'running' AND topic IS NULL AND job <> 'prune' AND token IS NOT NULL \
         ORDER BY id{}",
        super::ROW_LOCK
    );
    let held: Vec<(i64, String, String)> = sqlx::query_as(AssertSqlSafe(sql)).fetch_all(&mut *conn).await?;
    for (id, public_id, token) in held {
        ledger::give_back(conn, &RunClaim { id, public_id, token }, now).await?;
    }
    followers::restart_alerts(conn).await
}

/// Leaves tombstones of the keys of erased items, so that they are recognized even without their author.
pub(in crate::store) async fn add_key_tombstones(
    conn: &mut Conn,
    key: ForgetKey,
    keys: &BTreeSet<String>,
    now: Time,
) -> Result<(), StoreError> {
    let hashes: BTreeMap<String, i64> = keys.iter().map(|name| (key.hash(TombstoneKind::Item, name), now.0)).collect();
    for chunk in hashes.into_iter().collect::<Vec<_>>().chunks(1_000) {
        let mut insert = sqlx::QueryBuilder::<super::Database>::new("INSERT INTO forgotten (hash, kind, at, done) ");
        insert.push_values(chunk, |mut row, (hash, at)| {
            row.push_bind(hash).push("'item'").push_bind(*at).push("1");
        });
        insert.push(" ON CONFLICT (hash) DO NOTHING").build().persistent(false).execute(&mut *conn).await?;
    }
    Ok(())
}
