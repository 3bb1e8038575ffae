//! Opens a store for reading only, with or without a running daemon. It changes nothing: tables of an older version are
//! refused, not migrated. If a SQLite file cannot be written to at all, it is opened in another way.

use sqlx::migrate::Migrate;

use crate::store::database::connect::address::sqlite_path;
use crate::store::database::connect::open_postgres::{
    has_migrations_table, has_schema, may_not_create, opened, require_valid_name,
};
use crate::store::database::connect::tls;
use crate::store::database::handle::Db;
use crate::store::database::migrate::migrated::{foreign, pending, with_place};
use crate::store::database::migrate::migrations::{POSTGRES, SQLITE, migrator};
use crate::store::database::postgres;
use crate::store::database::sqlite;
use crate::store::{Settings, Store, StoreError, StoreErrorKind, redact};

impl Store {
    /// Opens an existing database for reading.
    pub async fn open_to_read(settings: &Settings) -> Result<Self, StoreError> {
        let store = if let Some(path) = sqlite_path(&settings.url)? {
            let place = path.display().to_string();
            if path.is_dir() {
                return Err(StoreError::new(
                    StoreErrorKind::Unreachable,
                    format!("{place} is a folder"),
                    "name a file in it",
                ));
            }
            if !path.is_file() {
                return Err(StoreError::new(
                    StoreErrorKind::Unprepared,
                    format!("there is no database at {place} yet"),
                    "run `topicwatch once` or `topicwatch run` with this database first, or choose another with --database",
                ));
            }
            let pools = sqlite::Pools::open_to_read(&path);
            Self::from_sqlite(pools, place).await?
        } else {
            require_valid_name(&settings.schema)?;
            let place = format!("{} (schema {})", redact(&settings.url), settings.schema);
            let options = tls::connection(&settings.url)?.options([
                ("default_transaction_read_only", "on"),
                // Pages read little from large tables. So prefer an index, which costs more only on a spinning disk,
                // and start no parallel workers, which takes longer than the whole query.
                ("random_page_cost", "1.1"),
                ("max_parallel_workers_per_gather", "0"),
            ]);
            let pools =
                postgres::Pools::open(options, &settings.schema).await.map_err(|error| with_place(error, &place))?;
            let mut conn = pools.reader().await?;
            if !has_migrations_table(&mut conn).await? {
                require_tables(&mut conn, settings, &place).await?;
            }
            refuse_older(POSTGRES, &mut *conn, &place).await?;
            pools.keep(conn);
            opened(pools, place)
        };
        store.require_complete().await?;
        Ok(Self { search_origin: settings.origin, ..store })
    }

    /// Opens a database for writing or, if a SQLite file's disk is full or the file is not writable, for reading only;
    /// then also returns why, and what data may be missing. For short-lived processes that only read.
    pub async fn open_or_read(settings: &Settings) -> Result<(Self, Option<String>), StoreError> {
        let error = match Self::open(settings).await {
            Ok(store) => return Ok((store, None)),
            Err(error) => error,
        };
        let path = match sqlite_path(&settings.url)? {
            Some(path) if path.is_file() => path,
            _ => return Err(error),
        };
        if !matches!(error.kind, StoreErrorKind::Unwritable | StoreErrorKind::Unreachable) {
            return Err(error);
        }
        let place = path.display().to_string();
        let read = match sqlite::Pools::open_unwritable(&path).await {
            Ok(read) => read,
            Err(busy) if busy.kind == StoreErrorKind::Locked => return Err(with_place(busy, &place)),
            Err(_) => return Err(error),
        };
        let mut why = format!("opened read-only, nothing can be stored: {}", error.text);
        if read.without_log {
            why.push_str(&format!(
                "; {place}-wal cannot be read: the newest commits of a process that died may be missing"
            ));
        }
        // From here on, errors about the tables are more useful than the one from opening.
        let store = Self::from_sqlite(read.pools, place).await?;
        store.require_complete().await?;
        Ok((store.require_origin(settings.origin).await?, Some(why)))
    }

    /// Makes a store of an open file, if its tables are those of this version.
    async fn from_sqlite(pools: sqlite::Pools, place: String) -> Result<Self, StoreError> {
        let mut conn = pools.reader().await.map_err(|error| with_place(error, &place))?;
        let tables =
            sqlx::query_as("SELECT count(*), count(CASE WHEN name = '_sqlx_migrations' THEN 1 END) FROM sqlite_schema");
        let tables: (i64, i64) =
            tables.fetch_one(&mut *conn).await.map_err(|error| with_place(error.into(), &place))?;
        require_migrations_table(tables, &place)?;
        refuse_older(SQLITE, &mut *conn, &place).await?;
        pools.keep(conn);
        let (commits, room) = Default::default();
        Ok(Self { db: Db::Sqlite(Box::new(pools)), place, commits, room, engine: None, search_origin: None })
    }
}

/// Refuses a schema that is missing, is empty, or has tables that are not ours.
async fn require_tables(conn: &mut postgres::Conn, settings: &Settings, place: &str) -> Result<(), StoreError> {
    let (schema, url) = (&settings.schema, redact(&settings.url));
    let tables = sqlx::query_as(
        "SELECT count(*), count(CASE WHEN c.relname = '_sqlx_migrations' THEN 1 END) \
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1",
    );
    if has_schema(conn, settings).await? {
        return require_migrations_table(tables.bind(schema).fetch_one(&mut *conn).await?, place);
    }
    let missing = format!("there is no schema {schema} in {url}");
    let may_create = sqlx::query_scalar::<_, bool>("SELECT has_database_privilege(current_database(), 'CREATE')");
    if !may_create.fetch_one(&mut *conn).await? {
        let text = format!("{missing}, and this user is not allowed to create it");
        return Err(StoreError::new(StoreErrorKind::Unreachable, text, may_not_create(schema)));
    }
    Err(StoreError::new(
        StoreErrorKind::Unprepared,
        format!("{missing} yet"),
        "run `topicwatch once` or `topicwatch run` with this schema first, or choose another with [database] schema",
    ))
}

/// Refuses a database that is empty or not ours. Takes the number of all tables and of migration tables.
fn require_migrations_table((tables, migration_tables): (i64, i64), place: &str) -> Result<(), StoreError> {
    match (tables, migration_tables) {
        (0, _) => Err(StoreError::new(
            StoreErrorKind::Unprepared,
            format!("{place} is empty, and is only opened for reading"),
            "run `topicwatch once` or `topicwatch run` first, as a user who can write there",
        )),
        (_, 0) => Err(foreign(place)),
        _ => Ok(()),
    }
}

/// Refuses tables of a newer or older version.
async fn refuse_older<C: Migrate>(
    steps: &[(i64, &'static str, &'static str)],
    conn: &mut C,
    place: &str,
) -> Result<(), StoreError> {
    if pending(&migrator(steps), conn, place).await? == 0 {
        return Ok(());
    }
    Err(StoreError::new(
        StoreErrorKind::Unprepared,
        format!("{place} has tables of an older version, and is only opened for reading"),
        "run `topicwatch db migrate`, or start `topicwatch run`, which upgrades them",
    ))
}
