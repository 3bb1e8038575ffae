//! What the everyday commands print, whole: tables, sums and notes, compared with the files in `snapshots/`.
//! `INSTA_UPDATE=always` writes them anew.

use regex::Regex;

use crate::support::databases::sqlite;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_topics::TOPICS;

/// The text without what differs from run to run: random ids, times that calls took, the database.
fn stable(text: &str) -> String {
    let same = |text: &str, pattern: &str, by: &str| Regex::new(pattern).unwrap().replace_all(text, by).into_owned();
    let text = same(text, r"/\S+/t\.db", "DATABASE");
    let text = same(&text, r"\d+\.\d kB", "N kB");
    let text = same(&text, r"\b[0-9A-HJKMNP-TV-Z]{26}\b", "RUN-ID");
    let text = same(&text, r" +\d+ ms", " N ms");
    // The column is as wide as its longest time.
    let text = same(&text, r" +(time|-)\n", " $1\n");
    let text = same(&text, r"127\.0\.0\.1:\d+", "127.0.0.1:PORT");
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn everyday_commands_print_what_the_snapshots_show() {
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
        insta::assert_snapshot!(name, stable(&place.ok(arguments)));
    }
}
