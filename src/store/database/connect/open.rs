//! Opens a database: checks that it is ours, of the right origin and of a known version, and migrates its tables. Safe
//! when several processes start at once.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::Migrator;
use tokio::time::Instant;

use crate::model::shell_word;
use crate::store::database::connect::address::{Settings, redact, sqlite_path};
use crate::store::database::connect::locks::{TempLock, path_beside};
use crate::store::database::connect::open_postgres;
use crate::store::database::handle::Db;
use crate::store::database::migrate::migrated::{foreign, migrate_error, pending, with_place};
use crate::store::database::migrate::migrations::{SQLITE, migrator};
use crate::store::database::sqlite;
use crate::store::{DataOrigin, Store, StoreError, StoreErrorKind};

/// The first SQLite version without a defect that could corrupt a WAL database (3.7.0 to 3.51.2).
const SQLITE_SAFE: (u32, u32, u32) = (3, 51, 3);

/// How long another process may take to create or update the tables before a log line says so, and before this one
/// gives up.
const MAKERS_USUAL: Duration = Duration::from_secs(10);
const MAKERS_PATIENCE: Duration = Duration::from_secs(300);

impl Store {
    /// Opens a database and migrates its tables.
    pub async fn open(settings: &Settings) -> Result<Self, StoreError> {
        let store = Self::open_any(settings).await?;
        if let Err(unfinished) = store.require_complete().await {
            store.close().await;
            return Err(unfinished);
        }
        Ok(store)
    }

    /// Like [`Self::open`], but accepts an unfinished copy.
    pub(in crate::store) async fn open_any(settings: &Settings) -> Result<Self, StoreError> {
        let store = if let Some(path) = sqlite_path(&settings.url)? {
            open_sqlite(&path, settings.create).await?
        } else if settings.url.starts_with("postgres://") || settings.url.starts_with("postgresql://") {
            open_postgres::open(settings).await?
        } else {
            return Err(StoreError::new(
                StoreErrorKind::Unreachable,
                format!("`{}` is not a supported kind of database", redact(&settings.url)),
                "use sqlite:PATH or postgres://USER@HOST/NAME",
            ));
        };
        store.require_origin(settings.origin).await
    }

    /// Returns the store, or an error if it holds findings of the other origin.
    pub(in crate::store) async fn require_origin(self, wanted: Option<DataOrigin>) -> Result<Self, StoreError> {
        match (self.origin().await?, wanted) {
            (Some(stored), Some(wanted)) if stored != wanted => {
                self.close().await;
                Err(wrong_origin(&self.place, stored))
            }
            _ => Ok(Self { search_origin: wanted, ..self }),
        }
    }
}

/// The error that refuses to mix sandbox and real findings.
pub(in crate::store) fn wrong_origin(place: &str, stored: DataOrigin) -> StoreError {
    match stored {
        DataOrigin::Sandbox => StoreError::new(
            StoreErrorKind::Foreign,
            format!("{place} contains SANDBOX findings, which cannot be mixed with findings of a real service"),
            "choose another database with [database] url or --database (or delete this one; its findings are invented)",
        ),
        DataOrigin::Real => StoreError::new(
            StoreErrorKind::Foreign,
            format!("{place} contains findings of a real service, which cannot be mixed with SANDBOX findings"),
            "choose another database with --database, or set the address of a real service where `base_url` is \"sandbox\"",
        ),
    }
}

async fn open_sqlite(path: &Path, create: bool) -> Result<Store, StoreError> {
    let place = path.display().to_string();
    let unreachable = |text: String, hint: &str| StoreError::new(StoreErrorKind::Unreachable, text, hint);
    if path.is_dir() {
        return Err(unreachable(format!("{place} is a folder"), "name a file in it"));
    }
    if !path.exists() {
        if !create {
            return Err(unreachable(
                format!("there is no database at {place} yet"),
                "run `topicwatch once` with this database first, or choose another with --database",
            ));
        }
        // Created here so that only the owner may read it; the WAL and shared-memory files get its mode.
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path).map_err(|e| {
            unreachable(format!("cannot create {place}: {e}"), "does the folder exist, and can this user write there?")
        })?;
    }
    let pools = open_or_make(path, &place).await?;
    let version = sqlx::query_scalar("SELECT sqlite_version()").fetch_one(pools.writer()).await;
    let version: String = version.map_err(|e| with_place(e.into(), &place))?;
    if parse_version(&version) < Some(SQLITE_SAFE) {
        return Err(StoreError::new(
            StoreErrorKind::Statement,
            format!("this program was built with SQLite {version}, which can corrupt a database in WAL mode"),
            "build with --locked, which brings SQLite 3.51.3 or newer",
        ));
    }
    let migrator = migrator(SQLITE);
    let pending = {
        let mut conn = pools.writer().acquire().await?;
        let tables: i64 = sqlx::query_scalar("SELECT count(*) FROM sqlite_schema")
            .fetch_one(&mut *conn)
            .await
            .map_err(|e| with_place(e.into(), &place))?;
        let migration_tables: i64 =
            sqlx::query_scalar("SELECT count(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'")
                .fetch_one(&mut *conn)
                .await?;
        if tables > 0 && migration_tables == 0 {
            return Err(foreign(&place));
        }
        if migration_tables == 0 { usize::MAX } else { pending(&migrator, &mut *conn, &place).await? }
    };
    if pending > 0 {
        // Several processes may start on one new file, and SQLite's own lock is taken too late for that.
        let lock = wait_for_makers(&place).await?;
        let migrated = migrate_in_transaction(&migrator, &pools, &place).await;
        lock.release();
        migrated?;
    }
    Ok(Store {
        db: Db::Sqlite(Box::new(pools)),
        place,
        commits: Arc::default(),
        room: Arc::default(),
        engine: None,
        search_origin: None,
    })
}

