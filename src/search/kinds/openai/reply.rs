//! Reads what a model wrote, from a whole reply or a stream of server-sent events. Only the first choice counts, and
//! the text itself is not interpreted.

use serde_json::Value;

use crate::search::ErrorClass;
use crate::search::decode::{DecodeError, json_value};
use crate::search::kinds::kind::malformed;

const HINT: &str = "is base_url the address of an OpenAI-compatible server, including /v1?";

/// The maximum length of an answer, in characters.
const LONGEST: usize = 100_000;

/// No request uses more tokens. A larger number is a server error, and would be billed.
const MOST_TOKENS: u64 = 100_000_000;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ModelAnswer {
    pub(super) text: String,
    pub(super) model: Option<String>,
    /// Tokens of question and answer, as counted by the server.
    pub(super) tokens: Option<u64>,
    /// Whether the answer is complete.
    pub(super) whole: bool,
    /// Whether it ended at its length limit.
    pub(super) length: bool,
    /// The error with which the server ended it in mid-stream.
    pub(super) error: Option<String>,
    /// Whether the server's content filter ended it.
    pub(super) filtered: bool,
    /// The model's words in refusing to answer.
    refusal: Option<String>,
    /// Whether the model called a tool instead.
    called_tool: bool,
    /// Whether there was a choice, which may be empty.
    answered: bool,
}

impl ModelAnswer {
    /// Why it ended early, if it did.
    pub(super) fn note(&self) -> Option<String> {
        let (length, filtered) =
            ("the answer reached its maximum length", "the server's content filter ended the answer");
        [(self.length, length), (self.filtered, filtered)]
            .into_iter()
            .find(|(is, _)| *is)
            .map(|(_, why)| why.to_owned())
    }

    fn take(&mut self, choice: &Value, holder: &str) {
        let message = choice.get(holder).unwrap_or(&Value::Null);
        self.answered |= message.is_object();
        let room = LONGEST.saturating_sub(self.text.chars().count());
        match message.get("content") {
            Some(Value::String(text)) => self.text.extend(text.chars().take(room)),
            Some(Value::Array(parts)) => {
                let parts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
                self.text.extend(parts.flat_map(str::chars).take(room));
            }
            _ => {}
        }
        if let Some(why) = message.get("refusal").and_then(Value::as_str) {
            self.refusal.get_or_insert_default().extend(why.chars().filter(|c| !c.is_control()).take(200));
        }
        self.called_tool |= message.get("tool_calls").and_then(Value::as_array).is_some_and(|calls| !calls.is_empty());
        // Some servers send an empty reason until there is one.
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str).filter(|reason| !reason.is_empty()) {
            self.whole = true;
            self.length = reason == "length";
            self.filtered = reason == "content_filter";
        }
    }

    fn frame(&mut self, frame: &Value, holder: &str) {
        if self.model.is_none() {
            let model = frame.get("model").and_then(Value::as_str).filter(|model| !model.is_empty());
            self.model = model.map(|model| model.chars().filter(|c| !c.is_control()).take(200).collect());
        }
        let total = frame.get("usage").and_then(|usage| {
            let of = |name: &str| usage.get(name).and_then(Value::as_u64);
            of("total_tokens").or_else(|| Some(of("prompt_tokens")?.saturating_add(of("completion_tokens")?)))
        });
        self.tokens = total.filter(|total| *total <= MOST_TOKENS).or(self.tokens);
        let choices = frame.get("choices").and_then(Value::as_array).into_iter().flatten();
        let first = choices.filter(|choice| choice.get("index").and_then(Value::as_i64).unwrap_or(0) == 0);
        for choice in first {
            self.take(choice, holder);
        }
    }
}

