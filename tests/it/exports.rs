//! The content of exports: the same bytes from both databases in every format, read back by independent readers, and
//! narrowed by every filter. `cli` and `story` test how they reach a file.

use crate::support::sample_history::*;
use std::collections::BTreeMap;

use serde_json::Value;
use topicwatch::export::{ExportFilter, ExportKind, ExportOptions, Format, Profile, Type};
use topicwatch::model::{RunExportRow, RunRow, SeqRange, SightingRow, Source, Time, Tone};
use topicwatch::store::{Filter, Store, StoreError};

use crate::support::databases::databases;
use crate::support::searched::{open_store, outcome, seen_item, start_manual_run};

#[tokio::test]
async fn each_export_kind_has_equal_bytes_on_both_databases_and_equal_cells_in_both_formats() {
    let mut reported: Vec<BTreeMap<String, String>> = Vec::new();
    for database in databases() {
        let store = open_store(&database).await;
        store_awkward_history(&store).await;
        let mut files = BTreeMap::new();
        for what in ExportKind::ALL {
            let csv = export_to_string(&store, &ExportOptions::all(*what)).await;
            let excel =
                export_to_string(&store, &ExportOptions { profile: Profile::Excel, ..ExportOptions::all(*what) }).await;
            let jsonl =
                export_to_string(&store, &ExportOptions { format: Format::Jsonl, ..ExportOptions::all(*what) }).await;
            same_cells(*what, &csv, &excel, &jsonl);
            for (name, text) in [("csv", csv), ("excel", excel), ("jsonl", jsonl)] {
                files.insert(format!("{what} {name}"), text);
            }
        }
        reported.push(files);
        database.close(store).await;
    }
    for other in &reported[1..] {
        for (name, text) in other {
            assert!(text == &reported[0][name], "{name} differs:\n{}\n---\n{text}", reported[0][name]);
        }
    }
}

/// Asserts that both formats, read by the csv crate and serde_json, have the same cells, of the types that the columns
/// declare.
fn same_cells(what: ExportKind, csv: &str, excel: &str, jsonl: &str) {
    let headings = what.columns();
    let mut rows = csv::Reader::from_reader(csv.as_bytes());
    let mut guarded = csv::Reader::from_reader(excel.strip_prefix('\u{feff}').unwrap().as_bytes());
    assert_eq!(rows.headers().unwrap(), headings.iter().map(|h| h.name).collect::<Vec<_>>(), "{what}");
    let (rows, guarded): (Vec<_>, Vec<_>) = (rows.records().collect(), guarded.records().collect());
    let objects: Vec<serde_json::Map<String, Value>> =
        jsonl.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // These items are too few for notable terms; `terms` tests their rows.
    assert!(what == ExportKind::Terms || !rows.is_empty(), "{what}");
    assert!(rows.len() == objects.len() && rows.len() == guarded.len(), "{what}");
    for ((row, guarded), object) in rows.into_iter().zip(guarded).zip(&objects) {
        let (row, guarded) = (row.unwrap(), guarded.unwrap());
        assert_eq!((row.len(), object.len()), (headings.len(), headings.len()), "{what}");
        for ((cell, guarded), heading) in row.iter().zip(guarded.iter()).zip(&headings) {
            let stripped = guarded.strip_prefix('\'').unwrap_or(guarded);
            assert_eq!(stripped, cell, "{what}.{}", heading.name);
            let words = matches!(heading.kind, Type::Text | Type::Id);
            assert!(words || guarded == cell, "{what}.{} is touched", heading.name);
            let value = &object[heading.name];
            let read = match heading.kind {
                _ if value.is_null() => String::new(),
                Type::Text | Type::Id | Type::Word | Type::Time | Type::Date => value.as_str().unwrap().to_owned(),
                Type::Flag => value.as_bool().unwrap().to_string(),
                Type::Integer => value.as_i64().unwrap().to_string(),
                Type::Decimal => {
                    let decimals = cell.rsplit_once('.').unwrap().1.len();
                    format!("{:.decimals$}", value.as_f64().unwrap())
                }
                Type::Money => format!("{:.6}", value.as_f64().unwrap()),
            };
            assert_eq!(read, cell, "{what}.{}", heading.name);
        }
    }
}

