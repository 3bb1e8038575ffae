//! The pages through the program, on both databases: what each shows of the stored data.

use std::collections::{BTreeMap, BTreeSet};

use topicwatch::model::Time;

use crate::support::access_stage::{Visitor, add_token};
use crate::support::databases::{block_on, databases, databases_without_schema, sqlite};
use crate::support::logged_sql::statements;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::{ON_DEMAND_TOPIC, Pages, TOKEN};
use crate::support::web_topics::*;

#[test]
fn before_the_first_run_the_pages_say_what_to_do_next() {
    for database in databases_without_schema() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.run(&["serve"]).assert_stderr(4, &["yet", "topicwatch once"]);
        place.ok(&["db", "migrate"]);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let page = pages.page("/");
        for part in [
            "Nothing has run yet",
            "The configuration has 2 topics: acme, rust. ",
            "topicwatch check",
            "topicwatch once",
            "topicwatch run",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        // The settings page links to each topic of the file.
        let topic = pages.page("/topics/acme");
        assert!(topic.contains("Saved in the file, but not yet in the database."), "{topic}");
        assert_eq!(pages.get("/topics/nothing").status, 404);
        // What is added to the file while the pages are served is counted, too.
        let file = place.path("jobs.toml");
        let more = std::fs::read_to_string(&file).unwrap() + "\n[[topics]]\nid = \"zig\"\nquery = \"zig lang\"\n";
        std::fs::write(&file, more).unwrap();
        let page = pages.page("/");
        assert!(page.contains("The configuration has 3 topics: acme, rust, zig. "), "{page}");
        assert!(pages.page("/health").contains("not running"));
    }
}

#[test]
fn a_token_for_one_topic_is_told_before_the_first_run_only_that_its_topic_is_not_stored_yet() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    place.ok(&["db", "migrate"]);
    let token = add_token(&place, &["ann", "--role", "read", "--topic", "acme"]);
    let pages = Pages::serve(&place, &["--at", NINE]);
    for (path, status, said) in [
        ("/", 200, "None of your token's topics is watched now: not yet, or no longer."),
        ("/topics/acme", 200, "Saved in the file, but not yet in the database."),
        ("/topics/rust", 403, "Your token does not cover this"),
        ("/topics/nothing", 403, "Your token does not cover this"),
        ("/runs?run=nothing", 200, "or your token does not cover its topic. "),
    ] {
        let reply = Visitor::Bearer(&token).request(&pages, 1, "GET", path, "");
        assert!(reply.status == status && reply.text().contains(said), "{path}: {}", reply.text());
        assert!(!reply.text().contains("href=\"/jobs\""), "{path}: it may not see the settings: {}", reply.text());
        assert!(path == "/topics/rust" || !reply.text().contains("rust"), "{path}: {}", reply.text());
    }
}

#[test]
fn before_the_first_run_all_topics_are_counted_and_the_sandbox_is_not_advised_twice() {
    for database in databases() {
        let name = database.name;
        let topic =
            |n: u32| format!("[[topics]]\nid = \"t{n:02}\"\nquery = \"topic {n}\"\nevery = \"12h\"\npaused = true\n");
        let topics: String = (1..=51).map(topic).collect();
        let rest = format!("[web]\nlisten = \"127.0.0.1:0\"\n{topics}");
        let place = Place::new(database, "base_url = \"sandbox\"", &rest);
        let pages = Pages::wait_for_address(place.program(&["run"]).start());
        // A page after the last topic does not pretend that there is none.
        for path in ["/", "/?after=zzz"] {
            let page = pages.page(path);
            assert!(page.contains("The configuration is read: 51 topics, "), "{name}: {path}: {page}");
            assert!(page.contains("SANDBOX") && !page.contains("To try everything"), "{name}: {path}: {page}");
        }
        let report = pages.page("/topics/t01/report");
        assert!(report.contains("<strong>SANDBOX</strong>"), "{name}: {report}");
    }
}

