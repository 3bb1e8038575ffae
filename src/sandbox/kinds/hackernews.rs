//! `/hackernews/api/v1/search_by_date`, Hacker News as served by Algolia: newest first, with exact filters, and never
//! more than a thousand hits per query, however many there are.

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value, json};

use super::query_params::QueryParams;
use super::tags::{Figures, NumericFilters, matches_tags};
use super::texts::{ISO, cut, date, handle, key, post_text, posts, title};
use crate::sandbox::corpus::{Corpus, Hour, Post};
use crate::sandbox::random::{SeededRng, seed_of};
use crate::sandbox::reply;

/// Hits per page when `hitsPerPage` is left out, and the maximum.
const DEFAULT_HITS: usize = 20;
const MOST_HITS: usize = 1_000;
/// The number of hits of one query that can be fetched.
const REACHABLE: usize = 1_000;
/// The maximum length of the query's part in a title, in characters.
const SHOWN_CHARS: usize = 60;
/// Algolia's message for a page beyond the last that can be fetched.
const BEYOND: &str = "you can only fetch the 1000 hits for this query. You can extend the number of hits returned via the \
                      paginationLimitedTo index parameter or use the browse method.";

/// A story or a comment made from a post.
struct Item {
    figures: Figures,
    tags: Vec<String>,
    hit: Map<String, Value>,
}

/// `GET search_by_date`.
pub(super) fn search_by_date(corpus: &Corpus, hour: Hour, encoded: &str) -> Response {
    let params = QueryParams::read(encoded.as_bytes());
    let query = params.get("query").unwrap_or_default();
    let numeric = match NumericFilters::read(&params.all("numericFilters").collect::<Vec<_>>().join(",")) {
        Ok(numeric) => numeric,
        Err(part) => return refused(&format!("Invalid syntax for numeric condition: {part}")),
    };
    let Ok(per_page) = params.number("hitsPerPage", 0..=MOST_HITS, DEFAULT_HITS) else {
        return refused("invalid value for hitsPerPage, expected an integer between 0 and 1000");
    };
    let Ok(page) = params.number("page", 0..=usize::MAX, 0) else {
        return refused("invalid value for page, expected a positive integer");
    };
    let tags = params.get("tags").unwrap_or_default();
    let since = numeric.since().map(|second| second.saturating_mul(1_000));
    let found: Vec<Item> = posts(corpus, query, hour, since, None)
        .iter()
        .map(|post| item(query, post))
        .filter(|item| numeric.matches(&item.figures) && matches_tags(tags, &item.tags))
        .collect();
    let first = page.saturating_mul(per_page);
    // A page beyond the limit gets an answer without hits, and a message.
    let beyond = first >= REACHABLE;
    let total = if beyond { 0 } else { found.len() };
    let pages = total.min(REACHABLE).checked_div(per_page).unwrap_or(0);
    let rest = total.min(REACHABLE).checked_rem(per_page).unwrap_or(0);
    let hits: Vec<Value> = found
        .into_iter()
        .take(if beyond { 0 } else { REACHABLE })
        .skip(first)
        .take(per_page)
        .map(|item| Value::Object(item.hit))
        .collect();
    let mut body = json!({
        "hits": hits,
        "nbHits": total,
        "page": page,
        "nbPages": pages + usize::from(rest > 0),
        "hitsPerPage": per_page,
        "exhaustive": {"nbHits": true, "typo": true},
        "exhaustiveNbHits": true,
        "exhaustiveTypo": true,
        "query": query,
        "params": encoded,
        "processingTimeMS": 1,
        "serverTimeMS": 1,
    });
    if let (true, Some(body)) = (beyond, body.as_object_mut()) {
        body.insert("message".into(), json!(BEYOND));
    }
    reply::json(StatusCode::OK, &body)
}

fn refused(message: &str) -> Response {
    reply::json(StatusCode::BAD_REQUEST, &json!({"message": message, "status": 400}))
}

/// Returns an id that a JSON number holds exactly.
fn number(parts: &[&[u8]]) -> u64 {
    SeededRng::new(parts).next() >> 17
}

