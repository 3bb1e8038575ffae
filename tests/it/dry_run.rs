//! `once --dry-run`: shows every call as the run would make it, with the URL, the key, the price and the limit of its
//! provider.

use crate::support::databases::sqlite;
use crate::support::program::{NINE, Place};
use crate::support::service::{FakeServer, reply};

const FILE: &str = r#"
[providers.hn]
kind = "hackernews"
max_calls_per_day = 300

[providers.news]
kind = "feeds"

[providers.sx]
kind = "searxng"
base_url = "https://sx.example/search-me"
price.call = 0.01

[providers.sum]
kind = "openai"
base_url = "https://llm.example/v1"
key_env = "NO_SUCH_KEY"
price.tokens = 0.001
budget_per_day = 2.0

[[topics]]
id = "acme"
query = "acme"
sources = ["hn", "news", "sx", "sum"]
news.urls = ["https://a.example/feed?key=HUSH", "https://b.example/atom"]
sx.pages = 3
sx.time_range = "any"
sum.model = "m"
"#;

fn dry_run(place: &Place, more: &[&str]) -> String {
    place.ok(&[&["once", "--dry-run", "--at", NINE], more].concat())
}

#[test]
fn a_dry_run_shows_each_call_as_the_run_makes_it() {
    let place = Place::without_service(sqlite(), FILE);
    let reported = dry_run(&place, &[]);
    for part in [
        "# acme hn, expected $0.000\ncurl -X GET 'https://hn.algolia.com/api/v1/search_by_date?",
        "# acme hn, expected $0.000: at most 1 call more, depending on the replies\n",
        "curl -X GET 'https://a.example/feed…' \\\n  -H 'Accept: application/rss+xml",
        "curl -X GET 'https://b.example/atom' \\\n  -H 'Accept: ",
        "# acme sx, expected $0.010\ncurl -X GET 'https://sx.example/search-me/search?",
        "# acme sx, expected $0.020: at most 2 calls more, depending on the replies\n",
        "# acme sum, expected $0.007 (called if the run finds something new)\ncurl -X POST \
         'https://llm.example/v1/chat/completions' \\\n  -H 'Authorization: Bearer ***'",
        "no calls were made; at most 8 calls would cost about $0.037 at the configured prices (limits: hn 300 calls a day, news ",
        ", sum 10000 calls or $2.000 a day, sx 10000 calls a day)\n",
    ] {
        assert!(reported.contains(part), "{part}\n{reported}");
    }
    assert_eq!(reported.matches("Authorization").count(), 1, "{reported}");
    assert!(!reported.contains("sandbox") && !reported.contains("HUSH"), "{reported}");
    let json = place.json(&["once", "--dry-run", "--json", "--at", NINE]);
    assert_eq!((&json["calls"], json["requests"].as_array().unwrap().len()), (&8.into(), 5), "{json}");
    assert_eq!(
        (&json["requests"][2]["url"], &json["expected_cost_usd"]),
        (&"https://b.example/atom".into(), &0.037.into()),
        "{json}"
    );
    assert!(!json.to_string().contains("HUSH"), "{json}");
    // `plan` counts the same calls and the same money.
    let plan = std::fs::read_to_string(place.path("jobs.toml")).unwrap() + "every = \"1d\"\n";
    std::fs::write(place.path("jobs.toml"), plan).unwrap();
    let plan = place.json(&["plan", "--json", "--days", "1", "--at", NINE]);
    let cost = &plan["without_retries"]["per_day_usd"];
    assert_eq!((&plan["calls"]["providers"], cost), (&8.into(), &0.037.into()), "{plan}");
}

#[test]
fn a_dry_run_words_one_limit_and_one_call_in_the_singular() {
    let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\n";
    let place = Place::without_service(
        sqlite(),
        &format!("[providers.hn]\nkind = \"hackernews\"\nmax_calls_per_day = 300\n\n{topic}hn.limit = 1000\n"),
    );
    let reported = dry_run(&place, &[]);
    assert!(
        reported.contains("; 1 call would cost about $0.000 at the configured prices (limit of hn: 300 calls a day)\n"),
        "{reported}"
    );
    place.configure("base_url = \"sandbox\"\nmax_calls_per_day = 200", &format!("{topic}sources = [\"social\"]\n"));
    let reported = dry_run(&place, &[]);
    assert!(
        reported.contains("(limit: 200 calls a day)") && reported.contains("'http://sandbox.invalid/"),
        "{reported}"
    );
    place.configure("base_url = \"sandbox\"\nmax_calls_per_day = 1", &format!("{topic}sources = [\"social\"]\n"));
    let reported = dry_run(&place, &[]);
    assert!(reported.contains("(limit: 1 call a day)"), "{reported}");
}

