//! Feeds as publishers write them, from a server that sends given bytes: entries that share a URL, feed versions, rare
//! but legal encodings and dates, endless redirects, caching times, and future events.

use crate::support::databases::{block_on, databases, sqlite};
use crate::support::program::{NINE, Place};
use crate::support::replies::{ReplyServer, reply};

fn file(server: &ReplyServer, names: &[&str]) -> String {
    let urls: Vec<String> = names.iter().map(|name| format!("\"{}/{name}\"", server.url())).collect();
    format!(
        "[providers.news]\nkind = \"feeds\"\nallow_private = true\nmax_tries = 1\nrate_limit = \"unlimited\"\n\n\
         [[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"1m\"\nnews.urls = [{}]\n",
        urls.join(", ")
    )
}

fn at(minute: u32) -> String {
    format!("2026-03-11T09:{minute:02}:00Z")
}

/// The last search: state, number of entries, number of new ones.
fn last_search(place: &Place) -> String {
    place.database.texts("SELECT state || ' ' || found || ' ' || new FROM v_search ORDER BY seq").pop().unwrap()
}

fn rss(items: &str) -> String {
    format!("<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>t</title>{items}</channel></rss>")
}

/// An entry on a page of notes, dated a day of March.
fn note_entry(day: u32, title: &str) -> String {
    format!(
        "<entry><id>tag:a.example,2026:{day}</id><title>{title}</title><updated>2026-03-{day:02}T08:00:00Z</updated>\
         <link rel=\"alternate\" href=\"https://a.example/notes#March_{day}\"/></entry>"
    )
}

fn notes(entries: &[String]) -> String {
    format!("<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>t</title>{}</feed>", entries.concat())
}

#[test]
fn entries_that_share_a_url_stay_separate_items_in_later_runs_and_replays() {
    for database in databases() {
        let name = database.name;
        let day = |day: u32| note_entry(day, &format!("Notes of day {day}"));
        let server = ReplyServer::start(
            [
                notes(&[day(3), day(2), day(1)]),
                notes(&[note_entry(4, "SECURITY: a hole is closed"), day(3), day(2), day(1)]),
                // Only one entry of the URL is left: it keeps its identity.
                notes(&[note_entry(4, "SECURITY: a hole is closed")]),
                notes(&[note_entry(5, "The first of another month")]),
            ]
            .map(|feed| reply(200, &[], &feed))
            .to_vec(),
        );
        let place = Place::without_service(database, &file(&server, &["notes"]));
        for (minute, found) in [(0, "ok 3 3"), (1, "ok 4 1"), (2, "ok 1 0"), (3, "ok 1 1")] {
            place.ok(&["once", "--at", &at(minute)]);
            assert_eq!(last_search(&place), found, "{name}, minute {minute}");
        }
        let keys = place.database.texts("SELECT key FROM v_item ORDER BY key");
        assert_eq!(keys.len(), 5, "{name}: {keys:?}");
        assert!(keys.iter().all(|key| key.starts_with("page:https://a.example/notes#")), "{name}: {keys:?}");
        // A replay uses what was remembered at that time: single entries keep their keys.
        drop(server);
        let done = place.json(&["db", "replay", "--json"]);
        assert_eq!((&done["runs"], &done["changed_runs"]), (&4.into(), &0.into()), "{name}: {done}");
        assert_eq!(place.database.texts("SELECT key FROM v_item ORDER BY key"), keys, "{name}");
        // Forgetting a page forgets all its entries.
        place.ok(&["forget", "--item", "https://a.example/notes", "--yes"]);
        assert!(place.database.all_item_keys().is_empty(), "{name}");
    }
}

#[test]
fn entries_without_a_url_are_distinguished_by_their_ids() {
    for database in databases() {
        let name = database.name;
        let warning = |n: u32| {
            format!(
                "<item><title>Storm warning</title><description>Region {n}</description><guid isPermaLink=\"false\">w-{n}</guid></item>"
            )
        };
        let feed = |numbers: &[u32]| reply(200, &[], &rss(&numbers.iter().map(|n| warning(*n)).collect::<String>()));
        let server = ReplyServer::start(vec![feed(&[3, 2, 1]), feed(&[4, 3, 2, 1]), feed(&[4])]);
        let place = Place::without_service(database, &file(&server, &["warnings"]));
        for (minute, found) in [(0, "ok 3 3"), (1, "ok 4 1"), (2, "ok 1 0")] {
            place.ok(&["once", "--at", &at(minute)]);
            assert_eq!(last_search(&place), found, "{name}, minute {minute}");
        }
        let texts = place.database.texts("SELECT text FROM v_item ORDER BY text");
        assert_eq!(texts, ["Region 1", "Region 2", "Region 3", "Region 4"], "{name}");
        drop(server);
        let done = place.json(&["db", "replay", "--json"]);
        assert_eq!((&done["runs"], &done["changed_runs"]), (&3.into(), &0.into()), "{name}: {done}");
    }
}

