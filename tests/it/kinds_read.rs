//! How provider kinds interpret replies of real services: whether a reply covered the whole span, and which calls
//! follow. Pure functions, no server.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use topicwatch::model::{ProviderQuery, QueryValue, Source, Span, Time};
use topicwatch::normalise::identify;
use topicwatch::search::kinds::{PartReply, PromptItem, ProviderRequest, ReadResult, SearchCall, SpanCoverage, named};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
/// 2026-03-11T09:00:00Z.
const NOW: Time = Time(1_773_219_600_000);

fn ago(minutes: i64) -> Time {
    Time(NOW.0 - minutes * MINUTE)
}

fn query(kind: &str, keys: &[(&str, QueryValue)]) -> ProviderQuery {
    let keys = keys.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect::<BTreeMap<_, _>>();
    ProviderQuery { source: Source::parse("second").unwrap(), kind: kind.to_owned(), keys }
}

fn text(text: &str) -> QueryValue {
    QueryValue::Text(text.to_owned())
}

/// The result of reading one reply, and the number of calls that the kind makes next.
fn read(query: &ProviderQuery, body: &Value, items: &[PromptItem]) -> (ReadResult, usize) {
    let span = Span { from: Time(NOW.0 - 24 * HOUR), until: NOW };
    let asked = ProviderRequest { query, span, now: NOW, memory: &[], items };
    let kind = named(&query.kind).unwrap();
    let request = kind.next(&asked, &[]).unwrap().remove(0);
    let reply = PartReply { status: 200, headers: Vec::new(), body: serde_json::to_vec(body).unwrap().into() };
    let parts = [SearchCall { request, reply: Ok(reply) }];
    (kind.read(&asked, &parts).unwrap(), kind.next(&asked, &parts).unwrap().len())
}

fn post(id: i64, minutes_ago: i64) -> Value {
    json!({ "id": id.to_string(), "text": format!("acme {id}"), "created_at": ago(minutes_ago).to_string(),
        "url": format!("https://x.com/a/status/{id}"), "user": { "username": "a" } })
}

#[test]
fn an_old_or_unreadable_post_does_not_make_a_full_reply_look_complete() {
    let question = query("desearch", &[("query", text("acme")), ("limit", QueryValue::Count(100))]);
    let posts = |many: i64| (0..many).map(|n| post(n + 1, n)).collect::<Vec<_>>();
    let old = || post(999, 3 * 24 * 60);
    let deleted = || json!({ "id": "998", "tombstone": true });
    let long = || (0..100).map(|n| post(n + 1, n * 16)).collect::<Vec<_>>();
    for (name, entries, shown, full) in [
        (
            "99 of the last 99 minutes and an old one",
            [posts(99), vec![old()]].concat(),
            SpanCoverage::Since(ago(98)),
            true,
        ),
        (
            "98, an old one and one deleted",
            [posts(98), vec![old(), deleted()]].concat(),
            SpanCoverage::Since(ago(97)),
            true,
        ),
        ("99 and one deleted", [posts(99), vec![deleted()]].concat(), SpanCoverage::Since(ago(98)), true),
        ("98 and one deleted", [posts(98), vec![deleted()]].concat(), SpanCoverage::Whole, false),
        ("100 that go on before the day", long(), SpanCoverage::Whole, false),
    ] {
        let (read, next) = read(&question, &json!(entries), &[]);
        assert_eq!((read.coverage, read.full, next), (shown, full, 0), "{name}");
    }
}

fn bluesky_post(n: i64, record: &Value, indexed_ago: i64) -> Value {
    json!({ "uri": format!("at://did:plc:abc/app.bsky.feed.post/{n}"), "author": { "handle": "a.example" },
        "record": record, "indexedAt": ago(indexed_ago).to_string() })
}

