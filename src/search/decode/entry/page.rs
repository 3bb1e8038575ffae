//! Reads an entry that is a web page. `entry` decides whether it is one.

use super::{date, field};
use crate::model::{Kind, ReplyEntry};
use crate::search::decode::context::Context;
use crate::search::decode::json::node::{Node, Object};

/// Reads the page in an entry. Ignores its `id`, which is not a platform's id.
pub(in crate::search::decode) fn read(entry: &Object, context: &Context) -> ReplyEntry {
    let max = context.limits.max_field_chars;
    ReplyEntry {
        kind: Some(Kind::Page),
        url: field::address(entry, &["url", "link"], max),
        author_name: field::text(entry, &["author"], max),
        title: field::text(entry, &["title"], max),
        text: field::text(entry, &["snippet", "content", "text"], max).or_else(|| highlights(entry, max)),
        lang: field::label(entry, &["lang"]),
        published_at: date::first_date(entry, &["published_date", "date", "created_at"], context.now),
        ..ReplyEntry::default()
    }
}

/// Joins the highlights to one text, one per line.
fn highlights(entry: &Object, max: usize) -> Option<String> {
    let text = match entry.get("highlights")? {
        Node::List(list) => {
            let lines = list.items.iter().filter_map(|item| match item {
                Node::Text(text) if !text.trim().is_empty() => Some(text.as_str()),
                _ => None,
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        Node::Text(text) => text.clone(),
        _ => return None,
    };
    (!text.trim().is_empty()).then(|| field::truncate(&text, max).to_owned())
}
