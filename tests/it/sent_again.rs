//! Text typed into a form is kept on the page of a problem. A form that is sent after the session ended can be sent
//! again after logging in; one that was refused can be copied. Nothing else is kept: no token, and nothing that has no
//! route here. A note does not replace one that somebody wrote meanwhile.

use std::sync::Barrier;

use topicwatch::model::Source;

use crate::support::access_stage::add_token;
use crate::support::databases::{Database, databases, sqlite};
use crate::support::editor::Form;
use crate::support::program::{NINE, Place};
use crate::support::searched::{NOW, open_store, outcome, seen_item, start_manual_run, topic};
use crate::support::service::Sandbox;
use crate::support::web_client::{Answer, ON_DEMAND_TOPIC, Pages};

/// Two lines, with signs that HTML writes in another way.
const NOTE: &str = "Call <b>Ann</b>\r\n& ask \"why\"";

fn form(fields: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

/// A daemon whose topic has run once.
fn daemon_with_items(database: Database) -> (Sandbox, Place, Pages) {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(database, &sandbox.lines(), ON_DEMAND_TOPIC);
    let pages = Pages::run(&place);
    place.ok(&["topic", "run", "acme", "--wait", "--timeout", "50s"]);
    (sandbox, place, pages)
}

/// Sends a form as a browser does; without a cookie, as one whose session ended.
fn send(pages: &Pages, path: &str, cookie: Option<&str>, body: &str) -> Answer {
    let origin = pages.origin();
    let mut headers = vec![("Origin", origin.as_str())];
    headers.extend(cookie.map(|cookie| ("Cookie", cookie)));
    pages.request("POST", path, &headers, body)
}

#[test]
fn a_form_sent_after_the_session_ended_can_be_sent_again() {
    for database in databases() {
        let name = database.name;
        let (_sandbox, place, pages) = daemon_with_items(database);
        let key = place.database.first_post();
        let typed = form(&[("key", &key), ("back", "/items"), ("note", NOTE)]);
        // As often as it is sent without a session.
        for _ in 0..2 {
            let refused = send(&pages, "/items/note", None, &typed);
            assert_eq!(refused.status, 401, "{name}: {}", refused.text);
            let page = &refused.body;
            assert!(
                page.contains("<h1>You are not logged in</h1>") && page.contains("href=\"/login\""),
                "{name}: {page}"
            );
            assert!(page.contains("<form method=\"post\" action=\"/items/note\" data-unsaved>"), "{name}: {page}");
            // It is shown, too: it can be copied.
            assert!(page.contains("Call &lt;b&gt;Ann&lt;/b&gt;") && !page.contains("<b>Ann"), "{name}: {page}");
            let kept = Form::parse(page, "/items/note");
            for (field, value) in [("key", key.as_str()), ("back", "/items"), ("note", NOTE)] {
                assert_eq!(kept.value(field), value, "{name}");
            }
        }
        let cookie = pages.log_in();
        let again = send(&pages, "/items/note", Some(&cookie), &typed);
        assert_eq!((again.status, again.header("location")), (303, Some("/items")), "{name}: {}", again.text);
        let item = form(&[("key", &key)]);
        let item = pages.request("GET", &format!("/item?{item}"), &[("Cookie", &cookie)], "");
        assert!(item.body.contains("<blockquote class=\"kept\">"), "{name}: {}", item.body);
        // A topic's form, as an editor fills it in.
        let topic = form(&[("seen", "x"), ("id", "zig"), ("query", "zig news"), ("do", "save")]);
        let refused = send(&pages, "/jobs/new", None, &topic);
        let kept = Form::parse(&refused.body, "/jobs/new");
        assert_eq!((refused.status, kept.value("query").as_str()), (401, "zig news"), "{name}");
        assert_eq!(kept.value("do"), "save", "{name}");
        // Nobody typed which topic a form is about.
        let checked = form(&[("topic", "acme"), ("seen", "x"), ("shown", "y"), ("query", "zig news")]);
        let refused = send(&pages, "/jobs/check", None, &checked);
        assert_eq!(Form::parse(&refused.body, "/jobs/check").value("topic"), "acme", "{name}");
        for (field, is_listed) in [("query", true), ("topic", false), ("seen", false), ("shown", false)] {
            let is_shown = refused.body.contains(&format!("<dt>{field}</dt>"));
            assert_eq!(is_shown, is_listed, "{name} {field}: {}", refused.body);
        }
    }
}

#[test]
fn logins_unknown_paths_and_foreign_forms_are_not_kept() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), ON_DEMAND_TOPIC);
    place.ok(&["once", "--at", NINE]);
    let reader = add_token(&place, &["reader", "--role", "read"]);
    let pages = Pages::serve_with_token(&place, &["--at", NINE]);
    let typed = form(&[("note", "typed words")]);
    for path in ["//evil.example/items/note", "/nowhere", "/logout"] {
        let refused = send(&pages, path, None, &typed);
        assert_eq!(refused.status, 401, "{path}: {}", refused.text);
        assert!(!refused.text.contains("typed words") && !refused.text.contains("evil.example"), "{}", refused.text);
    }
    let foreign = pages.request("POST", "/items/note", &[("Origin", "https://evil.example")], &typed);
    assert!(foreign.status == 403 && !foreign.text.contains("typed words"), "{}", foreign.text);
    // If the visitor may only read by now, the form is shown, but not sent again.
    let (origin, bearer) = (pages.origin(), format!("Bearer {reader}"));
    let headers = [("Origin", origin.as_str()), ("Authorization", bearer.as_str())];
    let refused = pages.request("POST", "/items/note", &headers, &typed);
    assert!(refused.status == 403 && refused.body.contains("typed words"), "{}", refused.text);
    assert!(!refused.body.contains("Send it again") && refused.body.contains("href=\"/items\""), "{}", refused.text);
    // Too many wrong tokens: the last answers are problems.
    let guess = form(&[("token", "a-wrong-token-of-some-length")]);
    let guessed: Vec<Answer> = (0..12).map(|_| send(&pages, "/login", None, &guess)).collect();
    assert_eq!(guessed.last().map(|last| last.status), Some(429));
    assert!(guessed.iter().all(|answer| !answer.text.contains("a-wrong-token")), "a token is on a page");
    // No token of this address is checked now, so the form was not carried out.
    let refused = pages.request("POST", "/items/note", &[("Authorization", "Bearer a-wrong-token")], &typed);
    assert!(refused.body.contains("Nothing was saved. <strong>What you sent is kept"), "{}", refused.text);
    assert!(refused.body.contains("typed words") && !refused.body.contains("may have been saved"), "{}", refused.text);
    // A page asks before it is left only for what somebody typed.
    let pressed = send(&pages, "/items/star", None, &form(&[("key", "post:x:1"), ("starred", "true")]));
    assert!(pressed.body.contains("action=\"/items/star\"><input"), "{}", pressed.text);
    // No form of these pages has so many fields.
    let many = send(&pages, "/items/note", None, &form(&[("note", "typed words"); 101]));
    assert!(many.status == 401 && !many.body.contains("typed words"), "{}", many.text);
    // A form that is too long is not kept, and the page says so.
    let long = form(&[("toml", &"typed words ".repeat(4_000))]);
    let refused = send(&pages, "/jobs/new", None, &long);
    assert!(refused.status == 401 && refused.body.contains("is longer than 32 KiB"), "{}", refused.text);
    assert!(!refused.body.contains("typed words"), "{}", refused.text);
}

