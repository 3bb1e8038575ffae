//! The interface of the store: every case runs on SQLite and, where available, on PostgreSQL, with the same results.

use crate::support::searched::*;
use std::time::Duration;

use topicwatch::model::{Answer, Finding, Micros, Period, RunState, SearchState, Source, Span, Time, Topic};
use topicwatch::store::{
    DataOrigin, Filter, KnownKey, Outcome, Permission, PlannedJob, Settings, Store, StoreErrorKind,
};

use crate::support::databases::{databases, databases_without_schema, sqlite};

#[tokio::test]
async fn a_run_is_stored_once_and_its_counts_add_up() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let run = start_manual_run(&store, &t, "R1", NOW).await;
        assert_eq!(store.before_call(&run, &call(Source::Social), NOW, 10).await.unwrap(), Permission::Granted);
        let mut both = seen_item(Source::Social, 1, &["post:x:1", "text:x:ann:h1"], "one");
        both.sightings.push(Finding { source: Source::Web, ..both.sightings[0].clone() });
        both.repeats.push((Source::Social, 2));
        let counts = store
            .finish(&run, outcome(NOW, vec![both, seen_item(Source::Social, 2, &["post:x:2"], "two")]))
            .await
            .unwrap();
        let social = counts.iter().find(|c| c.0 == Source::Social).unwrap().1;
        let web = counts.iter().find(|c| c.0 == Source::Web).unwrap().1;
        assert_eq!((social.found, social.new, social.duplicate, social.undated), (4, 2, 2, 4), "{}", database.name);
        assert_eq!((web.found, web.new, web.duplicate), (1, 0, 1), "found by social already");

        let again = store.finish(&run, outcome(NOW, vec![])).await.unwrap_err();
        assert_eq!(again.kind, StoreErrorKind::Fenced, "a finished run has no owner");
        let rows = all_items(&store).await;
        assert_eq!(
            rows.iter().map(|i| (i.key.as_str(), i.times_seen)).collect::<Vec<_>>(),
            [("post:x:1", 1), ("post:x:2", 1)]
        );
        let row = store.run("R1").await.unwrap().unwrap();
        assert_eq!((row.counts.found, row.counts.new, row.counts.duplicate, row.seq), (5, 2, 3, Some(1)));
        assert_eq!(row.cost, Micros(6_000));
        database.close(store).await;
    }
}

#[tokio::test]
async fn two_manual_runs_with_one_id_are_one_run_and_a_plain_refusal() {
    for database in databases() {
        let (store, other) = (open_store(&database).await, open_store(&database).await);
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let begun = tokio::join!(
            store.start_manual(&t, "R1", NOW, LEASE, "one"),
            store.start_manual(&t, "R1", NOW, LEASE, "two"),
            other.start_manual(&t, "R1", NOW, LEASE, "three"),
        );
        let (begun, refused): (Vec<_>, Vec<_>) = [begun.0, begun.1, begun.2].into_iter().partition(Result::is_ok);
        assert_eq!((begun.len(), refused.len()), (1, 2), "{}: {refused:?}", database.name);
        for refused in refused.into_iter().map(Result::unwrap_err) {
            assert_eq!(refused.kind, StoreErrorKind::Refused, "{}: {refused}", database.name);
            assert!(refused.text.contains("run R1 was already begun") && !refused.hint.is_empty(), "{refused:?}");
        }
        let run = begun.into_iter().map(Result::unwrap).next().unwrap();
        store.finish(&run, outcome(NOW, vec![])).await.unwrap();
        store.publish().await.unwrap();
        assert_eq!((store.run("R1").await.unwrap().unwrap().seq, store.last_seq().await.unwrap()), (Some(1), 1));
        other.close().await;
        database.close(store).await;
    }
}

