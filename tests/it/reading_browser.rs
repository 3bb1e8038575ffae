//! Reading in a real browser: keyboard shortcuts as in miniflux, which ignore fields and modifiers; a chart shows the
//! numbers of its table at the mouse or the keyboard focus. Prints a line and skips where there is no browser.

use serde_json::{Value, json};

use crate::support::browser::{DrivenBrowser, find_browser};
use crate::support::databases::sqlite;
use crate::support::program::{NINE, Place, wait_until};
use crate::support::service::Sandbox;
use crate::support::web_client::{ON_DEMAND_TOPIC, Pages, TOKEN};
use crate::support::web_topics::TOPICS;
use crate::support::world::{ScriptedService, post};

/// Presses a key that types a character; `modifiers` as in the DevTools protocol (2 is Ctrl).
fn key(driven: &mut DrivenBrowser, sign: &str, modifiers: u32) {
    let text = if modifiers == 0 { sign } else { "" };
    for kind in ["keyDown", "keyUp"] {
        let text = if kind == "keyDown" { text } else { "" };
        driven.command(
            "Input.dispatchKeyEvent",
            &json!({ "type": kind, "key": sign, "text": text, "modifiers": modifiers }),
        );
    }
}

/// The index of the item that has the focus; -1 for none.
const AT: &str = "[...document.querySelectorAll('li[data-item]')].indexOf(document.activeElement)";

#[test]
fn keyboard_shortcuts_work_on_items_and_ignore_fields_and_modifiers() {
    let Some(browser) = find_browser() else { return };
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), ON_DEMAND_TOPIC);
    let pages = Pages::run(&place);
    place.ok(&["topic", "run", "acme", "--wait", "--timeout", "50s"]);
    let mut driven = DrivenBrowser::start(&browser, &place);
    driven.command("Network.enable", &json!({}));
    let headers = json!({ "headers": { "Authorization": format!("Bearer {TOKEN}") } });
    driven.command("Network.setExtraHTTPHeaders", &headers);
    let url = |path: &str| format!("http://{}{path}", pages.address);
    driven.open(&url("/items"));
    for (sign, at) in [("j", 0), ("j", 1), ("n", 2), ("k", 1), ("p", 0), ("k", 0)] {
        key(&mut driven, sign, 0);
        assert_eq!(driven.evaluate(AT), json!(at), "{sign}");
    }
    // With a modifier the key is the browser's, in a field it is a letter.
    key(&mut driven, "j", 2);
    assert_eq!(driven.evaluate(AT), json!(0));
    key(&mut driven, "/", 0);
    key(&mut driven, "j", 0);
    key(&mut driven, "?", 0);
    assert_eq!(driven.evaluate("[document.activeElement.name, document.activeElement.value]"), json!(["search", "j?"]));
    assert_eq!(driven.evaluate("document.querySelector('dialog') === null"), json!(true));
    driven.evaluate("document.activeElement.blur()");
    // The list of keys is that of its page. Escape closes it, and while it is open no other key works.
    key(&mut driven, "?", 0);
    driven.wait_until("the list of keys", "document.querySelector('dialog[open] #keys') !== null");
    key(&mut driven, "j", 0);
    assert_eq!(driven.evaluate(AT), json!(-1));
    let rows = driven.evaluate("document.querySelectorAll('dialog tbody tr').length");
    assert!(rows.as_u64() > Some(15), "{rows}");
    driven.press_key("Escape", 27);
    driven.wait_until("the page without the list", "document.querySelector('dialog') === null");
    // The page comes back to the item after a button press.
    key(&mut driven, "j", 0);
    key(&mut driven, "j", 0);
    key(&mut driven, "s", 0);
    wait_until("a star", || place.database.number("SELECT count(*) FROM item_star") == 1);
    driven.wait_until(
        "the item after the press",
        "location.hash === '#i1' && document.activeElement?.id === 'i1' && document.readyState === 'complete'",
    );
    let starred = driven.evaluate("document.activeElement.querySelector('.star') !== null");
    assert_eq!(starred, json!(true));
    key(&mut driven, "m", 0);
    wait_until("a mark", || place.database.number("SELECT count(*) FROM item_mark WHERE mark = 'good'") == 1);
    driven.wait_until(
        "the mark",
        "document.activeElement?.id === 'i1' && document.activeElement?.textContent.includes('marked good')",
    );
    key(&mut driven, "e", 0);
    for sign in ["s", "g", "j"] {
        key(&mut driven, sign, 0);
    }
    assert_eq!(
        driven.evaluate("[document.activeElement.tagName, document.activeElement.value]"),
        json!(["TEXTAREA", "sgj"])
    );
    driven.evaluate("document.activeElement.form.requestSubmit()");
    wait_until("a note", || place.database.number("SELECT count(*) FROM item_note WHERE note = 'sgj'") == 1);
    driven.wait_until(
        "the note",
        "document.activeElement?.id === 'i1' && document.querySelector('#i1 blockquote') !== null",
    );
    assert_eq!(place.database.number("SELECT count(*) FROM item_star"), 1, "keys in the field are not shortcuts");
    key(&mut driven, "o", 0);
    driven.wait_until("the item's page", "location.pathname === '/item' && document.readyState === 'complete'");
    key(&mut driven, "f", 0);
    wait_until("no star", || place.database.number("SELECT count(*) FROM item_star") == 0);
    driven.wait_until("the page after it", "document.querySelector('button[name=\"starred\"]')?.value === 'true'");
    for (sign, path) in [("b", "/items?starred=true"), ("t", "/"), ("r", "/runs"), ("h", "/health")] {
        driven.wait_until("a page", "document.readyState === 'complete'");
        key(&mut driven, "g", 0);
        key(&mut driven, sign, 0);
        driven.wait_until(
            path,
            &format!("location.pathname + location.search === '{path}' && document.readyState === 'complete'"),
        );
    }
    // A user can turn the shortcuts off.
    driven.open(&url("/keys"));
    driven.evaluate("[...document.querySelectorAll('main button')].pop().click()");
    driven.open(&url("/items?"));
    key(&mut driven, "j", 0);
    assert_eq!(driven.evaluate(AT), json!(-1));
    drop(driven);
    pages.program.signal("TERM");
    assert_eq!(pages.program.wait().code, Some(0));
}

