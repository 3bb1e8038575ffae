//! Every export of a history, and checks that their sums agree.

use crate::support::program::Place;

pub const EXPORTS: [&str; 6] = ["items", "sightings", "new", "answers", "runs", "daily"];

/// Every export in both profiles, with its name.
pub fn exports(place: &Place) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for what in EXPORTS {
        for profile in ["machine", "excel"] {
            all.push((format!("{what} {profile}"), place.ok(&["export", "--what", what, "--profile", profile])));
        }
    }
    all
}

/// The rows of a CSV by header.
pub fn csv_rows(csv: &str) -> Vec<std::collections::HashMap<String, String>> {
    let mut reader = csv::ReaderBuilder::new().from_reader(csv.trim_start_matches('\u{feff}').as_bytes());
    reader.deserialize().map(|row| row.unwrap()).collect()
}

pub fn column_sum(rows: &[std::collections::HashMap<String, String>], column: &str) -> i64 {
    rows.iter().map(|row| row[column].parse::<i64>().unwrap()).sum()
}

pub fn table_size(place: &Place, table: &str) -> usize {
    let sizes = place.database.table_sizes();
    usize::try_from(sizes.iter().find(|(name, _)| *name == table).unwrap().1).unwrap()
}

/// Asserts that exports parse, and that their rows and sums agree with the tables and with one another.
pub fn assert_adds_up(place: &Place) {
    let csv = |what| csv_rows(&place.ok(&["export", "--what", what]));
    let (items, sightings, answers, runs) = (csv("items"), csv("sightings"), csv("answers"), csv("runs"));
    assert_eq!(items.len(), table_size(place, "topic_item"));
    assert_eq!(sightings.len(), table_size(place, "sighting"));
    assert_eq!(answers.len(), table_size(place, "answer"));
    assert_eq!(runs.len(), table_size(place, "run"));
    assert_eq!(column_sum(&runs, "found"), column_sum(&runs, "new") + column_sum(&runs, "duplicate"));
    assert_eq!(column_sum(&runs, "new"), i64::try_from(items.len()).unwrap(), "each item is new once for its topic");
    let seen = items.iter().map(|item| item["times_seen"].parse::<usize>().unwrap()).sum::<usize>();
    let seen_runs: std::collections::HashSet<_> = sightings.iter().map(|s| (&s["run"], &s["key"])).collect();
    assert_eq!(seen, seen_runs.len(), "times_seen counts the runs that saw an item");
}
