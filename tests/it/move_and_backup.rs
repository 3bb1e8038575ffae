//! A whole database: moved to the other kind and back without losing a byte, also after kills, and backed up while
//! others write. Prints a line and skips what needs PostgreSQL where there is none.

use std::collections::BTreeSet;

use topicwatch::store::Store;

use crate::support::api_client::get_json;
use crate::support::databases::{Database, block_on, databases, postgres, sql_literal, sqlite};
use crate::support::exported_story::exports;
use crate::support::ledger_checks::FAILPOINT;
use crate::support::program::{NINE, Place, Program};
use crate::support::searched::open_store;
use crate::support::service::Sandbox;
use crate::support::web_client::Pages;

const TOPICS: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\n\n[[topics]]\nid = \"globex\"\nquery = \"globex pricing\"\nsources = [\"social\", \"web\"]\n";
const TEN: &str = "2026-03-11T10:00:00Z";

/// A database after one run of two topics.
fn filled_place(database: Database, sandbox: &Sandbox) -> Place {
    let place = Place::new(database, &sandbox.lines(), TOPICS);
    place.ok(&["once", "--at", NINE]);
    let sql = "SELECT key FROM v_item WHERE topic = 'acme' ORDER BY key LIMIT 1";
    place.ok(&["token", "add", "ann", "--role", "act", "--topic", "acme", "--at", NINE]);
    place.ok(&["token", "share", "--topic", "acme", "--for", "7d", "--at", NINE]);
    place.ok(&["mark", "acme", &place.database.texts(sql).remove(0), "good", "--suggested"]);
    place.database.star(&format!("key = {}", sql_literal(&place.database.first_key())), 1);
    place.database.note(&format!("key = {}", sql_literal(&place.database.first_post())), "mine");
    place.database.save_searches(&[("new", Some("acme"), "{\"kind\":\"post\"}")]);
    place
}

/// A place for a database that does not exist yet.
fn place_without_database(database: Database, sandbox: &Sandbox) -> Place {
    Place::new(database, &sandbox.lines(), TOPICS)
}

/// Moves the database of one place to another, whose schema is set by the environment.
fn move_to(from: &Place, to: &Place) -> Program {
    let program = from.program(&["db", "move", "--to", &to.database.url]);
    if to.database.name == "PostgreSQL" {
        program.env("TOPICWATCH_DATABASE_SCHEMA", &to.database.schema)
    } else {
        program
    }
}

