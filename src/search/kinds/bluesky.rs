//! Bluesky's post search (`app.bsky.feed.searchPosts`, <https://docs.bsky.app/docs/api/app-bsky-feed-search-posts>),
//! with an account. Some servers ignore `since`, so the window is checked on the findings. The last page may carry a
//! cursor, so an empty page also ends the search. `session` logs in.

use std::collections::HashSet;

use serde_json::Value;

use super::date;
use super::kind::{Kind, ProviderRequest, ReadResult, SearchCall, SpanCoverage, failed, get, malformed};
use crate::model::{BLUESKY_PAGE, Engagement, Kind as Shape, ReplyEntry, Time};
use crate::normalise::bluesky_id;
use crate::search::decode::{DecodeError, json_value};
use crate::search::{Reply, Request, Unsupported, covers_window_start};

const HINT: &str = "is base_url the address of a Bluesky server, such as https://bsky.social?";

/// The maximum length of a kept text, in characters; the network's own limit is 300 graphemes.
const LONGEST: usize = 20_000;

pub(super) struct Bluesky;

struct Page {
    posts: Vec<Value>,
    cursor: Option<String>,
}

impl Kind for Bluesky {
    fn name(&self) -> &'static str {
        "bluesky"
    }

    fn next(&self, request: &ProviderRequest<'_>, parts: &[SearchCall]) -> Result<Vec<Request>, Unsupported> {
        let cursor = match parts.last() {
            None => None,
            Some(last) => match next_cursor(request, last, parts) {
                Some(cursor) => Some(cursor),
                None => return Ok(Vec::new()),
            },
        };
        Ok(vec![search(request, cursor)])
    }

    fn read(&self, request: &ProviderRequest<'_>, parts: &[SearchCall]) -> Result<ReadResult, DecodeError> {
        let (mut items, mut seen, mut unreadable) = (Vec::new(), HashSet::new(), 0_u32);
        let (mut ended, mut failure) = (false, None);
        for (place, part) in parts.iter().enumerate() {
            let page = match part.reply.as_ref().map_err(failed).and_then(|reply| page(&reply.body)) {
                Ok(page) => page,
                Err(error) if place == 0 => return Err(error),
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            };
            ended = page.posts.is_empty() || page.cursor.is_none();
            for post in &page.posts {
                match read_entry(post, request.now) {
                    Some(found) if found.id.as_ref().is_none_or(|id| !seen.insert(id.clone())) => {}
                    Some(found) => items.push(found),
                    None => unreadable = unreadable.saturating_add(1),
                }
            }
        }
        for (rank, item) in (1..).zip(&mut items) {
            item.rank = rank;
        }
        // A server that ignores `since` continues with posts before the span.
        let dates = || items.iter().filter_map(|item: &ReplyEntry| item.published_at);
        let is_complete = failure.is_none() && (ended || covers_window_start(dates(), request.span.from));
        let coverage = match (is_complete, dates().filter(|at| *at > request.span.from).min()) {
            (true, _) => SpanCoverage::Whole,
            (false, Some(oldest)) => SpanCoverage::Since(oldest),
            (false, None) => SpanCoverage::Nothing,
        };
        let hint = failure.as_ref().map(|error: &DecodeError| error.hint.clone());
        let failure = failure.map(|error| (error.class, error.text));
        let full = !is_complete && failure.is_none();
        let reply = Reply { items, unreadable, failure, ..Reply::default() };
        Ok(ReadResult { reply, coverage, full, memory: Vec::new(), tokens: 0, note: None, hint })
    }
}

fn limit(request: &ProviderRequest<'_>) -> u32 {
    request.query.count("limit").unwrap_or(500)
}

fn search(request: &ProviderRequest<'_>, cursor: Option<String>) -> Request {
    let until = (request.span.until < request.now).then(|| request.span.until.to_string());
    let text = |name: &str| request.query.text(name).map(str::to_owned);
    let parameters = [
        ("q", text("query")),
        ("sort", Some("latest".to_owned())),
        ("since", Some(request.span.from.to_string())),
        ("until", until),
        ("lang", text("lang")),
        ("author", text("author")),
        ("tag", text("tag")),
        ("limit", Some(BLUESKY_PAGE.min(limit(request)).to_string())),
        ("cursor", cursor),
    ];
    let parameters = parameters.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    get(request.query, "/xrpc/app.bsky.feed.searchPosts", parameters)
}

/// Returns the cursor of the next page, if one is wanted.
fn next_cursor(request: &ProviderRequest<'_>, last: &SearchCall, parts: &[SearchCall]) -> Option<String> {
    let page = page(&last.reply.as_ref().ok()?.body).ok()?;
    if page.posts.is_empty() || parts.len() as u64 * u64::from(BLUESKY_PAGE) >= u64::from(limit(request)) {
        return None;
    }
    if covers_window_start(page.posts.iter().filter_map(|post| published(post, request.now)), request.span.from) {
        return None;
    }
    // Otherwise a server that repeats its cursor would cause an endless loop.
    let asked_before = |cursor: &String| {
        parts.iter().any(|part| part.request.query.iter().any(|(name, value)| name == "cursor" && value == cursor))
    };
    page.cursor.filter(|cursor| !asked_before(cursor))
}

fn page(body: &[u8]) -> Result<Page, DecodeError> {
    let Some(mut all) = json_value(body) else {
        return Err(malformed("the reply is not JSON", HINT));
    };
    let cursor = all.get("cursor").and_then(Value::as_str).filter(|cursor| !cursor.is_empty()).map(str::to_owned);
    match all.get_mut("posts").map(Value::take) {
        Some(Value::Array(posts)) => Ok(Page { posts, cursor }),
        _ => Err(malformed("the reply contains no list `posts`", HINT)),
    }
}

