//! How exports show pruning: which items lost their text and when, and which snapshots are thinned. Also a kill while
//! runs are pruned. Every case on both databases.

use std::time::Duration;

use serde_json::Value;
use topicwatch::export::ExportKind;
use topicwatch::model::{Retention, Time};
use topicwatch::store::Filter;

use crate::support::databases::{Database, block_on, databases, postgres, sqlite};
use crate::support::ledger_checks::FAILPOINT;
use crate::support::old_history::{DAY, dump_tables, fill, present};
use crate::support::program::Place;
use crate::support::sample_history::export_objects;
use crate::support::searched::open_store;

#[tokio::test(flavor = "multi_thread")]
async fn exported_rows_say_that_their_content_was_pruned() {
    let mut reported = Vec::new();
    for database in databases() {
        let store = open_store(&database).await;
        fill(&database, &store).await;
        let named = |rows: &[Value], column: &str| rows.iter().filter(|row| !row[column].is_null()).count();
        let before = export_objects(&store, ExportKind::Items, Filter::default()).await;
        assert_eq!(named(&before, "pruned_at"), 0, "{}", database.name);
        let rule = Retention { raw: None, sightings: Some(3 * DAY), items: Some(4 * DAY), runs: None };
        store.prune(&rule, present(), Duration::from_secs(600), false, &|| false).await.unwrap();
        let items = export_objects(&store, ExportKind::Items, Filter::default()).await;
        assert_eq!(named(&items, "pruned_at"), 12, "{}", database.name);
        for row in &items {
            assert_eq!(row["pruned_at"].is_null(), row["text"].is_string(), "{row}");
        }
        let at = items.iter().find_map(|row| row["pruned_at"].as_str()).unwrap();
        assert_eq!(Time::parse(at), Some(present()));
        let runs = export_objects(&store, ExportKind::Runs, Filter::default()).await;
        for row in &runs {
            let thinned =
                database.number(&format!("SELECT thinned FROM v_run WHERE run = '{}'", row["run"].as_str().unwrap()));
            assert_eq!(row["thinned"], thinned == 1, "{row}");
        }
        assert_eq!(runs.iter().filter(|row| row["thinned"] == true).count(), 20, "{}", database.name);
        reported.push((items, runs));
        database.close(store).await;
    }
    assert!(reported.windows(2).all(|two| two[0] == two[1]));
}

#[test]
fn a_kill_while_runs_are_pruned_loses_nothing() {
    let rules = "[retention]\nraw = \"2d\"\nsightings = \"3d\"\nitems = \"4d\"\nruns = \"38d\"\n\n[[topics]]\nid = \"acme\"\nquery = \"acme\"\n";
    let at = Time(present().0 + 36 * DAY).to_string();
    let fresh = |name: &str| {
        let own: Database = if name == "SQLite" { sqlite() } else { postgres().unwrap() };
        let place = Place::new(own, "base_url = \"sandbox\"\n", rules);
        block_on(async {
            let store = open_store(&place.database).await;
            fill(&place.database, &store).await;
            store.close().await;
        });
        place
    };
    // Generated row ids differ between two databases.
    let reported = |place: &Place| -> Vec<String> {
        dump_tables(&place.database).into_iter().filter(|line| !line.starts_with("known")).collect()
    };
    for name in databases().iter().map(|database| database.name) {
        let unharmed = fresh(name);
        let runs = unharmed.database.runs();
        unharmed.ok(&["db", "prune", "--at", &at]);
        assert!(unharmed.database.runs() < runs, "{name}: runs went");
        for moment in ["written", "committed"] {
            let place = fresh(name);
            let point = format!("kill prune_runs::runs/{moment}");
            let killed = place.program(&["db", "prune", "--at", &at]).env(FAILPOINT, &point).run();
            assert_eq!(killed.code, None, "{point}: {killed}");
            place.ok(&["db", "prune", "--at", &at]);
            assert_eq!(reported(&place), reported(&unharmed), "{name} {point}");
            assert_eq!(place.json(&["db", "prune", "--json", "--at", &at])["pruned"]["gone"], serde_json::json!({}));
        }
    }
}
