//! The store where it could fail silently: rows that two processes want at once, items that are almost the same, topics
//! removed while they run, readers between a run's end and its number, files with odd names. Every case on both
//! databases; `store` tests the basic interface.

use sqlx::{Connection as _, Executor as _};
use topicwatch::compare::RowFilter;
use topicwatch::export::{self, ExportKind, ExportOptions, Profile};
use topicwatch::model::{Answer, Micros, RunState, SearchState, Source, Time, Topic};
use topicwatch::store::{DataOrigin, Filter, Settings, Store, StoreErrorKind, redact};

use crate::support::databases::{block_on, databases, postgres, sqlite};
use crate::support::program::{NINE, Place};
use crate::support::searched::{
    LEASE, NOW, all_items, call, jobs_to_plan, open_store, outcome, plan, seen_item, settings, start_manual_run, topic,
};
use crate::support::service::Sandbox;

fn later(times: u32) -> Time {
    NOW.plus(LEASE * times)
}

fn slot(ms: i64) -> Time {
    Time(NOW.0 + ms)
}

/// One topic with one queued slot, ten milliseconds from now.
async fn queued(store: &Store) -> Time {
    store.sync_topics(&[topic("rust")], NOW).await.unwrap();
    let at = slot(10);
    store.plan(&[plan(NOW, at, &[(at.0, RunState::Queued)])], at).await.unwrap();
    at
}

async fn state(store: &Store, run: &str) -> (RunState, Option<String>) {
    let row = store.run(run).await.unwrap().unwrap();
    (row.state, row.reason)
}

#[tokio::test]
async fn two_ids_with_a_known_text_stay_two_items() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let text = "text:x:ann:h";
        for (n, world) in [
            vec![seen_item(Source::Social, 1, &[text], "hi")],
            vec![
                seen_item(Source::Social, 1, &["post:x:1", text], "hi"),
                seen_item(Source::Social, 2, &["post:x:2", text], "hi"),
            ],
        ]
        .into_iter()
        .enumerate()
        {
            let run = start_manual_run(&store, &t, &format!("R{n}"), slot(n as i64)).await;
            store.finish(&run, outcome(slot(n as i64), world)).await.unwrap();
        }
        let rows = all_items(&store).await;
        let rows: Vec<_> = rows.iter().map(|i| (i.key.as_str(), i.times_seen)).collect();
        assert_eq!(rows, [("post:x:2", 1), (text, 2)], "{}", database.name);
        database.close(store).await;
    }
}

#[tokio::test]
async fn an_item_that_a_run_names_twice_is_stored_once() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        let run = start_manual_run(&store, &t, "R1", NOW).await;
        let twice = vec![
            seen_item(Source::Social, 1, &["post:x:1"], "one"),
            seen_item(Source::Social, 5, &["post:x:1"], "one again"),
        ];
        let counts = store.finish(&run, outcome(NOW, twice)).await.unwrap();
        assert_eq!((counts[0].1.found, counts[0].1.new, counts[0].1.duplicate), (2, 1, 1), "{}", database.name);
        assert_eq!(all_items(&store).await.len(), 1);
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_call_being_counted_prevents_a_rescue_of_its_run() {
    let Some(database) = postgres() else { return };
    let store = open_store(&database).await;
    let at = queued(&store).await;
    let run = store.claim(at, 1, LEASE, "mine").await.unwrap().remove(0);
    // Another transaction is about to write the same search row, so the call's transaction has to wait in the middle.
    let mut other = sqlx::PgConnection::connect(&database.url).await.unwrap();
    let begin = format!(
        "SET search_path = {}; BEGIN; INSERT INTO search (run, attempt, source, operation, query, state, started_at) \
         VALUES ({}, 1, 'social', 'search', 'q', 'started', 0)",
        database.schema,
        database.run_id(&run.public_id)
    );
    other.execute(sqlx::AssertSqlSafe(begin)).await.unwrap();
    let calling = tokio::spawn({
        let (store, run) = (store.clone(), run.clone());
        async move { store.before_call(&run, &call(Source::Social), at, 10).await }
    });
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))";
    let standing = async {
        while sqlx::query_scalar::<_, i64>(waits).fetch_one(&mut other).await.unwrap() == 0 {
            tokio::task::yield_now().await;
        }
    };
    assert!(
        tokio::time::timeout(std::time::Duration::from_secs(60), standing).await.is_ok(),
        "the session never blocked"
    );
    assert_eq!(store.rescue(later(9)).await.unwrap(), 0, "its row is skipped without waiting");
    other.execute("ROLLBACK").await.unwrap();
    calling.await.unwrap().unwrap();
    assert_eq!(store.rescue(later(9)).await.unwrap(), 1);
    let searches = store.searches(std::slice::from_ref(&run.public_id)).await.unwrap();
    assert_eq!(searches.iter().map(|s| s.state).collect::<Vec<_>>(), [SearchState::Lost]);
    assert_eq!(store.run(&run.public_id).await.unwrap().unwrap().cost, Micros(3_000), "the possible cost is counted");
    other.close().await.unwrap();
    database.close(store).await;
}

