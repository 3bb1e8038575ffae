//! The SQL that reproduces a topic's figures from the views, to see the rows behind a number. It is only printed; a
//! test runs it on both databases.

use super::comparison::calendar::PartFacts;
use super::document::Report;
use super::facts::TopicFacts;
use super::format::count_noun;
use crate::model::{Span, Time};

/// Which figures have a statement.
pub(super) const NAMED: &str = "the SQL for the numbers of items, unique items, authors, tone, copied texts, searches and cost is at the end of each topic";

/// A figure and its statement.
pub(super) struct Query {
    pub(super) figure: String,
    pub(super) sql: String,
}

impl Query {
    fn of(figure: &str, sql: String) -> Self {
        Self { figure: figure.to_owned(), sql }
    }

    /// A statement that counts items cannot apply the topic's filter, so its title states the difference.
    fn of_items(figure: &str, filtered: u64, sql: String) -> Self {
        match filtered {
            0 => Self::of(figure, sql),
            more => Self::of(&format!("{figure} (before the filter: {})", count_noun(more, "more item")), sql),
        }
    }
}

/// Returns the statements of a topic.
pub(super) fn queries(topic: &TopicFacts, report: &Report) -> Vec<Query> {
    let id = topic.id.replace('\'', "''");
    let of = format!("FROM v_item i\nWHERE i.topic = '{id}'");
    let since = match report.since {
        Some(since) => format!("f.seq > {since} AND f.seq <= {}", report.seq),
        None => format!("i.first_seen >= '{}' AND f.seq <= {}", report.span.from.iso_millis(), report.seq),
    };
    let inside = if report.window.is_calendar() {
        span_condition(&of, report.span)
    } else {
        format!(
            "FROM v_item i JOIN v_run f ON f.run = i.first_run\nWHERE i.topic = '{id}'\n  AND {since}\n  AND EXISTS (SELECT 1 FROM v_sighting s WHERE s.run = i.first_run AND s.key = i.key AND s.fit <> 'outside')"
        )
    };
    let mut all = vec![
        Query::of_items("items, unique, authors", topic.filtered, counts(&inside)),
        Query::of_items(
            "the items themselves",
            topic.filtered,
            format!("SELECT i.key, i.author, i.url, i.tone, i.score, i.scorer\n{inside}\nORDER BY i.key"),
        ),
        Query::of_items("tone", topic.filtered, tones(&inside)),
        Query::of_items(
            "copied texts",
            topic.filtered,
            format!(
                "SELECT count(*) AS copies, count(DISTINCT lower(i.author)) AS authors, min(i.key) AS one_of_them\n{inside}\nGROUP BY coalesce(i.cluster, i.key) HAVING count(*) >= 3 ORDER BY 2 DESC, 1 DESC"
            ),
        ),
        Query::of("searches, failures, cost", searches(&id, report.span)),
    ];
    let Some(calendar) = &topic.calendar else { return all };
    let (before, name) = (calendar.before.span, calendar.before_words());
    let inside = span_condition(&of, before);
    let filtered = calendar.before.filtered;
    all.push(Query::of_items(&format!("{name}: items, unique, authors"), filtered, counts(&inside)));
    all.push(Query::of_items(&format!("{name}: tone"), filtered, tones(&inside)));
    all.push(Query::of(&format!("{name}: searches, failures, cost"), searches(&id, before)));
    if !report.voice_parts.is_empty() {
        let part = |part: &PartFacts| {
            let unique = "count(DISTINCT coalesce(i.cluster, i.key)) AS unique_items";
            format!("SELECT '{}' AS part, {unique}\n{}{}", part.name, span_condition(&of, part.span), found_by(report))
        };
        let parts: Vec<String> = calendar.parts.iter().map(part).collect();
        all.push(Query::of_items("share of voice over time", topic.filtered, parts.join("\nUNION ALL\n")));
    }
    all
}

/// Restricts a statement to the items of a span. An item counts at its date, or when it was first seen if that is
/// earlier or there is no date.
fn span_condition(of: &str, span: Span) -> String {
    let moment = "CASE WHEN i.published_at < i.first_seen THEN i.published_at ELSE i.first_seen END";
    let [from, until] = [span.from, span.until].map(Time::iso_millis);
    format!("{of}\n  AND {moment} >= '{from}' AND {moment} < '{until}'")
}

/// Restricts a statement to the items of the sources that the share of voice counts, if not all.
fn found_by(report: &Report) -> String {
    let Some(sources) = &report.voice_sources else { return String::new() };
    let names: Vec<String> = sources.iter().map(|source| format!("'{source}'")).collect();
    let sighting = "SELECT 1 FROM v_sighting s WHERE s.topic = i.topic AND s.key = i.key";
    format!("\n  AND EXISTS ({sighting} AND s.source IN ({}))", names.join(", "))
}

fn counts(inside: &str) -> String {
    format!(
        "SELECT count(*) AS items, count(DISTINCT coalesce(i.cluster, i.key)) AS unique_items, count(DISTINCT lower(i.author)) AS authors\n{inside}"
    )
}

fn tones(inside: &str) -> String {
    format!("SELECT i.scorer, i.tone, count(*) AS items\n{inside}\nGROUP BY i.scorer, i.tone ORDER BY 1, 2")
}

/// Returns the statement about the searches of a span.
fn searches(id: &str, span: Span) -> String {
    let [from, until] = [span.from, span.until].map(Time::iso_millis);
    format!(
        "SELECT source, state, count(*) AS searches, sum(coalesce(cost_usd, expected_cost_usd)) AS usd\nFROM v_search\nWHERE topic = '{id}' AND started_at >= '{from}' AND started_at < '{until}'\nGROUP BY source, state ORDER BY 1, 2"
    )
}
