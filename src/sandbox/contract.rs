//! The paths of the contract: `/ai/search`, `/<platform>/search`, `/web/search`, `/twitter`, all `POST` with JSON.
//! Strict: an unknown field or a wrong tool name is a 422, since a request that passes here must be exactly what the
//! contract says. For `/twitter` the contract gives only the method; its fields and its reply are those of the `GET` in
//! `deployed`.

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

use super::answer::summary;
use super::corpus::{Corpus, CorpusQuery, Hour, prompt_subject};
use super::params::{Params, validation_error};
use super::random::seed_of;
use super::reply::{Bill, billed};
use super::shape::{Endpoint, is_identifiable, pages, posts as entries};
use super::{deployed, stream};

/// The maximum number of posts in one reply.
const MAX_POSTS: usize = 25;
/// The number of pages when `results_limit` is left out.
const DEFAULT_PAGES: i64 = 5;
/// The number of posts, and of pages, on which an AI answer is based.
const AI_ENTRIES: usize = 10;

/// `POST /<platform>/search`.
pub(crate) fn social(corpus: &Corpus, hour: Hour, platform: &str, mut params: Params) -> Response {
    params.refuse_unknown(&["query", "date_filter", "tools"]);
    let query = params.required_text("query");
    let window = params.one_of("date_filter", &["PAST_24_HOURS", "PAST_7_DAYS"]);
    let tools = params.texts("tools");
    let tool = format!("{platform} Search");
    if !tools.is_empty() && tools != [tool.as_str()] {
        params.add_error("enum", "tools", &format!("Input should be exactly [\"{tool}\"]"));
    }
    if !params.mistakes.is_empty() {
        return validation_error(params);
    }
    let hours_back = if window.as_deref() == Some("PAST_7_DAYS") { 7 * 24 } else { 24 };
    let found = corpus.posts(&CorpusQuery { query: &query, hour, hours_back, limit: MAX_POSTS });
    let list = entries(&found, Endpoint::Contract);
    // Both names are in the contract. A query always gets the same one.
    let body = if seed_of(&query).is_multiple_of(2) { json!({"results": list}) } else { json!({"tweets": list}) };
    billed(StatusCode::OK, &body, Bill::search(found.len()))
}

/// `POST /twitter`.
pub(crate) fn basic_posts(corpus: &Corpus, hour: Hour, mut params: Params) -> Response {
    params.refuse_unknown(deployed::BASIC_FIELDS);
    deployed::basic_posts(corpus, hour, params)
}

/// `POST /web/search`.
pub(crate) fn web(corpus: &Corpus, hour: Hour, mut params: Params) -> Response {
    params.refuse_unknown(&["query", "results_limit"]);
    let query = params.required_text("query");
    let limit = params.integer("results_limit", 1..=100).unwrap_or(DEFAULT_PAGES);
    if !params.mistakes.is_empty() {
        return validation_error(params);
    }
    let limit = usize::try_from(limit).unwrap_or(1);
    let found = corpus.pages(&CorpusQuery { query: &query, hour, hours_back: 24, limit });
    billed(StatusCode::OK, &json!({"results": pages(&found, Endpoint::Contract, hour)}), Bill::web())
}

/// `POST /ai/search`.
pub(crate) fn ai(corpus: &Corpus, hour: Hour, mut params: Params) -> Response {
    params.refuse_unknown(&["model", "prompt", "response_order", "streaming"]);
    let prompt = params.required_text("prompt");
    let model = params.text("model").unwrap_or_else(|| "NOVA".to_owned());
    params.one_of("response_order", &["SUMMARY_FIRST", "LINKS_FIRST"]);
    // The contract gives no default; deployed services stream by default.
    let streaming = params.boolean("streaming").unwrap_or(true);
    if !params.mistakes.is_empty() {
        return validation_error(params);
    }
    // Use the posts and pages that a search for the prompt's subject finds, so that they support the citations.
    let about = prompt_subject(&prompt);
    let corpus_query = CorpusQuery { query: about, hour, hours_back: 24, limit: AI_ENTRIES };
    let mut posts = corpus.posts(&CorpusQuery { limit: MAX_POSTS, ..corpus_query.clone() });
    posts.retain(is_identifiable);
    posts.truncate(AI_ENTRIES);
    let text = summary(about, &posts, &corpus.pages(&corpus_query));
    let seed = seed_of(&prompt);
    if streaming {
        let answer = stream::Answer { text, tweets: None, pages: None, others: Vec::new() };
        return stream::reply(&answer, seed.is_multiple_of(2), Bill::ai());
    }
    let body =
        if seed.is_multiple_of(2) { json!({"summary": text}) } else { json!({"response": text, "source": model}) };
    billed(StatusCode::OK, &body, Bill::ai())
}
