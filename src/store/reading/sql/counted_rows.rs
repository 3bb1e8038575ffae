//! The rows behind numbers of pages: what a run found, and what is new since an instant. The conditions are those by
//! which the ledger and `fresh` count.

use std::collections::BTreeSet;

use sqlx::{AssertSqlSafe, Row as _};

use super::day_counts::MOMENT;
use super::{Conn, followers, fresh, read};
use crate::model::{Source, Span, Time};
use crate::store::{RunItem, RunItems, StoreError};

/// SQL for the order of a table's sources: that of [`Source`].
fn source_order(table: &str) -> String {
    format!("CASE {table}.source WHEN 'social' THEN 1 WHEN 'web' THEN 2 WHEN 'ai' THEN 3 ELSE 4 END, {table}.source")
}

/// SQL condition: no source before that of sighting `s` showed the item in the same run. A new item counts for the
/// first source that showed it.
fn is_first_source() -> String {
    format!(
        "NOT EXISTS (SELECT 1 FROM sighting o WHERE o.run = s.run AND o.item = s.item AND ({}) < ({}))",
        source_order("o"),
        source_order("s")
    )
}

/// SQL for rows of a run: topic items `t` with a sighting `s`. The run's public id is `$1`, the source `$2`, or empty;
/// first answers, where they matter, are bound at `place`.
fn rows_of_run(which: RunItems, place: u8) -> String {
    let asked = "t.topic = f.topic AND f.public_id = $1 AND f.seq IS NOT NULL AND ($2 = '' OR s.source = $2)";
    let seen = format!(
        "FROM run f CROSS JOIN sighting s CROSS JOIN topic_item t WHERE s.run = f.id AND t.item = s.item AND {asked}"
    );
    let first_source = is_first_source();
    // Kept even when the run's sightings were pruned.
    let first = format!(
        "FROM run f CROSS JOIN topic_item t LEFT JOIN sighting s ON s.run = f.id AND s.item = t.item AND {first_source} \
         WHERE t.first_seen = f.started_at AND t.first_run = f.id AND {asked}"
    );
    let fit = fresh::FIT;
    match which {
        RunItems::Found => seen,
        RunItems::Duplicate => format!("{seen} AND NOT (t.first_run = f.id AND {first_source})"),
        RunItems::First => first,
        RunItems::Older => format!("{first} AND {fit} = 2"),
        RunItems::Baseline => {
            format!("{first} AND coalesce({fit}, 1) <> 2 AND {}", fresh::only_first_answers(place))
        }
        RunItems::New => format!(
            "{first} AND coalesce({fit}, 1) <> 2 AND CASE WHEN {} THEN 0 ELSE 1 END = 1",
            fresh::only_first_answers(place)
        ),
    }
}

/// Returns the run's first answers, encoded for binding, if these rows depend on them.
async fn first_answers(conn: &mut Conn, run: &str, which: RunItems) -> Result<Option<String>, StoreError> {
    match which {
        RunItems::New | RunItems::Baseline => {
            let begun = fresh::first_answers_of_runs(conn, &[run.to_owned()]).await?;
            Ok(Some(fresh::pairs(&begun)))
        }
        RunItems::Found | RunItems::Duplicate | RunItems::First | RunItems::Older => Ok(None),
    }
}

fn name_of(source: Option<Source>) -> String {
    source.map_or_else(String::new, |source| source.as_str().to_owned())
}

/// Returns how many rows of a run there are.
pub(in crate::store) async fn count_run_items(
    conn: &mut Conn,
    run: &str,
    which: RunItems,
    source: Option<Source>,
) -> Result<i64, StoreError> {
    let begun = first_answers(&mut *conn, run, which).await?;
    let sql = format!("SELECT count(*) AS many {}", rows_of_run(which, 3));
    let mut query = sqlx::query(AssertSqlSafe(sql)).bind(run).bind(name_of(source));
    if let Some(begun) = begun {
        query = query.bind(begun);
    }
    Ok(query.fetch_one(conn).await?.try_get("many")?)
}

