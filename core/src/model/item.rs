//! What a source shows: a post or a page as it was found, with what is known about it, and as it is after identity and
//! window were decided. Every field that a reply may leave out is an `Option`; nothing is invented.

use super::{Source, Time, closed_list};

closed_list! {
    /// What kind of thing an item is.
    Kind {
        /// A post of a social platform.
        Post = "post",
        /// A page of the web.
        Page = "page",
    }
}

/// Before November 2010 ids of X were counted one by one, up to just under this number; those carry no time.
const FIRST_TIMED_ID: i64 = 30_000_000_000;

/// The time that an id of X carries, exact to the millisecond; `None` for older ids and what is no id.
#[must_use]
pub fn time_of_post_id(id: &str) -> Option<Time> {
    const EPOCH_MS: i64 = 1_288_834_974_657;
    const LOW_BITS: u32 = 22;
    let digits = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = id.parse().ok().filter(|number| digits && *number >= FIRST_TIMED_ID)?;
    (number >> LOW_BITS).checked_add(EPOCH_MS).map(Time)
}

closed_list! {
    /// How far back a search looks, in the contract's own words.
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
    /// Whether an item's published time lies in the window that was asked for; checked here, never believed.
    WindowFit {
        /// Inside the window.
        In = "in",
        /// Older than the window, or implausibly in the future.
        Outside = "outside",
        /// The reply carried no date that could be read.
        Undated = "undated",
    }
}

/// Reactions to an item at the moment it was seen; each may be unknown.
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

/// One entry of a reply, decoded but not yet judged. Texts are valid UTF-8 without NUL and within the length limits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// Post or page, by the entry's shape. `None` only in `Default`.
    pub kind: Option<Kind>,
    /// The platform's id, as text (19 digits do not survive a float).
    pub id: Option<String>,
    /// The address as given.
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
    /// When it was published, when a date could be read.
    pub published_at: Option<Time>,
    pub engagement: Engagement,
    /// Whether the reply calls it a repost.
    pub is_repost: Option<bool>,
    /// Whether the reply calls it a quote.
    pub is_quote: Option<bool>,
    /// The thread it belongs to.
    pub conversation_id: Option<String>,
    /// What tells entries of one address apart, where an address has several.
    pub entry: Option<String>,
    /// Its place in the reply, from 1.
    pub rank: u32,
}

/// Digits of a page's key that tell entries of one address apart, behind a `#`.
pub const ENTRY_DIGITS: usize = 16;

/// The key of the page on which an entry is told apart; `None` for any other key. No address as it is compared ends so.
#[must_use]
pub fn page_of_entry(key: &str) -> Option<&str> {
    let (page, digits) = key.rsplit_once('#').filter(|_| key.starts_with("page:"))?;
    let hexadecimal = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    (digits.len() == ENTRY_DIGITS && digits.bytes().all(hexadecimal)).then_some(page)
}

/// An AI summary.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Answer {
    pub text: String,
    /// The label of the model that wrote it, when given.
    pub model: Option<String>,
    /// Whether the stream ended before its completion.
    pub partial: bool,
}

/// An entry after identity and window were decided: what the store keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The source whose reply held it.
    pub source: Source,
    /// The entry, cleaned; its `url` is the address to show, not the key.
    pub found: Found,
    /// Post or page.
    pub kind: Kind,
    /// Identity keys, the strongest first; never empty. See `normalise::identity`.
    pub keys: Vec<String>,
    /// Whether the first key is a strong one (platform id or canonical URL) rather than a text fingerprint.
    pub strong: bool,
    /// In, outside or undated.
    pub fit: WindowFit,
}

/// Prefix of identity keys that rest on an author and a text rather than on an id or an address.
pub const TEXT_KEY_PREFIX: &str = "text:";