/// Migrates a file in one transaction: an upgrade is never left half done, and only one commit waits for the disk.
pub(in crate::store) async fn migrate_in_transaction(
    migrator: &Migrator,
    pools: &sqlite::Pools,
    place: &str,
) -> Result<(), StoreError> {
    let mut tx = pools.begin().await.map_err(|e| with_place(e, place))?;
    // Not `run`: its future is not `Send`.
    migrator.run_direct(None, &mut *tx, false).await.map_err(|e| migrate_error(e, place))?;
    tx.commit().await.map_err(|e| with_place(e.into(), place))
}

/// Waits for processes that make this file a database or migrate it, and keeps out others. One of them may be stopped,
/// so the wait ends.
async fn wait_for_makers(place: &str) -> Result<TempLock, StoreError> {
    let path = path_beside(place, ".migrate.lock");
    let unlockable = |e: std::io::Error| {
        let text = format!("cannot lock {}: {e}", path.display());
        StoreError::new(StoreErrorKind::Unreachable, text, "can this user write to that folder?")
    };
    let patience = crate::failpoint::bound("makers", MAKERS_PATIENCE);
    if let Some(lock) = TempLock::wait(&path, MAKERS_USUAL.min(patience)).await.map_err(unlockable)? {
        return Ok(lock);
    }
    tracing::warn!("another process creates or updates the tables of {place}; waiting for it");
    TempLock::wait(&path, patience).await.map_err(unlockable)?.ok_or_else(|| {
        let hint = format!(
            "`lsof {}` shows that process: let it finish, or end it if it is stopped",
            shell_word(&path.display().to_string())
        );
        let text =
            format!("{place}: another process is still creating or updating its tables, and holds {}", path.display());
        StoreError::new(StoreErrorKind::Locked, text, hint)
    })
}

/// Opens a file. Whoever makes an empty file a database holds the lock of those who migrate it, however slow the disk is.
/// So another program that holds such a file does something else.
async fn open_or_make(path: &Path, place: &str) -> Result<sqlite::Pools, StoreError> {
    if std::fs::metadata(path).is_ok_and(|found| found.len() > 0) {
        return open_with_retry(path, false).await.map_err(|e| with_place(e, place));
    }
    crate::failpoint::at("open/empty");
    let lock = match wait_for_makers(place).await {
        Ok(lock) => Some(lock),
        Err(held) if held.kind == StoreErrorKind::Locked => return Err(held),
        // If the folder cannot be written to, SQLite says more.
        Err(_) => None,
    };
    crate::failpoint::at("open/making");
    let opened = open_with_retry(path, lock.is_some()).await;
    if let Some(lock) = lock {
        lock.release();
    }
    opened.map_err(|e| with_place(e, place))
}

/// Opens a file that others may be opening for the first time, too. SQLite does not wait for the lock that it needs to
/// switch a file to WAL (`busy_timeout` does not apply), so this retries; once one process succeeded, all do. Where
/// SQLite did wait, another program holds the whole file, and one wait is enough; but whoever switches a file to WAL
/// holds it only for that, however slow the disk is. Such a file has a journal; one in WAL mode has none. With
/// `keeps_out_others` no other process of ours does that.
async fn open_with_retry(path: &Path, keeps_out_others: bool) -> Result<sqlite::Pools, StoreError> {
    const TRIES: u32 = 40;
    let journal = path_beside(&path.display().to_string(), "-journal");
    let mut is_switching = false;
    let mut tries = 0;
    loop {
        tries += 1;
        is_switching |= !keeps_out_others && journal.exists();
        let begun = Instant::now();
        let error = match sqlite::Pools::open(path, false).await {
            Err(error) if error.again && tries < TRIES => error,
            done => return done,
        };
        if error.kind == StoreErrorKind::Locked && begun.elapsed() >= sqlite::BUSY_TIMEOUT {
            crate::failpoint::at("open/waited");
            if !is_switching {
                return Err(error);
            }
        }
        crate::store::database::handle::pause(tries.min(5)).await;
    }
}

/// Returns the version of the bundled SQLite.
pub async fn sqlite_version() -> Result<String, StoreError> {
    use sqlx::{Connection, SqliteConnection};
    let mut conn = SqliteConnection::connect("sqlite::memory:").await?;
    Ok(sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&mut conn).await?)
}

fn parse_version(text: &str) -> Option<(u32, u32, u32)> {
    let mut parts = text.split('.').map(|p| p.parse().ok());
    Some((parts.next()??, parts.next()??, parts.next()??))
}
