//! Coverage in the store, on both databases: what a search covered is stored with it, the latest is found, and rows of
//! the ledger come in order of time. `store` tests the basic interface.

use topicwatch::model::{RunSearch, RunState, SearchState, Source, Span, Time};
use topicwatch::store::{Filter, StoreError};

use crate::support::databases::databases;
use crate::support::searched::{NOW, call, open_store, outcome, plan, start_manual_run, topic};

fn at(ms: i64) -> Time {
    Time(NOW.0 + ms)
}

fn span(from: i64, until: i64) -> Option<Span> {
    Span::new(at(from), at(until))
}

#[tokio::test]
async fn covered_spans_are_stored_with_their_search_and_the_latest_is_found() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        store.sync_topics(&[t.clone(), topic("other")], NOW).await.unwrap();
        let none = store.covered_until("rust", Source::Social, at(10)).await.unwrap();
        assert_eq!(none, None, "a new topic has covered nothing");
        // The last one fills an earlier gap, and one in the middle failed.
        for (n, covered) in [span(-100, 0), span(-50, 10), None, span(-900, -800)].into_iter().enumerate() {
            let run = start_manual_run(&store, &t, &format!("R{n}"), at(i64::try_from(n).unwrap())).await;
            store.before_call(&run, &call(Source::Social), NOW, 10).await.unwrap();
            let mut outcome = outcome(at(i64::try_from(n).unwrap()), vec![]);
            outcome.searches[0].requested_span = span(-1_000, 10);
            outcome.searches[0].covered = covered;
            if covered.is_none() {
                outcome.searches[0].state = SearchState::Error;
                outcome.searches[0].error = Some(("server".into(), "500".into()));
            }
            store.finish(&run, outcome).await.unwrap();
        }
        let until = |topic, source| store.covered_until(topic, source, at(10));
        assert_eq!(until("rust", Source::Social).await.unwrap(), Some(at(10)), "{}", database.name);
        let before = store.covered_until("rust", Source::Social, at(5)).await.unwrap();
        assert_eq!(before, Some(at(0)), "spans covered by a clock that was ahead do not count");
        assert_eq!(until("rust", Source::Web).await.unwrap(), None, "pages are instants");
        assert_eq!(until("other", Source::Social).await.unwrap(), None);
        let rows = store.searches(&["R1".into(), "R2".into()]).await.unwrap();
        let social: Vec<_> = rows.iter().filter(|row| row.source == Source::Social).collect();
        assert_eq!((social[0].covered_from, social[0].covered_until), (Some(at(-50)), Some(at(10))));
        assert_eq!((social[1].asked_from, social[1].covered_from), (Some(at(-1_000)), None));
        database.close(store).await;
    }
}

#[tokio::test]
async fn searches_are_ordered_by_topic_and_time_with_missed_slots() {
    let mut reported: Vec<Vec<RunSearch>> = Vec::new();
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        store.sync_topics(&[t.clone(), topic("b")], NOW).await.unwrap();
        store
            .plan(&[plan(NOW, at(30), &[(at(20).0, RunState::Missed), (at(30).0, RunState::Queued)])], at(30))
            .await
            .unwrap();
        let run = start_manual_run(&store, &t, "R1", at(10)).await;
        let mut outcome = outcome(at(10), vec![]);
        (outcome.searches[0].requested_span, outcome.searches[0].covered) = (span(-100, 10), span(-60, 10));
        outcome.searches[0].saturated = true;
        store.finish(&run, outcome).await.unwrap();
        let running = start_manual_run(&store, &topic("b"), "R2", at(5)).await;
        store.publish().await.unwrap();
        let looks = async |since: i64| {
            let mut looks = Vec::new();
            let filter = Filter { since: Some(at(since)), ..Filter::default() };
            let mut each = |look| {
                looks.push(look);
                Ok::<_, StoreError>(())
            };
            store.each_run_search(&filter, &mut each).await.unwrap();
            looks
        };
        let all = looks(0).await;
        let brief: Vec<_> = all.iter().map(|l| (l.at, l.state, l.search.as_ref().map(|s| s.source))).collect();
        assert_eq!(
            brief,
            [
                (at(10), RunState::Ok, Some(Source::Social)),
                (at(10), RunState::Ok, Some(Source::Web)),
                (at(20), RunState::Missed, None)
            ],
            "{}: queued and running runs are not readable yet",
            database.name
        );
        let search = all[0].search.as_ref().unwrap();
        assert_eq!((search.requested_span, search.covered, search.saturated), (span(-100, 10), span(-60, 10), true));
        assert_eq!(looks(11).await.len(), 1);

        store.sync_topics(std::slice::from_ref(&t), at(50)).await.unwrap();
        let watched = store.watched_topics(&[]).await.unwrap();
        assert_eq!(watched.iter().map(|w| w.topic.as_str()).collect::<Vec<_>>(), ["rust"]);
        assert_eq!((watched[0].began, watched[0].ended, watched[0].definition.as_ref()), (NOW, None, Some(&t)));
        let named = store.watched_topics(&["b".into(), "nobody".into()]).await.unwrap();
        assert_eq!(
            named.iter().map(|w| w.ended).collect::<Vec<_>>(),
            [Some(at(50))],
            "removed topics are found by name"
        );
        drop(running);
        reported.push(all);
        database.close(store).await;
    }
    assert!(reported.iter().all(|looks| *looks == reported[0]));
}
