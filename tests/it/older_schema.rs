//! A database of the version before providers, on both databases: it is upgraded when it is opened, and its exports
//! equal those of a database that never had the old schema.

use std::borrow::Cow;

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{Connection as _, SqlSafeStr as _};
use topicwatch::export::ExportKind;

use crate::support::databases::{Database, unmade, wait};
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;

const LATER: &str = "2026-03-11T15:00:00Z";
const TOPICS: &str =
    "[[topics]]\nid = \"acme\"\nquery = \"acme\"\n\n[[topics]]\nid = \"rival\"\nquery = \"rival rockets\"\n";

/// Creates the tables of the first migration only.
fn make_old(database: &Database) {
    let sqlite = database.name == "SQLite";
    let sql = if sqlite {
        include_str!("../../migrations/sqlite/0001_main.sql")
    } else {
        include_str!("../../migrations/postgres/0001_main.sql")
    };
    let first = Migration::new(1, Cow::Borrowed("main"), MigrationType::Simple, sql.into_sql_str(), false);
    let migrator = Migrator::with_migrations(vec![first]);
    let (url, schema) = (database.url.clone(), database.schema.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        if sqlite {
            let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&url[7..]).create_if_missing(true);
            let mut conn = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
            migrator.run(&mut conn).await.unwrap();
            conn.close().await.unwrap();
        } else {
            database.execute("SELECT 1").await;
            let options: sqlx::postgres::PgConnectOptions = url.parse().unwrap();
            let options = options.options([("search_path", &schema)]);
            let mut conn = sqlx::PgConnection::connect_with(&options).await.unwrap();
            migrator.run(&mut conn).await.unwrap();
            conn.close().await.unwrap();
        }
    });
}

/// Copies the rows of every table in the old schema, column by column. Texts are indexed again.
fn fill_old(old: &Database, new: &Database) {
    let sqlite = old.name == "SQLite";
    let (tables, columns) = if sqlite {
        (
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%sql%' AND name NOT LIKE 'item_words%'",
            "SELECT '\"' || name || '\"' FROM pragma_table_info('{}')",
        )
    } else {
        (
            "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT LIKE '%sql%'",
            "SELECT '\"' || column_name || '\"' FROM information_schema.columns \
             WHERE table_schema = current_schema() AND table_name = '{}' ORDER BY ordinal_position",
        )
    };
    let mut script = if sqlite {
        format!("PRAGMA foreign_keys = OFF; ATTACH '{}' AS new; BEGIN;", &new.url[7..])
    } else {
        "BEGIN; SET LOCAL session_replication_role = replica;".to_owned()
    };
    let from = if sqlite { "new".to_owned() } else { new.schema.clone() };
    let overriding = if sqlite { "" } else { "OVERRIDING SYSTEM VALUE" };
    for table in old.texts(tables) {
        let names = old.texts(&columns.replace("{}", &table)).join(", ");
        let only = match table.as_str() {
            "calls" => "WHERE provider = 'service'",
            // Added later.
            "follower" => "WHERE name <> 'terms'",
            _ => "",
        };
        script.push_str(&format!(
            "DELETE FROM {table}; INSERT INTO {table} ({names}) {overriding} SELECT {names} FROM {from}.{table} {only};\n"
        ));
        if !sqlite && names.starts_with("\"id\"") && ["run", "search", "item"].contains(&table.as_str()) {
            script.push_str(&format!(
                "SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT coalesce(max(id), 1) FROM {table}));\n"
            ));
        }
    }
    script.push_str("COMMIT;");
    wait(old.execute(&script));
}

/// All exports, with their names.
fn exports(place: &Place) -> Vec<(&'static str, String)> {
    let all = ExportKind::ALL.iter().map(|what| what.as_str());
    all.map(|what| (what, place.ok(&["export", "--what", what]))).collect()
}

