//! The paths of deployed services: `POST /desearch/ai/search` and its `links/…`, `GET /twitter`, `GET /web`. Like those
//! services, they ignore unknown fields and are strict about ranges.

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value, json};

use super::answer::summary;
use super::corpus::{Corpus, CorpusQuery, HOUR_MS, Hour, Post, prompt_subject};
use super::params::{Params, validation_error};
use super::random::{SeededRng, seed_of};
use super::reply::{Bill, billed};
use super::shape::{Endpoint, Traits, pages, posts};
use super::stream;

/// The values of `date_filter` and their hours.
const WINDOWS: &[(&str, i64)] = &[
    ("PAST_24_HOURS", 24),
    ("PAST_2_DAYS", 48),
    ("PAST_WEEK", 168),
    ("PAST_2_WEEKS", 336),
    ("PAST_MONTH", 720),
    ("PAST_2_MONTHS", 1_440),
    ("PAST_YEAR", 8_760),
    ("PAST_2_YEARS", 17_520),
];
/// Tools of an AI search.
const TOOLS: &[&str] = &["web", "hackernews", "reddit", "wikipedia", "youtube", "twitter", "arxiv"];
/// The lists of a link search by the tool that fills them.
const LINK_LISTS: &[(&str, &str)] = &[
    ("web", "search_results"),
    ("hackernews", "hacker_news_search_results"),
    ("reddit", "reddit_search_results"),
    ("wikipedia", "wikipedia_search_results"),
    ("youtube", "youtube_search_results"),
    ("arxiv", "arxiv_search_results"),
];
/// The number of entries when `count` is left out.
const DEFAULT_COUNT: i64 = 10;
/// The number of posts of `GET /twitter` when `count` is left out.
const DEFAULT_POSTS: i64 = 20;
/// The number of posts that a filtered search looks through.
const SCANNED: usize = 1_000;

/// `POST /desearch/ai/search`.
pub(crate) fn ai(corpus: &Corpus, hour: Hour, mut params: Params) -> Response {
    let prompt = params.required_text("prompt");
    let tools = tools(&mut params);
    let filters: Vec<&str> = WINDOWS.iter().map(|(name, _)| *name).collect();
    let filter = params.one_of("date_filter", &filters);
    let start = day(&mut params, "start_date");
    let end = day(&mut params, "end_date");
    let streaming = params.boolean("streaming").unwrap_or(true);
    let result_type = params.one_of("result_type", &["ONLY_LINKS", "LINKS_WITH_SUMMARIES", "LINKS_WITH_FINAL_SUMMARY"]);
    let limit = count(&mut params, 10..=200, DEFAULT_COUNT);
    if !params.mistakes.is_empty() {
        return validation_error(params);
    }
    let hours_back = match (filter, start) {
        (Some(filter), _) => WINDOWS.iter().find(|(name, _)| *name == filter).map_or(24, |(_, hours)| *hours),
        (None, Some(start)) => hour.0.saturating_sub(start.div_euclid(HOUR_MS)).max(24),
        (None, None) => 24,
    };
    let corpus_query = CorpusQuery { query: &prompt, hour, hours_back, limit };
    let about = prompt_subject(&prompt);
    let has = |tool: &str| tools.iter().any(|name| name == tool);
    let found_posts = match has("twitter") {
        // The days are searched among more posts than are shown.
        true if start.is_some() || end.is_some() => {
            let mut posts =
                of_days(corpus.posts_about(about, &CorpusQuery { limit: SCANNED, ..corpus_query.clone() }), start, end);
            posts.truncate(limit);
            posts
        }
        true => corpus.posts_about(about, &corpus_query),
        false => Vec::new(),
    };
    let mut found_pages = if has("web") { corpus.pages_about(about, &corpus_query) } else { Vec::new() };
    let from_web = found_pages.len();
    let mut others = Vec::new();
    for (tool, list) in LINK_LISTS.iter().filter(|(tool, _)| *tool != "web" && has(tool)) {
        let found = corpus.pages_about(about, &CorpusQuery { query: &of_tool(&prompt, tool), ..corpus_query.clone() });
        others.push((list.trim_end_matches("_results"), pages(&found, Endpoint::Ai, hour)));
        found_pages.extend(found);
    }
    let text = match result_type.as_deref() {
        Some("ONLY_LINKS") => String::new(),
        _ => summary(about, &found_posts, &found_pages),
    };
    let answer = stream::Answer {
        text,
        tweets: has("twitter").then(|| posts(&found_posts, Endpoint::Ai)),
        pages: has("web").then(|| pages(&found_pages[..from_web], Endpoint::Ai, hour)),
        others,
    };
    if streaming {
        return stream::reply(&answer, seed_of(&prompt).is_multiple_of(3), Bill::ai());
    }
    billed(StatusCode::OK, &plain(answer, &found_posts), Bill::ai())
}

