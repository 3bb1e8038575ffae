//! Forms in a real browser: the browser asks before typed text is lost, the page of a mistake starts at the field with
//! the mistake, and a page that is no longer refreshed says so. Cards fit on a phone. Prints a line and skips without a
//! browser.

use serde_json::json;

use crate::support::browser::{DrivenBrowser, find_browser};
use crate::support::databases::sqlite;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::Pages;
use crate::support::web_topics::TOPICS;

/// Whether the page asks before it is left.
const ASKS: &str = "!dispatchEvent(new Event('beforeunload', { cancelable: true }))";

fn stage() -> (Sandbox, Place) {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), &format!("[web]\nedit = true\n{TOPICS}"));
    place.ok(&["once", "--at", NINE]);
    (sandbox, place)
}

/// Types into a field as a keyboard does.
fn type_into(driven: &mut DrivenBrowser, field: &str, text: &str) {
    driven.evaluate(&format!("document.querySelector('{field}').focus()"));
    driven.command("Input.insertText", &json!({ "text": text }));
}

#[test]
fn a_page_asks_before_typed_text_is_lost() {
    let Some(browser) = find_browser() else { return };
    let (_sandbox, place) = stage();
    let pages = Pages::serve(&place, &["--at", NINE]);
    let mut driven = DrivenBrowser::start(&browser, &place);
    driven.open(&format!("http://{}/items", pages.address));
    // A search is in the address.
    type_into(&mut driven, "#search", "words");
    assert_eq!(driven.evaluate(ASKS), json!(false));
    driven.open(&format!("http://{}/jobs/new", pages.address));
    assert_eq!(driven.evaluate(ASKS), json!(false), "nothing was typed yet");
    type_into(&mut driven, "[name=id]", "zig");
    assert_eq!(driven.evaluate(ASKS), json!(true));
    // Sending the form leaves nothing behind, and neither does taking the text back.
    driven.evaluate("document.querySelector('[name=id]').value = ''");
    assert_eq!(driven.evaluate(ASKS), json!(false));
    driven.evaluate("document.querySelector('[name=id]').value = 'zig'");
    type_into(&mut driven, "[name=query]", "zig");
    type_into(&mut driven, "[name=every]", "soon");
    driven.evaluate("document.querySelector('button[value=save]').click()");
    // A refused form is on the page and nowhere else.
    driven.wait_until(
        "what is wrong",
        "document.querySelector('#about-every .bad') !== null && document.readyState === 'complete'",
    );
    assert_eq!(driven.evaluate(ASKS), json!(true));
    driven.evaluate("document.querySelector('form.topic').addEventListener('submit', (event) => event.preventDefault()); document.querySelector('button[value=save]').click()");
    assert_eq!(driven.evaluate(ASKS), json!(false), "it is being sent");
}

#[test]
fn a_checked_form_asks_before_it_is_left_only_if_something_was_typed() {
    let Some(browser) = find_browser() else { return };
    let (_sandbox, place) = stage();
    let pages = Pages::serve(&place, &["--at", NINE]);
    let mut driven = DrivenBrowser::start(&browser, &place);
    for (path, field) in [
        ("/jobs/new", "[name=query]"),
        ("/jobs/new?from=acme", "[name=title]"),
        ("/jobs/new?as=toml", "[name=toml]"),
        ("/jobs/topics/acme", "[name=title]"),
        ("/jobs/topics/acme?as=toml", "[name=toml]"),
    ] {
        for typed in [None, Some("zig ")] {
            driven.open(&format!("http://{}{path}", pages.address));
            if let Some(text) = typed {
                type_into(&mut driven, field, text);
            }
            driven.evaluate("window.sent = true; document.querySelector('button[value=preview]').click(); 0");
            driven.wait_until(path, "window.sent === undefined && document.readyState === 'complete'");
            assert_eq!(driven.evaluate(ASKS), json!(typed.is_some()), "{path} with {typed:?}");
        }
    }
}

#[test]
fn the_page_of_a_refused_form_asks_before_its_text_is_lost() {
    let Some(browser) = find_browser() else { return };
    let (_sandbox, place) = stage();
    let pages = Pages::serve(&place, &["--at", NINE]);
    let mut driven = DrivenBrowser::start(&browser, &place);
    driven.open(&format!("http://{}/items", pages.address));
    // As a page that was opened while they took notes.
    driven.evaluate(
        "const form = document.createElement('form'); form.method = 'post'; form.action = '/items/note'; \
         form.innerHTML = '<input name=\"note\" value=\"typed words\">'; document.body.append(form); form.requestSubmit()",
    );
    driven.wait_until(
        "what was typed",
        "document.querySelector('dl[data-unsaved]') !== null && document.readyState === 'complete'",
    );
    assert_eq!(driven.evaluate("document.querySelector('dl pre').textContent.trim()"), json!("typed words"));
    assert_eq!(driven.evaluate(ASKS), json!(true));
}

