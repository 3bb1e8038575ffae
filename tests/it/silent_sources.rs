//! Sources that answer but return nothing new any more, through the binary on both databases: shown by status and runs,
//! never before twenty runs, and with an exit code only on request.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::databases::{databases, sqlite};
use crate::support::exposition::ExposedMetrics;
use crate::support::program::Place;
use crate::support::service::{FakeServer, reply};
use crate::support::web_client::Pages;
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

#[test]
fn a_source_that_fell_silent_or_stale_is_reported_after_twenty_runs() {
    let mut reported = Vec::new();
    let world = ScriptedService::new();
    let before = Place::new(sqlite(), &world.lines(), &topic("acme", ""));
    for n in 0..17 {
        world.set_posts(&[post(n, n, &format!("post {n}"), 1)]);
        run_once(&before, n);
    }
    for database in databases() {
        let place = before.copy_to(database);
        world.set_posts(&[]);
        for n in 17..19 {
            run_once(&place, n);
        }
        let fails = ["status", "--fail-on", "stale,silent"];
        place.run(&fails).assert_stdout(0, &["acme   ok"]);
        // Pages that were loaded before show it, too: a topic's cached data is valid until it runs again.
        let pages = Pages::serve(&place, &["--at", "2026-03-12T00:00:00Z"]);
        let silent = |path: &str| pages.page(path).contains(">silent</strong>");
        assert!(!silent("/") && !silent("/topics/acme"));
        run_once(&place, 19);
        assert!(silent("/topics/acme") && silent("/"), "{}", pages.page("/"));
        drop(pages);
        place.run(&["status"]).assert_stdout(
            0,
            &[
                "acme   silent",
                "acme: social is silent: no items in 3 searches in a row since 2026-03-11T16:00:00Z; usually at most 2",
            ],
        );
        place.run(&fails).assert_stdout(3, &["is silent"]);
        place.run(&["status", "--fail-on", "stale"]).assert_stdout(0, &["is silent"]);
        place.run(&["status", "--fail-on", "sleepy"]).assert_stderr(2, &["sleepy"]);
        let status = place.json(&["status", "--json"]);
        let of = &status["topics"][0];
        assert_eq!(
            (&of["state"], &of["ill"][0]["state"], &of["last_run"]["state"]),
            (&json!("silent"), &json!("silent"), &json!("ok"))
        );
        place.run(&["runs"]).assert_stdout(0, &["social is silent"]);
        let runs = place.json(&["runs", "--json"]);
        assert_eq!((&runs["silent_sources"], &runs["ill"]), (&of["silent_sources"], &of["ill"]));
        assert_eq!(runs["ill"], runs["silent_sources"]);

        // It returns posts again, but always the same ones.
        world.set_posts(&[post(16, 16, "post 16", 1)]);
        for n in 20..24 {
            run_once(&place, n);
        }
        place.run(&["status"]).assert_stdout(
            0,
            &[
                "acme   stale",
                "social is stale: nothing new in 7 searches since 2026-03-11T16:00:00Z; usually for at most 3h",
            ],
        );
        // The report formats the time as elsewhere.
        let page = place.ok(&["report", "--date", "2026-03-11", "--at", "2026-03-12T00:00:00Z", "--out", "-"]);
        let said = "social is stale: nothing new in 7 searches since 2026-03-11 16:00; usually for at most 3h<";
        assert!(page.contains(said), "{page}");
        place.run(&["status", "--fail-on", "silent"]).assert_stdout(0, &[]);
        place.run(&["status", "--fail-on", "stale"]).assert_stdout(3, &[]);
        world.set_posts(&[post(99, 24, "something new", 1)]);
        run_once(&place, 24);
        place.run(&fails).assert_stdout(0, &["acme   ok"]);
        reported.push(place.json(&["runs", "--json", "--limit", "1"])["ill"].clone());
    }
    assert!(reported.iter().all(|other| *other == reported[0]));
}