/// Reads the body of a reply.
pub(super) fn read(body: &[u8]) -> Result<ModelAnswer, DecodeError> {
    let mut written = parse(body)?;
    written.text = without_thoughts(&written.text).to_owned();
    if !written.text.trim().is_empty() {
        return Ok(written);
    }
    let failed = |text: String, hint: &str| DecodeError { class: ErrorClass::Service, text, hint: hint.to_owned() };
    Err(if written.filtered {
        let text = "the server's content filter withheld the whole answer";
        failed(text.to_owned(), "use another model, or change the prompt")
    } else if let Some(why) = written.refusal.filter(|why| !why.is_empty()) {
        failed(format!("the model refused to answer: {why}"), "use another model, or change the prompt")
    } else if written.length {
        let text = "the answer reached its maximum length before its first word";
        failed(text.to_owned(), "raise max_completion_tokens or max_tokens: the model may spend them on reasoning")
    } else if written.called_tool {
        failed(
            "the model called a tool instead of answering".to_owned(),
            "turn off the tools of this model on the server",
        )
    } else if written.answered {
        let text = "the model's answer is empty";
        failed(text.to_owned(), "use another model, or change the prompt")
    } else {
        malformed("the reply contains no text", HINT)
    })
}

/// Returns an answer without the thoughts that some servers leave before it.
fn without_thoughts(text: &str) -> &str {
    let Some(thoughts) = text.trim_start().strip_prefix("<think>") else { return text };
    thoughts.split_once("</think>").map_or("", |(_, answer)| answer)
}

/// Returns the tokens that a reply reports, whatever else is in it.
pub(super) fn tokens(body: &[u8]) -> u64 {
    parse(body).ok().and_then(|written| written.tokens).unwrap_or(0)
}

fn parse(body: &[u8]) -> Result<ModelAnswer, DecodeError> {
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}').trim();
    if ["data:", "event:", "id:", "retry:", ":"].iter().any(|begin| text.starts_with(begin)) {
        streamed(text)
    } else {
        plain(text)
    }
}

fn plain(text: &str) -> Result<ModelAnswer, DecodeError> {
    let Some(all) = json_value(text.as_bytes()) else {
        let what = if text.starts_with('<') { "an HTML page instead of JSON" } else { "the reply is not JSON" };
        return Err(malformed(what, HINT));
    };
    if let Some(error) = error_of(&all) {
        return Err(error);
    }
    if !all.get("choices").is_some_and(Value::is_array) {
        return Err(malformed("the reply contains no `choices`", HINT));
    }
    // Some servers send no reason. A complete document is a complete answer.
    let mut written = ModelAnswer { whole: true, ..ModelAnswer::default() };
    written.frame(&all, "message");
    Ok(written)
}

/// Reads one frame per line. Skips broken lines: the stream was cut there, or a part of the answer is lost.
fn streamed(text: &str) -> Result<ModelAnswer, DecodeError> {
    let (mut written, mut is_damaged) = (ModelAnswer::default(), false);
    for line in text.lines() {
        let Some(data) = line.strip_prefix("data:").map(str::trim) else { continue };
        if data == "[DONE]" {
            written.whole = true;
            break;
        }
        let Some(frame) = json_value(data.as_bytes()) else {
            is_damaged |= data.starts_with('{');
            continue;
        };
        match error_of(&frame) {
            Some(error) if written.text.is_empty() => return Err(error),
            Some(error) => {
                written.whole = false;
                written.error = Some(error.text);
                break;
            }
            None => written.frame(&frame, "delta"),
        }
    }
    if is_damaged && written.whole {
        written.whole = false;
        written.error = Some("a part of it could not be read".to_owned());
    }
    Ok(written)
}

