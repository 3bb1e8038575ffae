//! Lists by engagement or tone consider the 1,000 items that were first seen most recently, also with a common word and
//! with near-copies under their first item, and end with what is unknown, on both databases.

use serde_json::{Value, json};

use crate::support::api_client::{get_json, send_request};
use crate::support::databases::databases;
use crate::support::program::Place;
use crate::support::web_client::Pages;
use crate::support::world::{ScriptedService, hour, run_once, topic};

/// A unique post of minute `n`, with a word that all posts have.
fn unique_post(n: usize, likes: usize) -> Value {
    let words: String = (0..9).map(|k| format!(" w{:x}", (n * 9 + k) * 2_654_435_761 % 4_294_967_291)).collect();
    json!({ "id": format!("{}", n + 1), "text": format!("acme{words}"), "user": format!("u{n}"),
        "created_at": topicwatch::model::Time(1_773_187_200_000 + n as i64 * 20_000).to_string(), "like_count": likes })
}

#[test]
fn a_search_for_a_common_word_ranks_the_latest_thousand_items() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        // 3,200 posts, 800 in each run. The most liked of the last thousand is in the middle of them; an older one has
        // more.
        for run in 0..4 {
            let likes = |n| match n {
                2_700 => 900,
                10 => 5_000,
                n => n % 50,
            };
            world.set_posts(&(run * 800..run * 800 + 800).map(|n| unique_post(n, likes(n))).collect::<Vec<_>>());
            run_once(&place, 21 + u32::try_from(run).unwrap());
        }
        place.ok(&["items", "--search", "acme", "--limit", "1"]);
        let pages = Pages::serve(&place, &["--at", &hour(25)]);
        for words in ["", "&search=acme"] {
            let list = get_json(&pages, &format!("/api/v1/topics/acme/items?order=engagement&limit=3{words}"));
            assert_eq!(list["data"][0]["key"], "post:x:2701", "{} {words}: {list:#}", place.database.name);
        }
        // The list of all topics, with and without the word that all items have: latest runs first, of each the latest posts.
        let newest: Vec<String> = (0..4_usize)
            .rev()
            .flat_map(|run| (run * 800..run * 800 + 800).rev())
            .map(|n| format!("post:x:{}", n + 1))
            .collect();
        for words in ["", "?search=acme"] {
            let file = send_request(&pages, "GET", &format!("/items.jsonl{words}"), &[], "");
            assert_eq!(file.status, 200, "{} {words}: {}", place.database.name, file.head);
            let row = |line: &str| serde_json::from_str::<Value>(line).unwrap()["key"].as_str().unwrap().to_owned();
            let keys: Vec<String> = file.body_text().lines().map(row).collect();
            assert!(keys == newest, "{} {words}: {:?}", place.database.name, &keys[..9.min(keys.len())]);
        }
    }
}

#[test]
fn a_text_whose_first_copy_is_older_than_the_list_is_in_it_once() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let text = "acme recalls the new electric kettle after reports of fires in homes across the country";
        let copy = |id: usize, hour_of: u32, likes: usize| json!({ "id": format!("{id}"), "text": text, "user": format!("c{id}"), "created_at": hour(hour_of), "like_count": likes });
        world.set_posts(&[copy(9_001, 20, 1)]);
        run_once(&place, 23);
        // 1,050 posts are newer than the first copy, and two copies are the newest.
        world.set_posts(&(0..525).map(|n| unique_post(n, n % 50)).collect::<Vec<_>>());
        run_once(&place, 24);
        let mut posts: Vec<Value> = (525..1_050).map(|n| unique_post(n, n % 50)).collect();
        posts.extend([copy(9_002, 24, 700), copy(9_003, 24, 800)]);
        world.set_posts(&posts);
        run_once(&place, 25);
        let pages = Pages::serve(&place, &["--at", &hour(26)]);
        let name = place.database.name;
        let list = get_json(&pages, "/api/v1/topics/acme/items?order=engagement&limit=200");
        let rows = list["data"].as_array().unwrap();
        let copies: Vec<&Value> = rows.iter().filter(|row| row["text"] == text).collect();
        assert_eq!(copies.len(), 1, "{name}");
        assert_eq!(rows[0]["text"], text, "{name}: {}", rows[0]);
        // All pages together: each text of the window once.
        let (mut all, mut path) = (0, "/api/v1/topics/acme/items?order=engagement&limit=200".to_owned());
        loop {
            let page = get_json(&pages, &path);
            all += page["data"].as_array().unwrap().len();
            match page["next_page_token"].as_str() {
                Some(token) => {
                    path = format!("/api/v1/topics/acme/items?order=engagement&limit=200&page_token={token}");
                }
                None => break,
            }
        }
        assert_eq!(all, 999, "{name}: 998 other posts and the text");
    }
}

