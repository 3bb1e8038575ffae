//! The pages in use, in a real browser. By keyboard alone: Tab reaches every control in the order of the page, each
//! focus is visible, and the first one skips the menu. From another time zone: next slots are also shown in it. Prints
//! a line and skips where there is no browser.

use serde_json::json;

use crate::support::access_stage::add_share_link;
use crate::support::browser::{DrivenBrowser, find_browser};
use crate::support::databases::sqlite;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::{Pages, TOKEN};
use crate::support::web_topics::TOPICS;

/// The controls of a page in order, without hidden or folded ones.
const USABLE: &str = "[...document.querySelectorAll('a[href], button, input, select, textarea, summary, g.point-of, div[tabindex=\"0\"]')]\
    .filter(e => e.type !== 'hidden' && !e.disabled && e.checkVisibility())";
/// The focused control, and whether its focus is visible.
const HERE: &str = "(() => { const e = document.activeElement, s = getComputedStyle(e), b = e.getBoundingClientRect(); \
    return { at: USABLE.indexOf(e), seen: s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1 && b.width > 0 && b.height > 0, \
    words: (e.innerText || e.name || e.getAttribute('aria-label') || e.tagName).slice(0, 60) } })()";

/// Asserts that Tab reaches all controls of a page in order, each with a visible focus.
fn assert_tab_order(driven: &mut DrivenBrowser, url: &str, least: u64) {
    driven.open(url);
    let many = driven.evaluate(&format!("{USABLE}.length")).as_u64().unwrap();
    assert!(many >= least, "{url}: {many}");
    for stop in 0..many {
        driven.press_key("Tab", 9);
        let here = driven.evaluate(&HERE.replace("USABLE", USABLE));
        assert_eq!(here["at"], json!(stop), "{url}: {here}");
        assert_eq!(here["seen"], json!(true), "{url}: the focus is not visible at {here}");
    }
}

#[test]
fn tab_reaches_every_control_in_order_with_visible_focus() {
    let Some(browser) = find_browser() else { return };
    let sandbox = Sandbox::at(NINE, &[]);
    let file = format!("[web]\nedit = true\n{TOPICS}{}", crate::support::sick_alert::SICK);
    let place = Place::new(sqlite(), &sandbox.lines(), &file);
    place.ok(&["once", "--due", "--at", "2026-03-11T08:59:00Z"]);
    place.ok(&["once", "--at", NINE]);
    crate::support::sick_alert::fire(&place, "acme: web failed", None);
    let run = place.database.last_run("acme");
    let progress = format!("/progress/{run}");
    let (shared, _) = add_share_link(&place, &["--topic", "acme", "--for", "9h", "--at", NINE]);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let mut driven = DrivenBrowser::start(&browser, &place);
    // The page of a share link has no menu to skip.
    assert_tab_order(&mut driven, &format!("http://{}/shared/{shared}", pages.address), 5);
    for path in [
        "/",
        "/items",
        "/topics/acme",
        "/answers/acme",
        "/alerts",
        "/runs",
        progress.as_str(),
        "/files",
        "/jobs",
        "/jobs/new",
        "/jobs/topics/acme",
        "/access",
        "/health",
        "/keys",
    ] {
        assert_tab_order(&mut driven, &format!("http://{}{path}", pages.address), 5);
        // The first stop skips the menu.
        driven.open(&format!("http://{}{path}?", pages.address));
        driven.press_key("Tab", 9);
        driven.press_key("Enter", 13);
        driven.press_key("Tab", 9);
        let inside = "(() => { const e = document.activeElement, m = document.querySelector('#main'); \
            return location.hash === '#main' && (m.contains(e) || !m.querySelector('a[href], button, input, select, summary')) })()";
        assert_eq!(
            driven.evaluate(inside),
            json!(true),
            "{path}: {}",
            driven.evaluate(&HERE.replace("USABLE", USABLE))
        );
    }
}

