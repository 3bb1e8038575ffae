//! The databases a case runs on: a SQLite file of its own, and a schema of its own on PostgreSQL when there is one (see
//! `pg`).

use sqlx::Connection as _;
use topicwatch::store::Store;

use crate::pg::Scratch;

/// One empty database, removed when dropped.
pub struct Database {
    pub name: &'static str,
    pub url: String,
    pub schema: String,
    _file: Option<tempfile::TempDir>,
    scratch: Option<Scratch>,
}

/// Every database at hand.
pub fn databases() -> Vec<Database> {
    let mut all = vec![sqlite()];
    all.extend(postgres());
    all
}

pub fn sqlite() -> Database {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("t.db").display());
    Database { name: "SQLite", url, schema: "topicwatch".into(), _file: Some(folder), scratch: None }
}

pub fn postgres() -> Option<Database> {
    let scratch = Scratch::unmade()?;
    let (url, schema) = (scratch.url().to_owned(), scratch.schema().to_owned());
    Some(Database { name: "PostgreSQL", url, schema, _file: None, scratch: Some(scratch) })
}

impl Database {
    /// Runs statements in it, past the store.
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

    /// Closes the store and removes everything.
    pub async fn close(self, store: Store) {
        store.close().await;
    }
}
