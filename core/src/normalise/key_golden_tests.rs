//! Test only: `tests/golden/keys.tsv` pins every key of `KEY_VERSION`. If a key differs, stored items would be found
//! again as new: keep the old rule or raise the version. `TOPICWATCH_REWRITE_GOLDEN=keys` rewrites the outputs in the
//! file; edit its inputs by hand.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::fmt::Write as _;

use serde_json::Value;

use super::{KEY_VERSION, canonical, identify};
use crate::model::{Kind, ReplyEntry};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden/keys.tsv");

/// Parses the entry in a line's first column. Panics on an unknown field.
fn entry(json: &str) -> (ReplyEntry, String) {
    let Value::Object(fields) = serde_json::from_str(json).unwrap() else { panic!("not an object: {json}") };
    let (mut found, mut platform) = (ReplyEntry::default(), "X".to_owned());
    for (name, value) in fields {
        let text = value.as_str().unwrap().to_owned();
        match name.as_str() {
            "kind" => found.kind = Some(Kind::parse(&text).unwrap()),
            "platform" => platform = text,
            "id" => found.id = Some(text),
            "url" => found.url = Some(text),
            "author" => found.author = Some(text),
            "title" => found.title = Some(text),
            "text" => found.text = Some(text),
            "entry" => found.entry = Some(text),
            other => panic!("unknown field {other}"),
        }
    }
    (found, platform)
}

/// Computes the second column: kind, strong or weak, keys.
fn outcome(json: &str) -> String {
    let (found, platform) = entry(json);
    identify(&found, &platform).map_or("none".to_owned(), |identity| {
        let strength = if identity.strong { "strong" } else { "weak" };
        format!("{} {strength} {}", identity.kind, identity.keys.join(" "))
    })
}

#[test]
fn keys_match_the_golden_file() {
    let golden = std::fs::read_to_string(FILE).unwrap();
    assert!(golden.starts_with(&format!("# key version {KEY_VERSION}\n")), "the file is of another version");
    let mut now = String::new();
    let mut cases = 0;
    for line in golden.lines() {
        match line.split('\t').next() {
            Some(json) if json.starts_with('{') => {
                cases += 1;
                writeln!(now, "{json}\t{}", outcome(json)).unwrap();
            }
            _ => writeln!(now, "{line}").unwrap(),
        }
    }
    if std::env::var_os("TOPICWATCH_REWRITE_GOLDEN").is_some_and(|what| what == "keys") {
        std::fs::write(FILE, &now).unwrap();
    }
    assert!(cases >= 50, "{cases} cases");
    for (was, is) in golden.lines().zip(now.lines()) {
        assert_eq!(is, was, "a key changed: keep the old rule or raise KEY_VERSION");
    }
}

#[test]
fn documented_key_examples_are_correct() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/explanation/identity.md")).unwrap();
    assert!(page.contains(&format!("**Key version {KEY_VERSION}**")));
    let mut examples = 0;
    for line in page.lines() {
        if let ["", found, expected, ""] =
            line.split('|').map(|cell| cell.trim().trim_matches('`')).collect::<Vec<_>>()[..]
            && expected.starts_with("https://")
        {
            assert_eq!(canonical(found).as_deref(), Some(expected), "{line}");
            examples += 1;
        }
    }
    assert!(examples >= 10, "{examples} examples");
}
