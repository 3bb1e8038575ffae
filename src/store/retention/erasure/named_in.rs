//! Detects whether a text names a forgotten author or item: handles and keys in text, pages, JSON and people's words.

use std::collections::HashSet;

use super::tombstones::{TombstoneKind, Tombstones};

/// Longest name that is compared, in bytes; keys are not longer.
const MOST_NAME: usize = 600;

/// Field names in stored data and in replies of services: between quotes and before a colon they are not handles.
const FIELDS: [&str; 36] = [
    "alert",
    "author",
    "bio",
    "channel",
    "cited",
    "content",
    "created_at",
    "data",
    "description",
    "event",
    "from",
    "handle",
    "id",
    "items",
    "key",
    "kind",
    "lang",
    "link",
    "links",
    "name",
    "post",
    "posts",
    "query",
    "results",
    "snippet",
    "source",
    "summary",
    "text",
    "title",
    "topic",
    "type",
    "url",
    "user",
    "username",
    "value",
    "x",
];

/// Prefixes of item keys.
const KEYS_BEGIN: [&str; 3] = ["post", "page", "text"];

impl Tombstones {
    /// Returns whether a text names a forgotten author or item: by a handle after `@`, `/`, `:`, `"` or `>` (a mention,
    /// an address, a query, JSON, HTML), by a handle with its server, or by a whole handle or key between quotes or
    /// tags. Elsewhere a handle does not count, since it may be a common word. Field names and parts of keys are not
    /// handles.
    #[must_use]
    pub fn mentions_forgotten(&self, text: &str) -> bool {
        if !self.any(TombstoneKind::Author) && !self.any(TombstoneKind::Item) {
            return false;
        }
        let mut checked: HashSet<&str> = HashSet::new();
        if self.matches_whole(text.trim(), &mut checked) {
            return true;
        }
        for (at, mark) in text.char_indices() {
            if !matches!(mark, '@' | '＠' | '/' | ':' | '"' | '>') {
                continue;
            }
            let rest = text.get(at + mark.len_utf8()..).unwrap_or_default();
            let end = rest.find(|c: char| !is_of_handle(c)).unwrap_or(rest.len());
            let word = rest.get(..end).unwrap_or_default().trim_end_matches(['.', '-']);
            let after = rest.get(word.len()..).unwrap_or_default();
            let before_colon = || after.strip_prefix('"').is_some_and(|more| more.trim_start().starts_with(':'));
            let field = mark == '"' && FIELDS.contains(&word) && before_colon();
            // In `post:x:20`, neither `post` nor `x` is a handle.
            let of_key = match mark {
                ':' => text.get(..at).is_some_and(ends_with_post) && after.starts_with(':'),
                _ => KEYS_BEGIN.contains(&word) && after.starts_with(':'),
            };
            if field || of_key && mark == ':' {
                continue;
            }
            let may_be_handle = !word.is_empty() && word.len() <= MOST_NAME && !of_key;
            if may_be_handle && checked.insert(word) && self.has(TombstoneKind::Author, word) {
                return true;
            }
            // A handle with its server, `@jane@social.example`. No common word has this form, so it needs no mark.
            let end = at + mark.len_utf8() + word.len();
            if mark == '@'
                && let Some(whole) = with_server(text, at, end)
                && self.matches_whole(whole, &mut checked)
            {
                return true;
            }
            if matches!(mark, '"' | '>')
                && let Some(quoted) = before(rest, ['"', '<'])
                && self.matches_whole(quoted, &mut checked)
            {
                return true;
            }
        }
        false
    }

    /// Like [`Self::mentions_forgotten`] for a text that a person wrote: a handle among its words counts, too.
    #[must_use]
    pub fn named_in_prose(&self, text: &str) -> bool {
        // A leading `-` excludes a word from a search.
        let words = || text.split(|c: char| !is_of_handle(c)).map(|word| word.trim_matches(['.', '-']));
        self.mentions_forgotten(text)
            || (self.any(TombstoneKind::Author)
                && words()
                    .any(|word| !word.is_empty() && word.len() <= MOST_NAME && self.has(TombstoneKind::Author, word)))
    }

    fn matches_whole<'t>(&self, name: &'t str, checked: &mut HashSet<&'t str>) -> bool {
        let has_valid_length = !name.is_empty() && name.len() <= MOST_NAME;
        // The word may have been checked as a handle already, but not as a key.
        let is_key = has_valid_length && name.contains(':') && self.has(TombstoneKind::Item, name);
        is_key || (has_valid_length && checked.insert(name) && self.has(TombstoneKind::Author, name))
    }
}

/// Returns the handle that has its server after the `@` at this place, up to `end`; `None` if it has no name or no server.
fn with_server(text: &str, at: usize, end: usize) -> Option<&str> {
    let begin = text.get(..at)?.trim_end_matches(is_of_handle).len();
    text.get(begin..end).filter(|_| begin < at && at + 1 < end)
}

/// Returns whether a key of a post may begin at the end of this text.
fn ends_with_post(text: &str) -> bool {
    text.strip_suffix("post").is_some_and(|before| !before.ends_with(is_of_handle))
}

