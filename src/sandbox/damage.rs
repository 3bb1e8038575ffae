//! Applies a fault to a reply: takes a good reply or none and returns a bad one. `fault` and `layers` decide when.

use std::io::Write;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};

use super::fault::{Garbage, RetryAfter};
use super::reply::{bytes, json as reply_json};
use super::stream::chunked;
use crate::model::Time;

/// The depth of nesting in the deep reply.
const DEPTH: usize = 100_000;

/// Returns a refusal. Its `detail` has the form that deployments use for this status.
pub(crate) fn status(code: u16, retry_after: Option<RetryAfter>, now: Time) -> Response {
    let status = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let reason = status.canonical_reason().unwrap_or("Fault");
    let mut body = match code {
        401 | 403 | 500 => json!({"detail": {"error": reason, "code": code}}),
        422 => json!({"detail": [{"type": "fault", "loc": ["body"], "msg": "refused by a fault rule of the sandbox"}]}),
        504 => json!({"error": reason}),
        _ => json!({"detail": format!("{reason} (a fault rule of the sandbox)")}),
    };
    if let (Some(RetryAfter::Body(seconds)), Some(body)) = (retry_after, body.as_object_mut()) {
        body.insert("retry_after".into(), json!(format!("{seconds} seconds")));
    }
    let mut response = match code {
        // Proxies in front of the service answer with HTML pages.
        502 | 503 => bytes(status, "text/html", format!("<html><body><h1>{code} {reason}</h1></body></html>")),
        _ => reply_json(status, &body),
    };
    if matches!(retry_after, Some(RetryAfter::Body(_))) && matches!(code, 502 | 503) {
        response = reply_json(status, &body);
    }
    let header = match retry_after {
        Some(RetryAfter::Header(seconds)) => Some(seconds.to_string()),
        Some(RetryAfter::Date(seconds)) => now
            .plus(std::time::Duration::from_secs(seconds.into()))
            .to_jiff()
            .map(|at| at.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()),
        _ => None,
    };
    if let Some(value) = header.and_then(|value| HeaderValue::from_str(&value).ok()) {
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
    response
}

/// Returns a 302 to an address.
pub(crate) fn redirect(to: &str) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::FOUND;
    if let Ok(to) = HeaderValue::from_str(to) {
        response.headers_mut().insert(header::LOCATION, to);
    }
    response
}

/// Returns a small body that unpacks to `size` bytes of JSON. Slow for large sizes: call it where blocking is allowed.
pub(crate) fn bomb(size: u64) -> std::io::Result<Bytes> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"{\"results\":[{\"text\":\"")?;
    let filling = [b'a'; 16_384];
    let mut left = usize::try_from(size).unwrap_or(usize::MAX);
    while left > 0 {
        let step = left.min(filling.len());
        encoder.write_all(&filling[..step])?;
        left -= step;
    }
    encoder.write_all(b"\"}]}")?;
    encoder.finish().map(Bytes::from)
}

/// Returns the reply with a bomb as its body.
pub(crate) fn bomb_response(compressed: Bytes) -> Response {
    let mut response = bytes(StatusCode::OK, "application/json", compressed);
    response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    response
}

/// Sends the first bytes, then breaks the connection: the body ends in an error, so no end is ever sent.
pub(crate) fn cut(body: &Bytes, keep: u64) -> Body {
    let keep = usize::try_from(keep).unwrap_or(usize::MAX).min(body.len());
    let chunks = [Ok(body.slice(..keep)), Err(std::io::Error::other("cut by a fault rule"))];
    // Yielding between the two lets the server send what is kept before it sees the error. If nothing is kept, nothing
    // is sent, not even a status line.
    let stream = futures_util::StreamExt::then(futures_util::stream::iter(chunks), move |chunk| async move {
        if keep > 0 && chunk.is_err() {
            tokio::task::yield_now().await;
        }
        chunk
    });
    Body::from_stream(stream)
}

/// Sends the first bytes as if they were the whole body.
pub(crate) fn truncated(body: &Bytes, keep: u64) -> Body {
    let keep = usize::try_from(keep).unwrap_or(usize::MAX).min(body.len());
    chunked(body.slice(..keep))
}

/// Returns the same shape with nothing in it. Of a stream, only an empty completion is left.
pub(crate) fn empty_reply(body: &Bytes) -> Bytes {
    fn empty(value: &mut Value) {
        match value {
            Value::Array(list) => list.clear(),
            Value::String(text) => text.clear(),
            Value::Object(object) => object.values_mut().for_each(empty),
            _ => {}
        }
    }
    match serde_json::from_slice::<Value>(body) {
        Ok(mut value) => {
            empty(&mut value);
            value.to_string().into()
        }
        Err(_) => Bytes::from_static(b"data: {\"type\":\"completion\",\"content\":\"\"}\n\n"),
    }
}

