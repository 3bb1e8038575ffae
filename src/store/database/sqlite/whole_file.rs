//! Operations on a whole SQLite file: copy, check, rewrite.

use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection as _, Row as _};

use crate::store::{StoreError, StoreErrorKind};

/// The kind of file at a path.
pub(in crate::store) enum Existing {
    /// There is no file, or it is empty.
    Nothing,
    NoDatabase,
    /// Another program's database.
    Foreign,
    /// One of ours, with its latest finished runs: public id and end time.
    Ours(Vec<(String, i64)>),
}

/// Returns a number that changes with every commit of another connection.
const COMMITS: &str = "PRAGMA data_version";

/// Whether an error of `VACUUM INTO` comes from reading the database rather than from writing the copy.
fn is_of_reading(error: &StoreError) -> bool {
    // SQLITE_IOERR_READ and SQLITE_IOERR_SHORT_READ, or a damaged file.
    let failed = ["(code: 266)", "(code: 522)"].iter().any(|code| error.text.contains(code));
    failed || error.kind == StoreErrorKind::Foreign
}

/// Returns the error of a copy whose source could not be read, so that nobody looks for the cause at the copy.
fn of_source(error: StoreError, file: &Path) -> StoreError {
    let text = format!("{} could not be read: {}", file.display(), error.text);
    match error.kind {
        StoreErrorKind::Unwritable if is_of_reading(&error) => {
            let hint = "is its disk failing? restore a backup if this file stays unreadable".to_owned();
            StoreError { kind: StoreErrorKind::Unreachable, text, hint, ..error }
        }
        // Reading needs a file next to it, for which there may be no room.
        StoreErrorKind::Unwritable => StoreError { kind: StoreErrorKind::Unreachable, text, ..error },
        StoreErrorKind::Foreign => StoreError { text, ..error },
        _ => error,
    }
}

/// Opens the source of a copy. Returns the connection, the number of its last commit, and the rows of each table.
async fn begin_copy(
    options: &SqliteConnectOptions,
) -> Result<(sqlx::SqliteConnection, i64, Vec<(&'static str, i64)>), StoreError> {
    let mut conn = sqlx::SqliteConnection::connect_with(options).await?;
    // For files made without auto-vacuum. On others the statement would only write, and their disk may be full.
    if sqlx::query_scalar::<_, i64>("SELECT auto_vacuum FROM pragma_auto_vacuum").fetch_one(&mut conn).await? != 2 {
        sqlx::query("PRAGMA auto_vacuum = INCREMENTAL").execute(&mut conn).await?;
    }
    let before: i64 = sqlx::query_scalar(COMMITS).fetch_one(&mut conn).await?;
    let sizes = super::row_counts::row_counts(&mut conn).await?;
    Ok((conn, before, sizes))
}

impl super::Pools {
    /// Writes a snapshot of the database into another, empty file, while others go on writing. Returns the number of
    /// rows of each table in the snapshot; `None` if others wrote meanwhile, because then it is unknown.
    pub(in crate::store) async fn vacuum_into(
        &self,
        path: &Path,
    ) -> Result<Option<Vec<(&'static str, i64)>>, StoreError> {
        // A reader may not write, and others would have to wait for the writer, so this is a connection of its own. It
        // does not run `PRAGMA optimize` at its end, because that writes: the file may be read-only, or another process
        // may be writing.
        let options = SqliteConnectOptions::clone(&self.single).optimize_on_close(false, None::<u32>);
        let source = |error: StoreError| of_source(error, options.get_filename());
        let (mut conn, before, sizes) = begin_copy(&options).await.map_err(source)?;
        let done = sqlx::query("VACUUM INTO $1").bind(path.to_string_lossy().into_owned()).execute(&mut conn).await;
        let after: Result<i64, _> = sqlx::query_scalar(COMMITS).fetch_one(&mut conn).await;
        conn.close().await?;
        done.map_err(|error| {
            let error = StoreError::from(error);
            if is_of_reading(&error) { source(error) } else { error }
        })?;
        let quiet = after? == before;
        // The copy must not list the source's running processes: put in place, it would seem to be in use.
        let mut copy = sqlx::SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(path)).await?;
        let left = sqlx::raw_sql("DELETE FROM instance; DELETE FROM service_lease").execute(&mut copy).await;
        copy.close().await?;
        left?;
        Ok(quiet.then_some(sizes))
    }

    /// Verifies a copy from end to end and returns the number of rows of each table.
    pub(in crate::store) async fn verify_copy(path: &Path) -> Result<Vec<(&'static str, i64)>, StoreError> {
        let options = SqliteConnectOptions::new().filename(path).immutable(true).read_only(true);
        let mut conn = sqlx::SqliteConnection::connect_with(&options).await?;
        let found: String = sqlx::query_scalar("PRAGMA integrity_check(1)").fetch_one(&mut conn).await?;
        let sizes = super::row_counts::row_counts(&mut conn).await;
        conn.close().await?;
        if found != "ok" {
            return Err(StoreError::new(
                StoreErrorKind::Statement,
                format!("the copy is corrupt: {found}"),
                "is the database intact? check with `sqlite3 FILE 'PRAGMA integrity_check'`; the copy was not put in place",
            ));
        }
        sizes
    }
}

