//! Opening a database: which one, whether it is ours, of the right nature and of a known version, and bringing its
//! tables up to date. Safe when several processes start at once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sqlx::migrate::{Migrate, MigrateError, Migrator};

use crate::store::database::handle::Db;
use crate::store::database::locks::Passing;
use crate::store::database::postgres;
use crate::store::database::sqlite;
use crate::store::database::steps::{POSTGRES, SQLITE, migrator};
use crate::store::database::tls;
use crate::store::{Nature, Store, StoreError, StoreErrorKind};

/// Versions of SQLite from this one on are free of a defect that could corrupt a WAL database (3.7.0 to 3.51.2).
const SQLITE_SAFE: (u32, u32, u32) = (3, 51, 3);

/// Which database to open, and how.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `sqlite:PATH` or `postgres://…`.
    pub url: String,
    /// The schema on PostgreSQL.
    pub schema: String,
    /// What will be stored, when that is known before the first reply; a database that holds the other is refused.
    pub nature: Option<Nature>,
    /// Whether to create what is not there; a reader of a database that does not exist is told so instead.
    pub create: bool,
}

/// The address without its password, for people and logs. Works on text that is no address at all: broken ones are
/// printed too.
#[must_use]
pub fn redact(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once(':') else { return url.to_owned() };
    if scheme == "sqlite" {
        return url.to_owned();
    }
    // The last `@` ends the user information even when a password holds `/`, `?` or `@` unescaped.
    let rest = match rest.rsplit_once('@') {
        Some((user, host)) => match user.trim_start_matches('/').split_once(':') {
            Some((name, _)) => format!("{}{name}:***@{host}", if user.starts_with("//") { "//" } else { "" }),
            None => rest.to_owned(),
        },
        None => rest.to_owned(),
    };
    let Some((base, query)) = rest.split_once('?') else { return format!("{scheme}:{rest}") };
    let kept: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((name, _)) if name.to_ascii_lowercase().contains("pass") => format!("{name}=***"),
            _ => pair.to_owned(),
        })
        .collect();
    format!("{scheme}:{base}?{}", kept.join("&"))
}

impl Store {
    /// Opens a database and brings its tables up to date.
    pub async fn open(settings: &Settings) -> Result<Self, StoreError> {
        let store = Self::open_any(settings).await?;
        if let Err(unfinished) = store.whole().await {
            store.close().await;
            return Err(unfinished);
        }
        Ok(store)
    }

    /// The same of one that may be an unfinished copy.
    pub(in crate::store) async fn open_any(settings: &Settings) -> Result<Self, StoreError> {
        let store = if let Some(path) = sqlite_path(&settings.url)? {
            open_sqlite(&path, settings.create).await?
        } else if settings.url.starts_with("postgres://") || settings.url.starts_with("postgresql://") {
            open_postgres(settings).await?
        } else {
            return Err(StoreError::new(
                StoreErrorKind::Unreachable,
                format!("`{}` names no database that is known here", redact(&settings.url)),
                "use sqlite:PATH or postgres://USER@HOST/NAME",
            ));
        };
        store.of_nature(settings.nature).await
    }

    /// The same store, unless it holds findings of the other nature.
    pub(in crate::store) async fn of_nature(self, wanted: Option<Nature>) -> Result<Self, StoreError> {
        match (self.nature().await?, wanted) {
            (Some(held), Some(wanted)) if held != wanted => {
                self.close().await;
                Err(mixed(&self.place, held))
            }
            _ => Ok(self),
        }
    }
}

/// The refusal to store anything beside findings of the other nature.
pub(in crate::store) fn mixed(place: &str, held: Nature) -> StoreError {
    match held {
        Nature::Sandbox => StoreError::new(
            StoreErrorKind::Foreign,
            format!("{place} holds SANDBOX findings; those of a real service must not be mixed with them"),
            "name another database with [database] url or --database (or delete this one, its findings are invented)",
        ),
        Nature::Real => StoreError::new(
            StoreErrorKind::Foreign,
            format!("{place} holds findings of a real service; SANDBOX findings must not be mixed with them"),
            "name another database with --database, or set [service] base_url to the real service",
        ),
    }
}