#[test]
fn the_overview_shows_the_state_of_each_topic() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &["source=web,path=/web/search,status=500,times=1"]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.run(&["once", "--at", NINE, "--topic", "acme"]);
        place.ok(&["once", "--at", NINE, "--topic", "rust"]);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let page = pages.page("/");
        for part in
            ["Acme &amp; Sons", "partial", "failing", "2026-03-11 09:00 UTC", "14:30 UTC+05:30", "SANDBOX", "of 500"]
        {
            assert!(page.contains(part), "{name}: {part}\n{page}");
        }
        assert!(!page.contains("style=") && !page.contains("onclick"), "{page}");
        // Missing items are reported above the table, wherever their topic is listed.
        let (top, _) = page.split_once("<table").unwrap();
        let missing =
            "1 topic may miss items: <a href=\"/topics/acme#days\"><bdi>Acme &amp; Sons</bdi></a> (web failing)";
        assert!(top.contains(missing), "{name}: {top}");
        // Slots that passed while nothing ran are not shown as "none".
        assert!(pages.page("/health").contains("none</span> in 7 days"), "{name}");
        place.ok(&["once", "--due", "--at", NINE]);
        let later = Pages::serve(&place, &["--at", "2026-03-13T09:00:00Z"]).page("/health");
        assert!(later.contains("not checked since"), "{name}: {later}");
        pages.program.signal("INT");
        let ended = pages.program.wait();
        assert_eq!(ended.code, Some(0), "{ended}");
    }
}

#[test]
fn serve_changes_nothing_and_refuses_old_tables() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.run(&["once", "--at", NINE]);
        let before = place.database.table_sizes();
        let pages = Pages::serve(&place, &["--at", NINE]);
        for path in [
            "/",
            "/topics/acme",
            "/topics/acme?search=acme&order=engagement",
            "/answers/acme",
            "/runs",
            "/files",
            "/health",
        ] {
            pages.page(path);
        }
        drop(pages);
        assert_eq!(place.database.table_sizes(), before);
        place.database.make_older();
        place.run(&["serve"]).assert_stderr(4, &["older version", "topicwatch db migrate"]);
    }
}

/// The texts between two markers, for every occurrence.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Vec<&'a str> {
    text.split(before).skip(1).filter_map(|rest| rest.split(after).next()).collect()
}

/// The URLs of the items that a page lists.
fn items(page: &str) -> Vec<String> {
    between(page, "<ol class=\"found\">", "</ol>")
        .iter()
        .flat_map(|list| between(list, "href=\"/item?", "\""))
        .map(str::to_owned)
        .collect()
}

fn next(page: &str) -> Option<String> {
    between(page, "rel=\"next\" href=\"", "\"").first().map(|link| link.replace("&amp;", "&"))
}

#[test]
fn a_topics_items_are_paged_searched_and_ordered() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        for at in ["2026-03-09T09:00:00Z", "2026-03-10T09:00:00Z", NINE] {
            sandbox.set_clock(at);
            place.ok(&["once", "--at", at]);
        }
        let all = place.database.items_of("acme");
        let pages = Pages::serve(&place, &["--at", NINE]);
        for order in ["new", "engagement", "negative", "positive"] {
            let (mut seen, mut path) = (Vec::new(), Some(format!("/topics/acme?copies=all&order={order}")));
            while let Some(here) = path {
                let page = pages.page(&here);
                seen.extend(items(&page));
                assert!(seen.len() < 500, "{order}: the pages form a loop");
                path = next(&page);
            }
            let many = seen.len();
            seen.sort();
            seen.dedup();
            assert_eq!(seen.len(), many, "{name}: {order} shows an item twice");
            if matches!(order, "new" | "engagement") {
                assert_eq!(i64::try_from(many).unwrap(), all, "{name}: {order}");
            }
        }
        let found = place.json(&["search", "--topic", "acme", "--json", "launch"]);
        let found = found["items"].as_array().unwrap().len();
        let page = pages.page("/topics/acme?copies=all&search=launch");
        assert!(found > 0 && items(&page).len() == found.min(30), "{name}: {found}\n{page}");
        // The former names of the parameters, as links of before have them.
        let former = pages.page("/topics/acme?copies=all&q=launch&sort=engagement");
        let now = pages.page("/topics/acme?copies=all&search=launch&order=engagement");
        assert!(items(&former) == items(&now) && items(&now).len() == items(&page).len(), "{name}: {former}");
        let loud = pages.page("/topics/acme?copies=all&order=engagement");
        let likes: Vec<u64> = between(&loud, " · ", " likes")
            .iter()
            .filter_map(|n| n.rsplit(' ').next()?.replace(',', "").parse().ok())
            .collect();
        assert!(likes.len() > 5, "{loud}");
        assert!(pages.page("/topics/acme?order=velocity").contains("Items"));
        assert!(pages.page("/topics/acme?tone=negative&source=social&since=7d").contains("selected"));
        // The answer and its sources.
        let topic = pages.page("/topics/acme");
        assert!(topic.contains("The latest answer") && topic.contains("Based on"), "{topic}");
        assert!(pages.page("/answers/acme").contains("Asked <time datetime=\"2026-03-"));
        // The runs page shows every search.
        let runs = pages.page("/runs");
        for part in ["topic:acme", "social", "web", " ms", " found</a> = "].iter().skip(1) {
            assert!(runs.contains(part), "{name}: {part}\n{runs}");
        }
        assert_eq!(
            between(&pages.page("/runs?topic=rust"), "href=\"/topics/", "\"").iter().filter(|t| **t == "acme").count(),
            0
        );
    }
}

