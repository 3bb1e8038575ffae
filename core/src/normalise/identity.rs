//! Identity keys: decide which entries are the same item, within a run, across runs and in both databases. Near-copies
//! are a different matter: two authors who post the same text are two items. The rules for users are in
//! `docs/explanation/identity.md`; `tests/golden/keys.tsv` pins the keys.

use super::post::{PostAddress, X, post_of_url};
use super::text::{digest, fold};
use super::url::canonical;
use crate::model::{ENTRY_DIGITS, Kind, ReplyEntry};

/// Version of the rules, stored with every key. If a key changes for any input, raise it.
pub const KEY_VERSION: i64 = 1;

/// The longest id accepted, in bytes.
const MAX_ID_BYTES: usize = 64;

/// Texts that serialisers write in place of a missing id. Accepting these would merge unrelated items.
const NO_IDS: [&str; 8] = ["0", "-1", "null", "none", "nil", "nan", "undefined", "unknown"];

/// Minimum length, in folded characters, of a text without an author that serves as an additional key of a post with an
/// id. Shorter texts ("thanks!", "so true") are written by many; they serve only as the sole key.
const MIN_ANONYMOUS_CHARS: usize = 40;

/// The longest page key with its full URL, in bytes. A longer URL is hashed, to keep the index small.
const MAX_PAGE_KEY_BYTES: usize = 512;

/// The longest author handle written into a key in full, in bytes.
const MAX_AUTHOR_BYTES: usize = 64;

/// The permanent identity of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Keys, strongest first. Never empty, printable ASCII, each at most 512 bytes.
    pub keys: Vec<String>,
    /// Whether the first key is a platform id or a URL rather than a text.
    pub strong: bool,
    /// Post or page, according to the first key: a page whose URL names a post is that post.
    pub kind: Kind,
}

impl Identity {
    fn strong(kind: Kind, key: String) -> Self {
        Self { keys: vec![key], strong: true, kind }
    }

    fn weak(kind: Kind, key: String) -> Self {
        Self { keys: vec![key], strong: false, kind }
    }
}

/// The identity of an entry found on `platform` (as configured, such as `X`). `None` if it has no usable id, URL or
/// text.
///
/// An entry of unknown kind is a post if it has an id, an author, a post's URL, or text without a title.
#[must_use]
pub fn identify(found: &ReplyEntry, platform: &str) -> Option<Identity> {
    let address = found.url.as_deref().and_then(post_of_url);
    match found.kind.unwrap_or_else(|| guessed_kind(found, address.is_some())) {
        Kind::Post => post_identity(found, address.as_ref(), &platform_key(platform)),
        Kind::Page => page_identity(found, address.as_ref()),
    }
}

/// The key under which a page or post with this URL would be stored. The URL determines the platform.
#[must_use]
pub fn link_key(link: &str) -> Option<String> {
    let found = ReplyEntry { kind: Some(Kind::Page), url: Some(link.to_owned()), ..ReplyEntry::default() };
    identify(&found, X)?.keys.into_iter().next()
}

/// The platform's name in keys: lower case, only letters, digits, `-` and `_`; `twitter` becomes `x`. `unknown` if
/// nothing remains.
#[must_use]
pub fn platform_key(platform: &str) -> String {
    let name: String = fold(platform)
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        .take(MAX_ID_BYTES)
        .collect();
    match name.as_str() {
        "" => "unknown".to_owned(),
        "twitter" => X.to_owned(),
        _ => name,
    }
}

/// The platform and id of a post: the entry's own id, otherwise the one in its URL.
pub(super) fn post_id(found: &ReplyEntry, address: Option<&PostAddress>, platform: &str) -> Option<(String, String)> {
    match (found.id.as_deref().and_then(valid_id), address) {
        (Some(id), Some(address)) if id == address.id => Some((address.platform.to_owned(), id.to_owned())),
        (Some(id), _) => Some((platform.to_owned(), id.to_owned())),
        (None, Some(address)) => Some((address.platform.to_owned(), address.id.clone())),
        (None, None) => None,
    }
}

/// The trimmed id; `None` if it cannot be an id.
pub(super) fn valid_id(id: &str) -> Option<&str> {
    let id = id.trim();
    let shaped = (1..=MAX_ID_BYTES).contains(&id.len())
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    (shaped && !NO_IDS.iter().any(|no| id.eq_ignore_ascii_case(no))).then_some(id)
}

/// The handle without `@` and surrounding white space; `None` if nothing is left.
pub(super) fn bare_handle(author: &str) -> Option<&str> {
    let handle = author.trim().trim_start_matches(['@', '＠']).trim();
    (!handle.is_empty()).then_some(handle)
}

fn guessed_kind(found: &ReplyEntry, names_post: bool) -> Kind {
    let has = |field: &Option<String>| field.as_deref().is_some_and(|text| !text.trim().is_empty());
    if names_post || has(&found.id) || has(&found.author) || (has(&found.text) && !has(&found.title)) {
        Kind::Post
    } else {
        Kind::Page
    }
}

fn post_identity(found: &ReplyEntry, address: Option<&PostAddress>, platform: &str) -> Option<Identity> {
    let text = folded(&found.text).or_else(|| folded(&found.title));
    let handle = address.and_then(|a| a.handle.as_deref());
    let author = author_key(found.author.as_deref().and_then(bare_handle).or(handle).unwrap_or_default());
    if let Some((platform, id)) = post_id(found, address, platform) {
        let mut identity = Identity::strong(Kind::Post, format!("post:{platform}:{id}"));
        let telling = |text: &String| !author.is_empty() || text.chars().count() >= MIN_ANONYMOUS_CHARS;
        if let Some(text) = text.filter(telling) {
            identity.keys.push(text_key(&platform, &author, &text));
        }
        return Some(identity);
    }
    match text {
        // Without an id, the URL may be that of a profile or a thread. The text distinguishes the posts.
        Some(text) => Some(Identity::weak(Kind::Post, text_key(platform, &author, &text))),
        None => page_key(found).map(|key| Identity::strong(Kind::Page, key)),
    }
}

