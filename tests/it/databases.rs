//! The databases a store case runs on: a SQLite file of its own, and a schema of its own on PostgreSQL when one was
//! asked for with `TEST_POSTGRES_URL`. A PostgreSQL that was asked for and is not there fails the case.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::Connection as _;
use topicwatch::store::Store;

pub struct Database {
    pub name: &'static str,
    pub url: String,
    pub schema: String,
    /// Removes the file when dropped.
    _folder: Option<tempfile::TempDir>,
}

/// Every database at hand, empty.
pub async fn databases(case: &str) -> Vec<Database> {
    let mut all = vec![sqlite()];
    all.extend(postgres(case).await);
    all
}

pub fn sqlite() -> Database {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("t.db").display());
    Database { name: "SQLite", url, schema: "topicwatch".into(), _folder: Some(folder) }
}

pub async fn postgres(case: &str) -> Option<Database> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    static SAID: Once = Once::new();
    let Ok(url) = std::env::var("TEST_POSTGRES_URL") else {
        assert!(
            std::env::var_os("CI").is_none() || std::env::var("TEST_POSTGRES").as_deref() == Ok("skip"),
            "PostgreSQL must be tested under CI"
        );
        SAID.call_once(|| eprintln!("skipped: PostgreSQL cases (TEST_POSTGRES_URL is not set; scripts/test sets it)"));
        return None;
    };
    let schema = format!("t{}_{}_{case}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let database = Database { name: "PostgreSQL", url, schema, _folder: None };
    database.drop_schema().await;
    Some(database)
}

impl Database {
    /// Runs one statement in it, past the store.
    pub async fn execute(&self, sql: &str) {
        let sql = sqlx::AssertSqlSafe(sql.to_owned());
        if self.url.starts_with("sqlite:") {
            let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&self.url[7..]).create_if_missing(true);
            let mut conn = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
            sqlx::raw_sql(sql).execute(&mut conn).await.unwrap();
            conn.close().await.unwrap();
        } else {
            let mut conn = sqlx::PgConnection::connect(&self.url).await.unwrap();
            let schema = format!("CREATE SCHEMA IF NOT EXISTS {0}; SET search_path = {0}", self.schema);
            sqlx::raw_sql(sqlx::AssertSqlSafe(schema)).execute(&mut conn).await.unwrap();
            sqlx::raw_sql(sql).execute(&mut conn).await.unwrap();
            conn.close().await.unwrap();
        }
    }

    async fn drop_schema(&self) {
        let mut conn =
            sqlx::PgConnection::connect(&self.url).await.expect("the PostgreSQL that was asked for must be there");
        let sql = format!("DROP SCHEMA IF EXISTS {} CASCADE", self.schema);
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut conn).await.unwrap();
        conn.close().await.unwrap();
    }

    /// Closes the store and removes everything.
    pub async fn close(self, store: Store) {
        store.close().await;
        self.drop().await;
    }

    /// Removes everything.
    pub async fn drop(self) {
        if self.name == "PostgreSQL" {
            self.drop_schema().await;
        }
    }
}
