//! Numbers on pages lead to their rows, on both databases: each link is followed to its last page, whose text and rows
//! are compared with the number.

use serde_json::{Value, json};

use crate::support::databases::{block_on, databases};
use crate::support::number_links::{Link, follow_link, number, number_links};
use crate::support::program::{NINE, Place};
use crate::support::service::{FakeServer, Sandbox, reply};
use crate::support::web_client::Pages;
use crate::support::web_topics::TOPICS;
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

/// The links of a page whose address begins so.
fn links_to(page: &str, begin: &str) -> Vec<Link> {
    number_links(page).into_iter().filter(|link| link.address.starts_with(begin)).collect()
}

#[test]
fn linked_numbers_of_runs_topics_and_days_match_the_rows_they_lead_to() {
    for database in databases() {
        let name = database.name;
        let later = "2026-03-11T21:00:00Z";
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        for at in [NINE, later] {
            sandbox.set_clock(at);
            place.ok(&["once", "--at", at]);
        }
        let outside = "SELECT count(*) FROM v_sighting WHERE topic = 'acme' AND fit = 'outside'";
        assert!(place.database.number(outside) > 0, "{name}: the sandbox shows items older than the window");
        // An item that another source of its run showed, too, written into the tables.
        block_on(place.database.execute(
            "INSERT INTO sighting (run, item, source, rank, fit) SELECT s.run, s.item, 'web', 99, s.fit FROM sighting s JOIN run r ON r.id = s.run \
             WHERE r.topic = 'rust' AND s.source = 'social' AND s.item = (SELECT min(m.item) FROM sighting m WHERE m.run = s.run AND m.source = 'social' \
               AND NOT EXISTS (SELECT 1 FROM sighting w WHERE w.run = m.run AND w.item = m.item AND w.source = 'web')); \
             UPDATE run SET found = found + 1, duplicate = duplicate + 1 WHERE topic = 'rust'; \
             UPDATE search SET found = found + 1, duplicate = duplicate + 1 WHERE topic = 'rust' AND source = 'web'",
        ));
        let pages = Pages::serve(&place, &["--at", later]);
        let get = |path: &str| pages.page(path);
        let run = place.database.last_run("acme");
        let of_run = format!("/progress/{run}");
        let mut followed = 0;
        for (path, begin, least) in [
            ("/", "/topics/", 4),
            ("/runs", "/runs?run=", 20),
            ("/topics/acme", "/topics/acme?", 3),
            ("/topics/acme", "/runs?run=", 1),
            ("/topics/acme?by=week", "/topics/acme?", 2),
            (of_run.as_str(), "/runs?run=", 3),
        ] {
            let page = pages.page(path);
            let links = links_to(&page, begin);
            assert!(links.len() >= least, "{name}: {path}: {links:?}\n{page}");
            for link in links {
                let listed = follow_link(&get, &link.address);
                assert_eq!(listed.said, link.number(), "{name}: {path}: {link:?}");
                assert_eq!(listed.rows + listed.unlisted, link.number(), "{name}: {path}: {link:?} {listed:?}");
                let mut items = listed.items.clone();
                items.sort();
                items.dedup();
                // The list of a run's findings shows an item once for each source.
                let is_once = !["only=found", "only=duplicate"].iter().any(|only| link.address.contains(only));
                assert!(!is_once || items.len() == listed.items.len(), "{name}: {link:?}: an item is there twice");
                followed += 1;
            }
        }
        assert!(followed > 40, "{name}: {followed}");
        // The parts of what a run saw first.
        let parts = ["first", "new", "baseline", "older"].map(|part| {
            let first = place.database.texts("SELECT run FROM v_run WHERE topic = 'acme' ORDER BY seq LIMIT 1");
            follow_link(&get, &format!("/runs?run={}&only={part}#findings", first[0])).rows
        });
        assert_eq!(parts[0], parts[1] + parts[2] + parts[3], "{name}: {parts:?}");
        assert!(parts[2] > 0 && parts[3] > 0, "{name}: {parts:?}");
        // The topics, and the calls of the day.
        let overview = pages.page("/");
        let watched = links_to(&overview, "/#topics").remove(0);
        let table = overview.split_once("id=\"topics\"").unwrap().1;
        assert_eq!(table.matches("<th scope=\"row\">").count() as u64, watched.number(), "{name}");
        let today = links_to(&overview, "/runs?called=2026-03-11");
        let [calls, cost] = &today[..] else { panic!("{name}: {overview}") };
        let listed = follow_link(&get, &calls.address);
        let page = pages.page(&calls.address);
        assert_eq!((listed.said, listed.rows), (4, 4), "{name}: {page}");
        assert!(page.contains(&format!(": {} calls, {}", calls.number(), cost.words)), "{name}: {page}");
        let of_searches =
            page.split("<span class=\"sub\">").filter(|part| part.split('<').next().unwrap().ends_with(" call"));
        let of_searches: u64 = of_searches.map(|part| number(part).unwrap()).sum();
        assert_eq!(of_searches, calls.number(), "{name}: {page}");
        assert_eq!(
            follow_link(&get, "/runs?called=2026-03-10").said,
            0,
            "{name}: nothing was called on the day before"
        );
        for wrong in [
            "/runs?called=yesterday",
            "/runs?last=0",
            "/runs?since=then",
            "/runs?last=1001",
            "/runs?source=Nobody",
            "/runs?source=web",
            "/runs?source=web&since=2026-01-01",
            &format!("/runs?run={run}&only=some"),
            &format!("/runs?run={run}&only=known"),
            &format!("/runs?run={run}&page=0"),
            "/topics/acme?new_since=24h&until=2026-03-11",
            "/topics/acme?alert=a&run=b&until=2026-03-11",
            "/topics/acme?term=launch&run=b",
            "/topics/acme?new_since=2020-01-01",
            "/topics/acme?baseline_since=2020-01-01",
            "/topics/acme?from=2020-01-01&until=2020-01-02",
            "/topics/acme?term=launch&until=2020-01-01",
            "/topics/acme?new_since=24h&search=launch",
            "/topics/acme?term=a&theme=b",
            "/topics/acme?until=2026-03-11",
            "/topics/acme?from=2020-01-01",
            "/alerts?firing=maybe",
        ] {
            assert_eq!(pages.get(wrong).status, 400, "{name}: {wrong}");
        }
        for gone in ["/topics/acme?term=nobody%20says%20this", "/topics/acme?alert=nothing&run=x"] {
            assert_eq!(pages.get(gone).status, 404, "{name}: {gone}");
        }
        // A source alert may have checked this many.
        for right in ["/runs?topic=acme&source=web&last=150", "/runs?source=web&since=2026-03-10"] {
            assert_eq!(pages.get(right).status, 200, "{name}: {right}");
        }
        let list = pages.page(&format!("/runs?run={run}&only=duplicate"));
        assert!(list.contains(">duplicate</a>") && list.contains(">first seen</a>"), "{name}: {list}");
        assert!(pages.page("/topics/acme?new_since=24h").contains(">Back to the topic</a>"), "{name}");
        // Calls are shown only where they are counted.
        let says_calls = |which: &str| {
            pages.page(&format!("/runs?called=2026-03-11{which}")).contains(" on the UTC day 2026-03-11: ")
        };
        for (which, expected) in [
            ("&provider=service", true),
            ("&topic=acme", true),
            ("&topic=acme&provider=service", false),
            ("&state=ok", false),
            ("&source=web", false),
            ("&since=2026-03-01", false),
            ("&until=2026-04-01", false),
            ("&last=2", false),
        ] {
            assert_eq!(says_calls(which), expected, "{name}: {which}");
        }
        // One of the new items is forgotten: the ledger counted it, and the list says that it is gone.
        let address = format!("/runs?run={run}&only=new#findings");
        let before = follow_link(&get, &address);
        let key =
            url::form_urlencoded::parse(format!("key={}", before.items[0]).as_bytes()).next().unwrap().1.into_owned();
        place.ok(&["forget", "--item", &key, "--yes"]);
        let after = follow_link(&get, &address);
        assert_eq!((after.said, after.rows, after.unlisted), (before.said, before.rows - 1, 1), "{name}: {after:?}");
        let new = links_to(&pages.page("/topics/acme"), &address);
        assert_eq!(new[0].number(), after.said, "{name}: {new:?}");
        // The calls of a day are not shown if some of its searches were pruned.
        place.database.set_pruned_until(1_773_230_400_000);
        assert!(!says_calls("&provider=service"), "{name}");
        assert!(pages.page("/runs?called=2026-03-11").contains(" were deleted by retention. "), "{name}");
        assert!(pages.page("/runs?called=2026-03-12").contains(" on the UTC day 2026-03-12: 0 calls"), "{name}");
    }
}

