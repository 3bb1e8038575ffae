//! `daily` exports: a topic's counts by day. Each count is compared with separate SQL, with the daily report, and with
//! rows of other exports.

use serde_json::Value;
use topicwatch::export::{ExportKind, ExportOptions, Format};
use topicwatch::model::{ReportWindow, Source, Time};
use topicwatch::report::{Report, make, report_span};
use topicwatch::store::{Filter, Outcome, Store};

use crate::support::databases::{Database, databases};
use crate::support::report_spec::{NOW, spec};
use crate::support::report_world::{fill, topics};
use crate::support::sample_history::{
    export_objects, export_to_string, hours_later, judge, store_awkward_history, tagged,
};
use crate::support::searched::{open_store, outcome, seen_item, start_manual_run};
use crate::support::stored::COST;

const BERLIN: &str = "Europe/Berlin";

/// The rows of the report's data, with one run that started before midnight and searched after it.
async fn days_of(database: &Database, store: &Store) -> (Vec<Value>, Report) {
    fill(database);
    let spec = spec(BERLIN, ReportWindow::Day);
    let span = report_span(&spec, NOW, None);
    let late = format!(
        "UPDATE search SET started_at = {} WHERE run = (SELECT max(id) FROM run WHERE topic = 'acme' AND started_at < {})",
        span.from.0 + 60_000,
        span.from.0
    );
    database.execute(&late).await;
    let order =
        ExportOptions { format: Format::Jsonl, timezone: BERLIN.into(), ..ExportOptions::all(ExportKind::Daily) };
    let rows = export_to_string(store, &order).await.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (rows, make(store, &spec, &topics(), span, None, NOW, false).await.unwrap())
}

#[tokio::test]
async fn daily_export_figures_match_sql_and_the_daily_report() {
    let mut reported = Vec::new();
    for database in databases() {
        let store = open_store(&database).await;
        let (rows, report) = days_of(&database, &store).await;
        let named = |topic: &str| rows.iter().filter(|row| row["topic"] == topic).count();
        assert_eq!((named("acme"), named("globex")), (17, 17), "{}", database.name);
        for row in &rows {
            assert_day_matches_sql(&database, row);
        }
        let mut compared = 0;
        for facts in &report.topics {
            for day in &facts.days {
                let row = rows.iter().find(|row| row["topic"] == *facts.id && row["day"] == *day.date);
                let Some(row) = row else { continue };
                compared += 1;
                let as_told = |column: &str| row[column].as_u64().unwrap();
                for (column, figure) in [
                    ("items", day.counted.raw),
                    ("unique", day.counted.unique),
                    ("authors", day.counted.authors),
                    ("posts", day.counted.posts),
                    ("pages", day.counted.pages),
                    ("undated", day.counted.undated),
                    ("negative", day.tones.negative),
                    ("neutral", day.tones.neutral),
                    ("positive", day.tones.positive),
                    ("unsupported", day.tones.unsupported),
                ] {
                    assert_eq!(as_told(column), figure, "{}: {column} of {row}", database.name);
                }
                // For the report, the last day is not over.
                if day.date != report.date {
                    let share = (day.covered.unwrap() * 1e4).floor() / 1e4;
                    // A report marks counts of days with gaps, too.
                    let is_saturated = row["saturated"].as_bool().unwrap();
                    assert!(day.at_least || !is_saturated && share >= 0.9, "{row}");
                    assert!(!day.at_least || is_saturated || share < 0.98, "{row}");
                    assert_eq!(row["covered_share"].as_f64().unwrap(), share, "{row}");
                    assert_eq!(row["at_least"], day.at_least, "{row}");
                    let holes = facts.holes.iter().filter(|hole| !hole.before);
                    let holes = holes.filter_map(|hole| hole.span.intersection(day.span));
                    assert_eq!(as_told("holes"), holes.count() as u64, "{row}");
                }
            }
            let row = rows.iter().find(|row| row["topic"] == *facts.id && row["day"] == *report.date).unwrap();
            assert_eq!(row["scorer"].as_str(), facts.tone.scorer.as_deref());
            assert_eq!(row["cost_usd"].as_f64().unwrap(), facts.cost.unwrap().0 as f64 / 1e6, "{row}");
        }
        assert!(compared > 1, "{rows:?}");
        reported.push(rows);
        database.close(store).await;
    }
    assert!(reported.windows(2).all(|two| two[0] == two[1]));
}

