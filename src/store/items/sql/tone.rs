//! The tone of items: judged when their words are new or changed, and again when the scorer has changed. The judge is
//! passed in; the store does not analyze text.

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::loaded_item::LoadedItem;
use super::resolve::to_json;
use super::{Conn, Database, day_counts};
use crate::model::{Scorer, ToneScore};
use crate::store::{RescoreResult, StoreError};

/// An item's id, title, text and tone.
type ScoredText = (i64, Option<String>, Option<String>, Option<String>);

/// Items per statement.
const BATCH: usize = 500;

/// Judges items that are new or reworded.
pub(in crate::store) fn judge(items: &mut [LoadedItem], judge: Option<Scorer>) {
    let Some(judge) = judge else { return };
    for item in items.iter_mut().filter(|item| item.id.is_none() || item.reworded) {
        item.judged = Some(judge(item.content.title.as_deref(), item.content.text.as_deref()));
    }
}

/// Writes the tone of known items that were reworded; without a judge, deletes the tone of the old words. Marks the
/// days of items whose tone or date changed, so that they are counted again.
pub(in crate::store) async fn update_reworded(conn: &mut Conn, items: &[LoadedItem]) -> Result<(), StoreError> {
    let reworded = items.iter().filter(|item| item.stored && item.seen && item.reworded);
    let mut scores: Vec<(i64, Option<ToneScore>)> = reworded.filter_map(|item| Some((item.id?, item.judged))).collect();
    scores.sort_by_key(|(id, _)| *id);
    let redated =
        |item: &&LoadedItem| item.past.iter().any(|(_, before)| before.published_at != item.content.published_at);
    let mut moved: Vec<i64> =
        items.iter().filter(|item| item.stored).filter(redated).filter_map(|item| item.id).collect();
    moved.extend(changed_tones(conn, &scores).await?);
    write(conn, &scores).await?;
    if moved.is_empty() { Ok(()) } else { day_counts::mark_due_for_items(conn, &moved).await }
}

/// Returns those with another tone or scorer stored.
async fn changed_tones(conn: &mut Conn, scores: &[(i64, Option<ToneScore>)]) -> Result<Vec<i64>, StoreError> {
    let sql =
        format!("SELECT i.id, i.tone, i.scorer FROM {} CROSS JOIN item i WHERE i.id = given.value", super::numbers(1));
    let mut other = Vec::new();
    for chunk in scores.chunks(BATCH) {
        let ids: Vec<i64> = chunk.iter().map(|(id, _)| *id).collect();
        let stored = sqlx::query(AssertSqlSafe(sql.clone())).bind(to_json(&ids)?).fetch_all(&mut *conn).await?;
        for row in &stored {
            let (id, tone, scorer): (i64, Option<&str>, Option<&str>) =
                (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            let now = chunk.binary_search_by_key(&id, |(of, _)| *of).ok().and_then(|at| chunk.get(at)?.1);
            if tone != now.map(|now| now.tone.as_str()) || scorer != now.map(|now| now.scorer) {
                other.push(id);
            }
        }
    }
    Ok(other)
}

async fn write(conn: &mut Conn, scores: &[(i64, Option<ToneScore>)]) -> Result<(), StoreError> {
    for chunk in scores.chunks(BATCH) {
        let mut update = QueryBuilder::<Database>::new(
            "UPDATE item SET tone = v.column2, score = v.column3, scorer = v.column4 FROM (",
        );
        update.push_values(chunk, |mut row, (id, score)| {
            // A column with only NULLs has no type by itself.
            row.push_bind(*id)
                .push("CAST(")
                .push_bind_unseparated(score.map(|tone_score| tone_score.tone.as_str()))
                .push_unseparated(" AS TEXT)")
                .push("CAST(")
                .push_bind_unseparated(score.and_then(|tone_score| tone_score.score))
                .push_unseparated(" AS BIGINT)")
                .push("CAST(")
                .push_bind_unseparated(score.map(|tone_score| tone_score.scorer))
                .push_unseparated(" AS TEXT)");
        });
        update.push(") AS v WHERE item.id = v.column1").build().persistent(false).execute(&mut *conn).await?;
    }
    Ok(())
}

/// Judges up to `limit` items after `after` again that have no tone yet or one by another scorer. A dry run writes
/// nothing.
pub(in crate::store) async fn rescore(
    conn: &mut Conn,
    judge: Scorer,
    topics: &[String],
    after: i64,
    limit: i64,
    dry_run: bool,
) -> Result<RescoreResult, StoreError> {
    // Storing a run takes the same lock, so no words change between reading and writing.
    super::lock(conn, super::resolve::ITEMS_LOCK).await?;
    let scorer = judge(None, None).scorer;
    let rows = format!(
        "SELECT {} FROM (SELECT i.id, i.title, i.text, i.tone FROM item i WHERE i.id > $1 AND i.pruned_at IS NULL AND (i.scorer IS NULL OR i.scorer <> $2) \
         AND ($3 = 0 OR EXISTS (SELECT 1 FROM topic_item t WHERE t.item = i.id AND t.topic IN (SELECT given.value FROM {}))) \
         ORDER BY i.id LIMIT $5) AS i",
        super::rows_in_one("i.id, i.title, i.text, i.tone"),
        super::texts(4)
    );
    let text = sqlx::query_scalar::<_, String>(AssertSqlSafe(rows))
        .bind(after)
        .bind(scorer)
        .bind(i64::from(!topics.is_empty()))
        .bind(to_json(topics)?)
        .bind(limit)
        .fetch_one(&mut *conn)
        .await?;
    let mut found: Vec<ScoredText> =
        serde_json::from_str(&text).map_err(|e| StoreError::unreadable(&format!("rows ({e})")))?;
    found.sort_by_key(|row| row.0);
    let mut done = RescoreResult::default();
    let mut scores = Vec::with_capacity(found.len());
    for (id, title, text, tone) in found {
        let now = judge(title.as_deref(), text.as_deref());
        done.count(tone.as_deref(), now.tone);
        done.last = id;
        scores.push((id, Some(now)));
    }
    if !dry_run {
        write(conn, &scores).await?;
        let ids: Vec<i64> = scores.iter().map(|(id, _)| *id).collect();
        day_counts::mark_due_for_items(conn, &ids).await?;
    }
    Ok(done)
}
