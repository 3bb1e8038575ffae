//! Types of the text search: an item's tokens and a query. `normalise` turns text into tokens.

use crate::model::Kind;

/// The searchable parts of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchableItem<'a> {
    /// Post or page.
    pub kind: Kind,
    pub title: Option<&'a str>,
    pub text: Option<&'a str>,
    /// The author's handle.
    pub author: Option<&'a str>,
    /// The author's display name.
    pub author_name: Option<&'a str>,
    pub url: Option<&'a str>,
}

/// The tokens of an item, in order. A phrase query matches adjacent tokens; `None` matches nothing, so no phrase
/// extends across it. A token consists of letters, digits, marks, `_`, emoji, and may start with a full-width `＃` or
/// `＠`: nothing that is query syntax in either database.
pub type Tokens = Vec<Option<String>>;

/// Extracts the tokens of an item.
pub type Tokenise = fn(&SearchableItem<'_>) -> Tokens;

/// Tokens that must follow one another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Phrase {
    /// At least one token.
    pub tokens: Vec<String>,
    /// Whether the last token is a prefix.
    pub open: bool,
}

/// A parsed query; only `normalise` makes one from text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextQuery {
    /// All of these must occur; never empty.
    pub all: Vec<Phrase>,
    /// None of these may occur.
    pub none: Vec<Phrase>,
}