/// Returns a page of rows of a run.
pub(in crate::store) async fn run_items(
    conn: &mut Conn,
    run: &str,
    which: RunItems,
    source: Option<Source>,
    (skipped, most): (i64, i64),
) -> Result<Vec<RunItem>, StoreError> {
    let begun = first_answers(&mut *conn, run, which).await?;
    let sql = format!(
        "WITH page AS (SELECT t.topic AS of, t.item AS item, s.source AS source, s.rank AS place {} \
         ORDER BY {}, s.rank, t.item LIMIT $3 OFFSET $4) {} JOIN page ON page.item = t.item AND page.of = t.topic \
         ORDER BY {}, page.place, t.item",
        rows_of_run(which, 5),
        source_order("s"),
        read::ITEM.replacen("SELECT ", "SELECT page.source AS shown_by, ", 1),
        source_order("page")
    );
    let mut query = sqlx::query(AssertSqlSafe(sql)).bind(run).bind(name_of(source)).bind(most).bind(skipped);
    if let Some(begun) = begun {
        query = query.bind(begun);
    }
    let rows = query.fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            let shown_by: Option<String> = row.try_get("shown_by")?;
            Ok(RunItem { source: shown_by.as_deref().and_then(Source::parse), row: read::item(row)? })
        })
        .collect()
}

/// Returns the keys of the items that [`fresh::new_since`] counts for a topic.
pub(in crate::store) async fn new_item_keys(
    conn: &mut Conn,
    topic: &str,
    since: Time,
    baseline: bool,
    most: i64,
) -> Result<Vec<String>, StoreError> {
    let list = serde_json::json!([topic]).to_string();
    let ahead = followers::ahead_before(&mut *conn, since).await?;
    let is_ahead = |run: &i64| ahead.iter().any(|(id, _)| id == run);
    let mut begun = fresh::first_answers(&mut *conn, &list, since).await?;
    begun.retain(|(run, _)| !is_ahead(run));
    let mut runs: BTreeSet<i64> = begun.iter().map(|(run, _)| *run).collect();
    if !baseline {
        let mut backfills = fresh::backfill_runs(&mut *conn, &list, since).await?;
        backfills.retain(|run| !is_ahead(run));
        runs.extend(backfills);
    }
    let (fit, plain) = (fresh::FIT, fresh::PLAIN);
    let (of_runs, only_first) = (super::numbers(3), fresh::only_first_answers(4));
    let of_runs = format!("t.first_seen = f.started_at AND f.id IN (SELECT given.value FROM {of_runs})");
    let counts = match baseline {
        true => format!("{of_runs} AND coalesce({fit}, 1) <> 2 AND {only_first}"),
        false => format!(
            "(f.outside = 0 OR {plain} <> 2) \
             AND CASE WHEN {of_runs} AND {plain} <> 2 AND (coalesce({fit}, 1) = 2 OR {only_first}) THEN 0 ELSE 1 END = 1"
        ),
    };
    let sql = format!(
        "SELECT i.key FROM topic_item t CROSS JOIN run f CROSS JOIN item i WHERE t.topic = $1 AND t.first_seen >= $2 \
         AND f.id = t.first_run AND f.seq IS NOT NULL AND i.id = t.item AND {counts}{} \
         ORDER BY t.first_seen DESC, coalesce(i.published_at, 0) DESC, i.key LIMIT $5",
        followers::none_of(&ahead)
    );
    let query = sqlx::query_scalar(AssertSqlSafe(sql)).bind(topic).bind(since.0);
    let query = query.bind(serde_json::json!(runs).to_string()).bind(fresh::pairs(&begun)).bind(most);
    Ok(query.fetch_all(conn).await?)
}

/// Returns the keys of [`super::report::counted_items`] in the same order, at most `most`.
pub(in crate::store) async fn counted_item_keys(
    conn: &mut Conn,
    topic: &str,
    span: Span,
    most: i64,
) -> Result<Vec<String>, StoreError> {
    let sql = format!(
        "SELECT i.key FROM topic_item t JOIN item i ON i.id = t.item JOIN run f ON f.id = t.first_run \
         WHERE t.topic = $1 AND t.first_seen >= $2 AND f.seq IS NOT NULL AND {MOMENT} >= $2 AND {MOMENT} < $3 \
         ORDER BY t.first_seen DESC, i.key LIMIT $4"
    );
    let query = sqlx::query_scalar(AssertSqlSafe(sql)).bind(topic).bind(span.from.0).bind(span.until.0).bind(most);
    Ok(query.fetch_all(conn).await?)
}
