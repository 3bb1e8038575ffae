//! The end of a pause: which slots it drops, to the millisecond, and how uncovered time before and after it is
//! explained.

use topicwatch::insight::daily::SearchCoverage;
use topicwatch::model::{CoverageSearch, RunSearch, RunState, SearchState, Source, Span, Time, WatchedTopic};
use topicwatch::store::Store;

use crate::support::covered_spans::topic;
use crate::support::databases::{block_on, databases};
use crate::support::ledger::LedgerRun;
use crate::support::program::{NINE, Place};
use crate::support::searched::{self, NOW, settings};
use crate::support::service::Sandbox;

const HOUR: i64 = 3_600_000;

fn at(hour: i64) -> Time {
    Time(NOW.0 + hour * HOUR)
}

fn span(from: i64, until: i64) -> Span {
    Span { from: at(from), until: at(until) }
}

fn search(hour: i64, asked: Span, covered: Span) -> RunSearch {
    let search = CoverageSearch {
        source: Source::Social,
        operation: "search".to_owned(),
        state: SearchState::Ok,
        requested_span: Some(asked),
        covered: Some(covered),
        saturated: false,
        trouble: None,
    };
    RunSearch {
        topic: "acme".to_owned(),
        at: at(hour),
        seq: 0,
        state: RunState::Ok,
        reason: None,
        search: Some(search),
    }
}

fn watched(paused: bool, next: Option<Time>) -> WatchedTopic {
    WatchedTopic {
        topic: "acme".to_owned(),
        began: at(-48),
        filled_from: None,
        ended: None,
        paused,
        next,
        definition: Some(searched::topic("acme")),
    }
}

/// The gaps of the first twelve hours, at their end: whether each waits for its next search, or why it is there.
fn gaps(watched: WatchedTopic, more: Option<RunSearch>) -> Vec<(Span, bool, String)> {
    let runs = std::iter::once(search(0, span(-24, 0), span(-24, 0))).chain(more).collect();
    let coverage = SearchCoverage::new(Some(watched), runs, span(0, 12), at(12));
    coverage.holes(span(0, 12)).into_iter().map(|hole| (hole.span, hole.open, hole.why)).collect()
}

#[test]
fn time_of_a_pause_is_a_gap_and_does_not_wait_for_a_search() {
    // As of a past day: a later search looked back into it, and covered what follows it.
    let later = || Some(search(30, span(8, 30), span(12, 30)));
    assert_eq!(gaps(watched(false, None), later()), [(span(0, 12), true, String::new())]);
    for next in [None, Some(at(36))] {
        assert_eq!(gaps(watched(true, next), later()), [(span(0, 12), false, "no search reached it".to_owned())]);
    }
    assert_eq!(gaps(watched(true, None), None), [(span(0, 12), false, "paused".to_owned())]);
    // A topic that was removed meanwhile is not paused any more, and none of its slots passes.
    let removed = WatchedTopic { ended: Some(at(12)), ..watched(true, Some(at(6))) };
    assert_eq!(gaps(removed, None), [(span(0, 12), false, "no search reached it".to_owned())]);
}

#[test]
fn after_a_pause_time_counts_as_pending_only_until_the_next_slot() {
    let slot = |at: Time| gaps(watched(false, Some(at)), None);
    let passed = "at least one slot has passed, but its run has not started yet";
    assert_eq!(slot(Time(at(12).0 + 1)), [(span(0, 12), true, String::new())]);
    assert_eq!(slot(at(12)), [(span(0, 12), false, "no search reached it".to_owned())]);
    assert_eq!(slot(Time(at(12).0 - 1)), [(span(0, 12), false, passed.to_owned())]);
}

#[test]
fn a_pause_drops_a_slot_at_its_end_but_not_one_after_it() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topic("timezone = \"UTC\""));
        let due = |at: &str| {
            sandbox.set_clock(at);
            place.run(&["once", "--due", "--at", at])
        };
        // Pausing and resuming by command take the time of the machine.
        let pause = |from: &str, until: &str| {
            let time = |text: &str| Time::parse(text).unwrap();
            block_on(async {
                let store = Store::open(&settings(&place.database)).await.unwrap();
                let topics = ["acme".to_owned()];
                store.pause_topics(&topics, Some("the fair"), time(from)).await.unwrap();
                store.resume_topics(&topics, time(until)).await.unwrap();
                store.close().await;
            });
        };
        let name = place.database.name;
        let dropped = || place.database.texts("SELECT state || ' ' || reason FROM v_run WHERE state <> 'ok'");
        due(NINE);
        due("2026-03-11T12:05:00Z");
        let ok = place.database.runs_in("ok");
        assert_eq!(ok, place.database.all_runs(), "{name}");

        pause("2026-03-11T13:00:00Z", "2026-03-12T00:00:00Z");
        due("2026-03-12T00:05:00Z");
        assert_eq!(
            (place.database.runs_in("ok"), dropped()),
            (ok, vec!["skipped the topic was paused: the fair".into()])
        );

        pause("2026-03-12T00:10:00Z", "2026-03-12T11:59:59.999Z");
        due("2026-03-12T12:05:00Z");
        assert_eq!((place.database.runs_in("ok"), dropped().len()), (ok + 1, 1), "{name}");
    }
}

#[test]
fn a_pause_in_the_file_records_the_first_slot_that_it_dropped() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topic("timezone = \"UTC\""));
        // The file is read after it changed, as a daemon does.
        let read = |at: &str, paused: bool| {
            place.configure(&sandbox.lines(), &topic(&format!("timezone = \"UTC\"\npaused = {paused}")));
            sandbox.set_clock(at);
            place.ok(&["once", "--due", "--at", at]);
        };
        let name = place.database.name;
        let dropped = || place.database.texts("SELECT state || ' ' || reason FROM v_run WHERE state <> 'ok'");
        read(NINE, false);
        read("2026-03-11T12:05:00Z", false);
        read("2026-03-11T13:00:00Z", true);
        read("2026-03-11T14:00:00Z", false);
        let ok = place.database.runs_in("ok");
        assert_eq!((ok, dropped().len()), (1, 0), "no slot passed in the pause, {name}");

        read("2026-03-11T15:00:00Z", true);
        read("2026-03-12T13:00:00Z", false);
        let skipped = vec!["skipped the topic was paused in the configuration".to_owned()];
        assert_eq!((place.database.runs_in("ok"), dropped()), (ok, skipped), "{name}");
        let slots: Vec<String> = place.database.ledger_slots().iter().map(LedgerRun::slot_line).collect();
        let slot = "2026-03-12T00:00:00Z skipped scheduled".to_owned();
        assert!(slots.contains(&slot), "{name}: {slots:?}");

        read("2026-03-13T00:05:00Z", false);
        assert_eq!((place.database.runs_in("ok"), dropped().len()), (ok + 1, 1), "{name}");
    }
}