/// When a post was written: its own date, which anybody may set, or its index date, if that is earlier. The server
/// sorts and filters by the same date (`sortAt`).
fn published(post: &Value, now: Time) -> Option<Time> {
    let at = |value: Option<&Value>| value.and_then(Value::as_str).and_then(|text| date::read(text, now));
    at(post.pointer("/record/createdAt")).into_iter().chain(at(post.get("indexedAt"))).min()
}

/// The text of a post, else the descriptions of its pictures or the title of its link. A picture without any has no
/// text.
fn post_text(post: &Value) -> Option<String> {
    let non_empty_text = |value: &Value| value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let embed = post.pointer("/record/embed");
    // A quoting post has its pictures one level deeper.
    let media = || embed.into_iter().chain(embed.and_then(|embed| embed.get("media")));
    let images = || media().filter_map(|one| one.get("images")?.as_array()).flatten();
    let written = post.pointer("/record/text").and_then(non_empty_text);
    written.map(|text| with_whole_links(&text, post.pointer("/record/facets"))).or_else(|| {
        let described = images().filter_map(|image| non_empty_text(image.get("alt")?));
        let described = described.chain(media().filter_map(|one| non_empty_text(one.get("alt")?)));
        let linked = media().filter_map(|one| non_empty_text(one.pointer("/external/title")?));
        let all: Vec<String> = described.chain(linked).collect();
        (!all.is_empty()).then(|| all.join("\n"))
    })
}

/// Writes out the links that the apps shorten to `a.example/what...`: the whole address is in a facet of the post, with
/// the bytes that stand for it. Other link texts stay as they are.
fn with_whole_links(text: &str, facets: Option<&Value>) -> String {
    let facet = |facet: &Value| {
        let at = |name: &str| usize::try_from(facet.get("index")?.get(name)?.as_u64()?).ok();
        let mut features = facet.get("features")?.as_array()?.iter();
        let address = features.find_map(|feature| feature.get("uri")?.as_str())?;
        Some((at("byteStart")?, at("byteEnd")?, address.to_owned()))
    };
    let facets = facets.and_then(Value::as_array).into_iter().flatten();
    let mut links: Vec<(usize, usize, String)> = facets.filter_map(facet).collect();
    links.sort();
    let (mut whole, mut done) = (String::with_capacity(text.len()), 0);
    for (from, to, address) in links {
        let (Some(before), Some(words)) = (text.get(done..from), text.get(from..to)) else { continue };
        let bare = address.strip_prefix("https://").or(address.strip_prefix("http://"));
        let begin = words.trim_end_matches(['.', '…']);
        if bare.is_some_and(|bare| !begin.is_empty() && bare.starts_with(begin)) {
            whole.push_str(before);
            whole.push_str(&address);
            done = to;
        }
    }
    whole.push_str(text.get(done..).unwrap_or_default());
    whole
}

fn read_entry(post: &Value, now: Time) -> Option<ReplyEntry> {
    let text = |pointer: &str| post.pointer(pointer).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let number = |name: &str| post.get(name).and_then(Value::as_i64);
    let (account, post_id) = text("/uri")?.strip_prefix("at://")?.split_once("/app.bsky.feed.post/")?;
    let handle = text("/author/handle").filter(|handle| *handle != "handle.invalid");
    let id = bluesky_id(account, post_id);
    let root = text("/record/reply/root/uri").and_then(|uri| uri.rsplit('/').next());
    Some(ReplyEntry {
        kind: Some(Shape::Post),
        url: Some(format!("https://bsky.app/profile/{}/post/{post_id}", handle.unwrap_or(account))),
        author: handle.map(str::to_owned),
        author_name: text("/author/displayName").map(str::to_owned),
        text: post_text(post).map(|text| text.chars().take(LONGEST).collect()),
        lang: text("/record/langs/0").map(str::to_owned),
        published_at: published(post, now),
        engagement: Engagement {
            likes: number("likeCount"),
            reposts: number("repostCount"),
            replies: number("replyCount"),
            quotes: number("quoteCount"),
            ..Engagement::default()
        },
        is_quote: text("/record/embed/$type").map(|kind| kind.starts_with("app.bsky.embed.record")),
        conversation_id: Some(root.unwrap_or(post_id).to_owned()),
        id: Some(id),
        ..ReplyEntry::default()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shortened_links_are_written_out_and_other_text_stays() {
        let facet = |from: usize, to: usize, uri: &str| json!({ "index": { "byteStart": from, "byteEnd": to }, "features": [{ "$type": "app.bsky.richtext.facet#link", "uri": uri }] });
        let text = "é a.example/lo... and here, b.example";
        let link = "https://a.example/long/path?b=c";
        for (facets, expected) in [
            (json!([facet(3, 18, link)]), format!("é {link} and here, b.example")),
            (
                json!([facet(29, 38, "http://b.example/"), facet(3, 18, link)]),
                format!("é {link} and here, http://b.example/"),
            ),
            (json!([facet(23, 27, link)]), text.to_owned()),
            (
                json!([facet(1, 18, link), facet(3, 400, link), facet(18, 3, link), facet(3, 3, link), {}, 5]),
                text.to_owned(),
            ),
            (json!([facet(3, 18, link), facet(3, 18, link)]), format!("é {link} and here, b.example")),
            (
                json!([{ "index": { "byteStart": 3, "byteEnd": 18 }, "features": [{ "did": "did:plc:x" }] }]),
                text.to_owned(),
            ),
            (json!("x"), text.to_owned()),
        ] {
            assert_eq!(with_whole_links(text, Some(&facets)), expected, "{facets}");
        }
    }
}
