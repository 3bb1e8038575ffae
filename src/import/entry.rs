//! One address that another program watched, and whether it is a feed.

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

/// Cleans a name: one line, limited length, no control characters. Returns `None` if nothing is left.
pub(super) fn name(text: &str) -> Option<String> {
    let line: String =
        text.chars().map(|c| if c.is_control() || c.is_whitespace() { ' ' } else { c }).take(200).collect();
    let line = line.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then_some(line)
}
