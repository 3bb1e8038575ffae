//! Reads one member of an entry as a plain value. A field of the wrong type is left out; the rest of its entry stays.
//! Numbers are accepted as texts, and texts as numbers, where that loses nothing.

use crate::search::decode::json::node::{Node, Object};

/// The maximum length of an id, handle or language tag, in characters. Longer ones are ignored.
const MAX_LABEL_CHARS: usize = 256;

/// Returns the first `max` characters of a text.
pub(in crate::search::decode) fn truncate(text: &str, max: usize) -> &str {
    match text.char_indices().nth(max) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// Returns the first of these members that is a text with something in it (or a number), cut to `max` characters.
pub(in crate::search::decode) fn text(object: &Object, names: &[&str], max: usize) -> Option<String> {
    names.iter().find_map(|name| match object.get(name)? {
        Node::Text(text) if !text.trim().is_empty() => Some(truncate(text, max).to_owned()),
        Node::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

/// Whether [`text`] would find something.
pub(super) fn has_text(object: &Object, names: &[&str]) -> bool {
    names.iter().any(|name| match object.get(name) {
        Some(Node::Text(text)) => !text.trim().is_empty(),
        Some(Node::Number(_)) => true,
        _ => false,
    })
}

/// Returns the first of these members that is an address, trimmed. One that is too long is left out: a cut address
/// would lead elsewhere.
pub(in crate::search::decode) fn address(object: &Object, names: &[&str], max: usize) -> Option<String> {
    names.iter().find_map(|name| match object.get(name)? {
        Node::Text(text) => short(text, max),
        _ => None,
    })
}

/// Returns a short word such as a handle or a language tag, trimmed.
pub(in crate::search::decode) fn label(object: &Object, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| match object.get(name)? {
        Node::Text(text) => short(text, MAX_LABEL_CHARS),
        _ => None,
    })
}

/// Returns an id as exact text, from a text or a whole number, never from a float.
pub(in crate::search::decode) fn id(object: &Object, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| match object.get(name)? {
        Node::Text(text) => short(text, MAX_LABEL_CHARS),
        Node::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    })
}

fn short(text: &str, max: usize) -> Option<String> {
    let text = text.trim();
    (!text.is_empty() && text.chars().nth(max).is_none()).then(|| text.to_owned())
}

/// Returns a count: a whole number that is not negative, as a number or in digits.
pub(in crate::search::decode) fn count(object: &Object, names: &[&str]) -> Option<i64> {
    names.iter().find_map(|name| {
        let count = match object.get(name)? {
            Node::Number(number) => number.as_i64().or_else(|| whole_number(number.as_f64()?)),
            Node::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        count.filter(|n| *n >= 0)
    })
}

/// Converts a whole float such as `12.0`, up to 2^53, where floats are still exact.
fn whole_number(number: f64) -> Option<i64> {
    if number.fract() != 0.0 || !(0.0..=9_007_199_254_740_992.0).contains(&number) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "whole and bounded above")]
    Some(number as i64)
}

/// Reads a boolean: `true`, `"true"`, `1` and their opposites.
pub(in crate::search::decode) fn flag(object: &Object, name: &str) -> Option<bool> {
    match object.get(name)? {
        Node::Bool(flag) => Some(*flag),
        Node::Number(number) => match number.as_u64()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        },
        Node::Text(text) => text.trim().to_ascii_lowercase().parse().ok(),
        _ => None,
    }
}
