//! Terms: countable pieces of a text. A term is a string; its first character encodes its kind. `normalise::words`
//! extracts terms; `insight::terms` finds those that are news.

use crate::model::closed_list;

/// Prefixes of hashtags, mentions and domains. Folding turns these characters into ASCII, so no ordinary word can start
/// with one.
pub const TAG_SIGN: char = '＃';
pub const NAME_SIGN: char = '＠';
pub const SITE_SIGN: char = '／';

closed_list! {
    /// The kind of a term.
    TermKind {
        Word = "word",
        /// Two consecutive words.
        Phrase = "phrase",
        Hashtag = "hashtag",
        /// An account's name.
        Mention = "mention",
        /// The domain of a link or page.
        Domain = "domain",
        Emoji = "emoji",
    }
}

impl TermKind {
    /// Returns the kind of a term.
    #[must_use]
    pub fn of(term: &str) -> Self {
        match term.chars().next() {
            Some(TAG_SIGN) => Self::Hashtag,
            Some(NAME_SIGN) => Self::Mention,
            Some(SITE_SIGN) => Self::Domain,
            _ if term.contains(' ') => Self::Phrase,
            _ if term.chars().any(char::is_alphanumeric) => Self::Word,
            _ => Self::Emoji,
        }
    }
}

/// Formats a term for people: `#tag`, `@name`.
#[must_use]
pub fn format_term(term: &str) -> String {
    match term.chars().next() {
        Some(TAG_SIGN) => format!("#{}", bare_term(term)),
        Some(NAME_SIGN) => format!("@{}", bare_term(term)),
        _ => bare_term(term).to_owned(),
    }
}

/// Removes a term's prefix.
#[must_use]
pub fn bare_term(term: &str) -> &str {
    term.strip_prefix([TAG_SIGN, NAME_SIGN, SITE_SIGN]).unwrap_or(term)
}
