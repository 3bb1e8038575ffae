//! Near-copies in the store: both databases get the same clusters with any batch size, after kills, with several
//! processes and when items merge; and the counts based on clusters.

use crate::support::copied_posts::*;
use crate::support::logged_sql::statements;
use serde_json::json;
use topicwatch::collect::{cluster, cluster_by};
use topicwatch::model::{KeyTableLimits, Kind, Source, Volume};
use topicwatch::store::{Filter, SeenItem, Store};

use crate::support::databases::{Database, databases, sqlite};
use crate::support::program::{NINE, Place, wait_until};
use crate::support::searched::{all_items, open_store, seen_item, topic};
use crate::support::service::Sandbox;
use crate::support::world::{ScriptedService, hour};

/// Each item's key and the key of its cluster.
async fn clusters(store: &Store) -> Vec<(String, Option<String>)> {
    let mut pairs: Vec<_> = all_items(store).await.into_iter().map(|item| (item.key, item.cluster)).collect();
    pairs.dedup();
    pairs
}

/// All items of a small world, some of them copies; the order in a run does not matter.
fn sample_items() -> Vec<Vec<SeenItem>> {
    let say = |n: u32| match n % 7 {
        0 => STORM.to_owned(),
        1 => format!("RT @a{n}: {STORM} https://t.co/{n}"),
        2 => format!("{FLOOD} - {n}th report from the bridge near the house of number {n}"),
        3 => format!("{} @b{n} 🌊", FLOOD.to_uppercase()),
        4 => format!("so true {n}"),
        5 => format!(
            "report of hour {n}: {}",
            "the station is closed until further notice and nobody knows why ".repeat(1 + n as usize % 3)
        ),
        _ => format!("{STORM} and word {}", ["one", "two", "three"][n as usize % 3]),
    };
    (0..12_u32)
        .map(|run| (0..9).rev().map(|n| post(run * 7 + n, &format!("author{}", n % 4), &say(run * 7 + n))).collect())
        .collect()
}

#[tokio::test]
async fn clusters_are_the_same_on_both_databases_and_for_any_batch_size() {
    let mut all = Vec::new();
    for (at_once, room) in [
        (1, KeyTableLimits::default()),
        (7, SMALL_LIMITS),
        (500, KeyTableLimits::default()),
        (3, KeyTableLimits { slice: 1, ..SMALL_LIMITS }),
    ] {
        for database in databases() {
            let store = open_store(&database).await;
            store_runs(&store, &topic("storm"), 0, sample_items()).await;
            assert!(clusters(&store).await.iter().all(|(_, cluster)| cluster.is_none()));
            let count = clusters(&store).await.len() as u64;
            assert_eq!(cluster_by(&store, at_once, room, &|| false).await.unwrap(), count, "{}", database.name);
            assert_eq!(cluster(&store, &|| false).await.unwrap(), 0, "each item is read once");
            all.push((database.name, at_once, clusters(&store).await));
            database.close(store).await;
        }
    }
    for (name, at_once, found) in &all {
        assert_eq!(found, &all[0].2, "{name}, {at_once} at once");
        assert!(found.iter().all(|(_, cluster)| cluster.is_some()));
    }
    // The same when each run is clustered before the next ends.
    for database in databases() {
        let store = open_store(&database).await;
        for (n, run) in (0..).zip(sample_items()) {
            store_runs(&store, &topic("storm"), n, vec![run]).await;
            cluster(&store, &|| false).await.unwrap();
        }
        assert_eq!(clusters(&store).await, all[0].2, "{}", database.name);
        database.close(store).await;
    }
    let of = |key: &str| all[0].2.iter().find(|(k, _)| k == key).unwrap().1.clone().unwrap();
    assert_eq!(of("post:x:0"), "post:x:0");
    assert_eq!(
        (of("post:x:1"), of("post:x:8"), of("post:x:77")),
        ("post:x:0".into(), "post:x:0".into(), "post:x:0".into())
    );
    assert_eq!((of("post:x:4"), of("post:x:11")), ("post:x:4".into(), "post:x:11".into()), "too short to compare");
    assert_ne!(of("post:x:2"), of("post:x:9"), "other numbers");
}

