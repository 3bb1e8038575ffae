//! Reads one entry of a list as a post or a page. The members of the entry decide; the list's name and the source only
//! break ties.

pub(super) mod date;
pub(super) mod field;
mod page;
mod post;

use super::context::Context;
use super::json::node::{Node, Object};
use crate::model::{Kind, ReplyEntry, Source};

/// Reads an entry. `None` when it has neither a text nor a title nor an address.
pub(super) fn read(entry: &Node, hint: Option<Kind>, context: &Context) -> Option<ReplyEntry> {
    match entry {
        Node::Text(text) => bare(text, context),
        Node::Object(object) => match kind(object, hint, context.source)? {
            Kind::Post => Some(post::read(object, context)),
            Kind::Page => Some(page::read(object, context)),
        },
        _ => None,
    }
}

/// Whether an object is an entry on its own.
pub(super) fn is_entry(object: &Object, hint: Option<Kind>, source: Source) -> bool {
    kind(object, hint, source).is_some()
}

/// Reads a bare text: the text of a post, unless it is an address.
fn bare(text: &str, context: &Context) -> Option<ReplyEntry> {
    let max = context.limits.max_field_chars;
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return None;
    }
    let is_address = (trimmed.starts_with("https://") || trimmed.starts_with("http://"))
        && !trimmed.contains(char::is_whitespace)
        && trimmed.chars().nth(max).is_none();
    Some(if is_address {
        ReplyEntry { kind: Some(Kind::Page), url: Some(trimmed.to_owned()), ..ReplyEntry::default() }
    } else {
        ReplyEntry {
            kind: Some(Kind::Post),
            text: Some(field::truncate(text, max).to_owned()),
            ..ReplyEntry::default()
        }
    })
}

fn kind(entry: &Object, hint: Option<Kind>, source: Source) -> Option<Kind> {
    let marked = post::is_marked(entry);
    let address = match entry.get("url").or_else(|| entry.get("link")) {
        Some(Node::Text(address)) if !address.trim().is_empty() => Some(address.trim()),
        _ => None,
    };
    let has_highlights = matches!(entry.get("highlights"), Some(Node::List(list)) if !list.items.is_empty());
    let tie = || match (address, hint, source) {
        (Some(address), _, _) if is_post_address(address) => Kind::Post,
        (_, Some(kind), _) => kind,
        (_, None, Source::Social) => Kind::Post,
        (_, None, _) => Kind::Page,
    };
    if field::has_text(entry, &["title", "snippet"]) || has_highlights {
        Some(Kind::Page)
    } else if field::has_text(entry, post::TEXT) {
        let only_link = entry.get("link").is_some() && entry.get("url").is_none();
        Some(match (marked, address) {
            (true, _) | (false, None) => Kind::Post,
            (false, Some(_)) if only_link => Kind::Page,
            (false, Some(_)) => tie(),
        })
    } else if address.is_some() {
        Some(if marked { Kind::Post } else { tie() })
    } else {
        None
    }
}

/// Whether an address is that of a post on X, by its two known hosts.
fn is_post_address(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.to_ascii_lowercase();
    let host = host.trim_start_matches("www.").trim_start_matches("mobile.").trim_start_matches("m.");
    matches!(host, "x.com" | "twitter.com") && path.contains("status/")
}
