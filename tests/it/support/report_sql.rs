//! Separate SQL for the numbers and lists of a report, written without the product's statements.

use topicwatch::insight::daily::Tally;
use topicwatch::model::Span;
use topicwatch::report::TopicFacts;

use crate::support::databases::Database;

/// SQL for the topic's rows that count in a span.
pub fn rows_in_span(topic: &str, span: Span) -> String {
    format!(
        "FROM topic_item t JOIN item i ON i.id = t.item WHERE t.topic = '{topic}' AND EXISTS (SELECT 1 FROM run r WHERE r.id = t.first_run AND r.seq IS NOT NULL) \
         AND (CASE WHEN i.published_at IS NULL OR i.published_at > t.first_seen THEN t.first_seen ELSE i.published_at END) BETWEEN {} AND {}",
        span.from.0,
        span.until.0 - 1
    )
}

pub fn count(database: &Database, topic: &str, span: Span, what: &str, and: &str) -> u64 {
    database.number(&format!("SELECT count({what}) {} {and}", rows_in_span(topic, span))).unsigned_abs()
}

/// The clusters of rows, for `count`.
pub const CLUSTER: &str = "DISTINCT CASE WHEN i.cluster IS NULL THEN i.id ELSE i.cluster END";
/// Rows whose tone is from the scorer of these tests.
pub const CURRENT_SCORER: &str = "AND i.scorer = 'builtin-4'";

/// Checks the lists of items that stand out and of copied texts.
pub fn assert_lists(database: &Database, facts: &TopicFacts, span: Span) {
    let rows = |places: &[usize]| places.iter().map(|at| facts.rows[*at].item.key.clone()).collect::<Vec<_>>();
    let sql = |and: &str| database.texts(&format!("SELECT i.key {} {and}", rows_in_span(&facts.id, span)));
    let best = |list: &[usize], sql: Vec<String>| {
        // Only one of several copies is shown, so the list is a part of the full order and starts with its first.
        let list = rows(list);
        assert_eq!(list.first(), sql.first(), "{list:?}");
        assert!(list.iter().all(|key| sql.contains(key)), "{list:?} of {sql:?}");
        assert_eq!(list.len(), 5.min(sql.len()));
    };
    best(&facts.top_posts, sql("AND i.likes > 0 AND i.kind = 'post' ORDER BY i.likes DESC, 1 LIMIT 20"));
    // A page is new in the period in which it was first seen, whatever its date.
    let pages = database.texts(&format!(
        "SELECT i.key FROM topic_item t JOIN item i ON i.id = t.item JOIN run r ON r.id = t.first_run \
         WHERE t.topic = '{}' AND r.seq IS NOT NULL AND i.kind = 'page' AND t.first_seen BETWEEN {} AND {} \
         ORDER BY CASE WHEN i.published_at IS NULL OR i.published_at > t.first_seen THEN t.first_seen ELSE i.published_at END DESC, i.key",
        facts.id,
        span.from.0,
        span.until.0 - 1
    ));
    assert_eq!(facts.new_pages, pages.len() as u64, "new pages of {}", facts.id);
    best(&facts.top_pages, pages);
    best(&facts.negative, sql(&format!("AND i.tone = 'negative' {CURRENT_SCORER} ORDER BY i.score, i.key LIMIT 20")));
    best(
        &facts.positive,
        sql(&format!("AND i.tone = 'positive' {CURRENT_SCORER} ORDER BY i.score DESC, i.key LIMIT 20")),
    );
    let copies = database.texts(&format!(
        "SELECT CAST(count(*) AS TEXT) || ' ' || CAST(count(DISTINCT lower(i.author)) AS TEXT) {} GROUP BY coalesce(i.cluster, i.id) \
         HAVING count(*) >= 3 ORDER BY count(DISTINCT lower(i.author)) DESC, count(*) DESC",
        rows_in_span(&facts.id, span)
    ));
    let reported: Vec<String> =
        facts.campaigns.iter().map(|c| format!("{} {}", c.campaign.copies, c.campaign.authors)).collect();
    assert_eq!(reported, copies[..copies.len().min(5)]);
    let reported = facts.authors.iter().map(|one| format!("{} {} {}", name_and_counts(one), one.known, one.engagement));
    assert_eq!(reported.collect::<Vec<_>>(), most_engaged(database, &facts.id, span), "authors of {}", facts.id);
    let reported: Vec<String> = facts.domains.iter().map(name_and_counts).collect();
    assert_eq!(reported, most_frequent_hosts(database, &facts.id, span), "domains of {}", facts.id);
    assert!(facts.rows_left_out + facts.rows.len() as u64 >= facts.period.raw);
    assert!(facts.rows.len() <= 150);
}

fn name_and_counts(tally: &Tally) -> String {
    format!("{} {} {}", tally.name, tally.raw, tally.unique)
}

/// Name, items, unique items, items with known engagement, and engagement of the eight authors with most of it; those of
/// whom none is known come last.
fn most_engaged(database: &Database, topic: &str, span: Span) -> Vec<String> {
    // A name is shown in the spelling that comes first by its bytes.
    let bytes = if database.name == "PostgreSQL" { " COLLATE \"C\"" } else { "" };
    let reactions = "coalesce(i.likes, 0) + coalesce(i.reposts, 0) + coalesce(i.replies, 0) + coalesce(i.quotes, 0)";
    let all = ["raw", "uniq", "known", "reactions"].map(|figure| format!("|| ' ' || CAST({figure} AS TEXT)")).concat();
    let authors = database.texts(&format!(
        "SELECT name {all} FROM (SELECT min(i.author{bytes}) AS name, count(*) AS raw, count({CLUSTER}) AS uniq, \
         count(coalesce(i.likes, i.reposts, i.replies, i.quotes)) AS known, CAST(sum({reactions}) AS BIGINT) AS reactions \
         {} AND i.author IS NOT NULL GROUP BY lower(i.author)) q \
         ORDER BY CASE WHEN known > 0 THEN 0 ELSE 1 END, reactions DESC, raw DESC, uniq DESC, name{bytes} LIMIT 8",
        rows_in_span(topic, span)
    ));
    assert_eq!(authors.len(), 8, "{authors:?}");
    authors
}

/// Name, items and unique items of the eight hosts with most pages. All addresses begin with `https://host0.example/`.
fn most_frequent_hosts(database: &Database, topic: &str, span: Span) -> Vec<String> {
    let hosts = database.texts(&format!(
        "SELECT name || ' ' || CAST(raw AS TEXT) || ' ' || CAST(uniq AS TEXT) FROM \
         (SELECT substr(i.url, 9, 13) AS name, count(*) AS raw, count({CLUSTER}) AS uniq {} AND i.kind = 'page' \
         GROUP BY substr(i.url, 9, 13)) q ORDER BY raw DESC, uniq DESC, name LIMIT 8",
        rows_in_span(topic, span)
    ));
    assert!(hosts.iter().all(|host| host.starts_with("host") && host.contains(".example ")), "{hosts:?}");
    hosts
}
