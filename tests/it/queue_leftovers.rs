//! Runs that a process left in the queue when it ended: `catch_up` applies to them as to slots that passed meanwhile,
//! and they block no later slot. On both databases.

use std::time::Duration;

use topicwatch::daemon::Planner;
use topicwatch::model::{CatchUp, Period, Time, Topic};
use topicwatch::store::{DefinitionSet, Store};

use crate::support::databases::databases;
use crate::support::searched::{LEASE, NOW, open, topic};

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);

fn hourly(id: &str, catch_up: CatchUp) -> Topic {
    let mut topic = topic(id);
    let schedule = topic.schedule.as_mut().unwrap();
    schedule.catch_up = catch_up;
    schedule.max_catch_up_runs = 10;
    topic
}

async fn plan(store: &Store, now: Time) {
    store.rescue(now).await.unwrap();
    Planner::default().plan(store, now, true).await.unwrap();
}

#[tokio::test]
async fn what_was_left_in_the_queue_for_days_keeps_no_later_slot_from_running() {
    let first = NOW.plus(HOUR);
    let back = first.plus(DAY * 3).plus(Duration::from_secs(600));
    let long_after = first.plus(DAY * 10).plus(Duration::from_secs(600));
    for database in databases() {
        let store = open(&database).await;
        let set = [hourly("late", CatchUp::Latest), hourly("none", CatchUp::None), hourly("all", CatchUp::All)];
        store.activate(DefinitionSet { topics: &set, jobs: &[] }, None, NOW).await.unwrap();
        plan(&store, first).await;
        // One is started and its process killed; the others only wait.
        let begun = store.claim(first, 1, LEASE, "token").await.unwrap();
        assert_eq!(begun.len(), 1);
        let begun = begun[0].topic.id.clone();

        let states = |topic: &str| {
            let sql = format!(
                "SELECT state || ' ' || coalesce(reason, '') FROM run WHERE topic = '{topic}' AND (slot = {} OR state = 'queued') ORDER BY slot",
                first.0
            );
            database.texts(&sql)
        };
        plan(&store, back).await;
        let left = |topic: &str| if topic == begun { "failed" } else { "missed" };
        let expected =
            format!("{} waited, and was not started in time; only the latest missed slot is caught up", left("late"));
        assert_eq!(states("late"), [expected, "queued ".to_owned()], "{}", database.name);
        let expected = format!("{} waited, and was not started in time; missed slots are not caught up", left("none"));
        assert_eq!(states("none"), [expected], "{}", database.name);
        // `all` asks for a backlog.
        assert_eq!(states("all").len(), 11, "{}", database.name);
        assert!(states("all").iter().all(|state| state == "queued "), "{:?}", states("all"));

        plan(&store, long_after).await;
        assert_eq!(
            states("all")[0].split_once(' ').unwrap().1,
            "waited, and was not started in time; older than catch_up_window"
        );
        let skipped = database.number("SELECT count(*) FROM run WHERE state = 'skipped'");
        assert_eq!(skipped, 0, "{}: nothing was going on", database.name);
        // Each slot is in the ledger once, whatever its state.
        let slots = database.number("SELECT count(DISTINCT slot) FROM run WHERE topic = 'late'");
        assert_eq!((slots, database.number("SELECT count(*) FROM run WHERE topic = 'late'")), (241, 241));
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_schedule_edited_meanwhile_changes_nothing_of_that() {
    let first = NOW.plus(HOUR);
    let back = first.plus(DAY * 3).plus(Duration::from_secs(600));
    for database in databases() {
        let store = open(&database).await;
        let before = [hourly("acme", CatchUp::Latest)];
        store.activate(DefinitionSet { topics: &before, jobs: &[] }, None, NOW).await.unwrap();
        plan(&store, first).await;

        let mut edited = hourly("acme", CatchUp::Latest);
        edited.schedule.as_mut().unwrap().period = Period::Every(7_200_000);
        let set = DefinitionSet { topics: &[edited], jobs: &[] };
        store.rescue(back).await.unwrap();
        Planner::plan_before_change(&store, set, true, back, false).await.unwrap();
        store.activate(set, None, back).await.unwrap();

        let reported = |which: &str| {
            database.texts(&format!("SELECT slot || ' ' || coalesce(reason, '') FROM run WHERE {which} ORDER BY slot"))
        };
        let left = reported(&format!("state = 'missed' AND slot = {}", first.0));
        let why = "waited, and was not started in time; only the latest missed slot is caught up";
        assert_eq!(left, [format!("{} {why}", first.0)], "{}", database.name);
        let latest = first.plus(DAY * 3);
        assert_eq!(reported("state = 'queued'"), [format!("{} ", latest.0)], "{}", database.name);
        assert_eq!(reported("state = 'skipped'"), [""; 0], "{}: nothing was going on", database.name);
        assert_eq!(reported("slot IS NOT NULL").len(), 73, "{}: each slot once", database.name);
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_slot_that_waits_while_a_process_lives_is_named_as_the_reason() {
    for database in databases() {
        let store = open(&database).await;
        store
            .activate(DefinitionSet { topics: &[hourly("acme", CatchUp::Latest)], jobs: &[] }, None, NOW)
            .await
            .unwrap();
        plan(&store, NOW.plus(HOUR)).await;
        plan(&store, NOW.plus(HOUR * 2)).await;
        let reported = database.texts("SELECT state || ' ' || coalesce(reason, '') FROM run ORDER BY slot");
        assert_eq!(
            reported,
            ["queued ", "skipped the run of an earlier slot was still waiting to begin"],
            "{}",
            database.name
        );
        database.close(store).await;
    }
}
