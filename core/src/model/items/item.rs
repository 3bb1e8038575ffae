//! An item as a source returned it (post or page), and as a finding after identity and window were decided. Every field
//! that a reply may omit is an `Option`; nothing is invented.

use crate::model::{Source, Time, closed_list};

closed_list! {
    /// The kind of an item.
    Kind {
        /// A post on a social platform.
        Post = "post",
        /// A web page.
        Page = "page",
    }
}

/// Smallest X post id that encodes a time. Ids before November 2010 are smaller and sequential.
const FIRST_TIMED_ID: i64 = 30_000_000_000;

/// The time encoded in an X post id, exact to the millisecond; `None` for older ids and for text that is not an id.
#[must_use]
pub fn time_of_post_id(id: &str) -> Option<Time> {
    const EPOCH_MS: i64 = 1_288_834_974_657;
    const LOW_BITS: u32 = 22;
    let digits = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = id.parse().ok().filter(|number| digits && *number >= FIRST_TIMED_ID)?;
    (number >> LOW_BITS).checked_add(EPOCH_MS).map(Time)
}

closed_list! {
    /// How far back a search looks. The spelling is the API contract's.
    Window {
        /// The past 24 hours.
        Past24Hours = "PAST_24_HOURS",
        /// The past seven days.
        Past7Days = "PAST_7_DAYS",
    }
}

impl Window {
    /// The window's length.
    #[must_use]
    pub fn length(self) -> std::time::Duration {
        std::time::Duration::from_secs(match self {
            Self::Past24Hours => 24 * 3_600,
            Self::Past7Days => 7 * 24 * 3_600,
        })
    }
}

closed_list! {
    /// Whether an item's publication time lies in the requested window. Always checked here; the service's word is not
    /// trusted.
    WindowFit {
        /// Inside the window.
        In = "in",
        /// Outside the window. Small differences between clocks are tolerated.
        Outside = "outside",
        /// The reply had no readable date.
        Undated = "undated",
    }
}

/// Counts of reactions to an item when it was seen. Each may be unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Engagement {
    /// Likes or favourites.
    pub likes: Option<i64>,
    /// Reposts without a comment.
    pub reposts: Option<i64>,
    pub replies: Option<i64>,
    /// Reposts with a comment.
    pub quotes: Option<i64>,
    pub bookmarks: Option<i64>,
    pub views: Option<i64>,
}

/// One entry of a reply, decoded but not yet assessed. Texts are valid UTF-8 without NUL and within the length limits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReplyEntry {
    /// Post or page, by the entry's shape. `None` only in `Default`.
    pub kind: Option<Kind>,
    /// The platform's id, as text (19 digits do not survive a float).
    pub id: Option<String>,
    /// The URL as given.
    pub url: Option<String>,
    /// The author's handle, without `@`.
    pub author: Option<String>,
    /// The author's display name.
    pub author_name: Option<String>,
    /// A page's title.
    pub title: Option<String>,
    /// A post's text or a page's snippet.
    pub text: Option<String>,
    /// Language tag as the reply gave it.
    pub lang: Option<String>,
    /// The publication time, if the entry has a readable date.
    pub published_at: Option<Time>,
    pub engagement: Engagement,
    /// Whether the reply marks it as a repost.
    pub is_repost: Option<bool>,
    /// Whether the reply marks it as a quote.
    pub is_quote: Option<bool>,
    /// The id of the thread it belongs to.
    pub conversation_id: Option<String>,
    /// Distinguishes this entry from others at the same URL, if there are several.
    pub entry: Option<String>,
    /// Whether its words are one of several wordings of the page, such as an excerpt for a search: another wording is
    /// not an edit.
    pub excerpt: bool,
    /// Its place in the reply, from 1.
    pub rank: u32,
}

/// Length of the hexadecimal suffix, after `#`, that distinguishes page keys with the same URL.
pub const ENTRY_DIGITS: usize = 16;

/// The page's key without the entry suffix; `None` for any other key. A normalised URL never ends like such a suffix.
#[must_use]
pub fn page_key_of_entry(key: &str) -> Option<&str> {
    let (page, digits) = key.rsplit_once('#').filter(|_| key.starts_with("page:"))?;
    let hexadecimal = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    (digits.len() == ENTRY_DIGITS && digits.bytes().all(hexadecimal)).then_some(page)
}

/// The author in the key of a post's text, `text:<platform>:<author>:<digest>`; `None` for any other key.
#[must_use]
pub fn author_of_text_key(key: &str) -> Option<&str> {
    let (_platform, rest) = key.strip_prefix(TEXT_KEY_PREFIX)?.split_once(':')?;
    rest.rsplit_once(':').map(|(author, _digest)| author)
}

/// The keys of the pages at a post's own address on Hacker News or Bluesky: a web search that finds the post there stores
/// it under such a key. `url` is where the post was found; on Bluesky it may contain the handle, which no key does. Empty
/// for everything else.
#[must_use]
pub fn page_keys_of_post(key: &str, url: Option<&str>) -> Vec<String> {
    const PROFILE: &str = "https://bsky.app/profile/";
    if let Some(id) = key.strip_prefix("post:hackernews:") {
        return vec![format!("page:https://news.ycombinator.com/item?id={id}")];
    }
    let Some(id) = key.strip_prefix("post:bluesky:") else { return Vec::new() };
    let parts = id.strip_prefix("did-plc-").and_then(|id| id.split_once('_'));
    let by_account = parts.map(|(account, post)| format!("page:{PROFILE}did:plc:{account}/post/{post}"));
    let by_url = url.filter(|url| url.starts_with(PROFILE)).map(|url| format!("page:{}", url.trim_end_matches('/')));
    by_account.into_iter().chain(by_url).collect()
}

/// An AI summary.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Answer {
    pub text: String,
    /// The model's label, if given.
    pub model: Option<String>,
    /// Whether the stream ended before its completion.
    pub partial: bool,
}

/// An entry after identity and window were decided. This is what the store saves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The source whose reply contained it.
    pub source: Source,
    /// The cleaned entry. Its `url` is the address to show, not the key.
    pub found: ReplyEntry,
    /// Post or page.
    pub kind: Kind,
    /// Identity keys, strongest first; never empty. See `normalise::identity`.
    pub keys: Vec<String>,
    /// Whether the first key is a strong one (platform id or canonical URL) rather than a text fingerprint.
    pub strong: bool,
    /// In, outside or undated.
    pub fit: WindowFit,
}

/// Prefix of identity keys made from author and text rather than from an id or a URL.
pub const TEXT_KEY_PREFIX: &str = "text:";