#[test]
fn ids_or_titles_distinguish_entries_with_one_url_without_duplicates() {
    let item = |link: &str, guid: &str, title: &str| {
        let guid = if guid.is_empty() { String::new() } else { format!("<guid isPermaLink=\"false\">{guid}</guid>") };
        format!("<item><title>{title}</title><link>{link}</link>{guid}</item>")
    };
    let status = "https://status.a.example/";
    for (items, found) in [
        // A status page: one link, but an id for each entry.
        (vec![item(status, "1", "Down"), item(status, "2", "Down"), item(status, "3", "Up")], 3),
        // Without ids the titles distinguish entries, and tracking parameters do not.
        (vec![item(status, "", "Down"), item(status, "", "Up"), item(&format!("{status}?utm_source=x"), "", "Up")], 2),
        (vec![item("https://a.example/1", "1", "One"), item("https://a.example/1", "1", "One, corrected")], 1),
        (vec![item("https://a.example/1", "1", "One"), item("https://a.example/2", "1", "Two")], 2),
    ] {
        let server = ReplyServer::start(vec![reply(200, &[], &rss(&items.concat()))]);
        // The same feed twice adds nothing.
        let place = Place::without_service(sqlite(), &file(&server, &["a", "b"]));
        place.ok(&["once", "--at", NINE]);
        assert_eq!(place.database.items(), found, "{items:?}");
        let lone = place.database.number("SELECT count(*) FROM v_item WHERE key NOT LIKE '%#%'");
        assert_eq!(lone > 0, items.iter().all(|item| !item.contains(status)), "keys of single entries are unchanged");
    }
}

#[test]
fn an_endless_redirect_has_its_own_error() {
    let server = ReplyServer::answering(|_, path| match path {
        "/loop" => reply(302, &[("Location", "/loop")], ""),
        "/gone" => reply(410, &[], ""),
        _ => reply(200, &[], &rss("<item><title>x</title></item>")),
    });
    let place = Place::without_service(sqlite(), &file(&server, &["loop", "gone", "good"]));
    place.run(&["once", "--at", NINE]).assert_stdout(3, &["2 of 3 feeds failed"]);
    let reported = place.database.texts("SELECT error_text FROM v_search").pop().unwrap();
    let (of_loop, of_gone) = reported.split_once("; ").unwrap();
    assert!(of_loop.contains("/loop: 302") && of_gone.contains("/gone: 410"), "{reported}");
    let server = ReplyServer::start(vec![reply(301, &[], "")]);
    let place = Place::without_service(sqlite(), &file(&server, &["nowhere"]));
    place.run(&["once", "--at", NINE]).assert_stdout(3, &["the feed's server redirects without saying where"]);
}

#[test]
fn a_cache_time_as_long_as_the_schedule_skips_no_search() {
    let server =
        ReplyServer::start(vec![reply(200, &[("Cache-Control", "max-age=60")], &rss("<item><title>x</title></item>"))]);
    let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
    for (second, state) in [
        ("00:00.062", "ok 1 1"),
        // 20 milliseconds before a minute has passed, then 3 seconds before, then 1 millisecond more than that.
        ("01:00.042", "ok 1 0"),
        ("01:57.042", "ok 1 0"),
        ("02:54.041", "not_run 0 0"),
    ] {
        place.ok(&["once", "--at", &format!("2026-03-11T09:{second}Z")]);
        assert_eq!(last_search(&place), state, "{second}");
    }
    assert_eq!(server.heads().len(), 3);
    // `show` says why its last run is empty, and where the last findings are.
    let found = "the last run before it that found something was at 2026-03-11T09:01:57";
    let notes = ["news: not searched: nothing is due", found];
    place.run(&["show", "acme"]).assert_stdout(0, &notes);
    place.run(&["show", "acme", "--md"]).assert_stdout(0, &notes);
    let shown = place.json(&["show", "acme", "--json"]);
    assert_eq!((&shown["run"]["found"], &shown["last_found"]["found"]), (&0.into(), &1.into()), "{shown}");
    let earlier = place.run(&["show", "acme", "--run", shown["last_found"]["run"].as_str().unwrap()]);
    assert!(earlier.code == Some(0) && !earlier.out.contains("the last run before it"), "{earlier}");
    // Any number of missed slots may lie between, and a later run may have found something.
    let empty = shown["run"]["run"].as_str().unwrap();
    block_on(place.database.execute(
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 120) \
         INSERT INTO run (public_id, job, topic, slot, trigger, state, due_at, planned_at) \
         SELECT 'missed-' || n, 'topic:acme', 'acme', 1773225000000 + n, 'scheduled', 'missed', 1773225000000 + n, \
         1773225000000 + n FROM n",
    ));
    place.ok(&["once", "--at", "2026-03-11T12:00:00Z"]);
    assert_eq!(last_search(&place), "ok 1 0");
    place.run(&["show", "acme", "--run", empty]).assert_stdout(0, &notes);
}

#[test]
fn a_feed_is_not_fetched_before_its_retry_after_has_passed() {
    let feed = rss("<item><title>one</title><link>https://a.example/1</link></item>");
    let server = ReplyServer::start(vec![reply(429, &[("Retry-After", "3600")], "slow down"), reply(200, &[], &feed)]);
    let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
    place.run(&["once", "--at", &at(0)]).assert_stderr(3, &[]);
    place.ok(&["once", "--at", &at(30)]);
    assert_eq!((last_search(&place).as_str(), server.heads().len()), ("not_run 0 0", 1));
    place.ok(&["once", "--at", "2026-03-11T10:00:00Z"]);
    assert_eq!((last_search(&place).as_str(), server.heads().len()), ("ok 1 1", 2));
}