fn page_identity(found: &ReplyEntry, address: Option<&PostAddress>) -> Option<Identity> {
    if let Some(post) = address {
        // No text key: a web search shows a snippet of the post, not its text.
        return Some(Identity::strong(Kind::Post, format!("post:{}:{}", post.platform, post.id)));
    }
    if let Some(key) = page_key(found) {
        return Some(Identity::strong(Kind::Page, key));
    }
    let text = folded(&found.title).or_else(|| folded(&found.text))?;
    // No folded text has a line feed, so this is the digest of no other text.
    let text = match &found.entry {
        Some(entry) => format!("{text}\n{entry}"),
        None => text,
    };
    Some(Identity::weak(Kind::Page, text_key("web", "", &text)))
}

/// `page:<canonical url>`, with the URL hashed if too long. The hash of `entry`, if present, is appended after `#`.
fn page_key(found: &ReplyEntry) -> Option<String> {
    let canonical = canonical(found.url.as_deref()?)?;
    let entry_suffix = found
        .entry
        .as_deref()
        .map_or_else(String::new, |entry| format!("#{}", &blake3::hash(entry.as_bytes()).to_hex()[..ENTRY_DIGITS]));
    let key = format!("page:{canonical}{entry_suffix}");
    if key.len() <= MAX_PAGE_KEY_BYTES {
        return Some(key);
    }
    let host = canonical.strip_prefix("https://").and_then(|rest| rest.split('/').next()).unwrap_or_default();
    Some(format!("page:{host}:{}{entry_suffix}", blake3::hash(canonical.as_bytes()).to_hex()))
}

/// `text:<platform>:<author>:<digest of the folded text>`.
fn text_key(platform: &str, author: &str, folded: &str) -> String {
    format!("text:{platform}:{author}:{}", digest(folded))
}

/// The author as written into a key: the folded handle, or `~` and a digest if it is not a handle (a display name, a
/// sentence). This keeps keys short and the number of colons fixed.
fn author_key(author: &str) -> String {
    let folded = fold(author);
    let is_handle = folded.len() <= MAX_AUTHOR_BYTES
        && folded.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'@'));
    if is_handle { folded } else { format!("~{}", digest(&folded)) }
}

fn folded(text: &Option<String>) -> Option<String> {
    text.as_deref().map(fold).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use proptest::prelude::*;

    use super::*;

    fn post(id: &str, author: &str, text: &str) -> ReplyEntry {
        let some = |s: &str| (!s.is_empty()).then(|| s.to_owned());
        ReplyEntry {
            kind: Some(Kind::Post),
            id: some(id),
            author: some(author),
            text: some(text),
            ..ReplyEntry::default()
        }
    }

    #[test]
    fn a_short_text_without_author_is_not_a_second_key_of_a_post() {
        let keys = |found: &ReplyEntry| identify(found, "X").unwrap().keys;
        assert_eq!(keys(&post("7", "", "so true")), ["post:x:7"]);
        assert_eq!(keys(&post("7", "jane", "so true")).len(), 2);
        assert_eq!(keys(&post("7", "", &"long ".repeat(9))).len(), 2);
        assert_eq!(keys(&post("7", "jane", "so true"))[1], keys(&post("", "@Jane", "So  TRUE"))[0]);
    }

    #[test]
    fn placeholders_and_invalid_ids_are_ignored() {
        for id in ["0", " null ", "None", "1.2e18", "a b", "é", "-1", &"9".repeat(65)] {
            assert!(!identify(&post(id, "jane", "text"), "X").unwrap().strong, "{id}");
        }
        assert_eq!(identify(&post(" abc_-9 ", "", "t"), "Reddit").unwrap().keys, ["post:reddit:abc_-9"]);
    }

    #[test]
    fn an_entry_without_readable_content_has_no_identity() {
        assert_eq!(identify(&ReplyEntry::default(), "X"), None);
        assert_eq!(identify(&post("", "jane", "\u{200b} "), "X"), None);
        let page = ReplyEntry { kind: Some(Kind::Page), url: Some("ftp://a".into()), ..ReplyEntry::default() };
        assert_eq!(identify(&page, "X"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn keys_of_any_entry_are_short_printable_and_distinct(
            post in any::<Option<bool>>(),
            id in proptest::option::of("\\PC{0,12}"),
            url in proptest::option::of("(https://(x.com|a.example)/(a/status/)?)?\\PC{0,300}"),
            author in proptest::option::of("\\PC{0,90}"),
            text in proptest::option::of("\\PC{0,60}"),
            title in proptest::option::of("\\PC{0,9}"),
            entry in proptest::option::of("\\PC{0,9}"),
            platform in "\\PC{0,9}",
        ) {
            let kind = post.map(|post| if post { Kind::Post } else { Kind::Page });
            let found = ReplyEntry { kind, id, url, author, text, title, entry, ..ReplyEntry::default() };
            if let Some(identity) = identify(&found, &platform) {
                prop_assert!(!identity.keys.is_empty());
                for key in &identity.keys {
                    prop_assert!(key.len() <= MAX_PAGE_KEY_BYTES && key.bytes().all(|b| b.is_ascii_graphic()), "{}", key);
                    let text = key.starts_with("text:");
                    prop_assert_eq!(text, !(identity.strong && *key == identity.keys[0]));
                }
            }
        }
    }
}
