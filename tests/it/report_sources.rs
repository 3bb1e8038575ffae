//! A source that a topic gets or loses changes how much is found. Days before are not compared with days after.

use crate::support::databases::databases;
use crate::support::program::Place;
use crate::support::service::Sandbox;

/// Topics with their sources on the first nine days and after, and whether these count as others.
const TOPICS: [(&str, &str, &str, bool); 4] = [
    ("removed", "\"social\", \"hn\"", "\"social\"", true),
    ("added", "\"social\"", "\"social\", \"hn\"", true),
    ("answers", "\"social\"", "\"social\", \"ai\"", false),
    ("same", "\"social\", \"hn\"", "\"social\", \"hn\"", false),
];

/// Runs the topics at nine on twelve days in March, with other sources from the tenth day on.
fn watch(place: &Place, sandbox: &Sandbox) {
    for day in 1..=12 {
        let at = format!("2026-03-{day:02}T09:00:00Z");
        sandbox.set_clock(&at);
        let topics = TOPICS.map(|(id, before, after, _)| {
            let sources = if day < 10 { before } else { after };
            format!("[[topics]]\nid = \"{id}\"\nquery = \"acme\"\nevery = \"1d\"\nsources = [{sources}]\n")
        });
        place.configure(&sandbox.lines(), &format!("{}\n{}", sandbox.hacker_news(), topics.concat()));
        place.ok(&["once", "--at", &at]);
    }
}

/// The report of topics on a day.
fn report(place: &Place, topics: &[&str], date: &str, at: &str) -> String {
    let topics = topics.iter().flat_map(|id| ["--topic", *id]);
    let args: Vec<&str> = ["report", "--date", date, "--at", at, "--out", "r.md"].into_iter().chain(topics).collect();
    place.ok(&args);
    std::fs::read_to_string(place.path("r.md")).unwrap()
}

#[test]
fn days_with_other_sources_are_not_compared() {
    for database in databases() {
        let sandbox = Sandbox::at("2026-03-01T09:00:00Z", &[]);
        let place = Place::new(database, "", "");
        watch(&place, &sandbox);
        for (id, _, _, changed) in TOPICS {
            let text = report(&place, &[id], "2026-03-11", "2026-03-12T10:00:00Z");
            let name = place.database.name;
            for sentence in ["other sources were searched then", " with the same sources, 7 are needed"] {
                assert_eq!(text.contains(sentence), changed, "{name}, {id}: {sentence}\n{text}");
            }
            assert!(
                !changed || (!text.contains("below usual") && !text.contains("above usual")),
                "{name}, {id}: {text}"
            );
        }
        // On the day on which it went, its source was searched for a part only.
        let text = report(&place, &["removed"], "2026-03-09", "2026-03-12T10:00:00Z");
        for sentence in [
            "; not compared: the sources changed within this day",
            "Day before (Sunday 03-08): not compared, the sources changed within this day",
            "Searched for a part of the period: hn (only 2026-03-09 ",
        ] {
            assert!(text.contains(sentence), "{sentence}: {text}");
        }
        // Its source is back since, and its first search looked back over the day on which it went: both topics have the
        // same items there now.
        let at = "2026-03-13T09:00:00Z";
        sandbox.set_clock(at);
        let topics = TOPICS.map(|(id, before, ..)| {
            format!("[[topics]]\nid = \"{id}\"\nquery = \"acme\"\nevery = \"1d\"\nsources = [{before}]\n")
        });
        place.configure(&sandbox.lines(), &format!("{}\n{}", sandbox.hacker_news(), topics.concat()));
        place.ok(&["once", "--at", at]);
        let text = report(&place, &["removed", "same"], "2026-03-09", "2026-03-13T10:00:00Z");
        assert!(!text.contains("Only items that"), "{text}");
        let shares: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("| removed |").or(line.strip_prefix("| same |")))
            .collect();
        assert!(shares.len() == 2 && shares[0] == shares[1] && shares[0].contains("50%"), "{shares:?}: {text}");
        // Days with the same sources as now are compared, although these changed in between.
        let text = report(&place, &["removed"], "2026-03-13", "2026-03-13T10:00:00Z");
        assert!(!text.contains("Week before (Friday 03-06): not compared, other sources"), "{text}");
    }
}
