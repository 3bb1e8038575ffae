//! The complete output of everyday commands: tables, sums and notes, the same as JSON, the report as Markdown, and the
//! text of the pages, compared with the files in `snapshots/`. `INSTA_UPDATE=always` rewrites them.

use crate::support::databases::sqlite;
use crate::support::printed::{visible_text, without_run_details};
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::Pages;
use crate::support::web_topics::TOPICS;

/// Half a day after the first run.
const LATER: &str = "2026-03-11T21:00:00Z";

#[test]
fn everyday_commands_match_their_snapshots() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    for (name, arguments) in [
        ("once_first", &["once", "--at", NINE][..]),
        ("once_again", &["once", "--at", NINE]),
        ("status", &["status", "--at", NINE]),
        ("runs", &["runs"]),
        ("runs_searches", &["runs", "--searches", "--limit", "1"]),
        ("items", &["items", "--limit", "5"]),
        ("coverage", &["coverage", "acme", "--at", NINE]),
        ("plan", &["plan", "--at", NINE]),
    ] {
        insta::assert_snapshot!(name, without_run_details(&place.ok(arguments)));
    }
}

#[test]
fn json_report_and_pages_match_their_snapshots() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    let pretty = |arguments: &[&str]| serde_json::to_string_pretty(&place.json(arguments)).unwrap();
    insta::assert_snapshot!("json_once", without_run_details(&pretty(&["once", "--json", "--at", NINE])));
    sandbox.set_clock(LATER);
    place.ok(&["once", "--at", LATER]);
    for (name, arguments) in [
        ("json_status", &["status", "--json", "--at", LATER][..]),
        ("json_runs", &["runs", "--json", "--limit", "1"]),
        ("json_items", &["items", "--json", "--limit", "2"]),
        ("json_coverage", &["coverage", "acme", "--json", "--at", LATER]),
        ("json_plan", &["plan", "--json", "--at", LATER]),
    ] {
        insta::assert_snapshot!(name, without_run_details(&pretty(arguments)));
    }
    place.ok(&["report", "--date", "2026-03-11", "--out", "day.md", "--at", LATER]);
    let report = std::fs::read_to_string(place.path("day.md")).unwrap();
    insta::assert_snapshot!("report_markdown", without_run_details(&report));
    let pages = Pages::serve(&place, &["--at", LATER]);
    for (name, path) in
        [("page_overview", "/"), ("page_runs", "/runs"), ("page_health", "/health"), ("page_topic", "/topics/acme")]
    {
        insta::assert_snapshot!(name, without_run_details(&visible_text(&pages.page(path))));
    }
}
