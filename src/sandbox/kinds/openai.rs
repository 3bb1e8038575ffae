//! `/openai/v1/…`: a model with OpenAI's interface, plain and streamed. It lists the first sources in its input and
//! counts them. It is not a language model, and its answers say so.

use axum::body::Bytes;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};

use super::texts::cut;
use crate::sandbox::corpus::Hour;
use crate::sandbox::random::SeededRng;
use crate::sandbox::reply;
use crate::sandbox::stream::chunked;

/// The maximum number of sources in an answer.
const NAMED: usize = 3;
/// Characters per token.
const TOKEN_CHARS: usize = 4;
/// Characters per piece of a stream.
const PIECE_CHARS: usize = 24;
/// The maximum length of the question's part in an answer, in characters.
const SHOWN_CHARS: usize = 120;

/// A source in the messages: its number, if any, and its address.
#[derive(Debug, PartialEq, Eq)]
struct Source {
    number: Option<String>,
    url: String,
}

/// An answer with its metadata.
struct Completion {
    id: String,
    created: i64,
    model: String,
    text: String,
    finish: &'static str,
    usage: Value,
}

/// `POST chat/completions`.
pub(super) fn chat(body: &[u8], hour: Hour) -> Response {
    let Ok(request @ Value::Object(_)) = serde_json::from_slice::<Value>(body) else {
        return refused("We could not parse the JSON body of your request.", None, None);
    };
    let Some(model) = request["model"].as_str().filter(|model| !model.is_empty()) else {
        return refused("you must provide a model parameter", Some("model"), Some("missing_required_parameter"));
    };
    let messages = match &request["messages"] {
        Value::Array(messages) if !messages.is_empty() => messages,
        Value::Array(_) => {
            return refused("Invalid 'messages': empty array.", Some("messages"), Some("empty_array"));
        }
        Value::Null => {
            let message = "Missing required parameter: 'messages'.";
            return refused(message, Some("messages"), Some("missing_required_parameter"));
        }
        _ => return refused("Invalid type for 'messages'.", Some("messages"), Some("invalid_type")),
    };
    let contents: Vec<String> = messages.iter().map(|message| text_of(&message["content"])).collect();
    let last = messages.iter().rposition(|message| message["role"] == "user").and_then(|at| contents.get(at));
    let question = last.and_then(|text| text.lines().find(|line| !line.trim().is_empty())).unwrap_or_default();
    let conversation = contents.join("\n");
    let mut text = answer(question.trim(), &sources(&conversation));
    let most = ["max_completion_tokens", "max_tokens"].iter().find_map(|name| request[*name].as_u64());
    let most = most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX).saturating_mul(TOKEN_CHARS));
    let finish = if text.chars().count() > most { "length" } else { "stop" };
    text = text.chars().take(most).collect();
    let (prompt, completion) = (tokens(&conversation), tokens(&text));
    let done = Completion {
        id: format!("chatcmpl-sandbox{:016x}", SeededRng::new(&[b"openai", body]).next()),
        created: hour.start().div_euclid(1_000),
        model: model.to_owned(),
        finish,
        usage: json!({
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }),
        text,
    };
    match request["stream"] == true {
        true => streamed(&done, request["stream_options"]["include_usage"] == true),
        false => reply::json(StatusCode::OK, &plain(&done)),
    }
}

fn refused(message: &str, param: Option<&str>, code: Option<&str>) -> Response {
    let error = json!({"message": message, "type": "invalid_request_error", "param": param, "code": code});
    reply::json(StatusCode::BAD_REQUEST, &json!({ "error": error }))
}

/// Returns the text of a message, which may come in parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(TOKEN_CHARS)
}

/// Returns the first addresses in a text, each with the `[n]` before it, if any.
fn sources(text: &str) -> Vec<Source> {
    let mut found: Vec<Source> = Vec::new();
    let mut number = None;
    for line in text.lines() {
        // A number belongs to the first address after it, even on a later line: sources often span several lines.
        for word in line.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '(' | ')')) {
            if let Some((digits, _)) = word.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                let is_number = !digits.is_empty() && digits.len() < 5 && digits.bytes().all(|b| b.is_ascii_digit());
                number = is_number.then(|| digits.to_owned()).or(number);
            }
            let start = ["https://", "http://"].iter().filter_map(|scheme| word.find(scheme)).min();
            let Some(url) = start.and_then(|start| word.get(start..)) else { continue };
            let url = url.trim_end_matches(['.', ',', ';', ':', '!', '?', ']', '}', '\'', '*', '`']);
            if url.len() > "https://".len() && found.iter().all(|source| source.url != url) {
                found.push(Source { number: number.take(), url: url.to_owned() });
            }
            if found.len() == NAMED {
                return found;
            }
        }
    }
    found
}

