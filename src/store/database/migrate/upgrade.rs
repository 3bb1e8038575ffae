//! Tests upgrades with a migration that does not exist yet: it is applied once, rows stay, and an older program refuses
//! a newer database.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::migrated::pending;
use super::migrations::{POSTGRES, SQLITE, migrator};
use crate::store::database::connect::open::migrate_in_transaction;
use crate::store::database::handle::Db;
use crate::store::{Settings, Store, StoreErrorKind};

const LATER: (i64, &str, &str) =
    (1_000, "later", "ALTER TABLE store_info ADD COLUMN note TEXT; CREATE TABLE later (id BIGINT)");

fn settings(url: String) -> Settings {
    Settings { url, schema: "topicwatch_upgrade".into(), origin: None, create: true }
}

#[tokio::test]
async fn a_later_migration_is_applied_once_and_an_older_program_refuses_what_it_left() {
    let folder = tempfile::tempdir().unwrap();
    let mut urls = vec![format!("sqlite:{}", folder.path().join("t.db").display())];
    urls.extend(std::env::var("TEST_POSTGRES_URL").ok());
    for url in urls {
        let store = Store::open(&settings(url.clone())).await.unwrap();
        let steps = if matches!(store.db, Db::Sqlite(_)) { SQLITE } else { POSTGRES };
        let with_later = migrator(&[steps, &[LATER]].concat());
        let older = migrator(steps);
        let kind = match &store.db {
            Db::Sqlite(pools) => {
                let count = "SELECT count(*) FROM store_info";
                let rows: i64 = sqlx::query_scalar(count).fetch_one(pools.writer()).await.unwrap();
                let mut conn = pools.writer().acquire().await.unwrap();
                assert_eq!(pending(&older, &mut *conn, "here").await.unwrap(), 0);
                assert_eq!(pending(&with_later, &mut *conn, "here").await.unwrap(), 1);
                drop(conn);
                migrate_in_transaction(&with_later, pools, "here").await.unwrap();
                assert_eq!(sqlx::query_scalar::<_, i64>(count).fetch_one(pools.writer()).await.unwrap(), rows);
                let mut conn = pools.writer().acquire().await.unwrap();
                assert_eq!(pending(&with_later, &mut *conn, "here").await.unwrap(), 0);
                pending(&older, &mut *conn, "here").await.unwrap_err().kind
            }
            Db::Postgres(pools) => {
                let mut conn = pools.writer().acquire().await.unwrap();
                assert_eq!(pending(&with_later, &mut *conn, "here").await.unwrap(), 1);
                drop(conn);
                with_later.run(pools.writer()).await.unwrap();
                let mut conn = pools.writer().acquire().await.unwrap();
                assert_eq!(pending(&with_later, &mut *conn, "here").await.unwrap(), 0);
                let kind = pending(&older, &mut *conn, "here").await.unwrap_err().kind;
                sqlx::query("DROP SCHEMA topicwatch_upgrade CASCADE").execute(&mut *conn).await.unwrap();
                kind
            }
        };
        assert_eq!(kind, StoreErrorKind::Newer);
        store.close().await;
    }
}