/// The file of a SQLite address; `None` for another kind of address.
pub(in crate::store) fn sqlite_path(url: &str) -> Result<Option<PathBuf>, StoreError> {
    let Some(rest) = url.strip_prefix("sqlite:") else { return Ok(None) };
    let path = rest.strip_prefix("//").unwrap_or(rest);
    if path.is_empty() || path.starts_with(":memory:") || path.contains('?') {
        return Err(StoreError::new(
            StoreErrorKind::Unreachable,
            format!("`{url}` names no file"),
            "write sqlite:PATH, for example sqlite:topicwatch.db; options after `?` and in-memory databases are not supported",
        ));
    }
    Ok(Some(PathBuf::from(path)))
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
                "run `topicwatch once` first, or name another with --database",
            ));
        }
        // Created here so that nobody else may read it; the WAL and shared-memory files follow its mode.
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path).map_err(|e| {
            unreachable(format!("cannot create {place}: {e}"), "does the folder exist, and may this user write there?")
        })?;
    }
    let pools = open_patiently(path).await.map_err(|e| named(e, &place))?;
    let version = sqlx::query_scalar("SELECT sqlite_version()").fetch_one(pools.writer()).await;
    let version: String = version.map_err(|e| named(e.into(), &place))?;
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
            .map_err(|e| named(e.into(), &place))?;
        let ours: i64 = sqlx::query_scalar("SELECT count(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'")
            .fetch_one(&mut *conn)
            .await?;
        if tables > 0 && ours == 0 {
            return Err(foreign(&place));
        }
        if ours == 0 { usize::MAX } else { pending(&migrator, &mut *conn, &place).await? }
    };
    if pending > 0 {
        // Several processes may start on one new file, and SQLite's own lock is taken too late for that.
        let lock_path = PathBuf::from(format!("{place}.migrate.lock"));
        let named = lock_path.clone();
        let lock = tokio::task::spawn_blocking(move || Passing::wait(named))
            .await
            .map_err(|e| unreachable(format!("the lock task ended: {e}"), ""))?
            .map_err(|e| {
                unreachable(format!("cannot lock {}: {e}", lock_path.display()), "may this user write in that folder?")
            })?;
        let migrated = all_or_none(&migrator, &pools, &place).await;
        lock.end();
        migrated?;
    }
    Ok(Store { db: Db::Sqlite(Box::new(pools)), place, commits: Arc::default(), room: Arc::default(), engine: None })
}

/// Migrates a file in one transaction: each commit waits for the disk, and nobody is left with half an upgrade.
pub(in crate::store) async fn all_or_none(
    migrator: &Migrator,
    pools: &sqlite::Pools,
    place: &str,
) -> Result<(), StoreError> {
    let mut tx = pools.begin().await.map_err(|e| named(e, place))?;
    // `run` with a connection in hand: its own signature keeps a future from being sent to another thread.
    migrator.run_direct(None, &mut *tx, false).await.map_err(|e| migrate_error(e, place))?;
    tx.commit().await.map_err(|e| named(e.into(), place))
}

/// Opens a file that others may be opening for the first time too. SQLite does not wait for the lock it needs to switch a
/// new file to WAL (`busy_timeout` does not count there), so it is asked again; once one has succeeded, all do.
async fn open_patiently(path: &Path) -> Result<sqlite::Pools, StoreError> {
    const TRIES: u32 = 40;
    let mut tries = 0;
    loop {
        tries += 1;
        match sqlite::Pools::open(path, false).await {
            Err(error) if error.again && tries < TRIES => crate::store::database::handle::pause(tries.min(5)).await,
            other => return other,
        }
    }
}

