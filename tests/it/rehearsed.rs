//! A rehearsal with the sandbox says that it is one, and never leaves this machine: feeds of the network, alerts, imports, the
//! API of a daemon that has found nothing yet.

use crate::support::databases::databases;
use crate::support::program::{NINE, Place};
use crate::support::receivers::Hook;
use crate::support::replies::{Replies, reply};

#[test]
fn feeds_of_the_network_are_asked_at_the_sandbox_and_nowhere_else() {
    for database in databases() {
        let name = database.name;
        let server = Replies::start(vec![reply(
            200,
            &[],
            "<rss version=\"2.0\"><channel><item><title>real</title></item></channel></rss>",
        )]);
        let url = server.url();
        let file = format!(
            "[providers.news]\nkind = \"feeds\"\nbase_url = \"sandbox\"\nallow_private = true\n\n\
             [[topics]]\nid = \"acme\"\nquery = \"acme\"\nnews.urls = [\"{url}/feed.xml\", \"{url}/atom\", \"{url}/f.json?key=a\", \"coffee.rss\"]\n"
        );
        let place = Place::bare(database, &file);
        place.run(&["once", "--at", NINE]).shows(0, &["SANDBOX", "1 of 1 runs ok"]);
        place.run(&["try", "acme", "--at", NINE]);
        place.run(&["check", "--probe", "--at", NINE]);
        assert_eq!(server.heads(), [""; 0], "{name}");
        assert!(place.database.number("SELECT count(*) FROM item") > 0, "{name}");
        let strangers = "SELECT key FROM item WHERE key NOT LIKE 'page:https://feeds.example/%'";
        assert_eq!(place.database.texts(strangers), [""; 0], "{name}");
        // The next run asks each stand-in whether it changed.
        place.run(&["once", "--at", "2026-03-11T09:30:00Z"]).shows(0, &["1 of 1 runs ok"]);
    }
}

#[test]
fn alerts_of_invented_findings_are_marked() {
    for database in databases() {
        let hook = Hook::good();
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
        let got = hook.got();
        assert!(got.len() >= 2, "{}", place.database.name);
        for one in got {
            let one = one.json();
            assert!(one["subject"].as_str().unwrap().starts_with("[SANDBOX] [any] "), "{one}");
            assert_eq!(one["data"]["sandbox"], true, "{one}");
        }
    }
}
