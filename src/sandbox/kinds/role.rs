//! Returns which kind of provider a path belongs to, and checks the keys of its callers.

use axum::http::{HeaderMap, StatusCode, header};
use serde_json::{Value, json};

use crate::sandbox::fault::Role;

/// The path prefixes and their roles.
const PREFIXES: &[(&str, Role)] = &[
    ("hackernews", Role::Hackernews),
    ("searxng", Role::Searxng),
    ("feeds", Role::Feeds),
    ("bluesky", Role::Bluesky),
    ("openai", Role::Openai),
];

/// Returns the role of a path below one of the prefixes. `/NAME/search` remains a platform of the contract, except for
/// SearXNG, which has this path itself.
pub(in crate::sandbox) fn of_path(path: &str) -> Option<Role> {
    let mut segments = path.trim_matches('/').split('/');
    let first = segments.next()?;
    let (_, role) = PREFIXES.iter().find(|(prefix, _)| *prefix == first)?;
    let platform = segments.next() == Some("search") && segments.next().is_none() && *role != Role::Searxng;
    (!platform).then_some(*role)
}

/// Whether a role is one of these kinds.
pub(in crate::sandbox) fn is_kind(role: Option<Role>) -> bool {
    PREFIXES.iter().any(|(_, kind)| Some(*kind) == role)
}

/// Returns the token of `Authorization: Bearer TOKEN`.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.trim().split_once(' ')?;
    Some(token.trim()).filter(|token| scheme.eq_ignore_ascii_case("bearer") && !token.is_empty())
}

/// Checks the key for a model: any bearer token passes unless one is set.
pub(super) fn model_key(headers: &HeaderMap, key: Option<&str>) -> Result<(), (StatusCode, Value)> {
    let refused = |message: &str, code: Value| {
        let error = json!({"message": message, "type": "invalid_request_error", "param": null, "code": code});
        Err((StatusCode::UNAUTHORIZED, json!({ "error": error })))
    };
    match (bearer(headers), key) {
        (None, _) => refused("You didn't provide an API key (Authorization: Bearer KEY)", Value::Null),
        (Some(sent_key), Some(key)) if sent_key != key => {
            refused("Incorrect API key provided", json!("invalid_api_key"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn a_path_prefix_gives_the_role_except_for_platform_searches() {
        for (path, role) in [
            ("/hackernews/api/v1/search_by_date", Some(Role::Hackernews)),
            ("/searxng/search", Some(Role::Searxng)),
            ("/searxng/config", Some(Role::Searxng)),
            ("/feeds/coffee.rss", Some(Role::Feeds)),
            ("/bluesky/xrpc/app.bsky.feed.searchPosts", Some(Role::Bluesky)),
            ("/openai/v1/models", Some(Role::Openai)),
            ("/hackernews/search", None),
            ("/bluesky/search", None),
            ("/X/search", None),
            ("/", None),
        ] {
            assert_eq!(of_path(path), role, "{path}");
        }
        assert!(is_kind(Some(Role::Feeds)) && !is_kind(Some(Role::Social)) && !is_kind(None));
    }

    #[test]
    fn a_model_wants_a_bearer_token() {
        for (authorization, key, passes) in [
            (None, None, false),
            (Some("k"), None, false),
            (Some("Bearer "), None, false),
            (Some("bearer k"), None, true),
            (Some("Bearer k"), Some("k"), true),
            (Some("Bearer x"), Some("k"), false),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(authorization) = authorization {
                headers.insert(header::AUTHORIZATION, authorization.parse().unwrap());
            }
            assert_eq!(model_key(&headers, key).is_ok(), passes, "{authorization:?} {key:?}");
        }
    }
}
