//! The sandbox as providers of other kinds, over real HTTP: Hacker News, SearXNG, feeds, Bluesky, models; and faults
//! for a single kind.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use topicwatch::sandbox::Fault;

use crate::support::sandbox_stage::*;

const NINE_SECONDS: i64 = NINE / 1_000;
const HACKERNEWS: &str = "/hackernews/api/v1/search_by_date";
const SEARCH_POSTS: &str = "/bluesky/xrpc/app.bsky.feed.searchPosts";
const SESSION: &str = "/bluesky/xrpc/com.atproto.server.createSession";
const CHAT: &str = "/openai/v1/chat/completions";

/// A request without a key.
fn keyless_request(stage: &Stage, path: &str, query: &[(&str, &str)]) -> RequestBuilder {
    stage.client.get(stage.sandbox.base_url() + path).query(query)
}

fn post_request(stage: &Stage, path: &str, body: &Value) -> RequestBuilder {
    stage.client.post(stage.sandbox.base_url() + path).json(body)
}

async fn status_and_json(request: RequestBuilder) -> (u16, Value) {
    let reply = marked(request.send().await.unwrap());
    (reply.status().as_u16(), reply.json().await.unwrap())
}

async fn ok_json(request: RequestBuilder) -> Value {
    let (status, body) = status_and_json(request).await;
    assert_eq!(status, 200, "{body}");
    body
}

fn marked(reply: Response) -> Response {
    assert_eq!(reply.headers()["x-topicwatch-sandbox"], "1");
    reply
}

async fn faulty(rules: &[&str]) -> Stage {
    let faults = rules.iter().map(|rule| Fault::parse(rule).unwrap()).collect();
    stage_with(|settings| settings.faults = faults).await
}

fn array<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name].as_array().unwrap_or_else(|| panic!("no {name} in {value}"))
}

#[tokio::test]
async fn hacker_news_is_exact_and_stops_at_a_thousand_hits() {
    let stage = stage().await;
    let since = (NINE_SECONDS - 48 * 3_600).to_string();
    let (after, until) = (format!("created_at_i>{since}"), format!("created_at_i<={}", NINE_SECONDS - 24 * 3_600));
    let both = format!("{after},{until}");
    let tags = ("tags", "(story,comment)");
    let body =
        ok_json(keyless_request(&stage, HACKERNEWS, &[("query", "coffee"), tags, ("numericFilters", &both)])).await;
    let (hits, total) = (array(&body, "hits"), body["nbHits"].as_u64().unwrap());
    assert!(hits.len() == 20 && (15..40).contains(&total) && body["nbPages"] == 2, "{body}");
    assert!(body["exhaustiveNbHits"] == true && body["query"] == "coffee" && body["hitsPerPage"] == 20);
    for hit in hits {
        let at = hit["created_at_i"].as_i64().unwrap();
        assert!(at > since.parse().unwrap() && at <= NINE_SECONDS - 24 * 3_600);
        assert!(hit["created_at"].as_str().unwrap().ends_with('Z') && hit["author"].is_string());
        match hit["_tags"][0].as_str().unwrap() {
            "story" => assert!(hit["title"].is_string() && (hit["url"].is_string() || hit["story_text"].is_string())),
            _ => {
                assert!(hit["comment_text"].is_string() && hit["story_title"].is_string() && hit["parent_id"].is_u64());
            }
        }
    }
    assert!(hits.is_sorted_by_key(|hit| -hit["created_at_i"].as_i64().unwrap()));

    let stories = ok_json(keyless_request(
        &stage,
        HACKERNEWS,
        &[("query", "coffee"), ("tags", "story"), ("numericFilters", &after)],
    ));
    let stories = stories.await;
    assert!(array(&stories, "hits").iter().all(|hit| hit["_tags"][0] == "story" && hit["points"].is_u64()));

    let all = async |page: &str| {
        ok_json(keyless_request(&stage, HACKERNEWS, &[("query", "coffee"), ("hitsPerPage", "300"), ("page", page)]))
            .await
    };
    let (first, last, beyond) = (all("0").await, all("3").await, all("4").await);
    assert!(first["nbHits"].as_u64().unwrap() > 1_000 && first["nbPages"] == 4, "{}", first["nbHits"]);
    assert_eq!((array(&first, "hits").len(), array(&last, "hits").len()), (300, 100));
    assert!(array(&beyond, "hits").is_empty() && beyond["message"].is_string());

    for wrong in [("numericFilters", "created>5"), ("hitsPerPage", "1001"), ("page", "-1")] {
        let (status, body) = status_and_json(keyless_request(&stage, HACKERNEWS, &[("query", "q"), wrong])).await;
        assert!(status == 400 && body["message"].is_string(), "{wrong:?}: {body}");
    }
}