/// Puts an error into a stream after half of its frames. Any other body is replaced by an error object.
pub(crate) fn with_error(body: &Bytes) -> Bytes {
    let error = json!({"error": "the model failed (a fault rule of the sandbox)"}).to_string();
    let text = String::from_utf8_lossy(body);
    if !text.starts_with("data: ") {
        return error.into();
    }
    let frames: Vec<&str> = text.split_inclusive("\n\n").collect();
    let mut kept = frames[..frames.len() / 2].concat();
    kept.push_str(&format!("data: {error}\n\n"));
    kept.into()
}

/// Returns garbage in place of a reply or inside it, with its content type.
pub(crate) fn garbage(kind: Garbage, body: &Bytes) -> (&'static str, Bytes) {
    let json = "application/json";
    match kind {
        Garbage::Html => ("text/html", "<!doctype html><html><body>Please sign in to the network</body></html>".into()),
        Garbage::Json => (json, body.slice(..body.len() * 2 / 3)),
        Garbage::Blank => (json, Bytes::new()),
        Garbage::Deep => (json, "[".repeat(DEPTH).into()),
        Garbage::Surrogate => (json, inside_text(body, b"\\ud83d")),
        Garbage::Nul => (json, inside_text(body, b"\\u0000")),
        Garbage::Utf8 => (json, inside_text(body, b"\xff\xc3")),
    }
}

/// Inserts bytes at the beginning of the first text in a JSON body.
fn inside_text(body: &Bytes, bytes: &[u8]) -> Bytes {
    let starts =
        ["\"text\":\"", "\"title\":\"", "\"summary\":\"", "\"response\":\"", "\"content\":\"", "\"completion\":\""];
    let place = starts
        .iter()
        .filter_map(|start| body.windows(start.len()).position(|w| w == start.as_bytes()).map(|at| at + start.len()))
        .min()
        .unwrap_or(0);
    [&body[..place], bytes, &body[place..]].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_state_the_wait_in_the_requested_form() {
        let now = Time(1_773_219_600_000);
        let retry = |code, form| {
            let response = status(code, Some(form), now);
            response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        assert_eq!(retry(429, RetryAfter::Header(7)).as_deref(), Some("7"));
        assert_eq!(retry(503, RetryAfter::Date(60)).as_deref(), Some("Wed, 11 Mar 2026 09:01:00 GMT"));
        assert_eq!(retry(429, RetryAfter::Body(60)), None);
    }

    #[test]
    fn an_emptied_reply_keeps_its_shape() {
        let body = Bytes::from(r#"{"results":[{"text":"x"}],"summary":"s","cost_usd":0.004,"a":{"b":[1]}}"#);
        let value: Value = serde_json::from_slice(&empty_reply(&body)).unwrap_or_default();
        assert_eq!(value, json!({"results": [], "summary": "", "cost_usd": 0.004, "a": {"b": []}}));
        let stream = empty_reply(&Bytes::from("data: {\"type\":\"text\",\"content\":\"x\"}\n\n"));
        assert_eq!(stream, "data: {\"type\":\"completion\",\"content\":\"\"}\n\n");
    }

    #[test]
    fn each_kind_of_garbage_is_broken_as_its_name_says() {
        let body = Bytes::from(r#"{"tweets":[{"text":"good"},{"text":"too"}]}"#);
        let broken_body = |kind| garbage(kind, &body).1;
        for kind in [Garbage::Html, Garbage::Json, Garbage::Blank, Garbage::Deep, Garbage::Surrogate, Garbage::Utf8] {
            assert!(serde_json::from_slice::<Value>(&broken_body(kind)).is_err(), "{kind}");
        }
        let with_nul: Value = serde_json::from_slice(&broken_body(Garbage::Nul)).unwrap_or_default();
        assert_eq!(with_nul["tweets"][0]["text"], "\0good");
        assert!(std::str::from_utf8(&broken_body(Garbage::Utf8)).is_err());
        assert_eq!(inside_text(&Bytes::from("[]"), b"x"), Bytes::from("x[]"));
    }

    #[test]
    fn an_error_frame_comes_after_half_of_the_stream() {
        let stream = Bytes::from("data: {\"n\":1}\n\ndata: {\"n\":2}\n\n");
        let text = String::from_utf8_lossy(&with_error(&stream)).into_owned();
        assert!(text.starts_with("data: {\"n\":1}\n\ndata: {\"error\"") && !text.contains("\"n\":2"));
        assert!(with_error(&Bytes::from("{}")).starts_with(b"{\"error\""));
    }

    #[test]
    fn a_bomb_is_small_until_it_is_unpacked() {
        let compressed = bomb(3_000_000).unwrap_or_default();
        assert!((100..60_000).contains(&compressed.len()), "{}", compressed.len());
    }
}