#[test]
fn a_database_from_before_providers_exports_the_same_and_is_carried_on() {
    for (new, old) in unmade().into_iter().zip(unmade()) {
        let sandbox = Sandbox::at(NINE, &[]);
        let watched = Place::new(Database::again(&new), &sandbox.lines(), TOPICS);
        watched.ok(&["once", "--at", NINE]);
        sandbox.turn_to("2026-03-11T12:00:00Z");
        watched.ok(&["once", "--at", "2026-03-11T12:00:00Z"]);
        let expected = exports(&watched);

        make_old(&old);
        fill_old(&old, &new);
        assert!(old.texts("SELECT key FROM item").len() > 20, "{}", old.name);
        let carried_on = Place::new(Database::again(&old), &sandbox.lines(), TOPICS);
        for ((what, was), (_, is)) in expected.iter().zip(exports(&carried_on)) {
            assert_eq!(*was, is, "{} {what}", old.name);
        }
        // Some exports got new columns at their end; everything else is as before.
        for (what, text) in &expected {
            let header = text.lines().next().unwrap_or_default().trim_start_matches('\u{feff}');
            let header = header.trim_end_matches(",origin");
            let kept = header.strip_suffix(",starred_at,note");
            assert_eq!(kept.is_some(), *what == "items", "{what}: {header}");
            let header = kept.unwrap_or(header);
            let marked = header.strip_suffix(",mark,relevance");
            assert_eq!(marked.is_some(), ["items", "sightings"].contains(what), "{what}: {header}");
            let header = marked.unwrap_or(header);
            assert_eq!(header.ends_with(",provider"), ["searches", "sightings"].contains(what), "{what}: {header}");
        }
        sandbox.turn_to(LATER);
        let both = [(&watched, &new), (&carried_on, &old)].map(|(place, database)| {
            place.ok(&["once", "--at", LATER]);
            // A manual run has an id of its own, so ids are not compared.
            let runs =
                "SELECT topic || ' ' || state || ' ' || found || ' ' || new || ' ' || duplicate FROM run ORDER BY seq";
            (database.texts(runs), database.texts("SELECT key FROM item ORDER BY key"))
        });
        assert_eq!(both[0], both[1], "{}", old.name);
        for view in ["v_search", "v_sighting"] {
            assert_eq!(old.texts(&format!("SELECT DISTINCT provider FROM {view}")), ["service"], "{view}");
        }
    }
}

#[test]
fn addresses_of_feeds_lose_their_secrets_on_upgrade() {
    let cases = [
        ("https://h.example/feed?token=SECRET", "https://h.example/feed…"),
        ("https://u:SECRET@h.example/feed and 2 more", "https://h.example/feed and 2 more"),
        ("https://u:SECRET@h.example/feed?a=SECRET&b=1#c and 11 more", "https://h.example/feed… and 11 more"),
        ("https://h.example/@name/feed#SECRET", "https://h.example/@name/feed…"),
        ("https://h.example/a/b@c and 1 more", "https://h.example/a/b@c and 1 more"),
    ];
    for (new, old) in unmade().into_iter().zip(unmade()) {
        let sandbox = Sandbox::at(NINE, &[]);
        let watched = Place::new(Database::again(&new), &sandbox.lines(), TOPICS);
        watched.ok(&["once", "--at", NINE]);
        make_old(&old);
        fill_old(&old, &new);
        wait(old.execute("UPDATE search SET query = 'who? me@home#1' WHERE operation <> 'feeds'"));
        let searches = "SELECT cast(id AS TEXT) FROM search ORDER BY id";
        let changed: Vec<String> = old.texts(searches).into_iter().take(cases.len()).collect();
        assert_eq!(changed.len(), cases.len(), "{}", old.name);
        for (id, (was, _)) in changed.iter().zip(cases) {
            wait(old.execute(&format!("UPDATE search SET operation = 'feeds', query = '{was}' WHERE id = {id}")));
        }
        Place::new(Database::again(&old), &sandbox.lines(), TOPICS).ok(&["once", "--at", NINE]);
        let is = old.texts("SELECT query FROM search WHERE operation = 'feeds' ORDER BY id");
        assert_eq!(is, cases.map(|(_, is)| is), "{}", old.name);
        let others = old.texts("SELECT DISTINCT query FROM search WHERE operation <> 'feeds' ORDER BY query");
        assert!(others.contains(&"who? me@home#1".to_owned()), "{}: {others:?}", old.name);
    }
}