#[tokio::test]
async fn a_run_that_waits_for_another_does_not_wake_the_loop() {
    for database in databases() {
        let store = open_store(&database).await;
        store.sync_topics(&[topic("rust")], NOW).await.unwrap();
        let rows = [(slot(10).0, RunState::Queued), (slot(20).0, RunState::Queued), (slot(50).0, RunState::Queued)];
        store.plan(&[plan(NOW, slot(50), &rows)], slot(20)).await.unwrap();
        let first = store.claim(slot(20), 9, LEASE, "a").await.unwrap();
        assert_eq!(first.len(), 1, "one job's slots run one after the other");
        assert_eq!(
            store.next_due(slot(20)).await.unwrap(),
            Some(slot(50)),
            "the second is due, and waits for the first"
        );
        assert_eq!(store.next_due(slot(50)).await.unwrap(), None);
        assert!(store.claim(slot(20), 9, LEASE, "b").await.unwrap().is_empty(), "{}", database.name);
        store.finish(&first[0], outcome(slot(20), vec![])).await.unwrap();
        assert_eq!(store.claim(slot(20), 9, LEASE, "b").await.unwrap().len(), 1, "{}", database.name);
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_topic_removed_while_it_runs_is_not_tried_again() {
    for database in databases() {
        let store = open_store(&database).await;
        let at = queued(&store).await;
        let run = store.claim(at, 1, LEASE, "mine").await.unwrap().remove(0);
        store.sync_topics(&[topic("other")], at).await.unwrap();
        assert_eq!(store.rescue(later(9)).await.unwrap(), 1);
        assert_eq!(state(&store, &run.public_id).await.0, RunState::Failed);
        assert!(store.claim(later(9), 9, LEASE, "next").await.unwrap().is_empty(), "{}", database.name);

        store.sync_topics(&[topic("rust")], at).await.unwrap();
        let again = slot(20);
        store.plan(&[plan(at, again, &[(again.0, RunState::Queued)])], again).await.unwrap();
        let run = store.claim(again, 1, LEASE, "mine").await.unwrap().remove(0);
        store.sync_topics(&[topic("other")], again).await.unwrap();
        store.release(&run, again, &[]).await.unwrap();
        assert_eq!(state(&store, &run.public_id).await.0, RunState::Cancelled);
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_pause_cancels_queued_runs_and_leaves_no_missed_slots() {
    for database in databases() {
        let store = open_store(&database).await;
        let at = queued(&store).await;
        let mut paused = topic("rust");
        paused.schedule.as_mut().unwrap().paused = true;
        store.sync_topics(&[paused.clone()], at).await.unwrap();
        assert!(store.claim(later(1), 9, LEASE, "a").await.unwrap().is_empty(), "{}", database.name);
        let (state, reason) = state(&store, &format!("topic:rust@{at}")).await;
        assert_eq!((state, reason.unwrap().contains("paused")), (RunState::Cancelled, true));
        store.sync_topics(&[topic("rust")], later(5)).await.unwrap();
        assert_eq!(jobs_to_plan(&store).await[0].planned_until, later(5), "slots of the pause are not missed");
        database.close(store).await;
    }
}

#[tokio::test]
async fn an_unreadable_definition_blocks_no_other_topic() {
    for database in databases() {
        let store = open_store(&database).await;
        store.sync_topics(&[topic("other"), topic("rust")], NOW).await.unwrap();
        let at = slot(10);
        let mut plans = vec![plan(NOW, at, &[(at.0, RunState::Queued)]), plan(NOW, at, &[(at.0, RunState::Queued)])];
        (plans[0].id, plans[0].topic) = ("topic:other".into(), Some("other".into()));
        store.plan(&plans, at).await.unwrap();
        database.execute("UPDATE job SET definition = '{\"from\": \"the future\"}' WHERE topic = 'other'").await;
        let readable = |known: topicwatch::store::PlannedJob| known.schedule.and(known.topic);
        let known: Vec<_> = jobs_to_plan(&store).await.into_iter().filter_map(readable).collect();
        assert_eq!(known, ["rust"], "{}", database.name);
        let claimed: Vec<_> = store.claim(at, 9, LEASE, "a").await.unwrap().into_iter().map(|r| r.topic.id).collect();
        assert_eq!(claimed, ["rust"]);
        let refused = store.run(&format!("topic:other@{at}")).await.unwrap().unwrap();
        assert_eq!((refused.state, refused.error_class.as_deref()), (RunState::Failed, Some("definition")));
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_finished_run_is_invisible_to_readers_before_it_has_its_seq() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let run = start_manual_run(&store, &t, "R1", NOW).await;
        let mut all = outcome(NOW, vec![seen_item(Source::Social, 1, &["post:x:1"], "one")]);
        all.answer = Some((Answer { text: "sum".into(), model: None, partial: false }, vec![]));
        store.finish(&run, all.clone()).await.unwrap();
        // As an older version left it when it was killed before it assigned the number.
        database.execute("UPDATE run SET seq = NULL").await;
        for (numbered, count) in [(false, 0), (true, 1)] {
            if numbered {
                store.publish().await.unwrap();
            }
            let status = store.status("", 10).await.unwrap().remove(0);
            assert_eq!(
                (status.items, status.last_run.is_some(), status.last_success.is_some()),
                (count, numbered, numbered)
            );
            assert_eq!(store.sightings_of("R1").await.unwrap().len() as i64, count, "{}", database.name);
            assert_eq!(store.answer_of("R1").await.unwrap().is_some(), numbered);
            assert_eq!(store.last_snapshot("rust").await.unwrap().is_some(), numbered);
            for what in [ExportKind::Items, ExportKind::Sightings, ExportKind::Answers, ExportKind::Runs] {
                let mut nowhere = std::io::sink();
                let rows = export::write(&store, &ExportOptions::all(what), &mut RowFilter::none(), &mut nowhere)
                    .await
                    .unwrap();
                assert_eq!(rows as i64, count, "{what}");
            }
        }
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_sighting_has_the_time_of_its_own_attempt() {
    for database in databases() {
        let store = open_store(&database).await;
        let at = queued(&store).await;
        store.claim(at, 1, LEASE, "first").await.unwrap();
        store.rescue(later(5)).await.unwrap();
        let second = store.claim(later(5), 1, LEASE, "second").await.unwrap().remove(0);
        let world = vec![seen_item(Source::Social, 1, &["post:x:1"], "one")];
        store.finish(&second, outcome(later(6), world)).await.unwrap();
        let item = all_items(&store).await.remove(0);
        let sighting = store.sightings_of(&second.public_id).await.unwrap().remove(0);
        assert_eq!((item.first_seen, sighting.seen_at), (later(6), later(6)), "{}", database.name);
        database.close(store).await;
    }
}

/// Items with awkward orders: upper and lower case, scripts, equal times, missing values, text that CSV must quote.
async fn store_awkward_items(store: &Store) {
    let topics: Vec<Topic> = ["b", "B", "a-b", "a", "ab"].into_iter().map(topic).collect();
    store.sync_topics(&topics, NOW).await.unwrap();
    for (n, t) in topics.iter().enumerate() {
        let run = start_manual_run(store, t, &format!("R{n}-{}", t.id), NOW).await;
        let mut world: Vec<_> =
            ["post:x:9", "post:x:10", "page:https://é.example/", "page:https://Z.example/", "text:x:~a:1"]
                .into_iter()
                .enumerate()
                .map(|(rank, key)| {
                    seen_item(Source::Social, rank as u32 / 2 + 1, &[key], "say \"hi\",\r\n=1+1 \u{1F600}")
                })
                .collect();
        world[0].sightings[0].found.published_at = Some(Time(-1));
        world[1].sightings[0].found.published_at = Some(Time(1_234_567_890_007));
        world[2].sightings[0].source = Source::Ai;
        let mut all = outcome(NOW, world);
        all.searches.retain(|s| n % 2 == 0 || s.source == Source::Social);
        all.answer = (n == 2).then(|| (Answer { text: "a\nb".into(), ..Answer::default() }, vec!["post:x:9".into()]));
        store.finish(&run, all.clone()).await.unwrap();
    }
    store.publish().await.unwrap();
}

#[tokio::test]
async fn both_databases_export_the_same_bytes_with_the_origin_of_every_row() {
    let mut files: Vec<Vec<String>> = Vec::new();
    for database in databases() {
        let store = open_store(&database).await;
        store_awkward_items(&store).await;
        let mut written = Vec::new();
        for what in [ExportKind::Items, ExportKind::Sightings, ExportKind::Answers, ExportKind::Runs] {
            for profile in [Profile::Machine, Profile::Excel] {
                let order = ExportOptions { profile, ..ExportOptions::all(what) };
                let mut bytes = Vec::new();
                let rows = export::write(&store, &order, &mut RowFilter::none(), &mut bytes).await.unwrap();
                let mut csv = csv::Reader::from_reader(bytes.as_slice());
                assert_eq!(csv.headers().unwrap().iter().next_back(), Some("origin"));
                assert!(csv.records().all(|row| row.unwrap().iter().next_back() == Some("SANDBOX")), "{what}");
                assert!(rows > 0);
                written.push(String::from_utf8(bytes).unwrap());
            }
        }
        // The plain lists are ordered, too, also among equals.
        written.push(format!("{:?}", store.items(&Filter::default(), None, 100).await.unwrap()));
        written.push(format!(
            "{:?}",
            store.runs(&Filter::default(), 100).await.unwrap().iter().map(|r| &r.run).collect::<Vec<_>>()
        ));
        let times = "SELECT published_at FROM v_item WHERE published_at IS NOT NULL ORDER BY 1, key, topic";
        assert_eq!(
            {
                let mut times = database.texts(times);
                times.dedup();
                times
            },
            [Time(-1).iso_millis(), Time(1_234_567_890_007).iso_millis()],
            "{}: the views show times like the exports",
            database.name
        );
        files.push(written);
        database.close(store).await;
    }
    assert!(files.windows(2).all(|two| two[0] == two[1]));
}

#[tokio::test]
async fn rows_have_no_origin_before_the_first_reply_and_then_service() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        for (run, origin, column) in [("R1", None, ""), ("R2", Some(DataOrigin::Real), "service")] {
            let held = start_manual_run(&store, &t, run, NOW).await;
            store.finish(&held, topicwatch::store::Outcome { origin, ..outcome(NOW, vec![]) }).await.unwrap();
            store.publish().await.unwrap();
            let order = ExportOptions::all(ExportKind::Runs);
            let mut bytes = Vec::new();
            export::write(&store, &order, &mut RowFilter::none(), &mut bytes).await.unwrap();
            let mut csv = csv::Reader::from_reader(bytes.as_slice());
            assert!(csv.records().all(|row| row.unwrap().iter().next_back() == Some(column)), "{}", database.name);
        }
        database.close(store).await;
    }
}

#[tokio::test]
async fn an_export_reads_one_snapshot_read_only_and_without_a_timeout() {
    let Some(database) = postgres() else { return };
    let store = open_store(&database).await;
    let t = topic("rust");
    let run = start_manual_run(&store, &t, "R1", NOW).await;
    let mut all = outcome(NOW, vec![]);
    all.answer = Some((Answer { text: "sum".into(), ..Answer::default() }, vec![]));
    store.finish(&run, all.clone()).await.unwrap();
    store.publish().await.unwrap();
    // The view shows the session's settings in place of an answer's text.
    database
        .execute(
            "ALTER TABLE answer RENAME TO answer_kept; CREATE VIEW answer AS SELECT run, model, partial, cited, concat_ws(' ', \
             current_setting('statement_timeout'), current_setting('transaction_read_only'), current_setting('transaction_isolation')) AS text FROM answer_kept",
        )
        .await;
    let mut reported = Vec::new();
    store
        .each_answer(&Filter::default(), &mut |row| {
            reported.push(row.text);
            Ok::<_, topicwatch::store::StoreError>(())
        })
        .await
        .unwrap();
    assert_eq!(reported, ["0 on repeatable read"]);
    assert_eq!(
        store.answer_of("R1").await.unwrap().unwrap().text,
        "1min off read committed",
        "other reads stay bounded"
    );
    // A user, a database or an address may ask for another isolation level; locks would then not protect anything.
    let mark = if database.url.contains('?') { '&' } else { '?' };
    let url = format!("{}{mark}options[default_transaction_isolation]=serializable", database.url);
    let other = Store::open(&Settings { url, ..settings(&database) }).await.unwrap();
    assert_eq!(other.answer_of("R1").await.unwrap().unwrap().text, "1min off read committed");
    other.close().await;
    database.close(store).await;
}

#[test]
fn findings_are_stored_later_if_the_database_was_locked_for_long() {
    let Some(database) = postgres() else { return };
    let sandbox = Sandbox::at(NINE, &[]);
    let place =
        Place::new(database, &sandbox.lines(), "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\n");
    place.ok(&["db", "migrate"]);
    // More often than a transaction is repeated. A sequence also counts rolled-back inserts.
    block_on(place.database.execute(
        "CREATE SEQUENCE refused; CREATE FUNCTION refuse() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN \
         IF nextval('refused') <= 8 THEN RAISE EXCEPTION 'locked' USING ERRCODE = 'lock_not_available'; END IF; RETURN NULL; END $$; \
         CREATE TRIGGER refuse BEFORE INSERT ON sighting FOR EACH STATEMENT EXECUTE FUNCTION refuse()",
    ));
    place.run(&["once", "--at", NINE]).assert_stderr(0, &["cannot store the findings now", "trying again"]);
    assert_ne!(place.database.number("SELECT count(*) FROM v_sighting"), 0);
    assert_eq!(place.database.texts("SELECT state FROM v_run"), ["ok"]);
}

#[tokio::test]
async fn special_characters_in_a_path_are_literal() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["with space.db", "50%25.db", "größe-日本.db", "a#b&c=d.db", "no-ending", "it's.db"] {
        let path = folder.path().join(name);
        let one = Settings { url: format!("sqlite:{}", path.display()), ..settings(&sqlite()) };
        Store::open(&one).await.unwrap().close().await;
        assert!(path.is_file(), "{name}");
        Store::open(&Settings { create: false, ..one }).await.unwrap().close().await;
    }
    let mut names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names.len(), 6, "a closed database is one file: {names:?}");
    for (url, kind, said) in [
        (format!("sqlite:{}", folder.path().display()), StoreErrorKind::Unreachable, "folder"),
        (format!("sqlite:{}/no/such/t.db", folder.path().display()), StoreErrorKind::Unreachable, "create"),
        (
            format!("sqlite:{}/t.db?mode=ro", folder.path().display()),
            StoreErrorKind::Unreachable,
            "does not name a file",
        ),
        ("sqlite::memory:".to_owned(), StoreErrorKind::Unreachable, "does not name a file"),
        ("oracle://me:hunter2@db/t".to_owned(), StoreErrorKind::Unreachable, "not a supported kind of database"),
    ] {
        let refused = Store::open(&Settings { url, ..settings(&sqlite()) }).await.unwrap_err();
        assert_eq!(refused.kind, kind, "{refused}");
        assert!(refused.text.contains(said) && !refused.hint.is_empty(), "{refused} ({})", refused.hint);
        assert!(!refused.text.contains("hunter2"), "{refused}");
    }
    let text = folder.path().join("text.db");
    std::fs::write(&text, "this is no database, however long it goes on ".repeat(40)).unwrap();
    let one = Settings { url: format!("sqlite:{}", text.display()), ..settings(&sqlite()) };
    assert_eq!(Store::open(&one).await.unwrap_err().kind, StoreErrorKind::Foreign);
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_sqlite_file_and_its_side_files_are_private_to_the_owner() {
    use std::os::unix::fs::PermissionsExt as _;
    let database = sqlite();
    let store = open_store(&database).await;
    store.sync_topics(&[topic("rust")], NOW).await.unwrap();
    let _lock = store.lock_daemon().unwrap();
    let file = std::path::Path::new(&database.url[7..]);
    let mut seen = Vec::new();
    for entry in std::fs::read_dir(file.parent().unwrap()).unwrap() {
        let entry = entry.unwrap();
        seen.push(entry.file_name().into_string().unwrap());
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{seen:?}");
    }
    seen.sort();
    assert_eq!(seen, ["t.db", "t.db-shm", "t.db-wal", "t.db.lock"]);
    database.close(store).await;
}

#[tokio::test]
async fn migrations_of_another_program_are_not_mistaken_for_ours() {
    for database in databases() {
        open_store(&database).await.close().await;
        database.make_foreign();
        let refused = Store::open(&settings(&database)).await.unwrap_err();
        assert_eq!(refused.kind, StoreErrorKind::Foreign, "{}: {refused}", database.name);
    }
}

#[test]
fn a_database_url_is_shown_without_its_password_even_if_invalid() {
    for (url, shown) in [
        ("postgres://me:hunter2@db:5432/t", "postgres://me:***@db:5432/t"),
        ("postgres://me:hun@ter2/@db/t", "postgres://me:***@db/t"),
        ("postgres://me:hunter2@db:no port/t", "postgres://me:***@db:no port/t"),
        ("postgres://db/t?user=me&password=hunter2", "postgres://db/t?user=me&password=***"),
        ("mysql:me:hunter2@db", "mysql:me:***@db"),
        ("postgres://me@db/t?sslmode=require", "postgres://me@db/t?sslmode=require"),
        ("sqlite:/a:b@c/t.db", "sqlite:/a:b@c/t.db"),
        ("nonsense", "nonsense"),
    ] {
        assert_eq!(redact(url), shown);
    }
}

/// The search path folds case and splits lists, so that such a name would open another schema.
#[tokio::test]
async fn an_invalid_schema_name_is_refused_for_reading_and_writing() {
    let Some(database) = postgres() else { return };
    let store = open_store(&database).await;
    for schema in [database.schema.to_uppercase(), format!("{},public", database.schema), String::new()] {
        let one = Settings { schema: schema.clone(), ..settings(&database) };
        let refusals =
            [Store::open_to_read(&one).await.err(), Store::probe(&one).await.err(), Store::open(&one).await.err()];
        for refused in refusals {
            let expected = format!("`{schema}` is not a valid schema name");
            assert_eq!(refused.map(|error| error.text), Some(expected), "{schema}");
        }
    }
    database.close(store).await;
}

#[tokio::test]
async fn no_store_error_contains_the_password() {
    for url in [
        "postgres://me:hunter2@127.0.0.1:1/t",
        "postgres://me:hunter2@127.0.0.1:no/t",
        "postgres://127.0.0.1:1/t?password=hunter2",
        "postgres://me:hunter2@127.0.0.1:1/t?sslmode=nonsense",
    ] {
        let one = Settings { url: url.into(), ..settings(&sqlite()) };
        let refused = Store::open(&one).await.unwrap_err();
        assert_eq!(refused.kind, StoreErrorKind::Unreachable, "{refused}");
        assert!(!format!("{refused:?}").contains("hunter2"), "{refused:?}");
    }
}

#[tokio::test]
async fn a_server_behind_a_statement_pool_is_spoken_to_without_named_statements() {
    let Some(database) = postgres() else { return };
    let joined = if database.url.contains('?') { '&' } else { '?' };
    let url = format!("{}{joined}statement-cache-capacity=0", database.url);
    let store = Store::open(&Settings { url, ..settings(&database) }).await.unwrap();
    store_awkward_items(&store).await;
    assert_eq!(store.items(&Filter::default(), None, 100).await.unwrap().len(), 25);
    database.close(store).await;
}

/// PostgreSQL has no statistics for a new table and expects one due row: planning twenty thousand topics once compared
/// each with a thousand others, for a minute.
#[tokio::test]
async fn statistics_are_updated_after_many_new_topics() {
    let Some(database) = postgres() else { return };
    let store = open_store(&database).await;
    let topics: Vec<_> = (0..300).map(|n| topic(&format!("topic-{n:04}"))).collect();
    store.sync_topics(&topics, NOW).await.unwrap();
    let known = "SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE oid = to_regclass('job')";
    assert_eq!(database.number(known), 300);
    database.close(store).await;
}
