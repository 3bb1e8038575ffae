//! Parses search queries. All words must occur; `"two words"` is a phrase; `-word` must not occur; `begin*` is a
//! prefix. Everything else is plain text: there are no syntax errors.

use super::fold::fold;
use super::split::{self, HASHTAG, LONGEST, NAME, Piece};
use crate::model::{Phrase, TextQuery};

/// The most words and phrases of a query, wanted and excluded.
pub const MOST_PHRASES: usize = 32;

/// The most characters of a query.
pub const LONGEST_QUERY: usize = 1_000;

/// The most tokens of a phrase.
const MOST_IN_A_ROW: usize = 64;

/// Why a query is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// It contains no word.
    #[error("there is no word to look for")]
    Empty,
    /// It only excludes.
    #[error("it only excludes words")]
    OnlyExcludes,
    /// It is too long.
    #[error(
        "it is too long: at most {MOST_PHRASES} words and phrases, {LONGEST_QUERY} characters in total, {MOST_IN_A_ROW} words per phrase"
    )]
    TooLong,
}

/// A word or phrase as typed.
struct Term<'a> {
    text: &'a str,
    excluded: bool,
    quoted: bool,
}

/// Parses a query.
pub fn parse_query(typed: &str) -> Result<TextQuery, QueryError> {
    if typed.chars().count() > LONGEST_QUERY {
        return Err(QueryError::TooLong);
    }
    let mut wanted = TextQuery::default();
    for term in terms(typed) {
        let list = if term.excluded { &mut wanted.none } else { &mut wanted.all };
        for phrase in phrases(&term) {
            if phrase.tokens.len() > MOST_IN_A_ROW {
                return Err(QueryError::TooLong);
            }
            if !list.contains(&phrase) {
                list.push(phrase);
            }
        }
    }
    match (wanted.all.len(), wanted.none.len()) {
        (0, 0) => Err(QueryError::Empty),
        (0, _) => Err(QueryError::OnlyExcludes),
        (all, none) if all + none > MOST_PHRASES => Err(QueryError::TooLong),
        _ => Ok(wanted),
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '＂')
}

/// Splits a query at spaces and quotation marks. An unclosed quotation extends to the end.
fn terms(typed: &str) -> Vec<Term<'_>> {
    let mut terms = Vec::new();
    let mut rest = typed.trim_start();
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or("");
        let excluded = c == '-' && after.starts_with(|c: char| !c.is_whitespace());
        let begin = if excluded { after } else { rest };
        let opening = begin.chars().next().filter(|c| is_quote(*c));
        let body = begin.get(opening.map_or(0, char::len_utf8)..).unwrap_or("");
        let end = |c: char| is_quote(c) || (opening.is_none() && c.is_whitespace());
        let (text, left) = body.split_at_checked(body.find(end).unwrap_or(body.len())).unwrap_or((body, ""));
        terms.push(Term { text, excluded, quoted: opening.is_some() });
        let closing = left.chars().next().filter(|c| opening.is_some() && is_quote(*c));
        rest = left.get(closing.map_or(0, char::len_utf8)..).unwrap_or("").trim_start();
    }
    terms
}

/// The phrases of a term: one hashtag or name, or its words as a phrase plus each emoji.
fn phrases(term: &Term<'_>) -> Vec<Phrase> {
    let text = fold(term.text);
    let starred = !term.quoted && text.ends_with('*');
    if let Some(token) = sign(&text).filter(|_| !term.quoted) {
        return vec![Phrase { tokens: vec![token], open: starred }];
    }
    let pieces = split::split(&text, LONGEST_QUERY);
    let mut row = Phrase { tokens: Vec::new(), open: false };
    let last = pieces.pieces.len();
    for (at, piece) in (1..).zip(pieces.pieces) {
        match piece {
            Piece::Word(word) => {
                row.tokens.push(word);
                row.open = at == last && starred;
            }
            Piece::Dense(letters) => {
                row.tokens.extend(letters.windows(2).map(<[String]>::concat));
                // The pair that starts with the last letter is unknown. A single letter is a prefix: it may start a
                // pair.
                if at < last || letters.len() == 1 {
                    row.tokens.extend(letters.last().cloned());
                    row.open = at == last;
                }
            }
        }
    }
    let emoji = pieces.signs.into_iter().filter(|sign| !sign.starts_with([HASHTAG, NAME]));
    let emoji = emoji.map(|sign| Phrase { tokens: vec![sign], open: false });
    Some(row).filter(|row| !row.tokens.is_empty()).into_iter().chain(emoji).collect()
}

/// The token of a term that is just a hashtag or name, apart from punctuation around it.
fn sign(folded: &str) -> Option<String> {
    let text = folded.trim_matches(|c: char| !split::is_word(c) && !matches!(c, '#' | '@') && !split::is_emoji(c));
    let (mark, tag) =
        [('#', HASHTAG), ('@', NAME)].iter().find_map(|(c, mark)| Some((mark, text.strip_prefix(*c)?)))?;
    let is_word_tag = tag.chars().all(split::is_word) && tag.chars().any(char::is_alphanumeric);
    is_word_tag.then(|| std::iter::once(*mark).chain(tag.chars().take(LONGEST)).collect())
}

/// The words of a query that are usually not indexed, because they start a URL: `http`, `https`.
#[must_use]
pub fn unindexed_words(typed: &str) -> Vec<&'static str> {
    let named = |scheme: &&str| {
        let mut words = typed.split(|c: char| !c.is_alphanumeric() && !matches!(c, ':' | '/'));
        words.any(|word| word.trim_matches([':', '/']).eq_ignore_ascii_case(scheme))
    };
    ["http", "https"].into_iter().filter(named).collect()
}
