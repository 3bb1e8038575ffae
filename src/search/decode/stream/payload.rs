//! Splits one payload of a stream into JSON values, and recognises frames. `framing` turns bytes into payloads, and
//! `stream` interprets the frames.

use crate::search::decode::context::Limits;
use crate::search::decode::document::list_kind;
use crate::search::decode::failure;
use crate::search::decode::json::lenient;
use crate::search::decode::json::node::{Node, Object};

/// Whether a whole document is one frame of a stream, or a list of them.
pub(in crate::search::decode) fn is_frame(node: &Node) -> bool {
    match node {
        Node::Object(object) => is_known_frame(object) || (is_piece(object) && has_end_marker(object)),
        // Entries of a list may have texts, too, so `text` or `user` rules out a frame.
        Node::List(list) => match list.items.first() {
            Some(Node::Object(object)) => {
                is_known_frame(object)
                    || (is_piece(object) && object.get("text").is_none() && object.get("user").is_none())
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether an object has a known type and a content. A post may have a `type` of its own.
fn is_known_frame(object: &Object) -> bool {
    let known = |kind: &str| matches!(kind, "text" | "completion" | "error") || list_kind(kind).is_some();
    matches!(object.get("type"), Some(Node::Text(kind)) if known(kind)) && object.get("content").is_some()
}

/// Whether an object without a type may be a piece of a streamed answer. One with a title or an address is an entry.
/// One with nothing but a `text` may also be a post.
fn is_piece(object: &Object) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| object.get(name).is_some());
    matches!(object.get("choices"), Some(Node::List(_)))
        || (has(&["summary", "response", "completion"]) && !has(&["title", "url", "link"]))
        || (has(&["text"]) && !has(&["title", "url", "link", "id", "user", "created_at"]))
}

/// Whether an object is a frame even without a stream around it.
fn has_end_marker(object: &Object) -> bool {
    matches!(object.get("done"), Some(Node::Bool(_))) || object.get("choices").is_some()
}

/// Whether a text that is not one JSON value begins with a frame, as in a stream without framing. A frame without a
/// type must be followed by another value; otherwise the text is broken JSON.
pub(in crate::search::decode) fn starts_with_frame(text: &str, limits: Limits) -> bool {
    let Some((first, rest)) = value_end(text).and_then(|end| text.split_at_checked(end)) else { return false };
    let Ok(Node::Object(object)) = lenient::parse(first, limits) else { return false };
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '\u{1e}'));
    let goes_on = rest.starts_with('{') || rest.starts_with("[DONE]") || rest.starts_with("data:");
    matches!(object.get("type"), Some(Node::Text(_)))
        || failure::of(&object).is_some()
        || (is_piece(&object) && goes_on)
}

/// The errors found in a payload.
#[derive(Default)]
pub(in crate::search::decode) struct PayloadErrors {
    /// The number of broken values.
    pub(in crate::search::decode) bad: u32,
    /// Whether the last value is incomplete.
    pub(in crate::search::decode) open: bool,
}

/// One part of a payload.
pub(in crate::search::decode) enum PayloadPart {
    /// `[DONE]`.
    Done,
    /// A JSON value.
    Value(Node),
}

/// Passes on the values in a payload one by one. There are several when events share a line.
pub(in crate::search::decode) fn read(
    payload: &str,
    limits: Limits,
    each: &mut dyn FnMut(PayloadPart),
) -> PayloadErrors {
    let mut faults = PayloadErrors::default();
    let mut rest = payload;
    loop {
        rest = rest.trim_start();
        rest = rest.strip_prefix("data:").unwrap_or(rest).trim_start();
        if let Some(after) = rest.strip_prefix("[DONE]") {
            each(PayloadPart::Done);
            rest = after;
            continue;
        }
        // Heartbeats and other words are not values.
        if !rest.starts_with(['{', '[', '"']) {
            return faults;
        }
        let Some((value, after)) = value_end(rest).and_then(|end| rest.split_at_checked(end)) else {
            faults.open = true;
            return faults;
        };
        match lenient::parse_frame(value, limits) {
            Ok(node) => each(PayloadPart::Value(node)),
            Err(_) => faults.bad += 1,
        }
        rest = after;
    }
}

/// Returns where the JSON value at the start of a text ends (exclusive), by brackets and quotes alone. `None` when it
/// does not end or does not begin with a bracket or a quote.
fn value_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string_end(bytes, at + 1)?;
                if depth == 0 {
                    return Some(at);
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

fn string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}
