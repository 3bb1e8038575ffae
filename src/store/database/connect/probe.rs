//! Checks whether a database can be used, for `check --probe`: it is opened for reading, and the system or the server
//! says whether this user may write. Nothing is created, changed or upgraded.

use std::path::Path;

use crate::store::database::connect::address::sqlite_path;
use crate::store::database::handle::Db;
use crate::store::{Settings, Store, StoreError, StoreErrorKind};

/// The state of a database that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseState {
    /// It can be read and written.
    Ready,
    /// A process that writes creates it first, or upgrades its tables; the text says why.
    Unprepared(String),
}

impl Store {
    /// Returns the state of a database, or why it cannot be used.
    pub async fn probe(settings: &Settings) -> Result<DatabaseState, StoreError> {
        // Checked first: SQLite may create files next to the database even to read it.
        if let Some(path) = sqlite_path(&settings.url)?.filter(|path| !path.is_dir()) {
            may_write_file(&path)?;
        }
        match Self::open_to_read(settings).await {
            Ok(store) => {
                let store = store.require_origin(settings.origin).await?;
                let allowed = store.may_write_tables().await;
                store.close().await;
                allowed.map(|()| DatabaseState::Ready)
            }
            Err(error) if error.kind == StoreErrorKind::Unprepared => Ok(DatabaseState::Unprepared(error.text)),
            Err(error) => Err(error),
        }
    }

    /// Checks that this user may write to the tables of a server.
    async fn may_write_tables(&self) -> Result<(), StoreError> {
        let Db::Postgres(pools) = &self.db else { return Ok(()) };
        let mut conn = pools.reader().await?;
        let sql = "SELECT has_table_privilege('run', 'INSERT') AND has_table_privilege('run', 'UPDATE')";
        if sqlx::query_scalar(sql).fetch_one(&mut *conn).await? {
            pools.keep(conn);
            return Ok(());
        }
        Err(StoreError::new(
            StoreErrorKind::Unwritable,
            format!("this user may not write to the tables in {}", self.place),
            "make the user the owner of the schema, or GRANT ALL on it and on the tables in it",
        ))
    }
}

/// Checks that this user may write to a SQLite file and its folder, or create the file.
fn may_write_file(path: &Path) -> Result<(), StoreError> {
    // The file may be a link to another folder.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    if !folder.is_dir() {
        return Err(StoreError::new(
            StoreErrorKind::Unreachable,
            format!("there is no folder {} for the database", folder.display()),
            "create it, or choose another database with [database] url or --database",
        ));
    }
    #[cfg(unix)]
    {
        use rustix::fs::{Access, access};
        let mut checks = vec![(folder, Access::WRITE_OK | Access::EXEC_OK)];
        if path.exists() {
            checks.push((path.as_path(), Access::READ_OK | Access::WRITE_OK));
        }
        for (place, wanted) in checks {
            access(place, wanted).map_err(|error| {
                StoreError::new(
                    StoreErrorKind::Unwritable,
                    format!("this user cannot write to {}: {}", place.display(), std::io::Error::from(error)),
                    "run as the user that it belongs to, or allow this one to write to the database and its folder",
                )
            })?;
        }
    }
    Ok(())
}
