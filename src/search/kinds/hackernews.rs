//! Hacker News through Algolia's search (<https://hn.algolia.com/api>): stories and comments by date, newest first. A
//! query returns at most 1,000 hits, so more are read in slices of time; `nbHits` is the total number.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::Value;

use super::kind::{Kind, ProviderRequest, ReadResult, SearchCall, SpanCoverage, failed, get, malformed};
use super::{date, markup};
use crate::model::{Engagement, HACKER_NEWS_PAGE, Kind as Shape, ReplyEntry, Time};
use crate::search::decode::{DecodeError, json_value};
use crate::search::{Reply, Request, Unsupported};

/// The address of a hit's page, without the id.
const ITEM: &str = "https://news.ycombinator.com/item?id=";

/// The maximum length of a kept text, in characters.
const LONGEST: usize = 100_000;

pub(super) struct HackerNews;

/// One page of hits.
struct Page {
    hits: Vec<Value>,
    /// The number of all hits of the query.
    total: u64,
}

impl Kind for HackerNews {
    fn name(&self) -> &'static str {
        "hackernews"
    }

    fn next(&self, request: &ProviderRequest<'_>, parts: &[SearchCall]) -> Result<Vec<Request>, Unsupported> {
        let until = match parts.last() {
            None => None,
            Some(last) => match next_until(request, last, parts.len()) {
                Some(until) => Some(until),
                None => return Ok(Vec::new()),
            },
        };
        Ok(vec![slice(request, until)])
    }

    fn read(&self, request: &ProviderRequest<'_>, parts: &[SearchCall]) -> Result<ReadResult, DecodeError> {
        let (mut items, mut seen, mut unreadable) = (Vec::new(), HashSet::new(), HashSet::new());
        let (mut total, mut oldest, mut failure) = (0, None, None);
        for (place, part) in parts.iter().enumerate() {
            let page = match &part.reply {
                Ok(reply) => page(&reply.body),
                Err(error) if place == 0 => return Err(failed(error)),
                Err(error) => Err(failed(error)),
            };
            let page = match page {
                Ok(page) => page,
                Err(error) if place == 0 => return Err(error),
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            };
            total = total.max(page.total);
            for hit in &page.hits {
                match read_entry(hit, request.now) {
                    Some(found) if found.id.as_ref().is_none_or(|id| !seen.insert(id.clone())) => {}
                    Some(found) => {
                        oldest = oldest.into_iter().chain(found.published_at).min();
                        items.push(found);
                    }
                    // Slices overlap by a second, so a hit may come twice.
                    None => drop(unreadable.insert(id(hit).unwrap_or_else(|| hit.to_string()))),
                }
            }
        }
        for (rank, item) in (1..).zip(&mut items) {
            item.rank = rank;
        }
        let unreadable = u32::try_from(unreadable.len()).unwrap_or(u32::MAX);
        let is_complete = failure.is_none() && items.len() as u64 + u64::from(unreadable) >= total;
        let coverage = match (is_complete, oldest) {
            (true, _) => SpanCoverage::Whole,
            // Other hits of its second may be missing.
            (false, Some(oldest)) => SpanCoverage::Since(oldest.plus(Duration::from_secs(1))),
            (false, None) => SpanCoverage::Nothing,
        };
        let hint = failure.as_ref().map(|error| error.hint.clone());
        let failure = failure.map(|error| (error.class, error.text));
        let full = !is_complete && failure.is_none();
        let reply = Reply { items, unreadable, failure, ..Reply::default() };
        Ok(ReadResult { reply, coverage, full, memory: Vec::new(), tokens: 0, note: None, hint })
    }
}

fn per_page(request: &ProviderRequest<'_>) -> u32 {
    request.query.count("limit").unwrap_or(HACKER_NEWS_PAGE).clamp(1, HACKER_NEWS_PAGE)
}

/// Requests the hits since the start of the span; with `until`, none after that second.
fn slice(request: &ProviderRequest<'_>, until: Option<i64>) -> Request {
    let from = request.span.from.0.div_euclid(1_000);
    let ends = until.or((request.span.until < request.now).then(|| request.span.until.0.div_euclid(1_000)));
    let upper = ends.map_or_else(String::new, |until| format!(",created_at_i<={until}"));
    let parameters = [
        ("query", request.query.text("query").unwrap_or_default().to_owned()),
        ("tags", request.query.text("tags").unwrap_or("(story,comment)").to_owned()),
        ("numericFilters", format!("created_at_i>={from}{upper}")),
        ("hitsPerPage", per_page(request).to_string()),
        ("page", "0".to_owned()),
        // A name that differs by one letter may be that of a competitor.
        ("typoTolerance", "false".to_owned()),
        ("advancedSyntax", "true".to_owned()),
    ];
    let parameters = parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    get(request.query, "/api/v1/search_by_date", parameters)
}

