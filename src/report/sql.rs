//! The SQL that reproduces a topic's figures from the database, for whoever wants to see the rows behind a number. It is printed,
//! never run by the program; a test runs it on both databases.

use super::document::Report;
use super::facts::TopicFacts;
use crate::model::ReportWindow;

/// A figure and its statement.
pub(super) struct Query {
    pub(super) figure: &'static str,
    pub(super) sql: String,
}

/// The statements of a topic.
pub(super) fn queries(topic: &TopicFacts, report: &Report) -> Vec<Query> {
    let id = topic.id.replace('\'', "''");
    let (from, until) = (report.span.from.0, report.span.until.0);
    // The instant an item counts at, and the runs that readers may see.
    let moment = "CASE WHEN i.published_at < t.first_seen THEN i.published_at ELSE t.first_seen END";
    let of = format!(
        "FROM topic_item t JOIN item i ON i.id = t.item JOIN run f ON f.id = t.first_run\nWHERE f.seq IS NOT NULL AND t.topic = '{id}'"
    );
    let since = match report.since {
        Some(since) => format!("f.seq > {since} AND f.seq <= {}", report.seq),
        None => format!("t.first_seen >= {from} AND f.seq <= {}", report.seq),
    };
    let inside = match report.window {
        ReportWindow::Day => format!("{of}\n  AND {moment} >= {from} AND {moment} < {until}"),
        ReportWindow::SinceLast => format!(
            "{of}\n  AND {since}\n  AND EXISTS (SELECT 1 FROM sighting s WHERE s.run = t.first_run AND s.item = t.item AND s.fit <> 'outside')"
        ),
    };
    let runs = format!(
        "FROM run r JOIN search s ON s.run = r.id\nWHERE r.seq IS NOT NULL AND r.topic = '{id}' AND s.started_at >= {from} AND s.started_at < {until}"
    );
    vec![
        Query {
            figure: "items, unique, authors",
            sql: format!(
                "SELECT count(*) AS items, count(DISTINCT coalesce(i.cluster, i.id)) AS unique_items, count(DISTINCT lower(i.author)) AS authors\n{inside}"
            ),
        },
        Query {
            figure: "the items themselves",
            sql: format!("SELECT i.key, i.author, i.url, i.tone, i.score, i.scorer\n{inside}\nORDER BY i.key"),
        },
        Query {
            figure: "tone",
            sql: format!(
                "SELECT i.scorer, i.tone, count(*) AS items\n{inside}\nGROUP BY i.scorer, i.tone ORDER BY 1, 2"
            ),
        },
        Query {
            figure: "copied texts",
            sql: format!(
                "SELECT count(*) AS copies, count(DISTINCT lower(i.author)) AS authors, min(i.key) AS one_of_them\n{inside}\nGROUP BY coalesce(i.cluster, i.id) HAVING count(*) >= 3 ORDER BY 2 DESC, 1 DESC"
            ),
        },
        Query {
            figure: "searches, failures, cost",
            sql: format!(
                "SELECT s.source, s.state, count(*) AS searches, sum(coalesce(s.cost, s.expected_cost)) AS micro_dollars\n{runs}\nGROUP BY s.source, s.state ORDER BY 1, 2"
            ),
        },
    ]
}