#[test]
fn next_slots_are_also_shown_in_the_visitors_timezone() {
    let Some(browser) = find_browser() else { return };
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    place.ok(&["once", "--due", "--at", "2026-03-11T08:59:00Z"]);
    place.ok(&["once", "--at", NINE]);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let mut driven = DrivenBrowser::start(&browser, &place);
    // Runs the page's half-minute refresh on demand.
    driven.command("Page.enable", &json!({}));
    let source = "window.setInterval = (renew) => { window.renewNow = renew; return 0; };";
    driven.command("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": source }));
    let slots = "[...document.querySelectorAll('time[data-slot]')].map(e => [e.dateTime, e.textContent, \
        [...e.parentElement.querySelectorAll('.sub')].map(e => e.textContent).filter(t => t.endsWith('where you are'))])";
    for (zone, path) in [("Asia/Kathmandu", "/"), ("Asia/Kathmandu", "/topics/acme"), ("UTC", "/")] {
        driven.command("Emulation.setTimezoneOverride", &json!({ "timezoneId": zone }));
        driven.open(&format!("http://{}{path}", pages.address));
        let mut seen = driven.evaluate(slots);
        for turn in 0..2 {
            let all = seen.as_array().unwrap();
            assert!(!all.is_empty(), "{path}: no slot is planned");
            for slot in all {
                let at: jiff::Timestamp = slot[0].as_str().unwrap().parse().unwrap();
                let here = at.in_tz(zone).unwrap().strftime("%Y-%m-%d %H:%M").to_string();
                let reported = if slot[1].as_str().unwrap().starts_with(&here) {
                    json!([])
                } else {
                    json!([format!("{here} where you are")])
                };
                assert_eq!(slot[2], reported, "{zone} {path}, turn {turn}: {slot}");
            }
            if path != "/" || turn > 0 {
                break;
            }
            driven.evaluate("document.querySelector('main').dataset.old = 'yes'; renewNow()");
            let mut tries = 0;
            while driven.evaluate("document.querySelector('main').dataset.old === undefined") != json!(true) {
                tries += 1;
                assert!(tries < 2_000, "the page was not reloaded");
                std::thread::park_timeout(std::time::Duration::from_millis(20));
            }
            seen = driven.evaluate(slots);
        }
    }
}

#[test]
fn the_list_of_runs_refreshes_itself_except_while_a_visitor_folds_details() {
    let Some(browser) = find_browser() else { return };
    let sandbox = Sandbox::at(NINE, &["source=web,status=400"]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    place.run(&["once", "--at", NINE]);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let mut driven = DrivenBrowser::start(&browser, &place);
    // Runs the page's half-minute refresh on demand, and waits until it ends.
    driven.command("Page.enable", &json!({}));
    let source = "window.setInterval = (renew) => { window.renewNow = renew; return 0; };";
    driven.command("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": source }));
    driven.open(&format!("http://{}/runs", pages.address));
    assert_ne!(driven.evaluate("document.querySelectorAll('details[open]').length"), json!(0), "no run failed");
    let is_old = "document.querySelector('main').dataset.old === 'yes'";
    let renew = "document.querySelector('main').dataset.old = 'yes'; window.over = false; \
        Promise.resolve(renewNow()).then(() => { window.over = true; }); 0";
    for folded in [false, false, true] {
        if folded {
            driven.evaluate("document.querySelector('details[open]').open = false");
        }
        driven.evaluate(renew);
        driven.wait_until("the end of the refresh", "window.over");
        assert_eq!(driven.evaluate(is_old), json!(folded), "folded: {folded}");
    }
}

