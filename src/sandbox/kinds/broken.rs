//! Applies fault rules to replies of these kinds where they differ from the contract's: refusals in the provider's own
//! format, and emptied or broken values in the provider's fields.

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use serde_json::{Value, json};

use crate::sandbox::damage;
use crate::sandbox::fault::{Action, Garbage, RetryAfter, Role};
use crate::sandbox::stream::chunked;

/// Lists that hold the results, and numbers that count them.
const LISTS: &[&str] = &["hits", "results", "items", "posts", "data"];
const FIGURES: &[&str] = &["nbHits", "nbPages", "hitsTotal"];

/// Returns the body of a refusal in a provider's format; `None` to use the contract's. Proxies answer alike everywhere.
pub(in crate::sandbox) fn refusal(role: Option<Role>, code: u16, retry_after: Option<RetryAfter>) -> Option<Value> {
    if matches!(code, 502..=504) || matches!(retry_after, Some(RetryAfter::Body(_))) {
        return None;
    }
    let reason = StatusCode::from_u16(code).ok().and_then(|status| status.canonical_reason()).unwrap_or("Fault");
    let message = format!("{reason} (a fault rule of the sandbox)");
    match role? {
        Role::Hackernews => Some(json!({"message": message, "status": code})),
        Role::Bluesky => {
            let name = match code {
                400 => "ExpiredToken",
                401 => "AuthMissing",
                429 => "RateLimitExceeded",
                500.. => "InternalServerError",
                _ => "InvalidRequest",
            };
            Some(json!({"error": name, "message": message}))
        }
        Role::Openai => {
            let (kind, name) = match code {
                401 => ("invalid_request_error", json!("invalid_api_key")),
                429 => ("requests", json!("rate_limit_exceeded")),
                500.. => ("server_error", Value::Null),
                _ => ("invalid_request_error", Value::Null),
            };
            Some(json!({"error": {"message": message, "type": kind, "param": null, "code": name}}))
        }
        Role::Social | Role::Web | Role::Ai | Role::Searxng | Role::Feeds => None,
    }
}

/// Applies an action to the body of a good reply, and adapts its headers.
pub(in crate::sandbox) fn damaged(action: &Action, headers: &mut HeaderMap, bytes: &Bytes) -> Body {
    match action {
        Action::Cut(keep) => damage::cut(bytes, *keep),
        Action::Truncate(keep) => damage::truncated(bytes, *keep),
        Action::Empty => chunked(without_results(bytes)),
        Action::ErrorFrame => chunked(with_error(bytes)),
        Action::Malformed(kind) => {
            let (content_type, garbage) = damage::garbage(*kind, bytes);
            if *kind == Garbage::Html {
                headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
            }
            Body::from(xml_garbage(*kind, bytes).unwrap_or(garbage))
        }
        // These were answered before there was a reply.
        Action::Status(..) | Action::Redirect(_) | Action::Reset | Action::Bomb(_) => Body::from(bytes.clone()),
    }
}

/// Returns the same reply without results.
fn without_results(body: &Bytes) -> Bytes {
    if let Ok(mut value) = serde_json::from_slice::<Value>(body) {
        for (name, value) in value.as_object_mut().into_iter().flatten() {
            match value {
                Value::Array(list) if LISTS.contains(&name.as_str()) => list.clear(),
                Value::Number(_) if FIGURES.contains(&name.as_str()) => *value = json!(0),
                _ => {}
            }
        }
        if let Some(content) = value.pointer_mut("/choices/0/message/content") {
            *content = json!("");
        }
        // Without results there is no next page.
        if let Some(object) = value.as_object_mut().filter(|object| object.contains_key("posts")) {
            object.remove("cursor");
        }
        return value.to_string().into();
    }
    let text = String::from_utf8_lossy(body);
    if text.starts_with("data: ") {
        // Frames with a piece of the text are removed, the others stay.
        let carries = |frame: &str| {
            let frame: Value = serde_json::from_str(frame.trim_start_matches("data: ")).unwrap_or_default();
            frame.pointer("/choices/0/delta/content").and_then(Value::as_str).is_some_and(|text| !text.is_empty())
        };
        return text.split_inclusive("\n\n").filter(|frame| !carries(frame)).collect::<String>().into();
    }
    for name in ["item", "entry"] {
        let end = format!("</{name}>\n");
        if let (Some(from), Some(to)) = (text.find(&format!("<{name}>")), text.rfind(&end)) {
            return [&text[..from], &text[to + end.len()..]].concat().into();
        }
    }
    body.clone()
}

/// Puts an error object into a stream after half of its frames. Any other body is replaced by it.
fn with_error(body: &Bytes) -> Bytes {
    let error = json!({"error": {"message": "the model failed (a fault rule of the sandbox)", "type": "server_error"}});
    let text = String::from_utf8_lossy(body);
    if !text.starts_with("data: ") {
        return error.to_string().into();
    }
    let frames: Vec<&str> = text.split_inclusive("\n\n").collect();
    format!("{}data: {error}\n\n", frames[..frames.len() / 2].concat()).into()
}

/// Puts garbage that breaks XML parsers into the first title. `None` for replies that are not XML, and for garbage that
/// breaks any parser.
fn xml_garbage(kind: Garbage, body: &Bytes) -> Option<Bytes> {
    let broken: &[u8] = match kind {
        Garbage::Surrogate => b"&#xD83D;",
        Garbage::Nul => b"\0",
        Garbage::Utf8 => b"\xff\xc3",
        Garbage::Html | Garbage::Json | Garbage::Blank | Garbage::Deep => return None,
    };
    let start = b"<title>";
    let at = body.starts_with(b"<?xml").then(|| body.windows(start.len()).position(|part| part == start))??;
    let at = at + start.len();
    Some([&body[..at], broken, &body[at..]].concat().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emptied_reply_is_valid_without_results() {
        for (body, left) in [
            (r#"{"hits":[1],"nbHits":5,"query":"q"}"#, r#"{"hits":[],"nbHits":0,"query":"q"}"#),
            (r#"{"cursor":"25","posts":[1]}"#, r#"{"posts":[]}"#),
            (r#"{"accessJwt":"x"}"#, r#"{"accessJwt":"x"}"#),
            (r#"{"choices":[{"message":{"content":"x"}}]}"#, r#"{"choices":[{"message":{"content":""}}]}"#),
            ("<?xml?><a><item>\n</item>\n<item></item>\n</a>", "<?xml?><a></a>"),
            ("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: [DONE]\n\n", "data: [DONE]\n\n"),
        ] {
            assert_eq!(without_results(&Bytes::from(body)), left, "{body}");
        }
    }

    #[test]
    fn broken_feeds_are_broken_xml() {
        let body = Bytes::from("<?xml?><title>a</title>");
        assert_eq!(xml_garbage(Garbage::Nul, &body).as_deref(), Some(&b"<?xml?><title>\0a</title>"[..]));
        assert_eq!(xml_garbage(Garbage::Html, &body), None);
        assert_eq!(xml_garbage(Garbage::Nul, &Bytes::from("{\"a\":\"<title>\"}")), None);
    }

    #[test]
    fn refusals_have_the_providers_format() {
        let name = |role, code| refusal(Some(role), code, None).map(|body| body["error"].clone());
        assert_eq!(name(Role::Bluesky, 400), Some(json!("ExpiredToken")));
        assert_eq!(name(Role::Openai, 429).map(|error| error["code"].clone()), Some(json!("rate_limit_exceeded")));
        assert_eq!((name(Role::Openai, 503), name(Role::Social, 429)), (None, None));
    }
}
