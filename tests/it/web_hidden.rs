//! Filtered items on the pages: pages say that something was found, count only what was examined, and files contain
//! what their page shows.

use serde_json::Value;

use crate::support::access_stage::{Visitor, add_share_link, add_token};
use crate::support::daemons::start_daemon;
use crate::support::databases::{databases, sqlite};
use crate::support::program::{Place, wait_until};
use crate::support::web_client::Pages;
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

fn posts(of: &str, ids: std::ops::Range<u32>) -> Vec<Value> {
    // Unique words, so that no text is a near-copy.
    let words = |id: u32| (0..8).map(|at| format!("z{}", (id * 7_919 + at * 13) % 9_973)).collect::<Vec<_>>().join(" ");
    ids.map(|id| post(id, 22, &format!("{of} {}", words(id)), 0)).collect()
}

#[test]
fn the_items_page_counts_hidden_items_once_per_topic() {
    let world = ScriptedService::new();
    let acme = topic("acme", "must = [\"good\"]");
    let place = Place::new(sqlite(), &world.lines(), &format!("{acme}{}", acme.replace("acme", "bell")));
    run_once(&place, 23);
    world.set_posts(&posts("spam", 100..101));
    let each = "(an item counts once for each topic that found it)";
    for (of, words) in [
        ("acme", format!("1 item found {each}, hidden by its topic's filter.")),
        ("bell", format!("2 items found {each}, all hidden by their topics' filters.")),
    ] {
        place.ok(&["once", "--topic", of, "--at", &hour(24)]);
        let page = Pages::serve(&place, &["--at", &hour(25)]).page("/items");
        assert!(page.contains(&words), "{words}: {page}");
    }
}

#[test]
fn a_page_of_only_hidden_items_does_not_say_nothing_was_found() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", "must = [\"good\"]"));
        let name = place.database.name;
        world.set_posts(&posts("spam", 100..160));
        run_once(&place, 24);
        let (secret, _) = add_share_link(&place, &["--topic", "acme", "--for", "9h", "--at", &hour(25)]);
        let reader = add_token(&place, &["reader", "--role", "read"]);
        let pages = Pages::serve(&place, &["--at", &hour(25)]);
        let see = |path: &str| Visitor::Bearer(&reader).request(&pages, 1, "GET", path, "").body_text();
        let shared = || Visitor::Anonymous.request(&pages, 7, "GET", &format!("/shared/{secret}"), "").body_text();
        for (page, words) in [
            (shared(), "60 items found (near-copies count once), all hidden by the topic's filter."),
            (see("/items"), "60 items found, all hidden by the topic's filter."),
            (see("/topics/acme?order=engagement&copies=all"), "hidden by the topic's filter"),
        ] {
            assert!(!page.contains("Nothing found yet"), "{name}: {page}");
            assert!(page.contains(words), "{name}: {words}: {page}");
        }
        // The last page says nothing of those before.
        let first = see("/topics/acme?order=engagement&copies=all");
        let second =
            first.split("rel=\"next\" href=\"").nth(1).unwrap().split('"').next().unwrap().replace("&amp;", "&");
        let page = see(&second);
        let words = "30 items on this page are hidden by the topic's filter.";
        assert!(page.contains(words) && !page.contains("items found"), "{name}: {page}");
        // The last page of a topic, and a topic with few items.
        let page = see("/topics/acme?filtered=hide");
        assert!(page.contains("Older items"), "{name}: {page}");
        assert!(see("/items?filtered=only").contains(">60 items<"), "{name}");
        // Older items that are not hidden are shown, however many newer ones are hidden.
        world.set_posts(&posts("good", 1..4));
        run_once(&place, 25);
        world.set_posts(&posts("spam", 200..320));
        run_once(&place, 26);
        let page = shared();
        assert!(page.contains("3 items") && page.matches("<p dir=\"auto\">good z").count() == 3, "{name}: {page}");
    }
}

#[test]
fn counts_cover_only_examined_items() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", "exclude = [\"spam\"]"));
        let name = place.database.name;
        world.set_posts(&posts("good", 1..50));
        run_once(&place, 24);
        for (run, from) in (1_000..6_100_u32).step_by(850).enumerate() {
            world.set_posts(&posts("spam", from..from + 850));
            run_once(&place, 25 + u32::try_from(run).unwrap());
        }
        assert_eq!(place.database.items(), 5_149, "{name}");
        let pages = Pages::serve(&place, &["--at", &hour(40)]);
        let page = pages.page("/items");
        assert!(!page.contains("More than"), "{name}: {page}");
        assert!(page.contains("At least ") && page.contains("not all were checked"), "{name}: {page}");
        assert!(pages.page("/items?filtered=keep").contains("More than 5,000 items"), "{name}");
    }
}

