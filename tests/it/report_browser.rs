//! The report page in a real browser: third-party content runs nothing and loads nothing. Prints a line and skips where
//! there is no browser (Debian's chromium, or the one in TEST_CHROMIUM).

use crate::support::browser::*;
use crate::support::databases::sqlite;
use crate::support::page_size::dom;
use crate::support::program::{NINE, Place};
use crate::support::service::{RequestTrap, Sandbox};

#[test]
fn hostile_posts_in_a_report_run_and_load_nothing_in_a_browser() {
    let Some(browser) = find_browser() else { return };
    let trap = RequestTrap::set();
    let (url, hostile) = (trap.url(), trap.hostile_texts());
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(
        sqlite(),
        &sandbox.lines(),
        "[[topics]]\nid = \"acme\"\ntitle = \"<b onclick=x>Acme</b>\"\nquery = \"acme launch\"\n",
    );
    place.ok(&["once", "--at", NINE]);
    for (at, words) in hostile.iter().enumerate() {
        let address = [
            "javascript:document.documentElement.setAttribute(1,1)".into(),
            format!("{url}/\"onmouseover=\"{at}"),
            format!("data:text/html,{at}"),
        ][at % 3]
            .clone();
        let answer = format!("{words} [x](javascript:alert(1)) ![i]({url}/h.png)");
        place.database.set_hostile_texts(&format!("id % {} = {at}", hostile.len()), words, &address, &answer);
    }
    place.ok(&["report", "--date", "2026-03-11", "--at", "2026-03-12T07:00:00Z", "--out", "page.html"]);
    let dom = dom(&browser, &place, "page.html");
    assert!(dom.contains("What matters"), "the browser showed nothing: {dom}");
    assert!(!dom.contains("data-ran=\"yes\""), "something ran");
    for tag in [
        "<script",
        "<img",
        "<iframe",
        "<form",
        "<input",
        "<base",
        "<link",
        "<image",
        "href=\"javascript",
        "href=\"data",
    ] {
        // Escaped text appears as `&lt;script` in the browser's DOM dump.
        assert!(!dom.to_lowercase().contains(tag), "{tag} came alive");
    }
    assert_eq!(trap.request_count(), 0, "something was fetched");
    // The same in Markdown: no tag and no foreign link remains.
    place.ok(&["report", "--date", "2026-03-11", "--at", "2026-03-12T07:00:00Z", "--out", "page.md"]);
    let text = std::fs::read_to_string(place.path("page.md")).unwrap();
    for (at, line) in text.lines().enumerate() {
        // An escaped exclamation mark before a link does not make it an image.
        let line = line.replace("\\!", "");
        let foreign = ["<script", "<img", "<svg", "](javascript", "](<javascript", "](data", "!["];
        assert!(!foreign.iter().any(|mark| line.to_lowercase().contains(mark)), "line {}: {line}", at + 1);
    }
}