#[test]
fn an_error_is_shown_next_to_its_field_which_has_the_focus() {
    let Some(browser) = find_browser() else { return };
    let (_sandbox, place) = stage();
    let pages = Pages::serve(&place, &["--at", NINE]);
    let mut driven = DrivenBrowser::start(&browser, &place);
    let here = "(() => { const e = document.activeElement; const by = e.getAttribute('aria-describedby'); \
        return { id: e.id, value: e.value, invalid: e.getAttribute('aria-invalid'), words: by && document.getElementById(by)?.textContent } })()";
    for (path, id, value, words) in [
        ("/items?since=banana", "since", "banana", "`banana` is not a time"),
        ("/items?search=-x", "search", "-x", "This search is not usable"),
        ("/topics/acme?search=-x", "search", "-x", "This search is not usable"),
    ] {
        driven.open(&format!("http://{}{path}", pages.address));
        driven.wait_until(path, "document.activeElement !== document.body");
        let seen = driven.evaluate(here);
        assert_eq!([&seen["id"], &seen["value"], &seen["invalid"]], [id, value, "true"], "{path}: {seen}");
        assert!(seen["words"].as_str().is_some_and(|said| said.contains(words)), "{path}: {seen}");
    }
    driven.open(&format!("http://{}/jobs/topics/acme", pages.address));
    driven.evaluate(
        "document.querySelector('[name=every]').value = 'soon'; document.querySelector('button[value=save]').click()",
    );
    driven.wait_until(
        "the field that is wrong",
        "document.activeElement?.id === 'field-every' && document.readyState === 'complete'",
    );
    let seen = driven.evaluate(here);
    assert_eq!([&seen["value"], &seen["invalid"]], ["soon", "true"], "{seen}");
    assert!(seen["words"].as_str().is_some_and(|said| said.contains("hint")), "{seen}");
}

#[test]
fn a_page_shows_a_note_while_it_is_not_refreshed() {
    let Some(browser) = find_browser() else { return };
    let (_sandbox, place) = stage();
    let pages = Pages::serve(&place, &["--at", NINE]);
    let mut driven = DrivenBrowser::start(&browser, &place);
    driven.command("Page.enable", &json!({}));
    // Runs the page's half-minute refresh on demand; what it gets can be replaced.
    let source = "window.setInterval = (renew) => { window.renewNow = renew; return 0; };";
    driven.command("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": source }));
    driven.open(&format!("http://{}/", pages.address));
    let notes = "document.querySelectorAll('main [data-stale]').length";
    let renew = "window.over = false; Promise.resolve(renewNow()).then(() => { window.over = true; }); 0";
    driven
        .evaluate("window.fetched = window.fetch; window.fetch = () => Promise.reject(new TypeError('no answer')); 0");
    for _ in 0..2 {
        driven.evaluate(renew);
        driven.wait_until("the end of the refresh", "window.over");
        assert_eq!(driven.evaluate(notes), json!(1));
    }
    driven.evaluate("window.fetch = window.fetched; 0");
    driven.evaluate(renew);
    driven.wait_until("the renewed page", &format!("window.over && {notes} === 0"));
}

#[test]
fn long_words_do_not_make_cards_wider_than_a_phone() {
    let Some(browser) = find_browser() else { return };
    let (_sandbox, place) = stage();
    place.database.add_report(&[place.path("day.html")]);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let mut driven = DrivenBrowser::start(&browser, &place);
    let phone = json!({ "width": 375, "height": 800, "deviceScaleFactor": 1, "mobile": true });
    driven.command("Emulation.setDeviceMetricsOverride", &phone);
    driven.open(&format!("http://{}/files", pages.address));
    driven.evaluate("document.querySelector('td[data-label=What]').textContent = 'x'.repeat(300)");
    let wider = "[...document.querySelectorAll('.wide')].map(e => e.scrollWidth - e.clientWidth)";
    assert_eq!(driven.evaluate(wider), json!([0]));
}