#[tokio::test]
async fn sandbox_searxng_supports_pages_time_ranges_and_engines() {
    let stage = stage().await;
    let asked = async |more: &[(&str, &str)]| {
        ok_json(keyless_request(&stage, "/searxng/search", &[&[("q", "coffee"), ("format", "json")], more].concat()))
            .await
    };
    let (first, second) = (asked(&[]).await, asked(&[("pageno", "2")]).await);
    assert!(first["number_of_results"] == 0 && first["unresponsive_engines"] == json!([]));
    let urls = |body: &Value| -> BTreeSet<String> {
        array(body, "results").iter().map(|result| result["url"].as_str().unwrap().to_owned()).collect()
    };
    assert!(urls(&first).len() == 10 && urls(&first).is_disjoint(&urls(&second)));
    assert!(array(&asked(&[("pageno", "500")]).await, "results").is_empty());
    let both = [array(&first, "results").clone(), array(&second, "results").clone()].concat();
    assert!(both.iter().any(|result| result["publishedDate"].is_null()));
    let dated = both.iter().find_map(|result| result["publishedDate"].as_str()).unwrap();
    assert!(dated.len() == 19 && !dated.ends_with('Z'), "{dated}");
    assert!(both.iter().all(|result| result["engines"][0] == result["engine"] && result["parsed_url"][1].is_string()));

    let day = asked(&[("time_range", "day")]).await;
    let results = array(&day, "results");
    assert!(!results.is_empty() && results.iter().all(|result| result["engine"] != "sandbox pages"), "{day}");
    for result in results.iter().filter_map(|result| result["publishedDate"].as_str()) {
        assert!(result >= "2026-03-10T09:00:00", "{result}");
    }
    let news = asked(&[("categories", "news")]).await;
    assert!(array(&news, "results").iter().all(|result| result["engine"] == "sandbox news"));
    assert!(array(&asked(&[("engines", "nobody")]).await, "results").is_empty());

    for wrong in [("time_range", "hour"), ("pageno", "0")] {
        let query = [("q", "coffee"), ("format", "json"), wrong];
        let reply = marked(keyless_request(&stage, "/searxng/search", &query).send().await.unwrap());
        assert_eq!(reply.status(), 400);
        assert!(reply.headers()["content-type"].to_str().unwrap().starts_with("text/plain"));
    }
    let page = keyless_request(&stage, "/searxng/search", &[("q", "<i>")]).send().await.unwrap();
    assert!(page.headers()["content-type"].to_str().unwrap().starts_with("text/html"));
    assert!(page.text().await.unwrap().contains("<title>&lt;i&gt;</title>"));
    let form = stage.client.post(stage.sandbox.base_url() + "/searxng/search");
    assert_eq!(ok_json(form.body("q=coffee&format=json")).await, first);

    let config = ok_json(keyless_request(&stage, "/searxng/config", &[])).await;
    assert!(config["instance_name"].is_string() && config["version"].is_string());
    assert!(array(&config, "engines").iter().any(|engine| engine["time_range_support"] == false));
}

#[tokio::test]
async fn sandbox_feeds_come_in_three_formats_and_answer_304_when_unchanged() {
    let stage = stage().await;
    for (ending, kind, entry) in [
        ("rss", "application/rss+xml; charset=utf-8", "<item>"),
        ("atom", "application/atom+xml; charset=utf-8", "<entry>"),
        ("json", "application/feed+json", "\"date_published\""),
    ] {
        let path = format!("/feeds/tea%20%26%20cake.{ending}");
        let reply = marked(keyless_request(&stage, &path, &[]).send().await.unwrap());
        assert_eq!((reply.status().as_u16(), reply.headers()["content-type"].to_str().unwrap()), (200, kind));
        let (tag, at) = (reply.headers()["etag"].clone(), reply.headers()["last-modified"].clone());
        let body = reply.text().await.unwrap();
        assert_eq!(body.matches(entry).count(), 20, "{body}");
        let title = if ending == "json" { "\"title\":\"tea & cake\"" } else { "<title>tea &amp; cake</title>" };
        assert!(body.contains(title), "{body}");
        for (name, value) in [("If-None-Match", &tag), ("If-Modified-Since", &at)] {
            let again = marked(keyless_request(&stage, &path, &[]).header(name, value).send().await.unwrap());
            assert_eq!((again.status().as_u16(), &again.headers()["etag"]), (304, &tag));
            assert!(again.bytes().await.unwrap().is_empty());
        }
        stage.now.store(NINE + 3 * 3_600_000, Ordering::Relaxed);
        let later = keyless_request(&stage, &path, &[]).header("If-None-Match", &tag).send().await.unwrap();
        assert_eq!(later.status(), 200);
        stage.now.store(NINE, Ordering::Relaxed);
    }
    let (status, body) = status_and_json(keyless_request(&stage, "/feeds/coffee.xml", &[])).await;
    assert!(status == 404 && body["detail"].as_str().unwrap().contains("/feeds/NAME.atom"));
}

