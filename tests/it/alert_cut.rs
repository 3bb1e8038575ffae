//! An alert of a window with more items than are counted: what it says and sends are lower bounds.

use serde_json::Value;

use crate::support::databases::databases;
use crate::support::program::Place;
use crate::support::receivers::Hook;
use crate::support::world::{World, calm_days, hour, once, post, posts_of_calm_day, topic};

#[test]
fn an_alert_of_more_items_than_are_counted_says_at_least() {
    for database in databases() {
        let (world, hook) = (World::new(), Hook::good());
        let alert = format!(
            "[[alerts]]\nname = \"storms\"\nchannels = [\"hook\"]\nrule = \"volume\"\nwindow = \"1h\"\nmin = 5\n\n\
             [[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl = \"{}\"\nallow_private = true\n",
            hook.url()
        );
        let place = Place::new(database, &world.lines(), &(topic("acme", "every = \"1h\"") + &alert));
        // Of each window, at most 45 items are counted.
        let due = |at: &str| {
            let program = place.program(&["once", "--due", "--at", at]).env("TOPICWATCH_TEST_BOUND", "alert/window=45");
            let ended = program.run();
            assert_eq!(ended.code, Some(0), "{ended}");
        };
        // Three posts a day at this hour for eight days, then 59. A reply of 83 in which no known post is missing
        // was not full, so that only the limit makes it a lower bound.
        calm_days(&world, &place);
        due(&hour(24 * 7));
        let storm = (0..59).map(|k| post(90_000 + k, 192, &format!("90000 post number {k} of an acme storm"), 1));
        world.posts(&storm.chain((0..8).flat_map(posts_of_calm_day)).collect::<Vec<Value>>());
        once(&place, 192);
        due("2026-03-19T00:00:01Z");

        let said = "acme: ≥45 new unique items in 1h (≥45 items by ≥3 authors); up to ";
        let sent: Vec<Value> = hook.got().iter().map(|got| got.json()).collect();
        assert_eq!(sent.len(), 1, "{}: {sent:?}", place.database.name);
        assert!(sent[0]["subject"].as_str().unwrap().starts_with(&format!("[storms] {said}")), "{sent:?}");
        let listed = place.json(&["alerts", "--json"]);
        let fired = listed["events"].as_array().unwrap().iter().find(|event| event["kind"] == "fired").unwrap();
        assert!(fired["summary"].as_str().unwrap().starts_with(said), "{listed}");
        assert!(sent[0]["data"].to_string().contains(&format!("\"{said}")), "{sent:?}");
    }
}