#[test]
fn citations_of_an_answer_link_to_their_item_or_are_marked_as_not_found() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        // One link is to an item that another topic found, one to an item of its own, one to nothing known.
        let page_of = |topic: &str, other: &str| {
            let sql = format!(
                "SELECT i.key || ' ' || i.url FROM v_item i WHERE i.topic = '{topic}' AND i.kind = 'page' \
                 AND i.url LIKE 'http%' AND NOT EXISTS (SELECT 1 FROM v_item o WHERE o.key = i.key AND o.topic = '{other}') ORDER BY i.key LIMIT 1"
            );
            let both = place.database.texts(&sql).remove(0);
            both.split_once(' ').map(|(key, url)| (key.to_owned(), url.to_owned())).unwrap()
        };
        let ((own, own_url), (other, other_url)) = (page_of("acme", "rust"), page_of("rust", "acme"));
        let text = format!("See {own_url} and {other_url}, not https://nowhere.example/x.");
        place.database.replace_answers("acme", &text);
        let pages = Pages::serve(&place, &["--at", NINE]);
        for path in ["/topics/acme", "/answers/acme"] {
            let page = pages.page(path);
            assert!(page.contains("Based on 3 citations: ") && page.contains("1 not found"), "{name}: {path}\n{page}");
            let listed = between(&page, "<summary>Based on", "</details>").remove(0);
            for key in [&own, &other] {
                let coded: String = url::form_urlencoded::byte_serialize(key.as_bytes()).collect();
                assert!(listed.contains(&format!("href=\"/item?key={coded}\"")), "{name}: {path} {key}\n{listed}");
            }
            assert!(listed.contains("found by another topic"), "{name}: {listed}");
            let marked = between(&page, "https://nowhere.example/x</a> ", "</strong>");
            assert!(marked.iter().any(|mark| mark.contains("not found")), "{name}: {path}\n{page}");
            assert_eq!(listed.matches("✗ not found").count(), 1, "{name}: {listed}");
        }
        assert_eq!(
            pages
                .get(&format!(
                    "/item?{}",
                    url::form_urlencoded::Serializer::new(String::new()).append_pair("key", &other).finish()
                ))
                .status,
            200
        );
    }
}

#[test]
fn an_item_page_shows_sightings_edits_copies_and_topics() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        for at in ["2026-03-11T08:00:00Z", NINE] {
            sandbox.set_clock(at);
            place.ok(&["once", "--at", at]);
        }
        let key = place.database.texts("SELECT i.key FROM v_item i JOIN v_sighting s ON s.key = i.key WHERE i.topic = 'acme' AND i.kind = 'post' GROUP BY i.key HAVING count(DISTINCT s.run) > 1 ORDER BY i.key LIMIT 1").remove(0);
        place.database.add_revision("acme", &key, "words that were <b>replaced</b>");
        let pages = Pages::serve(&place, &["--at", NINE]);
        let address =
            format!("/item?{}", url::form_urlencoded::Serializer::new(String::new()).append_pair("key", &key).finish());
        let page = pages.page(&address);
        for part in [
            "Sightings",
            "The latest ",
            "Topics that found it",
            "href=\"/topics/acme\"",
            "Edits",
            "<del>",
            "replaced&lt;/b&gt;",
            "<svg",
            "2026-03-11 08:00 UTC",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        // If some sightings were pruned, the remaining ones are not called the latest.
        place.database.prune_first_sighting(&key);
        let page = pages.page(&address);
        assert!(page.contains("; the others are no longer kept.") && !page.contains("The latest "), "{page}");
        place.database.add_sightings(100, &format!("s.item = {}", place.database.item_id(&key)));
        let page = pages.page(&address);
        assert!(page.contains("<caption>The latest 100 sightings that are kept; there may be more.<"), "{page}");
        place.database.prune_sightings(&key);
        let page = pages.page(&address);
        assert!(page.contains("<caption>Its sightings are no longer kept.<"), "{page}");
    }
}

