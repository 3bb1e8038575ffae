//! Tokens for the text search: those of an item, and those of a query. Both databases index only these tokens, so both
//! find the same items, and no text or query is ever parsed as database syntax. The rules for users are in
//! `docs/reference/search.md`.
//!
//! A word is a run of letters, digits and marks, folded (`fold`): `don't` is `don` then `t`; `rust-lang.org` is three
//! words. A run of a script without spaces becomes pairs of letters and its last letter: 東京都 is 東京, 京都, 都. Hashtags,
//! names and emoji follow at the end, separated by gaps; the words of a hashtag are also words.

mod address;
mod emoji;
mod fold;
mod query;
mod query_words;
mod split;
mod stop;
mod terms;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

pub use address::url_query;
pub use query::{LONGEST_QUERY, MOST_PHRASES, QueryError, parse_query, unindexed_words};
pub use query_words::QueryWords;
pub use terms::{TERM_RULES, dense_runs, terms};

use crate::model::{Kind, SearchableItem, Tokens};
use split::Piece;

/// Version of the rules. When it changes, all items are indexed again.
pub const VERSION: i64 = 2;

/// The most tokens of an item. PostgreSQL counts positions only up to 16,383.
pub const MOST_TOKENS: usize = 4_096;

/// The most hashtags, names and emoji of an item.
const MOST_SIGNS: usize = 256;

/// The most bytes of an item's tokens: a quarter of PostgreSQL's limit.
const MOST_BYTES: usize = 256 * 1_024;

/// The most positions of one token in an item. PostgreSQL stores 255.
pub const MOST_PLACES: usize = 200;

/// The most characters of a text that are tokenised.
const MOST_READ: usize = 65_536;

/// The tokens of an item: title, author, domain of a page, text, then the hashtags, names and emoji in them.
#[must_use]
pub fn tokens(item: &SearchableItem<'_>) -> Tokens {
    let mut index = Index::default();
    // Skip the domain of posts: it is the same for all of them.
    let site = item.url.filter(|_| item.kind == Kind::Page).and_then(site);
    for field in [item.title, item.author, item.author_name, site.as_deref(), item.text] {
        index.field(field.unwrap_or(""));
    }
    if let Some(author) = item.author {
        index.signs.extend(split::split(&fold::fold(&format!("@{}", author.trim_start_matches('@'))), MOST_READ).signs);
    }
    index.end()
}

fn site(url: &str) -> Option<String> {
    let host = url::Url::parse(url).ok()?.host_str()?.to_owned();
    Some(host.strip_prefix("www.").map_or(host.clone(), str::to_owned))
}

#[derive(Default)]
struct Index {
    tokens: Tokens,
    signs: Vec<String>,
    bytes: usize,
    places: HashMap<String, usize>,
}

impl Index {
    fn field(&mut self, text: &str) {
        let pieces = split::split(&fold::fold(text), MOST_READ);
        if pieces.pieces.is_empty() && pieces.signs.is_empty() {
            return;
        }
        // A phrase must not match across fields.
        self.gap();
        for piece in pieces.pieces {
            match piece {
                Piece::Word(word) => self.push(word),
                Piece::Dense(letters) => {
                    for pair in letters.windows(2) {
                        self.push(pair.concat());
                    }
                    self.push(letters.last().cloned().unwrap_or_default());
                }
            }
        }
        self.signs.extend(pieces.signs);
    }

    fn gap(&mut self) {
        if !self.tokens.is_empty() {
            self.tokens.push(None);
        }
    }

    fn push(&mut self, token: String) {
        self.bytes += token.len();
        if self.tokens.len() >= MOST_TOKENS || self.bytes > MOST_BYTES {
            return;
        }
        let places = self.places.entry(token.clone()).or_insert(0);
        *places += 1;
        // Push a gap even when the token is dropped, so that no phrase matches across it.
        self.tokens.push((*places <= MOST_PLACES).then_some(token));
    }

    fn end(mut self) -> Tokens {
        let mut seen = HashSet::new();
        for sign in std::mem::take(&mut self.signs) {
            if seen.len() < MOST_SIGNS && seen.insert(sign.clone()) {
                self.gap();
                self.tokens.push(Some(sign));
            }
        }
        while self.tokens.last().is_some_and(Option::is_none) {
            self.tokens.pop();
        }
        self.tokens
    }
}
