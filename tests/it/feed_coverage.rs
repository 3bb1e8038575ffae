//! Compares the claimed coverage of feeds with streams whose every entry the test knows. Also messages about feeds that
//! hide entries: pinned entries, entries that differ only in their ids, more feeds than one search may call, keys in
//! addresses.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use topicwatch::model::Time;

use crate::support::databases::{block_on, databases, sqlite};
use crate::support::program::Place;
use crate::support::replies::{ReplyServer, reply};

const MINUTE: i64 = 60_000;

const PROVIDER: &str =
    "[providers.news]\nkind = \"feeds\"\nallow_private = true\nmax_tries = 1\nrate_limit = \"unlimited\"\n\n";

fn topic(id: &str, urls: &[String], every: &str) -> String {
    let urls: Vec<String> = urls.iter().map(|url| format!("\"{url}\"")).collect();
    format!("[[topics]]\nid = \"{id}\"\nquery = \"acme\"\nevery = \"{every}\"\nnews.urls = [{}]\n\n", urls.join(", "))
}

fn file(urls: &[String], every: &str) -> String {
    PROVIDER.to_owned() + &topic("acme", urls, every)
}

fn begin() -> Time {
    Time::parse("2026-03-10T00:00:00Z").unwrap()
}

fn minute(minute: i64) -> Time {
    Time(begin().0 + minute * MINUTE)
}

fn item(name: &str, at: Option<Time>) -> String {
    let date = at.map_or_else(String::new, |at| format!("<pubDate>{at}</pubDate>"));
    format!("<item><title>Entry {name}</title><link>https://a.example/{name}</link>{date}</item>")
}

fn channel(items: &str) -> String {
    format!("<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>t</title>{items}</channel></rss>")
}

fn rss(items: &str) -> Vec<u8> {
    reply(200, &[], &channel(items))
}

fn holes(place: &Place, now: Time) -> Vec<(Time, Time)> {
    holes_of(place, "acme", now)
}

fn holes_of(place: &Place, topic: &str, now: Time) -> Vec<(Time, Time)> {
    let covered = place.json(&["coverage", topic, "--json", "--since", "2026-03-10", "--at", &now.to_string()]);
    let at = |value: &Value| Time::parse(value.as_str().unwrap()).unwrap();
    let holes = covered["topics"][0]["sources"][0]["holes"].as_array().unwrap();
    holes.iter().map(|hole| (at(&hole["from"]), at(&hole["until"]))).collect()
}

/// Serves what this returns for each path at the minute that the test sets.
fn serve_feeds(of: impl Fn(&str, i64) -> Vec<u8> + Send + Sync + 'static) -> (ReplyServer, Arc<Mutex<i64>>) {
    let clock = Arc::new(Mutex::new(0));
    let now = Arc::clone(&clock);
    (ReplyServer::answering(move |_, path| of(path, *now.lock().unwrap())), clock)
}

fn once(place: &Place, clock: &Mutex<i64>, now: i64) {
    *clock.lock().unwrap() = now;
    place.ok(&["once", "--at", &minute(now).to_string()]);
}

/// When each entry of a feed was published and when the feed showed it, in minutes.
fn entries(seed: u64) -> Vec<(i64, i64)> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut entries = Vec::new();
    let mut at = -300;
    while at < 36 * 60 {
        at += 1 + i64::try_from(random.next_u64() % 9).unwrap();
        entries.push((at, at + i64::try_from(random.next_u64() % 2).unwrap()));
    }
    entries
}