#[test]
fn newly_found_old_posts_do_not_hide_that_a_source_is_stale() {
    let world = ScriptedService::new();
    let before = Place::new(sqlite(), &world.lines(), &topic("acme", ""));
    for n in 48..69 {
        world.set_posts(&[post(n, n, &format!("post {n}"), 1)]);
        run_once(&before, n);
    }
    for database in databases() {
        let alert = "[[alerts]]\nname = \"ill\"\nchannels = [\"hook\"]\nrule = \"source\"\ncooldown = \"0s\"\n\n\
             [[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl_env = \"HOOK_URL\"\nallow_private = true\n";
        let place = before.copy_to(database);
        // The last new post is still returned, along with another one each time that is days old.
        for n in 69..75 {
            world.set_posts(&[post(68, 68, "post 68", 1), post(n, 0, &format!("archived {n}"), 1)]);
            run_once(&place, n);
        }
        let reported =
            "acme: social is stale: nothing new in 6 searches since 2026-03-13T20:00:00Z; usually for at most 3h";
        place.run(&["status", "--fail-on", "stale"]).assert_stdout(3, &["acme   stale", reported]);
        place.configure(&world.lines(), &(topic("acme", "") + alert));
        let past = ["alerts", "backtest", "ill", "--days", "3", "--json", "--at", &hour(75)];
        let past = place.program(&past).env("HOOK_URL", "http://127.0.0.1:9/").run();
        past.assert_stdout(0, &["social is stale: nothing new in 4 searches"]);
        place.configure(&world.lines(), &topic("acme", ""));
        // One of them is new: that is what counts, however many are old.
        let old = [post(80, 0, "archived 80", 1), post(81, 0, "archived 81", 1)];
        world.set_posts(&[&old[..], &[post(68, 68, "post 68", 1), post(82, 74, "something new", 1)]].concat());
        run_once(&place, 75);
        place.run(&["status", "--fail-on", "stale"]).assert_stdout(0, &["acme   ok"]);
    }
}

#[test]
fn a_source_that_finds_the_same_new_items_as_another_is_not_stale() {
    // The posts of `[service]`, and those of a second service.
    let posts: Arc<[Mutex<Vec<Value>>; 2]> = Arc::default();
    let served = Arc::clone(&posts);
    let server = FakeServer::respond_with(move |path| {
        let of = &served[usize::from(path.starts_with("/second"))];
        let body = json!({ "results": *of.lock().unwrap() }).to_string();
        reply("200 OK", "content-type: application/json\r\n", body.as_bytes())
    });
    let second = format!(
        "[providers.second]\nkind = \"spec\"\nkey_env = \"TOPICWATCH_API_KEY\"\nrate_limit = \"unlimited\"\n\
         max_tries = 1\nbase_url = \"{}/second\"\n\n",
        server.url()
    );
    let topic = topic("acme", "").replace("[\"social\"]", "[\"social\", \"second\"]");
    let alert = "[[alerts]]\nname = \"ill\"\nchannels = [\"hook\"]\nrule = \"source\"\ncooldown = \"0s\"\n\n\
         [[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl_env = \"HOOK_URL\"\nallow_private = true\n";
    let before = Place::new(sqlite(), &server.lines(), &(second.clone() + &topic));
    let reported = |place: &Place, first: &[Value], other: &[Value], at: u32| {
        *posts[0].lock().unwrap() = first.to_vec();
        *posts[1].lock().unwrap() = other.to_vec();
        run_once(place, at);
    };
    let new = |id: u32| post(id, id % 100, &format!("post {id}"), 1);
    // Each finds something of its own, then both find the same: it counts as new for the first source only.
    for n in 40..52 {
        reported(&before, &[new(n)], &[new(100 + n)], n);
    }
    for n in 52..64 {
        reported(&before, &[new(n)], &[new(n)], n);
    }
    for database in databases() {
        let name = database.name;
        let place = before.copy_to(database);
        let counted = "SELECT count(*) FROM v_search WHERE source = 'second' AND new > 0";
        assert_eq!(place.database.number(counted), 12, "{name}");
        place.run(&["status", "--fail-on", "stale"]).assert_stdout(0, &["acme   ok"]);
        let newest = |at: u32| {
            let pages = Pages::serve(&place, &["--at", &hour(at)]);
            let labels = [("topic", "acme"), ("source", "second")];
            ExposedMetrics::read(&pages)
                .value("topicwatch_topic_newest_item_timestamp_seconds", &labels)
                .map(f64::trunc)
        };
        #[expect(clippy::cast_precision_loss, reason = "a time of this century")]
        let seconds = |n: u32| (topicwatch::model::Time::parse(&hour(n)).unwrap().0 / 1_000) as f64;
        assert_eq!(newest(64), Some(seconds(63)), "{name}");

        // It falls behind: only the first source finds something that is not older than its window.
        for n in 64..71 {
            let archived = post(200 + n, 0, &format!("archived {n}"), 1);
            reported(&place, &[new(n), archived.clone()], &[new(63), archived], n);
        }
        let said =
            "acme: second is stale: nothing new in 7 searches since 2026-03-13T15:00:00Z; usually for at most 3h";
        place.run(&["status", "--fail-on", "stale"]).assert_stdout(3, &["acme   stale", said]);
        assert_eq!(newest(71), Some(seconds(63)), "{name}");
        place.configure(&server.lines(), &format!("{second}{topic}{alert}"));
        let past = ["alerts", "backtest", "ill", "--days", "3", "--json", "--at", &hour(71)];
        let past = place.program(&past).env("HOOK_URL", "http://127.0.0.1:9/").run();
        past.assert_stdout(0, &["second is stale: nothing new in 4 searches since 2026-03-13T15"]);
        assert!(!past.out.contains("social is stale"), "{name}: {past}");
    }
}