#[tokio::test]
async fn items_seen_again_are_not_new_and_first_seen_never_moves() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let world = || vec![seen_item(Source::Social, 1, &["post:x:1"], "one")];
        for (n, at) in [NOW, NOW.plus(LEASE), NOW.minus(LEASE)].into_iter().enumerate() {
            let run = start_manual_run(&store, &t, &format!("R{n}"), at).await;
            let counts = store.finish(&run, outcome(at, world())).await.unwrap();
            assert_eq!(counts[0].1.new, i64::from(n == 0));
        }
        let row = all_items(&store).await.remove(0);
        assert_eq!(
            (row.first_seen, row.last_seen, row.times_seen),
            (NOW, NOW.plus(LEASE), 3),
            "a clock that steps back lowers nothing"
        );
        assert_eq!((row.first_run.as_str(), row.last_run.as_str()), ("R0", "R1"));
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_later_known_id_joins_its_item_and_equal_texts_do_not_join_two_ids() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let steps: [(&str, &[&str]); 4] = [
            ("text only", &["text:x:ann:h"]),
            ("the same with its id", &["post:x:1", "text:x:ann:h"]),
            ("equal words, another id", &["post:x:2", "text:x:ann:h"]),
            ("text only again", &["text:x:ann:h"]),
        ];
        let mut new = Vec::new();
        for (n, (_, keys)) in steps.iter().enumerate() {
            let at = Time(NOW.0 + i64::try_from(n).unwrap());
            let run = start_manual_run(&store, &t, &format!("R{n}"), at).await;
            new.push(
                store.finish(&run, outcome(at, vec![seen_item(Source::Social, 1, keys, "hello")])).await.unwrap()[0]
                    .1
                    .new,
            );
        }
        assert_eq!(new, [1, 0, 1, 0]);
        let rows = all_items(&store).await;
        assert_eq!(
            rows.iter().map(|i| (i.key.as_str(), i.times_seen, i.first_seen)).collect::<Vec<_>>(),
            [("post:x:2", 1, Time(NOW.0 + 2)), ("text:x:ann:h", 3, NOW)]
        );
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_changed_text_becomes_a_revision_and_older_texts_change_nothing() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        // The last one comes from a clock that was set back, or from a run that ended late.
        for (n, (text, later)) in
            [("old words", 0), ("new words", 1), ("new words", 2), ("", 3), ("older words", 0)].into_iter().enumerate()
        {
            let at = NOW.plus(LEASE * later);
            let run = start_manual_run(&store, &t, &format!("R{n}"), at).await;
            let mut item = seen_item(Source::Social, 1, &["post:x:1"], text);
            if n == 2 {
                item.sightings[0].found.url = Some("https://x.com/ann/status/1".into());
            }
            if text.is_empty() {
                item.sightings[0].found.text = None;
            }
            store.finish(&run, outcome(at, vec![item])).await.unwrap();
        }
        let row = all_items(&store).await.remove(0);
        assert_eq!(
            (row.text.as_deref(), row.revisions, row.url.as_deref()),
            (Some("new words"), Some(1), Some("https://x.com/ann/status/1"))
        );
        database.close(store).await;
    }
}

#[tokio::test]
async fn calls_are_counted_before_they_are_made_and_stop_at_the_limit() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let run = start_manual_run(&store, &t, "R1", NOW).await;
        let granted: [_; 3] = [
            store.before_call(&run, &call(Source::Social), NOW, 2).await.unwrap(),
            store.before_call(&run, &call(Source::Social), NOW, 2).await.unwrap(),
            store.before_call(&run, &call(Source::Web), NOW, 2).await.unwrap(),
        ];
        assert_eq!(granted[..2], [Permission::Granted, Permission::Granted]);
        let Permission::OverQuota(why) = granted[2] else { panic!("{granted:?}") };
        assert_eq!(
            (why.used, why.limit, why.clears_at.map(|at| at.to_string()).as_deref()),
            (2, 2, Some("2026-03-12T00:00:00Z"))
        );
        let none = store.before_call(&run, &call(Source::Web), NOW, 0).await.unwrap();
        assert!(matches!(none, Permission::OverQuota(_)), "{none:?}");
        assert_eq!(store.calls_on(NOW.utc_day()).await.unwrap(), 2);
        let searches = store.searches(&["R1".into()]).await.unwrap();
        assert_eq!(searches.len(), 1, "a call that was refused leaves no started search");
        assert_eq!((searches[0].state, searches[0].tries, searches[0].cost), (SearchState::Started, 2, Micros(6_000)));
        let tomorrow = NOW.plus(Duration::from_secs(86_400));
        assert_eq!(store.before_call(&run, &call(Source::Web), tomorrow, 2).await.unwrap(), Permission::Granted);
        database.close(store).await;
    }
}

