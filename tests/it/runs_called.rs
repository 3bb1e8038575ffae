//! The list of runs that called on a day, on both databases: it has every run whose calls the day counts, also one that
//! was begun again days later and one whose tries passed midnight.

use topicwatch::model::{RunState, ServiceLimits, Source, Time};
use topicwatch::store::{RunFilter, RunRef, Store};

use crate::support::access_stage::add_token;
use crate::support::databases::{block_on, databases};
use crate::support::logged_sql::statements;
use crate::support::number_links::{follow_link, number_links};
use crate::support::program::Place;
use crate::support::searched::{LEASE, NOW, call, open_store, outcome, plan, start_manual_run, topic};
use crate::support::web_client::Pages;

/// Runs of the day that ended on it: more than a page of the list has.
const PLAIN: u32 = 41;

/// The end of the outage after which a run is begun again.
const LATER: Time = Time(NOW.0 + 5 * 86_400_000);

async fn count(store: &Store, run: &RunRef, at: Time) {
    store.before_call(run, &call(Source::Social), at, ServiceLimits::from(100)).await.unwrap();
}

/// Stores plain runs, one whose tries passed midnight, and one whose process died and that was begun again.
async fn store_runs(store: &Store) {
    let topic = topic("rust");
    store.sync_topics(std::slice::from_ref(&topic), NOW).await.unwrap();
    for n in 0..PLAIN {
        let run = start_manual_run(store, &topic, &format!("plain-{n}"), NOW).await;
        count(store, &run, NOW).await;
        store.finish(&run, outcome(NOW, vec![])).await.unwrap();
    }
    let midnight = NOW.next_utc_day();
    let run = start_manual_run(store, &topic, "midnight", Time(midnight.0 - 1)).await;
    count(store, &run, Time(midnight.0 - 1)).await;
    count(store, &run, Time(midnight.0 + 1)).await;
    store.finish(&run, outcome(Time(midnight.0 + 1), vec![])).await.unwrap();

    let at = Time(NOW.0 + 10);
    store.plan(&[plan(NOW, at, &[(at.0, RunState::Queued)])], at).await.unwrap();
    let first = store.claim(at, 1, LEASE, "first").await.unwrap().remove(0);
    count(store, &first, at).await;
    assert_eq!(store.rescue(LATER).await.unwrap(), 1);
    let second = store.claim(LATER, 1, LEASE, "second").await.unwrap().remove(0);
    assert_eq!((&second.public_id, second.attempt), (&first.public_id, 2));
    count(store, &second, LATER).await;
    store.finish(&second, outcome(LATER, vec![])).await.unwrap();
}

#[test]
fn every_run_with_a_call_on_a_day_is_listed_even_if_it_was_begun_again_days_later() {
    for database in databases() {
        let name = database.name;
        let place = Place::new(database, "base_url = \"sandbox\"", "[[topics]]\nid = \"rust\"\nquery = \"rust\"\n");
        block_on(async {
            let store = open_store(&place.database).await;
            store_runs(&store).await;
            store.close().await;
        });
        let pages = Pages::serve(&place, &["--at", "2026-03-11T23:00:00Z"]);
        let get = |path: &str| pages.page(path);
        let all = u64::from(PLAIN) + 2;
        let overview = pages.page("/");
        let calls = number_links(&overview).into_iter().find(|link| link.address == "/runs?called=2026-03-11");
        let calls = calls.unwrap_or_else(|| panic!("{name}: {overview}"));
        // Each of these runs made one call on the day.
        assert_eq!(calls.number(), all, "{name}: {overview}");
        for (address, runs) in [
            ("/runs?called=2026-03-11", all),
            ("/runs?called=2026-03-11&topic=rust", all),
            ("/runs?called=2026-03-11&provider=service", all),
            ("/runs?called=2026-03-11&state=ok", all),
            ("/runs?called=2026-03-11&last=5", 5),
            ("/runs?called=2026-03-11&last=1", 1),
            ("/runs?called=2026-03-11&since=2026-03-16", 1),
            ("/runs?called=2026-03-11&until=2026-03-16", all - 1),
            ("/runs?called=2026-03-11&provider=hn", 0),
            ("/runs?called=2026-03-11&state=failed", 0),
            ("/runs?called=2026-03-10", 0),
            // The tries of one run passed midnight, and another called again after the outage.
            ("/runs?called=2026-03-12", 1),
            ("/runs?called=2026-03-13", 0),
            ("/runs?called=2026-03-16", 1),
        ] {
            let listed = follow_link(&get, address);
            assert_eq!((listed.said, listed.rows), (runs, runs), "{name}: {address}");
        }
        // It is listed first, because it began last.
        let page = pages.page("/runs?called=2026-03-11");
        let first = page.split("<ol class=\"found\">").nth(1).and_then(|list| list.split("<li").nth(1));
        assert!(first.is_some_and(|row| row.contains(", attempt 2")), "{name}: {page}");
    }
}

