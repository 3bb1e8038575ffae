//! `/bluesky/xrpc/…`: sessions and the search of posts. As in the real service, the last page of a search still carries
//! a cursor, and the page after it is empty and carries none.

use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde_json::{Map, Value, json};

use super::query_params::QueryParams;
use super::role::bearer;
use super::session::{Scope, TokenError, handle_of, token};
use super::texts::{cut, date, handle, key, post_text, posts, random_name};
use crate::model::Time;
use crate::sandbox::corpus::{Corpus, Hour, Post};
use crate::sandbox::reply;

const BASE32: &[u8] = b"abcdefghijklmnopqrstuvwxyz234567";
/// The letters of record keys, in sort order.
const SORTABLE: &[u8] = b"234567abcdefghijklmnopqrstuvwxyz";
/// The maximum length of a post's text, in characters.
const TEXT_CHARS: usize = 300;
const DEFAULT_POSTS: usize = 25;
const MOST_POSTS: usize = 100;
/// With milliseconds, as clients of the service write dates.
const ISO_MILLIS: &str = "%Y-%m-%dT%H:%M:%S.%3fZ";

/// Returns an error in the service's format.
pub(super) fn error(status: StatusCode, name: &str, message: &str) -> Response {
    reply::json(status, &json!({"error": name, "message": message}))
}

fn invalid(message: &str) -> Response {
    error(StatusCode::BAD_REQUEST, "InvalidRequest", message)
}

/// `POST com.atproto.server.createSession`. Accepts any password unless a key is set, which then is the password.
pub(super) fn create_session(body: &[u8], key: Option<&str>, now: Time) -> Response {
    let body: Value = match serde_json::from_slice(body) {
        Ok(body) => body,
        Err(_) => return invalid("Unable to parse the request body"),
    };
    let (Some(identifier), Some(password)) = (body["identifier"].as_str(), body["password"].as_str()) else {
        return invalid("Input must have the properties \"identifier\" and \"password\"");
    };
    if identifier.trim().is_empty() || password.is_empty() || key.is_some_and(|key| key != password) {
        return error(StatusCode::UNAUTHORIZED, "AuthenticationRequired", "Invalid identifier or password");
    }
    session(&account(identifier), now)
}

/// `POST com.atproto.server.refreshSession`.
pub(super) fn refresh_session(headers: &HeaderMap, now: Time) -> Response {
    match authenticate(headers, Scope::Refresh, now) {
        Ok(handle) => session(&handle, now),
        Err(refusal) => *refusal,
    }
}

fn session(handle: &str, now: Time) -> Response {
    let did = did(handle);
    let body = json!({
        "accessJwt": token(Scope::Access, &did, handle, now),
        "refreshJwt": token(Scope::Refresh, &did, handle, now),
        "handle": handle,
        "did": did,
        "active": true,
    });
    reply::json(StatusCode::OK, &body)
}

/// Returns the handle of the caller, or the refusal.
fn authenticate(headers: &HeaderMap, scope: Scope, now: Time) -> Result<String, Box<Response>> {
    let refused = |status, name, message| Err(Box::new(error(status, name, message)));
    let Some(token) = bearer(headers) else {
        return refused(StatusCode::UNAUTHORIZED, "AuthMissing", "Authentication Required");
    };
    handle_of(token, scope, now).or_else(|why| match why {
        TokenError::Expired => refused(StatusCode::BAD_REQUEST, "ExpiredToken", "Token has expired"),
        TokenError::Invalid => refused(StatusCode::BAD_REQUEST, "InvalidToken", "Token could not be verified"),
    })
}