/// Ten entries at a time, a new one every few minutes, some shown late; read hourly with an outage. Whatever is missing
/// lies in a gap, also after many later reads, and the gaps are not much longer than what is missing.
#[test]
fn every_missed_feed_entry_lies_in_a_lasting_gap() {
    const SEEDS: std::ops::RangeInclusive<u64> = 1..=3;
    let (server, clock) = serve_feeds(|path, now| {
        let seed: u64 = path[1..].parse().unwrap();
        let shown: Vec<(i64, i64)> = entries(seed).into_iter().filter(|(_, shown)| *shown <= now).collect();
        let last = shown.iter().rev().take(10);
        rss(&last.map(|(at, _)| item(&format!("{seed}/{at}"), Some(minute(*at)))).collect::<String>())
    });
    // Each feed has a topic of its own, and each run reads all of them.
    let of = |seed: u64| topic(&format!("acme-{seed}"), &[format!("{}/{seed}", server.url())], "30m");
    let place = Place::without_service(sqlite(), &(PROVIDER.to_owned() + &SEEDS.map(of).collect::<String>()));
    let reads: Vec<i64> = (0..72).map(|n| n * 30).filter(|now| !(10 * 60..20 * 60).contains(now)).collect();
    for now in &reads {
        once(&place, &clock, *now);
    }
    let end = *reads.last().unwrap();
    let stored: HashSet<String> = place.database.texts("SELECT url FROM v_item").into_iter().collect();
    for seed in SEEDS {
        let gaps = holes_of(&place, &format!("acme-{seed}"), minute(end));
        let missed: Vec<Time> = entries(seed)
            .into_iter()
            .filter(|(at, _)| *at >= 0 && *at < end - 5 && !stored.contains(&format!("https://a.example/{seed}/{at}")))
            .map(|(at, _)| minute(at))
            .collect();
        assert!(missed.len() > 50, "{seed}: {}", missed.len());
        for at in &missed {
            assert!(
                gaps.iter().any(|(from, until)| from <= at && at <= until),
                "{seed}: no gap contains {at}: {gaps:?}"
            );
        }
        let length: i64 = gaps.iter().map(|(from, until)| until.0 - from.0).sum();
        assert!(length <= 11 * 60 * MINUTE, "{seed}: {gaps:?}");
    }
}

#[test]
fn pinned_entries_and_bare_ids_do_not_hide_a_gap() {
    type Feed = fn(i64) -> String;
    let replaced: [(&str, Feed); 4] = [
        ("dated, pinned at the end", |now| {
            let new = (0..4).map(|n| item(&format!("{now}-{n}"), Some(minute(now - 5 * n)))).collect::<String>();
            new + &item("about", Some(minute(-500_000)))
        }),
        ("dated, pinned on top", |now| {
            let new = (0..4).map(|n| item(&format!("{now}-{n}"), Some(minute(now - 5 * n)))).collect::<String>();
            item("about", Some(minute(-500_000))) + &new
        }),
        ("undated, pinned on top", |now| {
            item("about", None) + &(0..4).map(|n| item(&format!("{now}-{n}"), None)).collect::<String>()
        }),
        ("told apart by ids only", |now| {
            let entry = |n: i64| {
                let date = minute(now - 5 * n);
                format!(
                    "<item><title>Build</title><link>https://a.example/builds</link><guid isPermaLink=\"false\">{}</guid><pubDate>{date}</pubDate></item>",
                    now * 10 + n
                )
            };
            (0..4).map(entry).collect()
        }),
    ];
    for (name, feed) in replaced {
        let (server, clock) = serve_feeds(move |_, now| rss(&feed(now)));
        let place = Place::without_service(sqlite(), &file(&[format!("{}/feed", server.url())], "1h"));
        for now in [60, 120, 180, 240] {
            once(&place, &clock, now);
        }
        let full = place.database.texts("SELECT CAST(saturated AS TEXT) FROM v_search ORDER BY seq");
        assert_eq!(full[1..], ["1", "1", "1"], "{name}");
        if name.starts_with("undated") {
            assert_eq!(place.database.number("SELECT count(*) FROM v_search WHERE covered_from IS NOT NULL"), 0);
            continue;
        }
        let gaps = holes(&place, minute(240));
        let inside = |now: i64| gaps.iter().any(|(from, until)| *from <= minute(now) && minute(now) <= *until);
        assert!(inside(90) && inside(150) && inside(210), "{name}: {gaps:?}");
    }
}

/// Two feeds ask for an hour's rest, and the first read of one failed, so that they are never due together.
#[test]
fn feeds_with_different_rest_times_are_covered() {
    let shown = |feed: &str, now: i64| {
        let entries = (0..8).map(|n| now - now.rem_euclid(20) - 20 * n);
        let items: String = entries.map(|at| item(&format!("{feed}{at}"), Some(minute(at)))).collect();
        format!("<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>t</title>{items}</channel></rss>")
    };
    let (server, clock) = serve_feeds(move |path, now| match (path, now) {
        ("/b", 0) => reply(500, &[], "no"),
        _ => reply(200, &[("Cache-Control", "max-age=3600")], &shown(&path[1..], now)),
    });
    let urls = ["a", "b"].map(|name| format!("{}/{name}", server.url()));
    let place = Place::without_service(sqlite(), &file(&urls, "30m"));
    *clock.lock().unwrap() = 0;
    place.run(&["once", "--at", &minute(0).to_string()]).assert_stderr(3, &[]);
    for now in (1..24).map(|n| n * 30) {
        once(&place, &clock, now);
    }
    let end = 23 * 30;
    let gaps = holes(&place, minute(end));
    assert!(gaps.iter().all(|(from, until)| *until <= minute(0) || *from >= minute(end - 61)), "{gaps:?}");
    // An empty feed is not a broken one.
    let (server, clock) =
        serve_feeds(move |path, now| if path == "/a" { reply(200, &[], &shown("a", now)) } else { rss("") });
    let urls = ["a", "b"].map(|name| format!("{}/{name}", server.url()));
    let place = Place::without_service(sqlite(), &file(&urls, "30m"));
    for now in (0..5).map(|n| n * 30) {
        once(&place, &clock, now);
    }
    let gaps = holes(&place, minute(120));
    assert!(gaps.iter().all(|(from, until)| *until <= minute(0) || *from >= minute(118)), "{gaps:?}");
}

