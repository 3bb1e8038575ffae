//! Topics over real posts and pages, through the sandbox's corpus folder: twice with one fixed clock, on both
//! databases. Prints the counts; asserts that the second run finds nothing new and that both databases export the same
//! bytes.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use topicwatch::sandbox::CorpusSource;

use crate::support::databases::databases;
use crate::support::exported_story::{assert_adds_up, csv_rows, exports};
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;

const TOPICS: &str = r#"
[[topics]]
id = "flood"
query = "flood"

[[topics]]
id = "hurricane"
query = "hurricane sandy"

[[topics]]
id = "boston"
query = "Boston"

[[topics]]
id = "startup"
query = "startup"
web.limit = 20

[[topics]]
id = "python"
query = "Python"
web.limit = 20

[[topics]]
id = "earthquake"
title = "Italian, as the posts are"
query = "terremoto"

[[topics]]
id = "nothing-like-it"
query = "zzyzx quux"
"#;

fn say(line: &str) {
    writeln!(std::io::stderr(), "{line}").ok();
}

/// Copies the posts and pages into one folder; without them prints a line and returns `None`.
fn corpus() -> Option<tempfile::TempDir> {
    let Some(data) = std::env::var_os("TOPICWATCH_TEST_DATA").map(PathBuf::from) else {
        say("skipped: real posts and pages (TOPICWATCH_TEST_DATA is not set)");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    for part in ["posts/crisislex_t6", "posts/crisislex_t26", "web"] {
        for entry in std::fs::read_dir(data.join(part)).unwrap() {
            let entry = entry.unwrap();
            // Copied, because the sandbox follows no links.
            std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
    }
    Some(folder)
}

#[test]
fn real_posts_and_pages_are_stored_once_and_both_databases_export_the_same() {
    let Some(folder) = corpus() else { return };
    let source = CorpusSource::Folder { path: folder.path().to_owned(), span: Duration::from_secs(14 * 86_400) };
    let sandbox = Sandbox::with(NINE, &[], source);
    let loaded = sandbox.loaded();
    say(&format!("real input: {} posts and {} pages of {} files", loaded.posts, loaded.pages, loaded.files));
    let mut reported: Option<Vec<(String, String)>> = None;
    for database in databases() {
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        let name = place.database.name;
        for turn in ["first", "second"] {
            let run = place.json(&["once", "--at", NINE, "--json"]);
            let sum = |of: &str| run["sums"][of].as_i64().or_else(|| run["sums"]["counts"][of].as_i64()).unwrap();
            let (found, new, duplicate) = (sum("found"), sum("new"), sum("duplicate"));
            say(&format!("real input, {name}, {turn} run: {found} found = {new} new + {duplicate} duplicate"));
            assert_eq!(found, new + duplicate);
            assert_eq!(new == 0, turn == "second", "{run}");
            assert!(found > 100, "{run}");
        }
        let sizes: Vec<String> =
            place.database.table_sizes().iter().map(|(table, rows)| format!("{table} {rows}")).collect();
        say(&format!("real input, {name}, rows: {}", sizes.join(", ")));
        assert_adds_up(&place);
        let exports = exports(&place);
        let rows: Vec<String> = exports.iter().map(|(name, csv)| format!("{name} {}", csv_rows(csv).len())).collect();
        say(&format!("real input, {name}, CSV rows: {}", rows.join(", ")));
        let first = reported.get_or_insert_with(|| exports.clone());
        for ((what, here), (_, there)) in first.iter().zip(&exports) {
            assert!(here == there, "{name} exports other {what}");
        }
        for topic in ["flood", "hurricane", "boston", "startup", "python", "earthquake", "nothing-like-it"] {
            place.run(&["show", topic]).assert_stdout(0, &[topic]);
            place.run(&["show", topic, "--md"]).assert_stdout(0, &[topic]);
        }
        place.run(&["items", "--limit", "1000"]).assert_stdout(0, &["flood"]);
    }
}