#[test]
fn duplicates_of_a_run_match_their_count_even_after_two_items_merged() {
    const TEXT: &str = "acme opens a second shop at the harbour on tuesday, says its owner";
    const ADDRESS: &str = "https://x.com/ann/status/1992700000000000001";
    for database in databases() {
        let name = database.name;
        let world = ScriptedService::new();
        let topic = topic("acme", "").replace("[\"social\"]", "[\"social\", \"web\"]");
        let place = Place::new(database, &world.lines(), &topic);
        let page = |link: &str| json!({ "title": "of acme", "link": link, "snippet": "words of acme" });
        world.set_pages(&[page("https://news.example/1")]);
        run_once(&place, 2);
        // A post without an id, and a page with the address of that post: two items, both new.
        world.set_posts(&[json!({ "text": TEXT, "user": "ann", "created_at": hour(3) })]);
        world.set_pages(&[page("https://news.example/1"), page(ADDRESS)]);
        run_once(&place, 4);
        let run = place.database.last_run("acme");
        world.set_pages(&[]);
        world.set_posts(&[
            json!({ "id": "1992700000000000001", "text": TEXT, "user": "ann", "created_at": hour(3), "url": ADDRESS }),
        ]);
        run_once(&place, 6);
        assert_eq!(place.database.number("SELECT sum(merged_new) FROM v_erased"), 1, "{name}");
        let pages = Pages::serve(&place, &["--at", &hour(7)]);
        let get = |path: &str| pages.page(path);
        let links = links_to(&pages.page("/runs"), &format!("/runs?run={run}&only=duplicate"));
        assert_eq!(links.len(), 2, "{name}: {links:?}");
        for link in links {
            let listed = follow_link(&get, &link.address);
            assert_eq!((link.number(), listed.said, listed.rows), (1, 1, 2), "{name}: {link:?}");
            let list = pages.page(link.address.split('#').next().unwrap());
            assert!(list.contains(">1 more than the run counted: "), "{name}: {list}");
        }
    }
}

