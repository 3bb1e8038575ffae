//! Finds the error that a service reports inside a 2xx reply: an error object or an error frame. The client handles
//! status codes and transport errors.

use super::context::Limits;
use super::json::lenient;
use super::json::node::{Node, Object};

/// The maximum length of a quoted error, in characters.
const MAX_CHARS: usize = 300;

/// Returns the error that an object reports under `error`, `errors`, or as a frame of type `error`.
pub(super) fn of(object: &Object) -> Option<String> {
    let stated = ["error", "errors"].iter().find_map(|name| message(object.get(name)?, 3));
    stated.or_else(|| match object.get("type")? {
        Node::Text(kind) if kind == "error" => {
            let error_text =
                ["content", "message", "detail", "text"].iter().find_map(|name| message(object.get(name)?, 3));
            Some(error_text.unwrap_or_else(unspecified))
        }
        _ => None,
    })
}

/// Returns the error under `detail`: a string, an object or an array of them.
pub(super) fn detail(object: &Object) -> Option<String> {
    message(object.get("detail")?, 3)
}

/// Returns the error of an empty reply: `success` or `ok` is false, or a message explains why it is empty. A message
/// that reports success, or that nothing was found, is not an error. In an unknown format, a message is just another
/// member.
pub(super) fn find_error_of_empty(object: &Object, known: bool) -> Option<String> {
    let says = |stated: bool| {
        let is = |name: &&str| matches!(object.get(name), Some(Node::Bool(value)) if *value == stated);
        ["success", "ok"].iter().any(is)
    };
    let code_is_good = || match object.get("code") {
        Some(Node::Number(code)) => matches!(code.as_u64(), Some(0 | 200)),
        Some(Node::Text(code)) => matches!(code.trim(), "0" | "200"),
        _ => false,
    };
    let words = ["message", "msg"].iter().find_map(|name| match object.get(name)? {
        Node::Text(text) => line(text),
        _ => None,
    });
    if says(false) {
        return Some(words.or_else(|| detail(object)).unwrap_or_else(unspecified));
    }
    words.filter(|words| known && !says(true) && !code_is_good() && !is_success_message(words))
}

/// Whether a message means "all is well" or "nothing found".
fn is_success_message(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    let words = words.trim_end_matches(['.', '!']);
    let has = |text: &str, all: &[&str]| all.iter().any(|one| text.contains(one));
    // "No API key found" and "Found no API key" explain a failure. What follows `found` or `for` may quote the query.
    let of_none = || words.strip_prefix("no ").and_then(|rest| rest.split_once(" found")).map(|(what, _)| what);
    let missing = words.strip_prefix("found no ").or_else(of_none).unwrap_or_default();
    let missing = missing.split_once(" for ").map_or(missing, |(what, _)| what);
    let is_needed = |word: &str| {
        let needed = ["key", "apikey", "token", "account", "credit", "subscription", "plan"];
        needed.contains(&word.trim_end_matches('s'))
    };
    let refuses =
        missing.split(|c: char| !c.is_ascii_alphanumeric()).any(is_needed) && !has(missing, &["result", "match"]);
    let begins = |all: &[&str]| all.iter().any(|begin| words.starts_with(begin));
    let is_empty = begins(&["no ", "nothing", "0 "]) && has(words, &["found", "result", "match"]);
    let nothing = !refuses && (is_empty || begins(&["found 0 ", "found no "]));
    let well = words.contains("success")
        && !has(words, &["unsuccess", "not ", "n't", "without", "no success", "false", "fail"]);
    matches!(words, "ok" | "okay" | "succeeded" | "done") || nothing || well
}

/// Returns the message of an event named `error`, from JSON or plain words.
pub(super) fn error_event_message(text: &str, limits: Limits) -> String {
    let error_text = match lenient::parse_frame(text, limits) {
        Ok(node) => message(&node, 3),
        Err(_) => line(text),
    };
    error_text.unwrap_or_else(unspecified)
}

/// Reads a value as one bounded line. `None` for values that report nothing (`null`, `false`, `0`, `""`, `{}`, `[]`).
fn message(node: &Node, depth: u32) -> Option<String> {
    if depth == 0 {
        return None;
    }
    match node {
        Node::Null | Node::Bool(false) => None,
        Node::Bool(true) => Some(unspecified()),
        Node::Number(number) => (number.as_f64() != Some(0.0)).then(|| format!("error {number}")),
        Node::Text(text) => line(text),
        Node::List(list) => {
            let parts: Vec<_> = list.items.iter().take(3).filter_map(|item| message(item, depth - 1)).collect();
            line(&parts.join("; "))
        }
        Node::Object(object) => {
            let names = ["message", "msg", "detail", "error", "reason", "description", "code"];
            let error_text = names.iter().find_map(|name| message(object.get(name)?, depth - 1));
            error_text.or_else(|| (!object.members.is_empty() || object.strange.is_some()).then(unspecified))
        }
    }
}

fn unspecified() -> String {
    "an error without a message".to_owned()
}

/// Joins a text to one bounded line without control characters.
fn line(text: &str) -> Option<String> {
    let mut line = String::new();
    let mut left = MAX_CHARS;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        for c in word.chars() {
            if left == 0 {
                line.push('…');
                return Some(line);
            }
            line.push(c);
            left -= 1;
        }
    }
    (!line.is_empty()).then_some(line)
}