/// The keys of all pages of a topic's list in order, and the first page.
fn listed(see: &dyn Fn(&str) -> String, first: &str) -> (Vec<String>, String) {
    let (mut keys, mut next, mut begin) = (Vec::new(), first.to_owned(), None);
    loop {
        let page = see(&next);
        let list = page.split("<ol class=\"found\">").nth(1).and_then(|rest| rest.split("</ol>").next()).unwrap_or("");
        for item in list.split("data-item").skip(1) {
            let key = item.split("/item?key=").nth(1).unwrap().split('"').next().unwrap();
            keys.push(key.replace("%3A", ":"));
        }
        match page.split("rel=\"next\" href=\"").nth(1) {
            Some(link) => next = link.split('"').next().unwrap().replace("&amp;", "&"),
            None => return (keys, begin.unwrap_or(page)),
        }
        begin.get_or_insert(page);
        assert!(keys.len() < 1_000, "{first}: no end");
    }
}

#[test]
fn downloads_of_a_topic_page_have_its_items_in_its_order() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(
            database,
            &world.lines(),
            &format!(
                "{}[[topics]]\nid = \"other\"\nquery = \"good\"\nsources = [\"social\"]\n",
                topic("acme", "exclude = [\"spam\"]")
            ),
        );
        let name = place.database.name;
        let copied = "acme engine: the launch of the new engine was moved to the ninth of april because of the weather";
        let copies: Vec<Value> = (600..604).map(|id| post(id, 22, copied, 3)).collect();
        let liked = |posts: Vec<Value>| {
            let like = |(n, mut post): (usize, Value)| {
                post["like_count"] = (n * 7 % 31).into();
                post
            };
            posts.into_iter().enumerate().map(like).collect::<Vec<_>>()
        };
        let (good, noise) =
            (posts("acme launch of rockets into orbit", 1..121), posts("cheap running shoes at a discount", 300..340));
        let all = [liked(good), liked(noise), posts("spam", 500..510), copies].concat();
        world.set_posts(&all);
        run_once(&place, 24);
        world.set_posts(
            &all.iter()
                .cloned()
                .map(|mut post| {
                    post["like_count"] = (post["like_count"].as_i64().unwrap() * 3).into();
                    post
                })
                .collect::<Vec<_>>(),
        );
        run_once(&place, 25);
        for (mark, ids) in [("good", 1..13), ("noise", 300..312)] {
            let keys: Vec<String> = ids.map(|id| format!("post:x:{id}")).collect();
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            place.ok(&[&["mark", "acme"], &keys[..], &[mark]].concat());
        }
        let [all, one, other] = [
            &["all", "--role", "read"][..],
            &["one", "--role", "read", "--topic", "acme"],
            &["other", "--role", "read", "--topic", "other"],
        ]
        .map(|args| add_token(&place, args));
        let pages = Pages::serve(&place, &["--at", &hour(26)]);
        let ask = |token: &str, path: &str| Visitor::Bearer(token).request(&pages, 1, "GET", path, "");
        let see = |path: &str| ask(&all, path).body_text();
        for (asked, rows) in [
            ("", 161),
            ("?copies=all", 164),
            ("?copies=all&filtered=keep", 174),
            ("?order=engagement", 161),
            ("?order=negative&copies=all", 164),
            ("?search=launch&order=positive", 121),
            ("?search=engine", 1),
            ("?author=%40author1&since=7d", 54),
            ("?source=social&filtered=only", 10),
            ("?order=velocity", 30),
            ("?order=relevance", 30),
            ("?noise=fold&by=week", 0),
        ] {
            let (shown, page) = listed(&see, &format!("/topics/acme{asked}"));
            if !asked.contains("noise") {
                assert_eq!(shown.len(), rows, "{name}: {asked}");
            }
            let file = |format: &str| {
                let begin = format!("href=\"/topics/acme/items.{format}");
                let link = page.split(&begin).nth(1).unwrap_or_else(|| panic!("{name}: {asked}\n{page}"));
                let link = link.split('"').next().unwrap().replace("&amp;", "&");
                let reply = ask(&all, &format!("/topics/acme/items.{format}{link}"));
                let named = format!("attachment; filename=\"acme-items.{format}\"");
                assert_eq!(
                    (reply.status, reply.header("content-disposition")),
                    (200, Some(&*named)),
                    "{name}: {asked}"
                );
                reply
            };
            let lines = file("jsonl").body_text();
            let key = |line: &str| serde_json::from_str::<Value>(line).unwrap()["key"].as_str().unwrap().to_owned();
            assert_eq!(lines.lines().map(key).collect::<Vec<_>>(), shown, "{name}: {asked}");
            let table = file("csv").body;
            let mut table = csv::Reader::from_reader(table.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&table));
            let at = table.headers().unwrap().iter().position(|column| column == "key").unwrap();
            let keys: Vec<String> = table.records().map(|row| row.unwrap()[at].to_owned()).collect();
            assert_eq!(keys, shown, "{name}: {asked}");
            assert!(file("xlsx").body.starts_with(b"PK"), "{name}: {asked}");
            // A ranking has each copy in a row of its own.
            let is_ranking = asked.contains("order=velocity") || asked.contains("order=relevance");
            let folds = !is_ranking && !asked.contains("copies=all");
            assert_eq!(page.contains("Near-copies are left out."), folds, "{name}: {asked}");
        }
        let (kept, _) = listed(&see, "/topics/acme?noise=fold");
        let (noise, rockets) = (300..340, 1..121);
        let many = |ids: std::ops::Range<u32>| ids.filter(|id| kept.contains(&format!("post:x:{id}"))).count();
        // Twelve of the forty are marked, and stay.
        let left = many(noise);
        assert!((12..25).contains(&left) && many(rockets) == 120, "{name}: {left}");
        // Likely noise is suggested, too.
        let suggested = see("/topics/acme?order=suggested&noise=fold");
        assert!(suggested.contains("Relevance is ") && !suggested.contains("left out."), "{name}: {suggested}");
        // An empty list has no file. A token for the topic gets its file, without data of other topics; other tokens
        // get none.
        assert!(!see("/topics/acme?tone=negative&search=rockets").contains("items.csv"), "{name}");
        let path = "/topics/acme/items.jsonl";
        assert!(ask(&one, "/topics/acme").body_text().contains(path.trim_end_matches("jsonl")), "{name}");
        assert_eq!((ask(&one, path).status, ask(&other, path).status), (200, 403), "{name}");
        assert_eq!(ask(&all, "/topics/nobody/items.csv").status, 404, "{name}");
        assert_eq!(ask(&all, "/topics/acme/items.csv?order=loud").status, 400, "{name}");
    }
}

