//! An invented history of a copied text and a shared link, with known authors, sources and times.

use topicwatch::collect::{cluster, index_words};
use topicwatch::model::{Engagement, Kind, Source, Span, Time, Topic};
use topicwatch::store::{Outcome, SeenItem, Store};

use crate::support::copied_posts::{FLOOD, STORM};
use crate::support::searched::{NOW, outcome, seen_item, start_manual_run, topic};

/// The topics, in the order in which they first see an item.
pub const TOPICS: [&str; 3] = ["acme", "globex", "rust"];

/// The page that posts link to, with the URL that a search finds.
pub const PAGE: &str = "https://www.news.example/2026/storm/?utm_source=feed";
pub const PAGE_KEY: &str = "page:https://news.example/2026/storm";

pub fn minutes(n: i64) -> Time {
    Time(NOW.0 + n * 60_000)
}

/// A post by its number; `published` is in minutes after the start.
pub fn post(n: u32, source: Source, author: &str, published: Option<i64>, text: &str) -> SeenItem {
    let mut item = seen_item(source, n, &[&format!("post:x:{n}")], text);
    let found = &mut item.sightings[0].found;
    found.author = Some(author.to_owned());
    found.published_at = published.map(minutes);
    found.url = Some(format!("https://x.com/{author}/status/{n}"));
    found.engagement = Engagement { likes: Some(i64::from(n) * 10), reposts: Some(1), ..Engagement::default() };
    item
}

pub fn page(rank: u32, url: &str, key: &str, title: &str) -> SeenItem {
    let mut item = seen_item(Source::Web, rank, &[key], "Crews work through the night");
    item.kind = Kind::Page;
    let finding = &mut item.sightings[0];
    finding.kind = Kind::Page;
    let found = &mut finding.found;
    (found.kind, found.author, found.engagement) = (Some(Kind::Page), None, Engagement::default());
    (found.url, found.title) = (Some(url.to_owned()), Some(title.to_owned()));
    item
}

/// A run whose social search asked for the last day and covered all of it.
pub fn covering(at: Time, items: Vec<SeenItem>) -> Outcome {
    let mut all = outcome(at, items);
    let day = Span::new(Time(at.0 - 86_400_000), at);
    (all.searches[0].requested_span, all.searches[0].covered) = (day, day);
    all
}

pub async fn store_run(store: &Store, t: &Topic, id: &str, all: Outcome) {
    let run = start_manual_run(store, t, id, all.seen_at).await;
    store.finish(&run, all).await.unwrap();
    store.publish().await.unwrap();
}

/// Does the work of the followers.
pub async fn run_followers(store: &Store) {
    cluster(store, &|| false).await.unwrap();
    index_words(store, &|_| false).await.unwrap();
}

/// Stores a text by post 1, copied by twelve others and by post 14, which will be forgotten. Post 1 is edited later.
/// Stores a page that post 1 links to, and three posts about the page; two of them contain its URL.
pub async fn store_history(store: &Store) {
    let topics = TOPICS.map(topic);
    store.sync_topics(&topics, minutes(-2_000)).await.unwrap();
    let linked = format!("{STORM} http://news.example/2026/storm#top");
    let copy = |n: u32, published: Option<i64>| {
        let source = if n.is_multiple_of(4) { Source::Web } else { Source::Social };
        post(n, source, &format!("author{n}"), published, &format!("RT @author1: {STORM} https://t.co/{n}"))
    };
    // Post 5 has no time, post 6 an impossible one. Most of the 14 posts come within two hours.
    let at = |n: u32| match n {
        5 => None,
        6 => Some(9_000),
        12.. => Some(i64::from(n) * 30),
        _ => Some(i64::from(n) * 10),
    };
    let first = |text: &str| post(1, Source::Social, "author1", Some(10), text);
    store_run(store, &topics[0], "A1", covering(minutes(60), vec![copy(2, at(2)), copy(3, at(3)), copy(4, at(4))]))
        .await;
    store_run(
        store,
        &topics[1],
        "B1",
        covering(minutes(120), vec![first(&linked), copy(5, at(5)), copy(6, at(6)), copy(7, at(7))]),
    )
    .await;
    let shares = |n: u32, text: &str| post(n, Source::Social, "Author2", Some(200 + i64::from(n)), text);
    let about = vec![
        page(1, PAGE, PAGE_KEY, "A storm takes the roof of the station in the night"),
        shares(21, "Worth a read: https://m.news.example/2026/storm?fbclid=1."),
        shares(22, "(http://news.example/2026/storm/) says it all"),
        shares(23, "not this one: https://news.example/2026/storm-2 nor news.example 2026 storm"),
        shares(24, "nothing of the kind in the whole of this text, really"),
    ];
    store_run(store, &topics[2], "C1", covering(minutes(240), about)).await;
    store_run(store, &topics[0], "A2", covering(minutes(260), (8..=11).map(|n| copy(n, at(n))).collect())).await;
    store_run(
        store,
        &topics[1],
        "B2",
        covering(minutes(500), (12..=14).map(|n| copy(n, at(n))).chain([copy(3, at(3))]).collect()),
    )
    .await;
    run_followers(store).await;
    // Post 1 is edited and keeps its link; two posts of the story are in the last run of its topic.
    let edited = format!("{FLOOD} https://news.example/2026/storm");
    store_run(store, &topics[1], "B3", covering(minutes(560), vec![first(&edited), copy(13, at(13))])).await;
    run_followers(store).await;
}

/// The items of the story in SQL, found without keys: the text's cluster, and items that contain the URL.
pub const MEMBERS: &str = "SELECT i.* FROM item i WHERE i.cluster = (SELECT a.cluster FROM item a WHERE a.key = 'post:x:1') \
     OR i.text LIKE '%news.example/2026/storm%' AND i.text NOT LIKE '%storm-2%' OR i.url LIKE '%news.example/2026/storm%'";

/// When each item came: when it was published, or when it was first seen if that is unknown or impossible.
pub const CAME: &str = "SELECT m.key, m.author, m.published_at, min(t.first_seen) AS seen, \
     CASE WHEN m.published_at <= min(t.first_seen) THEN m.published_at ELSE min(t.first_seen) END AS at \
     FROM (MEMBERS) AS m JOIN topic_item t ON t.item = m.id GROUP BY m.key, m.author, m.published_at";

/// The items of the story with each topic that found them, and when the topic's last run was.
const KNOWN: &str = "SELECT m.id, t.topic, t.first_seen, t.last_seen, \
     (SELECT max(r.started_at) FROM run r WHERE r.topic = t.topic) AS last_run_at \
     FROM (MEMBERS) AS m JOIN topic_item t ON t.item = m.id";

/// The items of the story with each run and source that showed them.
const SHOWN: &str = "SELECT m.id, s.source, r.started_at AS seen_at \
     FROM (MEMBERS) AS m JOIN sighting s ON s.item = m.id JOIN run r ON r.id = s.run";

/// SQL with these rows in the place of their names.
pub fn sql(text: &str) -> String {
    let text = text.replace("CAME", CAME).replace("KNOWN", KNOWN).replace("SHOWN", SHOWN);
    text.replace("MEMBERS", MEMBERS)
}