#[tokio::test]
async fn sandbox_bluesky_needs_a_session_and_pages_until_an_empty_page() {
    let stage = stage().await;
    let (status, body) = status_and_json(keyless_request(&stage, SEARCH_POSTS, &[("q", "coffee")])).await;
    assert_eq!((status, &body["error"]), (401, &json!("AuthMissing")));
    for (who, status, error) in [
        (json!({"identifier": "me.example", "password": ""}), 401, "AuthenticationRequired"),
        (json!({"identifier": "me.example"}), 400, "InvalidRequest"),
    ] {
        let (given, body) = status_and_json(post_request(&stage, SESSION, &who)).await;
        assert_eq!((given, &body["error"]), (status, &json!(error)));
    }
    let session = ok_json(post_request(&stage, SESSION, &json!({"identifier": "me.example", "password": "p"}))).await;
    assert_eq!(session["handle"], "me.example");
    let token = session["accessJwt"].as_str().unwrap();
    let asked = async |query: &[(&str, &str)]| {
        status_and_json(keyless_request(&stage, SEARCH_POSTS, query).bearer_auth(token)).await
    };

    let since = ("since", "2026-03-09T09:00:00Z");
    let (mut cursor, mut seen, mut pages) = (None::<String>, Vec::new(), 0);
    let total = loop {
        let at = cursor.clone().unwrap_or_default();
        let (_, page) = asked(&[("q", "coffee"), ("limit", "10"), since, ("cursor", &at)]).await;
        pages += 1;
        seen.extend(array(&page, "posts").clone());
        match page["cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => {
                assert!(array(&page, "posts").is_empty(), "the last page with posts has a cursor");
                break page["hitsTotal"].as_u64().unwrap();
            }
        }
    };
    let uris: BTreeSet<&str> = seen.iter().map(|post| post["uri"].as_str().unwrap()).collect();
    assert!(uris.len() == seen.len() && seen.len() as u64 == total && total.div_ceil(10) + 1 == pages);
    for post in &seen {
        let author = &post["author"];
        assert!(
            post["uri"]
                .as_str()
                .unwrap()
                .starts_with(&format!("at://{}/app.bsky.feed.post/", author["did"].as_str().unwrap()))
        );
        assert!(post["record"]["createdAt"].as_str().unwrap() >= "2026-03-09T09:00:00.000Z");
        assert!(post["record"]["$type"] == "app.bsky.feed.post" && post["likeCount"].is_u64());
        assert!(author["handle"].as_str().unwrap().ends_with(".example"));
    }
    let handle = seen[0]["author"]["handle"].as_str().unwrap();
    let (_, own) = asked(&[("q", "coffee"), ("author", handle), ("lang", "en")]).await;
    assert!(array(&own, "posts").iter().all(|post| post["author"]["handle"] == handle));
    let (_, tagged) = asked(&[("q", "coffee"), ("tag", "sandbox"), ("sort", "top")]).await;
    let likes: Vec<i64> = array(&tagged, "posts").iter().map(|post| -post["likeCount"].as_i64().unwrap()).collect();
    assert!(!likes.is_empty() && likes.is_sorted(), "{tagged}");
    for wrong in [("limit", "101"), ("limit", "0"), ("cursor", "x"), ("since", "soon")] {
        let (status, body) = asked(&[("q", "coffee"), wrong]).await;
        assert_eq!((status, &body["error"]), (400, &json!("InvalidRequest")), "{wrong:?}");
    }

    stage.now.store(NINE + 3 * 3_600_000, Ordering::Relaxed);
    let (status, body) = asked(&[("q", "coffee")]).await;
    assert_eq!((status, &body["error"]), (400, &json!("ExpiredToken")));
    let refresh = stage.client.post(stage.sandbox.base_url() + "/bluesky/xrpc/com.atproto.server.refreshSession");
    let renewed = ok_json(refresh.bearer_auth(session["refreshJwt"].as_str().unwrap())).await;
    assert_eq!(renewed["did"], session["did"]);
    let renewed = renewed["accessJwt"].as_str().unwrap().to_owned();
    ok_json(keyless_request(&stage, SEARCH_POSTS, &[("q", "coffee")]).bearer_auth(renewed)).await;
}

