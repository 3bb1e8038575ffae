//! Editions of exports: begun, ended and dropped by the process that holds the run; and the runs that belong to one.

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::{Conn, Database, Row, filter_conditions, followers, ledger, read};
use crate::model::{SeqRange, Time};
use crate::store::{Cursor, Edition, Filter, JobRun, PlacedFile, RunRange, StoreError};

/// The most old editions returned.
const MOST_OLD: i64 = 1_000;

const COLUMNS: &str = "SELECT number, run, at, seq_since, seq_until, definition, files FROM export_edition";

fn edition(row: &Row) -> Result<Edition, StoreError> {
    let files: Option<String> = row.try_get("files")?;
    let files = files.map(|files| serde_json::from_str(&files)).transpose();
    Ok(Edition {
        number: row.try_get("number")?,
        run: row.try_get("run")?,
        at: Time(row.try_get("at")?),
        between: SeqRange { since: row.try_get("seq_since")?, until: row.try_get("seq_until")? },
        definition: row.try_get("definition")?,
        files: files
            .map_err(|e| StoreError::unreadable(&format!("the files of an edition ({e})")))?
            .unwrap_or_default(),
        placed: Vec::new(),
    })
}

/// Like [`edition`], with the files that are in place.
async fn open(conn: &mut Conn, export: &str, row: &Row) -> Result<Edition, StoreError> {
    let edition = edition(row)?;
    let rows = sqlx::query(
        "SELECT topic, file, what, written FROM export_placed WHERE export = $1 AND number = $2 ORDER BY file",
    );
    let rows = rows.bind(export).bind(edition.number).fetch_all(conn).await?;
    let placed = rows.iter().map(|row| {
        let topic: String = row.try_get("topic")?;
        let topic = Some(topic).filter(|topic| !topic.is_empty());
        let rows = u64::try_from(row.try_get::<i64, _>("written")?).unwrap_or(0);
        Ok(PlacedFile { topic, file: row.try_get("file")?, what: row.try_get("what")?, rows })
    });
    Ok(Edition { placed: placed.collect::<Result<_, StoreError>>()?, ..edition })
}

pub(in crate::store) async fn begin(
    conn: &mut Conn,
    run: &JobRun,
    on: bool,
    definition: &str,
    now: Time,
) -> Result<Option<Edition>, StoreError> {
    ledger::lock_claimed(conn, &run.hold).await?;
    let sql = select("WHERE export = $1 AND files IS NULL ORDER BY number LIMIT 1");
    let unfinished = sqlx::query(AssertSqlSafe(sql)).bind(&run.job.id).fetch_optional(&mut *conn).await?;
    if let Some(row) = unfinished {
        return open(conn, &run.job.id, &row).await.map(Some);
    }
    let sql = select("WHERE export = $1 AND run = $2");
    let query = sqlx::query(AssertSqlSafe(sql)).bind(&run.job.id).bind(run.public_id());
    if query.fetch_optional(&mut *conn).await?.is_some() {
        return Ok(None);
    }
    let until = followers::last_seq(conn).await?;
    let since = next_start(conn, &run.job.id, on).await?;
    if on && until <= since {
        return Ok(None);
    }
    let number: i64 = sqlx::query_scalar(
        "INSERT INTO export_edition (export, number, run, at, seq_since, seq_until, definition) \
         SELECT $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5, $6 FROM export_edition WHERE export = $1 RETURNING number",
    )
    .bind(&run.job.id)
    .bind(run.public_id())
    .bind(run.slot.unwrap_or(now).0)
    .bind(since)
    .bind(until)
    .bind(definition)
    .fetch_one(conn)
    .await?;
    Ok(Some(Edition {
        number,
        run: run.public_id().to_owned(),
        at: run.slot.unwrap_or(now),
        between: SeqRange { since, until },
        definition: definition.to_owned(),
        files: Vec::new(),
        placed: Vec::new(),
    }))
}

/// Returns the `seq` after which the next edition begins.
async fn next_start(conn: &mut Conn, export: &str, on: bool) -> Result<i64, StoreError> {
    Ok(if on { followers::cursor(conn, export).await?.map_or(0, |cursor| cursor.seq) } else { 0 })
}

/// Continues an unfinished edition with the export's current definition; files in place stay.
pub(in crate::store) async fn redefine(
    conn: &mut Conn,
    run: &JobRun,
    number: i64,
    on: bool,
    definition: &str,
) -> Result<(), StoreError> {
    ledger::lock_claimed(conn, &run.hold).await?;
    let since = next_start(conn, &run.job.id, on).await?;
    let sql =
        "UPDATE export_edition SET definition = $1, seq_since = $2 WHERE export = $3 AND number = $4 AND files IS NULL";
    sqlx::query(sql).bind(definition).bind(since).bind(&run.job.id).bind(number).execute(conn).await?;
    Ok(())
}

