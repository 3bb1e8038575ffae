//! Secrets of `jobs.toml` on the pages: readers see none of them, however the file is written, and a copy of a topic
//! does not keep its ping address.

use crate::support::access_stage::{Visitor, add_token};
use crate::support::editor::{Form, place_with, post_form};
use crate::support::program::NINE;
use crate::support::web_client::Pages;

const TORN: &str = "[[topics]]\nid = \"torn\"\nquery = \"torn\"\nevery = \"12h\"\nping = \"https://ping.example/s3cret\"\n\
    [[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl = \"https://hook.example/s3cret\"\n\
    [topics.web]\nlimit = 7\n";

#[test]
fn a_topic_with_scattered_lines_is_not_shown() {
    let (_sandbox, place) = place_with(TORN);
    place.ok(&["check"]);
    let reader = add_token(&place, &["reader", "--role", "read"]);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let see = |path: &str| Visitor::Bearer(&reader).request(&pages, 1, "GET", path, "");
    let asked =
        ["/jobs/topics/torn?as=toml", "/jobs/topics/torn", "/jobs/new?from=torn&as=toml", "/jobs/new?from=torn"];
    for path in asked {
        let reply = see(path);
        assert!(!reply.text().contains("s3cret"), "{path}\n{}", reply.text());
        assert!(reply.status == 400 && reply.text().contains("are not contiguous"), "{path}\n{}", reply.text());
    }
    assert!(!see("/jobs").text().contains("s3cret"));
    // Forms that `check` would refuse.
    let whole = std::fs::read_to_string(place.path("jobs.toml")).unwrap();
    for ping in ["ping = { url = \"https://ping.example/s3cret\" }", "ping.url = \"s3cret\"", "ping = [\"s3cret\"]"] {
        let (head, _) = whole.split_once("[[topics]]").unwrap();
        let text = format!("{head}[[topics]]\nid = \"torn\"\nquery = \"torn\"\n{ping}\n");
        std::fs::write(place.path("jobs.toml"), text).unwrap();
        let page = see("/jobs/topics/torn?as=toml").text();
        assert!(!page.contains("s3cret") && page.contains("(hidden)"), "{ping}\n{page}");
    }
}

#[test]
fn a_copy_of_a_topic_does_not_keep_its_ping() {
    let topic =
        |id: &str, rest: &str| format!("[[topics]]\nid = \"{id}\"\nquery = \"{id}\"\nevery = \"12h\"\n{rest}\n");
    let both = [
        topic("one", "ping = \"https://ping.example/one\" # mine\nping_allow_private = true"),
        topic("each", "ping = \"https://ping.example/{id}\""),
        topic("env", "ping_env = \"ONE_PING\""),
    ]
    .concat();
    let (_sandbox, place) = place_with(&both);
    let program = place.program(&["serve", "--listen", "127.0.0.1:0", "--at", NINE]);
    let pages = Pages::wait_for_address(program.env("ONE_PING", "https://ping.example/env").start());
    let file = || std::fs::read_to_string(place.path("jobs.toml")).unwrap();
    for (from, kept) in [("one", false), ("each", true), ("env", false)] {
        for how in ["", "&as=toml"] {
            let form = Form::fetch(&pages, &format!("/jobs/new?from={from}{how}"));
            assert_eq!(form.page.contains("is not copied"), !kept, "{from}: {}", form.page);
            let id = format!("{from}-{}", if how.is_empty() { "form" } else { "toml" });
            let form = if how.is_empty() {
                form.with("id", &id)
            } else {
                let toml = form.value("toml");
                assert_eq!(toml.contains("ping"), kept, "{toml}");
                form.with("toml", &toml.replace(&format!("id = \"{from}\""), &format!("id = \"{id}\"")))
            };
            let before = file();
            let saved = form.submit(&pages, "save");
            assert_eq!(saved.status, 303, "{from}{how}: {}", saved.text);
            let ping = format!("ping.example/{}", if kept { "{id}" } else { from });
            let many = |text: &str| text.matches(&ping).count() + text.matches("ping_env").count();
            assert_eq!(many(&file()), many(&before) + usize::from(kept), "{from}{how}: {}", file());
        }
    }
    place.program(&["check"]).env("ONE_PING", "https://ping.example/env").run().assert_stderr(0, &[]);
    // Editing the original keeps its ping.
    assert_eq!(Form::fetch(&pages, "/jobs/topics/one").with("title", "One").submit(&pages, "save").status, 303);
    assert!(file().contains("ping = \"https://ping.example/one\" # mine\n"), "{}", file());
    assert_eq!(post_form(&pages, "/jobs", &[("do", "undo"), ("undo", "nothing")]).status, 404);
}

#[test]
fn an_address_in_a_comment_is_shown_only_to_editors() {
    let (_sandbox, place) = place_with(
        "[[topics]]\nid = \"z\" # stays\nquery = \"# z\"\n# ping = \"https://hc.example/s3cret\"\nevery = \"12h\" # see hc.example/s3cret\n",
    );
    place.ok(&["check"]);
    let [reader, editor] = ["read", "edit"].map(|role| add_token(&place, &[role, "--role", role]));
    let pages = Pages::serve(&place, &["--at", NINE]);
    let see = |token: &str, method: &str, path: &str, form: &str| {
        Visitor::Bearer(token).request(&pages, 1, method, path, form).text()
    };
    for path in ["/jobs/topics/z?as=toml", "/jobs/new?from=z&as=toml"] {
        let (theirs, whole) = (see(&reader, "GET", path, ""), see(&editor, "GET", path, ""));
        assert!(!theirs.contains("s3cret") && theirs.contains("# (hidden)") && theirs.contains("# stays"), "{theirs}");
        assert!(theirs.contains("query = \"# z\"") || theirs.contains("query = &quot;# z&quot;"), "{theirs}");
        assert!(whole.contains("# ping = ") && whole.matches("s3cret").count() == 2, "{whole}");
    }
    // The page on which a form is checked does not show it either.
    let checked = see(&reader, "POST", "/jobs/check", "topic=z&query=zz&every=12h");
    assert!(checked.contains("zz") && checked.contains("# (hidden)") && !checked.contains("s3cret"), "{checked}");
}

#[test]
fn topics_of_an_inline_list_are_shown_and_not_changed() {
    let (_sandbox, place) = place_with(TORN);
    let whole = std::fs::read_to_string(place.path("jobs.toml")).unwrap();
    let (head, _) = whole.split_once("[[topics]]").unwrap();
    let inline =
        "topics = [{ id = \"acme\", query = \"acme\", every = \"12h\", ping = \"https://ping.example/s3cret\" }]";
    let text = format!("{inline}\n{head}");
    std::fs::write(place.path("jobs.toml"), &text).unwrap();
    place.ok(&["check"]);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let page = pages.page("/jobs");
    for (part, there) in [
        ("/topics/acme", true),
        ("is not a list of tables that can be edited here", true),
        ("s3cret", false),
        ("value=\"off\"", false),
        ("/jobs/topics/acme", false),
        ("href=\"/jobs/new\"", false),
    ] {
        let main = page.split("<main").nth(1).unwrap_or(&page);
        assert_eq!(main.contains(part), there, "{part}\n{page}");
    }
    // That page is there before the topic is stored.
    let pending = pages.page("/topics/acme");
    assert!(pending.contains("Saved in the file, but not yet in the database."), "{pending}");
    let refused = post_form(&pages, "/jobs", &[("do", "off"), ("kind", "topic"), ("name", "acme")]);
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert_eq!(std::fs::read_to_string(place.path("jobs.toml")).unwrap(), text);
}