#[tokio::test]
async fn raw_unique_and_author_counts_are_separate() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("storm");
        let quake = |n: u32| format!("Earthquake of magnitude {n}.5 near the coast of Iquique in Chile just now");
        let first =
            vec![post(1, "ann", STORM), post(2, "bob", &format!("RT @ann: {STORM}")), post(3, "ann", &quake(4))];
        // Handles ignore the case of A to Z only, on both databases.
        let second = vec![
            post(4, "ANN", &STORM.to_uppercase()),
            post(5, "Bob", FLOOD),
            post(6, "bob", &quake(5)),
            post(7, "ÉVA", "Éva has bread and butter in the kitchen this morning"),
            post(8, "éva", "The cat of éva sleeps on the sofa until it is noon"),
        ];
        store_runs(&store, &t, 0, vec![first, second]).await;
        let reported = Volume::new;
        let all = Filter::default();
        assert_eq!(
            store.volumes(&all).await.unwrap(),
            [("storm".to_owned(), reported(8, 8, 4, 8))],
            "not compared yet"
        );
        assert_eq!(store.clusters(&all, 1, 10).await.unwrap(), []);
        cluster(&store, &|| false).await.unwrap();
        assert_eq!(
            store.volumes(&all).await.unwrap(),
            [("storm".to_owned(), reported(8, 6, 4, 0))],
            "{}",
            database.name
        );
        let later = Filter { since: Some(at(1)), ..Filter::default() };
        assert_eq!(store.volumes(&later).await.unwrap(), [("storm".to_owned(), reported(5, 5, 4, 0))]);
        assert_eq!(store.volume_of_runs(&["storm-000".to_owned()]).await.unwrap(), reported(3, 2, 2, 0));
        assert_eq!(store.volume_of_runs(&[]).await.unwrap(), Volume::new(0, 0, 0, 0));
        let campaigns = store.clusters(&all, 2, 10).await.unwrap();
        let [one] = campaigns.as_slice() else { panic!("{campaigns:?}") };
        assert_eq!((one.cluster.as_str(), one.members, one.authors), ("post:x:1", 3, 2), "{}", database.name);
        assert_eq!((one.first_seen, one.last_new, one.text.as_deref()), (at(0), at(1), Some(STORM)));
        assert_eq!(store.clusters(&all, 1, 10).await.unwrap().len(), 6);
        let sightings = store.sightings_of("storm-001").await.unwrap();
        assert_eq!(sightings[0].cluster.as_deref(), Some("post:x:1"), "the cluster of another run's item");
        database.close(store).await;
    }
}

#[tokio::test]
async fn an_edited_item_stays_in_its_cluster_and_copies_of_the_old_text_join_it() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("storm");
        store_runs(&store, &t, 0, vec![vec![post(1, "ann", STORM)]]).await;
        cluster(&store, &|| false).await.unwrap();
        store_runs(
            &store,
            &t,
            1,
            vec![vec![post(1, "ann", FLOOD), post(2, "bob", STORM)], vec![post(3, "cleo", FLOOD)]],
        )
        .await;
        cluster(&store, &|| false).await.unwrap();
        let pair = |key: &str, of: &str| (key.to_owned(), Some(of.to_owned()));
        assert_eq!(
            clusters(&store).await,
            [pair("post:x:1", "post:x:1"), pair("post:x:2", "post:x:1"), pair("post:x:3", "post:x:3")],
            "{}",
            database.name
        );
        database.close(store).await;
    }
}

