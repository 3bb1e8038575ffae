//! What a token for some topics could learn of the others from a refusal, a hint or a link: nothing.

use crate::support::access_stage::{HIDDEN, Visitor, place, token};
use crate::support::databases::{databases, wait};
use crate::support::web_client::Pages;

#[test]
fn a_source_that_only_another_topic_searched_is_none() {
    for database in databases() {
        let (_world, place) = place(database);
        let [one, all] = [&["one", "--role", "read", "--topic", "acme"][..], &["all", "--role", "read"]]
            .map(|args| token(&place, args));
        let pages = Pages::serve(&place, &[]);
        let name = place.database.name;
        let see = |token: &str, source: &str| {
            let path = format!("/api/v1/topics/acme/items?source={source}");
            let reply = Visitor::Bearer(token).asks(&pages, 1, "GET", &path, "");
            (reply.status, reply.text().replace(source, "·"))
        };
        wait(place.database.execute("INSERT INTO topic_latest (topic, source, answered_at) VALUES ('zebra', 'hn', 1)"));
        assert_eq!(see(&all, "hn").0, 200, "{name}");
        assert_eq!(see(&one, "hn"), see(&one, "xx"), "{name}");
        assert_eq!((see(&one, "hn").0, see(&one, "social").0), (404, 200), "{name}");
        wait(place.database.execute("INSERT INTO topic_latest (topic, source, answered_at) VALUES ('acme', 'hn', 1)"));
        assert_eq!(see(&one, "hn").0, 200, "{name}");
    }
}

#[test]
fn what_waits_for_the_index_of_another_topic_is_not_told() {
    for database in databases() {
        let (_world, place) = place(database);
        let one = token(&place, &["one", "--role", "read", "--topic", "acme"]);
        let pages = Pages::serve(&place, &[]);
        let name = place.database.name;
        let see = |path: &str| Visitor::Bearer(&one).asks(&pages, 1, "GET", path, "");
        let wait_for = |key: &str| {
            wait(place.database.execute(&format!(
                "DELETE FROM item_words_due; INSERT INTO item_words_due (item) SELECT id FROM item WHERE key = '{key}'"
            )));
            let page = see("/topics/acme?q=launch").text();
            (page.contains("not indexed yet"), see("/api/v1/exports/items.csv?search=launch").status)
        };
        assert_eq!(wait_for(HIDDEN), (false, 200), "{name}");
        assert_eq!(wait_for("post:x:7"), (true, 503), "{name}");
    }
}