#[test]
fn key_h_goes_to_the_previous_page_of_every_list() {
    let Some(browser) = find_browser() else { return };
    let world = ScriptedService::new();
    // Unique posts.
    let text = |n: u32| (0..9).map(|k| format!(" w{:x}", (n * 9 + k).wrapping_mul(2_654_435_761))).collect::<String>();
    world.set_posts(&(0..60).map(|n| post(n + 1, 8, &format!("acme{}", text(n)), 1)).collect::<Vec<_>>());
    let topics = "[web]\nlisten = \"127.0.0.1:0\"\n[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"12h\"\n";
    let place = Place::new(sqlite(), &world.lines(), topics);
    let pages = Pages::run(&place);
    place.ok(&["topic", "run", "acme", "--wait", "--timeout", "50s"]);
    let mut driven = DrivenBrowser::start(&browser, &place);
    driven.command("Network.enable", &json!({}));
    let headers = json!({ "headers": { "Authorization": format!("Bearer {TOKEN}") } });
    driven.command("Network.setExtraHTTPHeaders", &headers);
    let url = |path: &str| format!("http://{}{path}", pages.address);
    let at = |driven: &mut DrivenBrowser, what: &str, place: &str| {
        driven.wait_until(what, &format!("document.readyState === 'complete' && {place}"));
    };
    driven.open(&url("/items"));
    key(&mut driven, "j", 0);
    key(&mut driven, "j", 0);
    key(&mut driven, "l", 0);
    at(&mut driven, "the second page", "location.search.startsWith('?after=')");
    // The history of the browser now has the second page twice.
    key(&mut driven, "j", 0);
    key(&mut driven, "s", 0);
    wait_until("a star", || place.database.number("SELECT count(*) FROM item_star") == 1);
    at(&mut driven, "the item after the press", "document.activeElement?.querySelector('.star') != null");
    key(&mut driven, "h", 0);
    at(
        &mut driven,
        "the first page, where it was left",
        "location.search === '' && document.activeElement?.id === 'i1'",
    );
    driven.open(&url(&format!("/runs?run={}", place.database.last_run("acme"))));
    key(&mut driven, "l", 0);
    at(&mut driven, "more items of the run", "location.search.startsWith('?page=2&')");
    key(&mut driven, "h", 0);
    at(&mut driven, "the first of them", "location.search.startsWith('?run=')");
    driven.open(&url("/topics/acme"));
    key(&mut driven, "l", 0);
    at(&mut driven, "older items of the topic", "location.search.startsWith('?after=') && location.hash === '#items'");
    driven.evaluate("document.querySelector('form.filters').requestSubmit()");
    at(&mut driven, "the filtered items", "location.search.startsWith('?search=') && location.hash === '#items'");
    drop(driven);
    pages.program.signal("TERM");
    assert_eq!(pages.program.wait().code, Some(0));
}

