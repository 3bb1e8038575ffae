//! Separate SQL for the numbers and lists of a report, written without the product's statements.

use topicwatch::model::Span;
use topicwatch::report::TopicFacts;

use crate::support::databases::Database;

/// SQL for the topic's rows that count in a span.
pub fn inside(topic: &str, span: Span) -> String {
    format!(
        "FROM topic_item t JOIN item i ON i.id = t.item WHERE t.topic = '{topic}' AND EXISTS (SELECT 1 FROM run r WHERE r.id = t.first_run AND r.seq IS NOT NULL) \
         AND (CASE WHEN i.published_at IS NULL OR i.published_at > t.first_seen THEN t.first_seen ELSE i.published_at END) BETWEEN {} AND {}",
        span.from.0,
        span.until.0 - 1
    )
}

pub fn count(database: &Database, topic: &str, span: Span, what: &str, and: &str) -> u64 {
    database.number(&format!("SELECT count({what}) {} {and}", inside(topic, span))).unsigned_abs()
}

/// The clusters of rows, for `count`.
pub const CLUSTER: &str = "DISTINCT CASE WHEN i.cluster IS NULL THEN i.id ELSE i.cluster END";
/// Rows whose tone is from the scorer of these tests.
pub const BY: &str = "AND i.scorer = 'builtin-4'";

/// Checks the lists of items that stand out and of copied texts.
pub fn lists(database: &Database, facts: &TopicFacts, span: Span) {
    let rows = |places: &[usize]| places.iter().map(|at| facts.rows[*at].item.key.clone()).collect::<Vec<_>>();
    let sql = |and: &str| database.texts(&format!("SELECT i.key {} {and}", inside(&facts.id, span)));
    let best = |list: &[usize], sql: Vec<String>| {
        // Only one of several copies is shown, so the list is a part of the full order and starts with its first.
        let list = rows(list);
        assert_eq!(list.first(), sql.first(), "{list:?}");
        assert!(list.iter().all(|key| sql.contains(key)), "{list:?} of {sql:?}");
        assert_eq!(list.len(), 5.min(sql.len()));
    };
    best(&facts.top_posts, sql("AND i.likes > 0 AND i.kind = 'post' ORDER BY i.likes DESC, 1 LIMIT 20"));
    best(&facts.negative, sql(&format!("AND i.tone = 'negative' {BY} ORDER BY i.score, i.key LIMIT 20")));
    best(&facts.positive, sql(&format!("AND i.tone = 'positive' {BY} ORDER BY i.score DESC, i.key LIMIT 20")));
    let copies = database.texts(&format!(
        "SELECT CAST(count(*) AS TEXT) || ' ' || CAST(count(DISTINCT lower(i.author)) AS TEXT) {} GROUP BY coalesce(i.cluster, i.id) \
         HAVING count(*) >= 3 ORDER BY count(DISTINCT lower(i.author)) DESC, count(*) DESC",
        inside(&facts.id, span)
    ));
    let told: Vec<String> =
        facts.campaigns.iter().map(|c| format!("{} {}", c.campaign.copies, c.campaign.authors)).collect();
    assert_eq!(told, copies[..copies.len().min(5)]);
    for author in &facts.authors {
        let and = format!("AND lower(i.author) = lower('{}')", author.name);
        assert_eq!(author.raw, count(database, &facts.id, span, "*", &and));
        assert_eq!(author.unique, count(database, &facts.id, span, "DISTINCT coalesce(i.cluster, i.id)", &and));
        let known = format!("{and} AND coalesce(i.likes, i.reposts, i.replies, i.quotes) IS NOT NULL");
        assert_eq!(author.known, count(database, &facts.id, span, "*", &known));
        let reactions =
            "coalesce(i.likes, 0) + coalesce(i.reposts, 0) + coalesce(i.replies, 0) + coalesce(i.quotes, 0)";
        let sum = format!("SELECT CAST(coalesce(sum({reactions}), 0) AS BIGINT) {} {and}", inside(&facts.id, span));
        assert_eq!(author.engagement, database.number(&sum), "{}", author.name);
    }
    assert!(facts.authors.windows(2).all(|pair| pair[0].engagement >= pair[1].engagement), "{:?}", facts.authors);
    let most = format!(
        "SELECT CAST(max(q.reactions) AS BIGINT) FROM (SELECT sum(coalesce(i.likes, 0) + coalesce(i.reposts, 0) + coalesce(i.replies, 0) \
         + coalesce(i.quotes, 0)) AS reactions {} AND i.author IS NOT NULL GROUP BY lower(i.author)) q",
        inside(&facts.id, span)
    );
    assert_eq!(facts.authors[0].engagement, database.number(&most));
    let first = &facts.domains[0];
    let and = format!("AND i.kind = 'page' AND i.url LIKE 'https://{}/%'", first.name);
    assert_eq!(first.raw, count(database, &facts.id, span, "*", &and));
    assert!(facts.rows_left_out + facts.rows.len() as u64 >= facts.period.raw);
    assert!(facts.rows.len() <= 150);
}