#[tokio::test]
async fn the_sandbox_model_cites_its_input_plain_and_streamed() {
    let stage = stage().await;
    let text = "What is new?\n[1] One https://a.example/1\n[2] Two https://b.example/2\n[3] https://c.example/3\n[4] https://d.example/4";
    let mut body = json!({"model": "m", "messages": [{"role": "user", "content": text}]});
    let asked = |body: &Value| post_request(&stage, CHAT, body).bearer_auth("k");
    let reply = ok_json(asked(&body)).await;
    let said = reply["choices"][0]["message"]["content"].as_str().unwrap().to_owned();
    assert!(
        said.contains("[2]: https://b.example/2") && said.contains("c.example") && !said.contains("d.example"),
        "{said}"
    );
    let usage = &reply["usage"];
    let sum = usage["prompt_tokens"].as_u64().unwrap() + usage["completion_tokens"].as_u64().unwrap();
    assert_eq!((usage["total_tokens"].as_u64(), &reply["model"]), (Some(sum), &json!("m")));

    body["stream"] = json!(true);
    for with_usage in [false, true] {
        body["stream_options"] = json!({"include_usage": with_usage});
        let reply = marked(asked(&body).send().await.unwrap());
        assert!(reply.headers()["content-type"].to_str().unwrap().starts_with("text/event-stream"));
        let stream = reply.text().await.unwrap();
        let chunks = stream.strip_suffix("data: [DONE]\n\n").unwrap();
        let chunks: Vec<Value> = chunks
            .split_terminator("\n\n")
            .map(|chunk| serde_json::from_str(chunk.strip_prefix("data: ").unwrap()).unwrap())
            .collect();
        let joined: String =
            chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
        assert_eq!(joined, said);
        let figures: Vec<&Value> = chunks.iter().filter(|chunk| chunk["usage"].is_object()).collect();
        assert_eq!(figures.len(), usize::from(with_usage));
        assert!(figures.iter().all(|chunk| chunk["choices"] == json!([]) && chunk["usage"] == *usage));
    }

    let (status, body) = status_and_json(post_request(&stage, CHAT, &json!({"model": "m", "messages": []}))).await;
    assert!(status == 401 && body["error"]["type"].is_string());
    for (body, param) in [(json!({"model": "m"}), json!("messages")), (json!([]), Value::Null)] {
        let (status, reply) = status_and_json(asked(&body)).await;
        assert_eq!((status, &reply["error"]["param"]), (400, &param), "{reply}");
    }
    let models = ok_json(keyless_request(&stage, "/openai/v1/models", &[]).bearer_auth("k")).await;
    assert!(models["object"] == "list" && models["data"][0]["id"].is_string());
}

#[tokio::test]
async fn a_configured_key_is_the_models_key_and_the_bluesky_password() {
    let stage = stage_with(|settings| settings.key = Some("s3cret".to_owned())).await;
    let chat = json!({"model": "m", "messages": [{"role": "user", "content": "q"}]});
    assert_eq!(status_and_json(post_request(&stage, CHAT, &chat).bearer_auth("other")).await.0, 401);
    ok_json(post_request(&stage, CHAT, &chat).bearer_auth("s3cret")).await;
    let session = |password: &str| post_request(&stage, SESSION, &json!({"identifier": "me", "password": password}));
    assert_eq!(status_and_json(session("other")).await.0, 401);
    ok_json(session("s3cret")).await;
    ok_json(keyless_request(&stage, HACKERNEWS, &[("query", "q")])).await;
}