/// A pair of databases for each available direction.
fn database_pairs() -> Vec<(Database, Database)> {
    let mut all = vec![(sqlite(), sqlite())];
    if let (Some(one), Some(other)) = (postgres(), postgres()) {
        all.extend([(sqlite(), one), (other, sqlite())]);
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn db_move_knows_every_table_and_column() {
    for database in databases() {
        let store = open_store(&database).await;
        let there = if database.name == "SQLite" {
            "SELECT m.name || '.' || c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' \
             AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE '%sqlx%'"
        } else {
            "SELECT CAST(c.table_name || '.' || c.column_name AS TEXT) FROM information_schema.columns c JOIN information_schema.tables t \
             ON t.table_schema = c.table_schema AND t.table_name = c.table_name \
             WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.table_name NOT LIKE '%sqlx%'"
        };
        let known = Store::copied_tables();
        let left: Vec<&str> = known.iter().filter(|(_, columns)| columns.is_empty()).map(|(table, _)| *table).collect();
        let there: BTreeSet<String> = database
            .texts(there)
            .into_iter()
            .filter(|column| !left.contains(&column.split('.').next().unwrap()))
            .collect();
        let known: BTreeSet<String> = known
            .iter()
            .flat_map(|(table, columns)| columns.iter().map(move |column| format!("{table}.{column}")))
            .collect();
        assert_eq!(known, there, "{}: left: src/store/database/copying/tables.rs, right: the database", database.name);
        database.close(store).await;
    }
}

#[test]
fn a_moved_database_exports_the_same_bytes_and_continues() {
    for (from, to) in database_pairs() {
        let sandbox = Sandbox::at(NINE, &[]);
        let (from, to) = (filled_place(from, &sandbox), place_without_database(to, &sandbox));
        let names = format!("{} to {}", from.database.name, to.database.name);
        let ended = move_to(&from, &to).run();
        ended.assert_stdout(0, &["tables copied from", " and compared; now set `[database] url` to it"]);
        assert!(ended.err.contains("sighting: "), "{ended}");
        assert_eq!(exports(&to), exports(&from), "{names}");
        let sql = "SELECT hash FROM access_token UNION ALL SELECT hash FROM share_link";
        assert_eq!(to.database.texts(sql), from.database.texts(sql), "{names}");
        let tokens = |place: &Place| place.ok(&["token", "list", "--json"]);
        assert!(tokens(&to).contains("ann") && tokens(&to) == tokens(&from), "{names}");
        assert_eq!(to.database.number("SELECT count(*) FROM store_info WHERE name = 'unfinished_copy'"), 0);
        let kept = "SELECT item || ' ' || at || ' ' FROM item_star UNION ALL SELECT item || ' ' || at || ' ' || note FROM item_note \
            UNION ALL SELECT name || topic || filters || made_at FROM saved_search UNION ALL SELECT topic || mark || suggested FROM item_mark \
            WHERE suggested = 1";
        assert_eq!((to.database.texts(kept), to.database.texts(kept).len()), (from.database.texts(kept), 4), "{names}");
        // Both continue normally: sequence numbers go on, nothing becomes new again.
        sandbox.set_clock(TEN);
        for place in [&from, &to] {
            place.ok(&["once", "--at", TEN]);
        }
        assert_eq!(exports(&to), exports(&from), "{names}, an hour later");
        // A database that is not empty is not overwritten.
        move_to(&from, &to).run().assert_stderr(2, &["is not empty", "nothing was changed"]);
    }
}

#[test]
fn a_moved_database_reports_unindexed_items_until_they_are_indexed() {
    for (from, to) in database_pairs() {
        let sandbox = Sandbox::at(NINE, &[]);
        let (from, to) = (place_without_database(from, &sandbox), place_without_database(to, &sandbox));
        from.ok(&["once", "--at", NINE]);
        let search = |place: &Place| {
            place.json(&["items", "--search", "acme", "--topic", "acme", "--json", "--limit", "500"])["items"].clone()
        };
        let before = search(&from);
        move_to(&from, &to).run().assert_stdout(0, &["tables copied from"]);
        let names = format!("{} to {}", from.database.name, to.database.name);
        let pages = Pages::serve(&to, &["--at", NINE]);
        let found = get_json(&pages, "/api/v1/topics/acme/items?search=acme");
        let items = to.database.items_of("acme");
        assert!(items > 0, "{names}");
        let all = to.database.items();
        assert_eq!(found["unindexed"], all, "{names}: {found}");
        assert_eq!(pages.get("/api/v1/exports/items.csv?topic=acme&search=acme").status, 503, "{names}");
        drop(pages);
        assert_eq!(search(&to), before, "{names}");
        let pages = Pages::serve(&to, &["--at", NINE]);
        let found = get_json(&pages, "/api/v1/topics/acme/items?search=acme");
        assert_eq!(found["unindexed"], 0, "{names}: {found}");
    }
}

#[test]
fn a_killed_move_continues_and_an_unfinished_copy_is_refused() {
    for (from, to) in database_pairs() {
        let sandbox = Sandbox::at(NINE, &[]);
        let (from, to) = (filled_place(from, &sandbox), place_without_database(to, &sandbox));
        for (point, pass) in [
            ("copying::mark_unfinished/committed", 1),
            ("copying::insert_rows/written", 3),
            ("copying::insert_rows/committed", 4),
            ("copying::end/written", 1),
        ] {
            let ended = move_to(&from, &to).env(FAILPOINT, &format!("kill {point} pass={pass}")).run();
            assert_eq!(ended.code, None, "{point}: {ended}");
            to.run(&["status"]).assert_stderr(4, &["is an unfinished copy of", "finish it with"]);
            to.run(&["once", "--at", TEN]).assert_stderr(4, &["is an unfinished copy of"]);
        }
        // Meanwhile the source has changed.
        sandbox.set_clock(TEN);
        from.ok(&["once", "--at", TEN]);
        let ended = move_to(&from, &to).env(FAILPOINT, "kill copying::end/committed").run();
        assert_eq!(ended.code, None, "{ended}");
        // It was finished, and this is reported as long as both are the same.
        for _ in 0..2 {
            move_to(&from, &to).run().assert_stdout(0, &["tables copied from"]);
        }
        assert_eq!(exports(&to), exports(&from), "{} to {}", from.database.name, to.database.name);
        to.ok(&["status"]);
        let itself = move_to(&from, &from).run();
        itself.assert_stderr(2, &["is not empty", "nothing was changed"]);
        if from.database.name == "SQLite" {
            std::os::unix::fs::symlink(&from.database.url["sqlite:".len()..], from.path("link.db")).unwrap();
            let url = format!("sqlite:{}", from.path("link.db").display());
            from.run(&["db", "move", "--to", &url]).assert_stderr(2, &["is not empty", "nothing was changed"]);
        }
        let of_acme = "SELECT max(key) FROM v_item WHERE topic = 'acme'";
        from.ok(&["mark", "acme", &from.database.texts(of_acme).remove(0), "noise"]);
        move_to(&from, &to).run().assert_stderr(2, &["is not empty", "nothing was changed"]);
    }
}

#[test]
fn a_move_goes_on_after_items_were_forgotten_and_found_again() {
    for (from, to) in database_pairs() {
        let sandbox = Sandbox::at(NINE, &[]);
        let (from, to) = (filled_place(from, &sandbox), place_without_database(to, &sandbox));
        let ended = move_to(&from, &to).env(FAILPOINT, "kill copying::end/written").run();
        assert_eq!(ended.code, None, "{ended}");
        // The items have the same keys as before, and other ids.
        from.configure(&sandbox.lines(), TOPICS.split_once("\n\n").unwrap().1);
        from.ok(&["db", "forget", "--topic", "acme", "--yes"]);
        from.configure(&sandbox.lines(), TOPICS);
        sandbox.set_clock(TEN);
        from.ok(&["once", "--at", TEN]);
        move_to(&from, &to).run().assert_stdout(0, &["tables copied from"]);
        assert_eq!(exports(&to), exports(&from), "{} to {}", from.database.name, to.database.name);
        // The journal was copied, too: with it, a backup from before the forgetting cannot replace the file.
        if let Some(file) = to.database.url.strip_prefix("sqlite:") {
            assert!(std::fs::metadata(format!("{file}.forgotten")).is_ok(), "from {}", from.database.name);
        }
    }
}

#[test]
fn a_database_in_use_by_a_daemon_is_not_moved() {
    let sandbox = Sandbox::at(NINE, &[]);
    let (from, to) = (filled_place(sqlite(), &sandbox), place_without_database(sqlite(), &sandbox));
    from.configure(&sandbox.lines(), &format!("[defaults]\nevery = \"300d\"\n\n{TOPICS}"));
    let mut running = from.program(&["run"]).start();
    running.wait_until("the daemon to run", |said| said.contains("next slot"));
    move_to(&from, &to).run().assert_stderr(4, &["another `topicwatch run` uses"]);
    // A mistake in the address names the option that it is in.
    from.run(&["db", "move", "--to", "new.db"]).assert_stderr(2, &["flag --to: `url` does not name", "sqlite:new.db"]);
    running.signal("TERM");
    running.wait().assert_stderr(0, &["stopped"]);
    move_to(&from, &to).run().assert_stdout(0, &["tables copied from"]);
}

#[test]
fn a_backup_is_complete_and_overwrites_no_database_in_use() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = filled_place(database, &sandbox);
        let copy = place.path("copy.db");
        let output = place.ok(&["db", "backup", "copy.db"]);
        assert!(output.contains("copy verified"), "{output}");
        let of_copy = |place: &Place| -> Vec<String> {
            ["items", "sightings", "answers", "runs"]
                .map(|what| place.ok(&["export", "--what", what, "--database", &format!("sqlite:{}", copy.display())]))
                .to_vec()
        };
        let ours =
            || ["items", "sightings", "answers", "runs"].map(|what| place.ok(&["export", "--what", what])).to_vec();
        let first = of_copy(&place);
        assert_eq!(first, ours(), "{}", place.database.name);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
        }
        // Killed before the new copy is in place, the old copy stays; later it is replaced as a whole.
        sandbox.set_clock(TEN);
        place.ok(&["once", "--at", TEN]);
        let ended = place.program(&["db", "backup", "copy.db"]).env(FAILPOINT, "kill backup/written").run();
        assert_eq!(ended.code, None, "{ended}");
        assert_eq!(of_copy(&place), first);
        place.ok(&["db", "backup", "copy.db"]);
        let second = of_copy(&place);
        assert_eq!(second, ours());
        assert_ne!(second, first);

        #[cfg(unix)]
        {
            let (victim, link) = (place.path("victim"), place.path("link.db"));
            std::fs::copy(place.path("copy.db"), &victim).unwrap();
            let precious = std::fs::read(&victim).unwrap();
            std::os::unix::fs::symlink(&victim, &link).unwrap();
            place.ok(&["db", "backup", "link.db"]);
            assert_eq!(std::fs::read(&victim).unwrap(), precious);
            assert!(!std::fs::symlink_metadata(&link).unwrap().is_symlink());
        }
        std::fs::write(place.path("used.db"), "").unwrap();
        std::fs::write(place.path("used.db-wal"), "").unwrap();
        place.run(&["db", "backup", "used.db"]).assert_stderr(2, &["is a database that is in use"]);
        if place.database.name == "SQLite" {
            let itself = place.database.url[7..].to_owned();
            place.run(&["db", "backup", &itself]).assert_stderr(2, &["is the database itself"]);
        }
        place.run(&["db", "backup", "nowhere/copy.db"]).assert_stderr(5, &["could not be written"]);
    }
}