/// Turns a post into a story or, twice as often, into a comment on one.
fn item(query: &str, post: &Post) -> Item {
    let id = number(&[b"hn", key(post).as_bytes()]);
    let mut rng = SeededRng::new(&[b"hn item", key(post).as_bytes()]);
    let (author, text) = (handle(post), post_text(post));
    let created_at_i = post.published.div_euclid(1_000);
    let created = date(post.published, ISO);
    let mut hit = Map::new();
    for (name, value) in [
        ("objectID", json!(id.to_string())),
        ("author", json!(author)),
        ("created_at", json!(created)),
        ("created_at_i", json!(created_at_i)),
        ("updated_at", json!(created)),
    ] {
        hit.insert(name.into(), value);
    }
    let counts = post.counts.unwrap_or_default();
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let (kind, story, points, comments) = if rng.one_in(3) {
        let asks = rng.one_in(4);
        let line = title(text);
        hit.insert("title".into(), json!(if asks { cut(&format!("Ask HN: {line}"), 80) } else { line }));
        match asks {
            true => hit.insert("story_text".into(), json!(html(text))),
            false => hit.insert("url".into(), json!(format!("https://stories.example/{id}"))),
        };
        hit.insert("story_id".into(), json!(id));
        hit.insert("points".into(), json!(count(counts.likes)));
        hit.insert("num_comments".into(), json!(count(counts.replies)));
        ("story", id, Some(count(counts.likes)), Some(count(counts.replies)))
    } else {
        // The comments of one day on a query share a thread.
        let day = post.published.div_euclid(86_400_000);
        let story = number(&[b"hn thread", &seed_of(query).to_le_bytes(), &day.to_le_bytes()]);
        let parent = if rng.one_in(2) { story } else { number(&[b"hn parent", key(post).as_bytes()]) };
        let subject = query.split_whitespace().collect::<Vec<_>>().join(" ");
        hit.insert("comment_text".into(), json!(html(text)));
        hit.insert("story_title".into(), json!(format!("{}: what happened", cut(&subject, SHOWN_CHARS))));
        hit.insert("story_url".into(), json!(format!("https://stories.example/{story}")));
        hit.insert("story_id".into(), json!(story));
        hit.insert("parent_id".into(), json!(parent));
        ("comment", story, None, None)
    };
    let tags = vec![kind.to_owned(), format!("author_{author}"), format!("story_{story}")];
    hit.insert("_tags".into(), json!(tags));
    Item { figures: Figures { created_at_i, points, num_comments: comments }, tags, hit }
}

/// Formats a text as Hacker News does: HTML with its own choice of entities, links as anchors.
fn html(text: &str) -> String {
    let escape = |text: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        text.replace('"', "&quot;").replace('\'', "&#x27;").replace('/', "&#x2F;")
    };
    let words: Vec<String> = text
        .split(' ')
        .map(|word| match word.starts_with("https://") {
            true => format!("<a href=\"{0}\" rel=\"nofollow\">{0}</a>", escape(word)),
            false => escape(word).replace("\n", "<p>"),
        })
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_post_is_a_story_or_a_comment_with_an_id_of_its_own() {
        let found = posts(&Corpus::Invented, "coffee", Hour(492_560), None, None);
        let items: Vec<Item> = found.iter().map(|post| item("coffee", post)).collect();
        let ids: std::collections::BTreeSet<u64> =
            items.iter().filter_map(|item| item.hit["objectID"].as_str()?.parse().ok()).collect();
        assert_eq!(ids.len(), items.len());
        let stories = items.iter().filter(|item| item.tags[0] == "story").count();
        assert!((items.len() / 4..items.len() / 2).contains(&stories), "{stories} of {}", items.len());
        assert!(ids.iter().all(|id| *id < 1 << 53));
    }

    #[test]
    fn texts_are_html_with_entities() {
        let text = html("it's <b> & https://a.example/x \"q\"\nnext");
        assert!(text.starts_with("it&#x27;s &lt;b&gt; &amp; <a href=\"https:&#x2F;&#x2F;a.example&#x2F;x\""), "{text}");
        assert!(text.ends_with("&quot;q&quot;<p>next"), "{text}");
    }
}