#[tokio::test]
async fn pages_cluster_by_headline_or_text_and_never_with_posts() {
    for database in databases() {
        let store = open_store(&database).await;
        let page = |n: u32, title: &str, text: &str| {
            let mut item = seen_item(Source::Web, n, &[&format!("page:https://site{n}.example/{n}")], text);
            item.kind = Kind::Page;
            item.sightings[0].kind = Kind::Page;
            item.sightings[0].found.kind = Some(Kind::Page);
            item.sightings[0].found.title = Some(title.into());
            item
        };
        let headline = "Storm takes the roof of the old station";
        let story = format!("{STORM}. {FLOOD}");
        let run = vec![
            page(1, headline, &story),
            page(2, &format!("{headline} | The Other Post"), "Subscribe to read on."),
            page(3, "Another title of it", &format!("{story}, as the mayor said")),
            page(4, "Another title", "Something that has nothing to do with it, from first to last word"),
            post(5, "ann", STORM),
        ];
        store_runs(&store, &topic("storm"), 0, vec![run]).await;
        cluster(&store, &|| false).await.unwrap();
        let found: Vec<String> = clusters(&store).await.into_iter().filter_map(|(_, cluster)| cluster).collect();
        let first = "page:https://site1.example/1";
        assert_eq!(found, [first, first, first, "page:https://site4.example/4", "post:x:5"], "{}", database.name);
        database.close(store).await;
    }
}

#[tokio::test]
async fn merged_items_merge_their_clusters() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("storm");
        let words = |text: &str| seen_item(Source::Social, 1, &["text:x:ann:h"], text);
        let page = |text: &str| seen_item(Source::Web, 2, &["post:x:1"], text);
        let both = || seen_item(Source::Social, 1, &["post:x:1", "text:x:ann:h"], STORM);
        let runs =
            vec![vec![words(STORM)], vec![post(7, "bob", STORM)], vec![page(FLOOD)], vec![post(8, "cleo", FLOOD)]];
        store_runs(&store, &t, 0, runs).await;
        cluster(&store, &|| false).await.unwrap();
        let of = |pairs: &[(String, Option<String>)], key: &str| {
            pairs.iter().find(|(k, _)| k == key).and_then(|(_, cluster)| cluster.clone()).unwrap_or_default()
        };
        let before = clusters(&store).await;
        assert_eq!((of(&before, "post:x:7"), of(&before, "post:x:8")), ("text:x:ann:h".into(), "post:x:1".into()));
        store_runs(&store, &t, 4, vec![vec![both()], vec![post(9, "dan", STORM), post(10, "eve", FLOOD)]]).await;
        cluster(&store, &|| false).await.unwrap();
        let after = clusters(&store).await;
        assert_eq!(after.len(), 5, "{}: {after:?}", database.name);
        for key in ["post:x:1", "post:x:7", "post:x:8", "post:x:9", "post:x:10"] {
            assert_eq!(of(&after, key), "post:x:1", "{}: {key} of {after:?}", database.name);
        }
        database.close(store).await;
    }
}

