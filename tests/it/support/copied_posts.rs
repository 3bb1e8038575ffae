//! Posts that are copies of one another, stored run by run.

use topicwatch::model::{KeyTableLimits, Source, Time, Topic};
use topicwatch::store::{SeenItem, Store};

use crate::support::databases::Database;
use crate::support::searched::{NOW, outcome, seen_item, start_manual_run};

pub const STORM: &str = "The storm took the roof of the old station last night, nobody was hurt";

pub const FLOOD: &str = "After three days of rain the river is as high as it was in the year of the great flood";

/// Limits so small that the keys of a few items are moved to the next table, a few at a time.
pub const SMALL_LIMITS: KeyTableLimits = KeyTableLimits { young: 9, middle: 40, slice: 4 };

/// Every key and the place it leads to, in whichever table it is.
pub const ALL_LEADS: &str = "SELECT key, place FROM cluster_lead_young UNION ALL SELECT key, place FROM cluster_lead_middle \
                     UNION ALL SELECT key, place FROM cluster_lead";

pub fn leads(database: &Database) -> Vec<String> {
    let all = format!("SELECT CAST(key AS TEXT) || ' ' || CAST(place AS TEXT) FROM ({ALL_LEADS}) AS l ORDER BY 1");
    database.texts(&all)
}

/// The keys of the first items of all clusters, in the order in which the clusters began.
pub fn cluster_heads(database: &Database) -> Vec<String> {
    database.texts("SELECT i.key FROM cluster_head h JOIN item i ON i.id = h.item ORDER BY h.place")
}

/// The number of keys that lead to the cluster of an item.
pub fn leads_to(database: &Database, key: &str) -> usize {
    let places = format!(
        "SELECT CAST(h.place AS TEXT) FROM cluster_head h JOIN item c ON c.id = h.item JOIN item i ON i.cluster = c.id WHERE i.key = '{key}'"
    );
    let places = database.texts(&places);
    leads(database).iter().filter(|lead| places.iter().any(|place| lead.ends_with(&format!(" {place}")))).count()
}

/// How many copies have a key of their own, because their wording differs.
pub fn copies_with_a_key(database: &Database) -> i64 {
    database.number("SELECT count(*) FROM item WHERE fingerprint IS NOT NULL")
}

pub fn at(seconds: i64) -> Time {
    Time(NOW.0 + seconds * 1_000)
}

pub fn post(id: u32, author: &str, text: &str) -> SeenItem {
    let mut item = seen_item(Source::Social, id, &[&format!("post:x:{id}")], text);
    item.sightings[0].found.author = Some(author.into());
    item
}

/// Stores runs of one topic, a second apart. No follower has processed their items.
pub async fn store_runs(store: &Store, t: &Topic, first: i64, runs: Vec<Vec<SeenItem>>) {
    store.add_topics(std::slice::from_ref(t), NOW).await.unwrap();
    for (n, items) in (first..).zip(runs) {
        let run = start_manual_run(store, t, &format!("{}-{n:03}", t.id), at(n)).await;
        store.finish(&run, outcome(at(n), items)).await.unwrap();
        store.publish().await.unwrap();
    }
}