#[test]
fn a_backup_while_others_write_is_sound() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = filled_place(sqlite(), &sandbox);
    block_on(async {
        let store = open_store(&place.database).await;
        let writing = tokio::spawn({
            let store = store.clone();
            async move {
                let t = crate::support::searched::topic("busy");
                store.add_topics(std::slice::from_ref(&t), crate::support::searched::NOW).await.unwrap();
                for n in 0..30 {
                    let run = crate::support::searched::start_manual_run(
                        &store,
                        &t,
                        &format!("busy-{n}"),
                        crate::support::searched::NOW,
                    )
                    .await;
                    let item = crate::support::searched::seen_item(
                        topicwatch::model::Source::Social,
                        1,
                        &[&format!("post:x:9{n}")],
                        "busy",
                    );
                    store
                        .finish(&run, crate::support::searched::outcome(crate::support::searched::NOW, vec![item]))
                        .await
                        .unwrap();
                }
            }
        });
        for n in 0..3 {
            let file = place.path(&format!("busy-{n}.db"));
            std::fs::write(&file, "").unwrap();
            store.backup_to(&file, crate::support::searched::NOW).await.unwrap();
        }
        writing.await.unwrap();
        store.close().await;
    });
}

#[tokio::test]
async fn rows_added_and_deleted_during_a_backup_do_not_fail_its_check() {
    let (database, folder) = (sqlite(), tempfile::tempdir().unwrap());
    let store = open_store(&database).await;
    let over = std::sync::atomic::AtomicBool::new(false);
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    let writing = async {
        while !over.load(relaxed) {
            database.insert_and_delete_a_row().await;
        }
    };
    let copying = async {
        for n in 0..40 {
            let file = folder.path().join(format!("{n}.db"));
            std::fs::write(&file, "").unwrap();
            let copied = store.backup_to(&file, crate::support::searched::NOW).await;
            over.store(copied.is_err() || n == 39, relaxed);
            copied.unwrap();
        }
    };
    tokio::join!(writing, copying);
    database.close(store).await;
}

