//! What can be searched for: the tokens of an item's words, and what somebody asks for. How a text becomes tokens is
//! `normalise`'s; here is only what is handed about.

use super::Kind;

/// The parts of an item that can be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Readable<'a> {
    /// Post or page.
    pub kind: Kind,
    pub title: Option<&'a str>,
    pub text: Option<&'a str>,
    /// Its author's handle.
    pub author: Option<&'a str>,
    /// Its author's name.
    pub author_name: Option<&'a str>,
    pub url: Option<&'a str>,
}

/// Tokens in order: what is at a place and what follows it can be asked for as a phrase. `None` is a place that nothing
/// is found at, so that no phrase reaches over it. A token holds letters, digits, marks, `_`, emoji, and in front a
/// full-width `＃` or `＠`: nothing that either database could take for syntax.
pub type Tokens = Vec<Option<String>>;

/// Makes the tokens of an item.
pub type Tokenise = fn(&Readable<'_>) -> Tokens;

/// Tokens that follow one another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Phrase {
    /// At least one token.
    pub tokens: Vec<String>,
    /// Whether the last one may only be the begin of one.
    pub open: bool,
}

/// What somebody asks for; only `normalise` makes it of text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// All of these occur; never empty.
    pub all: Vec<Phrase>,
    /// None of these does.
    pub none: Vec<Phrase>,
}
