//! The life of named tokens and share links: created and shown once, used, listed, withdrawn, renamed with a topic,
//! moved, and pruned.

use crate::support::access_stage::{Visitor, add_share_link, add_token, listed_token, log_in_with, place, start_pages};
use crate::support::databases::{databases, postgres};
use crate::support::program::wait_until;
use crate::support::waits::BLOCKED;
use crate::support::web_client::{Pages, open_event_stream, wait_for_end};
use crate::support::world::hour;

#[test]
fn a_named_token_restricts_the_pages_to_its_holder_and_is_stored_as_a_hash() {
    for database in databases() {
        let (_world, place) = place(database);
        let pages = start_pages(&place, false);
        assert_eq!(pages.get("/").status, 200, "without tokens, everybody may read");
        assert!(pages.page("/login").contains("Nothing to log in to"));
        place
            .run(&["token", "add", "eve", "--role", "edit", "--topic", "acme"])
            .assert_stderr(2, &["for all topics", "leave out --topic and --tag, or use --role act"]);
        let made = place.run(&["token", "add", "ann", "--role", "act", "--topic", "acme"]);
        made.assert_stderr(
            0,
            &["the token of ann", "not shown again", "within two seconds, the pages and the API will require a token"],
        );
        let secret = made.out.trim().to_owned();
        assert!(secret.starts_with("tw_") && secret.len() == 46, "{secret}");
        wait_until("the pages to be closed", || pages.get("/").status == 303);
        assert_eq!(Visitor::Anonymous.request(&pages, 1, "GET", "/api/v1/topics", "").status, 401);
        assert_eq!(listed_token(&place, "ann")["last_used_at"], serde_json::json!(null));
        let cookie = log_in_with(&pages, &secret);
        let page = Visitor::Cookie(&cookie).request(&pages, 1, "GET", "/topics/acme", "").text();
        assert!(page.contains("Logged in as <strong>ann</strong>, act") && page.contains("Run now"), "{page}");
        assert!(!page.contains("href=\"/health\""), "the menu links only to allowed pages");
        wait_until("the last use", || listed_token(&place, "ann")["last_used_at"].is_string());
        let ran = Visitor::Cookie(&cookie).request(&pages, 1, "POST", "/topics/acme", "kind=run_now");
        assert!(ran.status == 303 || ran.status == 400, "{}", ran.text());
        // Stored nowhere; only the terminal showed it.
        if place.database.name == "SQLite" {
            place.ok(&["db", "backup", "copy.db"]);
            std::fs::copy(&place.database.url["sqlite:".len()..], place.path("itself.db")).unwrap();
        }
        let dump = place.database.texts("SELECT name || role || topics || hash FROM access_token").concat();
        assert!(dump.contains("ann") && !dump.contains(&secret));
        for entry in std::fs::read_dir(place.folder.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let bytes = std::fs::read(&path).unwrap();
                assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{}", path.display());
            }
        }
        for args in [vec!["token", "list"], vec!["token", "list", "--json"]] {
            let ended = place.run(&args);
            assert!(!ended.out.contains(&secret) && !ended.out.contains("\"hash\""), "{ended}");
        }
        // A name has one token at a time; a new one with the same name does not revive sessions of the old.
        place
            .run(&["token", "add", "ann", "--role", "read"])
            .assert_stderr(2, &["a token `ann` already exists", "withdraw"]);
        place.ok(&["token", "withdraw", "ann"]);
        let next = add_token(&place, &["ann", "--role", "read"]);
        let see = |visitor: Visitor<'_>| visitor.request(&pages, 2, "GET", "/topics/acme", "").status;
        assert_eq!(see(Visitor::Cookie(&cookie)), 303, "at once");
        assert_eq!(see(Visitor::Bearer("tw_wrong")), 401, "this makes the program read the tokens");
        let newest = add_token(&place, &["bob", "--role", "read"]);
        assert_eq!(see(Visitor::Bearer(&newest)), 200, "a token works as soon as it is printed");
        assert_eq!(see(Visitor::Bearer(&next)), 200);
        place.ok(&["token", "withdraw", "ann"]);
        assert_eq!(see(Visitor::Bearer(&next)), 401, "at once");
        assert_eq!(pages.get("/").status, 303, "removing the last token does not open the pages");
        // A client that guesses is blocked; one with a valid token at another address is not.
        let third = add_token(&place, &["third", "--role", "read"]);
        wait_until("the third", || Visitor::Bearer(&third).request(&pages, 1, "GET", "/", "").status == 200);
        let statuses: Vec<u16> = (0..14)
            .map(|n| Visitor::Bearer(&format!("tw_{n}")).request(&pages, 6, "GET", "/api/v1/topics", "").status)
            .collect();
        assert!(statuses[0] == 401 && statuses.contains(&429), "{statuses:?}");
        // A guess is allowed again every few seconds.
        wait_until("the right token is refused there too", || {
            Visitor::Bearer("tw_again").request(&pages, 6, "GET", "/", "");
            Visitor::Bearer(&third).request(&pages, 6, "GET", "/", "").status == 429
        });
        assert_eq!(Visitor::Bearer(&third).request(&pages, 1, "GET", "/", "").status, 200);
        pages.program.signal("TERM");
        let ended = pages.program.wait();
        for secret in [&secret, &next, &third] {
            assert!(!ended.err.contains(secret.as_str()) && !ended.out.contains(secret.as_str()), "{ended}");
        }
        // A read-only process accepts the same tokens, and does not record their use.
        place.ok(&["token", "withdraw", "third"]);
        let fourth = add_token(&place, &["fourth", "--role", "edit"]);
        let pages = Pages::serve(&place, &[]);
        let reply = Visitor::Bearer(&fourth).request(&pages, 1, "GET", "/access", "");
        // It names the states as `token list` does.
        let listed = place.ok(&["token", "list"]);
        assert!(
            listed.contains("fourth") && listed.contains(" valid\n") && reply.text().contains("fourth"),
            "{listed}"
        );
        // The link to this page says where it leads.
        assert!(reply.text().contains("</strong>, edit · <a href=\"/access\">Access</a>"), "{}", reply.text());
        assert!(
            reply.status == 200 && reply.text().contains(">valid</span>") && reply.text().contains("withdrawn"),
            "{}",
            reply.text()
        );
        assert_eq!(Visitor::Bearer(&fourth).request(&pages, 1, "POST", "/topics/acme", "kind=run_now").status, 403);
        assert_eq!(listed_token(&place, "fourth")["last_used_at"], serde_json::json!(null));
    }
}