#[tokio::test]
async fn faults_for_one_kind_use_its_error_format() {
    let stage = faulty(&[
        "source=hackernews,status=429,retry_after=7,times=1",
        "source=hackernews,empty,after=1,times=1",
        "source=searxng,status=503,times=1",
        "source=searxng,malformed=surrogate,after=1,times=1",
        "source=feeds,empty,times=1",
        "source=bluesky,path=/bluesky/xrpc/app.bsky,status=400,times=1",
        "source=openai,error_frame,times=1",
        "source=social,status=500",
    ])
    .await;
    let hacker_news = || keyless_request(&stage, HACKERNEWS, &[("query", "q")]);
    let refused = hacker_news().send().await.unwrap();
    assert_eq!((refused.status().as_u16(), refused.headers()["retry-after"].to_str().unwrap()), (429, "7"));
    assert_eq!(refused.json::<Value>().await.unwrap()["status"], 429);
    let empty = ok_json(hacker_news()).await;
    assert!(array(&empty, "hits").is_empty() && empty["nbHits"] == 0 && empty["query"] == "q", "{empty}");
    assert!(!array(&ok_json(hacker_news()).await, "hits").is_empty());
    let searxng = || keyless_request(&stage, "/searxng/search", &[("q", "q"), ("format", "json")]);
    assert_eq!(marked(searxng().send().await.unwrap()).status(), 503);
    let broken = searxng().send().await.unwrap().text().await.unwrap();
    assert!(broken.contains("\\ud83d") && serde_json::from_str::<Value>(&broken).is_err(), "{broken}");
    ok_json(searxng()).await;
    let feed = || keyless_request(&stage, "/feeds/coffee.rss", &[]);
    let empty = feed().send().await.unwrap().text().await.unwrap();
    assert!(!empty.contains("<item>") && empty.ends_with("</channel>\n</rss>\n"), "{empty}");
    let session = ok_json(post_request(&stage, SESSION, &json!({"identifier": "me", "password": "p"}))).await;
    let posts =
        || keyless_request(&stage, SEARCH_POSTS, &[("q", "q")]).bearer_auth(session["accessJwt"].as_str().unwrap());
    assert_eq!(status_and_json(posts()).await.1["error"], "ExpiredToken");
    ok_json(posts()).await;
    let chat = json!({"model": "m", "messages": [{"role": "user", "content": "q"}], "stream": true});
    let broken = post_request(&stage, CHAT, &chat).bearer_auth("k").send().await.unwrap().text().await.unwrap();
    assert!(broken.contains("data: {\"error\":{") && !broken.contains("[DONE]"), "{broken}");
    assert_eq!(stage.post("/hackernews/search", &json!({})).send().await.unwrap().status(), 500);
    assert!(stage.sandbox.requests().iter().any(|seen| seen.path == HACKERNEWS && seen.status == 429));
}

#[tokio::test]
async fn a_fault_without_a_source_applies_to_every_kind_in_its_format() {
    let stage = faulty(&["malformed=nul,times=2", "status=503"]).await;
    let feed = keyless_request(&stage, "/feeds/coffee.atom", &[]).send().await.unwrap();
    assert!(feed.headers()["content-type"].to_str().unwrap().starts_with("application/atom+xml"));
    assert!(feed.text().await.unwrap().contains("<title>\0coffee"));
    let hits = ok_json(keyless_request(&stage, HACKERNEWS, &[("query", "q")])).await;
    assert!(array(&hits, "hits").iter().any(|hit| hit["title"].as_str().is_some_and(|title| title.starts_with('\0'))));
    assert_eq!(keyless_request(&stage, "/searxng/config", &[]).send().await.unwrap().status(), 503);
}

#[tokio::test]
async fn provider_paths_do_not_shadow_platform_paths() {
    let stage = stage().await;
    for platform in ["hackernews", "feeds", "bluesky", "openai"] {
        let body = json!({"query": "coffee", "tools": [format!("{platform} Search")]});
        let path = format!("/{platform}/search");
        assert!(!reply_list(&ok_json(stage.post(&path, &body)).await).is_empty(), "{platform}");
        assert_eq!(post_request(&stage, &path, &body).send().await.unwrap().status(), 401);
    }
    for path in ["/hackernews/api/v1/items", "/openai/v1", "/bluesky/xrpc/app.bsky.feed.getTimeline"] {
        let (status, body) = status_and_json(keyless_request(&stage, path, &[])).await;
        assert!(status == 404 && body["detail"].as_str().unwrap().contains("/searxng/config"), "{path}");
    }
}
