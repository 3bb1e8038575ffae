//! Posts made to break their readers, from the reply to the report: each is stored within limits, scored and compared,
//! and both databases agree.

use serde_json::{Value, json};

use crate::support::databases::databases;
use crate::support::program::{NINE, Place, Program};
use crate::support::replies::{ReplyServer, reply};
use crate::support::world::{ScriptedService, hour, run_once, topic};

/// Texts of posts; the last two are near-copies of each other.
fn texts() -> Vec<(&'static str, String)> {
    let long = "the river is rising and nobody knows how high it will be tomorrow ".repeat(16_000);
    vec![
        ("ten thousand emoji", "😡".repeat(10_000)),
        ("families of emoji", "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}".repeat(5_000)),
        ("zalgo", format!("Z{}algo is here", "\u{336}\u{301}".repeat(9_000))),
        ("from right to left", "\u{202e}שלום עולם, זה טקסט מימין לשמאל\u{202c} \u{2066}hello".repeat(50)),
        ("one character", "x".into()),
        ("nothing", String::new()),
        ("entities", "&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp; &#0; &#xD800; &nosuch;".repeat(20)),
        ("NUL and controls", "a\0b\u{1b}[31mred\u{7}\u{85}\u{2028}and nothing else was said today".into()),
        ("no spaces", "é".repeat(200_000)),
        ("a megabyte", long.clone()),
        ("and again", format!("RT @ann: {long}")),
    ]
}

#[test]
fn hostile_texts_are_scored_and_compared_within_limits() {
    let mut reported = Vec::new();
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let name = place.database.name;
        let posts: Vec<Value> = (1..)
            .zip(texts())
            .map(|(id, (_, text))| json!({ "id": id.to_string(), "text": text, "user": "ann", "created_at": hour(20) }))
            .collect();
        world.set_posts(&posts);
        run_once(&place, 24);
        let undone = "SELECT key FROM v_item WHERE cluster IS NULL OR scorer IS NULL OR tone IS NULL ORDER BY key";
        assert_eq!(place.database.texts(undone), [] as [&str; 0], "{name}");
        let longest = place.database.number("SELECT max(length(text)) FROM v_item");
        assert!((1_000..=100_000).contains(&longest), "{name}: {longest}");
        let sketches = place.database.number("SELECT max(length(sketch)) FROM cluster_head");
        assert!(sketches < 4_000, "{name}: {sketches}");
        let items = place.json(&["items", "--json"]);
        let items = items["items"].as_array().unwrap();
        let of = |id: usize| items.iter().find(|item| item["key"] == format!("post:x:{id}")).unwrap_or(&Value::Null);
        let many = texts().len();
        assert_eq!(of(many)["cluster"], format!("post:x:{}", many - 1), "{name}: {}", of(many));
        for item in items {
            let score = item["score"].as_f64().unwrap_or_default();
            assert!((-1.0..=1.0).contains(&score), "{name}: {}", item["key"]);
        }
        let at = ["--date", "2026-03-11", "--at", "2026-03-12T07:00:00Z", "--out"];
        let page = place.ok(&[&["report"][..], &at, &["-"]].concat());
        assert!(!page.contains("<script") && !page.contains('\u{1b}') && !page.contains('\0'), "{name}");
        place.ok(&[&["report"][..], &at, &["page.md"]].concat());
        place.run(&["items"]).assert_stdout(0, &[]);
        let csv = place.ok(&["export"]);
        reported.push((page, std::fs::read_to_string(place.path("page.md")).unwrap(), csv));
    }
    assert!(reported.iter().all(|other| *other == reported[0]), "both databases say the same");
}