/// Computes a day again from the views.
fn assert_day_matches_sql(database: &Database, row: &Value) {
    let at = |column: &str| Time::parse(row[column].as_str().unwrap()).unwrap().0;
    let (topic, from, until) = (row["topic"].as_str().unwrap(), at("from"), at("until"));
    let span = format!("BETWEEN '{}' AND '{}'", Time(from).iso_millis(), Time(until - 1).iso_millis());
    let item = format!("FROM v_item i WHERE i.topic = '{topic}'");
    let inside = format!(
        "{item} AND (CASE WHEN i.published_at < i.first_seen THEN i.published_at ELSE i.first_seen END) {span}"
    );
    let asked = format!("FROM v_search s WHERE s.topic = '{topic}' AND s.started_at {span}");
    let sounds = |tone: &str| format!("count(*) {inside} AND i.tone = '{tone}' AND i.scorer = 'builtin-4'");
    for (column, sql) in [
        ("items", format!("count(*) {inside}")),
        ("unique", format!("count(DISTINCT coalesce(i.cluster, i.key)) {inside}")),
        ("authors", format!("count(DISTINCT lower(i.author)) {inside}")),
        ("posts", format!("count(*) {inside} AND i.kind = 'post'")),
        ("pages", format!("count(*) {inside} AND i.kind = 'page'")),
        ("undated", format!("count(*) {inside} AND i.published_at IS NULL")),
        ("first_seen", format!("count(*) {item} AND i.first_seen {span}")),
        ("negative", sounds("negative")),
        ("neutral", sounds("neutral")),
        ("positive", sounds("positive")),
        ("unsupported", sounds("unsupported")),
        ("unscored", format!("count(*) {inside} AND (i.tone IS NULL OR i.scorer = 'other-2')")),
        ("runs", format!("count(DISTINCT s.run) {asked}")),
        ("calls", format!("coalesce(sum(s.tries), 0) {asked}")),
        ("social_answered", format!("count(*) {asked} AND s.source = 'social' AND s.state = 'ok'")),
        ("web_answered", format!("count(*) {asked} AND s.source = 'web' AND s.state = 'ok'")),
        ("web_failed", format!("count(*) {asked} AND s.source = 'web' AND s.state = 'error'")),
    ] {
        assert_eq!(row[column].as_i64().unwrap(), database.number(&format!("SELECT {sql}")), "{column} of {row}");
    }
    let cost = database.number(&format!("SELECT coalesce(sum({COST}), 0) {asked}"));
    assert_eq!((row["cost_usd"].as_f64().unwrap() * 1e6).round() as i64, cost, "{row}");
    // Minute by minute: no span here is shorter.
    let spans = database.covered(topic, "social");
    let covered = |at: &i64| spans.iter().any(|(from, until)| from <= at && at < until);
    let minutes = (from..until).step_by(60_000).filter(covered).count();
    assert_eq!(row["covered_s"].as_u64().unwrap(), minutes as u64 * 60, "{row}");
    let last = spans.iter().map(|(_, until)| *until).max().unwrap();
    let missed = (from..until.min(last)).step_by(60_000).filter(|at| !covered(at)).count();
    assert_eq!(row["holes_s"].as_u64().unwrap(), minutes_of(missed), "{row}");
}

fn minutes_of(many: usize) -> u64 {
    many as u64 * 60
}