#[tokio::test]
async fn every_filter_narrows_the_exports_it_applies_to() {
    for database in databases() {
        let store = open_store(&database).await;
        store_awkward_history(&store).await;
        let many = async |what: ExportKind, filter: Filter| export_objects(&store, what, filter).await.len();
        let all = Filter::default;
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let n = AWKWARD_TEXTS.len();
        for (what, filter, expected) in [
            (ExportKind::Items, all(), 2 * n + n / 2),
            (ExportKind::Items, Filter { topics: texts(&["=loud"]), ..all() }, n),
            (ExportKind::Items, Filter { tags: texts(&["a\"b"]), ..all() }, n + n / 2),
            (ExportKind::Items, Filter { tags: texts(&["news"]), ..all() }, n + n / 2),
            (ExportKind::Items, Filter { tags: texts(&["news, too", "a\"b"]), ..all() }, 2 * n + n / 2),
            (ExportKind::Items, Filter { tags: texts(&["new", "b", "too", "NEWS", "\", \""]), ..all() }, 0),
            (ExportKind::Runs, Filter { tags: texts(&["news"]), ..all() }, 2),
            (ExportKind::Items, Filter { authors: texts(&["aNN_É"]), ..all() }, 2),
            (ExportKind::Items, Filter { authors: texts(&["ann_é"]), ..all() }, 0),
            (ExportKind::Sightings, Filter { authors: texts(&["PLAIN", "\"", "null"]), ..all() }, 6),
            (ExportKind::Items, Filter { tones: vec![Tone::Negative], topics: texts(&["=loud"]), ..all() }, 2),
            (ExportKind::Sightings, Filter { tones: vec![Tone::Negative, Tone::Positive], ..all() }, 9),
            (ExportKind::New, Filter { tones: vec![Tone::Negative], topics: texts(&["=loud"]), ..all() }, 2),
            (ExportKind::Items, Filter { sources: vec![Source::Web], topics: texts(&["=loud"]), ..all() }, 5),
            (ExportKind::New, Filter { sources: vec![Source::Social], topics: texts(&["=loud"]), ..all() }, 9),
            (ExportKind::Items, Filter { sources: vec![Source::Ai], ..all() }, 0),
            (ExportKind::Searches, Filter { sources: vec![Source::Web], ..all() }, 3),
            (ExportKind::Sightings, Filter { since: Some(hours_later(1)), until: Some(hours_later(2)), ..all() }, n),
            (ExportKind::Answers, Filter { since: Some(hours_later(2)), ..all() }, 0),
            (ExportKind::Searches, Filter { until: Some(hours_later(1)), ..all() }, 2),
        ] {
            assert_eq!(many(what, filter.clone()).await, expected, "{}: {what} {filter:?}", database.name);
        }
        // First seen recently, and not older than the window at that time, as their sightings record.
        let since = Filter { new_since: Some(hours_later(1)), topics: texts(&["=loud"]), ..all() };
        for what in [ExportKind::Items, ExportKind::New] {
            assert_eq!(many(what, since.clone()).await, n, "{}: {what}", database.name);
        }
        let old = hours_later(1).0 - 30 * 3_600_000;
        let older = format!(
            "UPDATE sighting SET fit = 'outside' WHERE item IN (SELECT id FROM item WHERE published_at < {old})"
        );
        database.execute(&older).await;
        for what in [ExportKind::Items, ExportKind::New] {
            let found = export_objects(&store, what, since.clone()).await;
            let fresh = |row: &Value| row["published_at"].as_str().is_none_or(|at| at.starts_with("2026-03-11"));
            assert!(found.len() == 10 && found.iter().all(fresh), "{found:#?}");
        }
        database.close(store).await;
    }
}

