//! A history that is older than `[retention]` allows.

use topicwatch::model::{Source, Time};
use topicwatch::store::{ItemRow, Store};

use crate::support::databases::Database;
use crate::support::searched::{NOW, outcome, seen_item, start_manual_run, topic};

pub const HOUR: i64 = 3_600_000;

pub const DAY: i64 = 24 * HOUR;

/// Days of the history, four runs each.
pub const DAYS: i64 = 10;

pub fn begin() -> Time {
    Time(NOW.0 / DAY * DAY - DAYS * DAY)
}

/// The end of the history.
pub fn present() -> Time {
    Time(begin().0 + DAYS * DAY)
}

/// Ten days of a topic, four runs each. One post is in every run, one in the first run of its day, one in the first
/// two.
pub(crate) async fn fill(database: &Database, store: &Store) {
    let t = topic("acme");
    store.add_topics(std::slice::from_ref(&t), begin()).await.unwrap();
    for n in 0..DAYS * 4 {
        let (at, day) = (Time(begin().0 + n * 6 * HOUR + HOUR), u32::try_from(n / 4).unwrap());
        let run = start_manual_run(store, &t, &format!("run-{n:03}"), at).await;
        let mut found = vec![seen_item(Source::Social, u32::try_from(n).unwrap() + 1, &["post:x:1"], "always")];
        if n % 4 == 0 {
            found.push(seen_item(
                Source::Social,
                2,
                &[&format!("post:x:{}", 100 + day)],
                &format!("once on day {day}"),
            ));
        }
        if n % 4 < 2 {
            found.push(seen_item(
                Source::Social,
                3,
                &[&format!("post:x:{}", 200 + day)],
                &format!("twice on day {day}"),
            ));
        }
        store.finish(&run, outcome(at, found)).await.unwrap();
        store.publish().await.unwrap();
    }
    let body = if database.name == "SQLite" { "x'616263'" } else { "'abc'" };
    database
        .execute(&format!(
            "INSERT INTO raw_reply (search, request, dialect, headers, received_at, bytes, truncated, body) \
             SELECT s.id, '{{}}', 'spec', '{{}}', s.started_at, 3, 0, {body} FROM search s WHERE s.source = 'social'"
        ))
        .await;
    topicwatch::collect::cluster(store, &|| false).await.unwrap();
}

/// A topic's rows about its items, without their texts.
pub fn topic_rows(items: &[ItemRow]) -> Vec<(String, Time, String, Time, String, i64)> {
    let of =
        |i: &ItemRow| (i.key.clone(), i.first_seen, i.first_run.clone(), i.last_seen, i.last_run.clone(), i.times_seen);
    items.iter().map(of).collect()
}

/// Everything in the database, to compare two moments.
pub fn dump_tables(database: &Database) -> Vec<String> {
    let mut all = Vec::new();
    for sql in [
        "SELECT 'run ' || public_id || ' ' || coalesce(thinned, -1) || ' ' || coalesce(pruned_at, 0) FROM run ORDER BY 1",
        "SELECT 'sighting ' || run || ' ' || item || ' ' || source FROM sighting ORDER BY 1",
        "SELECT 'search ' || run || ' ' || source FROM search ORDER BY 1",
        "SELECT 'raw ' || search FROM raw_reply ORDER BY 1",
        "SELECT 'item ' || key || ' ' || coalesce(text, '-') || ' ' || coalesce(pruned_at, 0) FROM item ORDER BY 1",
        "SELECT 'known ' || topic || ' ' || item || ' ' || first_run || ' ' || last_run FROM topic_item ORDER BY 1",
        "SELECT 'info ' || name || ' ' || value FROM store_info ORDER BY 1",
    ] {
        all.extend(database.texts(sql));
    }
    all
}
