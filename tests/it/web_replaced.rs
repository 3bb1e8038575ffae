//! Report files that a later run overwrote: a request for the old one never gets the new one.

use crate::support::access_stage::{Visitor, add_share_link, place};
use crate::support::api_client::Reply;
use crate::support::databases::databases;
use crate::support::web_client::{Pages, TOKEN};
use crate::support::world::hour;

/// Occurs in a report that includes the other topic.
const TITLE: &str = "Zebra";

#[test]
fn an_overwritten_report_is_gone_for_links_downloads_and_the_api() {
    for database in databases() {
        let (_world, place) = place(database);
        let name = place.database.name;
        let jobs = std::fs::read_to_string(place.path("jobs.toml")).unwrap();
        let of = |topics: &str| {
            let text = jobs.replace("path = \"daily\"\n", &format!("path = \"daily\"\ntopics = [{topics}]\n"));
            std::fs::write(place.path("jobs.toml"), text).unwrap();
        };
        of("\"acme\"");
        // The first time only starts the schedule.
        for at in [hour(11), hour(12)] {
            place.ok(&["once", "--due", "--at", &at]);
        }
        let (old, _) = add_share_link(&place, &["--report", "daily", "--for", "9h", "--at", &hour(12)]);
        let runs = || place.database.texts("SELECT run FROM report ORDER BY made_at");
        let made = runs().len();
        let pages = Pages::serve_with_token(&place, &["--at", &hour(13)]);
        let shown = |secret: &str| Visitor::Anonymous.request(&pages, 7, "GET", &format!("/shared/{secret}"), "");
        let asks = |path: &str| Visitor::Bearer(TOKEN).request(&pages, 1, "GET", path, "");
        let first = shown(&old);
        assert!(first.status == 200 && !first.body_text().contains(TITLE), "{name}: {}", first.text());
        // The same file now includes more.
        of("\"acme\", \"zebra\"");
        place.ok(&["once", "--due", "--at", &hour(13)]);
        let runs = runs();
        let (earlier, latest) = (&runs[made - 1], runs.last().unwrap());
        assert!(runs.len() > made, "{name}: {runs:?}");
        let gone = shown(&old);
        assert!(gone.status == 404 && !gone.body_text().contains(TITLE), "{name}: {}", gone.text());
        assert_eq!(gone.body_text(), shown("nobody-has-this-secret").body_text());
        let (new, _) = add_share_link(&place, &["--report", "daily", "--for", "9h", "--at", &hour(13)]);
        assert!(shown(&new).body_text().contains(TITLE), "{name}: the link to the new one shows it");
        let listed = place.ok(&["token", "list", "--at", &hour(13)]);
        let shows = format!("  report {}  ", latest.strip_prefix("report:").unwrap());
        assert!(listed.contains(&shows), "{name}: {listed}");
        assert!(asks("/access").body_text().contains(shows.trim()), "{name}");
        let slot = earlier.strip_prefix("report:").unwrap();
        place
            .run(&["token", "share", "--report", slot, "--for", "9h", "--at", &hour(13)])
            .assert_stderr(2, &["was replaced by a later run"]);
        for path in ["/file", "/api/v1/files"] {
            let of = |run: &str| -> Reply {
                let run: String = url::form_urlencoded::byte_serialize(run.as_bytes()).collect();
                asks(&format!("{path}?run={run}&n=0"))
            };
            let (before, now) = (of(earlier), of(latest));
            assert_eq!((before.status, now.status), (410, 200), "{name}: {path}\n{}", before.text());
            assert!(before.text().contains("replaced by a later run"), "{}", before.text());
        }
        let page = asks("/files").body_text();
        assert!(page.contains(", replaced by a later run"), "{name}: {page}");
        let list = asks("/api/v1/reports").json();
        let replaced = |run: &str| {
            let made = list["data"].as_array().unwrap().iter().find(|made| made["run"] == run).unwrap();
            made["files"][0]["replaced"].clone()
        };
        assert_eq!((replaced(earlier), replaced(latest)), (true.into(), false.into()), "{name}: {list}");
    }
}
