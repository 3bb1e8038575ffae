//! Test only: compares canonical URLs with test vectors recorded from three independent libraries, and with the URLs of
//! a real link site. Runs if `TOPICWATCH_TEST_DATA` names the data folder.
//!
//! The libraries differ by design (they keep `http`, `www.`, passwords, trailing slashes; some repair what we refuse),
//! so their output is not compared directly. A vector says "these two spellings are one resource"; that is compared.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::{BTreeMap, HashMap};
use std::io::Write as _;
use std::path::PathBuf;

use super::{canonical, snowflake_time};
use crate::model::Time;

/// The path of a data file. Without test data, prints a line to stderr and returns `None`.
fn data(file: &str) -> Option<PathBuf> {
    let path = std::env::var_os("TOPICWATCH_TEST_DATA").map(|folder| PathBuf::from(folder).join(file));
    if path.is_none() {
        // Write to stderr directly: the test harness captures printed output of passing tests.
        let _ = writeln!(std::io::stderr(), "skipped: identity against {file} (TOPICWATCH_TEST_DATA is not set)");
    }
    path
}

#[derive(serde::Deserialize)]
struct Vector {
    id: String,
    oracle: String,
    function: String,
    options_json: String,
    input_url: String,
    expected: String,
    error: String,
}

#[test]
fn urls_that_other_libraries_treat_as_one_page_are_one_page() {
    let Some(path) = data("url/url_vectors.csv") else { return };
    let mut counted: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let mut differing = Vec::new();
    for vector in csv::Reader::from_path(path).unwrap().deserialize() {
        let vector: Vector = vector.unwrap();
        // Only functions that normalise a whole http(s) URL, with default options and without an error.
        let class =
            matches!(vector.function.as_str(), "canonicalize_url" | "url_normalize" | "normalize_url" | "scrub_url");
        let web = vector.expected.starts_with("http://") || vector.expected.starts_with("https://");
        if !class || !web || !vector.options_json.is_empty() || !vector.error.is_empty() {
            continue;
        }
        let (agreed, all) = counted.entry(vector.oracle.clone()).or_default();
        *all += 1;
        let canonical_url = canonical(&vector.input_url);
        if canonical_url.is_some() && canonical_url == canonical(&vector.expected) {
            *agreed += 1;
        } else {
            differing.push(format!("{} {} -> {}", vector.id, vector.input_url, vector.expected));
        }
    }
    let counted: Vec<(&str, (u32, u32))> = counted.iter().map(|(oracle, n)| (oracle.as_str(), *n)).collect();
    // Known differences: equal names sorted by value too (their order may matter), `#!` as a query, URLs without a
    // scheme, Unicode composed inside percent-encoding, repaired HTML remains, share links followed, guessed affiliate
    // names.
    assert_eq!(counted, [("courlan", (12, 19)), ("url_normalize", (49, 55)), ("w3lib", (37, 38))], "{differing:#?}");
}

#[test]
fn real_urls_have_stable_keys_and_merge_only_as_expected() {
    let Some(path) = data("web/hacker_news.csv") else { return };
    let (mut read, mut refused) = (0, Vec::new());
    let mut pages: HashMap<String, Vec<String>> = HashMap::new();
    for row in csv::Reader::from_path(path).unwrap().records() {
        let url = row.unwrap()[2].to_owned();
        if url.is_empty() {
            continue;
        }
        read += 1;
        let Some(key) = canonical(&url) else {
            refused.push(url);
            continue;
        };
        assert_eq!(canonical(&key).as_deref(), Some(key.as_str()), "{url}");
        let spellings = pages.entry(key).or_default();
        if !spellings.contains(&url) {
            spellings.push(url);
        }
    }
    let merged: Vec<_> = pages.iter().filter(|(_, spellings)| spellings.len() > 1).collect();
    // Checked by hand once: 107 merges, none of different pages (fragments, slashes, hosts, schemes, click parameters).
    assert_eq!((read, refused.len(), pages.len(), merged.len()), (17_660, 0, 17_369, 107), "{refused:#?} {merged:#?}");
}

#[test]
fn ids_of_real_posts_contain_times_of_their_event() {
    let Some(path) = data("posts/crisislex_t6/2012_Sandy_Hurricane.csv") else { return };
    let now = Time::parse("2013-01-01T00:00:00Z").unwrap();
    let (from, to) = (Time::parse("2012-10-25T00:00:00Z").unwrap(), Time::parse("2012-11-15T00:00:00Z").unwrap());
    let (mut timed, mut read) = (0, 0);
    for row in csv::Reader::from_path(path).unwrap().records() {
        let id = row.unwrap()[0].trim_matches('\'').to_owned();
        read += 1;
        timed += u32::from(snowflake_time(&id, now).is_some_and(|at| from <= at && at <= to));
    }
    assert!(read > 9_000 && timed == read, "{timed} of {read}");
}