#[tokio::test]
async fn daily_export_figures_match_the_exported_rows() {
    let mut reported = Vec::new();
    for database in databases() {
        let store = open_store(&database).await;
        store_awkward_history(&store).await;
        // Nothing ran the next day; one of its posts was found on the third.
        let held = start_manual_run(&store, &tagged("calm", &["a\"b", "news"]), "R9", hours_later(40)).await;
        let mut late = seen_item(Source::Social, 1, &["post:x:late"], "two days later");
        late.sightings[0].found.published_at = Some(hours_later(20));
        store.finish(&held, Outcome { judge: Some(judge), ..outcome(hours_later(40), vec![late]) }).await.unwrap();
        store.publish().await.unwrap();
        let days = export_objects(&store, ExportKind::Daily, Filter::default()).await;
        let named: Vec<_> =
            days.iter().map(|day| (day["topic"].as_str().unwrap(), day["day"].as_str().unwrap())).collect();
        let calm = |day| ("calm", day);
        assert_eq!(named, [("=loud", "2026-03-11"), calm("2026-03-11"), calm("2026-03-12"), calm("2026-03-13")]);
        let items = export_objects(&store, ExportKind::Items, Filter::default()).await;
        let searches = export_objects(&store, ExportKind::Searches, Filter::default()).await;
        for day in &days {
            let date = day["day"].as_str().unwrap();
            let of =
                |rows: &[Value]| rows.iter().filter(|row| row["topic"] == day["topic"]).cloned().collect::<Vec<_>>();
            let on = |at: &Value| at.as_str().is_some_and(|at| at.starts_with(date));
            let mut inside = of(&items);
            inside.retain(|row| {
                let (published, seen) = (row["published_at"].as_str(), row["first_seen"].as_str().unwrap());
                published.unwrap_or(seen).min(seen).starts_with(date)
            });
            let tone = |tone: &str| inside.iter().filter(|row| row["tone"] == tone).count();
            let authors: std::collections::BTreeSet<_> =
                inside.iter().filter_map(|row| Some(row["author"].as_str()?.to_lowercase())).collect();
            for (column, expected) in [
                ("items", inside.len()),
                ("posts", inside.len()),
                ("authors", authors.len()),
                ("undated", inside.iter().filter(|row| row["published_at"].is_null()).count()),
                ("first_seen", of(&items).iter().filter(|row| on(&row["first_seen"])).count()),
                ("negative", tone("negative")),
                ("positive", tone("positive")),
                ("neutral", tone("neutral")),
                ("web_answered", of(&searches).iter().filter(|s| on(&s["started_at"]) && s["source"] == "web").count()),
                ("filtered", 0),
                ("unscored", 0),
            ] {
                assert_eq!(day[column], expected, "{}: {column} of {day}", database.name);
            }
            let cost: f64 =
                of(&searches).iter().filter(|s| on(&s["started_at"])).map(|s| s["cost_usd"].as_f64().unwrap()).sum();
            assert!((day["cost_usd"].as_f64().unwrap() - cost).abs() < 1e-9, "{day} {cost}");
            let share = |part: usize| (part as f64 * 1e4 / inside.len() as f64).round() / 1e4;
            assert!(inside.is_empty() || day["negative_share"].as_f64() == Some(share(tone("negative"))), "{day}");
        }
        assert_eq!(
            (&days[2]["last_run"], &days[2]["items"], &days[3]["last_run"]),
            (&Value::Null, &1.into(), &"R9".into())
        );
        // In another zone the day starts at another time: there the third run was after midnight.
        let order = ExportOptions { timezone: "Pacific/Auckland".into(), ..ExportOptions::all(ExportKind::Daily) };
        let elsewhere = export_to_string(&store, &order).await;
        assert!(
            elsewhere.contains("calm,2026-03-11,2026-03-10T11:00:00.000Z,2026-03-11T11:00:00.000Z,R0,1,"),
            "{elsewhere}"
        );
        assert!(
            elsewhere.contains("calm,2026-03-12,2026-03-11T11:00:00.000Z,2026-03-12T11:00:00.000Z,R2,1,"),
            "{elsewhere}"
        );
        let one = Filter {
            since: Some(hours_later(20)),
            until: Some(hours_later(21)),
            tags: vec!["news".into()],
            ..Filter::default()
        };
        assert!(export_objects(&store, ExportKind::Daily, one).await == days[2..3], "{}", database.name);
        reported.push((days, elsewhere));
        database.close(store).await;
    }
    assert!(reported.windows(2).all(|two| two[0] == two[1]));
}
