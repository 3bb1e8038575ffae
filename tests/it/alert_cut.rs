//! Alerts of many items: if a window has more items than are counted, its alert shows and sends lower bounds; an alert
//! on new items counts all of a large run.

use serde_json::{Value, json};

use crate::support::databases::databases;
use crate::support::program::Place;
use crate::support::receivers::WebhookServer;
use crate::support::world::{ScriptedService, calm_days, hour, post, posts_of_calm_day, run_once, topic};

#[test]
fn an_alert_with_more_items_than_the_count_limit_says_at_least() {
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let alert = format!(
            "[[alerts]]\nname = \"storms\"\nchannels = [\"hook\"]\nrule = \"volume\"\nwindow = \"1h\"\nmin = 5\n\n\
             [[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl = \"{}\"\nallow_private = true\n",
            hook.url()
        );
        let place = Place::new(database, &world.lines(), &(topic("acme", "every = \"1h\"") + &alert));
        // At most 45 items of each window are counted.
        let due = |at: &str| {
            let program = place.program(&["once", "--due", "--at", at]).env("TOPICWATCH_TEST_BOUND", "alert/window=45");
            let ended = program.run();
            assert_eq!(ended.code, Some(0), "{ended}");
        };
        // Three posts a day at this hour for eight days, then 59. A reply of 83 posts without a missing known post is
        // not full, so only the limit makes it a lower bound.
        calm_days(&world, &place);
        due(&hour(24 * 7));
        let storm = (0..59).map(|k| post(90_000 + k, 192, &format!("90000 post number {k} of an acme storm"), 1));
        world.set_posts(&storm.chain((0..8).flat_map(posts_of_calm_day)).collect::<Vec<Value>>());
        run_once(&place, 192);
        due("2026-03-19T00:00:01Z");

        let said = "acme: ≥45 new unique items in 1h (≥45 items by ≥3 authors); up to ";
        let sent: Vec<Value> = hook.received().iter().map(|got| got.json()).collect();
        assert_eq!(sent.len(), 1, "{}: {sent:?}", place.database.name);
        assert!(sent[0]["subject"].as_str().unwrap().starts_with(&format!("[storms] {said}")), "{sent:?}");
        let listed = place.json(&["alerts", "--json"]);
        let fired = listed["events"].as_array().unwrap().iter().find(|event| event["kind"] == "fired").unwrap();
        assert!(fired["summary"].as_str().unwrap().starts_with(said), "{listed}");
        assert!(sent[0]["data"].to_string().contains(&format!("\"{said}")), "{sent:?}");
    }
}

#[test]
fn an_alert_finds_its_words_in_the_last_of_many_new_items() {
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let alert = |name: &str, more: &str| {
            format!("[[alerts]]\nname = \"{name}\"\nchannels = [\"hook\"]\nrule = \"items\"\n{more}\n\n")
        };
        let hook_lines = format!(
            "[[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl = \"{}\"\nallow_private = true\n",
            hook.url()
        );
        let topic = topic("acme", "every = \"1h\"").replace("[\"social\"]", "[\"social\", \"web\"]");
        let rest = [topic, alert("all", ""), alert("recalls", "words = [\"recall\"]"), hook_lines];
        let place = Place::new(database, &world.lines(), &rest.concat());
        world.set_posts(&[post(1, 20, "an acme post", 1)]);
        for at in [23, 24] {
            place.ok(&["once", "--due", "--at", &hour(at)]);
        }
        // More than a thousand, the maximum of one reply, and the word is in an item that is listed last.
        let posts = (1_000..2_000).map(|id| post(id, 24, &format!("an acme post {id}"), 1));
        world.set_posts(&posts.collect::<Vec<Value>>());
        let page = |id: u32, title: &str| json!({ "title": title, "url": format!("https://example.org/{id}") });
        let pages = (0..100).map(|id| page(id, if id == 99 { "A recall by acme" } else { "A page about acme" }));
        world.set_pages(&pages.collect::<Vec<Value>>());
        place.ok(&["once", "--due", "--at", &hour(25)]);

        let mut said: Vec<String> =
            hook.received().iter().map(|got| got.json()["subject"].as_str().unwrap().to_owned()).collect();
        said.sort();
        let expected = ["[all] acme: ≥1100 new items", "[recalls] acme: ≥1 new item with “recall”"];
        assert_eq!(said, expected, "{}", place.database.name);
    }
}
