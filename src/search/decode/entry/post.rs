//! Reads an entry that is a post, each field on its own. `entry` decides whether it is one.

use super::{date, field};
use crate::model::{Engagement, Kind, ReplyEntry};
use crate::search::decode::context::Context;
use crate::search::decode::json::node::{Node, Object};

/// Members that only posts have.
const MARKS: &[&str] = &[
    "created_at",
    "user",
    "username",
    "screen_name",
    "full_text",
    "is_retweet",
    "is_quote_tweet",
    "conversation_id",
    "like_count",
    "favorite_count",
    "retweet_count",
    "reply_count",
    "quote_count",
    "bookmark_count",
];

/// The members that may hold a post's text.
pub(in crate::search::decode) const TEXT: &[&str] = &["full_text", "text", "content"];

/// Whether an entry has a member that only posts have.
pub(super) fn is_marked(entry: &Object) -> bool {
    MARKS.iter().any(|name| !matches!(entry.get(name), None | Some(Node::Null)))
}

/// Reads the post in an entry.
pub(in crate::search::decode) fn read(entry: &Object, context: &Context) -> ReplyEntry {
    let max = context.limits.max_field_chars;
    let (author, author_name) = author(entry, max);
    ReplyEntry {
        kind: Some(Kind::Post),
        id: field::id(entry, &["id_str", "id"]),
        url: field::address(entry, &["url", "link"], max),
        author,
        author_name,
        title: None,
        text: field::text(entry, TEXT, max),
        lang: field::label(entry, &["lang"]),
        published_at: date::first_date(entry, &["created_at", "published_date", "date"], context.now),
        engagement: Engagement {
            likes: field::count(entry, &["like_count", "favorite_count"]),
            reposts: field::count(entry, &["retweet_count"]),
            replies: field::count(entry, &["reply_count"]),
            quotes: field::count(entry, &["quote_count"]),
            bookmarks: field::count(entry, &["bookmark_count"]),
            views: field::count(entry, &["view_count", "impression_count"]),
        },
        is_repost: field::flag(entry, "is_retweet"),
        is_quote: field::flag(entry, "is_quote_tweet"),
        conversation_id: field::id(entry, &["conversation_id"]),
        entry: None,
        excerpt: false,
        rank: 0,
    }
}

/// Returns the handle and the display name, from a user object, a user given as text, or members of the post itself.
fn author(entry: &Object, max: usize) -> (Option<String>, Option<String>) {
    for name in ["user", "author"] {
        match entry.get(name) {
            Some(Node::Object(user)) => {
                let handle = field::label(user, &["username", "screen_name"]).and_then(|h| handle(&h));
                let name = field::text(user, &["name"], max);
                if handle.is_some() || name.is_some() {
                    return (handle, name);
                }
            }
            Some(Node::Text(user)) if !user.trim().is_empty() => {
                // Handles have no spaces: a text with one is a display name.
                return match handle(user) {
                    Some(handle) => (Some(handle), None),
                    None => (None, Some(field::truncate(user.trim(), max).to_owned())),
                };
            }
            _ => {}
        }
    }
    let handle = field::label(entry, &["username", "screen_name"]).and_then(|h| handle(&h));
    (handle, field::text(entry, &["name"], max))
}

/// Returns a handle without its `@`; `None` when it cannot be one.
fn handle(text: &str) -> Option<String> {
    let handle = text.trim().trim_start_matches('@');
    let is_one = !handle.is_empty() && handle.chars().count() <= 256 && !handle.contains(char::is_whitespace);
    is_one.then(|| handle.to_owned())
}