/// Even if the two newest entries have the same address and title.
#[test]
fn a_feed_that_gives_its_entries_new_uuids_at_each_look_has_no_gap() {
    let (server, clock) = serve_feeds(|_, now| {
        let entry = |hour: i64| {
            let (page, scheme) = (hour.min(5), if hour % 2 == 0 { "urn:uuid" } else { "uuid" });
            format!(
                "<item><title>Entry {page}</title><link>https://a.example/{page}</link><pubDate>{}</pubDate>\
                 <guid isPermaLink=\"false\">{scheme}:{hour}-{now}</guid></item>",
                minute(hour * 60)
            )
        };
        rss(&(0..10).map(|n| entry(now / 60 - n)).collect::<String>())
    });
    let place = Place::without_service(sqlite(), &file(&[format!("{}/feed", server.url())], "1h"));
    for now in [1, 121, 241, 361] {
        once(&place, &clock, now);
    }
    assert_eq!(place.database.number("SELECT count(*) FROM v_search WHERE saturated = 1"), 0);
    assert_eq!(place.database.items(), 16);
}

/// One feed replaced all its entries while another one failed or listed nothing. When both are read again, the gap of the
/// first ends where its list began.
#[test]
fn a_failed_or_emptied_feed_does_not_lengthen_the_gap_of_a_full_one() {
    let list = |feed: &str, newest: i64, number: i64| {
        (0..number)
            .map(|n| newest - n)
            .map(|hour| item(&format!("{feed}{hour}"), Some(minute(hour * 60))))
            .collect::<String>()
    };
    for (status, code, note) in [(500, 3, "1 of 2 feeds failed"), (200, 0, "1 of 2 feeds listed nothing")] {
        for database in databases() {
            let (server, clock) = serve_feeds(move |path, now| match (path, now / 60) {
                ("/full", hour) => rss(&list("full", hour, 26)),
                (_, 30) => reply(status, &[], &channel("")),
                _ => rss(&list("quiet", 0, 5)),
            });
            let urls = ["full", "quiet"].map(|name| format!("{}/{name}", server.url()));
            let place = Place::without_service(database, &file(&urls, "30m"));
            once(&place, &clock, 1);
            *clock.lock().unwrap() = 30 * 60 + 1;
            place.run(&["once", "--at", &minute(30 * 60 + 1).to_string()]).assert_stdout(code, &[note]);
            once(&place, &clock, 31 * 60 + 1);
            let gaps = holes(&place, minute(31 * 60 + 2));
            let expected = [(minute(1), minute(5 * 60))];
            assert_eq!(gaps, expected, "{} {note}: the list of hour 30 began with hour 5", place.database.name);
        }
    }
}

/// A page has as many wordings as sources. Only a change by its only source is an edit.
#[test]
fn a_changed_entry_is_an_edit_unless_another_feed_has_that_text() {
    let entry =
        |title: &str| format!("<item><title>{title}</title><link>https://a.example/1</link><guid>urn:1</guid></item>");
    for database in databases() {
        let name = database.name;
        let (server, clock) = serve_feeds(move |path, now| match (path, now) {
            ("/a", _) => rss(&entry(&format!("Recall of {now} products"))),
            // The other feed has it, too, and later it alone.
            ("/b", _) => rss(&entry("A recall")),
            ("/c", 2..) => reply(304, &[], ""),
            _ => rss(&entry("The recall")),
        });
        let of = |names: &[&str]| {
            file(&names.iter().map(|name| format!("{}/{name}", server.url())).collect::<Vec<_>>(), "1m")
        };
        let alone = Place::without_service(database, &of(&["a"]));
        for now in 1..=3 {
            once(&alone, &clock, now);
        }
        assert_eq!(
            alone.database.texts("SELECT title || ' ' || revisions FROM v_item"),
            ["Recall of 3 products 2"],
            "{name}"
        );
        let diff =
            alone.json(&["diff", "acme", "--since", &minute(1).to_string(), "--json", "--at", &minute(4).to_string()]);
        assert_eq!(diff["edited"].as_array().map(Vec::len), Some(1), "{name}: {diff:#}");
        alone.json(&["db", "replay", "--json"]);
        assert_eq!(alone.database.number("SELECT revisions FROM v_item"), 2, "{name}");
    }
    let (server, clock) = serve_feeds(move |path, now| match (path, now) {
        ("/c", 2..) => reply(304, &[], ""),
        ("/c", _) => reply(200, &[("ETag", "\"1\"")], &channel(&entry("The recall"))),
        _ => rss(&entry("A recall")),
    });
    let urls = ["c", "b"].map(|name| format!("{}/{name}", server.url()));
    let two = Place::without_service(sqlite(), &file(&urls, "1m"));
    for now in 1..=3 {
        once(&two, &clock, now);
    }
    assert_eq!(two.database.texts("SELECT title || ' ' || revisions FROM v_item"), ["The recall 0"]);
}

