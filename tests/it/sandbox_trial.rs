//! A trial with the sandbox says that it is one and never contacts other hosts: public feeds, alerts, imports, and
//! the API and the lists of a database in which nothing was found yet.

use crate::support::api_client::get_json;
use crate::support::databases::{databases, sqlite};
use crate::support::program::{NINE, Place};
use crate::support::receivers::WebhookServer;
use crate::support::replies::{ReplyServer, reply};
use crate::support::service::{self, FakeServer, Sandbox};
use crate::support::web_client::Pages;

const OPML: &str = "<opml version=\"2.0\"><body><outline type=\"rss\" text=\"Acme\" xmlUrl=\"https://acme.example/feed.xml\"/></body></opml>";

#[test]
fn public_feeds_are_read_only_from_the_sandbox_in_a_trial() {
    for database in databases() {
        let name = database.name;
        let server = ReplyServer::start(vec![reply(
            200,
            &[],
            "<rss version=\"2.0\"><channel><item><title>real</title></item></channel></rss>",
        )]);
        let url = server.url();
        let file = format!(
            "[providers.news]\nkind = \"feeds\"\nbase_url = \"sandbox\"\nallow_private = true\n\n\
             [[topics]]\nid = \"acme\"\nquery = \"acme\"\nnews.urls = [\"{url}/feed.xml\", \"{url}/atom\", \"{url}/f.json?key=a\", \"coffee.rss\"]\n"
        );
        let place = Place::without_service(database, &file);
        place.run(&["once", "--at", NINE]).assert_stdout(0, &["SANDBOX", "1 of 1 run ok"]);
        place.run(&["try", "acme", "--at", NINE]);
        place.run(&["check", "--probe", "--at", NINE]);
        assert_eq!(server.heads(), [""; 0], "{name}");
        assert!(place.database.items() > 0, "{name}");
        let strangers = "SELECT key FROM v_item WHERE key NOT LIKE 'page:https://feeds.example/%'";
        assert_eq!(place.database.texts(strangers), [""; 0], "{name}");
        // The next run sends conditional requests to the replacement feeds.
        place.run(&["once", "--at", "2026-03-11T09:30:00Z"]).assert_stdout(0, &["1 of 1 run ok"]);
    }
}

