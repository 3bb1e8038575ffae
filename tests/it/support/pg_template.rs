//! A PostgreSQL database with all tables, made once per test run and copied for each case. Only where the server is
//! private to the tests (`TEST_POSTGRES_PRIVATE`, which scripts/test sets). Creating and dropping the tables for each
//! case took three times as long.

use sqlx::{AssertSqlSafe, Executor as _, PgConnection};
use topicwatch::store::{Settings, Store};

use crate::support::server_choice::{ScratchSchema, on_a_thread, random, url};

/// The database that is copied. Neither name is the product's default, so that a case can detect the name in output.
const TEMPLATE: &str = "topicwatch_template";
const SCHEMA: &str = "topicwatch_test_schema";

/// A copy, removed when dropped. `None` where tests may not create databases, or PostgreSQL is too old for `file_copy`.
pub fn copy() -> Option<ScratchSchema> {
    std::env::var_os("TEST_POSTGRES_PRIVATE")?;
    let server = url()?;
    let name = format!("topicwatch_test_{:016x}", random());
    let sql = format!("CREATE DATABASE {name} TEMPLATE {TEMPLATE} STRATEGY file_copy");
    let place = server.clone();
    let made = on_a_thread(server.clone(), async move |connection| {
        if !made(connection).await? {
            make(connection, &place).await?;
        }
        connection.execute(AssertSqlSafe(sql)).await?;
        Ok(())
    });
    made.unwrap();
    Some(ScratchSchema::in_own_database(of(&server, &name), SCHEMA, name, server))
}

/// The URL of another database on the server.
fn of(server: &str, database: &str) -> String {
    let mut address = url::Url::parse(server).unwrap();
    address.set_path(database);
    address.into()
}

async fn made(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    let found = sqlx::query("SELECT 1 FROM pg_database WHERE datname = $1").bind(TEMPLATE);
    Ok(found.fetch_optional(connection).await?.is_some())
}

/// Each case is a process: one makes the template while the others wait. It gets its name only once it is complete.
async fn make(connection: &mut PgConnection, server: &str) -> Result<(), sqlx::Error> {
    connection.execute("SELECT pg_advisory_lock(7215)").await?;
    if !made(connection).await? {
        let unfinished = format!("{TEMPLATE}_unfinished");
        connection.execute(AssertSqlSafe(format!("DROP DATABASE IF EXISTS {unfinished} WITH (FORCE)"))).await?;
        connection.execute(AssertSqlSafe(format!("CREATE DATABASE {unfinished}"))).await?;
        let settings = Settings { url: of(server, &unfinished), schema: SCHEMA.into(), origin: None, create: true };
        Store::open(&settings).await.unwrap().close().await;
        connection.execute(AssertSqlSafe(format!("ALTER DATABASE {unfinished} RENAME TO {TEMPLATE}"))).await?;
    }
    connection.execute("SELECT pg_advisory_unlock(7215)").await?;
    Ok(())
}
