//! Removed words: edited or pruned text is no longer found, and the index tables no longer contain it. `forget` tests
//! forgotten text.

use crate::support::word_index::*;
use std::time::Duration;

use topicwatch::collect::index_words;
use topicwatch::model::{Retention, Source, Time};
use topicwatch::normalise::words::parse_query;
use topicwatch::store::{Filter, Store};

use crate::support::databases::{databases, postgres};
use crate::support::searched::{NOW, open_store, outcome, seen_item, start_manual_run, topic};

const DAY: i64 = 86_400_000;

async fn keep(store: &Store, run: &str, at: Time, posts: &[(&str, &str)]) {
    let t = topic("t");
    let held = start_manual_run(store, &t, run, at).await;
    let posts = posts.iter().zip(0..).map(|((key, text), n)| seen_item(Source::Social, n, &[key], text)).collect();
    store.finish(&held, outcome(at, posts)).await.unwrap();
    store.publish().await.unwrap();
    // Items that were not clustered yet are not pruned.
    topicwatch::collect::cluster(store, &|| false).await.unwrap();
}

async fn found(store: &Store, typed: &str) -> Vec<String> {
    let filter = Filter { words: Some(parse_query(typed).unwrap()), ..Filter::default() };
    store.search_items(&filter, None, 100).await.unwrap().into_iter().map(|found| found.item.key).collect()
}

#[tokio::test]
async fn words_of_edited_and_pruned_items_leave_the_index() {
    for database in databases() {
        let store = open_store(&database).await;
        store.add_topics(&[topic("t")], NOW).await.unwrap();
        keep(
            &store,
            "R1",
            NOW,
            &[("post:x:1", "zebra crossing"), ("post:x:2", "walrus asleep"), ("post:x:3", "both stay")],
        )
        .await;
        index_words(&store, &|_| false).await.unwrap();
        assert_eq!(found(&store, "zebra").await, ["post:x:1"]);
        assert_eq!((indexed_rows(&database, "zebra"), indexed_rows(&database, "walrus")), (1, 1), "{}", database.name);

        keep(&store, "R2", Time(NOW.0 + DAY), &[("post:x:1", "giraffe crossing"), ("post:x:3", "both stay")]).await;
        index_words(&store, &|_| false).await.unwrap();
        assert_eq!((found(&store, "zebra").await.len(), found(&store, "giraffe crossing").await.len()), (0, 1));
        assert_eq!((indexed_rows(&database, "zebra"), indexed_rows(&database, "giraffe")), (0, 1), "{}", database.name);

        // The second item was last seen on the first day.
        let rule = Retention { raw: None, sightings: None, items: Some(10 * DAY), runs: None };
        let present = Time(NOW.0 + 10 * DAY + DAY / 2);
        let done = store.prune(&rule, present, Duration::from_secs(600), false, &|| false).await.unwrap();
        assert_eq!(done.gone["item"].rows, 1, "{}: {done:?}", database.name);
        assert_eq!((found(&store, "walrus").await.len(), found(&store, "giraffe").await.len()), (0, 1));
        assert_eq!((indexed_rows(&database, "walrus"), indexed_rows(&database, "asleep")), (0, 0), "{}", database.name);
        // Only another sighting brings them back.
        index_words(&store, &|_| false).await.unwrap();
        assert_eq!(indexed_rows(&database, "walrus"), 0);
        keep(&store, "R3", present, &[("post:x:2", "walrus awake")]).await;
        index_words(&store, &|_| false).await.unwrap();
        assert_eq!(
            (found(&store, "walrus").await, indexed_rows(&database, "asleep")),
            (vec!["post:x:2".to_owned()], 0)
        );
        database.close(store).await;
    }
}

/// With many items, rebuilding the index takes longer than the limit that the other statements have.
#[tokio::test]
async fn the_index_is_rebuilt_without_a_statement_timeout() {
    let Some(database) = postgres() else { return };
    let store = open_store(&database).await;
    store.add_topics(&[topic("t")], NOW).await.unwrap();
    keep(&store, "R1", NOW, &[("post:x:1", "zebra crossing")]).await;
    index_words(&store, &|_| false).await.unwrap();
    // An index that can only be built without a limit.
    database
        .execute(
            "CREATE FUNCTION unlimited(words TSVECTOR) RETURNS TSVECTOR LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN \
             IF current_setting('statement_timeout') <> '0' THEN RAISE EXCEPTION 'there is a limit'; END IF; \
             RETURN words; END $$; DROP INDEX item_words_token; \
             CREATE INDEX item_words_token ON item_words USING gin (unlimited(words))",
        )
        .await;
    store.rebuild_word_index().await.unwrap();
    database.close(store).await;
}