fn error_of(value: &Value) -> Option<DecodeError> {
    // Some servers send an empty one with each answer.
    let is_empty = |error: &Value| match error {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    let error = value.get("error").filter(|error| !is_empty(error))?;
    let message = error.as_str().or_else(|| error.get("message").and_then(Value::as_str)).unwrap_or("an error");
    let message: String = message.chars().filter(|c| !c.is_control()).take(300).collect();
    let hint = "does the server have this `model`?".to_owned();
    Some(DecodeError { class: ErrorClass::Service, text: format!("the server says: {message}"), hint })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::*;

    #[test]
    fn plain_replies_and_streams_are_read_the_same() {
        let document = r#"{"model":"m","choices":[{"index":0,"message":{"content":"Two words."},"finish_reason":"stop"}],
            "usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}"#;
        let stream = "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Two\"}}]}\n\n\
            : keep-alive\n\ndata: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"}},{\"index\":0,\"delta\":{\"content\":\" words.\"}}]}\r\n\
            data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
            data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";
        let read_whole = read(document.as_bytes()).unwrap();
        assert_eq!(read_whole, read(stream.as_bytes()).unwrap());
        assert_eq!((read_whole.text.as_str(), read_whole.tokens, read_whole.whole), ("Two words.", Some(7), true));
        for absurd in ["9223372036854775808", "18446744073709551615", "100000001"] {
            let document = document.replace("\"total_tokens\":7", &format!("\"total_tokens\":{absurd}"));
            assert_eq!(read(document.as_bytes()).unwrap().tokens, None, "{absurd}: no price is made of it");
        }
    }

    #[test]
    fn a_cut_stream_is_never_complete() {
        let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"Two \"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"words.\"}}]}\n\n";
        let empty = stream.replace("}}]}", "},\"finish_reason\":\"\"}]}");
        for stream in [stream, &empty] {
            for end in 0..=stream.len() {
                if let Ok(written) = read(&stream.as_bytes()[..end]) {
                    assert!(!written.whole, "{end}");
                }
            }
        }
        assert!(!read(stream.as_bytes()).unwrap().whole);
        let refused =
            read(format!("{stream}data: {{\"error\":{{\"message\":\"slow down\"}}}}\n\n").as_bytes()).unwrap();
        assert_eq!((refused.whole, refused.error.as_deref()), (false, Some("the server says: slow down")));
    }

    #[test]
    fn a_broken_frame_makes_the_answer_partial_and_an_empty_error_is_ignored() {
        let frame = |text: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
        let lost = format!("{}data: {{\"choices\":[{{\"del\n\n{}data: [DONE]\n\n", frame("Two "), frame("words."));
        let written = read(lost.as_bytes()).unwrap();
        let why = Some("a part of it could not be read");
        assert_eq!((written.text.as_str(), written.whole, written.error.as_deref()), ("Two words.", false, why));
        let whole = format!("{}data: ping\n\n{}data: [DONE]\n\n", frame("Two "), frame("words."));
        assert!(read(whole.as_bytes()).unwrap().whole);
        for empty in ["null", "false", "\"\"", "\" \"", "{}"] {
            let body = format!("{{\"error\":{empty},\"choices\":[{{\"message\":{{\"content\":\"Two words.\"}}}}]}}");
            assert_eq!(read(body.as_bytes()).unwrap().text, "Two words.", "{empty}");
        }
    }

    #[test]
    fn think_blocks_are_removed_from_answers() {
        let body = |text: &str, reason: &str| {
            serde_json::json!({ "choices": [{ "message": { "content": text }, "finish_reason": reason }] }).to_string()
        };
        let written = read(body("<think>\nThe user wants\n</think>\n\nTwo words <think>.", "stop").as_bytes()).unwrap();
        assert_eq!(written.text.trim(), "Two words <think>.");
        let error = read(body("<think>\nThe user wants", "length").as_bytes()).unwrap_err();
        assert!(error.text.contains("before its first word"), "{}", error.text);
    }

    #[test]
    fn replies_without_an_answer_are_errors() {
        for (body, says) in [
            ("", "not JSON"),
            ("<!doctype html><p>nginx", "HTML page"),
            ("{\"results\":[]}", "contains no `choices`"),
            ("{\"choices\":[]}", "no text"),
            ("{\"choices\":[{\"message\":{\"content\":\"\"},\"finish_reason\":\"stop\"}]}", "answer is empty"),
            ("{\"choices\":[{\"message\":{\"content\":null},\"finish_reason\":\"stop\"}]}", "answer is empty"),
            ("{\"choices\":[{\"message\":{\"content\":null},\"finish_reason\":\"content_filter\"}]}", "filter"),
            ("{\"error\":{\"message\":\"model 'x' not found\"}}", "model 'x' not found"),
            ("{\"error\":\"overloaded\"}", "overloaded"),
            ("data: {\"error\":{\"message\":\"slow down\"}}\n\n", "slow down"),
            ("data: [DONE]\n\n", "no text"),
        ] {
            assert!(read(body.as_bytes()).unwrap_err().text.contains(says), "{body}");
        }
    }
}