#[test]
fn a_dry_run_counts_optional_ai_calls_as_at_most() {
    let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\n";
    for (more, words) in [
        ("", "; at most 3 calls would cost about $0.008 "),
        ("ai.when = \"daily\"\n", "; at most 3 calls would cost about $0.008 "),
        ("ai.when = \"always\"\n", "; 3 calls would cost about $0.008 "),
    ] {
        let reported = dry_run(&Place::new(sqlite(), "base_url = \"sandbox\"", &format!("{topic}{more}")), &[]);
        assert!(reported.contains(words), "{more}\n{reported}");
    }
}

#[test]
fn a_limit_below_the_page_size_is_requested_unchanged() {
    let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nhn.limit = 20\n";
    let reported =
        dry_run(&Place::without_service(sqlite(), &format!("[providers.hn]\nkind = \"hackernews\"\n\n{topic}")), &[]);
    assert!(reported.contains("&hitsPerPage=20&") && reported.contains("; 1 call would cost"), "{reported}");
}

/// Every run asks a SearXNG for its engines again until the reply can be read.
#[test]
fn a_searxng_gets_no_more_calls_than_the_plan_and_the_dry_run_say() {
    let server = FakeServer::respond_with(|_| reply("404 Not Found", "", b""));
    let file = format!(
        "[providers.sx]\nkind = \"searxng\"\nbase_url = \"{}\"\nmax_tries = 1\nprice.call = 0.01\n\n\
         [[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"12h\"\n",
        server.url()
    );
    let place = Place::without_service(sqlite(), &file);
    let plan = place.json(&["plan", "--json", "--days", "1", "--at", NINE]);
    assert_eq!((&plan["slots"], &plan["calls"]["providers"]), (&2.into(), &4.into()), "{plan}");
    assert_eq!(
        (&plan["at_most"]["per_day_usd"], &plan["topics"][0]["upper_bound"]),
        (&0.04.into(), &true.into()),
        "{plan}"
    );
    let reported = dry_run(&place, &[]);
    for part in ["/config'", "/search?", "; at most 2 calls would cost about $0.020 "] {
        assert!(reported.contains(part), "{part}\n{reported}");
    }
    for at in ["2026-03-11T12:00:00Z", "2026-03-12T00:00:00Z"] {
        place.run(&["once", "--at", at]);
    }
    assert_eq!(place.database.number("SELECT sum(made) FROM calls"), 4);
}

#[test]
fn a_dry_run_shows_sandbox_urls_for_sandbox_providers() {
    let file = "[providers.hn]\nkind = \"hackernews\"\nbase_url = \"sandbox\"\n\n\
                [providers.news]\nkind = \"feeds\"\nbase_url = \"sandbox\"\n\n\
                [[topics]]\nid = \"acme\"\nquery = \"acme\"\nnews.urls = [\"https://a.example/feed.xml\"]\n";
    insta::assert_snapshot!(dry_run(&Place::without_service(sqlite(), file), &[]), @r"
    SANDBOX: invented findings and prices

    # acme hn, expected $0.000
    curl -X GET 'http://sandbox.invalid/hackernews/api/v1/search_by_date?query=acme&tags=%28story%2Ccomment%29&numericFilters=created_at_i%3E%3D1773133200&hitsPerPage=1000&page=0&typoTolerance=false&advancedSyntax=true'

    # acme hn, expected $0.000: at most 1 call more, depending on the replies

    # acme news, expected $0.000
    curl -X GET 'http://sandbox.invalid/feeds/a.example%20feed.rss' \
      -H 'Accept: application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5'

    no calls were made; at most 3 calls would cost about $0.000 at the configured prices (limits: hn 10000 calls a day, news 10000 calls a day)
    ");
}
