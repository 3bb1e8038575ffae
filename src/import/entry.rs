//! One address that another program watched, and whether it is a feed.

use crate::model::{is_blank, whole_start};

/// The most entries read from a file.
pub const MOST: usize = 5_000;

/// An address to watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Name shown to people, if there is one.
    pub title: Option<String>,
    /// The folder or tag it was in; nested folders with ` / ` between them.
    pub folder: Option<String>,
    pub url: String,
    /// Whether the file marks it as a feed.
    pub is_feed: bool,
    /// Why it cannot be watched, if the file shows a reason.
    pub unfit: Option<&'static str>,
}

impl Entry {
    /// Whether it is a feed, by what the file says or by the usual names of feeds.
    #[must_use]
    pub fn looks_like_a_feed(&self) -> bool {
        let url = self.url.to_ascii_lowercase();
        let path = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        let last = path.rsplit('/').next().unwrap_or_default();
        let ending = [".xml", ".rss", ".atom", ".rdf", ".json"].iter().any(|ending| last.ends_with(ending));
        let word = |word: &str| matches!(word, "feed" | "feeds" | "rss" | "rss2" | "atom" | "rdf");
        let named = last.split(|c: char| !c.is_ascii_alphanumeric()).any(word);
        self.is_feed || ending || named || url.contains("feed=") || url.contains("format=rss")
    }
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    pub text: String,
    pub hint: String,
}

impl Unreadable {
    pub(super) fn new(text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { text: text.into(), hint: hint.into() }
    }
}

/// The longest name, in characters: that of a topic's title.
const LONGEST_NAME: usize = 200;

/// Cleans a name: one line, limited length, no control characters. Returns `None` if a reader sees nothing of it.
pub(super) fn name(text: &str) -> Option<String> {
    let line: String =
        shorten(text).chars().map(|c| if c.is_control() || c.is_whitespace() { ' ' } else { c }).collect();
    let line = line.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    (!is_blank(&line)).then_some(line)
}

/// Returns the part of a name that fits a title.
pub(super) fn shorten(name: &str) -> &str {
    whole_start(name, LONGEST_NAME, |_| 1)
}
