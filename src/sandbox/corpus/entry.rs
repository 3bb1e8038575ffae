//! What the sandbox has to show: posts and pages, what is looked for, and the hour it is.

use crate::model::Time;

/// Milliseconds in an hour: within one hour of the clock a query always gets the same answer.
pub(crate) const HOUR_MS: i64 = 3_600_000;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Post {
    /// Platform id as text.
    pub(crate) id: Option<String>,
    pub(crate) text: String,
    pub(crate) author: Option<Author>,
    /// Published, milliseconds since the epoch.
    pub(crate) published: i64,
    pub(crate) lang: Option<String>,
    /// Reactions, when known.
    pub(crate) counts: Option<Counts>,
    /// Whether it repeats another post.
    pub(crate) is_repost: bool,
    /// What its entry in a reply leaves out or spells differently.
    pub(crate) quirk: Quirk,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Author {
    /// Handle without `@`.
    pub(crate) handle: String,
    /// Name the author displays.
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

/// How an entry differs from the full one. Endpoints whose published clients check every field show only the first four.
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
    /// No `id`: it is in the address only.
    IdInUrl,
    /// Those without a date.
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
    /// Published and how it is written.
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
    /// The language is not known.
    Unknown,
}

/// What is looked for.
#[derive(Debug, Clone)]
pub(crate) struct Wanted<'a> {
    /// The query as sent.
    pub(crate) query: &'a str,
    /// The clock, cut to the hour.
    pub(crate) hour: Hour,
    /// How many hours back a post may have been published.
    pub(crate) hours_back: i64,
    pub(crate) limit: usize,
}

/// A whole hour since the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hour(pub(crate) i64);

impl Hour {
    /// The hour an instant lies in.
    pub(crate) fn of(at: Time) -> Self {
        Self(at.0.div_euclid(HOUR_MS))
    }

    /// Its first millisecond.
    pub(crate) fn start(self) -> i64 {
        self.0.saturating_mul(HOUR_MS)
    }
}
