//! The part of a JSON document that the decoder uses, in document order. Members that no reader asks for are left out.
//! `build` parses it.

use std::borrow::Cow;

use serde_json::Number;

/// Every member name that is ever read. In debug builds, [`Object::get`] checks that readers list their names here.
const NAMES: &[&str] = &[
    // Lists and wrappers.
    "results",
    "tweets",
    "data",
    "miner_tweets",
    "search",
    "search_results",
    "organic_results",
    // Answers, frames, bookkeeping.
    "summary",
    "response",
    "completion",
    "text",
    "content",
    "source",
    "model",
    "type",
    "role",
    "cost_usd",
    "usage",
    "cost",
    "total_cost",
    "currency",
    // Frames of other services' streams.
    "done",
    "choices",
    "index",
    "delta",
    "finish_reason",
    // Errors.
    "error",
    "errors",
    "detail",
    "message",
    "msg",
    "reason",
    "description",
    "code",
    "success",
    "ok",
    // Posts.
    "id",
    "id_str",
    "full_text",
    "created_at",
    "url",
    "user",
    "author",
    "username",
    "screen_name",
    "name",
    "lang",
    "is_retweet",
    "is_quote_tweet",
    "conversation_id",
    "like_count",
    "favorite_count",
    "retweet_count",
    "reply_count",
    "quote_count",
    "bookmark_count",
    "view_count",
    "impression_count",
    // Pages.
    "link",
    "title",
    "snippet",
    "highlights",
    "published_date",
    "date",
];

/// A JSON value. Depth is bounded by the parser.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::search::decode) enum Node {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(List),
    Object(Object),
}

/// The first entries of a list, and the number of further ones.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::search::decode) struct List {
    pub(in crate::search::decode) items: Vec<Node>,
    pub(in crate::search::decode) dropped: u32,
}

/// An object's members with known names.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::search::decode) struct Object {
    pub(in crate::search::decode) members: Vec<(Cow<'static, str>, Node)>,
    /// The first unknown member that holds a non-empty list.
    pub(in crate::search::decode) strange: Option<String>,
    /// Whether there are unknown members that the wrapper of an answer does not have.
    pub(in crate::search::decode) foreign: bool,
    /// The first unknown member that is not about cost or usage.
    pub(in crate::search::decode) unknown: Option<String>,
}

/// Members about cost and usage, not about results.
const BOOKKEEPING: &[&str] = &["cost_usd", "usage", "usage_count", "service", "currency", "meta"];

/// Whether a member is only about cost and usage.
pub(super) fn is_billing_field(name: &str) -> bool {
    BOOKKEEPING.contains(&name)
}

impl Object {
    /// Returns the member of that name; the last one when there are several, as in most parsers.
    pub(in crate::search::decode) fn get(&self, name: &str) -> Option<&Node> {
        debug_assert!(known_name(name).is_some(), "{name} is read but not listed");
        self.members.iter().rev().find(|(key, _)| key == name).map(|(_, node)| node)
    }

    /// Whether it holds nothing except perhaps the cost: `{}` may stand in place of a list.
    pub(in crate::search::decode) fn is_empty(&self) -> bool {
        self.unknown.is_none() && self.members.iter().all(|(name, _)| is_billing_field(name))
    }
}

/// Whether a name ends like the name of a list.
pub(in crate::search::decode) fn is_list_suffix(name: &str) -> bool {
    name.ends_with("_search") || name.ends_with("_search_results")
}

/// Returns the name if it is one that is read, without a copy where possible.
pub(super) fn known_name(name: &str) -> Option<Cow<'static, str>> {
    if let Some(name) = NAMES.iter().find(|known| **known == name) {
        return Some(Cow::Borrowed(name));
    }
    is_list_suffix(name).then(|| Cow::Owned(name.to_owned()))
}