fn is_of_handle(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// Returns the text before the first of these characters, if one comes within [`MOST_NAME`] bytes.
fn before(text: &str, ends: [char; 2]) -> Option<&str> {
    let mut near = text.len().min(MOST_NAME + 1);
    while !text.is_char_boundary(near) {
        near -= 1;
    }
    let end = text.get(..near)?.find(ends)?;
    text.get(..end)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;
    use crate::model::Time;
    use crate::store::retention::erasure::tombstones::{ForgetKey, Tombstone};

    fn of(names: &[(TombstoneKind, &str)]) -> Tombstones {
        let key = ForgetKey::parse(&"ab".repeat(32)).unwrap();
        let all: Vec<Tombstone> = names
            .iter()
            .map(|(kind, name)| Tombstone { kind: *kind, hash: key.hash(*kind, name), at: Time(0) })
            .collect();
        Tombstones::new(key, &all)
    }

    #[test]
    fn an_author_is_found_in_handle_positions_not_as_a_common_word() {
        let tombstones = of(&[(TombstoneKind::Author, "@Jane_D")]);
        for text in [
            "thanks @jane_d!",
            "see https://x.com/Jane_D/status/20",
            "from:JANE_D launch",
            r#"{"user": {"username":"Jane_D"}}"#,
            "<bdi>@jane_d</bdi>",
            "<td>Jane_D</td>",
            "jane_d",
            "＠jane_d.",
        ] {
            assert!(tombstones.mentions_forgotten(text), "{text}");
        }
        for text in ["", "a word jane_d in between", "@jane_dd", "@other", "https://x.com/jane", "\"", "@", ">"] {
            assert!(!tombstones.mentions_forgotten(text), "{text}");
        }
        assert!(tombstones.has(TombstoneKind::Author, " @JANE_d ") && !tombstones.has(TombstoneKind::Item, "jane_d"));
        assert!(!of(&[]).mentions_forgotten("@jane_d"));
    }

    #[test]
    fn a_handle_with_a_server_matches_only_with_that_server() {
        let tombstones = of(&[(TombstoneKind::Author, "Jane@Social.example")]);
        for text in
            ["see @jane@social.example.", "ask jane@social.example, please", r#"{"acct":"jane@social.example"}"#]
        {
            assert!(tombstones.mentions_forgotten(text), "{text}");
        }
        for text in ["@jane", "@social.example", "mary-jane@social.example", "@jane@social.example.org", "jane@", "@@"]
        {
            assert!(!tombstones.mentions_forgotten(text), "{text}");
        }
    }

    #[test]
    fn a_short_handle_is_not_matched_in_keys_and_field_names() {
        for handle in ["x", "post", "text", "author"] {
            let tombstones = of(&[(TombstoneKind::Author, handle)]);
            for text in [
                r#"["post:x:20", "page:https://a.example/", "text:0123"]"#,
                r#"{"text": "hello", "author" : "jane", "post":1}"#,
                "<code>post:x:20</code>",
                "see post:x:20 and page:https://a.example/",
            ] {
                assert!(!tombstones.mentions_forgotten(text), "{handle}: {text}");
            }
            for text in [format!("@{handle} says"), format!(r#"{{"user":"{handle}"}}"#), format!("from:{handle}")] {
                assert!(tombstones.mentions_forgotten(&text), "{text}");
            }
            // A handle that is a key of a map, or part of a repost, counts.
            for text in [r#"{"mentions": {"jane_d": 1}}"#, "repost:jane_d: hello"] {
                assert!(of(&[(TombstoneKind::Author, "jane_d")]).mentions_forgotten(text), "{text}");
            }
            let both = format!(r#"["post:x:20"], {{"text": 1, "user": "{handle}"}}"#);
            assert!(tombstones.mentions_forgotten(&both), "{both}");
        }
    }

    #[test]
    fn a_bare_handle_counts_in_text_written_by_a_person() {
        let tombstones = of(&[(TombstoneKind::Author, "jane_d")]);
        for text in ["Jane_D asked for it", "(jane_d)", "acme -jane_d", "for @jane_d.", "paused, jane_d."] {
            assert!(tombstones.named_in_prose(text), "{text}");
        }
        for text in ["", "jane", "jane_d2", "x.jane_d"] {
            assert!(!tombstones.named_in_prose(text), "{text}");
        }
    }

    #[test]
    fn an_item_is_found_by_its_key_between_quotes_or_tags() {
        let tombstones = of(&[(TombstoneKind::Item, "post:x:20"), (TombstoneKind::Author, "Jane Doe")]);
        for text in [r#"{"key":"post:x:20"}"#, "<code>post:x:20</code>", "post:x:20", r#""author": "jane doe""#] {
            assert!(tombstones.mentions_forgotten(text), "{text}");
        }
        for text in ["<code>post:x:200</code>", "the post:x:20 of yesterday", "jane"] {
            assert!(!tombstones.mentions_forgotten(text), "{text}");
        }
        let page = of(&[(TombstoneKind::Item, "page:https://a.example/")]);
        let entry = "page:https://a.example/#0123456789abcdef";
        assert!(
            page.has(TombstoneKind::Item, entry)
                && !of(&[(TombstoneKind::Item, entry)]).has(TombstoneKind::Item, "page:https://a.example/")
        );
        assert!(!page.has(TombstoneKind::Item, "page:https://a.example/#/0123456789abcdef"));
        let long = format!("\"{}\u{e9}", "é".repeat(400));
        assert!(!tombstones.mentions_forgotten(&long));
    }
}
