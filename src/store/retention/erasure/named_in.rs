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
    /// an address, a query, JSON, HTML), or by a whole handle or key between quotes or tags. Elsewhere a handle does
    /// not count, since it may be a common word. Field names and parts of keys are not handles.
    #[must_use]
    pub fn mentions_forgotten(&self, text: &str) -> bool {
        if !self.any(TombstoneKind::Author) && !self.any(TombstoneKind::Item) {
            return false;
        }
        let mut looked: HashSet<&str> = HashSet::new();
        if self.matches_whole(text.trim(), &mut looked) {
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
            let fits = !word.is_empty() && word.len() <= MOST_NAME && !of_key;
            if fits && looked.insert(word) && self.has(TombstoneKind::Author, word) {
                return true;
            }
            if matches!(mark, '"' | '>')
                && let Some(whole) = before(rest, ['"', '<'])
                && self.matches_whole(whole, &mut looked)
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

    fn matches_whole<'t>(&self, whole: &'t str, looked: &mut HashSet<&'t str>) -> bool {
        let fits = !whole.is_empty() && whole.len() <= MOST_NAME;
        // The word may have been checked as a handle already, but not as a key.
        let is_key = fits && whole.contains(':') && self.has(TombstoneKind::Item, whole);
        is_key || (fits && looked.insert(whole) && self.has(TombstoneKind::Author, whole))
    }
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
    fn an_author_is_named_where_handles_stand_and_not_by_a_common_word() {
        let known = of(&[(TombstoneKind::Author, "@Jane_D")]);
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
            assert!(known.mentions_forgotten(text), "{text}");
        }
        for text in ["", "a word jane_d in between", "@jane_dd", "@other", "https://x.com/jane", "\"", "@", ">"] {
            assert!(!known.mentions_forgotten(text), "{text}");
        }
        assert!(known.has(TombstoneKind::Author, " @JANE_d ") && !known.has(TombstoneKind::Item, "jane_d"));
        assert!(!of(&[]).mentions_forgotten("@jane_d"));
    }

    #[test]
    fn a_short_handle_is_no_part_of_a_key_and_no_name_of_a_field() {
        for handle in ["x", "post", "text", "author"] {
            let known = of(&[(TombstoneKind::Author, handle)]);
            for text in [
                r#"["post:x:20", "page:https://a.example/", "text:0123"]"#,
                r#"{"text": "hello", "author" : "jane", "post":1}"#,
                "<code>post:x:20</code>",
                "see post:x:20 and page:https://a.example/",
            ] {
                assert!(!known.mentions_forgotten(text), "{handle}: {text}");
            }
            for text in [format!("@{handle} says"), format!(r#"{{"user":"{handle}"}}"#), format!("from:{handle}")] {
                assert!(known.mentions_forgotten(&text), "{text}");
            }
            // A handle that is a key of a map, or part of a repost, counts.
            for text in [r#"{"mentions": {"jane_d": 1}}"#, "repost:jane_d: hello"] {
                assert!(of(&[(TombstoneKind::Author, "jane_d")]).mentions_forgotten(text), "{text}");
            }
            let both = format!(r#"["post:x:20"], {{"text": 1, "user": "{handle}"}}"#);
            assert!(known.mentions_forgotten(&both), "{both}");
        }
    }

    #[test]
    fn in_words_of_a_person_a_bare_handle_counts() {
        let known = of(&[(TombstoneKind::Author, "jane_d")]);
        for text in ["Jane_D asked for it", "(jane_d)", "acme -jane_d", "for @jane_d.", "paused, jane_d."] {
            assert!(known.named_in_prose(text), "{text}");
        }
        for text in ["", "jane", "jane_d2", "x.jane_d"] {
            assert!(!known.named_in_prose(text), "{text}");
        }
    }

    #[test]
    fn an_item_is_named_by_its_key_between_quotes_or_tags() {
        let known = of(&[(TombstoneKind::Item, "post:x:20"), (TombstoneKind::Author, "Jane Doe")]);
        for text in [r#"{"key":"post:x:20"}"#, "<code>post:x:20</code>", "post:x:20", r#""author": "jane doe""#] {
            assert!(known.mentions_forgotten(text), "{text}");
        }
        for text in ["<code>post:x:200</code>", "the post:x:20 of yesterday", "jane"] {
            assert!(!known.mentions_forgotten(text), "{text}");
        }
        let page = of(&[(TombstoneKind::Item, "page:https://a.example/")]);
        let entry = "page:https://a.example/#0123456789abcdef";
        assert!(
            page.has(TombstoneKind::Item, entry)
                && !of(&[(TombstoneKind::Item, entry)]).has(TombstoneKind::Item, "page:https://a.example/")
        );
        assert!(!page.has(TombstoneKind::Item, "page:https://a.example/#/0123456789abcdef"));
        let long = format!("\"{}\u{e9}", "é".repeat(400));
        assert!(!known.mentions_forgotten(&long));
    }
}