/// Records that files of an unfinished edition are in place.
pub(in crate::store) async fn files_in_place(
    conn: &mut Conn,
    run: &JobRun,
    number: i64,
    placed: &[PlacedFile],
) -> Result<(), StoreError> {
    ledger::lock_claimed(conn, &run.hold).await?;
    for file in placed {
        sqlx::query(
            "INSERT INTO export_placed (export, number, topic, file, what, written) VALUES ($1, $2, $3, $4, $5, $6) \
             ON CONFLICT (export, number, file) DO UPDATE SET topic = excluded.topic, what = excluded.what, written = excluded.written",
        )
        .bind(&run.job.id)
        .bind(number)
        .bind(file.topic.as_deref().unwrap_or(""))
        .bind(&file.file)
        .bind(&file.what)
        .bind(i64::try_from(file.rows).unwrap_or(i64::MAX))
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

fn select(rest: &str) -> String {
    format!("{COLUMNS} {rest}")
}

pub(in crate::store) async fn end(
    conn: &mut Conn,
    run: &JobRun,
    edition: &Edition,
    on: bool,
    files: &[String],
    rows: u64,
    now: Time,
) -> Result<(), StoreError> {
    ledger::lock_claimed(conn, &run.hold).await?;
    sqlx::query(
        "UPDATE export_edition SET files = $1, written = $2, done_at = $3 WHERE export = $4 AND number = $5 AND files IS NULL",
    )
    .bind(serde_json::json!(files).to_string())
    .bind(i64::try_from(rows).unwrap_or(i64::MAX))
    .bind(now.0)
    .bind(&run.job.id)
    .bind(edition.number)
    .execute(&mut *conn)
    .await?;
    let placed = sqlx::query("DELETE FROM export_placed WHERE export = $1 AND number = $2");
    placed.bind(&run.job.id).bind(edition.number).execute(&mut *conn).await?;
    if !on {
        return Ok(());
    }
    let to = Cursor { seq: edition.between.until, at: now };
    followers::raise_to_run(conn, &run.job.id, to).await
}

pub(in crate::store) async fn is_held(conn: &mut Conn, run: &JobRun) -> Result<bool, StoreError> {
    let claimed: Option<i64> =
        sqlx::query_scalar("SELECT id FROM run WHERE id = $1 AND token = $2 AND state = 'running'")
            .bind(run.hold.id)
            .bind(&run.hold.token)
            .fetch_optional(conn)
            .await?;
    Ok(claimed.is_some())
}

pub(in crate::store) async fn old(conn: &mut Conn, export: &str, keep: u32) -> Result<Vec<Edition>, StoreError> {
    // Count the editions to keep from the newest. Those without files (nothing was new) do not count.
    let sql = select(
        "WHERE export = $1 AND files IS NOT NULL AND number <= coalesce((SELECT k.number FROM export_edition k \
           WHERE k.export = $1 AND k.files IS NOT NULL AND k.files <> '[]' ORDER BY k.number DESC LIMIT 1 OFFSET $2), 0) \
         ORDER BY number LIMIT $3",
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(export).bind(i64::from(keep)).bind(MOST_OLD);
    query.fetch_all(conn).await?.iter().map(edition).collect()
}

pub(in crate::store) async fn delete(conn: &mut Conn, run: &JobRun, number: i64) -> Result<(), StoreError> {
    ledger::lock_claimed(conn, &run.hold).await?;
    sqlx::query("DELETE FROM export_edition WHERE export = $1 AND number = $2 AND files IS NOT NULL")
        .bind(&run.job.id)
        .bind(number)
        .execute(conn)
        .await?;
    Ok(())
}

pub(in crate::store) async fn run_range(conn: &mut Conn, between: SeqRange, most: u32) -> Result<RunRange, StoreError> {
    let sql = format!(
        "SELECT count(*) AS runs, min({at}) AS first_at, max({at}) AS last_at FROM run r \
         WHERE r.seq > $1 AND r.seq <= $2 AND r.topic IS NOT NULL",
        at = read::RUN_AT
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(between.since).bind(between.until);
    let row = query.fetch_one(&mut *conn).await?;
    let ids = sqlx::query_scalar(
        "SELECT public_id FROM run WHERE seq > $1 AND seq <= $2 AND topic IS NOT NULL ORDER BY seq LIMIT $3",
    )
    .bind(between.since)
    .bind(between.until)
    .bind(i64::from(most))
    .fetch_all(conn)
    .await?;
    Ok(RunRange {
        runs: u64::try_from(row.try_get::<i64, _>("runs")?).unwrap_or(0),
        from: read::time(&row, "first_at")?,
        until: read::time(&row, "last_at")?,
        ids,
    })
}

pub(in crate::store) async fn topics(
    conn: &mut Conn,
    between: SeqRange,
    topics: &[String],
    tags: &[String],
) -> Result<Vec<String>, StoreError> {
    let filter = Filter { topics: topics.to_vec(), tags: tags.to_vec(), ..Filter::default() };
    let mut query = QueryBuilder::<Database>::new("SELECT DISTINCT r.topic FROM run r");
    filter_conditions::topics(&mut query, &filter, "r.topic", read::RUN_AT);
    query.push(" AND r.seq > ").push_bind(between.since).push(" AND r.seq <= ").push_bind(between.until);
    query.push(" ORDER BY r.topic");
    Ok(query.build_query_scalar().fetch_all(conn).await?)
}