#[tokio::test]
async fn consecutive_span_files_equal_the_whole_export() {
    for database in databases() {
        let store = open_store(&database).await;
        store_awkward_history(&store).await;
        for what in ExportKind::ALL.iter().copied().filter(|what| what.supported_filters().contains(&ExportFilter::Seq))
        {
            let stretch = async |since: i64, until: i64| {
                let filter = Filter { seq: Some(SeqRange { since, until }), ..Filter::default() };
                export_to_string(&store, &ExportOptions { format: Format::Jsonl, filter, ..ExportOptions::all(what) })
                    .await
            };
            let whole = stretch(0, 3).await;
            let mut sorted = [
                whole.clone(),
                export_to_string(&store, &ExportOptions { format: Format::Jsonl, ..ExportOptions::all(what) }).await,
            ]
            .map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
            sorted.iter_mut().for_each(|lines| lines.sort());
            assert_eq!(sorted[0], sorted[1], "{what}: the same rows without a range");
            let parts = [stretch(0, 1).await, stretch(1, 1).await, stretch(1, 2).await, stretch(2, 3).await];
            assert!(parts.concat() == whole, "{what}: {parts:?}\n{whole}");
            assert_eq!(parts[1], "", "{what}");
        }
        database.close(store).await;
    }
}

#[tokio::test]
async fn items_of_a_first_reply_are_exported_as_baseline() {
    for database in databases() {
        let store = open_store(&database).await;
        store_awkward_history(&store).await;
        let quiet = |rows: &[Value], run: &str| {
            let of = rows.iter().filter(|row| row["first_run"] == run);
            of.map(|row| row["baseline"].as_bool().unwrap()).collect::<Vec<_>>()
        };
        let rows = export_objects(&store, ExportKind::New, Filter::default()).await;
        assert!(quiet(&rows, "R0").iter().chain(&quiet(&rows, "R1")).all(|baseline| *baseline), "{}", database.name);
        // The third run changes the web query; its social query has been answered before.
        let by_web =
            export_objects(&store, ExportKind::New, Filter { sources: vec![Source::Web], ..Filter::default() }).await;
        let by_social =
            export_objects(&store, ExportKind::New, Filter { sources: vec![Source::Social], ..Filter::default() })
                .await;
        assert_eq!(quiet(&by_web, "R2"), [true; 2]);
        assert_eq!(quiet(&by_social, "R2"), [false; 5]);
        // Also without sightings: then every query of the run counts.
        database.execute("DELETE FROM sighting").await;
        let rows = export_objects(&store, ExportKind::New, Filter::default()).await;
        assert_eq!(quiet(&rows, "R1").iter().filter(|baseline| **baseline).count(), AWKWARD_TEXTS.len());
        assert!(quiet(&rows, "R2").iter().all(|baseline| !*baseline));
        database.close(store).await;
    }
}

/// Sightings as `each_sighting` returns them.
async fn paged(store: &Store, filter: &Filter) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut each = |row: SightingRow| {
        rows.push(serde_json::to_value(row).unwrap());
        Ok::<_, StoreError>(())
    };
    store.each_sighting(filter, &mut each).await.unwrap();
    rows
}