/// Returns an AI answer in its plain form.
fn plain(answer: stream::Answer, found: &[Post]) -> Value {
    let scores: Map<String, Value> = found
        .iter()
        .filter_map(|post| post.id.clone())
        .map(|id| {
            let score = SeededRng::new(&[b"score", id.as_bytes()]).pick(&["HIGH", "MEDIUM", "LOW"]).unwrap_or("LOW");
            (id, json!(score))
        })
        .collect();
    let mut body = json!({
        "completion": answer.text,
        "text": "",
        "hacker_news_search": [],
        "reddit_search": [],
        "youtube_search": [],
        "miner_link_scores": scores,
        "cost_usd": 0.004,
        "usage_count": 1,
        "service": Bill::ai().service,
        "currency": "USD",
    });
    if let Some(body) = body.as_object_mut() {
        for (name, list) in [("tweets", answer.tweets), ("search", answer.pages)] {
            body.insert(name.to_owned(), json!(list.unwrap_or_default()));
        }
        for (name, list) in answer.others {
            body.insert(name.to_owned(), json!(list));
        }
    }
    body
}

/// `POST /desearch/ai/search/links/web`.
pub(crate) fn link_pages(corpus: &Corpus, hour: Hour, mut params: Params) -> Response {
    let prompt = params.required_text("prompt");
    let tools = tools(&mut params);
    let limit = count(&mut params, 10..=200, DEFAULT_COUNT);
    if !params.mistakes.is_empty() {
        return validation_error(params);
    }
    let mut body = Map::new();
    for (tool, list) in LINK_LISTS {
        let is_requested = tools.iter().any(|name| name == tool);
        // All lists are always there, since older clients require it. The pages of one tool differ from those of
        // another.
        let query = if *tool == "web" { prompt.clone() } else { of_tool(&prompt, tool) };
        let found = match is_requested {
            true => corpus.pages(&CorpusQuery { query: &query, hour, hours_back: 24, limit }),
            false => Vec::new(),
        };
        body.insert((*list).to_owned(), json!(pages(&found, Endpoint::Links, hour)));
    }
    billed(StatusCode::OK, &Value::Object(body), Bill::web())
}

/// Returns the query for a tool other than the web.
fn of_tool(prompt: &str, tool: &str) -> String {
    format!("{prompt} {tool}")
}

/// `POST /desearch/ai/search/links/twitter`.
pub(crate) fn link_posts(corpus: &Corpus, hour: Hour, mut params: Params) -> Response {
    let prompt = params.required_text("prompt");
    let limit = count(&mut params, 10..=200, DEFAULT_COUNT);
    if !params.mistakes.is_empty() {
        return validation_error(params);
    }
    let found = corpus.posts(&CorpusQuery { query: &prompt, hour, hours_back: 24, limit });
    billed(StatusCode::OK, &json!({"miner_tweets": posts(&found, Endpoint::Links)}), Bill::posts(found.len()))
}

/// The parameters of `/twitter`.
pub(crate) const BASIC_FIELDS: &[&str] = &[
    "query",
    "sort",
    "count",
    "start_date",
    "end_date",
    "user",
    "lang",
    "min_likes",
    "min_retweets",
    "min_replies",
    "verified",
    "blue_verified",
    "is_quote",
    "is_video",
    "is_image",
];