/// `GET app.bsky.feed.searchPosts`.
pub(super) fn search_posts(corpus: &Corpus, now: Time, headers: &HeaderMap, encoded: &str) -> Response {
    if let Err(refusal) = authenticate(headers, Scope::Access, now) {
        return *refusal;
    }
    let params = QueryParams::read(encoded.as_bytes());
    let Some(query) = params.get("q") else { return invalid("Params must have the property \"q\"") };
    let Ok(limit) = params.number("limit", 1..=MOST_POSTS, DEFAULT_POSTS) else {
        return invalid("limit must be a whole number from 1 to 100");
    };
    let Ok(first) = params.number("cursor", 0..=usize::MAX, 0) else { return invalid("Malformed cursor") };
    let (since, until) = match (instant(params.get("since")), instant(params.get("until"))) {
        (Ok(since), Ok(until)) => (since, until),
        _ => return invalid("since and until must be a datetime or a date"),
    };
    let mut found = posts(corpus, query, Hour::of(now), since, until);
    let tags: Vec<String> = params.all("tag").map(|tag| format!("#{}", tag.to_lowercase())).collect();
    let author = params.get("author").map(|author| author.trim_start_matches('@'));
    let language = |lang: &str| lang.split('-').next().unwrap_or_default().to_lowercase();
    found.retain(|post| {
        let name = account(handle(post));
        author.is_none_or(|author| author == name || author == did(&name))
            && params
                .get("lang")
                .is_none_or(|lang| post.lang.as_deref().is_some_and(|of| language(of) == language(lang)))
            && tags.iter().all(|tag| post.text.to_lowercase().split_whitespace().any(|word| word == tag))
    });
    if params.get("sort") == Some("top") {
        found.sort_by_key(|post| std::cmp::Reverse(post.counts.map(|counts| counts.likes)));
    }
    let list: Vec<Value> = found.iter().skip(first).take(limit).map(view).collect();
    let mut body = Map::new();
    if !list.is_empty() {
        body.insert("cursor".into(), json!(first.saturating_add(list.len()).to_string()));
    }
    body.insert("hitsTotal".into(), json!(found.len()));
    body.insert("posts".into(), Value::Array(list));
    reply::json(StatusCode::OK, &Value::Object(body))
}

/// Parses a datetime or a day to milliseconds.
fn instant(text: Option<&str>) -> Result<Option<i64>, ()> {
    let Some(text) = text else { return Ok(None) };
    let day = || text.parse::<jiff::civil::Date>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
    let at = Time::parse(text).map(|at| at.0).or_else(|| day().map(|at| at.timestamp().as_millisecond()));
    at.map(Some).ok_or(())
}

/// Turns a handle into a host name, as the service requires.
fn account(handle: &str) -> String {
    let handle = handle.trim().trim_start_matches('@').to_lowercase();
    if handle.contains('.') {
        return handle.replace('@', ".").chars().filter(|c| !c.is_whitespace()).collect();
    }
    let name: String = handle.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("{}.example", name.trim_matches('-'))
}

fn did(handle: &str) -> String {
    format!("did:plc:{}", random_name(&[b"did", handle.as_bytes()], BASE32, 24))
}

/// Returns a post as the search shows it.
fn view(post: &Post) -> Value {
    let id = key(post).as_bytes();
    let name = account(handle(post));
    let did = did(&name);
    let mut record = json!({
        "$type": "app.bsky.feed.post",
        "text": cut(post_text(post), TEXT_CHARS),
        "createdAt": date(post.published, ISO_MILLIS),
    });
    if let (Some(lang), Some(record)) = (&post.lang, record.as_object_mut()) {
        record.insert("langs".into(), json!([lang]));
    }
    let counts = post.counts.unwrap_or_default();
    json!({
        "uri": format!("at://{did}/app.bsky.feed.post/3{}", random_name(&[b"rkey", id], SORTABLE, 12)),
        "cid": format!("bafyrei{}", random_name(&[b"cid", id], BASE32, 52)),
        "author": {
            "did": did,
            "handle": name,
            "displayName": post.author.as_ref().map(|author| author.name.as_str()).unwrap_or_default(),
            "labels": [],
        },
        "record": record,
        "likeCount": counts.likes,
        "repostCount": counts.reposts,
        "replyCount": counts.replies,
        "quoteCount": counts.reposts / 3,
        "indexedAt": date(post.published.saturating_add(2_000), ISO_MILLIS),
        "labels": [],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_host_names() {
        assert_eq!(account("sandbox_elm"), "sandbox-elm.example");
        assert_eq!(account("@Me.bsky.social "), "me.bsky.social");
        assert_eq!(did("a.example").len(), "did:plc:".len() + 24);
    }

    #[test]
    fn an_instant_or_a_day_is_read() {
        assert_eq!(instant(Some("1970-01-02")), Ok(Some(86_400_000)));
        assert_eq!(instant(Some("1970-01-01T00:00:01Z")), Ok(Some(1_000)));
        assert_eq!((instant(None), instant(Some("soon"))), (Ok(None), Err(())));
    }
}
