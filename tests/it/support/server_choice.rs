//! Decides where the PostgreSQL cases run, or why they are skipped.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::Write;
use std::sync::Once;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection, Executor};

/// The server to test against; `None` when there is none and none is required. The reason is printed once on stderr.
///
/// # Panics
/// When PostgreSQL is required (`TEST_POSTGRES=required`, or `CI=true`) and not there: a silent skip would pass.
pub(crate) fn url() -> Option<String> {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let wanted = Wanted::from(variable("TEST_POSTGRES").as_deref(), variable("CI").as_deref());
    static SAID: Once = Once::new();
    decide(variable("TEST_POSTGRES_URL"), wanted)
        .inspect_err(|why| SAID.call_once(|| print_to_stderr(&format!("skipped: PostgreSQL cases ({why})"))))
        .ok()
}

/// Whether the tests need PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Its absence is a failure.
    Required,
    /// Use it when it is there.
    IfThere,
    /// Do not use it.
    Skip,
}

impl Wanted {
    /// An explicit `TEST_POSTGRES` wins over `CI`.
    pub fn from(test_postgres: Option<&str>, ci: Option<&str>) -> Self {
        match (test_postgres, ci) {
            (Some("skip"), _) => Self::Skip,
            (Some("required"), _) | (None, Some("true")) => Self::Required,
            (None, _) => Self::IfThere,
            (Some(other), _) => panic!("TEST_POSTGRES is `{other}`; it can be `skip`, `required` or unset"),
        }
    }
}

/// Returns the server, or why there is none.
pub fn decide(url: Option<String>, wanted: Wanted) -> Result<String, &'static str> {
    match (url, wanted) {
        (_, Wanted::Skip) => Err("TEST_POSTGRES=skip"),
        (Some(url), _) => Ok(url),
        (None, Wanted::IfThere) => Err("TEST_POSTGRES_URL is not set; scripts/test sets it"),
        (None, Wanted::Required) => {
            panic!("PostgreSQL was asked for and is not there: set TEST_POSTGRES_URL, or run scripts/test")
        }
    }
}

/// A schema with a random name for one test, dropped with everything in it when this value is dropped, also after a
/// panic.
///
/// It connects to the server from a thread of its own, so it works in plain and in async tests alike.
#[derive(Debug)]
pub(crate) struct ScratchSchema {
    url: String,
    schema: String,
    /// The database to drop as a whole, and the server URL to drop it from.
    whole: Option<(String, String)>,
}

impl ScratchSchema {
    /// Creates an empty schema; `None` without a server, see [`url`].
    pub(crate) fn new() -> Option<Self> {
        let scratch = Self::without_schema()?;
        scratch.execute(format!("CREATE SCHEMA {}", scratch.schema)).unwrap();
        Some(scratch)
    }

    /// Reserves a schema name without creating it, for tests of a server used for the first time.
    pub(crate) fn without_schema() -> Option<Self> {
        Some(Self::on(&url()?))
    }

    /// The same on the given server.
    pub(crate) fn on(url: &str) -> Self {
        Self { url: url.to_owned(), schema: format!("topicwatch_test_{:016x}", random()), whole: None }
    }

    /// A schema in a database of its own, which is dropped with it.
    pub(crate) fn in_own_database(url: String, schema: &str, database: String, server: String) -> Self {
        Self { url, schema: schema.to_owned(), whole: Some((database, server)) }
    }

    /// The URL of the server and database, with the password.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The name of the schema; it needs no quoting.
    pub(crate) fn schema(&self) -> &str {
        &self.schema
    }

    /// Runs statements on a new connection, without the schema's `search_path`.
    pub(crate) fn execute(&self, sql: String) -> Result<(), sqlx::Error> {
        on_a_thread(self.url.clone(), async move |connection| {
            connection.execute(AssertSqlSafe(sql)).await?;
            Ok(())
        })
    }

    /// Whether the schema exists now.
    pub(crate) fn exists(&self) -> bool {
        exists(&self.url, &self.schema)
    }
}

impl Drop for ScratchSchema {
    fn drop(&mut self) {
        if let Some((database, server)) = &self.whole {
            let sql = format!("DROP DATABASE IF EXISTS {database} WITH (FORCE)");
            let done = on_a_thread(server.clone(), async move |connection| {
                connection.execute(AssertSqlSafe(sql)).await?;
                Ok(())
            });
            if let Err(error) = done {
                print_to_stderr(&format!("could not drop the database {database}: {error}"));
            }
            return;
        }
        // A test that panics can leave a transaction open in a pool that outlives it; its locks would block the drop.
        let schema = &self.schema;
        let sql = format!(
            "SET lock_timeout = '10s'; SET client_min_messages = warning; \
             SELECT pg_terminate_backend(pid) FROM (SELECT DISTINCT l.pid FROM pg_locks l \
             JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = '{schema}' AND l.pid <> pg_backend_pid()) held; \
             DROP SCHEMA IF EXISTS {schema} CASCADE; DROP SCHEMA IF EXISTS {schema}_graphile CASCADE"
        );
        if let Err(error) = self.execute(sql) {
            // Not a panic: the thread may be panicking already.
            print_to_stderr(&format!("could not drop the schema {schema}: {error}"));
        }
    }
}

pub fn exists(url: &str, schema: &str) -> bool {
    let name = schema.to_owned();
    on_a_thread(url.to_owned(), async move |connection| {
        let found = sqlx::query("SELECT 1 FROM pg_namespace WHERE nspname = $1").bind(name);
        Ok(found.fetch_optional(connection).await?.is_some())
    })
    .unwrap()
}

pub fn on_a_thread<T: Send + 'static>(
    url: String,
    work: impl AsyncFnOnce(&mut PgConnection) -> Result<T, sqlx::Error> + Send + 'static,
) -> Result<T, sqlx::Error> {
    let speak = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut connection = PgConnection::connect_with(&url.parse::<PgConnectOptions>()?).await?;
            let result = work(&mut connection).await;
            connection.close().await.ok();
            result
        })
    };
    std::thread::spawn(speak).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Writes a line directly to stderr: the test harness hides what a passing test prints through `eprintln!`.
pub(crate) fn print_to_stderr(line: &str) {
    writeln!(std::io::stderr(), "{line}").ok();
}

/// A random number, from the seed that the standard library uses for its maps.
pub fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