#[test]
fn a_refused_form_shows_what_was_typed_but_is_not_sent_again() {
    let (_sandbox, place, pages) = daemon_with_items(sqlite());
    let (key, cookie) = (place.database.first_post(), pages.log_in());
    let long = NOTE.repeat(100);
    let search = "what=save&name=a&search=%3Cb%3EAnn&tone=loud";
    let hidden = form(&[("key", "post:x:gone"), ("seen", "unseen"), ("note", NOTE)]);
    for (status, path, body) in [
        (404, "/items/note", hidden.as_str()),
        (400, "/items/note", &form(&[("key", &key), ("note", &long)])),
        (400, "/searches", search),
    ] {
        let refused = send(&pages, path, Some(&cookie), body);
        assert_eq!(refused.status, status, "{path}: {}", refused.text);
        let page = &refused.body;
        assert!(page.contains("<dl class=\"facts\" data-unsaved>") && page.contains("Nothing was saved. "), "{page}");
        assert!(page.contains("&lt;b&gt;Ann") && !page.contains("<b>Ann"), "{page}");
        assert!(!page.contains("Send it again") && !page.contains(&format!("action=\"{path}\"")), "{page}");
        assert!(!page.contains("post:x:gone") && !page.contains("unseen") && page.contains("href=\"/\""), "{page}");
    }
    // Buttons of things that are gone: nobody typed anything.
    for (path, body) in [
        ("/items/star", "key=post%3Ax%3Agone&starred=true"),
        ("/searches", "what=delete&name=gone"),
        ("/topics/gone/marks", "key=post%3Ax%3Agone&mark=good&back=%2Fitems"),
    ] {
        let refused = send(&pages, path, Some(&cookie), body);
        assert!(refused.status == 404 && !refused.body.contains("data-unsaved"), "{path}: {}", refused.text);
        assert!(!refused.body.contains("Nothing was saved"), "{path}: {}", refused.text);
    }
    let nowhere = send(&pages, "/nowhere", Some(&cookie), &form(&[("note", "typed words")]));
    assert!(nowhere.status == 404 && !nowhere.body.contains("typed words"), "{}", nowhere.text);
}