#[test]
fn another_wording_in_a_feed_that_tracks_its_links_is_no_edit() {
    let entry = |title: &str, link: &str| {
        channel(&format!("<item><title>{title}</title><link>{link}</link><guid>urn:1</guid></item>"))
    };
    for database in databases() {
        let (server, clock) = serve_feeds(move |path, now| match (path, now) {
            ("/long", 2 | 4) => reply(304, &[], ""),
            ("/long", _) => {
                reply(200, &[("ETag", "\"1\"")], &entry("The recall of all products", "https://a.example/1"))
            }
            _ => reply(200, &[], &entry("The recall", "http://www.a.example/1/?utm_source=short")),
        });
        let urls = ["long", "short"].map(|name| format!("{}/{name}", server.url()));
        let place = Place::without_service(database, &file(&urls, "1m"));
        for now in 1..=4 {
            once(&place, &clock, now);
        }
        let kept = place.database.texts("SELECT title || ' ' || revisions FROM v_item");
        assert_eq!(kept, ["The recall of all products 0"], "{}", place.database.name);
    }
}

#[test]
fn more_feeds_than_a_search_may_call_are_read_in_turn() {
    let (server, clock) = serve_feeds(|path, _| rss(&item(&path[1..], Some(minute(0)))));
    let urls: Vec<String> = (0..520).map(|n| format!("{}/{n:03}", server.url())).collect();
    let place = Place::without_service(sqlite(), &file(&urls, "30m"));
    once(&place, &clock, 10);
    assert_eq!(place.database.items(), 500);
    let why = "20 of 520 feeds were not read: a search makes at most 500 calls; the next one begins with them";
    assert_eq!(place.database.texts("SELECT reason FROM v_search"), [why]);
    assert!(place.ok(&["runs", "--searches"]).replace('\n', " ").contains("20 of 520 feeds were not read"));
    once(&place, &clock, 40);
    assert_eq!(place.database.items(), 520);
}

/// As many as are asked side by side, until the run's time is over.
#[test]
fn feeds_that_hang_do_not_keep_others_from_being_read() {
    let (server, _) = serve_feeds(|path, _| rss(&item(&path[1..], Some(minute(0)))));
    // Nobody answers the connections that wait here.
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = silent.local_addr().unwrap();
    let hanging = (0..16).map(|n| format!("http://{address}/{n}"));
    let urls: Vec<String> = hanging.chain((0..3).map(|n| format!("{}/{n}", server.url()))).collect();
    let file = file(&urls, "30m").replace("every = ", "timeout = \"2s\"\nevery = ");
    let place =
        Place::without_service(sqlite(), &file.replace("max_tries = 1\n", "max_tries = 1\nmax_concurrent = 16\n"));
    for (now, asked) in [(10, 0), (40, 3), (70, 6)] {
        let ended = place.run(&["once", "--at", &minute(now).to_string()]);
        assert_eq!(server.heads().len(), asked, "{now}: {ended}");
    }
    assert_eq!(place.database.items(), 3);
}

#[test]
fn feeds_that_fail_do_not_keep_others_from_being_read() {
    let (server, clock) = serve_feeds(|path, _| match path[1..].parse() {
        Ok(0..510) => reply(404, &[], ""),
        _ => rss(&item(&path[1..], Some(minute(0)))),
    });
    let urls: Vec<String> = (0..520).map(|n| format!("{}/{n:03}", server.url())).collect();
    let place = Place::without_service(sqlite(), &file(&urls, "30m"));
    *clock.lock().unwrap() = 10;
    place
        .run(&["once", "--at", &minute(10).to_string()])
        .assert_stdout(3, &["500 of 520 feeds failed", "404 Not Found"]);
    assert_eq!(place.database.items(), 0);
    *clock.lock().unwrap() = 40;
    place.run(&["once", "--at", &minute(40).to_string()]);
    assert_eq!(place.database.items(), 10);
}