const ALERTS: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"1h\"\nmax_calls_per_day = 10\n\
    [[alerts]]\nname = \"recalls\"\nrule = \"items\"\nwords = [\"recall\"]\n\
    [[alerts]]\nname = \"storms\"\nrule = \"volume\"\nwindow = \"1h\"\nmin = 5\n\
    [[alerts]]\nname = \"slots\"\nrule = \"missed\"\n\
    [[alerts]]\nname = \"sick\"\nrule = \"source\"\nfailures = 2\nof = 3\n\
    [[alerts]]\nname = \"thrift\"\nrule = \"budget\"\ntopics = [\"acme\"]\npercent = 20\n";

#[test]
fn linked_numbers_of_alerts_match_the_rows_they_lead_to() {
    for database in databases() {
        let name = database.name;
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), ALERTS);
        let due = |at: &str| drop(place.run(&["once", "--due", "--at", at]));
        // Three posts a day at this hour for eight days, then thirty, most of them about a recall.
        for day in 0..8 {
            let n = 24 * day;
            let posts: Vec<Value> = (0..3).map(|k| post(n * 100 + k, n, &format!("{day} {k} acme words"), 1)).collect();
            world.set_posts(&posts);
            run_once(&place, n);
        }
        due(&hour(24 * 7));
        let storm = |k: u32| {
            let what = if k < 25 { "recall" } else { "calm" };
            post(90_000 + k, 192, &format!("90000 post number {k} of an acme {what}"), 1)
        };
        world.set_posts(&(0..30).map(storm).collect::<Vec<_>>());
        run_once(&place, 192);
        due("2026-03-19T00:00:01Z");
        // The service fails.
        let broken = FakeServer::respond_with(|_| reply("500 Internal Server Error", "", b""));
        place.configure(&broken.lines(), ALERTS);
        for n in [193, 194] {
            assert_eq!(place.run(&["once", "--at", &hour(n)]).code, Some(3), "{name}");
        }
        due("2026-03-19T02:00:01Z");
        let pages = Pages::serve(&place, &["--at", "2026-03-19T02:00:01Z"]);
        let get = |path: &str| pages.page(path);
        let page = pages.page("/alerts");
        let events: Vec<(String, String)> = page
            .split("<ol class=\"found\">")
            .nth(1)
            .unwrap()
            .split("<p dir=\"auto\">")
            .skip(1)
            .filter_map(|event| {
                let summary = event.split("</p>").next()?.to_owned();
                let link = event.split("\">what it counted</a>").next().filter(|before| before.len() < event.len())?;
                Some((summary, link.rsplit("href=\"").next()?.replace("&amp;", "&")))
            })
            .collect();
        let of = |words: &str| {
            let found = events.iter().find(|(summary, _)| summary.contains(words));
            found.unwrap_or_else(|| panic!("{name}: {words}: {events:?}\n{page}"))
        };
        for (words, many) in [("25 new items with", 25), ("in 1h (≥30 items by ", 30)] {
            let (_, address) = of(words);
            let listed = follow_link(&get, address);
            assert_eq!((listed.said, listed.rows), (many, many), "{name}: {words}: {address}");
        }
        let missed = of(" missed, from ");
        let listed = follow_link(&get, &missed.1);
        let many = number(missed.0.trim_start_matches("acme: ")).unwrap();
        assert_eq!((listed.said, listed.rows), (many, many), "{name}: {missed:?}");
        let (summary, address) = of("social failed in 2 of its last 3 searches");
        let listed = follow_link(&get, address);
        assert_eq!((listed.said, listed.rows), (3, 3), "{name}: {summary}: {address}");
        let rows = pages.page(address);
        assert_eq!(rows.matches("data-label=\"State\"><span class=\"state bad\">error").count(), 2, "{name}: {rows}");
        let (summary, address) = of("2 of 10 calls used");
        assert!(pages.page(address).contains(" on the UTC day 2026-03-19: "), "{name}: {summary}: {address}");
        // The overview counts the alerts that fire.
        let overview = pages.page("/");
        let firing = links_to(&overview, "/alerts?firing=true").remove(0);
        let list = pages.page(&firing.address);
        assert_eq!(list.matches("<th scope=\"row\">").count() as u64, firing.number(), "{name}: {list}");
        assert!(!list.contains("Past events"), "{name}: {list}");
    }
}
