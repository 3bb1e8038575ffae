//! The pages in a real browser, with hostile items stored: none of them runs, nothing is loaded from other hosts, the
//! console stays empty, and every control has a name. Prints a line and skips where there is no browser. Screenshots go
//! to the folder in TEST_SCREENSHOTS (`scripts/test`: target/screenshots).

use std::path::Path;

use crate::support::access_stage::add_share_link;
use crate::support::browser::{DrivenBrowser, find_browser};
use crate::support::databases::{block_on, sqlite};
use crate::support::program::{NINE, Place};
use crate::support::service::{RequestTrap, Sandbox};
use crate::support::web_client::Pages;
use crate::support::web_topics::TOPICS;

/// The opening tags with this name.
fn tags<'a>(dom: &'a str, name: &str) -> Vec<&'a str> {
    let open = format!("<{name}");
    let all = dom.split(&open).skip(1).filter(|rest| rest.starts_with([' ', '>']));
    all.filter_map(|rest| rest.split('>').next()).collect()
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next()
}

#[test]
fn hostile_items_run_nothing_in_a_browser_and_every_control_has_a_name() {
    let Some(browser) = find_browser() else { return };
    let trap = RequestTrap::set();
    let (url, hostile) = (trap.url(), trap.hostile_texts());
    let sandbox = Sandbox::at(NINE, &[]);
    let topics = TOPICS.replace("Acme & Sons", "<b onclick=x>Acme</b>");
    let file = format!("[web]\nedit = true\n{topics}{}", crate::support::sick_alert::SICK);
    let place = Place::new(sqlite(), &sandbox.lines(), &file);
    place.ok(&["once", "--due", "--at", "2026-03-11T08:59:00Z"]);
    place.ok(&["once", "--at", NINE]);
    for (at, words) in hostile.iter().enumerate() {
        let address =
            ["javascript:alert(1)".into(), format!("{url}/\"onmouseover=\"{at}"), format!("data:text/html,{at}")]
                [at % 3]
                .clone();
        let answer = format!("{words} [x](javascript:alert(1)) ![i]({url}/h.png)");
        let condition = format!("id % {} = {at}", hostile.len());
        place.database.set_hostile_texts(&condition, words, &address, &answer);
        let words = words.replace('\'', "''");
        block_on(place.database.execute(&format!(
            "UPDATE item SET author_name = '{words}', lang = '{words}' WHERE {condition}; \
             UPDATE search SET error_class = '{words}', error_text = '{words}', state = 'error'; UPDATE run SET reason = '{words}'; \
             INSERT OR IGNORE INTO item_revision (item, run, replaced_at, title, text) SELECT id, (SELECT min(id) FROM run), 1, '{words}', '{words}' FROM item"
        )));
    }
    let words = hostile.join(" ");
    crate::support::sick_alert::fire(&place, &words, Some(&words));
    let key = place.database.first_post();
    let item =
        format!("/item?{}", url::form_urlencoded::Serializer::new(String::new()).append_pair("key", &key).finish());
    let run = place.database.last_run("acme");
    let progress = format!("/progress/{run}");
    let shared = format!("/shared/{}", add_share_link(&place, &["--topic", "acme", "--for", "9h", "--at", NINE]).0);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let shots = std::env::var("TEST_SCREENSHOTS").ok();
    let mut driven = DrivenBrowser::start(&browser, &place);
    driven.collect_console();
    driven.evaluate("console.error('heard')");
    assert_eq!(driven.console().len(), 1, "messages on the console are recorded");
    for (name, path) in [
        ("overview", "/"),
        ("topic", "/topics/acme"),
        ("answers", "/answers/acme"),
        ("item", item.as_str()),
        ("runs", "/runs"),
        ("files", "/files"),
        ("alerts", "/alerts"),
        ("health", "/health"),
        ("items", "/items?filtered=keep"),
        ("keys", "/keys"),
        ("settings", "/jobs"),
        ("add", "/jobs/new"),
        ("change", "/jobs/topics/acme"),
        ("access", "/access"),
        ("progress", progress.as_str()),
        ("shared", shared.as_str()),
        ("unknown", "/topics/nobody"),
    ] {
        let here = format!("http://{}{path}", pages.address);
        driven.open(&here);
        let dom = driven.evaluate("document.documentElement.outerHTML");
        let dom = dom.as_str().unwrap();
        assert!(dom.contains("topicwatch"), "the browser showed nothing of {path}: {dom}");
        assert!(!dom.contains("data-ran=\"yes\""), "{path}: something ran");
        // The browser itself reports a missing page on the console.
        let reported = driven.console();
        assert!(reported.is_empty() || name == "unknown", "{path}: {reported:?}");
        let low = dom.to_lowercase();
        for tag in [
            "<img",
            "<iframe",
            "<base",
            "<image",
            "<style",
            "href=\"javascript",
            "href=\"data:text",
            " style=\"",
            " onclick=\"",
            "<meta http-equiv",
        ] {
            assert!(!low.contains(tag), "{path}: {tag} became markup");
        }
        assert!(tags(dom, "script").iter().all(|tag| attribute(tag, "src") == Some("/live.js")), "{path}");
        assert_keyboard_order_and_names(dom, path);
        if let Some(folder) = &shots {
            for wide in [1280, 390] {
                for scheme in ["light", "dark"] {
                    let file = Path::new(folder).join(format!("hostile-{name}-{wide}-{scheme}.png"));
                    std::fs::write(file, driven.screenshot((wide, 1600), scheme)).unwrap();
                }
            }
        }
    }
    assert_eq!(trap.request_count(), 0, "something was fetched");
}

/// Asserts that the tab order is the page's order, that the skip link comes first, and that every control has a name.
fn assert_keyboard_order_and_names(dom: &str, path: &str) {
    let body = dom.split("<body").nth(1).unwrap();
    // The page of a share link has no menu to skip.
    if !path.starts_with("/shared/") {
        let first = body.split("<a ").nth(1).unwrap();
        assert!(first.contains("href=\"#main\""), "{path}: the first Tab stop is the link to the content");
    }
    assert!(!dom.contains("tabindex=\"1") && !dom.contains("tabindex=\"2"), "{path}: a custom tab order");
    for id in tags(dom, "input").into_iter().chain(tags(dom, "select")).filter(|tag| !tag.contains("hidden")) {
        let id = attribute(id, "id").unwrap_or_else(|| panic!("{path}: a field without an id: {id}"));
        let beside = [format!("for=\"{id}\""), format!("<label><input id=\"{id}\"")];
        assert!(beside.iter().any(|label| dom.contains(label)), "{path}: no label for {id}");
    }
    for part in dom.split("<button").skip(1).chain(body.split("<a ").skip(1)) {
        let words = part.split_once('>').map_or("", |(_, rest)| rest.split("</").next().unwrap_or(""));
        assert!(!words.trim().is_empty(), "{path}: no text on {part:.80}");
    }
    for tag in tags(dom, "svg") {
        assert!(
            (tag.contains("role=\"img\"") || tag.contains("role=\"group\"")) && tag.contains("aria-label"),
            "{path}: an image without a text: {tag:.100}"
        );
    }
    assert_eq!(tags(dom, "h1").len(), 1, "{path}");
    assert!(dom.contains("<html lang=\"en\""), "{path}");
}