#[test]
fn saving_a_note_does_not_overwrite_a_newer_one() {
    for database in databases() {
        let name = database.name;
        let (_sandbox, place, pages) = daemon_with_items(database);
        let (key, cookie) = (place.database.first_post(), pages.log_in());
        let address = format!("/item?{}", form(&[("key", &key)]));
        let item = || pages.request("GET", &address, &[("Cookie", &cookie)], "").body;
        let save = |seen: &str, note: &str| {
            let typed = form(&[("key", &key), ("back", &address), ("seen", seen), ("note", note)]);
            send(&pages, "/items/note", Some(&cookie), &typed)
        };
        // Two people open the item, and both write a note.
        let seen = Form::parse(&item(), "/items/note").value("seen");
        assert_eq!(save(&seen, "words of Ann").status, 303, "{name}");
        assert_eq!(save(&seen, "words of Ann").status, 303, "{name}: pressed twice");
        let refused = save(&seen, "words of Bob\r\nin two lines");
        assert_eq!(refused.status, 409, "{name}: {}", refused.text);
        assert!(refused.body.contains("words of Ann</span></blockquote>"), "{name}: {}", refused.body);
        assert!(item().contains("words of Ann") && !item().contains("words of Bob"), "{name}");
        // The page of the problem has what was typed; sent from there it is saved.
        let kept = Form::parse(&refused.body, "/items/note");
        let both = format!("words of Ann, {}", kept.value("note"));
        let saved = save(&kept.value("seen"), &both);
        assert_eq!((saved.status, saved.header("location")), (303, Some(address.as_str())), "{name}: {}", saved.text);
        assert!(item().contains("words of Ann, words of Bob\nin two lines</span></blockquote>"), "{name}: {}", item());
    }
}

#[test]
fn one_of_several_notes_saved_at_once_is_kept() {
    const WRITERS: usize = 4;
    for database in databases() {
        let name = database.name;
        let (_sandbox, place, pages) = daemon_with_items(database);
        let (key, cookie) = (place.database.first_post(), pages.log_in());
        let address = format!("/item?{}", form(&[("key", &key)]));
        let item = || pages.request("GET", &address, &[("Cookie", &cookie)], "").body;
        for round in 0..5 {
            // All of them opened the same page.
            let seen = Form::parse(&item(), "/items/note").value("seen");
            let note = |writer: usize| format!("round {round}, writer {writer}");
            let start = Barrier::new(WRITERS);
            let save = |writer: usize| {
                let typed = form(&[("key", &key), ("back", &address), ("seen", &seen), ("note", &note(writer))]);
                start.wait();
                send(&pages, "/items/note", Some(&cookie), &typed)
            };
            let save = &save;
            let answers: Vec<Answer> = std::thread::scope(|scope| {
                let writers: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || save(writer))).collect();
                writers.into_iter().map(|writer| writer.join().unwrap()).collect()
            });
            let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
            let saved: Vec<usize> = (0..WRITERS).filter(|writer| statuses[*writer] == 303).collect();
            assert!(
                saved.len() == 1 && statuses.iter().filter(|status| **status == 409).count() == 3,
                "{name}: {statuses:?}"
            );
            let stored = format!("{}</span></blockquote>", note(saved[0]));
            assert!(item().contains(&stored), "{name}: {}", item());
            for refused in answers.iter().filter(|answer| answer.status == 409) {
                assert!(refused.body.contains(&stored), "{name}: {}", refused.body);
            }
        }
    }
}

#[tokio::test]
async fn a_note_replaces_only_the_note_it_was_made_from() {
    for database in databases() {
        let name = database.name;
        let store = open_store(&database).await;
        let run = start_manual_run(&store, &topic("rust"), "R1", NOW).await;
        store.finish(&run, outcome(NOW, vec![seen_item(Source::Social, 1, &["post:x:1"], "hi")])).await.unwrap();
        store.publish().await.unwrap();
        let replace = async |replaces: &str, note: Option<&str>| {
            store.replace_note("post:x:1", replaces, note, NOW).await.unwrap()
        };
        let stored = |note: &str| Some(note.to_owned());
        // First there is no note, then there is one.
        assert_eq!(replace("x", Some("a")).await, stored(""), "{name}");
        assert_eq!(replace("", Some("a")).await, stored("a"), "{name}");
        for (replaces, note) in [("", Some("b")), ("x", Some("b")), ("", None), ("x", None)] {
            assert_eq!(replace(replaces, note).await, stored("a"), "{name}: {replaces} {note:?}");
        }
        assert_eq!(replace("a", Some("b")).await, stored("b"), "{name}");
        assert_eq!(replace("b", None).await, stored(""), "{name}");
        // Somebody deleted it meanwhile: it is not written again.
        assert_eq!(replace("b", Some("c")).await, stored(""), "{name}");
        assert_eq!(store.replace_note("post:x:2", "", Some("a"), NOW).await.unwrap(), None, "{name}");
        database.close(store).await;
    }
}
