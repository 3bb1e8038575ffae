//! Gaps that a feed hides: entries that an update moves to the front, redirects that use up the calls of a search, and
//! a server that calls a feed unchanged that was never read. Every entry is known to the test.

use std::sync::{Arc, Mutex};

use topicwatch::model::Time;

use crate::support::databases::{databases, sqlite};
use crate::support::program::Place;
use crate::support::replies::{ReplyServer, reply};

fn file(urls: &[String]) -> String {
    let urls: Vec<String> = urls.iter().map(|url| format!("\"{url}\"")).collect();
    format!(
        "[providers.news]\nkind = \"feeds\"\nallow_private = true\nmax_tries = 1\nrate_limit = \"unlimited\"\n\n\
         [[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"6h\"\nnews.urls = [{}]\n",
        urls.join(", ")
    )
}

fn minute(minute: i64) -> Time {
    Time(Time::parse("2026-03-10T00:00:00Z").unwrap().0 + minute * 60_000)
}

fn at(now: i64) -> String {
    minute(now).to_string()
}

/// An entry: its name, when it was published, and when it was changed last, in minutes.
type Dated = (String, i64, i64);

fn atom(entries: &[Dated]) -> String {
    let entry = |(name, published, updated): &Dated| {
        let (published, updated) = (minute(*published), minute(*updated));
        format!(
            "<entry><id>urn:e:{name}</id><title>Entry {name}</title><link href=\"https://a.example/{name}\"/>\
             <published>{published}</published><updated>{updated}</updated></entry>"
        )
    };
    let entries: String = entries.iter().map(entry).collect();
    format!("<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>t</title><id>urn:f</id>{entries}</feed>")
}

/// RSS has one date only: that of the last change.
fn rss(entries: &[Dated]) -> String {
    let item = |(name, _, updated): &Dated| {
        let date = minute(*updated);
        format!(
            "<item><title>Entry {name}</title><link>https://a.example/{name}</link><pubDate>{date}</pubDate></item>"
        )
    };
    let items: String = entries.iter().map(item).collect();
    format!("<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>t</title>{items}</channel></rss>")
}

/// The ten entries changed last, the latest first.
fn latest_ten(mut entries: Vec<Dated>) -> Vec<Dated> {
    entries.sort_by_key(|(_, _, updated)| -updated);
    entries.truncate(10);
    entries
}

/// Entries published every so many minutes.
fn entries_every(step: i64, from: i64, number: i64) -> impl Iterator<Item = Dated> {
    (0..number).map(move |n| (format!("at{}", from + n * step), from + n * step, from + n * step))
}

/// Reads a feed at minute 0 and at minute 360. Returns whether the second search says that entries may be missing.
fn reports_hidden_entries(place: &Place) -> bool {
    place.ok(&["once", "--at", &at(0)]);
    place.ok(&["once", "--at", &at(360)]);
    let holes = place.json(&["coverage", "--json", "--at", &at(361), "--since", "2026-03-10"]);
    let holes = holes["topics"][0]["sources"][0]["holes"].as_array().unwrap().len();
    let full = place.database.texts("SELECT CAST(saturated AS TEXT) FROM v_search ORDER BY seq");
    assert_eq!(full.len(), 2);
    assert_eq!(full[1] == "1", holes > 0, "{full:?} {holes}");
    full[1] == "1"
}

fn place_of(first: &str, second: &str) -> (Place, ReplyServer) {
    let server = ReplyServer::start(vec![reply(200, &[], first), reply(200, &[], second)]);
    (Place::without_service(sqlite(), &file(&[format!("{}/feed", server.url())])), server)
}

#[test]
fn an_updated_entry_at_the_front_of_a_feed_does_not_hide_a_gap() {
    for (format, write) in [atom, rss].into_iter().enumerate() {
        for which in 0..3 {
            let old: Vec<Dated> = entries_every(10, -120, 12).collect();
            let first = latest_ten(old.clone());
            // Thirty new entries; 21 of them come and go, and one of the three newest is changed.
            let mut all: Vec<Dated> = old.into_iter().chain(entries_every(10, 10, 30)).collect();
            all.iter_mut().find(|(name, ..)| *name == first[which].0).unwrap().2 = 308;
            let (place, _server) = place_of(&write(&first), &write(&latest_ten(all)));
            assert!(reports_hidden_entries(&place), "{format}, {which}");
        }
    }
}