/// NUL, half a character and a byte order mark in the replies of providers cost neither the reply nor the run.
#[test]
fn broken_characters_lose_no_entry_of_any_provider() {
    const BROKEN: &str = "acme \\u0000 and \\ud83d";
    let server = ReplyServer::answering(|_, path| {
        let path = path.split('?').next().unwrap();
        let body = match path {
            "/api/v1/search_by_date" => {
                format!(
                    "{{\"nbHits\":1,\"hits\":[{{\"objectID\":\"1\",\"title\":\"{BROKEN}\",\"created_at_i\":1773216000}}]}}"
                )
            }
            "/search" => format!("{{\"results\":[{{\"url\":\"https://a.example/2\",\"title\":\"{BROKEN}\"}}]}}"),
            "/feed" => {
                let item = "<item><link>https://a.example/3</link><title>acme \0 and</title></item>";
                format!("<rss version=\"2.0\"><channel><title>t</title>{item}</channel></rss>")
            }
            "/feed.json" => format!(
                "{{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"t\",\"items\":[{{\"id\":\"4\",\
                 \"url\":\"https://a.example/4\",\"title\":\"{BROKEN}\"}}]}}"
            ),
            "/v1/chat/completions" => {
                format!("{{\"choices\":[{{\"message\":{{\"content\":\"{BROKEN} [1]\"}},\"finish_reason\":\"stop\"}}]}}")
            }
            "/xrpc/app.bsky.feed.searchPosts" => format!(
                "{{\"posts\":[{{\"uri\":\"at://did:plc:abc/app.bsky.feed.post/3k\",\"author\":{{\"handle\":\"ann.example\"}},\
                 \"record\":{{\"text\":\"{BROKEN}\",\"createdAt\":\"2026-03-11T08:00:00Z\"}}}}]}}"
            ),
            _ => "{\"accessJwt\":\"access-1-S3cret\",\"refreshJwt\":\"refresh-1-S3cret\"}".to_owned(),
        };
        let mark = if path.starts_with("/feed") { "" } else { "\u{feff}" };
        reply(200, &[], &format!("{}{body}", if path.starts_with("/xrpc/com") { "" } else { mark }))
    });
    let url = server.url();
    let provider = |name: &str, kind: &str, base: &str| {
        format!(
            "[providers.{name}]\nkind = \"{kind}\"\nbase_url = \"{url}{base}\"\nmax_tries = 1\nrate_limit = \"unlimited\"\n"
        )
    };
    let file = format!(
        "{}{}{}user = \"ann.example\"\nkey_env = \"BSKY_PASSWORD\"\n{}\
         [providers.news]\nkind = \"feeds\"\nallow_private = true\nmax_tries = 1\nrate_limit = \"unlimited\"\n\
         [[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"6h\"\nsearx.time_range = \"any\"\nwriter.model = \"m\"\n\
         news.urls = [\"{url}/feed\", \"{url}/feed.json\"]\n",
        provider("hn", "hackernews", ""),
        provider("searx", "searxng", ""),
        provider("bsky", "bluesky", ""),
        provider("writer", "openai", "/v1"),
    );
    for database in databases() {
        let place = Place::without_service(database, &file);
        place.program(&["once", "--at", NINE]).env("BSKY_PASSWORD", "pass-0123-word").run().assert_stderr(0, &[]);
        let name = place.database.name;
        assert_eq!(
            place.database.texts("SELECT key || ' ' || coalesce(title, text) FROM v_item ORDER BY key"),
            [
                "page:https://a.example/2 acme \u{fffd} and \u{fffd}",
                "page:https://a.example/3 acme \u{fffd} and",
                "page:https://a.example/4 acme \u{fffd} and \u{fffd}",
                "post:bluesky:did-plc-abc_3k acme \u{fffd} and \u{fffd}",
                "post:hackernews:1 acme \u{fffd} and \u{fffd}",
            ],
            "{name}"
        );
        let answers = place.database.texts("SELECT text FROM v_answer");
        assert!(answers[0].starts_with("acme \u{fffd} and \u{fffd} [1]"), "{name}: {answers:?}");
    }
}

#[test]
fn score_answers_every_hostile_text() {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = texts().into_iter().map(|(_, text)| text.replace('\n', " ")).collect();
    std::fs::write(folder.path().join("in.txt"), lines.join("\n") + "\n").unwrap();
    let ended = Program::at(folder.path(), &["score", "in.txt"]).run();
    let scored: Vec<Value> = ended.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((ended.code, scored.len()), (Some(0), lines.len()), "{}", ended.err);
    for (one, (name, _)) in scored.iter().zip(texts()) {
        let p: f64 = ["negative", "neutral", "positive"].iter().filter_map(|class| one["p"][class].as_f64()).sum();
        assert!(one["label"] == "unsupported" || (p - 1.0).abs() < 1e-9, "{name}: {one}");
        assert!(one["score"].as_f64().is_none_or(|score| (-1.0..=1.0).contains(&score)), "{name}: {one}");
    }
    assert_eq!(scored[0]["label"], "negative", "{}", scored[0]);
}

#[test]
fn json_and_feed_output_has_no_terminal_controls_and_loses_nothing() {
    let text = "a\u{9b}31mred\u{7f} and \u{202e}turned\u{202c} around";
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        world.set_posts(&[json!({ "id": "1", "text": "the first", "user": "ann", "created_at": hour(20) })]);
        run_once(&place, 24);
        world.set_posts(&[json!({ "id": "2", "text": text, "user": "ann", "created_at": hour(24) })]);
        run_once(&place, 25);
        let name = place.database.name;
        for args in [&["items", "--json"][..], &["show", "acme", "--json"], &["diff", "acme", "--json"]] {
            // Output contains no control characters.
            place.run(args).assert_stdout(0, &["\\u009b31mred\\u007f and \\u202eturned\\u202c around"]);
        }
        let items = place.json(&["items", "--json"]);
        assert_eq!(items["items"][0]["text"], text, "{name}");
        let feed = place.run(&["export", "--format", "atom", "--topic", "acme", "--quiet"]);
        feed.assert_stdout(0, &["a&#x9b;31mred&#x7f; and"]);
    }
}
