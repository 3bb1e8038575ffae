//! Citations in an answer, for visitors with access to some topics only: nothing reveals whether another topic found
//! the cited page.

use crate::support::access_stage::{Visitor, add_share_link, add_token, place};
use crate::support::databases::{block_on, databases};
use crate::support::web_client::Pages;
use crate::support::world::hour;

/// Found by the hidden topic, by no topic, and by the topic itself.
const FOUND_BY_HIDDEN_TOPIC: &str = "https://x.com/a/status/77077098";
const FOUND_BY_NO_TOPIC: &str = "https://x.com/a/status/55055055";
const FOUND_BY_VISIBLE_TOPIC: &str = "https://x.com/a/status/8";

#[test]
fn citation_marks_reveal_nothing_about_other_topics() {
    for database in databases() {
        let (_world, place) = place(database);
        let name = place.database.name;
        block_on(place.database.execute(&format!(
            "INSERT INTO answer (run, text, model, partial, cited) VALUES ({}, 'First {FOUND_BY_HIDDEN_TOPIC} then {FOUND_BY_NO_TOPIC} then {FOUND_BY_VISIBLE_TOPIC} end', NULL, 0, \
             '[\"post:x:77077098\"]')",
            place.database.run_id(&place.database.last_run("acme"))
        )));
        let all = add_token(&place, &["all", "--role", "read"]);
        let some = [
            add_token(&place, &["one", "--role", "read", "--topic", "acme"]),
            add_token(&place, &["tag", "--role", "read", "--tag", "news"]),
        ];
        let both = add_token(&place, &["both", "--role", "read", "--topic", "acme", "--topic", "zebra"]);
        let (shared, _) = add_share_link(&place, &["--topic", "acme", "--for", "9h", "--at", &hour(12)]);
        let pages = Pages::serve(&place, &["--at", &hour(12)]);
        let see = |token: &str, path: &str| Visitor::Bearer(token).request(&pages, 1, "GET", path, "").body_text();
        for path in ["/answers/acme", "/topics/acme", "/topics/acme/report"] {
            let text = see(&all, path);
            assert!(text.contains("✗ not found") && text.contains(FOUND_BY_HIDDEN_TOPIC), "{name}: {path}\n{text}");
            for token in &some {
                let text = see(token, path);
                for reported in
                    ["✗ not found", "another topic", "post:x:77077098", "post%3Ax%3A77077098", "checked in vain"]
                {
                    assert!(!text.contains(reported), "{name}: {path}: {reported}\n{text}");
                }
                assert!(text.contains("which were not looked up"), "{name}: {path}\n{text}");
                assert!(text.contains("First ") && text.contains(FOUND_BY_NO_TOPIC), "the words stay: {path}\n{text}");
                // The two differ only in their URL.
                let after = |address: &str| {
                    let rest = text.split_once(&format!("{address}</a>")).map_or("", |(_, rest)| rest);
                    rest.chars().take(5).collect::<String>()
                };
                assert_eq!(
                    (after(FOUND_BY_HIDDEN_TOPIC).as_str(), after(FOUND_BY_NO_TOPIC).as_str()),
                    (" then", " then"),
                    "{path}\n{text}"
                );
            }
        }
        // The visitor also does not learn which items their own are copies of.
        let copy = "copy of <code>post:x:77077097</code>";
        let [whole, part] = [&all, &some[0]].map(|token| see(token, "/topics/acme/report"));
        assert!(whole.contains(copy) && !part.contains("77077097"), "{name}: {part}");
        let text = see(&all, "/answers/acme");
        assert!(text.contains("found by another topic"), "{name}: {text}");
        let text = see(&some[0], "/answers/acme");
        assert!(
            text.contains("✓") && text.contains("a quiet day at acme"),
            "a citation that the topic found is marked\n{text}"
        );
        // All topics of a token count.
        assert!(see(&both, "/answers/acme").contains("found by another topic"));
        let page = Visitor::Anonymous.request(&pages, 7, "GET", &format!("/shared/{shared}"), "").body_text();
        assert!(
            page.contains(FOUND_BY_HIDDEN_TOPIC) && page.contains(FOUND_BY_NO_TOPIC) && !page.contains("✗"),
            "{name}: {page}"
        );
    }
}
