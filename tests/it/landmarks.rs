//! Landmarks of pages and reports: each has a unique name, so that a list of landmarks is useful. Also: an answer's
//! list is marked up as a list, and a topic's first day shows its baseline next to the number.

use std::collections::BTreeMap;

use crate::support::access_stage::add_share_link;
use crate::support::databases::{databases, sqlite};
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::{Pages, without_links};
use crate::support::web_topics::TOPICS;

const REPORT: &str = "\n[[reports]]\nname = \"daily\"\nevery = \"1h\"\nwindow = \"since_last\"\npath = \"daily\"\n";

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next()
}

/// The text inside the element with an id.
fn words_of(page: &str, id: &str) -> String {
    let at = page.find(&format!(" id=\"{id}\"")).unwrap_or_else(|| panic!("no element has the id {id}"));
    let open = page[..at].rfind('<').unwrap();
    let name: String = page[open + 1..].chars().take_while(char::is_ascii_alphanumeric).collect();
    let inside = page[at..].split_once('>').unwrap().1.split(&format!("</{name}>")).next().unwrap();
    let words: String = inside
        .split('<')
        .enumerate()
        .map(|(n, part)| if n == 0 { part } else { part.split_once('>').map_or("", |(_, words)| words) })
        .collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Each landmark of a page by role and name, with its number of occurrences.
fn landmarks(page: &str) -> BTreeMap<(String, String), usize> {
    let mut all = BTreeMap::new();
    for part in page.split('<').skip(1) {
        let tag = part.split('>').next().unwrap();
        let element = tag.split(' ').next().unwrap();
        let label = attribute(tag, "aria-label").map(str::to_owned);
        let named = attribute(tag, "aria-labelledby");
        let name = label.or(named.map(|ids| ids.split(' ').map(|id| words_of(page, id)).collect::<Vec<_>>().join(" ")));
        let role = match (attribute(tag, "role"), element) {
            (Some(role @ ("region" | "search" | "navigation" | "main" | "form" | "complementary")), _) => role,
            (Some(_), _) => continue,
            (None, "nav") => "navigation",
            (None, "main") => "main",
            (None, "aside") => "complementary",
            // Without a name these are not landmarks.
            (None, "section") if name.is_some() => "region",
            (None, "form") if name.is_some() => "form",
            _ => continue,
        };
        *all.entry((role.to_owned(), name.unwrap_or_default())).or_default() += 1;
    }
    all
}

fn assert_unique_landmarks(page: &str, path: &str) -> usize {
    let all = landmarks(page);
    let twice: Vec<_> = all.iter().filter(|(_, many)| **many > 1).collect();
    assert!(twice.is_empty(), "{path}: {twice:?}");
    all.len()
}

#[test]
fn every_landmark_of_pages_and_reports_has_a_unique_name() {
    let sandbox = Sandbox::at(NINE, &[]);
    let file = format!("[web]\nedit = true\n{TOPICS}{REPORT}{}", crate::support::sick_alert::SICK);
    let place = Place::new(sqlite(), &sandbox.lines(), &file);
    place.ok(&["once", "--due", "--at", "2026-03-11T07:59:00Z"]);
    place.ok(&["once", "--at", "2026-03-11T08:30:00Z"]);
    place.ok(&["once", "--at", NINE]);
    crate::support::sick_alert::fire(&place, "words", None);
    let key = place.database.first_post();
    let item =
        format!("/item?{}", url::form_urlencoded::Serializer::new(String::new()).append_pair("key", &key).finish());
    let run = place.database.last_run("acme");
    let progress = format!("/progress/{run}");
    let shared = format!("/shared/{}", add_share_link(&place, &["--topic", "acme", "--for", "9h", "--at", NINE]).0);
    let pages = Pages::serve(&place, &["--at", NINE]);
    for (path, least) in [
        ("/", 2),
        ("/topics/acme", 5),
        ("/answers/acme", 3),
        (item.as_str(), 4),
        ("/runs", 5),
        ("/files", 2),
        ("/alerts", 3),
        ("/health", 2),
        ("/items", 6),
        ("/keys", 2),
        ("/jobs", 7),
        ("/jobs?delete=acme", 7),
        ("/jobs/new", 2),
        ("/jobs/topics/acme", 2),
        ("/access", 4),
        (progress.as_str(), 2),
        ("/topics/acme/report", 8),
        (shared.as_str(), 3),
    ] {
        let many = assert_unique_landmarks(&pages.page(path), path);
        assert!(many >= least, "{path}: only {many} landmarks");
    }
    place.ok(&["report", "--date", "2026-03-11", "--at", "2026-03-12T07:00:00Z", "--out", "page.html"]);
    let report = std::fs::read_to_string(place.path("page.html")).unwrap();
    assert!(assert_unique_landmarks(&report, "report") >= 8, "{report}");
}

#[test]
fn lists_in_answers_are_marked_up_and_a_first_day_shows_its_baseline() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        place.database.replace_answers("acme", "Three things:\n- one\n- two\n\n* three\nthe end - of it");
        let many = "SELECT new FROM v_run WHERE topic = 'acme'";
        let new = place.database.number(many);
        let pages = Pages::serve(&place, &["--at", NINE]);
        for path in ["/topics/acme", "/answers/acme"] {
            let page = pages.page(path);
            let list = "<p dir=\"auto\">Three things:</p><ul><li dir=\"auto\">one</li><li dir=\"auto\">two</li><li dir=\"auto\">three</li></ul><p dir=\"auto\">the end - of it</p>";
            assert!(page.contains(list), "{path}: {page}");
        }
        // Items older than the window are not new either, and are shown separately.
        let older = place.database.number(
            "SELECT count(*) FROM v_item i WHERE i.topic = 'acme' AND NOT EXISTS \
             (SELECT 1 FROM v_sighting s WHERE s.key = i.key AND s.run = i.first_run AND s.fit <> 'outside')",
        );
        assert!(new > older && new > 0, "{new} {older}");
        let page = without_links(&pages.page("/topics/acme"));
        let reported = format!("0 new items (+{} of the baseline)", new - older);
        assert!(page.contains(&reported), "{reported}: {page}");
        let named = format!("(+{} of the baseline)", new - older);
        let of_day = format!("<dt>New, 24 h</dt><dd>0 <span class=\"meta\">{named}</span></dd>");
        assert!(page.contains(&of_day), "{page}");
        let of_run = format!("{new} new ({} of the baseline)", new - older);
        let run = place.database.last_run("acme");
        for (path, reported) in [("/", &named), ("/runs", &of_run), (&format!("/progress/{run}"), &of_run)] {
            let page = without_links(&pages.page(path));
            assert!(page.contains(reported), "{path}: {reported}: {page}");
        }
        let runs = place.ok(&["runs", "--topic", "acme"]);
        assert!(runs.contains(&format!(" 0 (+{new})")) && runs.contains("part of the baseline"), "{runs}");
        let json = place.json(&["runs", "--topic", "acme", "--json"]);
        assert_eq!(
            (&json["runs"][0]["new_baseline"], &json["runs"][0]["new_older"]),
            (&(new - older).into(), &older.into())
        );
        drop(pages);
        // A second run has no baseline, and its new items are new.
        sandbox.set_clock("2026-03-11T21:00:00Z");
        place.ok(&["once", "--at", "2026-03-11T21:00:00Z"]);
        let last = place.database.number("SELECT new FROM v_run WHERE topic = 'acme' ORDER BY seq DESC LIMIT 1");
        let pages = Pages::serve(&place, &["--at", "2026-03-11T21:00:00Z"]);
        let page = without_links(&pages.page("/topics/acme"));
        assert!(last > 0 && page.contains("new item") && !page.contains("new items (+"), "{last}: {page}");
        assert!(page.contains(&named), "the day has both: {page}");
    }
}