#[test]
fn alerts_of_invented_findings_are_marked() {
    for database in databases() {
        let hook = WebhookServer::accepting();
        let rest = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nsources = [\"social\"]\nevery = \"1h\"\n\n\
                    [[alerts]]\nname = \"any\"\nrule = \"items\"\ncooldown = \"0s\"\nchannels = [\"hook\"]\n\n\
                    [[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl_env = \"HOOK_URL\"\nallow_private = true\n";
        let place = Place::new(database, "base_url = \"sandbox\"", rest);
        let run = |args: &[&str]| {
            let ended = place.program(args).env("HOOK_URL", &hook.url()).run();
            assert_eq!(ended.code, Some(0), "{ended}");
        };
        for hour in [9, 10, 11] {
            run(&["once", "--due", "--at", &format!("2026-03-11T{hour:02}:00:00Z")]);
        }
        run(&["alerts", "test", "any"]);
        let got = hook.received();
        assert!(got.len() >= 2, "{}", place.database.name);
        for one in got {
            let one = one.json();
            assert!(one["subject"].as_str().unwrap().starts_with("[SANDBOX] [any] "), "{one}");
            assert_eq!(one["data"]["sandbox"], true, "{one}");
        }
    }
}

#[test]
fn alerts_feeds_and_previews_are_marked_before_anything_is_found() {
    for database in databases() {
        let (name, hook) = (database.name, WebhookServer::accepting());
        // Nothing is due at first, and the slots that are then missed do not run.
        let rest = format!(
            "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"1h\"\ncatch_up = \"none\"\n\n\
             [[alerts]]\nname = \"late\"\nrule = \"missed\"\nchannels = [\"hook\"]\n\n\
             [[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl = \"{}\"\nallow_private = true\n",
            hook.url()
        );
        let place = Place::new(database, "base_url = \"sandbox\"", &rest);
        for time in ["09:30", "15:30"] {
            place.ok(&["once", "--due", "--at", &format!("2026-03-11T{time}:00Z")]);
        }
        assert_eq!(place.database.items(), 0, "{name}");
        let got: Vec<serde_json::Value> = hook.received().iter().map(|one| one.json()).collect();
        assert_eq!(got.len(), 1, "{name}: {got:?}");
        let subject = got[0]["subject"].as_str().unwrap();
        assert!(subject.starts_with("[SANDBOX] [late] acme: ") && got[0]["data"]["sandbox"] == true, "{name}: {got:?}");
        let feed = place.ok(&["export", "--format", "atom", "--topic", "acme", "--quiet"]);
        assert!(feed.contains("<title>SANDBOX: "), "{name}: {feed}");
        let tested = place.json(&["topic", "filter", "test", "acme", "--json"]);
        assert_eq!(tested["sandbox"], true, "{name}: {tested}");
    }
}

#[test]
fn an_import_into_a_sandbox_file_is_refused_with_the_sandbox_line() {
    let place = Place::without_service(sqlite(), "");
    std::fs::remove_file(place.path("jobs.toml")).unwrap();
    place.ok(&["init"]);
    let before = std::fs::read_to_string(place.path("jobs.toml")).unwrap();
    let line = before.lines().position(|line| line.starts_with("base_url = \"sandbox\"")).unwrap() + 1;
    std::fs::write(place.path("feeds.opml"), OPML).unwrap();
    std::fs::write(place.path("my feeds.opml"), OPML).unwrap();
    place.program(&["import", "my feeds.opml"]).env("COLUMNS", "400").run().assert_stderr(
        2,
        &[
            &format!("jobs.toml:{line}: `service.base_url` is \"sandbox\", and real feeds cannot be mixed"),
            "topicwatch --config feeds.toml topic import 'my feeds.opml'; or",
        ],
    );
    assert_eq!(std::fs::read_to_string(place.path("jobs.toml")).unwrap(), before);
    // The command in the hint works.
    place.run(&["--config", "feeds.toml", "import", "feeds.opml"]).assert_stdout(0, &["1 topic with 1 feed appended"]);
    place.ok(&["check", "--config", "feeds.toml"]);
    // A provider with the sandbox as its base URL has invented feeds, and the output says so.
    let feeds = std::fs::read_to_string(place.path("feeds.toml")).unwrap();
    let (head, _) = feeds.split_once("[[topics]]").unwrap();
    let head = head.replace("kind = \"feeds\"", "kind = \"feeds\"\nbase_url = \"sandbox\"");
    std::fs::write(place.path("jobs.toml"), head).unwrap();
    place.run(&["import", "feeds.opml"]).assert_stderr(0, &["provider feeds is the sandbox", "will be invented"]);
}

/// The JSON of commands that list stored data says whether it is invented.
#[track_caller]
fn assert_marked(place: &Place, expected: bool) {
    for command in [
        vec!["status"],
        vec!["runs"],
        vec!["items"],
        vec!["items", "--starred"],
        vec!["items", "--search", "acme"],
        vec!["items", "--topic", "acme", "--rank", "relevance"],
        vec!["terms", "acme"],
        vec!["coverage"],
        vec!["db", "prune", "--dry-run"],
    ] {
        let listed = place.json(&[command.clone(), vec!["--json"]].concat());
        assert_eq!(listed["sandbox"], expected, "{} {command:?}: {listed}", place.database.name);
    }
}

#[test]
fn api_and_commands_are_marked_as_sandbox_before_anything_is_found() {
    for database in databases() {
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\n";
        let place = Place::new(database, "base_url = \"sandbox\"", topic);
        place.ok(&["db", "migrate"]);
        let reported = get_json(&Pages::serve(&place, &["--at", NINE]), "/api/v1/topics");
        assert_eq!(reported["sandbox"], true, "{}: {reported}", place.database.name);
        assert_marked(&place, true);
        place.configure("base_url = \"https://api.example\"", topic);
        let reported = get_json(&Pages::serve(&place, &["--at", NINE]), "/api/v1/topics");
        assert_eq!(reported["sandbox"], false, "{}: {reported}", place.database.name);
        assert_marked(&place, false);
    }
}

#[test]
fn real_calls_are_not_marked_as_invented_on_a_sandbox_database() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\n";
        let place = Place::new(database, &sandbox.lines(), topic);
        let once = |hour: u32| place.run(&["once", "--at", &format!("2026-03-11T{hour:02}:00:00Z")]);
        assert!(once(9).out.contains("nothing is billed"));
        // A service on this machine that is not a sandbox and that bills.
        let real = FakeServer::respond_with(|_| {
            let headers = "content-type: application/json\r\nx-desearch-cost-usd: 0.5\r\n";
            service::reply("200 OK", headers, br#"{"results": [{"id": "1", "text": "a real post"}]}"#)
        });
        place.configure(&real.lines(), topic);
        let ended = once(10);
        assert_eq!(ended.code, Some(3), "{ended}");
        assert!(ended.out.contains("$0.500") && ended.out.contains("cannot be mixed"), "{ended}");
        assert!(!ended.out.contains("nothing is billed") && !ended.out.contains("SANDBOX: "), "{ended}");
        let output = place.run(&["once", "--at", "2026-03-11T11:00:00Z", "--json"]);
        let output: serde_json::Value = serde_json::from_str(&output.out).unwrap();
        assert_eq!(output["sandbox"], false, "{}", place.database.name);
    }
}
