//! A source that a topic gets or loses changes how much is found. Days before are not compared with days after.

use crate::support::databases::databases;
use crate::support::program::Place;
use crate::support::service::Sandbox;

/// Runs a topic at nine on twelve days in March, with other sources from the tenth day on, and returns the report of the
/// eleventh.
fn report(place: &Place, sandbox: &Sandbox, id: &str, before: &str, after: &str) -> String {
    for day in 1..=12 {
        let at = format!("2026-03-{day:02}T09:00:00Z");
        sandbox.turn_to(&at);
        let provider = format!("{}\n", sandbox.hacker_news());
        let sources = if day < 10 { before } else { after };
        let topic = format!("[[topics]]\nid = \"{id}\"\nquery = \"acme\"\nevery = \"1d\"\nsources = [{sources}]\n");
        place.configure(&sandbox.lines(), &format!("{provider}{topic}"));
        place.ok(&["once", "--at", &at]);
    }
    place.ok(&["report", "--topic", id, "--date", "2026-03-11", "--at", "2026-03-12T10:00:00Z", "--out", "r.md"]);
    std::fs::read_to_string(place.path("r.md")).unwrap()
}

#[test]
fn days_with_other_sources_are_not_compared() {
    for database in databases() {
        let sandbox = Sandbox::at("2026-03-01T09:00:00Z", &[]);
        let place = Place::new(database, "", "");
        for (id, before, after, changed) in [
            ("removed", "\"social\", \"hn\"", "\"social\"", true),
            ("added", "\"social\"", "\"social\", \"hn\"", true),
            ("answers", "\"social\"", "\"social\", \"ai\"", false),
            ("same", "\"social\", \"hn\"", "\"social\", \"hn\"", false),
        ] {
            let text = report(&place, &sandbox, id, before, after);
            let name = place.database.name;
            for sentence in ["other sources were searched then", "since its sources changed"] {
                assert_eq!(text.contains(sentence), changed, "{name}, {id}: {sentence}\n{text}");
            }
            assert!(
                !changed || (!text.contains("below usual") && !text.contains("above usual")),
                "{name}, {id}: {text}"
            );
        }
    }
}
