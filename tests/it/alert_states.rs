//! How alerts are shown that sent nothing or check nothing, on both databases: subjects that are held back, or that
//! fired before the alert was paused, do not count as firing on any page, list or metric.

use serde_json::{Value, json};

use crate::support::alert_rows::Event;
use crate::support::api_client::get_json;
use crate::support::databases::databases;
use crate::support::exposition::ExposedMetrics;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::Pages;

/// The words of the second alert look like the key that pauses one.
const FILE: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\n\
    [[alerts]]\nname = \"loud\"\nrule = \"volume\"\n\
    [[alerts]]\nname = \"words\"\nrule = \"items\"\nwords = ['\"paused\":true']\n\
    [[alerts]]\nname = \"off\"\nrule = \"source\"\npaused = true\n\
    [[alerts]]\nname = \"tone\"\nrule = \"negative\"\n";

/// Inserts firing subjects by hand: `alerts` tests the rules themselves. `loud` fires and holds back, `tone` only holds
/// back, `off` fired before it was paused.
fn place(database: crate::support::databases::Database) -> (Sandbox, Place) {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(database, &sandbox.lines(), FILE);
    place.ok(&["once", "--due", "--at", "2026-03-11T08:59:00Z"]);
    place.ok(&["once", "--at", NINE]);
    place.ok(&["once", "--due", "--at", NINE]);
    let events = [
        ("loud", "acme", Some("no channels")),
        ("loud", "acme/unrelated", Some("unrelated posts")),
        ("tone", "acme/unrelated", Some("unrelated posts")),
        ("words", "acme", None),
        ("off", "acme/web", None),
    ]
    .map(|(alert, subject, muted)| Event { alert, subject, muted, ..Event::default() });
    place.database.add_events(&events);
    place.database.add_firings(&events.map(|event| (event.alert, event.subject, event.at, false)));
    (sandbox, place)
}

#[test]
fn held_back_events_and_paused_alerts_do_not_count_as_firing() {
    for database in databases() {
        let (_sandbox, place) = place(database);
        let name = place.database.name;
        let pages = Pages::serve(&place, &["--at", NINE]);
        let overview = pages.page("/");
        assert!(overview.contains(">2 alerts firing</a>: "), "{name}: {overview}");
        let named = overview.split("alerts firing").nth(1).unwrap().split("</p>").next().unwrap();
        assert!(named.contains(">loud</a>,") && named.contains(">words</a>"), "{name}: {named}");
        assert!(!named.contains("(2)"), "{name}: {named}");
        for page in [&overview, &pages.page("/topics/acme")] {
            assert!(page.contains("alert loud</a></span>"), "{name}: {page}");
            assert_eq!(page.matches("</a> held back: unrelated posts").count(), 2, "{name}: {page}");
            assert!(!page.contains("alert off") && !page.contains("(unrelated)"), "{name}: {page}");
        }
        let exposed = ExposedMetrics::read(&pages);
        for (alert, firing) in [("loud", 1.0), ("words", 1.0), ("off", 0.0), ("tone", 0.0)] {
            let reported = exposed.value("topicwatch_alerts_firing", &[("alert", alert)]);
            assert_eq!(reported, Some(firing), "{name}: {alert}");
        }
    }
}

#[test]
fn alert_lists_show_firing_held_back_and_paused_separately() {
    for database in databases() {
        let (_sandbox, place) = place(database);
        let name = place.database.name;
        let pages = Pages::serve(&place, &["--at", NINE]);
        let page = pages.page("/alerts");
        let row = |alert: &str| {
            let row = page.split("<tr>").find(|row| row.contains(&format!("?alert={alert}\"")));
            row.unwrap_or_else(|| panic!("{name}: {alert}: {page}")).to_owned()
        };
        let held = "held back (unrelated posts): <a href=\"/topics/acme\">acme/unrelated</a> since";
        for (alert, parts) in [
            ("loud", &[">firing<", ">acme</a> since", held][..]),
            ("tone", &[">not firing<", held]),
            ("off", &[">paused<", "It fired before it was paused:", ">acme/web</a> since"]),
        ] {
            for part in parts {
                assert!(row(alert).contains(part), "{name}: {alert}: {part}: {}", row(alert));
            }
        }
        let subjects = |list: &Value| -> Vec<Value> {
            list.as_array().unwrap().iter().map(|one| one["subject"].clone()).collect()
        };
        let output = place.json(&["alerts", "--json"]);
        let by_api = get_json(&pages, "/api/v1/alerts");
        for (alert, firing, held_back, paused) in [
            ("loud", &["acme"][..], &["acme/unrelated"][..], false),
            ("words", &["acme"], &[], false),
            ("off", &["acme/web"], &[], true),
            ("tone", &[], &["acme/unrelated"], false),
        ] {
            for (all, key) in [(&output["alerts"], "name"), (&by_api["data"], "alert")] {
                let one = all.as_array().unwrap().iter().find(|one| one[key] == alert).unwrap();
                assert_eq!(subjects(&one["firing"]), firing, "{name}: {one}");
                assert_eq!(subjects(&one["held_back"]), held_back, "{name}: {one}");
                assert_eq!(one["paused"], json!(paused), "{name}: {one}");
                if key == "alert" {
                    assert_eq!(one["firing_count"], firing.len(), "{name}: {one}");
                }
            }
        }
        let text = place.ok(&["alerts"]);
        for part in ["firing: acme; held back: acme/unrelated", "paused; it fired before: acme/web"] {
            assert!(text.contains(part), "{name}: {part}: {text}");
        }
        assert!(
            text.lines().any(|line| line.starts_with("tone") && line.contains(" held back: acme/unr")),
            "{name}: {text}"
        );
    }
}