#[test]
fn a_stream_ends_when_its_token_is_withdrawn() {
    for database in databases() {
        let (_world, place) = place(database);
        let secret = add_token(&place, &["ann", "--role", "read"]);
        place.database.queue_request("waits", "acme");
        let pages = Pages::serve(&place, &[]);
        let bearer = format!("Bearer {secret}");
        let stream = open_event_stream(&pages, "/progress/waits/events", ("Authorization", &bearer), "event: progress");
        place.ok(&["token", "withdraw", "ann"]);
        // Otherwise it would stay open for ten minutes.
        wait_for_end(stream);
    }
}

#[test]
fn a_token_follows_a_renamed_topic_and_invalid_tokens_are_refused() {
    for database in databases() {
        let (_world, place) = place(database);
        add_token(&place, &["ann", "--role", "read", "--topic", "acme", "--topic", "zebra"]);
        add_share_link(&place, &["--topic", "acme", "--for", "30d"]);
        for (args, reported) in [
            (vec!["token", "add", "a b", "--role", "read"], vec!["cannot be a name"]),
            (vec!["token", "add", "link-x", "--role", "read"], vec!["cannot be a name"]),
            (vec!["token", "add", "owner", "--role", "read"], vec!["`owner` cannot be a name", "choose another"]),
            (vec!["token", "add", "bob", "--role", "read", "--topic", "acne"], vec!["acne", "acme"]),
            (vec!["token", "add", "bob", "--role", "read", "--tag", "nothing"], vec!["no topic has the tag `nothing`"]),
            (vec!["token", "add", "bob", "--role", "admin"], vec!["admin", "read, act, edit"]),
            (vec!["token", "withdraw", "bob"], vec!["no active token `bob`", "token list"]),
            (vec!["token", "withdraw", "link-bob"], vec!["no active link `link-bob`"]),
            (vec!["token", "share", "--topic", "acme", "--for", "0s"], vec!["out of range"]),
            (vec!["token", "share", "--topic", "acme", "--for", "400d"], vec!["out of range"]),
            (
                vec!["token", "share", "--report", "daily", "--for", "1d"],
                vec![
                    "no run has created the report `daily` yet",
                    "only reports created on schedule, or with \"Run now\"",
                ],
            ),
            (vec!["token", "share", "--report", "week", "--for", "1d"], vec!["there is no report `week`"]),
        ] {
            place.run(&args).assert_stderr(2, &reported);
        }
        place.ok(&["topic", "rename", "acme", "acme-inc"]);
        assert_eq!(listed_token(&place, "ann")["topics"], serde_json::json!(["acme-inc", "zebra"]));
        let links = place.json(&["token", "list", "--json"])["links"].clone();
        assert_eq!((links.as_array().unwrap().len(), &links[0]["of"]), (1, &"acme-inc".into()));
        let text = place.ok(&["token", "list"]);
        assert!(
            text.contains("acme-inc, zebra") && text.contains("topic acme-inc") && text.contains("valid"),
            "{text}"
        );
        // None is withdrawn yet, so there is no name to reuse.
        place.database.add_tokens(1_000);
        let refused = place.run(&["token", "add", "bob", "--role", "read"]);
        let (hint, none) =
            ("hint: reuse the name of a withdrawn token", "if there is none, withdraw one and reuse its name");
        refused.assert_stderr(2, &["already 1001 tokens", hint, none, "withdraw NAME"]);
    }
}

