//! Runs that a process left in the queue when it ended: `catch_up` applies to them as it does to slots that passed
//! meanwhile, and they block no later slot. On both databases.

use std::collections::BTreeSet;
use std::time::Duration;

use topicwatch::daemon::Planner;
use topicwatch::model::{CatchUp, Period, RunState, Time, Topic};
use topicwatch::store::{DefinitionSet, Store};

use crate::support::databases::databases;
use crate::support::ledger::LedgerRun;
use crate::support::searched::{LEASE, NOW, open_store, topic};

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
async fn runs_left_in_the_queue_for_days_block_no_later_slot() {
    let first = NOW.plus(HOUR);
    let back = first.plus(DAY * 3).plus(Duration::from_secs(600));
    let long_after = first.plus(DAY * 10).plus(Duration::from_secs(600));
    for database in databases() {
        let store = open_store(&database).await;
        let set = [hourly("late", CatchUp::Latest), hourly("none", CatchUp::None), hourly("all", CatchUp::All)];
        store.activate(DefinitionSet { topics: &set, jobs: &[] }, None, NOW).await.unwrap();
        plan(&store, first).await;
        // One is started and its process killed; the others only wait.
        let begun = store.claim(first, 1, LEASE, "token").await.unwrap();
        assert_eq!(begun.len(), 1);
        let begun = begun[0].topic.id.clone();

        let states = |topic: &str| {
            let runs = database.ledger_slots().into_iter().filter(|run| run.topic == topic);
            let these = runs.filter(|run| run.slot == Some(first.0) || run.state == "queued");
            these.map(|run| run.outcome()).collect::<Vec<_>>()
        };
        plan(&store, back).await;
        let left = |topic: &str| if topic == begun { "failed" } else { "missed" };
        let expected = format!("{} waited, and was not started in time; only the latest due slot runs", left("late"));
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
        let runs = database.ledger_runs();
        let skipped = runs.iter().filter(|run| run.state == "skipped");
        assert_eq!(skipped.count(), 0, "{}: nothing was going on", database.name);
        // Each slot is in the ledger once, whatever its state.
        let late: Vec<_> = runs.iter().filter(|run| run.topic == "late").map(|run| run.slot).collect();
        let slots: BTreeSet<i64> = late.iter().copied().flatten().collect();
        assert_eq!((slots.len(), late.len()), (241, 241));
        database.close(store).await;
    }
}

#[tokio::test]
async fn an_edited_schedule_does_not_let_leftover_runs_block_later_slots() {
    let first = NOW.plus(HOUR);
    let back = first.plus(DAY * 3).plus(Duration::from_secs(600));
    for database in databases() {
        let store = open_store(&database).await;
        let before = [hourly("acme", CatchUp::Latest)];
        store.activate(DefinitionSet { topics: &before, jobs: &[] }, None, NOW).await.unwrap();
        plan(&store, first).await;

        let mut edited = hourly("acme", CatchUp::Latest);
        edited.schedule.as_mut().unwrap().period = Period::Every(7_200_000);
        let set = DefinitionSet { topics: &[edited], jobs: &[] };
        store.rescue(back).await.unwrap();
        Planner::plan_before_change(&store, set, true, back, false).await.unwrap();
        store.activate(set, None, back).await.unwrap();

        let slots = database.ledger_slots();
        let reported = |which: &dyn Fn(&LedgerRun) -> bool| {
            let these = slots.iter().filter(|run| which(run));
            these.map(|run| format!("{} {}", run.slot.unwrap(), run.reason)).collect::<Vec<_>>()
        };
        let left = reported(&|run| run.state == "missed" && run.slot == Some(first.0));
        let why = "waited, and was not started in time; only the latest due slot runs";
        assert_eq!(left, [format!("{} {why}", first.0)], "{}", database.name);
        let latest = first.plus(DAY * 3);
        assert_eq!(reported(&|run| run.state == "queued"), [format!("{} ", latest.0)], "{}", database.name);
        assert_eq!(reported(&|run| run.state == "skipped"), [""; 0], "{}: nothing was going on", database.name);
        assert_eq!(slots.len(), 73, "{}: each slot once", database.name);
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_slot_queued_by_a_live_process_is_named_as_the_reason_for_a_skip() {
    for database in databases() {
        let store = open_store(&database).await;
        store
            .activate(DefinitionSet { topics: &[hourly("acme", CatchUp::Latest)], jobs: &[] }, None, NOW)
            .await
            .unwrap();
        plan(&store, NOW.plus(HOUR)).await;
        plan(&store, NOW.plus(HOUR * 2)).await;
        let reported: Vec<String> = database.ledger_slots().iter().map(LedgerRun::outcome).collect();
        assert_eq!(
            reported,
            ["queued ", "skipped the run of an earlier slot was still waiting to begin"],
            "{}",
            database.name
        );
        assert_eq!(database.all_runs(), 2, "{}", database.name);
        database.close(store).await;
    }
}

/// The clock was ahead when it was requested, or is behind until it is set: either way somebody waits for it.
#[tokio::test]
async fn a_run_requested_by_a_clock_years_ahead_runs_now() {
    for database in databases() {
        let store = open_store(&database).await;
        store.activate(DefinitionSet { topics: &[topic("acme")], jobs: &[] }, None, NOW).await.unwrap();
        store.queue_manual(&[("acme".into(), "M1".into())], NOW.plus(DAY * 3_650)).await.unwrap();
        plan(&store, NOW).await;
        let claimed = store.claim(NOW, 5, LEASE, "token").await.unwrap();
        assert!(claimed.iter().any(|run| run.public_id == "M1"), "{}", database.name);
        database.close(store).await;
    }
}

/// Half a day ahead, with a delay of up to a day.
#[tokio::test]
async fn a_future_slot_with_a_delay_does_not_run_early() {
    for database in databases() {
        let store = open_store(&database).await;
        store.sync_topics(&[topic("rust")], NOW).await.unwrap();
        let slot = NOW.plus(HOUR * 12);
        let mut ahead = crate::support::searched::plan(NOW, slot, &[(slot.0, RunState::Queued)]);
        ahead.slots[0].due_at = slot.plus(HOUR * 13);
        assert_eq!(store.plan(&[ahead], slot).await.unwrap().0, 1, "{}", database.name);
        store.rescue(NOW).await.unwrap();
        assert!(store.claim(NOW, 5, LEASE, "token").await.unwrap().is_empty(), "{}", database.name);
        store.rescue(slot).await.unwrap();
        assert!(store.claim(slot, 5, LEASE, "token").await.unwrap().is_empty(), "{}", database.name);
        assert_eq!(store.claim(slot.plus(HOUR * 13), 5, LEASE, "token").await.unwrap().len(), 1, "{}", database.name);
        database.close(store).await;
    }
}