#[test]
fn an_entry_dated_in_the_future_is_marked_as_such() {
    let (server, clock) = serve_feeds(|_, now| {
        let fair = item("fair", Some(minute(60 * 24 * 9)));
        rss(&(item("news", Some(minute(0))) + if now > 0 { &fair } else { "" }))
    });
    let place = Place::without_service(sqlite(), &file(&[format!("{}/feed", server.url())], "30m"));
    once(&place, &clock, 0);
    once(&place, &clock, 30);
    assert_eq!(place.database.number("SELECT count(*) FROM v_sighting WHERE fit = 'outside'"), 1);
    place.run(&["diff", "acme"]).assert_stdout(0, &["older than the window or dated in the future"]);
    place
        .run(&["status", "--at", &minute(31).to_string()])
        .assert_stdout(0, &["older than the window or dated in the future"]);
}

#[test]
fn a_key_in_a_feed_url_appears_in_no_item_and_no_error() {
    let (server, clock) = serve_feeds(|path, _| match path {
        "/old?key=S3cret" => reply(302, &[("Location", "/old?key=S3cret")], ""),
        "/gone?S3cretAlone" => reply(404, &[], "no /gone?S3cretAlone"),
        _ => rss("<item><title>No link</title><link></link></item><item><title>Part</title><link>#part</link></item>"),
    });
    let urls = ["old?key=S3cret", "feed?key=S3cret", "gone?S3cretAlone"].map(|name| format!("{}/{name}", server.url()));
    let place = Place::without_service(sqlite(), &file(&urls, "30m"));
    *clock.lock().unwrap() = 0;
    let run = place.run(&["once", "--at", &minute(0).to_string()]);
    run.assert_stdout(3, &["302", "no /gone?***"]);
    assert!(!format!("{}{}", run.out, run.err).contains("S3cret"), "{}{}", run.out, run.err);
    assert_eq!(place.database.texts("SELECT title FROM v_item ORDER BY title"), ["No link", "Part"]);
    for verb in [&["runs", "--searches"][..], &["export"], &["items"]] {
        let out = place.run(verb).out;
        assert!(!out.contains("S3cret"), "{verb:?}: {out}");
    }
    assert_eq!(place.database.number("SELECT count(*) FROM v_search WHERE error_text LIKE '%S3cret%'"), 0);
}

/// An earlier version did not remember since when a feed is known. After the update, the minutes that its last search
/// did not claim are not a gap.
#[test]
fn an_update_between_two_searches_makes_no_gap() {
    let (server, clock) = serve_feeds(|_, now| {
        let entries = (0..8).map(|n| now - now.rem_euclid(20) - 20 * n);
        rss(&entries.map(|at| item(&at.to_string(), Some(minute(at)))).collect::<String>())
    });
    let place = Place::without_service(sqlite(), &file(&[format!("{}/feed", server.url())], "30m"));
    once(&place, &clock, 0);
    once(&place, &clock, 30);
    block_on(place.database.execute("UPDATE provider_memory SET value = json_remove(value, '$.since')"));
    once(&place, &clock, 60);
    once(&place, &clock, 90);
    let gaps = holes(&place, minute(90));
    assert!(gaps.iter().all(|(from, until)| *until <= minute(0) || *from >= minute(80)), "{gaps:?}");
}

/// A quiet feed whose only new entry is deleted again.
#[test]
fn an_entry_that_its_publisher_deletes_makes_no_gap() {
    let (server, clock) = serve_feeds(|_, now| {
        let old = (1..6).map(|n| item(&format!("old-{n}"), Some(minute(-600 * n)))).collect::<String>();
        let new = if now == 60 { item("mistake", Some(minute(50))) } else { String::new() };
        rss(&(new + &old))
    });
    let place = Place::without_service(sqlite(), &file(&[format!("{}/feed", server.url())], "1h"));
    for now in [0, 60, 120, 180] {
        once(&place, &clock, now);
    }
    assert_eq!(place.database.number("SELECT max(CAST(saturated AS INTEGER)) FROM v_search"), 0);
    let gaps = holes(&place, minute(180));
    assert!(gaps.iter().all(|(from, until)| *until <= minute(0) || *from >= minute(170)), "{gaps:?}");
}