/// Five entries at a time, one an hour, with an empty list for a while. All lost entries, which the test knows, lie in
/// a gap.
#[test]
fn a_feed_that_is_empty_for_a_while_covers_nothing_of_that_time() {
    let often = [0, 3, 6, 9, 10, 13, 16, 19, 22, 24];
    let seldom = [0, 3, 6, 9, 12, 15, 18, 21, 24];
    for (looks, again, lost) in [(&often[..], 10, 0..0), (&seldom, 18, 7..14)] {
        let clock = Arc::new(Mutex::new(0));
        let now = Arc::clone(&clock);
        let server = ReplyServer::answering(move |_, _| {
            let hour = *now.lock().unwrap();
            let newest = entries_every(60, (hour - 4) * 60, 5).collect();
            reply(200, &[], &if (9..again).contains(&hour) { rss(&[]) } else { rss(&latest_ten(newest)) })
        });
        for database in databases() {
            let place = Place::without_service(database, &file(&[format!("{}/feed", server.url())]));
            for &hour in looks {
                *clock.lock().unwrap() = hour;
                place.ok(&["once", "--at", &at(hour * 60 + 1)]);
                if hour == 9 {
                    let why = place.database.texts("SELECT reason FROM v_search WHERE reason IS NOT NULL");
                    assert_eq!(why, ["1 of 1 feeds listed nothing, although there were entries before"]);
                    place.run(&["runs", "--searches"]).assert_stdout(0, &["empty"]);
                }
            }
            // Entries of the hours since -4, except those that came and went in an empty list.
            let seen = place.database.items();
            assert_eq!(seen, 29 - (lost.end - lost.start), "{again}");
            let coverage = ["coverage", "--at", &at(24 * 60 + 2), "--since", "2026-03-10"];
            let all = place.json(&[&coverage[..], &["--json"]].concat());
            let holes = all["topics"][0]["sources"][0]["holes"].as_array().unwrap().clone();
            let time = |value: &serde_json::Value| Time::parse(value.as_str().unwrap()).unwrap();
            if lost.is_empty() {
                assert!(holes.iter().all(|hole| time(&hole["from"]) >= minute(23 * 60)), "{all}");
                continue;
            }
            let has = |hole: &serde_json::Value, hour: i64| {
                time(&hole["from"]) <= minute(hour * 60) && minute(hour * 60) < time(&hole["until"])
            };
            assert!(holes.iter().any(|hole| lost.clone().all(|hour| has(hole, hour))), "{all}");
            let shown = place.ok(&coverage);
            assert!(shown.contains("in which a feed listed nothing of that time"), "{shown}");
            assert!(!shown.contains("looked back only") && !shown.contains("no search reached it"), "{shown}");
        }
    }
}

#[test]
fn updated_entries_alone_make_no_gap() {
    let old: Vec<Dated> = entries_every(10, -120, 12).collect();
    let first = latest_ten(old.clone());
    // The four newest are changed, and three new ones come: the fifth shows that nothing was lost.
    let mut all: Vec<Dated> = old.into_iter().chain(entries_every(100, 10, 3)).collect();
    for (name, _, updated) in &mut all {
        if first[..4].iter().any(|(changed, ..)| changed == name) {
            *updated = 355;
        }
    }
    let (place, _server) = place_of(&atom(&first), &atom(&latest_ten(all)));
    assert!(!reports_hidden_entries(&place), "changed");
    // A file that is rewritten at each request, with that date on all entries.
    let quiet = |at: i64| (1..6).map(|n| (format!("old{n}"), -600 * n, at)).collect::<Vec<Dated>>();
    for write in [atom, rss] {
        let (place, _server) = place_of(&write(&quiet(0)), &write(&quiet(360)));
        assert!(!reports_hidden_entries(&place), "written again");
    }
}

#[test]
fn a_first_read_of_a_feed_covers_nothing_before_its_oldest_change() {
    // One entry every 20 minutes; the oldest of all was changed three hours ago.
    let mut all: Vec<Dated> = entries_every(20, -1_200, 60).collect();
    all[0].2 = -181;
    let shown = latest_ten(all);
    assert_eq!(shown.last().unwrap().1, -1_200);
    let (place, _server) = place_of(&atom(&shown), &atom(&shown));
    place.ok(&["once", "--at", &at(0)]);
    let from = place.database.time("SELECT covered_from FROM v_search");
    assert_eq!((minute(0).0 - from) / 60_000, 181);
}