#[test]
fn only_recorded_report_and_export_files_can_be_downloaded() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        std::fs::write(place.path("day.html"), "<script>a report</script>").unwrap();
        place.database.add_report(&[place.path("day.html"), place.path("gone\" x.md")]);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let list = pages.page("/files");
        assert!(list.contains("What &lt;matters&gt;") && list.contains("day.html"), "{list}");
        let links: Vec<String> = between(&list, "href=\"/file?", "\"")
            .iter()
            .map(|link| format!("/file?{}", link.replace("&amp;", "&")))
            .collect();
        let file = pages.get(&links[0]);
        assert_eq!((file.status, file.body.as_str()), (200, "<script>a report</script>"));
        assert_eq!(file.header("content-disposition"), Some("attachment; filename=\"day.html\""));
        assert_eq!(file.header("content-type"), Some("application/octet-stream"));
        let removed = pages.get(&links[1]);
        assert_eq!(removed.status, 410, "it was removed");
        assert!(removed.body.contains("an export writes its next file on schedule"), "{}", removed.body);
        assert_eq!(pages.get(&links[0].replace("n=0", "n=2")).status, 404);
    }
}

#[test]
fn day_counts_made_in_the_background_equal_sql() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        let right = || {
            // Kolkata is always 5 hours and a half ahead: its days by plain arithmetic.
            for (topic, shift) in [("acme", 0_i64), ("rust", 19_800_000)] {
                let day = |at: i64| (at + shift) / 86_400_000 * 86_400_000 - shift;
                let begin = 1_773_219_600_000_i64 - 14 * 86_400_000;
                let items = place.database.texts(&format!(
                    "SELECT CASE WHEN published_at < first_seen THEN published_at ELSE first_seen END || ' ' || coalesce(tone, '-') || ' ' || \
                     coalesce(cluster, key) FROM v_item WHERE topic = '{topic}'"
                ));
                let mut days = BTreeMap::<i64, Vec<(&str, &str)>>::new();
                for item in &items {
                    let parts: Vec<&str> = item.splitn(3, ' ').collect();
                    let at = day(Time::parse(parts[0]).unwrap().0);
                    if at >= day(begin) {
                        days.entry(at).or_default().push((parts[1], parts[2]));
                    }
                }
                let by_hand: Vec<String> = days
                    .into_iter()
                    .map(|(day, items)| {
                        let clusters: BTreeSet<&str> = items.iter().map(|(_, cluster)| *cluster).collect();
                        let negative = items.iter().filter(|(tone, _)| *tone == "negative").count();
                        format!("{day} {} {} {negative}", items.len(), clusters.len())
                    })
                    .collect();
                let counted = place.database.texts(&format!(
                    "SELECT day_from || ' ' || items || ' ' || unique_items || ' ' || negative FROM topic_day WHERE topic = '{topic}' ORDER BY 1"
                ));
                assert!(!counted.is_empty());
                assert_eq!(counted, by_hand, "{name}: {topic}");
            }
        };
        for at in ["2026-03-10T21:00:00Z", NINE] {
            sandbox.set_clock(at);
            place.ok(&["once", "--at", at]);
        }
        right();
        assert_eq!(place.database.number("SELECT count(*) FROM topic_day_due"), 0);
        // The next process counts again what changed in other ways.
        let author = place
            .database
            .texts("SELECT author FROM v_item WHERE topic = 'acme' AND author IS NOT NULL ORDER BY author LIMIT 1")
            .remove(0);
        place.ok(&["forget", "--author", &author, "--yes"]);
        assert!(place.database.number("SELECT count(*) FROM topic_day_due") > 0, "{name}: {author}");
        let pages = Pages::serve(&place, &["--at", NINE]);
        assert!(pages.page("/topics/acme").contains("The latest items are still being counted"));
        place.ok(&["once", "--at", NINE, "--topic", "rust"]);
        right();
        let page = pages.page("/topics/acme");
        assert!(!page.contains("The latest items are still being counted") && page.contains("Items a day"), "{page}");
        assert!(pages.page("/").contains("class=\"spark\""));
        // Another zone has other days.
        place.configure(&sandbox.lines(), &TOPICS.replace("Asia/Kolkata", "Asia/Tokyo"));
        place.ok(&["once", "--at", NINE, "--topic", "rust"]);
        let at = place.database.number("SELECT max(day_from) FROM topic_day WHERE topic = 'rust'");
        assert_eq!((at + 9 * 3_600_000) % 86_400_000, 0, "{name}");
    }
}

