//! Data encoded in a post's URL and id: platform, post id, author and time. Only X (formerly Twitter) is supported;
//! posts of other platforms are identified by the fields of the reply.

use super::host::canonical_host;
use super::url::http_url;
use crate::model::{Time, time_of_post_id};

/// The platform key of X, under either of its names.
pub(super) const X: &str = "x";

/// Digits of the largest 64-bit id.
const MAX_ID_DIGITS: usize = 20;

/// The longest handle ever assigned.
const MAX_HANDLE_BYTES: usize = 20;

/// How far an id's time may lie after the time of the search. Beyond that it is not an X id.
const DAY_MS: i64 = 24 * 3_600 * 1_000;

/// A post identified by a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostAddress {
    /// Platform key (`x`).
    pub platform: &'static str,
    /// The platform's id.
    pub id: String,
    /// The author's handle as written, if the URL contains it.
    pub handle: Option<String>,
}

/// Parses the URL of a post: `/<handle>/status/<id>`, `/i/status/<id>`, `/i/web/status/<id>`, `/statuses/<id>` and
/// similar, on `x.com` or `twitter.com` (also with `www.`, `m.`, `mobile.`), also after `#!`. Ignores what follows the
/// id (`/photo/1`).
#[must_use]
pub fn post_of_url(text: &str) -> Option<PostAddress> {
    let url = http_url(text)?;
    if canonical_host(&url.host()?)? != "x.com" {
        return None;
    }
    let hashbang = url.fragment().and_then(|f| f.strip_prefix('!')).filter(|_| url.path() == "/");
    let mut parts = hashbang.unwrap_or(url.path()).split('/').filter(|part| !part.is_empty());
    let first = parts.next()?;
    let (handle, id) = if is_status(first) {
        (None, parts.next()?)
    } else {
        let mut next = parts.next()?;
        if first == "i" && next == "web" {
            next = parts.next()?;
        }
        if !is_status(next) {
            return None;
        }
        ((first != "i").then_some(first), parts.next()?)
    };
    let id = id.split(['?', '&']).next().unwrap_or_default();
    if handle.is_some_and(|h| !is_handle(h)) || !is_numeric_id(id) {
        return None;
    }
    Some(PostAddress { platform: X, id: id.to_owned(), handle: handle.map(str::to_owned) })
}

/// Whether a path segment is the one that precedes an id.
fn is_status(segment: &str) -> bool {
    segment.eq_ignore_ascii_case("status") || segment.eq_ignore_ascii_case("statuses")
}

/// Whether a text has the form of a handle: letters, digits and underscores.
fn is_handle(text: &str) -> bool {
    text.len() <= MAX_HANDLE_BYTES && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Whether a text has the form of an id: decimal digits without leading zeros.
fn is_numeric_id(text: &str) -> bool {
    (1..=MAX_ID_DIGITS).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0')
}

/// The time encoded in an X id since November 2010. `None` for older ids, for other ids, and for a time more than a day
/// after `asked_at`. Exact to the millisecond for real ids.
#[must_use]
pub fn snowflake_time(id: &str, asked_at: Time) -> Option<Time> {
    if !is_numeric_id(id) {
        return None;
    }
    time_of_post_id(id).filter(|at| at.0 <= asked_at.0.saturating_add(DAY_MS))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn every_url_form_of_a_post_is_recognised() {
        for (text, handle) in [
            ("https://twitter.com/Jane_D/status/20", Some("Jane_D")),
            ("http://www.x.com/Jane_D/status/20/photo/1?s=20#top", Some("Jane_D")),
            ("https://mobile.twitter.com/Jane_D/statuses/20/", Some("Jane_D")),
            ("https://m.twitter.com//Jane_D/Status/20", Some("Jane_D")),
            ("https://twitter.com/#!/Jane_D/status/20", Some("Jane_D")),
            ("https://x.com/Jane_D/status/20&t=abc", Some("Jane_D")),
            ("https://x.com/i/status/20", None),
            ("https://x.com/i/web/status/20", None),
            ("https://twitter.com/statuses/20", None),
            ("//x.com/status/20", None),
        ] {
            let found = post_of_url(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((found.platform, found.id.as_str(), found.handle.as_deref()), ("x", "20", handle), "{text}");
        }
    }

    #[test]
    fn other_urls_are_not_posts() {
        for text in [
            "https://x.com/Jane_D",
            "https://x.com/Jane_D/status/",
            "https://x.com/Jane_D/status/12x",
            "https://x.com/Jane_D/status/0",
            "https://x.com/Jane_D/status/123456789012345678901",
            "https://x.com/Jane-D/status/20",
            "https://x.com/Jane_D/lists/20",
            "https://x.com/i/events/20",
            "https://notx.com/Jane_D/status/20",
            "https://x.com.evil.example/Jane_D/status/20",
            "https://example.com/?u=https://x.com/a/status/20",
            "x.com/Jane_D/status/20",
            "",
        ] {
            assert_eq!(post_of_url(text), None, "{text}");
        }
    }

    #[test]
    fn an_id_since_november_2010_contains_its_time() {
        let now = Time::parse("2026-03-11T09:00:00Z").unwrap();
        // The example from Wikipedia's article on snowflake ids.
        let at = snowflake_time("1541815603606036480", now).unwrap();
        assert_eq!(at.to_string(), "2022-06-28T16:07:40.105Z");
        for id in ["20", "29999999999", "9223372036854775807", "18446744073709551615", "abc", "", "-5", "+30000000001"]
        {
            assert_eq!(snowflake_time(id, now), None, "{id}");
        }
    }
}