#[tokio::test]
async fn an_item_merged_before_clustering_is_clustered_once() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("storm");
        let runs = vec![
            vec![seen_item(Source::Social, 1, &["text:x:ann:h"], STORM)],
            vec![seen_item(Source::Web, 2, &["post:x:1"], STORM)],
        ];
        store_runs(&store, &t, 0, runs).await;
        // A process has read the batch when the two items merge.
        let batch = store.unclustered(10).await.unwrap().unwrap();
        store_runs(&store, &t, 2, vec![vec![seen_item(Source::Social, 1, &["post:x:1", "text:x:ann:h"], STORM)]]).await;
        let alone = vec![topicwatch::model::Assignment::Alone; 2];
        assert!(!store.store_clusters(&batch, &alone).await.unwrap(), "{}: an old batch is refused", database.name);
        assert_eq!(cluster(&store, &|| false).await.unwrap(), 1);
        assert_eq!(clusters(&store).await, [("post:x:1".to_owned(), Some("post:x:1".to_owned()))]);
        database.close(store).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_processes_cluster_like_one_process() {
    let alone = {
        let database = sqlite();
        let store = open_store(&database).await;
        store_runs(&store, &topic("storm"), 0, sample_items()).await;
        cluster(&store, &|| false).await.unwrap();
        let found = clusters(&store).await;
        database.close(store).await;
        found
    };
    for database in databases() {
        let store = open_store(&database).await;
        store_runs(&store, &topic("storm"), 0, sample_items()).await;
        let others = [open_store(&database).await, open_store(&database).await, open_store(&database).await];
        let (a, b, c) = tokio::join!(
            cluster_by(&others[0], 3, SMALL_LIMITS, &|| false),
            cluster_by(&others[1], 5, SMALL_LIMITS, &|| false),
            cluster_by(&others[2], 4, KeyTableLimits::default(), &|| false)
        );
        let sum = a.unwrap() + b.unwrap() + c.unwrap();
        assert_eq!(sum, alone.len() as u64, "{}: each was decided once", database.name);
        assert_eq!(clusters(&store).await, alone, "{}", database.name);
        for other in others {
            other.close().await;
        }
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_common_phrase_has_few_candidates_and_later_copies_are_still_found() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("storm");
        let opening = "breaking news from the coast tonight as the storm goes on and on over the harbour and the town";
        let words = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "islet", "jetty"];
        let say = |n: usize| {
            let rest: Vec<&str> = (0..14).map(|k| words[(n / 10_usize.pow(k % 3) + n * k as usize) % 10]).collect();
            format!("{opening} {}", rest.join(" "))
        };
        let many: Vec<SeenItem> = (0..120).map(|n| post(n, "ann", &say(n as usize))).collect();
        let again: Vec<SeenItem> =
            (0..120).map(|n| post(1_000 + n, "bob", &format!("RT @ann: {}", say(n as usize)))).collect();
        store_runs(&store, &t, 0, vec![many, again]).await;
        cluster(&store, &|| false).await.unwrap();
        let most = database.number(&format!(
            "SELECT max(n) FROM (SELECT count(*) AS n FROM ({ALL_LEADS}) AS l GROUP BY key) AS leads"
        ));
        assert!(most <= 4, "{}: a key leads to {most}", database.name);
        let found = clusters(&store).await;
        let of = |key: String| found.iter().find(|(k, _)| *k == key).and_then(|(_, cluster)| cluster.clone()).unwrap();
        for n in 0..120 {
            assert_eq!(of(format!("post:x:{}", 1_000 + n)), of(format!("post:x:{n}")), "{}: {n}", database.name);
        }
        database.close(store).await;
    }
}

#[tokio::test]
async fn moving_cluster_keys_in_slices_loses_none_when_interrupted() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("storm");
        let mut first = sample_items();
        let rest = first.split_off(6);
        store_runs(&store, &t, 0, first).await;
        cluster(&store, &|| false).await.unwrap();
        let before = leads(&database);
        let held = |table: &str| database.number(&format!("SELECT count(*) FROM {table}"));
        let progress = |column: &str| database.number(&format!("SELECT {column} FROM cluster_state"));
        assert_eq!((held("cluster_lead_young"), held("cluster_lead")), (before.len() as i64, 0));
        // Keys move in slices, one transaction each: between slices every key exists once.
        let mut slices = 0;
        while store.age_cluster_keys(&SMALL_LIMITS).await.unwrap() {
            slices += 1;
            assert_eq!(leads(&database), before, "{}: after {slices} slices", database.name);
            assert_eq!(
                (held("cluster_lead_young"), held("cluster_lead_middle")),
                (progress("young"), progress("middle"))
            );
            if slices == 3 {
                assert_eq!(progress("sinking"), 0, "the unfinished move is completed");
            }
        }
        assert!(slices > 6, "{slices}");
        assert_eq!((progress("sinking"), held("cluster_lead_young")), (-1, 0));
        assert_eq!(held("cluster_lead"), before.len() as i64, "the middle had no room either");
        store_runs(&store, &t, 6, rest).await;
        let looks = std::sync::atomic::AtomicU32::new(0);
        // The process is stopped again and again.
        let enough = || looks.fetch_add(1, std::sync::atomic::Ordering::SeqCst) % 3 == 2;
        while store.unclustered(1).await.unwrap().is_some() {
            cluster_by(&store, 4, SMALL_LIMITS, &enough).await.unwrap();
        }
        let found = clusters(&store).await;
        database.close(store).await;
        let other = sqlite();
        let store = open_store(&other).await;
        store_runs(&store, &t, 0, sample_items()).await;
        cluster(&store, &|| false).await.unwrap();
        assert_eq!(found, clusters(&store).await, "the same as without any move");
        other.close(store).await;
    }
}