#[test]
fn charts_name_mixed_scorers_and_count_future_dates_when_first_seen() {
    for database in databases() {
        let world = crate::support::world::ScriptedService::new();
        let place = Place::new(database, &world.lines(), &crate::support::world::topic("acme", ""));
        world.set_posts(&[crate::support::world::post(1, 1, "the first day is fine", 1)]);
        crate::support::world::run_once(&place, 2);
        world.set_posts(&[crate::support::world::post(2, 90, "from a clock that is days ahead", 1)]);
        crate::support::world::run_once(&place, 26);
        let day = "SELECT CAST(day_from AS TEXT) || ' ' || items FROM topic_day ORDER BY 1";
        assert_eq!(
            place.database.texts(day),
            ["1773187200000 1", "1773273600000 1"],
            "the days of the first sightings"
        );
        let reported = || {
            let pages = Pages::serve(&place, &["--at", "2026-03-12T03:00:00Z"]);
            let days: serde_json::Value = serde_json::from_str(&pages.get("/api/v1/topics/acme/days").body).unwrap();
            (pages.page("/topics/acme").contains("scorers that cannot be compared"), days["scorers"].clone())
        };
        let ours = topicwatch::sentiment::VERSION;
        assert_eq!(reported(), (false, serde_json::json!([ours])), "{}", place.database.name);
        block_on(place.database.execute("UPDATE item SET scorer = 'another' WHERE key = 'post:x:1'"));
        assert_eq!(reported(), (true, serde_json::json!(["another", ours])), "{}", place.database.name);
        place.ok(&["db", "rescore"]);
        assert_eq!(reported(), (false, serde_json::json!([ours])), "{}", place.database.name);
        // Neither the first nor the last item of its day: the stored count shows it.
        let more = [3, 4, 5].map(|id| crate::support::world::post(id, 27, &format!("more of the second day, {id}"), 1));
        world.set_posts(&more);
        crate::support::world::run_once(&place, 27);
        block_on(place.database.execute(
            "UPDATE item SET scorer = 'another' WHERE key = 'post:x:4'; INSERT INTO topic_day_due (topic, turn) VALUES ('acme', 1)",
        ));
        crate::support::world::run_once(&place, 27);
        assert_eq!(reported(), (true, serde_json::json!(["another", ours])), "{}", place.database.name);
    }
}

#[test]
fn a_topic_that_never_ran_shows_no_number_of_new_items() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let topic = |id: &str| format!("[[topics]]\nid = \"{id}\"\nquery = \"{id}\"\nevery = \"12h\"\n");
        let place = Place::new(database, &sandbox.lines(), &(topic("acme") + &topic("zebra")));
        // Nothing is due yet: this only plans.
        place.ok(&["once", "--due", "--at", NINE]);
        place.ok(&["once", "--topic", "zebra", "--at", NINE]);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let page = pages.page("/");
        let cells: Vec<&str> = page.split("data-label=\"New, 24 h\">").skip(1).collect();
        let unknown = cells.iter().filter(|cell| cell.starts_with('–')).count();
        assert_eq!((cells.len(), unknown), (2, 1), "{}: {page}", place.database.name);
        assert!(pages.page("/topics/acme").contains("<dt>New, 24 h</dt><dd>–"), "{}", place.database.name);
    }
}

