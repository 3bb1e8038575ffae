//! Finds the text of an AI answer in every place where deployments put it, and its model and cost. Plain replies and
//! streams use the same functions, so that both give the same text.

use super::context::Limits;
use super::entry::field;
use super::json::lenient;
use super::json::lenient::parse_nested;
use super::json::node::{Node, Object};
use crate::model::Micros;
use crate::search::cost;

/// The members that may hold an answer. The first with a text counts.
pub(super) const NAMES: &[&str] = &["summary", "response", "completion", "text"];

/// The maximum number of wrappers opened, such as an object in a text in an object.
const MAX_WRAPPERS: u32 = 4;

/// Returns the answer among an object's members.
pub(super) fn of(object: &Object, limits: Limits) -> Option<String> {
    NAMES.iter().find_map(|name| text(object.get(name)?, limits))
}

/// Whether an object has members for an answer, and all of them are empty.
pub(super) fn is_empty_answer(object: &Object) -> bool {
    let mut places = NAMES.iter().filter_map(|name| object.get(name)).peekable();
    places.peek().is_some() && places.all(is_none)
}

fn is_none(node: &Node) -> bool {
    match node {
        Node::Null => true,
        Node::Text(text) => text.trim().is_empty(),
        Node::Object(object) => object.is_empty() || is_empty_answer(object),
        Node::Bool(_) | Node::Number(_) | Node::List(_) => false,
    }
}

/// Returns the name and the text of a frame's answer, with its white space unchanged.
pub(super) fn answer_part(object: &Object) -> Option<(&'static str, &str)> {
    NAMES.iter().find_map(|name| match object.get(name)? {
        Node::Text(text) if !text.is_empty() => Some((*name, text.as_str())),
        _ => None,
    })
}

/// Reads a value as an answer's text: a text, an object that holds one, or a text that is JSON for one of them.
pub(super) fn text(node: &Node, limits: Limits) -> Option<String> {
    unwrap_text(node, limits, MAX_WRAPPERS)
}

fn unwrap_text(node: &Node, limits: Limits, wrappers: u32) -> Option<String> {
    if wrappers == 0 {
        return None;
    }
    match node {
        Node::Text(text) => {
            let trimmed = text.trim();
            if trimmed.is_empty() {
                return None;
            }
            let inner = match trimmed.as_bytes().first() {
                Some(b'{') => parse_nested(trimmed, limits).filter(is_wrapper),
                Some(b'"') => lenient::parse(trimmed, limits).ok(),
                _ => None,
            };
            inner
                .and_then(|inner| unwrap_text(&inner, limits, wrappers - 1))
                .or_else(|| Some(field::truncate(text, limits.max_field_chars).to_owned()))
        }
        Node::Object(object) => {
            NAMES.iter().chain(["content"].iter()).find_map(|name| unwrap_text(object.get(name)?, limits, wrappers - 1))
        }
        _ => None,
    }
}

/// Whether an object is a service's wrapper around an answer. An answer may itself be JSON because the prompt asked for
/// it. Such JSON has other members, and all of it is the answer.
fn is_wrapper(node: &Node) -> bool {
    let known = |name: &str| NAMES.contains(&name) || ["content", "type", "role", "source", "model"].contains(&name);
    matches!(node, Node::Object(object) if !object.foreign && object.members.iter().all(|(name, _)| known(name)))
}

/// Returns the name of the model, if given.
pub(super) fn model(object: &Object) -> Option<String> {
    field::label(object, &["source", "model"])
}

/// Returns the cost that the reply states.
pub(super) fn cost(object: &Object) -> Option<Micros> {
    let dollars = |object: &Object, name: &str| match object.get(name)? {
        Node::Number(number) => Micros::from_dollars(number.as_f64()?),
        Node::Text(text) => cost::parse(text),
        _ => None,
    };
    let is_foreign = |object: &Object| match object.get("currency") {
        Some(Node::Text(currency)) => !cost::is_dollars(currency),
        _ => false,
    };
    let usage = match object.get("usage") {
        Some(Node::Object(usage)) => Some(usage),
        _ => None,
    };
    if is_foreign(object) || usage.is_some_and(is_foreign) {
        return None;
    }
    dollars(object, "cost_usd").or_else(|| {
        let usage = usage?;
        ["cost_usd", "cost", "total_cost"].iter().find_map(|name| dollars(usage, name))
    })
}