/// A feed may be asked a twentieth of its rest too early, however long ago it was read.
#[test]
fn a_short_retry_after_of_a_feed_is_respected() {
    let feed = rss("<item><title>one</title><link>https://a.example/1</link></item>");
    let server = ReplyServer::start(vec![
        reply(200, &[], &feed),
        reply(503, &[("Retry-After", "60")], "slow down"),
        reply(429, &[("Retry-After", "20")], "slow down"),
        reply(200, &[], &feed),
    ]);
    let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
    for (time, calls) in
        [("08:00:00", 1), ("09:00:00", 2), ("09:00:31", 2), ("09:02:00", 3), ("09:02:01", 3), ("09:03:00", 4)]
    {
        place.run(&["once", "--at", &format!("2026-03-11T{time}Z")]);
        assert_eq!(server.heads().len(), calls, "{time}");
    }
}

#[test]
fn the_age_header_shortens_the_cache_time_of_a_feed() {
    let feed = rss("<item><title>one</title><link>https://a.example/1</link></item>");
    let cached = |age: &str| reply(200, &[("Cache-Control", "max-age=3600"), ("Age", age)], &feed);
    let server = ReplyServer::start(vec![cached("3000"), cached("9999"), cached("0")]);
    let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
    for (minute, calls) in [(0, 1), (9, 1), (10, 2), (11, 3), (30, 3)] {
        place.ok(&["once", "--at", &at(minute)]);
        assert_eq!(server.heads().len(), calls, "minute {minute}");
    }
}

/// A tag is sent back unchanged, or not at all.
#[test]
fn a_truncated_etag_is_not_sent_back() {
    let feed = rss("<item><title>one</title><link>https://a.example/1</link></item>");
    for (tag, sent) in
        [("\"short\"".to_owned(), true), (format!("\"{}\"", "x".repeat(400)), false), ("\"é\"".to_owned(), false)]
    {
        let server = ReplyServer::start(vec![reply(200, &[("ETag", &tag)], &feed)]);
        let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
        for minute in 0..2 {
            place.ok(&["once", "--at", &at(minute)]);
        }
        let heads = server.heads();
        assert!(!heads[0].contains("if-none-match"), "{tag}: {}", heads[0]);
        assert_eq!(heads[1].contains(&format!("if-none-match: {tag}")), sent, "{tag}: {}", heads[1]);
        assert_eq!(heads[1].contains("if-none-match"), sent, "{tag}: {}", heads[1]);
    }
}

/// The server's clock is a day ahead; a header may come in several lines.
#[test]
fn a_feed_rests_as_long_as_its_headers_ask_in_total() {
    let feed = rss("<item><title>one</title><link>https://a.example/1</link></item>");
    for headers in [
        [("Date", "Thu, 12 Mar 2026 09:00:00 GMT"), ("Expires", "Thu, 12 Mar 2026 09:10:00 GMT")],
        [("Cache-Control", "public"), ("Cache-Control", "max-age=600")],
    ] {
        let server = ReplyServer::start(vec![reply(200, &headers, &feed)]);
        let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
        for (minute, calls) in [(0, 1), (5, 1), (10, 2)] {
            place.ok(&["once", "--at", &at(minute)]);
            assert_eq!(server.heads().len(), calls, "{headers:?}, minute {minute}");
        }
    }
}

#[test]
fn a_retry_after_of_one_server_does_not_delay_feeds_of_another() {
    let feed = rss("<item><title>one</title><link>https://a.example/1</link></item>");
    let slow = ReplyServer::start(vec![reply(429, &[("Retry-After", "3600")], "slow down")]);
    let server = ReplyServer::start(vec![reply(200, &[], &feed)]);
    let own = format!("base_url = \"{}\"\nmax_concurrent = 1\nmax_tries", slow.url());
    let file = file(&server, &["feed"]).replace("max_tries", &own).replace("news.urls = [", "news.urls = [\"feed\", ");
    let place = Place::without_service(sqlite(), &file);
    place.run(&["once", "--at", &at(0)]).assert_stderr(3, &[]);
    assert_eq!((last_search(&place).as_str(), slow.heads().len(), server.heads().len()), ("ok 1 1", 1, 1));
}

#[test]
fn the_author_of_an_rss_entry_has_the_name_in_the_feed() {
    let entry = |n: usize, author: &str| {
        format!("<item><title>n{n}</title><link>https://a.example/{n}</link><author>{author}</author></item>")
    };
    let authors =
        ["ann@a.example (Ann Lee)", "Ben Fox", "cem@c.example", "Dan &lt;dan@d.example&gt;", " ", "e@e.example ()"];
    let items: String = authors.iter().enumerate().map(|(n, author)| entry(n, author)).collect();
    let items = rss(&items);
    let atom = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>t</title><entry><id>urn:x:1</id><title>n9</title>\
        <link href=\"https://a.example/9\"/><author><email>f@f.example</email></author><author><name>Fay</name></author></entry></feed>";
    let server =
        ReplyServer::answering(move |_, path| reply(200, &[], if path == "/rss" { items.as_str() } else { atom }));
    let place = Place::without_service(sqlite(), &file(&server, &["rss", "atom"]));
    place.ok(&["once", "--at", NINE]);
    let names = place.database.texts("SELECT coalesce(author_name, '-') FROM v_item ORDER BY title");
    assert_eq!(names, ["Ann Lee", "Ben Fox", "cem@c.example", "Dan", "-", "e@e.example ()", "Fay"]);
}

