//! Retention: which rows are deleted and which stay whatever their age; old items never become new again, nothing that
//! a reader has not read is deleted, and a kill at any point does no harm. Every case on both databases.

use crate::support::logged_sql::statements;
use crate::support::old_history::*;
use std::collections::BTreeMap;
use std::time::Duration;

use topicwatch::compare::{FilterMode, ListOptions, list_items};
use topicwatch::model::{Question, Retention, Source, Span, Time};
use topicwatch::store::{Filter, ItemOrder, Pruned, SightingRow, Store};

use crate::support::databases::databases;
use crate::support::ledger_checks::FAILPOINT;
use crate::support::program::Place;
use crate::support::searched::{NOW, all_items, open_store, outcome, seen_item, start_manual_run, topic};

fn kept(days: [Option<i64>; 4]) -> Retention {
    let [raw, sightings, items, runs] = days.map(|days| days.map(|days| days * DAY));
    Retention { raw, sightings, items, runs }
}

async fn prune(store: &Store, retention: &Retention, dry_run: bool) -> Pruned {
    store.prune(retention, present(), Duration::from_secs(600), dry_run, &|| false).await.unwrap()
}

async fn sightings(store: &Store) -> Vec<SightingRow> {
    let mut all = Vec::new();
    let each: &mut (dyn FnMut(SightingRow) -> Result<(), topicwatch::store::StoreError> + Send) = &mut |row| {
        all.push(row);
        Ok(())
    };
    store.each_sighting(&Filter::default(), each).await.unwrap();
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn pruning_keeps_one_whole_snapshot_a_day_and_first_and_last_sightings() {
    for database in databases() {
        let store = open_store(&database).await;
        fill(&database, &store).await;
        let (before, items_before) = (sightings(&store).await, all_items(&store).await);
        let rule = kept([None, Some(3), None, None]);
        let untouched = dump_tables(&database);
        let reported = prune(&store, &rule, true).await;
        assert_eq!(dump_tables(&database), untouched, "{}: a dry run writes nothing", database.name);
        let done = prune(&store, &rule, false).await;
        assert_eq!((&reported.gone, reported.thinned), (&done.gone, done.thinned), "{}", database.name);
        assert_eq!(prune(&store, &rule, false).await.rows(), 0, "removed rows are not searched again");

        let after = sightings(&store).await;
        let of = |all: &[SightingRow], run: &str| all.iter().filter(|s| s.run == run).count();
        for n in 0..DAYS * 4 {
            let run = format!("run-{n:03}");
            let (had, has) = (of(&before, &run), of(&after, &run));
            // The view shows unchecked runs like complete ones.
            let thinned = database
                .texts(&format!("SELECT coalesce(CAST(thinned AS TEXT), '-') FROM run WHERE public_id = '{run}'"));
            match n {
                // The topic's first answer, and the last of each day.
                0 => assert_eq!((has, thinned[0].as_str()), (had, "0"), "{run}"),
                n if n / 4 < 7 && n % 4 == 3 => assert_eq!((has, thinned[0].as_str()), (had, "0"), "{run}"),
                n if n / 4 < 7 => {
                    assert_eq!(thinned, ["1"], "{run}");
                    // Both posts of the day were first seen in its first run, and one of them last in its second.
                    assert_eq!(has, [2, 1, 0][usize::try_from(n % 4).unwrap()], "{run} on {}", database.name);
                }
                _ => assert_eq!((has, thinned[0].as_str()), (had, "-"), "{run} is not old enough"),
            }
        }
        assert_eq!(format!("{:?}", all_items(&store).await), format!("{items_before:?}"), "{}", database.name);
        let new = |all: &[SightingRow]| all.iter().filter(|s| s.new).count();
        assert_eq!(new(&after), new(&before), "the same items are reported as new");
        let span = Span { from: begin(), until: Time(begin().0 + 2 * DAY) };
        let trimmed = store.pruned_summary("acme", span).await.unwrap();
        assert_eq!((trimmed.thinned, trimmed.items), (5, 0));
        assert!(trimmed.describe().unwrap().contains("5 snapshots"));
        database.close(store).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pruned_item_seen_again_regains_its_text_and_is_not_new() {
    for database in databases() {
        let store = open_store(&database).await;
        fill(&database, &store).await;
        let before = all_items(&store).await;
        let rule = kept([None, None, Some(4), None]);
        let done = prune(&store, &rule, false).await;
        assert_eq!(done.gone["item"].rows, 12, "two posts of each of six days: {done:?}");
        let after = all_items(&store).await;
        assert_eq!(topic_rows(&after), topic_rows(&before), "{}", database.name);
        let words: BTreeMap<&str, Option<&str>> = after.iter().map(|i| (i.key.as_str(), i.text.as_deref())).collect();
        assert_eq!(
            (words["post:x:1"], words["post:x:100"], words["post:x:109"]),
            (Some("always"), None, Some("once on day 9"))
        );
        assert!(after.iter().filter(|i| i.text.is_none()).all(|i| i.author.is_none() && i.url.is_none()));
        assert_eq!(prune(&store, &rule, false).await.rows(), 0);

        let run = start_manual_run(&store, &topic("acme"), "again", present()).await;
        let found = vec![seen_item(Source::Social, 1, &["post:x:100"], "once more")];
        let counts = store.finish(&run, outcome(present(), found)).await.unwrap();
        assert_eq!(counts.iter().map(|(_, c)| (c.new, c.duplicate)).max(), Some((0, 1)), "{}", database.name);
        store.publish().await.unwrap();
        let again = all_items(&store).await.into_iter().find(|i| i.key == "post:x:100").unwrap();
        let was = before.iter().find(|i| i.key == "post:x:100").unwrap();
        assert_eq!(
            (again.text.as_deref(), again.revisions),
            (Some("once more"), Some(0)),
            "an empty text is not an edit"
        );
        assert_eq!((again.first_seen, &again.first_run, again.times_seen), (was.first_seen, &was.first_run, 2));
        assert_eq!(database.pruned_keys().len(), 11);
        let later = Time(present().0 + 5 * DAY);
        let done = store.prune(&rule, later, Duration::from_secs(600), false, &|| false).await.unwrap();
        assert!(done.gone["item"].rows >= 1, "and is pruned again when it is old again");
        assert!(database.pruned_keys().contains(&"post:x:100".to_owned()), "{}", database.name);
        database.close(store).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pruned_first_near_copy_is_replaced_by_a_copy_in_lists() {
    for database in databases() {
        let store = open_store(&database).await;
        fill(&database, &store).await;
        // The posts of the first day are the first of a cluster whose copy is still seen.
        database
            .execute(
                "UPDATE item SET cluster = (SELECT h.id FROM item h WHERE h.key = 'post:x:100') WHERE key = 'post:x:1'",
            )
            .await;
        prune(&store, &kept([None, None, Some(4), None]), false).await;
        let dash = || vec!["-".to_owned()];
        let of = |key: &str, what: &str| {
            database.texts(&format!("SELECT coalesce({what}, '-') FROM v_item WHERE key = 'post:x:{key}'"))
        };
        assert_eq!(
            (of("100", "text"), of("100", "author"), of("1", "text")),
            (dash(), dash(), vec!["always".to_owned()]),
            "{}",
            database.name
        );
        assert_eq!(of("1", "cluster"), ["post:x:100"], "the cluster keeps its first item");
        // A list of one item for each cluster shows the copy, and counts the first as its copy.
        let filter = Filter { topics: vec!["acme".to_owned()], ..Filter::default() };
        let rows = store.list_items(&filter, true, ItemOrder::New, None, 100).await.unwrap().rows;
        assert!(rows.iter().any(|row| row.key == "post:x:100"), "{rows:?}");
        let options = ListOptions {
            topic: "acme",
            filtered: FilterMode::Hide,
            without_noise: false,
            new_since: None,
            copies: Some(5),
            folded: Some(&filter),
        };
        let list = list_items(&store, None, rows, options).await.unwrap();
        assert!(list.items.iter().all(|item| item.row.key != "post:x:100"), "{list:?}");
        let shown = list.items.iter().find(|item| item.row.key == "post:x:1").unwrap();
        assert_eq!((shown.row.text.as_deref(), shown.copies.0), (Some("always"), 1), "{}", database.name);
        // If no copy has words, the first item is shown as it is.
        let list_of_pruned = list.items.iter().filter(|item| item.row.pruned_at.is_some()).count();
        assert!(list_of_pruned > 0, "{list:?}");
        database.close(store).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pruning_deletes_old_runs_except_those_still_needed() {
    for database in databases() {
        let store = open_store(&database).await;
        fill(&database, &store).await;
        let before = all_items(&store).await;
        let first = store.snapshots("acme", topicwatch::model::SeqRange { since: 0, until: 1 }).await.unwrap();
        let question = Question { source: Source::Social, operation: "search".into(), query: "q".into() };
        assert!(first.questions.contains(&question), "{first:?}");
        let rule = kept([Some(8), Some(3), None, Some(5)]);
        let reported = prune(&store, &rule, true).await;
        let done = prune(&store, &rule, false).await;
        assert_eq!(reported.gone, done.gone, "{}", database.name);
        // Over five days, the third run of each saw no item first or last; the snapshots that had stayed whole go too.
        assert_eq!(done.gone["run"].rows, 10, "{done:?}");
        assert_eq!(topic_rows(&all_items(&store).await), topic_rows(&before));
        assert!(store.was_answered_before("acme", &question, 30).await.unwrap(), "the first answer stays");
        assert_eq!(database.number("SELECT count(*) FROM v_search WHERE run = 'run-000'"), 2);
        assert_eq!(database.number("SELECT count(*) FROM v_search WHERE run = 'run-001'"), 0);
        assert_eq!(store.run("run-039").await.unwrap().unwrap().counts.found, 1);
        assert!(store.run("run-002").await.unwrap().is_none());
        let until = store.pruned_until().await.unwrap().unwrap();
        assert!(until.0 > begin().0 + 4 * DAY && until.0 <= begin().0 + 5 * DAY, "{until}");
        assert_eq!(prune(&store, &rule, false).await.rows(), 0);
        database.close(store).await;
    }
}

async fn thinned_until(store: &Store, topic: &str, since: Time) -> Option<Time> {
    store.snapshot().await.unwrap().thinned_until(topic, since).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn thinned_until_is_known_for_each_topic_and_start_time() {
    for database in databases() {
        let store = open_store(&database).await;
        fill(&database, &store).await;
        assert_eq!(thinned_until(&store, "acme", begin()).await, None, "{}", database.name);
        // The last run pruned of five days has no row any more, and the last one thinned of seven days is the third of its
        // day.
        for (rule, run) in [(kept([None, None, None, Some(5)]), 19), (kept([None, Some(3), None, Some(5)]), 26)] {
            prune(&store, &rule, false).await;
            let last = Time(begin().0 + run * 6 * HOUR + HOUR);
            for (topic, since, until) in [
                ("acme", begin(), Some(last)),
                ("acme", last, Some(last)),
                ("acme", Time(last.0 + 1), None),
                ("other", begin(), None),
            ] {
                let told = thinned_until(&store, topic, since).await;
                assert_eq!(told, until, "{}: {topic} since {since}", database.name);
            }
        }
        database.close(store).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_rows_are_kept_for_an_existing_follower_only() {
    for database in databases() {
        let store = open_store(&database).await;
        fill(&database, &store).await;
        database.execute("INSERT INTO follower (name, seq, at) VALUES ('report:slow', 10, 0)").await;
        let rule = kept([None, Some(1), Some(1), Some(1)]);
        let done = prune(&store, &rule, false).await;
        assert_eq!(done.held_by.as_deref(), Some("report:slow"), "{}", database.name);
        assert_eq!(
            database.number("SELECT count(*) FROM v_run WHERE seq > 10 AND (thinned = 1 OR pruned_at IS NOT NULL)"),
            0
        );
        assert_eq!(database.number("SELECT count(*) FROM v_run WHERE seq > 10"), 30);
        let unread = database.texts("SELECT DISTINCT key FROM v_sighting WHERE seq > 10");
        assert!(!database.pruned_keys().iter().any(|key| unread.contains(key)), "{}: {unread:?}", database.name);
        let gone = format!(
            "INSERT INTO job (id, kind, definition, generation, created_at, removed_at) VALUES ('report:slow', 'report', '{{}}', 0, 0, {})",
            NOW.0
        );
        database.execute(&gone).await;
        let done = prune(&store, &rule, false).await;
        assert_eq!(done.held_by, None);
        assert!(done.gone["run"].rows > 10, "{done:?}");
        database.close(store).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sqlite_file_shrinks_after_pruning() {
    let database = crate::support::databases::sqlite();
    let store = open_store(&database).await;
    fill(&database, &store).await;
    database.execute("UPDATE raw_reply SET body = zeroblob(100000)").await;
    let before = store.disk().await.unwrap();
    assert!(before.gives_back && before.bytes > 3_000_000, "{before:?}");
    let done = prune(&store, &kept([Some(1), None, None, None]), false).await;
    let after = store.disk().await.unwrap();
    assert!(done.given_back > 2_000_000 && after.bytes + 2_000_000 < before.bytes, "{before:?} {after:?}");
    assert_eq!(after.free, 0);
    database.close(store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sent_and_dead_messages_without_a_run_are_pruned_with_runs_of_their_age() {
    for database in databases() {
        let store = open_store(&database).await;
        let mut sql = String::new();
        for (days, state) in [(9, "sent"), (9, "dead"), (9, "queued"), (1, "sent"), (1, "dead")] {
            for n in 0..150 {
                let at = present().minus(Duration::from_secs(days * 86_400)).0;
                sql.push_str(&format!(
                    "INSERT INTO outbox (event, channel, kind, origin, subject, text, state, created_at, next_at) VALUES \
                     ('alert {days} {state} {n}', 'mail', 'alert', 'alert:calls', 'loud', 'loud', '{state}', {at}, {at});"
                ));
            }
        }
        database.execute(&sql).await;
        let rule = kept([None, None, None, Some(5)]);
        let reported = prune(&store, &rule, true).await;
        assert_eq!(reported.gone["outbox"].rows, 300, "{}", database.name);
        assert_eq!(prune(&store, &rule, false).await.gone, reported.gone, "{}", database.name);
        let left = "SELECT DISTINCT substr(event, 1, 12) FROM outbox ORDER BY 1";
        assert_eq!(database.texts(left), ["alert 1 dead", "alert 1 sent", "alert 9 queu"], "{}", database.name);
        assert_eq!(prune(&store, &rule, false).await.rows(), 0);
        database.close(store).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requested_reports_are_pruned_like_scheduled_ones() {
    for database in databases() {
        let store = open_store(&database).await;
        let day = |days: i64| present().0 - days * DAY;
        for (seq, run, at, trigger) in
            [(1, "old", day(9), "scheduled"), (2, "asked", day(9), "manual"), (3, "last", day(1), "scheduled")]
        {
            database.add_undelivered_report(seq, run, at, trigger).await;
        }
        let rule = kept([None, None, None, Some(5)]);
        let reported = prune(&store, &rule, true).await;
        assert_eq!(prune(&store, &rule, false).await.gone, reported.gone, "{}", database.name);
        for column in ["run FROM v_run", "run FROM report", "origin FROM outbox"] {
            assert_eq!(database.texts(&format!("SELECT {column}")), ["last"], "{}: {column}", database.name);
        }
        database.close(store).await;
    }
}

#[test]
fn a_kill_at_every_point_of_a_prune_loses_nothing() {
    for database in databases() {
        let at = present().to_string();
        let rules = "[retention]\nraw = \"2d\"\nsightings = \"3d\"\nitems = \"4d\"\nruns = \"38d\"\n\n[[topics]]\nid = \"acme\"\nquery = \"acme\"\n";
        let whole = Place::new(database, "base_url = \"sandbox\"\n", rules);
        let fresh = || {
            let place = Place::new(
                if whole.database.name == "SQLite" {
                    crate::support::databases::sqlite()
                } else {
                    crate::support::databases::postgres().unwrap()
                },
                "base_url = \"sandbox\"\n",
                rules,
            );
            crate::support::databases::block_on(async {
                let store = open_store(&place.database).await;
                fill(&place.database, &store).await;
                store.close().await;
            });
            place
        };
        let unharmed = fresh();
        let text = unharmed.ok(&["db", "prune", "--dry-run", "--at", &at]);
        assert!(text.contains("would delete") && text.contains("sighting (of "), "{text}");
        unharmed.ok(&["db", "prune", "--at", &at]);
        let expected: Vec<String> =
            dump_tables(&unharmed.database).into_iter().filter(|line| !line.starts_with("known")).collect();
        for point in ["prune::raw", "prune_runs::thin_snapshots", "prune::items"] {
            for moment in ["written", "committed"] {
                let place = fresh();
                let ended = place
                    .program(&["db", "prune", "--at", &at])
                    .env(FAILPOINT, &format!("kill {point}/{moment}"))
                    .run();
                assert_eq!(ended.code, None, "{point}/{moment}: {ended}");
                place.ok(&["db", "prune", "--at", &at]);
                let after = dump_tables(&place.database).into_iter().filter(|line| !line.starts_with("known"));
                assert_eq!(after.collect::<Vec<_>>(), expected, "{} {point}/{moment}", place.database.name);
                let output = place.json(&["db", "prune", "--json", "--at", &at]);
                assert_eq!(output["pruned"]["gone"], serde_json::json!({}), "{output}");
            }
        }
    }
}

#[test]
fn every_statement_of_a_prune_uses_an_index() {
    for database in databases() {
        let rules = "[retention]\nraw = \"2d\"\nsightings = \"3d\"\nitems = \"4d\"\nruns = \"38d\"\n\n[[topics]]\nid = \"acme\"\nquery = \"acme\"\n";
        let place = Place::new(database, "base_url = \"sandbox\"\n", rules);
        crate::support::databases::block_on(async {
            let store = open_store(&place.database).await;
            fill(&place.database, &store).await;
            store.close().await;
        });
        let at = Time(present().0 + 40 * DAY).to_string();
        let program = place.program(&["db", "prune", "--at", &at, "--log-format", "json"]);
        let ended = program.env("RUST_LOG", "sqlx::query=debug").run();
        assert_eq!(ended.code, Some(0), "{ended}");
        let statements: std::collections::BTreeSet<String> = statements(&ended.err)
            .filter(|sql| ["SELECT", "UPDATE", "DELETE"].iter().any(|verb| sql.starts_with(verb)))
            .filter(|sql| !sql.contains("pg_") && !sql.contains("pragma_") && !sql.contains("sqlite_"))
            .collect();
        assert!(statements.len() >= 12, "{}: {statements:#?}", place.database.name);
        if place.database.name == "SQLite" {
            place.database.forget_statistics();
        }
        for sql in &statements {
            let plan = place.database.query_plan(sql);
            for line in &plan {
                for table in [
                    "run",
                    "r",
                    "o",
                    "q",
                    "search",
                    "s",
                    "sighting",
                    "item",
                    "i",
                    "topic_item",
                    "t",
                    "raw_reply",
                    "answer",
                    "item_revision",
                    "item_past",
                    "v",
                ] {
                    for scan in [format!("SCAN {table}"), format!("Seq Scan on {table}")] {
                        let whole = line.find(&scan).is_some_and(|at| {
                            let rest = &line[at + scan.len()..];
                            (rest.is_empty() || rest.starts_with(' ')) && !rest.contains("USING")
                        });
                        assert!(!whole, "{}: {sql}\n{plan:#?}", place.database.name);
                    }
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_stored_during_a_large_prune() {
    for database in databases() {
        let store = open_store(&database).await;
        fill(&database, &store).await;
        let body = if database.name == "SQLite" { "zeroblob(2000)" } else { "CAST(repeat('x', 2000) AS BYTEA)" };
        let begin = begin().0;
        // The many replies are written straight into the tables.
        let run = database.run_id("run-000");
        for sql in [
            format!(
                "INSERT INTO search (run, attempt, source, operation, query, state, started_at, expected_cost) \
                 WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 40000) \
                 SELECT {run}, 10 + n, 'web', 'search', 'many', 'ok', {begin}, 0 FROM n"
            ),
            format!(
                "INSERT INTO raw_reply (search, request, dialect, headers, received_at, bytes, truncated, body) \
                 SELECT id, '{{}}', 'spec', '{{}}', {begin}, 2000, 0, {body} FROM search WHERE query = 'many'"
            ),
        ] {
            database.execute(&sql).await;
        }
        let pruning = tokio::spawn({
            let store = store.clone();
            async move { prune(&store, &kept([Some(3), None, None, None]), false).await }
        });
        // Runs are stored one after the other while replies are deleted; each waits for one batch at most.
        let (t, mut stored) = (topic("acme"), 0);
        let old = present().0 - 3 * DAY;
        let left = || database.number(&format!("SELECT count(*) FROM raw_reply WHERE received_at < {old}"));
        while !pruning.is_finished() {
            let at = Time(present().0 + stored * 1_000);
            let run = start_manual_run(&store, &t, &format!("beside-{stored:05}"), at).await;
            store.finish(&run, outcome(at, vec![seen_item(Source::Social, 1, &["post:x:1"], "always")])).await.unwrap();
            stored += 1;
        }
        let gone = pruning.await.unwrap();
        assert!(gone.gone["raw_reply"].rows >= 40_000 && left() == 0, "{}: {gone:?}", database.name);
        // With one or two transactions, fewer runs than this would fit in between.
        assert!(stored >= 4, "{}: only {stored} runs were stored while much was pruned", database.name);
        store.close().await;
    }
}
