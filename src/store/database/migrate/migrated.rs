//! Whether a database's tables are ours and up to date, and the errors when they are not.

use sqlx::migrate::{Migrate, MigrateError, Migrator};

use crate::store::{StoreError, StoreErrorKind};

/// Returns how many migrations are not applied yet. An error if the database has one that this program does not know,
/// or one of the same number with another checksum.
pub(in crate::store) async fn pending<C: Migrate>(
    migrator: &Migrator,
    conn: &mut C,
    place: &str,
) -> Result<usize, StoreError> {
    let applied = conn.list_applied_migrations("_sqlx_migrations").await.map_err(|e| migrate_error(e, place))?;
    for done in &applied {
        match migrator.iter().find(|known| known.version == done.version) {
            None => return Err(migrate_error(MigrateError::VersionMissing(done.version), place)),
            Some(known) if known.checksum != done.checksum => {
                return Err(migrate_error(MigrateError::VersionMismatch(done.version), place));
            }
            Some(_) => {}
        }
    }
    Ok(migrator.iter().count().saturating_sub(applied.len()))
}

pub(in crate::store) fn migrate_error(error: MigrateError, place: &str) -> StoreError {
    match error {
        MigrateError::VersionMissing(version) => StoreError::new(
            StoreErrorKind::Newer,
            format!("{place} was written by a newer topicwatch (its migration {version} is unknown here)"),
            "upgrade topicwatch, or restore the backup made before the upgrade",
        ),
        MigrateError::VersionMismatch(version) => StoreError::new(
            StoreErrorKind::Foreign,
            format!("migration {version} of {place} differs from the one in this program"),
            "this is a database of a development version, and only that version reads it; choose another one",
        ),
        MigrateError::Execute(inner) | MigrateError::ExecuteMigration(inner, _) => with_place(inner.into(), place),
        other => StoreError::new(StoreErrorKind::Statement, format!("{place}: {other}"), ""),
    }
}

pub(in crate::store) fn foreign(place: &str) -> StoreError {
    StoreError::new(
        StoreErrorKind::Foreign,
        format!("{place} contains tables that are not from topicwatch"),
        "choose an empty database (or, on PostgreSQL, another [database] schema); nothing was changed",
    )
}

pub(in crate::store) fn with_place(mut error: StoreError, place: &str) -> StoreError {
    error.text = format!("{place}: {}", error.text);
    error
}
