//! A store for whoever only reads, beside a daemon or without one: it changes nothing, not even tables of an older version,
//! which it refuses.

use sqlx::migrate::Migrate;

use super::open::{foreign, named, pending, sqlite_path};
use super::steps::{POSTGRES, SQLITE, migrator};
use super::{Db, Settings, Store, StoreError, StoreErrorKind, postgres, redact, sqlite, tls};

impl Store {
    /// Opens a database that is there, to read it.
    pub async fn open_to_read(settings: &Settings) -> Result<Self, StoreError> {
        let store = if let Some(path) = sqlite_path(&settings.url)? {
            let place = path.display().to_string();
            if !path.is_file() {
                return Err(StoreError::new(
                    StoreErrorKind::Unreachable,
                    format!("there is no database at {place} yet"),
                    "run `topicwatch once` or `topicwatch run` first, or name another with --database",
                ));
            }
            let pools = sqlite::Pools::open_to_read(&path);
            let mut conn = pools.reader().await.map_err(|error| named(error, &place))?;
            let ours = sqlx::query_scalar("SELECT count(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'");
            let ours: i64 = ours.fetch_one(&mut *conn).await.map_err(|error| named(error.into(), &place))?;
            up_to_date(ours, SQLITE, &mut *conn, &place).await?;
            drop(conn);
            Self { db: Db::Sqlite(pools), place, together: std::sync::Arc::default(), engine: None }
        } else {
            let place = format!("{} (schema {})", redact(&settings.url), settings.schema);
            let options = tls::connection(&settings.url)?.options([
                ("default_transaction_read_only", "on"),
                // Pages ask for little of large tables: a walk along an index, which is dearer only where pages lie on a
                // turning disk; to start workers takes longer than all of it.
                ("random_page_cost", "1.1"),
                ("max_parallel_workers_per_gather", "0"),
            ]);
            let pools = postgres::Pools::open(options, &settings.schema).await.map_err(|error| named(error, &place))?;
            let mut conn = pools.reader().await?;
            let ours = sqlx::query_scalar(
                "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                 WHERE n.nspname = $1 AND c.relname = '_sqlx_migrations'",
            );
            let ours: i64 = ours.bind(&settings.schema).fetch_one(&mut *conn).await?;
            let there = sqlx::query_scalar("SELECT count(*) FROM pg_namespace WHERE nspname = $1");
            let there: i64 = there.bind(&settings.schema).fetch_one(&mut *conn).await?;
            if there == 0 {
                return Err(StoreError::new(
                    StoreErrorKind::Unreachable,
                    format!("there is no schema {} in {} yet", settings.schema, redact(&settings.url)),
                    "run `topicwatch once` or `topicwatch run` first, or name another with [database] schema",
                ));
            }
            up_to_date(ours, POSTGRES, &mut *conn, &place).await?;
            drop(conn);
            Self { db: Db::Postgres(pools), place, together: std::sync::Arc::default(), engine: None }
        };
        store.whole().await?;
        Ok(store)
    }
}

/// Refuses a database that is not ours, newer, or older.
async fn up_to_date<C: Migrate>(
    ours: i64,
    steps: &[(i64, &'static str, &'static str)],
    conn: &mut C,
    place: &str,
) -> Result<(), StoreError> {
    if ours == 0 {
        return Err(foreign(place));
    }
    if pending(&migrator(steps), conn, place).await? == 0 {
        return Ok(());
    }
    Err(StoreError::new(
        StoreErrorKind::Unreachable,
        format!("{place} has tables of an older version, and is opened for reading only"),
        "run `topicwatch migrate`, or start `topicwatch run`, which brings them up to date",
    ))
}