#[test]
fn a_chart_shows_the_table_values_at_the_mouse_or_keyboard_focus() {
    let Some(browser) = find_browser() else { return };
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    place.ok(&["once", "--at", NINE]);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let mut driven = DrivenBrowser::start(&browser, &place);
    // The page's half-minute refresh would replace what has the focus.
    driven.command("Page.enable", &json!({}));
    driven.command("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": "window.setInterval = () => 0;" }));
    for by in ["day", "week"] {
        driven.open(&format!("http://{}/topics/acme?by={by}", pages.address));
        // The visible values.
        let shown = "[...document.querySelectorAll('.point-of .value')].filter(e => getComputedStyle(e).visibility === 'visible').map(e => e.textContent)";
        assert_eq!(driven.evaluate(shown), json!([]), "{by}");
        let table = "[...document.querySelectorAll('#main section details table')][0]";
        let rows = driven.evaluate(&format!(
            "[...{table}.querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.textContent)).reverse()"
        ));
        let rows: Vec<Vec<String>> = serde_json::from_value(rows).unwrap();
        assert_eq!(rows.len(), if by == "day" { 14 } else { 8 });
        assert!(rows.iter().any(|row| !["0", "–"].contains(&&*row[1])), "{rows:?}");
        let volume = |row: &[String]| {
            if row[1] == "–" {
                return format!("{}: nothing known", row[0]);
            }
            let noun = if ["1", "≥\u{a0}1"].contains(&&*row[1]) { "item" } else { "items" };
            format!("{}: {} {noun}, {} without near-copies", row[0], row[1], row[2])
        };
        let tone = |row: &[String]| {
            let share = |cell: &str| cell.split(' ').next().unwrap().replace('–', "none");
            format!("{}: negative {}, positive {}, of {}", row[0], share(&row[4]), share(&row[5]), row[3])
        };
        let of_charts = (0..2).flat_map(|chart| (0..rows.len()).map(move |place| (chart, place)));
        for (chart, place) in of_charts {
            let words = if chart == 0 { volume(&rows[place]) } else { tone(&rows[place]) };
            let reported = json!([words]);
            let middle = driven.evaluate(&format!(
                "(() => {{ const e = document.querySelectorAll('svg')[{chart}].querySelectorAll('.hit')[{place}]; e.scrollIntoView({{ block: 'center' }}); \
                 const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2] }})()"
            ));
            driven
                .command("Input.dispatchMouseEvent", &json!({ "type": "mouseMoved", "x": middle[0], "y": middle[1] }));
            assert_eq!(driven.evaluate(shown), reported, "{by}: the mouse is at {middle}");
            driven.command("Input.dispatchMouseEvent", &json!({ "type": "mouseMoved", "x": 1, "y": 1 }));
            assert_eq!(driven.evaluate(shown), json!([]), "{by}");
            driven.evaluate(&format!(
                "document.querySelectorAll('svg')[{chart}].querySelectorAll('.point-of')[{place}].focus()"
            ));
            assert_eq!(driven.evaluate(shown), reported, "{by}: the keyboard is there");
            assert_eq!(driven.evaluate("document.activeElement.getAttribute('aria-label')"), reported[0], "{by}");
            driven.evaluate("document.activeElement.blur()");
        }
        // The labels stay inside the chart.
        let outside: Value = driven.evaluate(
            "[...document.querySelectorAll('.point-of .value')].filter(e => { const b = e.getBBox(); return b.x < 0 || b.x + b.width > 360 }).map(e => e.textContent)",
        );
        assert_eq!(outside, json!([]), "{by}");
    }
}