#[tokio::test]
async fn concurrent_processes_never_exceed_the_call_limit() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let mut tasks = Vec::new();
        for n in 0..8 {
            let other = open_store(&database).await;
            let run = start_manual_run(&store, &t, &format!("R{n}"), NOW).await;
            tasks.push(tokio::spawn(async move {
                let mut granted = 0;
                for _ in 0..5 {
                    granted += i64::from(
                        other.before_call(&run, &call(Source::Social), NOW, 17).await.unwrap() == Permission::Granted,
                    );
                }
                other.close().await;
                granted
            }));
        }
        let mut granted = 0;
        for task in tasks {
            granted += task.await.unwrap();
        }
        assert_eq!((granted, store.calls_on(NOW.utc_day()).await.unwrap()), (17, 17), "{}", database.name);
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_slot_is_planned_once_claimed_once_and_finished_once() {
    for database in databases() {
        let store = open_store(&database).await;
        store.sync_topics(&[topic("rust")], NOW).await.unwrap();
        let known = jobs_to_plan(&store).await;
        assert_eq!((known[0].planned_until, known[0].active), (NOW, 0), "a new topic is never retroactive");
        let until = Time(NOW.0 + 20);
        let rows = plan(NOW, until, &[(NOW.0 + 10, RunState::Missed), (NOW.0 + 20, RunState::Queued)]);
        assert_eq!(store.plan(std::slice::from_ref(&rows), until).await.unwrap(), (1, 2));
        assert_eq!(store.plan(&[rows], until).await.unwrap(), (0, 0), "a second planner was too late");
        assert_eq!(store.next_due(NOW).await.unwrap(), Some(until));
        assert!(store.claim(Time(until.0 - 1), 10, LEASE, "early").await.unwrap().is_empty());
        let mine = store.claim(until, 10, LEASE, "mine").await.unwrap();
        assert_eq!(mine.iter().map(|r| r.public_id.as_str()).collect::<Vec<_>>(), [format!("topic:rust@{until}")]);
        assert!(store.claim(until, 10, LEASE, "other").await.unwrap().is_empty());
        store.finish(&mine[0], outcome(until, vec![])).await.unwrap();
        // A run that waited for a number got it before.
        assert_eq!(store.publish().await.unwrap(), 0);
        let runs = store.runs(&Filter::default(), 10).await.unwrap();
        let reported: Vec<_> = runs.iter().map(|r| (r.state, r.seq)).collect();
        assert_eq!(reported, [(RunState::Ok, Some(2)), (RunState::Missed, Some(1))]);
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_lost_lease_costs_an_attempt_and_a_run_that_loses_all_fails() {
    for database in databases() {
        let store = open_store(&database).await;
        store.sync_topics(&[topic("rust")], NOW).await.unwrap();
        let at = Time(NOW.0 + 10);
        store.plan(&[plan(NOW, at, &[(at.0, RunState::Queued)])], at).await.unwrap();
        let first = store.claim(at, 1, LEASE, "first").await.unwrap().remove(0);
        store.before_call(&first, &call(Source::Social), at, 100).await.unwrap();
        assert_eq!(store.rescue(at.plus(LEASE)).await.unwrap(), 0, "the lease still holds at its last instant");
        assert!(store.heartbeat(std::slice::from_ref(&first), at.plus(LEASE), LEASE).await.unwrap().is_empty());
        assert_eq!(
            store.rescue(at.plus(LEASE + Duration::from_millis(1))).await.unwrap(),
            0,
            "a heartbeat extends the lease"
        );
        let late = at.plus(LEASE * 3);
        assert_eq!(store.rescue(late).await.unwrap(), 1);
        assert_eq!(
            store.heartbeat(std::slice::from_ref(&first), late, LEASE).await.unwrap(),
            std::slice::from_ref(&first.public_id)
        );
        assert_eq!(
            store
                .finish(&first, outcome(late, vec![seen_item(Source::Social, 1, &["post:x:1"], "late")]))
                .await
                .unwrap_err()
                .kind,
            StoreErrorKind::Fenced
        );
        assert_eq!(
            store.before_call(&first, &call(Source::Web), late, 100).await.unwrap_err().kind,
            StoreErrorKind::Fenced
        );
        assert_eq!(store.calls_on(at.utc_day()).await.unwrap(), 1, "a fenced call is not counted");
        assert!(all_items(&store).await.is_empty(), "no part of it was written");

        let second = store.claim(late, 1, LEASE, "second").await.unwrap().remove(0);
        assert_eq!(second.attempt, 2);
        assert_eq!(store.rescue(late.plus(LEASE * 3)).await.unwrap(), 1);
        let row = store.run(&second.public_id).await.unwrap().unwrap();
        assert_eq!((row.state, row.error_class.as_deref()), (RunState::Failed, Some("lease_lost")));
        assert_eq!(row.cost, Micros(3_000), "a lost call counts at its expected price");
        let lost = store.searches(std::slice::from_ref(&second.public_id)).await.unwrap();
        assert_eq!(lost.iter().map(|s| s.state).collect::<Vec<_>>(), [SearchState::Lost]);
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_released_run_is_queued_again_without_losing_an_attempt() {
    for database in databases() {
        let store = open_store(&database).await;
        store.sync_topics(&[topic("rust")], NOW).await.unwrap();
        let at = Time(NOW.0 + 10);
        store.plan(&[plan(NOW, at, &[(at.0, RunState::Queued)])], at).await.unwrap();
        for _ in 0..3 {
            let run = store.claim(at, 1, LEASE, "t").await.unwrap().remove(0);
            assert_eq!(run.attempt, 1);
            store.release(&run, at, &[]).await.unwrap();
        }
        let t = topic("rust");
        let run = start_manual_run(&store, &t, "M1", at).await;
        store.release(&run, at, &[]).await.unwrap();
        assert_eq!(
            store.run("M1").await.unwrap().unwrap().state,
            RunState::Cancelled,
            "no other process would pick up a manual run"
        );
        database.close(store).await;
    }
}

#[tokio::test]
async fn topics_follow_the_file_and_a_changed_schedule_is_not_retroactive() {
    for database in databases() {
        let store = open_store(&database).await;
        let (a, mut b) = (topic("a"), topic("b"));
        assert_eq!(store.sync_topics(&[a.clone(), b.clone()], NOW).await.unwrap(), 2);
        assert_eq!(store.sync_topics(&[a.clone(), b.clone()], NOW.plus(LEASE)).await.unwrap(), 0);
        b.title = "new title".into();
        assert_eq!(store.sync_topics(&[a.clone(), b.clone()], NOW.plus(LEASE)).await.unwrap(), 1);
        let until = |known: &[PlannedJob]| known.iter().map(|t| t.planned_until).collect::<Vec<_>>();
        assert_eq!(until(&jobs_to_plan(&store).await), [NOW, NOW], "a new title moves no slot");
        b.schedule.as_mut().unwrap().period = Period::Every(7_200_000);
        assert_eq!(store.add_topics(&[b.clone()], NOW.plus(LEASE)).await.unwrap(), 1);
        assert_eq!(jobs_to_plan(&store).await.len(), 2, "a manual run removes no topic");
        store.sync_topics(&[b.clone()], NOW.plus(LEASE)).await.unwrap();
        assert_eq!(until(&jobs_to_plan(&store).await), [NOW.plus(LEASE)], "a is gone, b starts afresh");
        store.sync_topics(&[a, b], NOW.plus(LEASE * 2)).await.unwrap();
        assert_eq!(
            until(&jobs_to_plan(&store).await),
            [NOW.plus(LEASE * 2), NOW.plus(LEASE)],
            "a topic that comes back starts afresh"
        );
        database.close(store).await;
    }
}

#[tokio::test]
async fn an_answer_is_read_back_with_its_citations() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let run = start_manual_run(&store, &t, "R1", NOW).await;
        let other = topic("other");
        store.sync_topics(&[t.clone(), other.clone()], NOW).await.unwrap();
        let theirs = start_manual_run(&store, &other, "R0", NOW).await;
        let found = vec![seen_item(Source::Social, 1, &["post:x:7"], "theirs")];
        store.finish(&theirs, outcome(NOW, found)).await.unwrap();
        let found = seen_item(Source::Social, 1, &["post:x:1", "text:x:ann:h"], "a, \"b\"\nc \u{fffd}");
        let mut all = outcome(NOW, vec![found]);
        // By another key of the item, by one of another topic's item, and by one that nobody found.
        all.answer = Some((
            Answer { text: "Sum\u{1F600}".into(), model: Some("NOVA".into()), partial: false },
            vec!["text:x:ann:h".into(), "post:x:7".into(), "page:https://nobody.example".into()],
        ));
        store.finish(&run, all.clone()).await.unwrap();
        store.publish().await.unwrap();
        let answer = store.answer_of("R1").await.unwrap().unwrap();
        assert_eq!(
            (answer.text.as_str(), answer.cited.as_slice()),
            ("Sum\u{1F600}", ["post:x:1".to_owned()].as_slice())
        );
        let today = Span { from: NOW, until: NOW.plus(Duration::from_secs(3_600)) };
        assert!(store.answered_in("rust", today).await.unwrap());
        assert_eq!(
            store.known_keys("rust", &["post:x:1".into(), "post:x:9".into()]).await.unwrap(),
            [KnownKey { key: "post:x:1".into(), strong: true }]
        );
        assert!(store.known_keys("other", &["post:x:1".into()]).await.unwrap().is_empty());
        assert_eq!(store.sightings_of("R1").await.unwrap()[0].key, "post:x:1");
        assert_eq!(store.last_snapshot("rust").await.unwrap().unwrap().run, "R1");
        assert_eq!(store.status("", 10).await.unwrap()[0].items, 1);
        database.close(store).await;
    }
}

#[tokio::test]
async fn two_runs_that_find_the_same_item_at_once_store_it_once() {
    for database in databases() {
        let store = open_store(&database).await;
        let topics: Vec<Topic> = (0..6).map(|n| topic(&format!("t{n}"))).collect();
        store.sync_topics(&topics, NOW).await.unwrap();
        let mut tasks = Vec::new();
        for t in topics {
            let other = open_store(&database).await;
            let run = start_manual_run(&store, &t, &format!("R-{}", t.id), NOW).await;
            tasks.push(tokio::spawn(async move {
                let world = (1..40)
                    .map(|n| seen_item(Source::Social, n, &[&format!("post:x:{n}"), &format!("text:x:ann:{n}")], "w"))
                    .collect();
                let counts = other.finish(&run, outcome(NOW, world)).await.unwrap();
                other.publish().await.unwrap();
                other.close().await;
                counts[0].1.new
            }));
        }
        for task in tasks {
            assert_eq!(task.await.unwrap(), 39, "new is judged per topic");
        }
        let sizes = store.table_sizes().await.unwrap();
        let size = |table: &str| sizes.iter().find(|s| s.0 == table).unwrap().1;
        assert_eq!(
            (size("item"), size("item_key"), size("sighting"), size("topic_item")),
            (39, 78, 234, 234),
            "{}",
            database.name
        );
        let mut seqs: Vec<_> = store.runs(&Filter::default(), 10).await.unwrap().iter().filter_map(|r| r.seq).collect();
        seqs.sort_unstable();
        assert_eq!(seqs, [1, 2, 3, 4, 5, 6]);
        database.close(store).await;
    }
}

#[tokio::test]
async fn invented_and_real_findings_never_share_a_database() {
    for database in databases() {
        let store = open_store(&database).await;
        assert_eq!(store.origin().await.unwrap(), None);
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let invented = start_manual_run(&store, &t, "R1", NOW).await;
        store.finish(&invented, outcome(NOW, vec![seen_item(Source::Social, 1, &["post:x:1"], "one")])).await.unwrap();
        assert_eq!(store.origin().await.unwrap(), Some(DataOrigin::Sandbox));
        let real = start_manual_run(&store, &t, "R2", NOW).await;
        let late = Outcome {
            origin: Some(DataOrigin::Real),
            ..outcome(NOW, vec![seen_item(Source::Social, 1, &["post:x:2"], "two")])
        };
        let refused = store.finish(&real, late.clone()).await.unwrap_err();
        assert_eq!(refused.kind, StoreErrorKind::Foreign);
        assert_eq!(all_items(&store).await.len(), 1, "no part of it was written");
        let early = Store::open(&Settings { origin: Some(DataOrigin::Real), ..settings(&database) }).await.unwrap_err();
        assert_eq!(early.kind, StoreErrorKind::Foreign);
        assert!(early.text.contains("SANDBOX") && early.hint.contains("--database"), "{early}");
        database.close(store).await;
    }
}

#[tokio::test]
async fn foreign_and_newer_tables_are_refused_unchanged() {
    for database in databases_without_schema() {
        database.execute("CREATE TABLE precious (id BIGINT)").await;
        let refused = Store::open(&settings(&database)).await.unwrap_err();
        assert_eq!(refused.kind, StoreErrorKind::Foreign, "{refused}");
        database.execute("DROP TABLE precious").await;
        open_store(&database).await.close().await;
        database.make_newer();
        let newer = Store::open(&settings(&database)).await.unwrap_err();
        assert_eq!(newer.kind, StoreErrorKind::Newer, "{newer}");
        assert!(newer.hint.contains("upgrade"));
    }
}

#[tokio::test]
async fn many_first_starts_at_once_all_succeed() {
    // Several rounds, to find races.
    for database in (0..8).map(|_| sqlite()).chain(databases()) {
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let settings = settings(&database);
                tokio::spawn(async move { Store::open(&settings).await })
            })
            .collect();
        for task in tasks {
            task.await.unwrap().unwrap_or_else(|e| panic!("{}: {e}", database.name)).close().await;
        }
    }
}

#[tokio::test]
async fn reading_a_missing_database_fails_with_a_hint() {
    for database in databases_without_schema() {
        let absent = Store::open(&Settings { create: false, ..settings(&database) }).await.unwrap_err();
        assert_eq!(absent.kind, StoreErrorKind::Unreachable);
        assert!(absent.hint.contains("topicwatch once"), "{}", absent.hint);
    }
}