/// `GET /twitter`.
pub(crate) fn basic_posts(corpus: &Corpus, hour: Hour, mut params: Params) -> Response {
    let query = params.required_text("query");
    let sort = params.one_of("sort", &["Top", "Latest"]);
    let limit = count(&mut params, 1..=100, DEFAULT_POSTS);
    let (start, end) = (day(&mut params, "start_date"), day(&mut params, "end_date"));
    let (user, lang) = (params.text("user"), params.text("lang"));
    let least = ["min_likes", "min_retweets", "min_replies"]
        .map(|field| params.integer(field, 0..=i64::MAX).and_then(|least| u64::try_from(least).ok()).unwrap_or(0));
    let traits = ["verified", "blue_verified", "is_quote", "is_video", "is_image"].map(|field| params.boolean(field));
    if !params.mistakes.is_empty() {
        return validation_error(params);
    }
    let hours_back = start.map_or(24, |start| hour.0.saturating_sub(start.div_euclid(HOUR_MS)).max(24));
    let mut found = of_days(corpus.posts(&CorpusQuery { query: &query, hour, hours_back, limit: SCANNED }), start, end);
    found.retain(|post| {
        let counts = post.counts.unwrap_or_default();
        let has = Traits::of(post);
        let has = [has.verified, has.blue_verified, has.quote, has.video, has.image];
        has.iter().zip(&traits).all(|(has, wanted)| wanted.is_none_or(|wanted| *has == wanted))
            && [counts.likes, counts.reposts, counts.replies].iter().zip(&least).all(|(count, least)| count >= least)
            && lang.as_ref().is_none_or(|lang| post.lang.as_ref().is_none_or(|post_lang| post_lang == lang))
            && user.as_ref().is_none_or(|user| post.author.as_ref().is_some_and(|author| author.handle == *user))
    });
    if sort.as_deref() == Some("Top") {
        found.sort_by_key(|post| std::cmp::Reverse(post.counts.map(|counts| counts.likes)));
    }
    found.truncate(limit);
    billed(StatusCode::OK, &Value::Array(posts(&found, Endpoint::Basic)), Bill::posts(found.len()))
}

/// Returns the posts of these whole days, including the last. If the range has no post, it is ignored: the window of
/// the deployed service is unreliable, too, and an empty sandbox is no use.
fn of_days(mut posts: Vec<Post>, start: Option<i64>, end: Option<i64>) -> Vec<Post> {
    let inside = |post: &Post| {
        start.is_none_or(|start| post.published >= start)
            && end.is_none_or(|end| post.published < end.saturating_add(24 * HOUR_MS))
    };
    if posts.iter().any(inside) {
        posts.retain(inside);
    }
    posts
}

/// `GET /web`. Success is 201.
pub(crate) fn basic_pages(corpus: &Corpus, hour: Hour, mut params: Params) -> Response {
    let query = params.required_text("query");
    let start = params.integer("start", 0..=100).and_then(|start| usize::try_from(start).ok()).unwrap_or(0);
    let limit = params.integer("num", 1..=100).and_then(|num| usize::try_from(num).ok()).unwrap_or(10);
    if !params.mistakes.is_empty() {
        return validation_error(params);
    }
    let mut found = corpus.pages(&CorpusQuery { query: &query, hour, hours_back: 24, limit: start + limit });
    found.drain(..start.min(found.len()));
    billed(StatusCode::CREATED, &json!({"data": pages(&found, Endpoint::Basic, hour)}), Bill::web())
}

/// Reads the `tools` of an AI search; an unknown one is an error.
fn tools(params: &mut Params) -> Vec<String> {
    let tools = params.texts("tools");
    if tools.iter().any(|tool| !TOOLS.contains(&tool.as_str())) {
        params.add_error("enum", "tools", &format!("Input should be any of: {}", TOOLS.join(", ")));
    }
    tools
}

fn count(params: &mut Params, range: std::ops::RangeInclusive<i64>, default: i64) -> usize {
    usize::try_from(params.integer("count", range).unwrap_or(default)).unwrap_or(1)
}

/// Parses a day or an instant to the first millisecond of its day, UTC.
fn day(params: &mut Params, field: &str) -> Option<i64> {
    let text = params.text(field)?;
    let date = text.get(..10).and_then(|day| day.parse::<jiff::civil::Date>().ok());
    let at = date.and_then(|date| date.to_zoned(jiff::tz::TimeZone::UTC).ok());
    if at.is_none() {
        params.add_error("date_parsing", field, "Input should be a date such as 2026-03-11 or 2026-03-11T09:00:00Z");
    }
    at.map(|at| at.timestamp().as_millisecond())
}