#[test]
fn topics_that_never_ran_have_no_days_to_count() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let many: String =
            (0..300).map(|n| format!("[[topics]]\nid = \"t{n}\"\nquery = \"q\"\nevery = \"12h\"\n")).collect();
        let place = Place::new(database, &sandbox.lines(), &many);
        // Nothing is due yet: this only plans.
        place.ok(&["once", "--due", "--at", "2026-03-10T21:00:00Z"]);
        let due = "SELECT count(*) FROM topic_day_due";
        assert_eq!(place.database.number(due), 0, "{}", place.database.name);
        // Topics whose days are due are counted together, whether they have items or not.
        block_on(place.database.execute("INSERT INTO topic_day_due (topic, turn) SELECT id, 1 FROM topic"));
        sandbox.set_clock(NINE);
        place.ok(&["once", "--at", NINE, "--topic", "t7"]);
        assert_eq!(place.database.number(due), 0, "{}", place.database.name);
        let topics = place.database.texts("SELECT DISTINCT topic FROM topic_day");
        assert_eq!(topics, ["t7"], "{}", place.database.name);
    }
}

#[test]
fn no_page_scans_a_growing_table() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &format!("{TOPICS}{}", crate::support::sick_alert::SICK));
        place.ok(&["once", "--due", "--at", "2026-03-11T08:59:00Z"]);
        place.ok(&["once", "--at", NINE]);
        crate::support::sick_alert::fire(&place, "words", None);
        let name = place.database.name;
        let logged = place.program(&["serve", "--listen", "127.0.0.1:0", "--at", NINE, "--log-format", "json"]);
        let pages = Pages::wait_for_address(logged.env("RUST_LOG", "topicwatch=info,sqlx::query=debug").start());
        let key = place.database.first_key().replace(':', "%3A");
        let run = place.database.texts("SELECT run FROM v_run WHERE topic = 'acme'").remove(0);
        for path in [
            "/",
            "/topics/acme",
            "/topics/acme?search=the",
            "/topics/acme?search=the&order=engagement",
            "/topics/acme?order=engagement",
            "/topics/acme?order=velocity",
            "/topics/acme?order=negative",
            "/runs?topic=acme&state=failed",
            "/api/v1/topics",
            "/api/v1/runs",
            "/metrics",
            "/answers/acme",
            "/runs",
            "/runs?state=failed",
            "/runs?state=queued",
            "/runs?state=ok",
            "/runs?topic=acme",
            "/files",
            "/alerts",
            "/alerts?alert=sick",
            "/alerts?before=1773219600001%2Fx",
            "/runs?run=x",
            &format!("/runs?run={run}"),
            &format!("/runs?run={run}&only=duplicate&source=web"),
            &format!("/runs?run={run}&only=new"),
            "/runs?called=2026-03-11&provider=service",
            "/runs?topic=acme&source=web&last=3&until=2026-03-12",
            "/runs?source=web&since=2026-03-04",
            "/runs?state=missed&since=2026-03-04",
            "/topics/acme?new_since=2026-03-10",
            "/topics/acme?baseline_since=2026-03-10",
            "/topics/acme?from=2026-03-10&until=2026-03-12",
            "/alerts?firing=true",
            "/health",
            &format!("/item?key={}", key.replace('/', "%2F")),
        ] {
            assert_eq!(pages.get(path).status, 200, "{name}: {path}");
        }
        // It may still be writing its last statements when a page is there.
        pages.program.signal("TERM");
        let said = pages.program.wait().err;
        let statements: BTreeSet<String> = statements(&said)
            .filter(|sql| ["SELECT", "WITH"].iter().any(|verb| sql.starts_with(verb)) && !sql.contains("sqlite_schema"))
            .collect();
        assert!(statements.len() >= 15, "{name}: {statements:#?}");
        if name == "SQLite" {
            place.database.forget_statistics();
        }
        let (mut of_again, mut of_day, mut of_unbilled) = (0, 0, 0);
        let mut of_alerts = 0;
        for sql in &statements {
            let plan = place.database.query_plan(sql);
            // Alerts are found by their ids: topics, which are many, are in the same table.
            if sql.contains("definition FROM job WHERE kind = ") {
                of_alerts += 1;
                let by_id = ["PRIMARY KEY (id>? AND id<?)", "PRIMARY KEY (id=?)", "Cond: ((id > ", "Cond: (id = "];
                let found = plan.iter().any(|line| by_id.iter().any(|part| line.contains(part)));
                assert!(found, "{name}: {sql}\n{plan:#?}");
            }
            for line in &plan {
                let whole = [
                    "run",
                    "r",
                    "search",
                    "s",
                    "item",
                    "i",
                    "sighting",
                    "topic_item",
                    "t",
                    "answer",
                    "a",
                    "alert_event",
                    "e",
                ]
                .iter()
                .any(|table| line.trim() == format!("SCAN {table}") || line.contains(&format!("Seq Scan on {table} ")));
                assert!(!whole || sql.contains("FROM topic "), "{name}: {line}\n{sql}\n{plan:#?}");
            }
            // Runs with certain searches, which may be few, are looked for in a span or among those of a topic.
            let of_source = sql.contains("s.state <> 'not_run' AND s.source = ");
            let begun_again = sql.contains("r.attempt > 1 AND");
            let called = sql.contains("s.counted_on") && sql.contains(" LIMIT 1) = 1");
            let of_calls = called && !begun_again;
            if of_source || of_calls {
                let walks = plan.iter().any(|line| line.trim().starts_with("SCAN r "));
                assert!(!walks, "{name}: {sql}\n{plan:#?}");
                let has_end = name != "SQLite" || plan.iter().any(|line| line.contains("<expr><?"));
                assert!(has_end || !of_calls, "{name}: {sql}\n{plan:#?}");
            }
            // Runs that were begun again may be much later than their calls; an index has only these.
            of_day += u32::from(of_calls);
            if called && begun_again {
                of_again += 1;
                assert!(plan.iter().any(|line| line.contains("run_again")), "{name}: {sql}\n{plan:#?}");
            }
            // The overview says how much of the day's cost is assumed, every half minute.
            if sql.starts_with("WITH unbilled") {
                of_unbilled += 1;
                assert!(plan.iter().any(|line| line.contains("search_unbilled")), "{name}: {sql}\n{plan:#?}");
            }
            // Failed runs are found by an index on their state, however few they are.
            let of_a_topic = sql.contains(" AND r.topic = ") && sql.contains(" DESC LIMIT ");
            if sql.contains("r.state = 'failed'") && !of_a_topic {
                assert!(plan.iter().any(|line| line.contains("run_unwell")), "{name}: {sql}\n{plan:#?}");
            }
            // Runs of a topic are found without reading those of other topics.
            if of_a_topic && sql.contains("AS happened") && !sql.contains("r.state = ") {
                assert!(plan.iter().any(|line| line.contains("run_topic_at")), "{name}: {sql}\n{plan:#?}");
            }
        }
        assert!(of_again > 0 && of_day > 0 && of_unbilled > 0 && of_alerts > 0, "{name}: {statements:#?}");
    }
}

