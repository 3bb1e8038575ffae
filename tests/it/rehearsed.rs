//! A rehearsal with the sandbox says that it is one, and never leaves this machine: feeds of the network, alerts, imports, the
//! API of a daemon that has found nothing yet.

use crate::support::databases::databases;
use crate::support::program::{NINE, Place};
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