#[test]
fn a_source_that_claims_impossible_counts_does_not_break_the_lists() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let mut huge = unique_post(1, 1);
        for count in ["like_count", "retweet_count", "reply_count", "quote_count"] {
            huge[count] = i64::MAX.into();
        }
        world.set_posts(&[unique_post(0, 9), huge, unique_post(2, 5)]);
        run_once(&place, 21);
        let pages = Pages::serve(&place, &["--at", &hour(22)]);
        let list = get_json(&pages, "/api/v1/topics/acme/items?order=engagement");
        let keys: Vec<&str> = list["data"].as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap()).collect();
        assert_eq!(keys, ["post:x:2", "post:x:1", "post:x:3"], "{}", place.database.name);
    }
}

#[test]
fn unknown_engagement_is_listed_after_a_known_zero() {
    for database in databases() {
        let name = database.name;
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let of = |n: usize, author: &str, likes: Option<usize>| {
            let mut post = unique_post(n, 0);
            (post["user"], post["like_count"]) = (json!(author), json!(likes));
            post
        };
        // Two posts whose engagement is unknown come before the others in every other respect.
        world.set_posts(&[of(0, "ann", None), of(1, "ann", None), of(2, "bob", Some(0)), of(3, "cid", Some(7))]);
        run_once(&place, 1);
        let pages = Pages::serve(&place, &["--at", &hour(2)]);
        let (mut keys, mut token) = (Vec::new(), String::new());
        loop {
            let page = get_json(&pages, &format!("/api/v1/topics/acme/items?order=engagement&limit=1{token}"));
            keys.extend(page["data"].as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap().to_owned()));
            let Some(next) = page["next_page_token"].as_str() else { break };
            token = format!("&page_token={next}");
        }
        assert_eq!(keys, ["post:x:4", "post:x:3", "post:x:1", "post:x:2"], "{name}");
        place.ok(&["report", "--date", "2026-03-11", "--at", &hour(24), "--out", "told.md"]);
        let reported = std::fs::read_to_string(place.path("told.md")).unwrap();
        let (_, authors) = reported.split_once("### Authors by engagement").unwrap();
        let places = ["cid: 1, engagement 7", "bob: 1, engagement 0", "ann: 2, engagement unknown"]
            .map(|words| authors.find(words).unwrap_or_else(|| panic!("{words}: {authors}")));
        assert!(places.is_sorted(), "{name}: {authors}");
    }
}

#[test]
fn items_with_a_rare_word_are_folded_across_pages() {
    const TEXTS: [&str; 5] = [
        "acme recalls the new electric kettle after reports of fires in homes across the country",
        "acme opens its first bicycle factory in the north and hires two hundred people there",
        "acme sues a former supplier over late deliveries of batteries for garden tools last winter",
        "acme moves its headquarters to a quiet harbour town because rents in the capital rose again",
        "acme wins a prize for a quiet vacuum cleaner that cleans carpets without any noise at night",
    ];
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        // Each text first by a post with its number, and later by others.
        let post = |id: usize, text: usize| json!({ "id": id.to_string(), "text": TEXTS[text - 1], "user": format!("u{id}"), "created_at": hour(20), "like_count": id });
        world.set_posts(&[post(1, 1), post(2, 2), post(3, 3)]);
        run_once(&place, 21);
        world.set_posts(&[post(11, 1), post(12, 2), post(4, 4)]);
        run_once(&place, 22);
        world.set_posts(&[post(22, 2), post(13, 3), post(21, 1), post(5, 5)]);
        run_once(&place, 23);
        place.ok(&["items", "--search", "acme", "--limit", "1"]);
        let pages = Pages::serve(&place, &["--at", &hour(24)]);
        let name = place.database.name;
        let keys = |order: &str, limit: u32| {
            let (mut keys, mut token) = (Vec::new(), String::new());
            loop {
                let path = format!("/api/v1/topics/acme/items?search=acme&order={order}&limit={limit}{token}");
                let page = get_json(&pages, &path);
                keys.extend(page["data"].as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap().to_owned()));
                let Some(next) = page["next_page_token"].as_str() else { return keys };
                token = format!("&page_token={next}");
            }
        };
        let newest = ["post:x:5", "post:x:4", "post:x:1", "post:x:2", "post:x:3"];
        let most_liked = ["post:x:5", "post:x:4", "post:x:3", "post:x:2", "post:x:1"];
        for limit in [1, 2, 50] {
            assert_eq!(keys("new", limit), newest, "{name}: {limit}");
            assert_eq!(keys("engagement", limit), most_liked, "{name}: {limit}");
        }
    }
}