#[test]
fn buttons_send_requests_and_show_their_result() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), ON_DEMAND_TOPIC);
        let pages = Pages::run(&place);
        let (cookie, origin) = (pages.log_in(), pages.origin());
        let see = |path: &str| pages.request("GET", path, &[("Cookie", &cookie)], "").body;
        let press = |kind: &str| {
            let headers = [("Cookie", cookie.as_str()), ("Origin", origin.as_str())];
            pages.request("POST", "/topics/acme", &headers, &format!("kind={kind}"))
        };
        let reported = |what: &str| crate::support::program::wait_until(what, || see("/topics/acme").contains(what));
        assert!(see("/topics/acme").contains("Run now"), "{name}");
        let answer = press("run_now");
        let at = answer.header("location").unwrap_or_default();
        assert!(answer.status == 303 && at.starts_with("/progress/"), "{}", answer.text);
        reported("its run");
        crate::support::program::wait_until("the run", || see("/runs").contains("manual"));
        reported("<strong>ok</strong>");
        assert_eq!(press("pause").status, 303);
        reported("Pause, requested");
        reported("value=\"resume\"");
        assert_eq!(place.database.number("SELECT paused FROM topic WHERE id = 'acme'"), 1);
        assert_eq!(press("resume").status, 303);
        reported("resumed");
        crate::support::program::wait_until("the end of the pause", || {
            place.database.number("SELECT paused FROM topic WHERE id = 'acme'") == 0
        });
        // Unauthorised requests.
        let rows = place.database.requests();
        for (status, headers, body) in [
            (403, vec![("Cookie", cookie.as_str())], "kind=pause"),
            (403, vec![("Cookie", cookie.as_str()), ("Origin", "http://evil.example")], "kind=pause"),
            (401, vec![("Origin", origin.as_str())], "kind=pause"),
            (400, vec![("Cookie", cookie.as_str()), ("Origin", origin.as_str())], "kind=drop"),
            (400, vec![("Cookie", cookie.as_str()), ("Origin", origin.as_str())], ""),
        ] {
            assert_eq!(pages.request("POST", "/topics/acme", &headers, body).status, status, "{headers:?} {body}");
        }
        let nobody = pages.request("POST", "/topics/nobody", &[("Cookie", &cookie), ("Origin", &origin)], "kind=pause");
        assert_eq!(nobody.status, 404);
        assert_eq!(place.database.requests(), rows);
        // A read-only page has no buttons and refuses their requests.
        let reading = Pages::serve_with_token(&place, &[]);
        let bearer = format!("Bearer {TOKEN}");
        let page = reading.request("GET", "/topics/acme", &[("Authorization", &bearer)], "").body;
        assert!(page.contains("acme") && !page.contains("Run now"), "{page}");
        assert_eq!(reading.request("POST", "/topics/acme", &[("Authorization", &bearer)], "kind=pause").status, 403);
        pages.program.signal("TERM");
        let ended = pages.program.wait();
        assert_eq!(ended.code, Some(0), "{ended}");
    }
}