#[test]
fn redirected_feeds_are_read_in_turn_and_only_a_few_are_named() {
    let server = ReplyServer::answering(|_, path| match path.strip_prefix("/old") {
        Some(number) => reply(301, &[("Location", &format!("/new{number}"))], ""),
        None => reply(200, &[], &rss(&[(path[1..].to_owned(), 0, 0)])),
    });
    let urls: Vec<String> = (0..260).map(|n| format!("{}/old{n:03}", server.url())).collect();
    let place = Place::without_service(sqlite(), &file(&urls));
    place.ok(&["once", "--at", &at(10)]);
    assert_eq!(server.heads().len(), 500);
    assert_eq!(place.database.items(), 250, "each call is part of a feed that was read");
    let reason = place.database.texts("SELECT reason FROM v_search").pop().unwrap();
    assert!(reason.contains("10 of 260 feeds were not read"), "{reason}");
    assert_eq!(reason.matches(" moved to ").count(), 3, "{reason}");
    assert!(reason.contains("; 247 more moved; "), "{reason}");
    assert!(server.heads()[0].contains("/old000 "));
    place.ok(&["once", "--at", &at(370)]);
    assert_eq!(place.database.items(), 260);
    assert!(server.heads()[500..516].iter().any(|head| head.contains("/old259 ")), "the rest comes first");
}

#[test]
fn a_search_that_read_feeds_is_not_called_failed() {
    let server = ReplyServer::answering(|_, path| match path {
        "/old" => reply(301, &[("Location", "/new")], ""),
        _ => reply(200, &[], &rss(&[(path[1..].to_owned(), -1, -1)])),
    });
    let each = [&["feed"][..], &["feed", "old"]]
        .into_iter()
        .flat_map(|paths| databases().into_iter().map(move |at| (at, paths)));
    for (database, paths) in each {
        let name = database.name;
        let urls: Vec<String> = paths.iter().map(|path| format!("{}/{path}", server.url())).collect();
        let place = Place::without_service(database, &file(&urls));
        for now in 0..2 {
            place.ok(&["once", "--at", &at(now)]);
        }
        // The last minutes are not claimed, so no time is covered yet.
        assert_eq!(place.database.number("SELECT count(*) FROM v_search WHERE covered_from IS NOT NULL"), 0, "{name}");
        let covered = place.json(&["coverage", "--json", "--at", &at(1_000)]);
        assert!(!covered.to_string().contains("failed_search"), "{name} {paths:?}: {covered:#}");
        assert!(covered.to_string().contains("nothing_due"), "{name} {paths:?}: {covered:#}");
    }
}

#[test]
fn a_feed_called_unchanged_that_was_never_read_is_a_failure() {
    let tagged = Arc::new(Mutex::new(false));
    let good = Arc::clone(&tagged);
    let server = ReplyServer::answering(move |n, _| match *good.lock().unwrap() && n == 1 {
        true => reply(200, &[("ETag", "\"1\"")], &rss(&[("one".to_owned(), 0, 0)])),
        false => reply(304, &[], ""),
    });
    let place = Place::without_service(sqlite(), &file(&[format!("{}/feed", server.url())]));
    let run = place.run(&["once", "--at", &at(0)]);
    run.assert_stdout(3, &["304 Not Modified", "a cache in front of it"]);
    assert_eq!(place.database.texts("SELECT state || ' ' || error_class FROM v_search"), ["error malformed"]);
    assert_eq!(place.database.number("SELECT count(*) FROM v_search WHERE covered_from IS NOT NULL"), 0);
    let remembered = place.database.texts("SELECT value FROM provider_memory").concat();
    assert!(remembered.contains("failed") && !remembered.contains("etag"), "{remembered}");
    // Once it was read, the same answer is a good one.
    *tagged.lock().unwrap() = true;
    place.ok(&["once", "--at", &at(360)]);
    place.ok(&["once", "--at", &at(720)]);
    assert_eq!(place.database.texts("SELECT state FROM v_search ORDER BY seq"), ["error", "ok", "empty"]);
}
