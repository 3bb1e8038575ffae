//! The databases a case runs on: a SQLite file of its own, and where a PostgreSQL server is available a database or
//! schema of its own there.

use std::sync::{Mutex, PoisonError};

use sqlx::{Connection as _, Row as _};
use topicwatch::store::Store;

use crate::support::pg_template;
use crate::support::server_choice::ScratchSchema;

/// One empty database, removed when dropped.
pub struct Database {
    pub name: &'static str,
    pub url: String,
    pub schema: String,
    _file: Option<tempfile::TempDir>,
    scratch: Option<ScratchSchema>,
    asked: Mutex<Option<Session>>,
}

/// The connection for a case's own queries to PostgreSQL. A new connection for each query would cost more than the
/// queries.
struct Session {
    runtime: Option<tokio::runtime::Runtime>,
    conn: sqlx::PgConnection,
}

impl Session {
    fn of(url: &str, schema: &str) -> Self {
        let options: sqlx::postgres::PgConnectOptions = url.parse().unwrap();
        let options = options.options([("search_path", schema)]);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let conn = runtime.block_on(sqlx::PgConnection::connect_with(&options)).unwrap();
        Self { runtime: Some(runtime), conn }
    }

    /// Not prepared: tables may have changed since the last query.
    fn texts(&mut self, sql: &str) -> Result<Vec<String>, sqlx::Error> {
        let asked = sqlx::query_scalar(sqlx::AssertSqlSafe(sql.to_owned())).persistent(false);
        self.runtime.as_ref().unwrap().block_on(asked.fetch_all(&mut self.conn))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Async code must not block until it has ended.
        self.runtime.take().unwrap().shutdown_background();
    }
}

/// Every database that is available.
#[track_caller]
pub fn databases() -> Vec<Database> {
    let mut all = vec![sqlite()];
    all.extend(postgres());
    all
}

#[track_caller]
pub fn sqlite() -> Database {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("t.db").display());
    Database {
        name: "SQLite",
        url,
        schema: "topicwatch".into(),
        _file: Some(folder),
        scratch: None,
        asked: Mutex::default(),
    }
}

/// A database with its tables where the server is private to the tests; elsewhere a schema not yet created.
#[track_caller]
pub fn postgres() -> Option<Database> {
    pg_template::copy().or_else(ScratchSchema::without_schema).map(on_postgres)
}

/// Every available database, empty: on PostgreSQL a schema not yet created, in the database that other cases use, too.
#[track_caller]
pub fn databases_without_schema() -> Vec<Database> {
    let mut all = vec![sqlite()];
    all.extend(ScratchSchema::without_schema().map(on_postgres));
    all
}

fn on_postgres(scratch: ScratchSchema) -> Database {
    let (url, schema) = (scratch.url().to_owned(), scratch.schema().to_owned());
    Database { name: "PostgreSQL", url, schema, _file: None, scratch: Some(scratch), asked: Mutex::default() }
}

/// The same on a server started by the case.
#[track_caller]
pub fn on_server(url: &str) -> Database {
    on_postgres(ScratchSchema::on(url))
}

impl Database {
    /// A second handle to the same database; the first one removes it.
    #[track_caller]
    pub fn second_handle(first: &Self) -> Self {
        let Self { name, url, schema, .. } = first;
        Self { name, url: url.clone(), schema: schema.clone(), _file: None, scratch: None, asked: Mutex::default() }
    }