#[test]
fn a_token_created_during_a_rename_keeps_its_own_topics() {
    // On SQLite nobody adds a token while another one renames.
    let Some(database) = postgres() else { return };
    let (_world, place) = place(database);
    add_token(&place, &["ann", "--role", "read", "--topic", "acme", "--topic", "zebra"]);
    place.ok(&["token", "withdraw", "ann"]);
    let adding = place
        .program(&["token", "add", "ann", "--role", "read", "--topic", "zebra"])
        .env("TOPICWATCH_TEST_FAILPOINT", "stop access::add_token/written pass=1")
        .start();
    adding.wait_until_stopped();
    let renaming = place.program(&["topic", "rename", "acme", "acme-inc"]).start();
    wait_until("the rename waits for the token", || place.database.number(BLOCKED) > 0);
    adding.signal("CONT");
    for ended in [adding.wait(), renaming.wait()] {
        assert_eq!(ended.code, Some(0), "{ended}");
    }
    assert_eq!(listed_token(&place, "ann")["topics"], serde_json::json!(["zebra"]));
}

#[test]
fn a_link_shows_one_thing_until_it_expires_or_is_withdrawn() {
    for database in databases() {
        let (world, place) = place(database);
        // The schedule makes the report.
        place.ok(&["once", "--due", "--at", &hour(10)]);
        place.ok(&["once", "--due", "--at", &hour(12)]);
        let (topic, id) = add_share_link(&place, &["--topic", "acme", "--for", "2h", "--at", &hour(12)]);
        let (report, _) = add_share_link(&place, &["--report", "daily", "--for", "2h", "--at", &hour(12)]);
        let (old, _) = add_share_link(&place, &["--topic", "acme", "--for", "1h", "--at", &hour(10)]);
        let (other, _) = add_share_link(&place, &["--topic", "acme", "--for", "2h", "--at", &hour(12)]);
        let pages = Pages::serve_with_token(&place, &["--at", &hour(12)]);
        let see = |path: &str| Visitor::Anonymous.request(&pages, 7, "GET", path, "");
        let shown = |secret: &str| see(&format!("/shared/{secret}"));
        let (page, whole) = (shown(&topic), shown(&report));
        assert_eq!((page.status, whole.status), (200, 200), "{}\n{}", page.text(), whole.text());
        assert!(page.text().contains("a quiet day at acme") && page.text().contains("expires"), "{}", page.text());
        assert!(!page.text().contains("zebra") && !page.text().contains("77077099"), "{}", page.text());
        for nowhere in ["href=\"/\"", "href=\"/item", "href=\"/topics", "href=\"/answers", "<nav", "<form", "<script"] {
            assert!(!page.text().contains(nowhere), "{nowhere}\n{}", page.text());
        }
        assert!(page.text().contains("name=\"robots\" content=\"noindex"));
        assert!(whole.text().contains("<style") && whole.text().to_lowercase().contains("acme"), "{}", whole.text());
        let policy = whole.header("content-security-policy").unwrap();
        assert!(policy.contains("sandbox") && !policy.contains("script"), "{policy}");
        // A wrong, an expired and a withdrawn link get the same answer.
        let wrong = shown("nobody-has-this-secret");
        assert_eq!((wrong.status, wrong.body_text()), (404, shown(&old).body_text()));
        assert!(wrong.text().contains("or its topic or report is no longer there."), "{}", wrong.text());
        for reply in [&page, &whole, &wrong] {
            assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
            assert!(reply.header("x-robots-tag").is_some_and(|tag| tag.contains("noindex")));
            assert_eq!(reply.header("cache-control"), Some("no-store"));
        }
        place.ok(&["token", "withdraw", &id]);
        assert_eq!(shown(&topic).status, 404, "at once");
        assert_eq!(shown(&topic).body_text(), wrong.body_text());
        // A link does not show a deleted topic either.
        assert_eq!(shown(&other).status, 200);
        place.database.remove_topic("acme");
        let deleted = shown(&other);
        assert_eq!((deleted.status, deleted.body_text()), (404, wrong.body_text()));
        // The link opens nothing else.
        assert_eq!((see("/").status, see("/files").status), (303, 303));
        drop(pages);
        // Pruning deletes links that have been invalid for a month; tokens stay.
        add_token(&place, &["ann", "--role", "read"]);
        place.ok(&["db", "prune", "--at", "2026-05-01T00:00:00Z"]);
        let list = place.json(&["token", "list", "--json"]);
        assert_eq!((list["links"].as_array().unwrap().len(), list["tokens"].as_array().unwrap().len()), (0, 1));
        drop(world);
    }
}
