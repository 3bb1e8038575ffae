//! Topics that are renamed while other parts of the program work on them, on both databases.

use topicwatch::collect::{count_days, tally_runs};
use topicwatch::insight::tally::tally;
use topicwatch::model::{Source, Span, Time};
use topicwatch::store::DayCounts;

use crate::support::databases::databases;
use crate::support::searched::{NOW, open_store, outcome, seen_item, start_manual_run, topic};

#[tokio::test]
async fn counts_read_before_a_rename_are_not_stored_under_the_old_id() {
    for database in databases() {
        let store = open_store(&database).await;
        let rust = topic("rust");
        store.sync_topics(std::slice::from_ref(&rust), NOW).await.unwrap();
        let run = start_manual_run(&store, &rust, "R1", NOW).await;
        store.finish(&run, outcome(NOW, vec![seen_item(Source::Social, 1, &["post:x:1"], "hi")])).await.unwrap();
        store.publish().await.unwrap();
        let (from, _) = store.tally_progress().await.unwrap();
        let runs = store.runs_to_tally(from, 500).await.unwrap();
        let to = runs.last().unwrap().seq;
        let (sums, latest) = tally(&runs);
        let day = Span { from: Time(NOW.0 - 3_600_000), until: Time(NOW.0 + 3_600_000) };
        let spans = vec![("rust".to_owned(), day)];
        let days = store.count_days(&spans).await.unwrap();
        assert_eq!((latest.is_empty(), days.len()), (false, 1), "{}", database.name);
        let days_from = store.days_progress().await.unwrap();
        let counted = DayCounts { from: days_from, to, due: Vec::new(), spans, days };
        store.rename_topic("rust", "rust-lang", NOW).await.unwrap();
        assert!(!store.store_tally(&sums, &latest, from, to, true).await.unwrap(), "{}", database.name);
        assert!(!store.store_days(&counted, NOW).await.unwrap(), "{}", database.name);
        // They are counted again, under the new id.
        tally_runs(&store, &|| false).await.unwrap();
        count_days(&store, NOW, &|| false).await.unwrap();
        for (id, expected) in [("rust", false), ("rust-lang", true)] {
            let ids = [id.to_owned()];
            let latest = store.latest_answers(&ids).await.unwrap();
            let days = store.topic_days(&ids, Time(0)).await.unwrap();
            assert_eq!((!latest.is_empty(), !days.is_empty()), (expected, expected), "{}: {id}", database.name);
        }
        database.close(store).await;
    }
}