#[test]
fn items_of_a_deleted_topic_do_not_link_to_its_page() {
    for database in databases() {
        let world = ScriptedService::new();
        let other = "[[topics]]\nid = \"other\"\nquery = \"good\"\nsources = [\"social\"]\n";
        let place = Place::new(database, &world.lines(), &format!("{}{other}", topic("acme", "")));
        let name = place.database.name;
        world.set_posts(&posts("good", 1..4));
        run_once(&place, 24);
        let seen = Pages::serve(&place, &["--at", &hour(25)]).page("/items");
        assert!(seen.contains("href=\"/topics/other\""), "{name}: {seen}");
        place.configure(&world.lines(), &topic("acme", "schedule = \"0 6 1 1 *\""));
        let going = start_daemon(&place, &[]);
        wait_until("the topic is deleted", || {
            place.database.number("SELECT count(*) FROM topic WHERE removed_at IS NOT NULL") == 1
        });
        going.signal("TERM");
        assert_eq!(going.wait().code, Some(0), "{name}");
        let pages = Pages::serve(&place, &[]);
        assert_eq!(pages.get("/topics/other").status, 404, "{name}");
        for path in ["/items", "/runs", "/item?key=post%3Ax%3A1"] {
            let page = pages.page(path);
            assert!(
                page.contains("other, deleted") && page.contains("href=\"/topics/acme\""),
                "{name}: {path}\n{page}"
            );
            assert!(!page.contains("href=\"/topics/other\""), "{name}: {path}\n{page}");
        }
        // A search for it keeps it when another filter is chosen.
        let page = pages.page("/items?topic=other");
        let chosen = "<option value=\"other\" selected>other, deleted</option>";
        assert!(page.contains(chosen) && page.contains("<strong>3 items</strong>"), "{name}: {page}");
        assert!(!pages.page("/items").contains(chosen), "{name}");
    }
}
