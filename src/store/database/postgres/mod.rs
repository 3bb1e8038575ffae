//! PostgreSQL: advisory locks and the SQL fragments that differ from SQLite. The statements are shared with SQLite and
//! compiled here for PostgreSQL.

use sqlx::{PgConnection, Postgres};

use crate::store::StoreError;

pub(in crate::store) mod disk;
mod pools;

#[path = "../../reading/sql/sightings_postgres.rs"]
pub(in crate::store) mod sightings;
#[path = "../statements.rs"]
pub(in crate::store) mod statements;
#[path = "../../derived/text_search/sql/tokens_postgres.rs"]
pub(in crate::store) mod tokens;

pub(in crate::store) use pools::Pools;

pub(in crate::store) type Database = Postgres;
pub(in crate::store) type Conn = PgConnection;
pub(in crate::store) type Row = sqlx::postgres::PgRow;

/// Begins a snapshot transaction: it sees one state of the database, however long it reads.
pub(in crate::store) const ONE_MOMENT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// For claiming due runs: skips rows that another process is claiming instead of waiting for them.
pub(in crate::store) const CLAIM_LOCK: &str = " FOR UPDATE OF q SKIP LOCKED";

/// PostgreSQL chooses its indexes itself.
pub(in crate::store) const PAST_BY_ITEM: &str = "";

/// Whether a list of the latest rows of several topics would sort all of them, whatever their statistics are.
pub(in crate::store) const SORTS_SEVERAL_TOPICS: bool = false;

/// Locks a row until the transaction ends; rows that only refer to it may still be added.
pub(in crate::store) const ROW_LOCK: &str = " FOR NO KEY UPDATE";

/// Like [`ROW_LOCK`], but skips rows that others have locked.
pub(in crate::store) const ROW_LOCK_OR_PASS_OVER: &str = " FOR NO KEY UPDATE SKIP LOCKED";

/// SQL for the texts of a JSON array, bound as `$at`, as rows of `given` with one column `value`. The statement text
/// stays the same for lists of any length.
pub(in crate::store) fn texts(at: u8) -> String {
    format!("(SELECT value FROM jsonb_array_elements_text(CAST(${at} AS JSONB)) AS value) AS given")
}

/// SQL for the start of a selection from the runs `r` of the topics in the JSON array that is bound as `$at`. An array,
/// because the planner assumes that a set has a hundred topics, and then reads all runs.
pub(in crate::store) fn runs_of_topics(at: u8) -> String {
    format!("FROM run r WHERE r.topic = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(${at} AS JSONB)))) AND ")
}

/// Like [`texts`], for a column that holds a JSON array.
pub(in crate::store) fn listed(column: &str) -> String {
    format!("jsonb_array_elements_text(CAST({column} AS JSONB)) AS given (value)")
}

/// SQL for all rows of a selection as one JSON array of arrays, since each row returned on its own has a cost.
pub(in crate::store) fn rows_in_one(columns: &str) -> String {
    format!("CAST(coalesce(json_agg(json_build_array({columns})), '[]') AS TEXT)")
}

/// SQL for a column's bytes as hexadecimal digits.
pub(in crate::store) fn digits(column: &str) -> String {
    format!("encode({column}, 'hex')")
}

/// SQL for the length of a text in bytes of UTF-8, whatever the server's encoding.
pub(in crate::store) fn octets(column: &str) -> String {
    format!("octet_length(convert_to({column}, 'UTF8'))")
}

/// Like [`texts`], for whole numbers.
pub(in crate::store) fn numbers(at: u8) -> String {
    format!(
        "(SELECT CAST(value AS BIGINT) AS value FROM jsonb_array_elements_text(CAST(${at} AS JSONB)) AS value) AS given"
    )
}

/// Takes a lock for one purpose in this schema and holds it until the transaction ends. Waits if it is taken.
pub(in crate::store) async fn lock(conn: &mut Conn, what: i64) -> Result<(), StoreError> {
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended(current_schema(), $1))")
        .bind(what)
        .execute(conn)
        .await?;
    Ok(())
}

/// Updates the planner's statistics of a table after many rows were written. Without statistics of a new table, the
/// planner would compare each due topic with every other.
pub(in crate::store) async fn analyze(conn: &mut Conn, table: &'static str) -> Result<(), StoreError> {
    sqlx::query(sqlx::AssertSqlSafe(format!("ANALYZE {table}"))).persistent(false).execute(conn).await?;
    Ok(())
}

/// The name of our jobs in graphile_worker.
pub(in crate::store) const JOB: &str = "topicwatch_run";

/// Adds a job for each run, replacing one that already waits for the same attempt. `engine` is the schema of
/// graphile_worker.
pub(in crate::store) async fn add_jobs(
    conn: &mut Conn,
    engine: &str,
    runs: &[i64],
    attempts: &[i64],
    due: &[i64],
) -> Result<(), StoreError> {
    let sql = format!(
        "SELECT count(\"{engine}\".add_job($4, json_build_object('run', job.run), run_at := to_timestamp(job.due / 1000.0), \
         job_key := job.run || ':' || job.attempt)) FROM unnest($1::BIGINT[], $2::BIGINT[], $3::BIGINT[]) AS job (run, attempt, due)"
    );
    sqlx::query(sqlx::AssertSqlSafe(sql)).bind(runs).bind(attempts).bind(due).bind(JOB).execute(conn).await?;
    Ok(())
}