    /// Runs statements directly, without the store.
    pub async fn execute(&self, sql: &str) {
        let Some(scratch) = &self.scratch else {
            let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&self.url[7..]).create_if_missing(true);
            let mut conn = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
            sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned())).execute(&mut conn).await.unwrap();
            return conn.close().await.unwrap();
        };
        scratch
            .execute(format!(
                "SET client_min_messages = warning; CREATE SCHEMA IF NOT EXISTS {0}; SET search_path = {0}; {sql}",
                self.schema
            ))
            .unwrap();
    }

    /// Runs a statement outside any transaction and without a schema; PostgreSQL only.
    #[track_caller]
    pub fn execute_without_schema(&self, sql: &str) {
        self.scratch.as_ref().unwrap().execute(sql.to_owned()).unwrap();
    }

    /// Closes the store and removes everything.
    pub async fn close(self, store: Store) {
        store.close().await;
    }
    /// The first column of every row, which must be text.
    #[track_caller]
    pub fn texts(&self, sql: &str) -> Vec<String> {
        let Some(scratch) = &self.scratch else {
            let (file, sql) = (self.url[7..].to_owned(), sqlx::AssertSqlSafe(sql.to_owned()));
            return block_on(async move {
                let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file).pragma("query_only", "on");
                let mut conn = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
                let texts = sqlx::query_scalar(sql).fetch_all(&mut conn).await.unwrap();
                conn.close().await.unwrap();
                texts
            });
        };
        on_a_thread(|| {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            let answer = asked.get_or_insert_with(|| Session::of(scratch.url(), &self.schema)).texts(sql);
            // The server may have restarted since.
            answer.or_else(|_| asked.insert(Session::of(scratch.url(), &self.schema)).texts(sql))
        })
        .unwrap()
    }

    /// Updates the planner's statistics. On PostgreSQL only for this schema: other tests drop their tables meanwhile.
    #[track_caller]
    pub fn analyse(&self) {
        if self.scratch.is_none() {
            return block_on(self.execute("ANALYZE"));
        }
        let tables = self.texts(
            "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'",
        );
        assert!(tables.len() > 20, "{tables:?}");
        block_on(self.execute(&format!("ANALYZE {}", tables.join(", "))));
    }

    /// The query plan of a statement, line by line; every parameter is 1.
    #[track_caller]
    pub fn query_plan(&self, sql: &str) -> Vec<String> {
        let Some(scratch) = &self.scratch else {
            let (file, sql) = (self.url[7..].to_owned(), sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}")));
            return block_on(async move {
                let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
                let mut conn = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
                let rows = sqlx::query(sql).fetch_all(&mut conn).await.unwrap();
                conn.close().await.unwrap();
                rows.iter().map(|row| row.get("detail")).collect()
            });
        };
        let many = (1..).take_while(|n| sql.contains(&format!("${n}"))).count();
        let given = if many == 0 { String::new() } else { format!("({})", vec!["'1'"; many].join(", ")) };
        let options: sqlx::postgres::PgConnectOptions = scratch.url().parse().unwrap();
        let options = options.options([("search_path", &self.schema)]);
        let prepare = sqlx::AssertSqlSafe(format!("PREPARE asked AS {sql}"));
        let explain = sqlx::AssertSqlSafe(format!("EXPLAIN EXECUTE asked{given}"));
        block_on(async move {
            let mut conn = sqlx::PgConnection::connect_with(&options).await.unwrap();
            // The planner scans small tables whatever indexes there are; the question is whether an index fits.
            sqlx::raw_sql("SET enable_seqscan = off").execute(&mut conn).await.unwrap();
            sqlx::raw_sql(prepare).execute(&mut conn).await.unwrap();
            let rows = sqlx::raw_sql(explain).fetch_all(&mut conn).await.unwrap();
            conn.close().await.unwrap();
            rows.iter().map(|row| row.get(0)).collect()
        })
    }

    /// Whether no write is in progress.
    #[track_caller]
    pub fn is_writable(&self) -> bool {
        if self.name == "PostgreSQL" {
            // A write first locks the name of the schema, before it locks a table.
            let held = "SELECT count(*) FROM pg_locks l LEFT JOIN pg_class c ON c.oid = l.relation LEFT JOIN pg_namespace n ON n.oid = c.relnamespace \
                        WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
                        AND (n.nspname = current_schema() AND l.mode IN ('RowExclusiveLock', 'RowShareLock') \
                        OR l.locktype = 'advisory' AND ((l.classid::bigint << 32) | l.objid::bigint) IN \
                        (SELECT hashtextextended(current_schema(), one) FROM generate_series(0, 99) AS one))";
            return self.number(held) == 0;
        }
        let options =
            sqlx::sqlite::SqliteConnectOptions::new().filename(&self.url[7..]).busy_timeout(Default::default());
        block_on(async move {
            let mut conn = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
            let free = sqlx::raw_sql("BEGIN IMMEDIATE; ROLLBACK").execute(&mut conn).await.is_ok();
            conn.close().await.unwrap();
            free
        })
    }

    /// The number that a query returns.
    #[track_caller]
    pub fn number(&self, sql: &str) -> i64 {
        let texts = self.texts(&format!("SELECT CAST(({sql}) AS TEXT)"));
        texts[0].parse().unwrap()
    }

    /// The number of rows of each table.
    #[track_caller]
    pub fn table_sizes(&self) -> Vec<(&'static str, i64)> {
        let settings = topicwatch::store::Settings {
            url: self.url.clone(),
            schema: self.schema.clone(),
            origin: None,
            create: false,
        };
        block_on(async move {
            let store = Store::open(&settings).await.unwrap();
            let sizes = store.table_sizes().await.unwrap();
            store.close().await;
            sizes
        })
    }
}

/// A text as SQL writes it.
#[must_use]
pub fn sql_literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Runs a future on a thread of its own, so that it works in plain and in async tests alike.
#[track_caller]
pub fn block_on<T: Send>(future: impl Future<Output = T> + Send) -> T {
    on_a_thread(|| tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future))
}

fn on_a_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