#[test]
fn bluesky_paging_continues_after_a_post_with_a_backdated_date() {
    let question = query("bluesky", &[("query", text("acme"))]);
    let said = |n: i64, ago_: i64| {
        bluesky_post(n, &json!({ "text": format!("acme {n}"), "createdAt": ago(ago_).to_string() }), n)
    };
    let mut posts: Vec<Value> = (0..99).map(|n| said(n, n)).collect();
    posts.insert(40, said(100, 9 * 24 * 60));
    let (page, next) = read(&question, &json!({ "posts": posts, "cursor": "100" }), &[]);
    assert_eq!((page.coverage, page.full, next), (SpanCoverage::Since(ago(98)), true, 1));
    // A server that ignores `since` continues before the span, which ends the reading.
    let posts: Vec<Value> = (0..100).map(|n| said(n, n * 16)).collect();
    let (page, next) = read(&question, &json!({ "posts": posts, "cursor": "100" }), &[]);
    assert_eq!((page.coverage, page.full, next), (SpanCoverage::Whole, false, 0));
}

#[test]
fn a_bluesky_post_takes_its_age_from_its_place_and_may_lack_text() {
    let question = query("bluesky", &[("tag", text("acme"))]);
    let at = |minutes: i64| ago(minutes).to_string();
    let image = |alt: &str| json!({ "$type": "app.bsky.embed.images", "images": [{ "alt": alt }, { "alt": "" }] });
    let posts = json!({ "posts": [
        bluesky_post(1, &json!({ "text": "in the future", "createdAt": at(-100 * 24 * 60) }), 1),
        bluesky_post(2, &json!({ "text": "", "createdAt": at(2), "embed": image("A red robot") }), 2),
        bluesky_post(3, &json!({ "text": "", "createdAt": at(3), "embed": { "media": image("Quoted robot") } }), 3),
        bluesky_post(4, &json!({ "text": " ", "createdAt": at(4),
            "embed": { "$type": "app.bsky.embed.external", "external": { "title": "A page", "uri": "https://a.example" } } }), 4),
        bluesky_post(5, &json!({ "text": "", "createdAt": at(5), "embed": image("") }), 5),
    ] });
    let (read, _) = read(&question, &posts, &[]);
    let reported: Vec<(Option<&str>, Option<Time>)> =
        read.reply.items.iter().map(|item| (item.text.as_deref(), item.published_at)).collect();
    let expected = [
        (Some("in the future"), Some(ago(1))),
        (Some("A red robot"), Some(ago(2))),
        (Some("Quoted robot"), Some(ago(3))),
        (Some("A page"), Some(ago(4))),
        (None, Some(ago(5))),
    ];
    assert_eq!(reported, expected);
    assert_eq!(read.reply.unreadable, 0);
}

#[test]
fn bluesky_posts_of_did_web_accounts_are_distinct_items() {
    let question = query("bluesky", &[("query", text("acme"))]);
    let said = |account: &str, n: i64, words: &str| {
        let record = json!({ "text": words, "createdAt": ago(n).to_string() });
        json!({ "uri": format!("at://{account}/app.bsky.feed.post/3k{n}"), "author": { "handle": "a.example" }, "record": record })
    };
    let (site, other) = ("did:web:a.example", "did:web:a-example");
    let posts = [said(site, 1, "good morning"), said(site, 2, "good morning"), said(site, 3, ""), said(other, 1, "")];
    let (read, _) = read(&question, &json!({ "posts": posts }), &[]);
    let keys: BTreeSet<String> =
        read.reply.items.iter().map(|item| identify(item, "bluesky").unwrap().keys.remove(0)).collect();
    assert_eq!(keys.len(), 4, "{keys:?}");
    assert!(keys.iter().all(|key| key.starts_with("post:bluesky:did-")), "{keys:?}");
    let (read, _) = self::read(&question, &json!({ "posts": [said("did:plc:abc", 1, "acme")] }), &[]);
    assert_eq!(read.reply.items[0].id.as_deref(), Some("did-plc-abc_3k1"));
}