async fn open_postgres(settings: &Settings) -> Result<Store, StoreError> {
    let schema = &settings.schema;
    let valid = schema.len() <= 63
        && schema.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && schema.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !valid {
        return Err(StoreError::new(
            StoreErrorKind::Unreachable,
            format!("`{schema}` is no schema name"),
            "use lower-case letters, digits and `_`, at most 63 of them, not beginning with a digit",
        ));
    }
    let place = format!("{} (schema {schema})", redact(&settings.url));
    let options = tls::connection(&settings.url)?;
    let pools = postgres::Pools::open(options, schema).await.map_err(|e| named(e, &place))?;
    let migrator = migrator(POSTGRES);
    let mut tx = pools.begin().await?;
    // Two processes creating one schema at once would both fail; the second waits here instead.
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended($1, 7))").bind(schema).execute(&mut *tx).await?;
    if !has_schema(&mut tx, settings).await? {
        if !settings.create {
            return Err(StoreError::new(
                StoreErrorKind::Unreachable,
                format!("there is no schema {schema} in {} yet", redact(&settings.url)),
                "run `topicwatch once` first, or name another with [database] schema",
            ));
        }
        let made = sqlx::query(sqlx::AssertSqlSafe(format!("CREATE SCHEMA \"{schema}\""))).execute(&mut *tx).await;
        made.map_err(|e| named(e.into(), &place))?;
    }
    // By the index of names: a server of many schemas has many tables.
    let ours: bool = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM pg_class WHERE relname = '_sqlx_migrations' \
         AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1))",
    )
    .bind(schema)
    .fetch_one(&mut *tx)
    .await?;
    if !ours {
        let taken: bool = sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1)",
        )
        .bind(schema)
        .fetch_one(&mut *tx)
        .await?;
        if taken {
            return Err(foreign(&place));
        }
    }
    let waiting = if ours { pending(&migrator, &mut *tx, &place).await? } else { usize::MAX };
    tx.commit().await?;
    if waiting > 0 {
        migrator.run(pools.writer()).await.map_err(|e| migrate_error(e, &place))?;
    }
    Ok(Store { db: Db::Postgres(pools), place, commits: Arc::default(), room: Arc::default(), engine: None })
}

/// Whether the schema is there; one that this user may not use is an error.
pub(in crate::store) async fn has_schema(conn: &mut postgres::Conn, settings: &Settings) -> Result<bool, StoreError> {
    let schema = &settings.schema;
    let usable: Option<bool> =
        sqlx::query_scalar("SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = $1")
            .bind(schema)
            .fetch_optional(conn)
            .await?;
    if usable == Some(false) {
        return Err(StoreError::new(
            StoreErrorKind::Unreachable,
            format!("this user may not use schema {schema} in {}", redact(&settings.url)),
            format!("let the user own it, or GRANT ALL ON SCHEMA {schema} and on the tables in it"),
        ));
    }
    Ok(usable.is_some())
}

/// How many migrations are not applied yet; an error when the database knows one that this program does not, or another
/// of the same number.
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

fn migrate_error(error: MigrateError, place: &str) -> StoreError {
    match error {
        MigrateError::VersionMissing(version) => StoreError::new(
            StoreErrorKind::Newer,
            format!("{place} was written by a newer topicwatch (its migration {version} is unknown here)"),
            "upgrade topicwatch, or restore the backup made before the upgrade",
        ),
        MigrateError::VersionMismatch(version) => StoreError::new(
            StoreErrorKind::Foreign,
            format!("migration {version} of {place} is not the one this program knows"),
            "is this a database of a development version? name another one",
        ),
        MigrateError::Execute(inner) | MigrateError::ExecuteMigration(inner, _) => named(inner.into(), place),
        other => StoreError::new(StoreErrorKind::Statement, format!("{place}: {other}"), ""),
    }
}

pub(in crate::store) fn foreign(place: &str) -> StoreError {
    StoreError::new(
        StoreErrorKind::Foreign,
        format!("{place} holds tables that are not topicwatch's"),
        "name an empty database (or, on PostgreSQL, another [database] schema); nothing was changed",
    )
}

pub(in crate::store) fn named(mut error: StoreError, place: &str) -> StoreError {
    error.text = format!("{place}: {}", error.text);
    error
}

/// The version of the SQLite that is built in.
pub async fn sqlite_version() -> Result<String, StoreError> {
    use sqlx::{Connection, SqliteConnection};
    let mut conn = SqliteConnection::connect("sqlite::memory:").await?;
    Ok(sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&mut conn).await?)
}

fn parse_version(text: &str) -> Option<(u32, u32, u32)> {
    let mut parts = text.split('.').map(|p| p.parse().ok());
    Some((parts.next()??, parts.next()??, parts.next()??))
}
