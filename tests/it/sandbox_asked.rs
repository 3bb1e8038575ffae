//! The sandbox applies request parameters: traits of posts, tools of an answer, the subject of a prompt; an unknown
//! value gets an error that lists the valid ones.

use serde_json::{Value, json};

use crate::support::sandbox_stage::stage;

type Has<'a> = &'a dyn Fn(&Value) -> bool;

async fn reply_to(request: reqwest::RequestBuilder) -> Value {
    request.send().await.unwrap().json().await.unwrap()
}

#[tokio::test]
async fn post_filters_apply_alone_and_combined() {
    let stage = stage().await;
    let day = [("query", "coffee"), ("count", "100"), ("start_date", "2026-03-01")];
    let asked = async |more: &[(&str, &str)]| {
        let all = reply_to(stage.get("/twitter", &[&day[..], more].concat())).await;
        all.as_array().unwrap().clone()
    };
    let media = |post: &Value, kind: &str| post["media"].as_array().unwrap().iter().any(|one| one["type"] == kind);
    let kinds: [(&str, Has<'_>); 5] = [
        ("verified", &|post| post["user"]["verified"] == true),
        ("blue_verified", &|post| post["user"]["is_blue_verified"] == true),
        ("is_quote", &|post| post["is_quote_tweet"] == true),
        ("is_video", &|post| media(post, "video")),
        ("is_image", &|post| media(post, "photo")),
    ];
    let all = asked(&[]).await;
    for (name, has) in kinds {
        let (with, without) = (asked(&[(name, "true")]).await, asked(&[(name, "false")]).await);
        assert!(with.iter().all(has) && !with.is_empty(), "{name}: {with:?}");
        assert!(!without.iter().any(has) && !without.is_empty(), "{name}: {without:?}");
        assert_eq!(all.iter().filter(|post| has(post)).count().min(100), with.len().min(100), "{name}");
    }
    let both = asked(&[("is_quote", "true"), ("is_video", "false")]).await;
    assert!(both.iter().all(|post| post["is_quote_tweet"] == true && !media(post, "video")), "{both:?}");
    let posted: Value = reply_to(stage.post("/twitter", &json!({"query": "coffee", "is_video": true}))).await;
    assert!(posted.as_array().unwrap().iter().all(|post| media(post, "video")), "{posted}");
}

#[tokio::test]
async fn an_unknown_path_gets_the_list_of_valid_paths() {
    let stage = stage().await;
    for path in ["/web/search/web/search", "/", "/desearch/search", "/v1/ai/search"] {
        let reply = stage.post(path, &json!({"query": "coffee"})).send().await.unwrap();
        assert_eq!(reply.status(), 404, "{path}");
        let reported = reply.json::<Value>().await.unwrap()["detail"].as_str().unwrap().to_owned();
        for there in
            ["POST /ai/search", "/web/search", "/{platform}/search", "/desearch/ai/search/links/web", "GET /twitter"]
        {
            assert!(reported.contains(there), "{path}: {reported}");
        }
    }
}

/// Otherwise a new user's first answer would cite pages that no search found.
#[tokio::test]
async fn an_answer_cites_what_searches_for_the_same_query_find() {
    let stage = stage().await;
    for (title, query) in [("Acme products", "acme launch"), ("Globex", "globex pricing"), ("Rust", "async rust")] {
        let platform =
            reply_to(stage.post("/X/search", &json!({"query": query, "tools": ["X Search"]}))).await.to_string();
        let web = reply_to(stage.post("/web/search", &json!({"query": query, "results_limit": 5}))).await.to_string();
        let prompt = format!("What is new about {title} ({query})? Name sources.");
        let reply: Value = reply_to(stage.post("/ai/search", &json!({"prompt": prompt, "streaming": false}))).await;
        let said = reply["summary"].as_str().or(reply["response"].as_str()).unwrap();
        let cited: Vec<&str> = said.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
        assert_eq!(cited.len(), 4, "{said}");
        for link in cited {
            let known = match link.split_once("/status/") {
                Some((_, id)) => platform.contains(id),
                None => web.contains(link),
            };
            assert!(known, "{query}: {link} was found by no search\n{platform}\n{web}");
        }
    }
}

#[tokio::test]
async fn an_answer_of_any_tool_has_results_and_is_about_the_query() {
    let stage = stage().await;
    let prompt = "What is new about Acme products (acme launch)? Name sources.";
    for (tool, list) in [
        ("reddit", "reddit_search"),
        ("hackernews", "hacker_news_search"),
        ("youtube", "youtube_search"),
        ("wikipedia", "wikipedia_search"),
        ("arxiv", "arxiv_search"),
    ] {
        let body = json!({"prompt": prompt, "tools": [tool], "streaming": false});
        let reply: Value = reply_to(stage.post("/desearch/ai/search", &body)).await;
        assert_eq!(reply[list].as_array().unwrap().len(), 10, "{reply}");
        let said = reply["completion"].as_str().unwrap();
        assert!(said.contains("10 pages") && said.starts_with("**acme launch** (invented"), "{said}");
        assert_eq!((&reply["tweets"], &reply["search"]), (&json!([]), &json!([])));
        let body = json!({"prompt": prompt, "tools": [tool]});
        let stream = stage.post("/desearch/ai/search", &body).send().await.unwrap().text().await.unwrap();
        assert!(stream.contains(&format!("\"type\":\"{list}\"")), "{stream}");
    }
    let spec = json!({"prompt": prompt, "streaming": false});
    let reply: Value = reply_to(stage.post("/ai/search", &spec)).await;
    let said = reply["summary"].as_str().or(reply["response"].as_str()).unwrap();
    assert!(said.contains("acme launch") && !said.contains("What is new") && !said.contains("Name"), "{said}");
}