#[test]
fn a_table_that_is_wider_than_paper_is_printed_whole() {
    let Some(browser) = find_browser() else { return };
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    place.ok(&["once", "--at", NINE]);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let mut driven = DrivenBrowser::start(&browser, &place);
    let paper = json!({ "width": 718, "height": 1000, "deviceScaleFactor": 1, "mobile": false });
    driven.command("Emulation.setDeviceMetricsOverride", &paper);
    driven.open(&format!("http://{}/", pages.address));
    let cut = "[...document.querySelectorAll('.wide')].filter(e => getComputedStyle(e).overflowX !== 'visible' \
        && e.scrollWidth > e.clientWidth).length";
    assert_eq!(driven.evaluate(cut), json!(1), "the table fits");
    driven.command("Emulation.setEmulatedMedia", &json!({ "media": "print" }));
    assert_eq!(driven.evaluate(cut), json!(0));
    // Nobody presses a button or follows the menu on paper.
    driven.open(&format!("http://{}/items", pages.address));
    let pressed = "[...document.querySelectorAll('header.top, form.filters, footer.end')].filter(e => e.checkVisibility()).length";
    assert_eq!(driven.evaluate(pressed), json!(0));
}

#[test]
fn a_download_after_the_session_ended_leads_to_the_login() {
    let Some(browser) = find_browser() else { return };
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    place.ok(&["once", "--at", NINE]);
    let pages = Pages::serve_with_token(&place, &["--at", NINE]);
    let mut driven = DrivenBrowser::start(&browser, &place);
    for (page, link, next) in [
        ("/items", "Download CSV", "%2Fitems.csv"),
        ("/topics/acme", "Download report", "%2Ftopics%2Facme%2Freport%3Fas%3Dfile"),
    ] {
        driven.open(&format!("http://{}/login", pages.address));
        driven.evaluate(&format!(
            "document.querySelector('#token').value = '{TOKEN}'; document.querySelector('form.filters').requestSubmit()"
        ));
        driven.wait_until("the pages", "location.pathname === '/' && document.readyState === 'complete'");
        driven.open(&format!("http://{}{page}", pages.address));
        driven.command("Network.clearBrowserCookies", &json!({}));
        driven.evaluate(&format!(
            "[...document.querySelectorAll('main a')].find(e => e.textContent === '{link}').click()"
        ));
        driven.wait_until(link, &format!("location.pathname + location.search === '/login?next={next}'"));
    }
}

#[test]
fn an_alert_is_acknowledged_by_keyboard_alone() {
    let Some(browser) = find_browser() else { return };
    let sandbox = Sandbox::at(NINE, &[]);
    let file = format!("[web]\nlisten = \"127.0.0.1:0\"\n{TOPICS}{}", crate::support::sick_alert::SICK);
    let place = Place::new(sqlite(), &sandbox.lines(), &file);
    place.ok(&["once", "--due", "--at", "2026-03-11T08:59:00Z"]);
    place.ok(&["once", "--at", NINE]);
    crate::support::sick_alert::fire(&place, "acme: web failed", None);
    let pages = Pages::wait_for_address(place.program(&["run"]).env("TOPICWATCH_WEB_TOKEN", TOKEN).start());
    let mut driven = DrivenBrowser::start(&browser, &place);
    driven.command("Network.enable", &json!({}));
    let headers = json!({ "Authorization": format!("Bearer {TOKEN}") });
    driven.command("Network.setExtraHTTPHeaders", &json!({ "headers": headers }));
    let url = format!("http://{}/alerts", pages.address);
    assert_tab_order(&mut driven, &url, 10);
    driven.open(&format!("{url}?"));
    let mut stops = 0;
    while driven.evaluate(&HERE.replace("USABLE", USABLE))["words"] != json!("Acknowledge") {
        driven.press_key("Tab", 9);
        stops += 1;
        assert!(stops < 100, "no button was reached");
    }
    let label = driven.evaluate("document.activeElement.getAttribute('aria-label')");
    assert_eq!(label, json!("Acknowledge sick"));
    driven.press_key("Enter", 13);
    let answer = "SELECT count(*) FROM request WHERE kind = 'ack' AND alert = 'sick' AND answer LIKE 'acknowledged: %'";
    crate::support::program::wait_until("what was asked", || place.database.number(answer) == 1);
    driven.open("about:blank");
    driven.open(&url);
    assert_eq!(driven.evaluate("document.querySelector('main').innerText.includes('acknowledged: ')"), json!(true));
    drop(driven);
    pages.program.signal("TERM");
    assert_eq!(pages.program.wait().code, Some(0));
}