#[tokio::test]
async fn a_started_move_of_cluster_keys_is_completed_even_if_newer_keys_stay() {
    let mut all = Vec::new();
    for database in databases() {
        let store = open_store(&database).await;
        let mut first = sample_items();
        let rest = first.split_off(6);
        store_runs(&store, &topic("storm"), 0, first).await;
        cluster(&store, &|| false).await.unwrap();
        assert!(store.age_cluster_keys(&SMALL_LIMITS).await.unwrap());
        let sinking = || database.number("SELECT sinking FROM cluster_state");
        assert_eq!(sinking(), 0, "some keys moved, and some are left");
        store_runs(&store, &topic("storm"), 6, rest).await;
        cluster(&store, &|| false).await.unwrap();
        assert_eq!(sinking(), -1, "{}", database.name);
        assert!(database.number("SELECT count(*) FROM cluster_lead_middle") > 0, "the unfinished move was completed");
        assert!(database.number("SELECT count(*) FROM cluster_lead_young") > 0, "newer keys stay");
        assert!(!store.age_cluster_keys(&store.cluster_key_limits()).await.unwrap(), "there is room for all");
        all.push(clusters(&store).await);
        database.close(store).await;
    }
    assert!(all.iter().all(|found| found == &all[0]));
}

#[test]
fn a_kill_while_cluster_keys_move_loses_none_and_lookups_use_indexes() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\n");
        place.ok(&["once", "--at", NINE]);
        let before = leads(&place.database);
        assert!(!before.is_empty());
        let held = |table: &str| place.database.number(&format!("SELECT count(*) FROM {table}"));
        for (failpoint, young) in
            [("kill clusters::age_keys/written", before.len() as i64), ("kill clusters::age_keys/committed", 0)]
        {
            // As if the tables were full and keys had started to move, and the process was killed before the last run
            // was clustered.
            let crowd = "UPDATE cluster_state SET young = 1000000, sinking = 0; UPDATE follower SET seq = 0 WHERE name = 'near-copies'; UPDATE item SET cluster = NULL";
            crate::support::databases::block_on(place.database.execute(crowd));
            let killed =
                place.program(&["once", "--at", NINE]).env("TOPICWATCH_TEST_FAILPOINT", failpoint).start().wait();
            assert_eq!(killed.code, None, "{}: {failpoint}: {}", place.database.name, killed.err);
            assert_eq!((leads(&place.database), held("cluster_lead_young")), (before.clone(), young), "{failpoint}");
        }
        let logged = place.program(&["once", "--at", NINE, "--log-format", "json"]);
        let ended = logged.env("RUST_LOG", "sqlx::query=debug").start().wait();
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        let statements: Vec<String> = statements(&ended.err)
            .filter(|sql| sql.starts_with("SELECT") && sql.contains("cluster_lead_young"))
            .collect();
        let [asked, ..] = statements.as_slice() else { panic!("nobody asked: {}", ended.err) };
        let plan = place.database.query_plan(asked);
        let scans = plan.iter().filter(|line| line.contains("SCAN l") || line.contains("Seq Scan on cluster_lead"));
        assert_eq!(scans.count(), 0, "{}: {plan:#?}", place.database.name);
        assert_eq!(
            plan.iter().filter(|line| line.contains("SEARCH l") || line.contains("using cluster_lead")).count(),
            3,
            "{plan:#?}"
        );
    }
}

