//! Opens a PostgreSQL database: creates the schema if it is missing, and migrates its tables.

use std::sync::Arc;

use crate::store::database::connect::address::{Settings, redact};
use crate::store::database::connect::tls;
use crate::store::database::handle::Db;
use crate::store::database::migrate::migrated::{foreign, migrate_error, pending, with_place};
use crate::store::database::migrate::migrations::{POSTGRES, migrator};
use crate::store::database::postgres;
use crate::store::{Store, StoreError, StoreErrorKind};

/// PostgreSQL's error code for insufficient privilege.
const NO_RIGHT: &str = "42501";

/// Opens the database. Several processes may do so at once.
pub(in crate::store) async fn open(settings: &Settings) -> Result<Store, StoreError> {
    let schema = &settings.schema;
    require_valid_name(schema)?;
    let place = format!("{} (schema {schema})", redact(&settings.url));
    let options = tls::connection(&settings.url)?;
    let pools = postgres::Pools::open(options, schema).await.map_err(|e| with_place(e, &place))?;
    let migrator = migrator(POSTGRES);
    let mut connection = pools.reader().await?;
    // Usually all tables are there: then nobody needs to wait for the lock.
    if has_migrations_table(&mut connection).await? && pending(&migrator, &mut *connection, &place).await? == 0 {
        pools.keep(connection);
        return Ok(opened(pools, place));
    }
    let mut tx = pools.begin_on(&mut connection).await?;
    // Two processes creating one schema at once would both fail; the second waits here instead.
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended($1, 7))").bind(schema).execute(&mut *tx).await?;
    if !has_schema(&mut tx, settings).await? {
        if !settings.create {
            return Err(StoreError::new(
                StoreErrorKind::Unreachable,
                format!("there is no schema {schema} in {} yet", redact(&settings.url)),
                "run `topicwatch once` with this schema first, or choose another with [database] schema",
            ));
        }
        let created = sqlx::query(sqlx::AssertSqlSafe(format!("CREATE SCHEMA \"{schema}\""))).execute(&mut *tx).await;
        created.map_err(|error| {
            let refused = error.as_database_error().is_some_and(|e| e.code().as_deref() == Some(NO_RIGHT));
            let mut error = with_place(error.into(), &place);
            if refused {
                error.hint = may_not_create(schema);
            }
            error
        })?;
    }
    // Uses the index on names: a server with many schemas has many tables.
    let has_migrations: bool = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM pg_class WHERE relname = '_sqlx_migrations' \
         AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1))",
    )
    .bind(schema)
    .fetch_one(&mut *tx)
    .await?;
    if !has_migrations {
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
    let waiting = if has_migrations { pending(&migrator, &mut *tx, &place).await? } else { usize::MAX };
    tx.commit().await?;
    pools.keep(connection);
    if waiting > 0 {
        migrator.run(pools.writer()).await.map_err(|e| migrate_error(e, &place))?;
    }
    Ok(opened(pools, place))
}

/// Refuses a schema name that the search path would read as another one or as several: it folds case and splits lists.
pub(in crate::store) fn require_valid_name(schema: &str) -> Result<(), StoreError> {
    let valid = schema.len() <= 63
        && schema.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && schema.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if valid {
        return Ok(());
    }
    Err(StoreError::new(
        StoreErrorKind::Unreachable,
        format!("`{schema}` is not a valid schema name"),
        "use at most 63 lower-case letters, digits and `_`, not starting with a digit",
    ))
}

pub(in crate::store) fn opened(pools: postgres::Pools, place: String) -> Store {
    Store {
        db: Db::Postgres(pools),
        place,
        commits: Arc::default(),
        room: Arc::default(),
        engine: None,
        search_origin: None,
    }
}

/// Returns whether the schema of the search path has the table of migrations. False, too, if this user may not use the
/// schema.
pub(in crate::store) async fn has_migrations_table(conn: &mut postgres::Conn) -> Result<bool, StoreError> {
    Ok(sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations') IS NOT NULL").fetch_one(conn).await?)
}

/// The hint if this user is not allowed to create the schema.
pub(in crate::store) fn may_not_create(schema: &str) -> String {
    format!(
        "allow the user to create it: GRANT CREATE ON DATABASE …, or create it for the user: CREATE SCHEMA {schema} AUTHORIZATION …"
    )
}

/// Returns whether the schema exists. An error if this user may not use it.
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
            format!("this user is not allowed to use schema {schema} in {}", redact(&settings.url)),
            format!("make the user its owner, or GRANT ALL ON SCHEMA {schema} and on the tables in it"),
        ));
    }
    Ok(usable.is_some())
}
