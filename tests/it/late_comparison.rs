//! Items that are compared with others only after their days were counted, because the comparison failed or another
//! process stopped between the two: the days are counted again.

use std::sync::Arc;

use topicwatch::collect::{catch_up, cluster};
use topicwatch::model::{Clock, Follower, Time};

use crate::support::copied_posts::{FLOOD, STORM, at, post, store_runs};
use crate::support::databases::databases;
use crate::support::searched::{open_store, topic};

#[tokio::test]
async fn a_day_that_was_counted_before_its_items_were_compared_is_counted_again() {
    for database in databases() {
        let (store, name) = (open_store(&database).await, database.name);
        let clock: Clock = Arc::new(|| at(60));
        let counted = async || {
            catch_up(Follower::Days, &store, &clock, &|| false).await.unwrap();
            let days = store.topic_days(&["storm".into(), "flood".into()], Time(0)).await.unwrap();
            days.iter().map(|(topic, day)| format!("{topic} {} {}", day.items, day.unique)).collect::<Vec<_>>()
        };
        let due = || database.number("SELECT count(*) FROM topic_day_due");
        store_runs(&store, &topic("flood"), 0, vec![vec![post(1, "ann", FLOOD)]]).await;
        cluster(&store, &|| false).await.unwrap();
        assert_eq!(counted().await, ["flood 1 1"], "{name}");
        store_runs(&store, &topic("storm"), 1, vec![vec![post(2, "bob", STORM), post(3, "cleo", STORM)]]).await;
        assert_eq!(counted().await, ["flood 1 1", "storm 2 2"], "{name}: not compared yet");
        cluster(&store, &|| false).await.unwrap();
        assert_eq!(due(), 1, "{name}: only the topic of these items");
        assert_eq!(counted().await, ["flood 1 1", "storm 2 1"], "{name}");
        // In the usual order, nothing is counted twice.
        store_runs(&store, &topic("storm"), 2, vec![vec![post(4, "dan", STORM)]]).await;
        cluster(&store, &|| false).await.unwrap();
        assert_eq!(due(), 0, "{name}");
        assert_eq!(counted().await, ["flood 1 1", "storm 3 1"], "{name}");
        database.close(store).await;
    }
}