/// The database's statistics are from a time with one run; then the daemon records 1,440 missed slots.
#[test]
fn a_topics_page_loads_despite_outdated_database_statistics() {
    for database in databases() {
        let sandbox = crate::support::daemons::sandbox_of_today(&[]);
        let topic = "[web]\nlisten = \"127.0.0.1:0\"\n\n[[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"1h\"\n";
        let place = Place::new(database, &sandbox.lines(), topic);
        let now = topicwatch::daemon::system_clock()();
        let long_ago = now.minus(std::time::Duration::from_secs(60 * 86_400)).to_string();
        place.ok(&["once", "--at", &long_ago]);
        let pages = Pages::run(&place);
        crate::support::program::wait_until("the missed slots", || {
            place.database.runs_in("missed") > 1_000 && place.database.runs_in("ok") >= 2
        });
        let answer = pages.request("GET", "/topics/acme", &[("Cookie", &pages.log_in())], "");
        assert!(answer.status == 200 && answer.body.contains("key="), "{}: {}", place.database.name, answer.text);
    }
}

#[test]
fn pages_are_marked_as_sandbox_before_anything_was_found() {
    for database in databases() {
        let place = Place::new(database, "base_url = \"sandbox\"", TOPICS);
        place.ok(&["db", "migrate"]);
        let pages = Pages::serve(&place, &["--at", NINE]);
        for path in ["/", "/items", "/runs", "/jobs", "/health", "/alerts", "/files", "/jobs/new"] {
            assert!(pages.page(path).contains("SANDBOX"), "{}: {path}", place.database.name);
        }
    }
}

#[test]
fn runs_of_a_removed_topic_can_be_listed_by_its_id() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let run = place.database.first_run("acme");
        place.configure(&sandbox.lines(), "[[topics]]\nid = \"other\"\nquery = \"another launch\"\nevery = \"1h\"\n");
        place.ok(&["once", "--due", "--at", NINE]);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let name = place.database.name;
        assert!(pages.page("/runs").contains(&run), "{name}");
        let listed = pages.page("/runs?topic=acme");
        assert!(listed.contains(&run), "{name}: {listed}");
        assert!(listed.contains("<option value=\"acme\" selected>acme</option>"), "{name}: {listed}");
        assert_eq!(pages.get("/runs?topic=nobody").status, 404, "{name}");
    }
}
