//! An alert, and the rows that make it fire.

use crate::support::databases::wait;
use crate::support::program::Place;

/// The alert that fires.
pub const SICK: &str = "[[alerts]]\nname = \"sick\"\nrule = \"source\"\n";

/// Inserts its firings and an event with this text.
pub fn fire(place: &Place, words: &str) {
    let words = words.replace('\'', "''");
    let line =
        serde_json::json!([{ "text": words, "url": "https://a.example/", "key": "post:x:1" }, { "text": words }]);
    wait(place.database.execute(&format!(
        "INSERT INTO alert_firing (alert, subject, since) VALUES ('sick', 'acme/web', 1773219600000), ('sick', '{words}', 1773219600000); \
         INSERT INTO alert_event (event, alert, subject, kind, at, summary, lines) VALUES \
         ('alert:sick/R1/acme/web/fired', 'sick', 'acme/web', 'fired', 1773219600001, '{words}', '{line}'), \
         ('alert:{words}/{words}/{words}/fired', '{words}', '{words}', 'fired', 1773219600002, '{words}', '[]')"
    )));
}