#[test]
fn media_descriptions_become_the_text_of_videos_and_episodes() {
    let rss = "<rss version=\"2.0\" xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\"><channel><title>t</title>\
        <item><title>Episode</title><link>https://a.example/1</link><itunes:summary>What we said</itunes:summary></item></channel></rss>";
    let atom = "<feed xmlns=\"http://www.w3.org/2005/Atom\" xmlns:media=\"http://search.yahoo.com/mrss/\"><title>t</title>\
        <entry><id>yt:video:x</id><title>Video</title><link rel=\"alternate\" href=\"https://a.example/2\"/>\
        <media:group><media:title>Video</media:title><media:description>What you see\n\nand more</media:description></media:group></entry></feed>";
    let server = ReplyServer::answering(move |_, path| reply(200, &[], if path == "/rss" { rss } else { atom }));
    let place = Place::without_service(sqlite(), &file(&server, &["rss", "atom"]));
    place.ok(&["once", "--at", NINE]);
    let texts = place.database.texts("SELECT text FROM v_item ORDER BY title");
    assert_eq!(texts, ["What we said", "What you see\nand more"]);
}

/// Two entries of one title would be one item if their addresses were lost.
#[test]
fn relative_urls_of_a_json_feed_resolve_against_the_feed() {
    let feed = r#"{"version":"https://jsonfeed.org/version/1.1","title":"t","items":[
        {"id":"1","url":"/p/1","title":"News"},{"id":"2","url":"2?a=b","title":"News"},{"id":"3","url":"","title":"Alone"}]}"#;
    let server = ReplyServer::start(vec![reply(200, &[], feed)]);
    let place = Place::without_service(sqlite(), &file(&server, &["dir/feed.json"]));
    place.ok(&["once", "--at", NINE]);
    let below = |path: &str| format!("{}/{path}", server.url());
    let urls = place.database.texts("SELECT coalesce(url, '-') FROM v_item ORDER BY title, url");
    assert_eq!(urls, ["-".to_owned(), below("dir/2?a=b"), below("p/1")]);
}

#[test]
fn a_feed_declared_as_iso_2022_jp_is_read_in_it_or_as_utf_8() {
    // 自社製品 starts with the bytes of `<+`. Text in UTF-8 is read, too, even if the document declares another encoding.
    for title in ["\u{1b}$B<+<R@=IJ\u{1b}(B", "自社製品"] {
        let feed = rss(&format!("<item><title>{title}</title><link>https://a.example/1</link></item>"));
        let feed = feed.replace("version=\"1.0\"?", "version=\"1.0\" encoding=\"ISO-2022-JP\"?");
        for kind in ["text/xml", "text/xml; charset=iso-2022-jp"] {
            let server = ReplyServer::start(vec![reply(200, &[("Content-Type", kind)], &feed)]);
            let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
            place.ok(&["once", "--at", NINE]);
            assert_eq!(place.database.texts("SELECT title FROM v_item"), ["自社製品"], "{title:?}, {kind}");
        }
    }
}