impl super::Pools {
    /// Returns the kind of a file. The file must not be in use.
    pub(in crate::store) async fn inspect(path: &Path) -> Result<Existing, StoreError> {
        if !path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0) {
            return Ok(Existing::Nothing);
        }
        let options = SqliteConnectOptions::new().filename(path).immutable(true).read_only(true);
        let mut conn = sqlx::SqliteConnection::connect_with(&options).await?;
        let count_sql = "SELECT count(*) FROM sqlite_schema WHERE name IN ('_sqlx_migrations', 'run')";
        let last = "SELECT public_id, finished_at FROM run WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 100";
        let existing = match sqlx::query_scalar::<_, i64>(count_sql).fetch_one(&mut conn).await {
            Ok(2) => sqlx::query_as(last).fetch_all(&mut conn).await.map(Existing::Ours),
            Ok(_) => Ok(Existing::Foreign),
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("26") => Ok(Existing::NoDatabase),
            Err(error) => Err(error),
        };
        conn.close().await?;
        Ok(existing?)
    }

    /// From now on, data that this process deletes is overwritten, not only freed.
    pub(in crate::store) async fn overwrite_deleted(&self) -> Result<(), StoreError> {
        sqlx::query("PRAGMA secure_delete = ON").execute(&mut *self.write.acquire().await?).await?;
        Ok(())
    }

    /// Rewrites the file, since data deleted or moved earlier is still in its unused parts, and empties the log.
    /// Returns false if another process prevented that.
    pub(in crate::store) async fn scrub(&self) -> Result<bool, StoreError> {
        const TRIES: u32 = 5;
        for tries in 1..=TRIES {
            let mut conn = self.write.acquire().await?;
            let anew = sqlx::query("VACUUM").execute(&mut *conn).await.map_err(StoreError::from);
            match anew {
                Err(error) if error.again => {}
                Err(error) => return Err(error),
                Ok(_) => {
                    let row = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut *conn).await?;
                    if row.try_get::<i64, _>(0)? == 0 {
                        return Ok(true);
                    }
                }
            }
            drop(conn);
            crate::store::database::handle::pause(tries + 3).await;
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_reading_the_source_of_a_copy_names_the_source() {
        let unwritable =
            |text: &str| StoreError::new(StoreErrorKind::Unwritable, text, "is the disk full, or failing?");
        for (error, is_reading) in [
            (unwritable("(code: 266) disk I/O error"), true),
            (unwritable("(code: 522) disk I/O error"), true),
            (unwritable("(code: 778) disk I/O error"), false),
            (unwritable("(code: 13) database or disk is full"), false),
            (StoreError::new(StoreErrorKind::Foreign, "(code: 11) database disk image is malformed", ""), true),
        ] {
            assert_eq!(is_of_reading(&error), is_reading, "{error}");
            let named = of_source(error.clone(), Path::new("/data/t.db"));
            assert_eq!(named.text, format!("/data/t.db could not be read: {}", error.text));
            assert_ne!(named.kind, StoreErrorKind::Unwritable, "{error}");
        }
        for (code, hint) in [("266", "is its disk failing?"), ("4874", "is the disk full, or failing?")] {
            let named = of_source(unwritable(&format!("(code: {code}) disk I/O error")), Path::new("/data/t.db"));
            assert!(named.hint.starts_with(hint), "{code}: {named:?}");
        }
    }
}