/// Returns the second at which the next slice ends, if there are older hits and they are wanted.
fn next_until(request: &ProviderRequest<'_>, last: &SearchCall, calls: usize) -> Option<i64> {
    let page = page(&last.reply.as_ref().ok()?.body).ok()?;
    let full = page.hits.len() >= per_page(request) as usize;
    // Limited by calls, not by hits, because slices share hits: `plan` names this as the maximum number of calls.
    if !full || calls as u64 >= u64::try_from(request.query.calls()).unwrap_or(1) {
        return None;
    }
    let seconds = || page.hits.iter().filter_map(|hit| hit.get("created_at_i").and_then(Value::as_i64));
    let (oldest, newest) = seconds().min().zip(seconds().max())?;
    // A page whose hits all lie within one second would be returned forever.
    (oldest < newest).then_some(oldest)
}

fn page(body: &[u8]) -> Result<Page, DecodeError> {
    const HINT: &str = "is base_url the address of an Algolia search of Hacker News (https://hn.algolia.com)?";
    let Some(mut all) = json_value(body) else {
        return Err(malformed("the reply is not JSON", HINT));
    };
    let total = all.get("nbHits").and_then(Value::as_u64);
    match (all.get_mut("hits").map(Value::take), total) {
        (Some(Value::Array(hits)), Some(total)) => Ok(Page { hits, total }),
        _ => Err(malformed("the reply contains no `hits` and `nbHits`", HINT)),
    }
}

fn id(hit: &Value) -> Option<String> {
    match hit.get("objectID")? {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

fn read_entry(hit: &Value, now: Time) -> Option<ReplyEntry> {
    let text = |name: &str| hit.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let number = |name: &str| hit.get(name).and_then(Value::as_i64);
    let id = id(hit)?;
    let comment = text("comment_text").map(|html| markup::text(&with_whole_links(html)));
    let body = match &comment {
        Some(comment) => comment.clone(),
        // A story's text is its title, its link and what it says.
        None => {
            let story_text = text("story_text").map(|html| markup::text(&with_whole_links(html)));
            let lines = [text("title").map(markup::decode_entities), text("url").map(str::to_owned), story_text];
            lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
        }
    };
    if body.is_empty() {
        return None;
    }
    let seconds = number("created_at_i").and_then(|seconds| date::plausible(Time(seconds.checked_mul(1_000)?), now));
    let thread = hit.get("story_id").and_then(Value::as_i64).map(|story| story.to_string());
    Some(ReplyEntry {
        kind: Some(Shape::Post),
        url: Some(format!("{ITEM}{id}")),
        author: text("author").map(str::to_owned),
        text: Some(body.chars().take(LONGEST).collect()),
        published_at: seconds.or_else(|| text("created_at").and_then(|date| date::read(date, now))),
        engagement: Engagement { likes: number("points"), replies: number("num_comments"), ..Engagement::default() },
        conversation_id: thread.filter(|_| comment.is_some()).or_else(|| Some(id.clone())),
        id: Some(id),
        ..ReplyEntry::default()
    })
}

/// Writes out the links that the site shortens to `https://a.example/what...`: the shortened text would be another
/// address.
fn with_whole_links(html: &str) -> String {
    const LINK: &str = "<a href=\"";
    let (mut whole, mut rest) = (String::with_capacity(html.len()), html);
    while let Some((before, link)) = rest.split_once(LINK) {
        let parts = link.split_once('"').and_then(|(address, after)| {
            let (words, after) = after.split_once('>')?.1.split_once("</a>")?;
            Some((address, words, after))
        });
        // A link without an end: the rest of the text stays as it is.
        let Some((address, words, after)) = parts else { break };
        let is_short = words.strip_suffix("...").is_some_and(|begin| address.starts_with(begin));
        whole.push_str(before);
        whole.push_str(if is_short { address } else { words });
        rest = after;
    }
    whole.push_str(rest);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortened_links_are_written_out_in_full() {
        let link = |address: &str, words: &str| format!("<a href=\"{address}\" rel=\"nofollow\">{words}</a>");
        let long = "https:&#x2F;&#x2F;a.example&#x2F;a-long-path?b=1&amp;c=2";
        for (html, text) in [
            (
                format!("see {}, and", link(long, "https:&#x2F;&#x2F;a.example&#x2F;a-lo...")),
                "see https://a.example/a-long-path?b=1&c=2, and",
            ),
            (link(long, "the page..."), "the page..."),
            (link("https://b.example/", "https://b.example/"), "https://b.example/"),
            (format!("{} <a href=\"x", link(long, "https:...")), "https://a.example/a-long-path?b=1&c=2 <a href=\"x"),
            ("1 < 2 <a href=".to_owned(), "1 < 2 <a href="),
        ] {
            assert_eq!(markup::text(&with_whole_links(&html)), text, "{html}");
        }
        assert_eq!(with_whole_links(&LINK_WITHOUT_END.repeat(100_000)).len(), LINK_WITHOUT_END.len() * 100_000);
    }

    const LINK_WITHOUT_END: &str = "<a href=\"x\" ";
}
