//! What somebody asks for, read from what was typed. Words are all wanted; `"two words"` stand in a row; `-word` must not
//! occur; `begin*` is the begin of a word. Everything else is text: there is nothing that a question could get wrong.

use super::cut::{self, HASHTAG, LONGEST, NAME, Piece};
use super::fold::fold;
use crate::model::{Phrase, Wanted};

/// Words and phrases of a question, wanted and not.
pub const MOST_PHRASES: usize = 32;

/// Characters of a question, and tokens of a phrase.
const MOST_ASKED: usize = 1_000;
const MOST_IN_A_ROW: usize = 64;

/// Why a question cannot be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unclear {
    /// Nothing in it is a word.
    #[error("there is no word to look for")]
    Empty,
    /// It only says what must not occur.
    #[error("it only says what must not occur")]
    OnlyExcludes,
    /// It is longer than questions are.
    #[error(
        "it is too long: at most {MOST_PHRASES} words and phrases, {MOST_ASKED} characters in all, {MOST_IN_A_ROW} words in a phrase"
    )]
    TooLong,
}

/// A word or phrase as it was typed.
struct Term<'a> {
    text: &'a str,
    excluded: bool,
    quoted: bool,
}

/// Reads a question.
pub fn wanted(typed: &str) -> Result<Wanted, Unclear> {
    if typed.chars().count() > MOST_ASKED {
        return Err(Unclear::TooLong);
    }
    let mut wanted = Wanted::default();
    for term in terms(typed) {
        let list = if term.excluded { &mut wanted.none } else { &mut wanted.all };
        for phrase in phrases(&term) {
            if phrase.tokens.len() > MOST_IN_A_ROW {
                return Err(Unclear::TooLong);
            }
            if !list.contains(&phrase) {
                list.push(phrase);
            }
        }
    }
    match (wanted.all.len(), wanted.none.len()) {
        (0, 0) => Err(Unclear::Empty),
        (0, _) => Err(Unclear::OnlyExcludes),
        (all, none) if all + none > MOST_PHRASES => Err(Unclear::TooLong),
        _ => Ok(wanted),
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '＂')
}

/// What stands between spaces, or between quotation marks; one that is not closed reaches to the end.
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

/// What a term asks for: a hashtag or a name alone, or its words in a row and each of its emoji.
fn phrases(term: &Term<'_>) -> Vec<Phrase> {
    let text = fold(term.text);
    let starred = !term.quoted && text.ends_with('*');
    if let Some(token) = sign(&text).filter(|_| !term.quoted) {
        return vec![Phrase { tokens: vec![token], open: starred }];
    }
    let pieces = cut::cut(&text, MOST_ASKED);
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
                // What goes on after the last letter does not matter, and a single one may begin a pair.
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

/// The token of a term that is nothing but a hashtag or a name, with punctuation around it.
fn sign(folded: &str) -> Option<String> {
    let text = folded.trim_matches(|c: char| !cut::is_word(c) && !matches!(c, '#' | '@') && !cut::is_emoji(c));
    let (mark, tag) =
        [('#', HASHTAG), ('@', NAME)].iter().find_map(|(c, mark)| Some((mark, text.strip_prefix(*c)?)))?;
    let whole = tag.chars().all(cut::is_word) && tag.chars().any(char::is_alphanumeric);
    whole.then(|| std::iter::once(*mark).chain(tag.chars().take(LONGEST)).collect())
}

/// Words of a question that texts mostly have where they are not indexed: at the begin of an address.
#[must_use]
pub fn unindexed(typed: &str) -> Vec<&'static str> {
    let named = |scheme: &&str| {
        let mut words = typed.split(|c: char| !c.is_alphanumeric() && !matches!(c, ':' | '/'));
        words.any(|word| word.trim_matches([':', '/']).eq_ignore_ascii_case(scheme))
    };
    ["http", "https"].into_iter().filter(named).collect()
}
