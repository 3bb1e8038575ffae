//! Finished reports and export editions, and which of their files a later run has overwritten.

use std::collections::BTreeSet;

use futures_util::TryStreamExt as _;
use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, Row};
use crate::model::{EditionRow, Time, WrittenFile};
use crate::store::{RunCursor, StoreError};

/// Returns reports and editions, or one of the two kinds, the latest first; only those of a run if given.
pub(in crate::store) async fn list(
    conn: &mut Conn,
    run: Option<&str>,
    kind: Option<&str>,
    before: Option<&RunCursor>,
    limit: i64,
) -> Result<Vec<EditionRow>, StoreError> {
    let (at, after) = before.map_or((i64::MAX, ""), |place| (place.at.0, place.run.as_str()));
    let which = if run.is_some() { "run = $1" } else { "$1 = ''" };
    // Bounds on both sides let SQLite walk back along an index of time and stop at the limit.
    let latest = |at: &str, kind: &str| {
        format!(
            "{at} >= {} AND {at} <= $2 AND ({at} < $2 OR run > $3) AND {which} AND $5 IN ('', '{kind}') ORDER BY {at} DESC, run LIMIT $4",
            -i64::MAX
        )
    };
    let sql = format!(
        "SELECT kind, name, run, made_at, subject, written, files FROM (SELECT * FROM (\
         SELECT 'report' AS kind, name, run, made_at, subject, CAST(NULL AS BIGINT) AS written, files FROM report WHERE {}) AS reports \
         UNION ALL SELECT * FROM (\
         SELECT 'export' AS kind, export AS name, run, done_at AS made_at, '' AS subject, written, files FROM export_edition \
         WHERE done_at IS NOT NULL AND files IS NOT NULL AND {}) AS editions) AS made ORDER BY made_at DESC, run LIMIT $4",
        latest("made_at", "report"),
        latest("done_at", "export")
    );
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(run.unwrap_or(""))
        .bind(at)
        .bind(after)
        .bind(limit)
        .bind(kind.unwrap_or(""))
        .fetch_all(&mut *conn)
        .await?;
    let mut editions = rows
        .iter()
        .map(|row| {
            let file = |path| WrittenFile { path, replaced: false };
            Ok(EditionRow {
                kind: row.try_get("kind")?,
                name: row.try_get("name")?,
                run: row.try_get("run")?,
                made_at: Time(row.try_get("made_at")?),
                subject: row.try_get("subject")?,
                rows: row.try_get("written")?,
                files: paths(row)?.into_iter().map(file).collect(),
            })
        })
        .collect::<Result<Vec<_>, StoreError>>()?;
    mark_replaced(conn, &mut editions).await?;
    Ok(editions)
}

/// Marks files that a later run has overwritten: paths may contain only the day, or no time at all. Of two made in the
/// same millisecond both are marked, since it is unknown which came last.
async fn mark_replaced(conn: &mut Conn, editions: &mut [EditionRow]) -> Result<(), StoreError> {
    let own: BTreeSet<String> = editions.iter().flat_map(|row| &row.files).map(|file| file.path.clone()).collect();
    let Some(since) = editions.iter().filter(|row| !row.files.is_empty()).map(|row| row.made_at.0).min() else {
        return Ok(());
    };
    let mut later = sqlx::query(
        "SELECT run, made_at, files FROM (SELECT run, made_at, files FROM report UNION ALL \
         SELECT run, done_at AS made_at, files FROM export_edition WHERE done_at IS NOT NULL AND files IS NOT NULL) AS made \
         WHERE made_at >= $1 AND files <> '[]'",
    )
    .bind(since)
    .fetch(conn);
    while let Some(row) = later.try_next().await? {
        let (run, at): (String, i64) = (row.try_get("run")?, row.try_get("made_at")?);
        for path in paths(&row)?.into_iter().filter(|path| own.contains(path)) {
            for earlier in editions.iter_mut().filter(|edition| edition.made_at.0 <= at && edition.run != run) {
                for file in earlier.files.iter_mut().filter(|file| file.path == path) {
                    file.replaced = true;
                }
            }
        }
    }
    Ok(())
}

fn paths(row: &Row) -> Result<Vec<String>, StoreError> {
    let files: String = row.try_get("files")?;
    Ok(serde_json::from_str(&files).unwrap_or_default())
}