/// Through the program: the output of `once`, the state after a kill, and that the next run completes it.
#[test]
fn once_and_show_print_items_texts_and_authors_and_compare_all_items() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\n");
        let said = place.ok(&["once", "--at", NINE]);
        let undone = |place: &Place| place.database.number("SELECT count(*) FROM v_item WHERE cluster IS NULL");
        assert_eq!(undone(&place), 0);
        let shown = place.json(&["show", "acme", "--json"]);
        let volume = &shown["volume"];
        let reported = format!("{} items, {} unique, {} authors", volume["raw"], volume["unique"], volume["authors"]);
        assert!(said.contains(&reported), "{reported}: {said}");
        assert!(place.ok(&["show", "acme"]).contains(&reported));
        assert_eq!(volume["raw"], shown["items"].as_array().unwrap().len());
        // As after a process that was killed before clustering.
        let places = "DELETE FROM cluster_lead; DELETE FROM cluster_lead_young; DELETE FROM cluster_lead_middle; DELETE FROM cluster_head; UPDATE item SET cluster = NULL; \
                      UPDATE cluster_state SET next = 1, turn = turn + 1; UPDATE follower SET seq = 0 WHERE name = 'near-copies'";
        let before = clustered(&place.database);
        crate::support::databases::block_on(place.database.execute(places));
        assert_ne!(undone(&place), 0);
        let raw = &volume["raw"];
        place
            .run(&["show", "acme"])
            .assert_stdout(0, &[&format!("{raw} items, at most {raw} unique ({raw} not compared yet), ")]);
        assert_eq!(place.json(&["show", "acme", "--json"])["volume"]["uncompared"], *raw);
        let report = || {
            place.ok(&["report", "--date", "2026-03-11", "--at", NINE, "--out", "day.md"]);
            std::fs::read_to_string(place.path("day.md")).unwrap()
        };
        let waits = "Not every item has been compared yet: there may be fewer unique items.";
        assert!(report().contains(waits));
        place.ok(&["once", "--at", NINE]);
        assert_eq!(undone(&place), 0);
        assert!(!report().contains(waits));
        assert_eq!(clustered(&place.database), before);
    }
}

#[test]
fn every_verb_shows_the_same_number_of_authors() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &crate::support::world::topic("acme", ""));
        let post = |id: u32, user: &str, text: &str| json!({ "id": id.to_string(), "text": text, "user": user, "created_at": hour(21) });
        world.set_posts(&[post(1, "zed", "Bread and butter in the kitchen this morning")]);
        crate::support::world::run_once(&place, 24);
        world.set_posts(&[
            post(11, "Ann", STORM),
            post(12, "ann", &format!("RT @Ann: {STORM}")),
            post(13, "ANN", &STORM.to_uppercase()),
            post(14, "bob", FLOOD),
            post(15, "ÉVA", "Two cats sleep on the sofa until it is noon"),
            post(16, "éva", "Nobody knows where the old bicycle has gone"),
        ]);
        let reported = "6 items, 4 unique, 4 authors";
        place.run(&["once", "--at", &hour(25)]).assert_stdout(0, &[reported]);
        place.run(&["show", "acme"]).assert_stdout(0, &[reported]);
        assert_eq!(place.json(&["show", "acme", "--json"])["volume"]["authors"], 4);
        assert_eq!(place.json(&["diff", "acme", "--json"])["counts"]["new_authors"], 4);
        place.ok(&["report", "--date", "2026-03-11", "--at", &hour(26), "--out", "day.md"]);
        let report = std::fs::read_to_string(place.path("day.md")).unwrap();
        assert!(report.contains("**7** items, **5** unique, 5 authors"), "{report}");
    }
}

#[test]
fn a_daemon_clusters_in_the_background_and_completes_after_a_kill() {
    for database in databases() {
        let sandbox = crate::support::daemons::sandbox_of_today(&[]);
        let topics = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nevery = \"12h\"\n";
        let place = Place::new(database, &sandbox.lines(), topics);
        let undone = |place: &Place| place.database.number("SELECT count(*) FROM v_item WHERE cluster IS NULL");
        let mut killed =
            place.program(&["run"]).env("TOPICWATCH_TEST_FAILPOINT", "kill clusters::store_decisions/written").start();
        killed.wait_until("its start", |said| said.contains("next slot"));
        place.ok(&["topic", "run", "acme"]);
        assert_eq!(killed.wait().code, None);
        assert_ne!(undone(&place), 0, "{}: no row of the batch is stored", place.database.name);
        let mut going = place.program(&["run"]).start();
        going.wait_until("its start", |said| said.contains("next slot"));
        wait_until("each item's cluster", || undone(&place) == 0);
        place.run(&["topic", "run", "acme", "--wait"]).assert_stdout(0, &["1 of 1 run ok"]);
        wait_until("each item's cluster", || undone(&place) == 0);
        going.signal("TERM");
        assert_eq!(going.wait().code, Some(0));
    }
}

fn clustered(database: &Database) -> Vec<String> {
    database.texts("SELECT key || ' ' || cluster FROM v_item WHERE cluster IS NOT NULL ORDER BY key")
}