#[test]
fn findings_and_state_of_providers_are_moved() {
    for (one, other) in database_pairs() {
        let sandbox = Sandbox::at(NINE, &[]);
        let base = sandbox.lines().lines().next().unwrap().replace("base_url = ", "").replace('"', "");
        let file = format!(
            "[providers.hn]\nkind = \"hackernews\"\nbase_url = \"{base}/hackernews\"\nrate_limit = \"unlimited\"\n\n\
             [providers.news]\nkind = \"feeds\"\nbase_url = \"{base}/feeds\"\nrate_limit = \"unlimited\"\nallow_private = true\n\n\
             [[topics]]\nid = \"acme\"\nquery = \"acme\"\nnews.urls = [\"acme.rss\", \"acme.atom\"]\n"
        );
        let (from, to) = (Place::without_service(one, &file), Place::without_service(other, &file));
        from.ok(&["once", "--at", NINE]);
        let output = |place: &Place| {
            let tables = ["searches", "sightings", "items"].map(|what| place.ok(&["export", "--what", what]));
            let memory = "SELECT topic || source || name || value FROM provider_memory ORDER BY 1";
            let calls = "SELECT provider || ' ' || made FROM calls ORDER BY 1";
            (tables, place.database.texts(memory), place.database.texts(calls))
        };
        let before = output(&from);
        assert!(!before.1.is_empty() && before.2.len() == 2, "{before:?}");
        move_to(&from, &to).run().assert_stderr(0, &[]);
        assert_eq!(output(&to), before);
        to.ok(&["once", "--at", "2026-03-11T09:01:00Z"]);
        assert_eq!(to.database.number("SELECT sum(new) FROM v_run"), to.database.items());
    }
}

#[test]
fn a_move_beside_one_running_process_is_refused() {
    for database in databases() {
        let place = Place::new(database, "base_url = \"sandbox\"", TOPICS);
        place.ok(&["db", "migrate"]);
        place.database.add_instance("daemon", 0, 9_000_000_000_000);
        let refused = place.run(&["db", "move", "--to", "sqlite:moved.db"]);
        refused.assert_stderr(4, &["1 process is running jobs on", "hint: stop what runs there first"]);
    }
}

#[test]
fn a_relative_database_path_in_a_flag_starts_at_the_current_folder() {
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", TOPICS);
    let here = tempfile::tempdir().unwrap();
    let config = place.path("jobs.toml");
    let verb = |args: &[&str]| {
        let ended = Program::at(here.path(), &[args, &["--config", config.to_str().unwrap()]].concat()).run();
        assert_eq!(ended.code, Some(0), "{args:?}: {ended}");
    };
    verb(&["db", "migrate", "--database", "sqlite:here.db"]);
    verb(&["db", "move", "--database", "sqlite:./here.db", "--to", "sqlite:there.db"]);
    for name in ["here.db", "there.db"] {
        assert!(here.path().join(name).is_file() && !place.path(name).exists(), "{name}");
    }
}