#[test]
fn ids_of_runs_begun_again_are_bound_once_for_several_topics() {
    for database in databases() {
        let name = database.name;
        let topics = ["rust", "zig"].map(|id| format!("[[topics]]\nid = \"{id}\"\nquery = \"{id}\"\n"));
        let place = Place::new(database, "base_url = \"sandbox\"", &topics.concat());
        block_on(async {
            let store = open_store(&place.database).await;
            store_runs(&store).await;
            store.close().await;
        });
        let token = add_token(&place, &["ann", "--role", "read", "--topic", "rust", "--topic", "zig"]);
        let serve = ["serve", "--listen", "127.0.0.1:0", "--at", "2026-03-11T23:00:00Z", "--log-format", "json"];
        let program = place.program(&serve).env("RUST_LOG", "topicwatch=info,sqlx::query=debug");
        let pages = Pages::wait_for_address(program.start());
        let bearer = format!("Bearer {token}");
        let page = pages.request("GET", "/runs?called=2026-03-11", &[("Authorization", bearer.as_str())], "");
        assert!(page.status == 200 && page.body.contains(", attempt 2"), "{name}: {}", page.text);
        // Stopped first: it may still be writing its last statements when the page is there.
        pages.program.signal("TERM");
        let log = pages.program.wait().err;
        let by_ids = statements(&log).filter(|sql| sql.contains("AS happened") && sql.contains("r.id IN ("));
        let by_ids: Vec<String> = by_ids.collect();
        // SQLite accepts 32,766 values: not a thousand ids for each of 50 topics.
        assert!(!by_ids.is_empty() && by_ids.iter().all(|sql| !sql.contains("UNION ALL")), "{name}: {by_ids:#?}");
    }
}

#[tokio::test]
async fn a_run_with_a_call_stays_listed_if_restarted_and_released_without_one() {
    for database in databases() {
        let store = open_store(&database).await;
        store.sync_topics(&[topic("rust")], NOW).await.unwrap();
        let at = Time(NOW.0 + 10);
        store.plan(&[plan(NOW, at, &[(at.0, RunState::Queued)])], at).await.unwrap();
        let first = store.claim(at, 1, LEASE, "first").await.unwrap().remove(0);
        count(&store, &first, at).await;
        assert_eq!(store.rescue(LATER).await.unwrap(), 1, "{}", database.name);
        let second = store.claim(LATER, 1, LEASE, "second").await.unwrap().remove(0);
        store.release(&second, LATER, &[]).await.unwrap();
        let called = RunFilter { called: Some((NOW.utc_day(), None)), ..RunFilter::default() };
        assert_eq!(store.count_runs(&called, 9).await.unwrap(), 1, "{}", database.name);
        assert_eq!(store.claim(LATER, 1, LEASE, "third").await.unwrap().len(), 1, "no attempt was lost");
        database.close(store).await;
    }
}
