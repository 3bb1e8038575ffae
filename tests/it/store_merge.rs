//! Two stored items that turn out to be one: the earliest data of both is kept, whichever came first, also when their
//! runs end together.

use topicwatch::model::{Source, Time};
use topicwatch::store::Filter;

use crate::support::databases::databases;
use crate::support::searched::{NOW, all_items, open_store, outcome, seen_item, start_manual_run, topic};

fn at(seconds: i64) -> Time {
    Time(NOW.0 + seconds * 1_000)
}

#[tokio::test]
async fn a_post_with_both_keys_merges_two_items() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        // The text alone comes first, then both separately, then a post with both keys, then the text again.
        let words = || seen_item(Source::Social, 1, &["text:x:ann:h"], "hello");
        let page = || seen_item(Source::Web, 1, &["post:x:1"], "hello there");
        let both = || seen_item(Source::Social, 1, &["post:x:1", "text:x:ann:h"], "hello");
        let mut new = Vec::new();
        for (n, world) in [vec![words()], vec![page(), words()], vec![both()], vec![words()]].into_iter().enumerate() {
            let n = i64::try_from(n).unwrap();
            let run = start_manual_run(&store, &t, &format!("R{n}"), at(n)).await;
            let counts = store.finish(&run, outcome(at(n), world)).await.unwrap();
            new.push(counts.iter().map(|(_, counts)| counts.new).sum::<i64>());
        }
        assert_eq!(new, [1, 1, 0, 0], "{}", database.name);
        let rows = all_items(&store).await;
        assert_eq!(
            rows.iter().map(|i| (i.key.as_str(), i.first_seen, i.first_run.as_str(), i.times_seen)).collect::<Vec<_>>(),
            [("post:x:1", NOW, "R0", 4)],
            "{}",
            database.name
        );
        assert_eq!(database.first_seen(), NOW.0, "{}", database.name);
        let sizes = store.table_sizes().await.unwrap();
        let rows = |table: &str| sizes.iter().find(|(name, _)| *name == table).unwrap().1;
        assert_eq!((rows("item"), rows("item_key"), rows("topic_item"), rows("sighting")), (1, 2, 1, 5));
        store.publish().await.unwrap();
        let mut keys = Vec::new();
        let mut each = |row: topicwatch::model::SightingRow| {
            keys.push((row.run, row.source, row.key, row.new));
            Ok::<_, topicwatch::store::StoreError>(())
        };
        store.each_sighting(&Filter::default(), &mut each).await.unwrap();
        assert!(keys.iter().all(|(_, _, key, _)| key == "post:x:1"), "{keys:?}");
        assert_eq!(keys.iter().filter(|(.., new)| *new).count(), 1, "only the first run found it new: {keys:?}");
        database.close(store).await;
    }
}

#[tokio::test]
async fn runs_that_end_together_merge_items_like_runs_in_sequence() {
    for database in databases() {
        let store = open_store(&database).await;
        let (a, b) = (topic("a"), topic("b"));
        store.sync_topics(&[a.clone(), b.clone()], NOW).await.unwrap();
        let mut ends = Vec::new();
        for (n, (t, keys)) in [
            (&a, &["text:x:ann:h"][..]),
            (&b, &["post:x:1"]),
            (&b, &["post:x:1", "text:x:ann:h"]),
            (&a, &["text:x:ann:h"]),
        ]
        .into_iter()
        .enumerate()
        {
            let n = i64::try_from(n).unwrap();
            let run = start_manual_run(&store, t, &format!("R{n}"), at(n)).await;
            ends.push((run, outcome(at(n), vec![seen_item(Source::Social, 1, keys, "hello")])));
        }
        let [one, two, three, four] = ends.try_into().unwrap_or_else(|_| unreachable!());
        let (r1, r2, r3, r4) = tokio::join!(
            store.finish(&one.0, one.1),
            store.finish(&two.0, two.1),
            store.finish(&three.0, three.1),
            store.finish(&four.0, four.1)
        );
        let new: Vec<i64> = [r1, r2, r3, r4].into_iter().map(|r| r.unwrap()[0].1.new).collect();
        assert_eq!(new, [1, 1, 0, 0], "{}", database.name);
        let mut rows = all_items(&store).await;
        rows.sort_by(|x, y| x.topic.cmp(&y.topic));
        assert_eq!(
            rows.iter().map(|i| (i.topic.as_str(), i.key.as_str(), i.first_seen, i.times_seen)).collect::<Vec<_>>(),
            [("a", "post:x:1", NOW, 2), ("b", "post:x:1", at(1), 2)],
            "{}",
            database.name
        );
        assert_eq!(database.first_seen(), NOW.0, "{}: of all topics", database.name);
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_merged_item_keeps_the_earlier_first_seen_time() {
    const WORDS: &[&str] = &["text:x:ann:h"];
    const PAGE: &[&str] = &["post:x:1"];
    for (first, second) in [(WORDS, PAGE), (PAGE, WORDS)] {
        for database in databases() {
            let (store, both) = (open_store(&database).await, [PAGE, WORDS].concat());
            let (a, b) = (topic("a"), topic("b"));
            store.sync_topics(&[a.clone(), b.clone()], NOW).await.unwrap();
            // One topic sees the later item only, and a run of another shows that both are one.
            for (n, (t, keys)) in
                [(&a, first), (&b, second), (&a, second), (&a, both.as_slice())].into_iter().enumerate()
            {
                let n = i64::try_from(n).unwrap();
                let run = start_manual_run(&store, t, &format!("R{n}"), at(n)).await;
                store.finish(&run, outcome(at(n), vec![seen_item(Source::Social, 1, keys, "hello")])).await.unwrap();
            }
            let rows = all_items(&store).await;
            let of: Vec<_> =
                rows.iter().map(|item| (item.topic.as_str(), item.first_seen, item.first_run.as_str())).collect();
            let name = format!("{}: {first:?}", database.name);
            assert_eq!(of, [("a", NOW, "R0"), ("b", at(1), "R1")], "{name}");
            assert_eq!(database.first_seen(), NOW.0, "{name}");
            database.close(store).await;
        }
    }
}
