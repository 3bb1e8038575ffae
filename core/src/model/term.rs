//! Terms: what texts are about, in pieces that can be counted. A term is a text; its first character says what kind it is.
//! Which terms a text has is `normalise::words`'s, which of them are news `insight::terms`'s.

use super::closed_list;

/// In front of what was a hashtag, a name or the site of a link: folding makes ASCII of these, so that no word begins with
/// one.
pub const TAG_SIGN: char = '＃';
pub const NAME_SIGN: char = '＠';
pub const SITE_SIGN: char = '／';

closed_list! {
    /// What kind of term it is.
    TermKind {
        Word = "word",
        /// Two words in a row.
        Phrase = "phrase",
        Hashtag = "hashtag",
        /// The name of an account.
        Mention = "mention",
        /// The site of a link or page.
        Domain = "domain",
        Emoji = "emoji",
    }
}

impl TermKind {
    /// The kind of a term.
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

/// A term as people write it.
#[must_use]
pub fn shown_term(term: &str) -> String {
    match term.chars().next() {
        Some(TAG_SIGN) => format!("#{}", bare_term(term)),
        Some(NAME_SIGN) => format!("@{}", bare_term(term)),
        _ => bare_term(term).to_owned(),
    }
}

/// A term without its sign.
#[must_use]
pub fn bare_term(term: &str) -> &str {
    term.strip_prefix([TAG_SIGN, NAME_SIGN, SITE_SIGN]).unwrap_or(term)
}
