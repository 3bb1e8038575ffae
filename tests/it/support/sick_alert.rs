//! An alert, and the rows that make it fire.

use crate::support::alert_rows::Event;
use crate::support::program::Place;

/// The alert that fires.
pub const SICK: &str = "[[alerts]]\nname = \"sick\"\nrule = \"source\"\n";

/// Inserts its firings and an event with this text; `muted` is why it was not reported.
pub fn fire(place: &Place, words: &str, muted: Option<&str>) {
    let nine = Event::default().at;
    let lines =
        serde_json::json!([{ "text": words, "url": "https://a.example/", "key": "post:x:1" }, { "text": words }]);
    place.database.add_firings(&[("sick", "acme/web", nine, false), ("sick", words, nine, false)]);
    place.database.add_events(&[
        Event {
            subject: "acme/web",
            at: nine + 1,
            summary: words,
            lines: &lines.to_string(),
            muted,
            ..Event::default()
        },
        Event { alert: words, subject: words, of: words, at: nine + 2, summary: words, ..Event::default() },
    ]);
}