#[tokio::test]
async fn paged_sightings_equal_the_sightings_of_each_run() {
    for database in databases() {
        let store = open_store(&database).await;
        store_awkward_history(&store).await;
        // More runs than fit on a page, several at the same time, some without a sighting, with times from all
        // centuries.
        let times =
            ["0001-01-01T00:00:00Z", "1700-02-28T23:59:59.999Z", "1969-12-31T23:59:59.5Z", "9999-12-31T23:59:59Z"];
        for n in 0..40 {
            let t = tagged("calm", &["a\"b", "news"]);
            let held = start_manual_run(&store, &t, &format!("{}", 7_000 + n), hours_later(n / 3)).await;
            let world = (0..n % 4).map(|of| {
                let key = format!("page:https://example.com/{of},{n}");
                let mut item = seen_item(
                    Source::SERVICE[of as usize % 3],
                    of as u32 + 1,
                    &[key.as_str()],
                    AWKWARD_TEXTS[n as usize % 14],
                );
                let found = &mut item.sightings[0].found;
                found.published_at = Time::parse(times[of as usize]);
                found.url = Some(format!("https://example.com/{of}?a=\"{n}\""));
                found.author = None;
                // Empty is different from unknown; and one text is longer than a page.
                found.title = Some(if n == 39 { "long\u{1F600}, ".repeat(60_000) } else { String::new() });
                item
            });
            store.finish(&held, outcome(hours_later(n / 3), world.collect())).await.unwrap();
            store.publish().await.unwrap();
        }
        // Items without a cluster, first in their cluster, in another's cluster, and not processed yet.
        database.execute("UPDATE item SET cluster = id - id % 2 WHERE id % 5 > 1").await;
        let mut runs = Vec::new();
        let mut each = |row: RunExportRow| {
            runs.push(row.run);
            Ok::<_, StoreError>(())
        };
        store.each_run(&Filter::default(), &mut each).await.unwrap();
        let mut by_number = runs.clone();
        by_number.sort_by_key(|run| run.seq);
        let of = async |runs: &[RunRow], keeps: &dyn Fn(&RunRow, &SightingRow) -> bool| {
            let mut all = Vec::new();
            for run in runs {
                let sightings = store.sightings_of(&run.run).await.unwrap();
                all.extend(
                    sightings.iter().filter(|row| keeps(run, row)).map(|row| serde_json::to_value(row).unwrap()),
                );
            }
            all
        };
        let all = Filter::default;
        let sources = vec![Source::Web, Source::Ai];
        for (filter, expected) in [
            (all(), of(&runs, &|_, _| true).await),
            (
                Filter { seq: Some(SeqRange { since: 2, until: 21 }), ..all() },
                of(&by_number, &|run, _| (3..=21).contains(&run.seq.unwrap())).await,
            ),
            (
                Filter {
                    since: Some(hours_later(1)),
                    until: Some(hours_later(9)),
                    topics: vec!["calm".into()],
                    ..all()
                },
                of(&runs, &|_, row| row.topic == "calm" && (hours_later(1)..hours_later(9)).contains(&row.seen_at))
                    .await,
            ),
            (Filter { sources: sources.clone(), ..all() }, of(&runs, &|_, row| sources.contains(&row.source)).await),
            (
                Filter { tones: vec![Tone::Negative], ..all() },
                of(&runs, &|_, row| row.tone.tone == Some(Tone::Negative)).await,
            ),
            (
                Filter { authors: vec!["@HANDLE".into(), "plain".into()], ..all() },
                of(&runs, &|_, row| row.author.as_ref().is_some_and(|a| a == "@handle" || a == "plain")).await,
            ),
        ] {
            let found = paged(&store, &filter).await;
            assert!(!found.is_empty() && found.len() == expected.len(), "{}: {filter:?}", database.name);
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "{}: {filter:?}", database.name);
            }
        }
        // A reader that stops in the middle gets its own error, and the store is unchanged.
        let mut taken = 0;
        let mut each = |_| {
            taken += 1;
            if taken == 50 { Err(StoreError::from(sqlx::Error::WorkerCrashed)) } else { Ok(()) }
        };
        assert!(store.each_sighting(&all(), &mut each).await.is_err());
        assert_eq!(taken, 50);
        assert_eq!(paged(&store, &all()).await.len(), of(&runs, &|_, _| true).await.len());
        database.close(store).await;
    }
}