fn answer(question: &str, sources: &[Source]) -> String {
    let mut text = format!("**{}** (invented by the sandbox): ", cut(question, SHOWN_CHARS));
    if sources.is_empty() {
        text.push_str("no source was given, so there is nothing to say.");
        return text;
    }
    let counted = if sources.len() == 1 { "one source stands" } else { "these sources stand" };
    text.push_str(&format!("{counted} out."));
    for source in sources {
        match &source.number {
            Some(number) => text.push_str(&format!("\n- Said in [{number}]: {}", source.url)),
            None => text.push_str(&format!("\n- Said in {}", source.url)),
        }
    }
    text
}

fn plain(done: &Completion) -> Value {
    json!({
        "id": done.id,
        "object": "chat.completion",
        "created": done.created,
        "model": done.model,
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": done.text, "refusal": null},
            "logprobs": null,
            "finish_reason": done.finish,
        }],
        "usage": done.usage,
        "system_fingerprint": "sandbox",
    })
}

/// Streams the answer in pieces. The usage comes in a chunk of its own, and only on request.
fn streamed(done: &Completion, with_usage: bool) -> Response {
    let mut body = String::new();
    let mut frame = |choices: Value, usage: Value| {
        let mut chunk = json!({
            "id": done.id,
            "object": "chat.completion.chunk",
            "created": done.created,
            "model": done.model,
            "choices": choices,
            "system_fingerprint": "sandbox",
        });
        if let (true, Some(chunk)) = (with_usage, chunk.as_object_mut()) {
            chunk.insert("usage".into(), usage);
        }
        body.push_str(&format!("data: {chunk}\n\n"));
    };
    let choice = |delta: Value, finish: Value| json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
    frame(choice(json!({"role": "assistant", "content": ""}), Value::Null), Value::Null);
    let characters: Vec<char> = done.text.chars().collect();
    for piece in characters.chunks(PIECE_CHARS) {
        frame(choice(json!({"content": piece.iter().collect::<String>()}), Value::Null), Value::Null);
    }
    frame(choice(json!({}), json!(done.finish)), Value::Null);
    if with_usage {
        frame(json!([]), done.usage.clone());
    }
    body.push_str("data: [DONE]\n\n");
    let mut response = Response::new(chunked(Bytes::from(body)));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
    response
}

/// `GET models`.
pub(super) fn models(hour: Hour) -> Response {
    let created = hour.start().div_euclid(1_000);
    let model = json!({"id": "sandbox", "object": "model", "created": created, "owned_by": "topicwatch"});
    reply::json(StatusCode::OK, &json!({"object": "list", "data": [model]}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_three_sources_are_found_with_their_numbers() {
        let text = "Sources [see below]:\n[1] A title (https://a.example/x?y=1).\n[2] B\nhttp://b.example/, \
                    https://a.example/x?y=1\nno number: <https://c.example/> https://d.example";
        let found = sources(text);
        let of = |number: Option<&str>, url: &str| Source { number: number.map(str::to_owned), url: url.into() };
        assert_eq!(
            found,
            [
                of(Some("1"), "https://a.example/x?y=1"),
                of(Some("2"), "http://b.example/"),
                of(None, "https://c.example/")
            ]
        );
        assert!(answer("q", &found).ends_with("- Said in https://c.example/"));
        assert_eq!(sources("https:// http://."), []);
    }

    #[test]
    fn a_message_may_come_in_parts() {
        assert_eq!(text_of(&json!([{"type": "text", "text": "a"}, {"type": "image_url"}, {"text": "b"}])), "a\nb");
        assert_eq!(text_of(&Value::Null), "");
        assert_eq!((tokens(""), tokens("abcde")), (0, 2));
    }
}