#[test]
fn a_429_stops_requests_for_other_feeds_of_that_server() {
    let names: Vec<String> = (0..20).map(|n| format!("feed{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (wait, a_minute_later) in
        [(&[("Retry-After", "3600")][..], 1), (&[("Retry-After", "90")][..], 1), (&[][..], 21)]
    {
        let feed = rss("<item><title>one</title><link>https://a.example/1</link></item>");
        let (read, refused) = (reply(200, &[], &feed), reply(429, wait, "slow down"));
        let other = ReplyServer::start(vec![read.clone()]);
        let slow = ReplyServer::answering(move |n, _| if n == 0 { refused.clone() } else { read.clone() });
        let file = file(&slow, &names).replace("max_tries", "max_concurrent = 1\nmax_tries");
        let place = Place::without_service(
            sqlite(),
            &file.replace("news.urls = [", &format!("news.urls = [\"{}/x\", ", other.url())),
        );
        place.run(&["once", "--at", &at(0)]).assert_stderr(3, &[]);
        assert_eq!(
            (last_search(&place).as_str(), slow.heads().len(), other.heads().len()),
            ("ok 1 1", 1, 1),
            "{wait:?}"
        );
        let reason = place.database.texts("SELECT reason FROM v_search").pop().unwrap();
        let why = "19 of 21 feeds were not asked because their server asked to wait";
        assert!(reason.contains(why) && !reason.contains("not read"), "{reason}");
        place.run(&["once", "--at", &at(1)]);
        assert_eq!(slow.heads().len(), a_minute_later, "{wait:?}");
        place.ok(&["once", "--at", "2026-03-11T10:00:00Z"]);
        assert!(slow.heads().len() >= 21, "{wait:?}");
    }
}

#[test]
fn future_events_do_not_count_as_news_for_coverage() {
    let dated = |n: u32, date: &str| {
        format!(
            "<item><guid>g{n}</guid><title>Entry {n}</title><link>https://a.example/{n}</link><pubDate>{date}</pubDate></item>"
        )
    };
    let event = |n: u32| dated(n, &format!("{n} May 2026 10:00:00 GMT"));
    let news = |n: u32| dated(n, &format!("11 Mar 2026 {:02}:{:02}:00 GMT", 8 + n / 20, n % 20));
    let events = [event(1), event(2), event(3)].concat();
    for (first, second, holes) in [
        // All news entries were replaced, so others may have come and gone; future events that stay prove nothing.
        (format!("{events}{}{}", news(10), news(11)), format!("{events}{}{}", news(25), news(26)), 1),
        (format!("{events}{}{}", news(10), news(11)), format!("{events}{}{}", news(11), news(12)), 0),
        (events.clone(), events.clone(), 0),
    ] {
        let server = ReplyServer::start(vec![reply(200, &[], &rss(&first)), reply(200, &[], &rss(&second))]);
        let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
        place.ok(&["once", "--at", &at(0)]);
        place.ok(&["once", "--at", &at(30)]);
        let covered = place.json(&["coverage", "--json", "--at", &at(31)]);
        let source = &covered["topics"][0]["sources"][0];
        assert_eq!(source["holes"].as_array().unwrap().len(), holes, "{source}");
    }
}

/// A reply with these bytes as its body.
fn reply_with_bytes(content_type: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 x\r\nconnection: close\r\ncontent-length: {}\r\ncontent-type: {content_type}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

#[test]
fn rare_but_legal_feed_formats_and_encodings_are_read() {
    let item = "<item><title>Café</title><link>https://a.example/1</link></item>";
    let of = |rss: &str| format!("{rss}<channel><title>t</title>{item}</channel></rss>").into_bytes();
    let declared = |name: &str| {
        String::from_utf8(of(&format!("<?xml version=\"1.0\" encoding=\"{name}\"?>\n<rss version=\"2.0\">"))).unwrap()
    };
    let latin = |text: &str| text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect::<Vec<u8>>();
    let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let json = "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"t\",\"items\":[{\"id\":7,\"url\":\"https://a.example/1\",\"title\":\"Café\"}]}";
    let netscape = format!(
        "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns=\"http://my.netscape.com/rdf/simple/0.9/\">\
         <channel><title>t</title></channel>{item}</rdf:RDF>"
    );
    let entry = |namespace: &str, relation: &str| {
        format!(
            "<feed xmlns=\"{namespace}\"><title>t</title><entry><id>urn:x:1</id><title>Café</title>\
             <link rel=\"self\" href=\"https://a.example/self\"/><link rel=\"{relation}\" href=\"https://a.example/1\"/></entry></feed>"
        )
    };
    for (case, content_type, body) in [
        ("0.93", "text/xml", of("<rss version=\"0.93\">")),
        (
            "2",
            "text/xml",
            of(
                "<?xml version='1.0'?><!-- <rss> --><!DOCTYPE rss [<!ENTITY a \"b\">]>\n<rss xmlns:a='b>c'\n version = '2'>",
            ),
        ),
        ("2.0.1", "text/xml", of("<rss version=\"2.0.1\">")),
        ("an empty version", "text/xml", of("<rss version=\"\">")),
        ("no version", "text/xml", of("<?xml version=\"1.0\"?><rss xmlns:a=\"b\">")),
        ("no attributes", "text/xml", of("<rss>")),
        (
            "a namespace that RSS does not have",
            "text/xml",
            of("<rss version=\"2.0\" xmlns=\"http://backend.userland.com/rss2\">"),
        ),
        ("RSS 0.90", "text/xml", netscape.into_bytes()),
        (
            "a namespace as people write it",
            "text/xml",
            entry("https://www.w3.org/2005/atom/", "alternate").into_bytes(),
        ),
        ("a relation in capitals", "text/xml", entry("http://www.w3.org/2005/Atom", "Alternate").into_bytes()),
        ("a number as id", "application/feed+json", json.as_bytes().to_vec()),
        ("JSON behind a mark", "application/feed+json", format!("\u{feff}{json}").into_bytes()),
        ("UTF-16, little", "text/xml", wide(&format!("\u{feff}{}", declared("utf-16")), u16::to_le_bytes)),
        ("UTF-16, big", "text/xml", wide(&format!("\u{feff}{}", declared("utf-16")), u16::to_be_bytes)),
        ("UTF-16 without a mark", "text/xml", wide(&declared("utf-16"), u16::to_le_bytes)),
        (
            "UTF-16 of few letters",
            "text/xml",
            wide(&format!("\u{feff}{}", declared("utf-16").replace('é', "e")), u16::to_le_bytes),
        ),
        (
            "Latin-1 by the header",
            "text/xml; charset=iso-8859-1",
            latin(std::str::from_utf8(&of("<rss version=\"2.0\">")).unwrap()),
        ),
        ("the header over the document", "text/xml; charset=\"ISO-8859-1\"", latin(&declared("koi8-r"))),
        (
            "Latin-1 that nothing declares",
            "text/xml",
            latin(std::str::from_utf8(&of("<?xml version=\"1.0\"?><rss version=\"2.0\">")).unwrap()),
        ),
        ("UTF-8 by the header", "text/xml;charset=UTF-8", declared("windows-1252").into_bytes()),
        ("UTF-8 whatever the header says", "text/xml; charset=iso-8859-1", declared("utf-8").into_bytes()),
        ("UTF-8 whatever the document says", "text/xml", declared("iso-8859-1").into_bytes()),
        (
            "UTF-8 whatever it says with blanks",
            "text/xml",
            declared("iso-8859-1").replace("encoding=", "encoding = ").into_bytes(),
        ),
        ("Latin-1 by the document", "text/xml", latin(&declared("iso-8859-1"))),
        ("Latin-1, and a header that is wrong", "text/xml; charset=utf-8", latin(&declared("iso-8859-1"))),
        (
            "UTF-8 behind a mark",
            "text/xml; charset=iso-8859-1",
            format!("\u{feff}\n{}", declared("utf-8")).into_bytes(),
        ),
    ] {
        let server = ReplyServer::start(vec![reply_with_bytes(content_type, &body)]);
        let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
        place.run(&["once", "--at", NINE]).assert_stdout(0, &[]);
        let title = if case == "UTF-16 of few letters" { "Cafe" } else { "Café" };
        assert_eq!(
            place.database.texts("SELECT key || ' ' || title FROM v_item"),
            [format!("page:https://a.example/1 {title}")],
            "{case}"
        );
    }
}

/// A feed without entries does not fail because a comment mentions entries.
#[test]
fn a_feed_in_a_format_that_is_not_known_does_not_look_empty() {
    let old = "<feed version=\"0.3\" xmlns=\"http://purl.org/atom/ns#\"><title>t</title><entry><id>urn:x:1</id>\
               <title>x</title><link href=\"https://a.example/1\"/></entry></feed>";
    let outside = "<rss version=\"2.0\"><channel><title>t</title></channel><item><title>x</title></item></rss>";
    let nothing = rss("<!-- <item> --><description><![CDATA[<entry>]]></description>");
    for (body, state, code, says) in [
        (old, "error 0 0", 3, "it has entries, but in a format that is not known"),
        (outside, "error 0 0", 3, "it has entries, but in a format that is not known"),
        (nothing.as_str(), "empty 0 0", 0, ""),
    ] {
        let server = ReplyServer::start(vec![reply(200, &[], body)]);
        let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
        place.run(&["once", "--at", NINE]).assert_stdout(code, &[says]);
        assert_eq!(last_search(&place), state, "{body}");
    }
}

#[test]
fn an_invalid_entry_does_not_lose_the_others_of_its_feed() {
    let entry = |n: u32, more: &str| {
        format!("{{\"id\":\"{n}\",\"url\":\"https://a.example/{n}\",\"title\":\"t{n}\",\"content_text\":\"x\"{more}}}")
    };
    let entries = [
        entry(1, ""),
        entry(2, ",\"title\":\"t2\",\"date_published\":1773216000,\"tags\":\"a, b\",\"author\":\"Ann\""),
        entry(3, ",\"attachments\":[{\"url\":\"https://a.example/m.mp3\",\"size_in_bytes\":1.5}],\"authors\":{}"),
        "{\"url\":\"https://a.example/4\",\"title\":\"t4\"}".to_owned(),
        "{\"id\":12345678901234567890123,\"url\":\"https://a.example/5\",\"title\":\"t5\",\"summary\":[\"x\"]}"
            .to_owned(),
        "{\"id\":\"6\",\"url\":6}".to_owned(),
        "\"seven\"".to_owned(),
        "null".to_owned(),
    ];
    let body =
        format!("{{\"version\":\"https://jsonfeed.org/version/1\",\"icon\":1,\"items\":[{}]}}", entries.join(","));
    let server = ReplyServer::start(vec![reply(200, &[], &body)]);
    let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
    place.ok(&["once", "--at", NINE]);
    assert_eq!(last_search(&place), "ok 5 5");
    assert_eq!(place.database.texts("SELECT title FROM v_item ORDER BY key"), ["t1", "t2", "t3", "t4", "t5"]);
    assert_eq!(place.database.number("SELECT unreadable FROM v_search"), 3);
}

#[test]
fn a_bare_ampersand_and_a_broken_character_lose_no_title() {
    let entry = |title: &str, n: u32| {
        format!("<item><title>{title}</title><link>https://a.example/{n}?a=1&amp;b=2</link></item>")
    };
    let titles =
        ["Q&A now", "R&amp;D & more", "<![CDATA[A & B &amp; C]]>", "&#38; &#x26; &nbsp;end", "Fish & Chips; &x"];
    let items: String = titles.iter().zip(1..).map(|(title, n)| entry(title, n)).collect();
    let server = ReplyServer::start(vec![reply(200, &[], &rss(&items))]);
    let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
    place.ok(&["once", "--at", NINE]);
    assert_eq!(
        place.database.texts("SELECT title FROM v_item ORDER BY key"),
        ["Q&A now", "R&D & more", "A & B & C", "& & end", "Fish & Chips; &x"]
    );
    // References to invalid characters do not spoil a feed; two surrogates are one character.
    let titles = ["a &#0; b", "&#xD83D; x", "&#55357;&#56841; y", "&#X41;&#xd83d;&#x41;", "&#99999999999; z"];
    let items: String = titles.iter().zip(1..).map(|(title, n)| entry(title, n)).collect();
    let server = ReplyServer::start(vec![reply(200, &[], &rss(&items))]);
    let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
    place.ok(&["once", "--at", NINE]);
    assert_eq!(
        place.database.texts("SELECT title FROM v_item ORDER BY key"),
        ["a \u{fffd} b", "\u{fffd} x", "\u{1f609} y", "A\u{fffd}A", "\u{fffd} z"]
    );
    // UTF-8 with one broken byte stays UTF-8.
    let mut body = rss("<item><title>Caf\u{e9} x</title><link>https://a.example/1</link></item>").into_bytes();
    let at = body.windows(2).position(|two| two == b" x").unwrap();
    body.insert(at, 0xff);
    let server = ReplyServer::start(vec![reply_with_bytes("text/xml", &body)]);
    let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
    place.ok(&["once", "--at", NINE]);
    assert_eq!(place.database.texts("SELECT title FROM v_item"), ["Caf\u{e9}\u{fffd} x"]);
}

#[test]
fn a_url_secret_repeated_in_an_error_reply_is_hidden() {
    // Short, percent-encoded, and so long that the text is cut within the secret.
    for (said, shown) in [
        ("invalid token SECRET/123+9".to_owned(), "invalid token ***"),
        ("no access to token=SECRET%2F123%2B9 here".to_owned(), "no access to token=*** here"),
        (format!("{}SECRET/123+9", "x".repeat(280)), "xxxx…"),
        (format!("{}SECRET/123+9 {}", "x".repeat(230), "y".repeat(99)), "x*** yyy"),
    ] {
        let body = serde_json::json!({ "error": said }).to_string();
        let server = ReplyServer::answering(move |_, _| reply(403, &[], &body));
        let place = Place::without_service(sqlite(), &file(&server, &["feed?token=SECRET%2F123%2B9&page=1"]));
        let ended = place.run(&["once", "--at", NINE]);
        ended.assert_stdout(3, &[shown]);
        assert!(!format!("{ended}").contains("SECRE"), "{ended}");
        assert_eq!(place.database.number("SELECT count(*) FROM v_search WHERE error_text LIKE '%SECRE%'"), 0);
        let searches = place.ok(&["export", "--what", "searches"]);
        assert!(searches.contains("/feed…"), "{searches}");
        for given in [searches, place.ok(&["runs", "--json"]), place.ok(&["export", "--what", "runs"])] {
            assert!(!given.contains("SECRE"), "{given}");
        }
    }
}

/// The header may also hold words that are no compressions.
#[test]
fn a_compression_other_than_gzip_is_named_in_the_error() {
    let feed = rss("<item><title>x</title><link>https://a.example/1</link></item>");
    for (coding, code, says) in [
        ("br", 3, "the reply is compressed in a way that was not asked for: br"),
        ("gzip, br", 3, "the reply is compressed in a way that was not asked for: gzip, br"),
        ("Deflate", 3, "the feed's server compresses its reply although nobody asked for that"),
        ("utf-8", 0, ""),
        ("identity", 0, ""),
    ] {
        let server = ReplyServer::start(vec![reply(200, &[("Content-Encoding", coding)], &feed)]);
        let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
        place.run(&["once", "--at", NINE]).assert_stdout(code, &[says]);
    }
}

/// A redirect may repeat a secret of the address, and so may the server to which it leads.
#[test]
fn a_url_secret_repeated_in_a_redirect_is_hidden() {
    for refuses in [false, true] {
        let server = ReplyServer::answering(move |_, path| match path.starts_with("/feed") {
            true => reply(301, &[("Location", "/moved/SECRET123/feed")], ""),
            false if refuses => reply(403, &[], "{\"error\":\"no access for SECRET123\"}"),
            false => reply(200, &[], &rss("<item><title>x</title><link>https://a.example/1</link></item>")),
        });
        let place = Place::without_service(sqlite(), &file(&server, &["feed?token=SECRET123"]));
        let ended = place.run(&["once", "--at", NINE, "-vv"]);
        let moved = place.database.texts("SELECT reason FROM v_search").pop().unwrap();
        assert!(moved.contains(&format!(" moved to {}/moved/***/feed", server.url())), "{moved}");
        let given = [
            format!("{ended}"),
            moved,
            place.ok(&["runs", "--json"]),
            place.ok(&["export", "--what", "searches"]),
            place.run(&["report", "--at", NINE, "--out", "-"]).out,
        ];
        assert!(given.iter().all(|text| !text.contains("SECRET")), "{given:?}");
    }
}

#[test]
fn only_redirects_lead_to_another_address() {
    for (status, says) in
        [(404, "404 Not Found: gone"), (403, "403 Forbidden"), (429, "429 Too Many"), (503, "503 Service")]
    {
        let server = ReplyServer::answering(move |_, path| match path {
            "/feed" => reply(status, &[("Location", "/login"), ("Retry-After", "3600")], "gone"),
            _ => reply(200, &[], "<html>Log in"),
        });
        let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
        place.run(&["once", "--at", &at(0)]).assert_stdout(3, &[says]);
        assert_eq!(server.heads().len(), 1, "{status}");
    }
}

/// The second address of three has the secret, and the third server repeats it.
#[test]
fn secrets_in_redirect_addresses_are_not_shown() {
    let server = ReplyServer::answering(|_, path| match path {
        "/feed" => reply(302, &[("Location", "/signed?token=SECRET123")], ""),
        "/signed?token=SECRET123" => reply(302, &[("Location", "/end/SECRET123")], ""),
        _ => reply(403, &[], "{\"error\":\"no access for SECRET123\"}"),
    });
    let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
    let ended = place.run(&["once", "--at", NINE, "-vv"]);
    ended.assert_stdout(3, &["no access for ***"]);
    let given = [format!("{ended}"), place.ok(&["runs", "--json"]), place.ok(&["export", "--what", "searches"])];
    assert!(given.iter().all(|text| !text.contains("SECRET")), "{given:?}");
}

#[test]
fn an_invalid_redirect_is_not_reported_as_the_feeds_new_url() {
    for (to, says) in [
        ("", "the feed's server redirects without saying where"),
        ("#top", "use the address it redirects to"),
        ("file:///etc/passwd", "redirects to something that is not a web address"),
    ] {
        let server = ReplyServer::start(vec![reply(308, &[("Location", to)], "")]);
        let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
        place.run(&["once", "--at", NINE]).assert_stdout(3, &[says]);
        assert_eq!(place.database.texts("SELECT coalesce(reason, '-') FROM v_search"), ["-"], "{to}");
    }
}

#[test]
fn forgetting_a_topic_also_forgets_the_state_of_its_feeds() {
    for database in databases() {
        let name = database.name;
        let feed = || reply(200, &[("ETag", "\"1\"")], &notes(&[note_entry(3, "Notes of day 3")]));
        let server = ReplyServer::start(vec![feed(), feed()]);
        let place = Place::without_service(database, &file(&server, &["notes"]));
        place.ok(&["once", "--at", &at(0)]);
        let jobs = place.path("jobs.toml");
        let watched = std::fs::read_to_string(&jobs).unwrap();
        std::fs::write(&jobs, watched.replace("id = \"acme\"", "id = \"globex\"")).unwrap();
        place.ok(&["db", "forget", "--topic", "acme", "--yes"]);
        assert_eq!(place.database.number("SELECT count(*) FROM provider_memory"), 0, "{name}");
        std::fs::write(&jobs, watched).unwrap();
        place.ok(&["once", "--at", &at(1)]);
        assert_eq!(last_search(&place), "ok 1 1", "{name}");
        assert!(!server.heads()[1].to_ascii_lowercase().contains("if-none-match"), "{name}: {:?}", server.heads());
    }
}

/// Each entry costs the parser more than a kilobyte, and each group of media half of one, even empty ones.
#[test]
fn feeds_of_very_many_entries_use_bounded_memory_and_are_counted() {
    let rows = |form: fn(usize) -> String| (0..3).map(form).collect::<Vec<_>>();
    let items = rows(|n| format!("<item><title>n{n}</title><link>https://a.example/{n}</link></item>")).concat();
    let entries = rows(|n| format!("{{\"id\":\"{n}\",\"url\":\"https://a.example/{n}\"}}")).join(",");
    let json = format!(
        "{{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"t\",\"items\":[{entries}{}]}}",
        ",{}".repeat(700_000)
    );
    let groups = "<media:group/>".repeat(1_000_000);
    let groups = format!("<item xmlns:media=\"http://search.yahoo.com/mrss/\"><title>q</title>{groups}</item>");
    for (format, body, left_out) in [
        ("RSS", rss(&format!("{items}{}", "<item/>".repeat(700_000))), 700_000),
        ("JSON Feed", json, 700_000),
        ("Media RSS", rss(&format!("{items}{groups}")), 1),
    ] {
        let server = ReplyServer::start(vec![reply(200, &[], &body)]);
        let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
        let (ended, peak_kib) = place.program(&["once", "--at", NINE]).start().wait_and_measure();
        ended.assert_stdout(0, &["3 items"]);
        assert!(peak_kib < 300 * 1024, "{format}: {peak_kib} KiB");
        let counted = place.database.texts("SELECT found || ' ' || unreadable FROM v_search");
        assert_eq!(counted, [format!("3 {left_out}")], "{format}");
    }
    // Tiny objects anywhere else: those of an entry, of the feed, and without a list of entries.
    let tiny = format!("[{}{{}}]", "{\"a\":1},".repeat(700_000));
    for body in [
        format!("{{\"version\":\"1\",\"title\":\"t\",\"items\":[{{\"id\":\"1\",\"title\":\"q\",\"x\":{tiny}}}]}}"),
        format!("{{\"version\":\"1\",\"title\":\"t\",\"x\":{tiny},\"items\":[{{\"id\":\"1\",\"title\":\"q\"}}]}}"),
        format!("{{\"version\":\"https://jsonfeed.org/version/1\",\"title\":\"t\",\"items\":{tiny}}}"),
    ] {
        let server = ReplyServer::start(vec![reply(200, &[], &body)]);
        let place = Place::without_service(sqlite(), &file(&server, &["feed"]));
        let (ended, peak_kib) = place.program(&["once", "--at", NINE]).start().wait_and_measure();
        ended.assert_stdout(3, &["it cannot be read as a feed"]);
        assert!(peak_kib < 300 * 1024, "{peak_kib} KiB");
    }
}
