//! A streamed answer in the format of the deployed service: `data: {json}` frames, each with a blank line, no `event:`
//! or `id:` lines and no `[DONE]`. Chunks may end anywhere, even inside a character.

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};

use super::reply::Bill;

/// Characters per text frame.
const TEXT_CHARS: usize = 24;
/// Bytes per chunk on the wire: a prime number, so that chunks and frames rarely align.
const CHUNK_BYTES: usize = 211;

/// The result of an AI search.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The summary; empty when only links were requested.
    pub(crate) text: String,
    /// Entries for a `tweets` frame.
    pub(crate) tweets: Option<Vec<Value>>,
    /// Entries for a `search` frame.
    pub(crate) pages: Option<Vec<Value>>,
    /// Entries of other tools, with the names of their frames.
    pub(crate) others: Vec<(&'static str, Vec<Value>)>,
}

/// Returns the frames of an answer in order: text, lists, completion.
pub(crate) fn frames(answer: &Answer) -> String {
    let mut body = String::new();
    let characters: Vec<char> = answer.text.chars().collect();
    for piece in characters.chunks(TEXT_CHARS) {
        frame(&mut body, &json!({"type": "text", "role": "summary", "content": piece.iter().collect::<String>()}));
    }
    for (name, list) in [("tweets", &answer.tweets), ("search", &answer.pages)] {
        if let Some(list) = list {
            frame(&mut body, &json!({"type": name, "content": list}));
        }
    }
    for (name, list) in &answer.others {
        frame(&mut body, &json!({"type": name, "content": list}));
    }
    frame(&mut body, &json!({"type": "completion", "content": answer.text}));
    body
}

fn frame(body: &mut String, event: &Value) {
    body.push_str("data: ");
    body.push_str(&event.to_string());
    body.push_str("\n\n");
}

/// Builds the reply. `labelled`: whether it has a content type, which deployments often leave out.
pub(crate) fn reply(answer: &Answer, labelled: bool, bill: Bill) -> Response {
    let mut response = Response::new(chunked(frames(answer).into()));
    *response.status_mut() = StatusCode::OK;
    if labelled {
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    }
    bill.set_headers(&mut response);
    response
}

/// Returns a body that is sent in small chunks, without a length.
pub(crate) fn chunked(bytes: Bytes) -> Body {
    let chunks = (0..bytes.len()).step_by(CHUNK_BYTES).map(move |from| {
        let to = bytes.len().min(from + CHUNK_BYTES);
        Ok::<_, std::convert::Infallible>(bytes.slice(from..to))
    });
    Body::from_stream(futures_util::stream::iter(chunks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_frames_join_to_the_completion() {
        let text = "Grüße aus 東京. ".repeat(9);
        let answer = Answer { text: text.clone(), tweets: Some(Vec::new()), pages: None, others: Vec::new() };
        let (mut joined, mut completion) = (String::new(), String::new());
        for event in frames(&answer).split("\n\n").filter(|event| !event.is_empty()) {
            let event: Value = serde_json::from_str(event.trim_start_matches("data: ")).unwrap_or_default();
            match event["type"].as_str() {
                Some("text") => joined.push_str(event["content"].as_str().unwrap_or_default()),
                Some("completion") => completion.push_str(event["content"].as_str().unwrap_or_default()),
                _ => {}
            }
        }
        assert_eq!((joined.as_str(), completion.as_str()), (text.as_str(), text.as_str()));
    }
}
