//! The sandbox's data: posts, pages, search criteria, and hours.

use crate::model::Time;

/// Milliseconds in an hour. Within one hour of the clock a query always gets the same answer.
pub(crate) const HOUR_MS: i64 = 3_600_000;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Post {
    /// Platform id as text.
    pub(crate) id: Option<String>,
    pub(crate) text: String,
    pub(crate) author: Option<Author>,
    /// When it was published, in milliseconds since the epoch.
    pub(crate) published: i64,
    pub(crate) lang: Option<String>,
    /// Reactions, when known.
    pub(crate) counts: Option<Counts>,
    /// Whether it is a repost of another post.
    pub(crate) is_repost: bool,
    /// How its entry in a reply differs from the full one.
    pub(crate) quirk: Quirk,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Author {
    /// Handle without `@`.
    pub(crate) handle: String,
    /// The display name.
    pub(crate) name: String,
    /// Followers, when known.
    pub(crate) followers: Option<u64>,
}

/// Reactions to a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub(crate) likes: u64,
    pub(crate) reposts: u64,
    pub(crate) replies: u64,
}

/// How an entry differs from the full one. Endpoints whose published clients check every field use only the first four.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quirk {
    /// All fields, English date.
    Full,
    /// All fields, ISO date.
    IsoDate,
    NoUser,
    NoUrl,
    /// `user` is the handle.
    UserIsHandle,
    /// `id` is a number.
    NumericId,
    /// No `id`: it is only in the address.
    IdInUrl,
    /// No date.
    Undated,
    /// `text` and the handle, nothing else.
    TextAndHandle,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Page {
    pub(crate) url: String,
    pub(crate) title: String,
    /// Beginning or summary; may be empty.
    pub(crate) snippet: String,
    /// When it was published, and in which form.
    pub(crate) date: PageDate,
}

/// A page's date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageDate {
    /// ISO 8601, milliseconds since the epoch.
    Iso(i64),
    /// `17 hours ago`.
    HoursAgo(i64),
    /// `3 days ago`.
    DaysAgo(i64),
    /// The date is not known.
    Unknown,
}

/// What to search for.
#[derive(Debug, Clone)]
pub(crate) struct CorpusQuery<'a> {
    /// The query as it was sent.
    pub(crate) query: &'a str,
    /// The clock, rounded down to the hour.
    pub(crate) hour: Hour,
    /// The maximum age of a post, in hours.
    pub(crate) hours_back: i64,
    pub(crate) limit: usize,
}

/// A whole hour since the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hour(pub(crate) i64);

impl Hour {
    /// Returns the hour of an instant.
    pub(crate) fn of(at: Time) -> Self {
        Self(at.0.div_euclid(HOUR_MS))
    }

    /// Returns its first millisecond.
    pub(crate) fn start(self) -> i64 {
        self.0.saturating_mul(HOUR_MS)
    }
}