#[test]
fn a_hacker_news_reply_with_all_hits_covers_the_whole_span() {
    let question = query("hackernews", &[("query", text("acme")), ("limit", QueryValue::Count(20))]);
    let hits = |many: i64| {
        let hit = |n: i64| json!({ "objectID": n.to_string(), "title": format!("acme {n}"), "created_at_i": ago(n * 60).0 / 1_000 });
        (0..many).map(hit).collect::<Vec<_>>()
    };
    let (all, next) = read(&question, &json!({ "hits": hits(20), "nbHits": 20 }), &[]);
    assert_eq!((all.coverage, all.full, next), (SpanCoverage::Whole, false, 0));
    let (cut, _) = read(&question, &json!({ "hits": hits(20), "nbHits": 21 }), &[]);
    // Other hits from the second of the oldest hit may be missing.
    let after = |minutes: i64| Time(ago(minutes).0 + 1_000);
    assert_eq!((cut.coverage, cut.full), (SpanCoverage::Since(after(19 * 60)), true));
    // Slices overlap, so a hit that cannot be read may come twice. It counts once.
    let twice = [hits(18), vec![json!({ "objectID": "99" }), json!({ "objectID": "99" })]].concat();
    let (cut, _) = read(&question, &json!({ "hits": twice, "nbHits": 20 }), &[]);
    assert_eq!((cut.reply.unreadable, cut.coverage), (1, SpanCoverage::Since(after(17 * 60))));
}

/// Slices share the hits of a second, so hits alone would lead to one call more than `plan` says.
#[test]
fn hacker_news_makes_no_more_calls_than_the_plan_says() {
    let question = query("hackernews", &[("query", text("acme")), ("limit", QueryValue::Count(2_000))]);
    let span = Span { from: Time(NOW.0 - 24 * HOUR), until: NOW };
    let asked = ProviderRequest { query: &question, span, now: NOW, memory: &[], items: &[] };
    let kind = named("hackernews").unwrap();
    let mut parts: Vec<SearchCall> = Vec::new();
    while let Some(request) = kind.next(&asked, &parts).unwrap().pop() {
        let first = parts.len() as i64 * 999;
        let hit = |n: i64| json!({ "objectID": n.to_string(), "title": "acme", "created_at_i": NOW.0 / 1_000 - n });
        let page = json!({ "hits": (first..first + 1_000).map(hit).collect::<Vec<_>>(), "nbHits": 9_000 });
        let body = serde_json::to_vec(&page).unwrap().into();
        parts.push(SearchCall { request, reply: Ok(PartReply { status: 200, headers: Vec::new(), body }) });
    }
    assert_eq!((parts.len() as i64, question.calls()), (2, 2));
}

#[test]
fn angle_brackets_in_a_searxng_result_stay_text() {
    let results = json!({ "results": [{ "url": "https://a.example/", "title": "Why std::vector<bool> is bad", "content": "x<y and y>z" }] });
    let (read, _) = read(&query("searxng", &[("query", text("acme")), ("time_range", text("any"))]), &results, &[]);
    let item = &read.reply.items[0];
    assert_eq!(
        (item.title.as_deref(), item.text.as_deref()),
        (Some("Why std::vector<bool> is bad"), Some("x<y and y>z"))
    );
}

#[test]
fn a_summary_cites_only_what_the_model_was_given() {
    let item = |n: i64| PromptItem {
        key: format!("key:{n}"),
        url: Some(format!("https://a.example/{n}")),
        title: None,
        text: Some(format!("Finding {n} says something about robots")),
        author: None,
        at: None,
    };
    let items: Vec<PromptItem> = (1..=8).map(item).collect();
    let question =
        query("openai", &[("prompt", text("Sum up.")), ("model", text("m")), ("items", QueryValue::Count(3))]);
    let said = "They talk about robots [3]. There is a hidden thing [5].";
    let (read, _) =
        read(&question, &json!({ "choices": [{ "message": { "content": said }, "finish_reason": "stop" }] }), &items);
    let answer = read.reply.answer.unwrap().text;
    assert!(answer.contains("[5: no such item]") && !answer.contains("https://a.example/5"), "{answer}");
    assert!(answer.ends_with("Sources:\n[3] https://a.example/3"), "{answer}");
}
