//! Splits a folded text into words, runs of scripts without spaces, and hashtags, names and emoji. `mod` and `query`
//! make tokens of these pieces.

use unicode_normalization::char::is_combining_mark;

/// The most characters of a token. Longer words are truncated.
pub(super) const LONGEST: usize = 64;

/// The most combining marks stored per letter of a dense script.
const MARKS: usize = 4;

/// Prefixes of hashtag and name tokens. Folding turns these characters into ASCII, so no ordinary word starts with one.
pub(super) const HASHTAG: char = '＃';
pub(super) const NAME: char = '＠';

/// A piece of text between boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Word(String),
    /// Letters, each with its marks, of a script without spaces.
    Dense(Vec<String>),
}

/// The pieces of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pieces {
    pub(super) pieces: Vec<Piece>,
    /// Hashtags, names and emoji as tokens, in order.
    pub(super) signs: Vec<String>,
}

/// Splits a folded text. Stops after `most` characters.
pub(super) fn split(folded: &str, most: usize) -> Pieces {
    let mut cut = Pieces::default();
    let (mut before, mut flag, mut left) = (' ', None, most);
    let mut rest = folded;
    while let (Some(c), 1..) = (rest.chars().next(), left) {
        let after = rest.get(c.len_utf8()..).unwrap_or("");
        if let Some(scheme) = scheme(rest, before) {
            rest = rest.get(scheme..).unwrap_or("");
            before = '/';
            continue;
        }
        let joins = is_word(before) && before != '_';
        match c {
            '#' | '@' if !is_word(before) => {
                let sign = if c == '#' { HASHTAG } else { NAME };
                let tag: String = after.chars().take_while(|c| is_word(*c)).take(LONGEST).collect();
                if tag.chars().any(char::is_alphanumeric) {
                    cut.signs.push(format!("{sign}{tag}"));
                }
            }
            // A flag consists of two letters.
            '\u{1F1E6}'..='\u{1F1FF}' => match flag.take() {
                Some(first) => cut.signs.push(format!("{first}{c}")),
                None => flag = Some(c),
            },
            _ if is_emoji(c) => cut.signs.push(c.to_string()),
            _ => cut.letter(c, joins),
        }
        if !matches!(c, '\u{1F1E6}'..='\u{1F1FF}') {
            flag = None;
        }
        left -= 1;
        // Ignore a mark without a letter before it.
        if joins || !is_combining_mark(c) {
            before = c;
        }
        rest = after;
    }
    cut
}

impl Pieces {
    fn letter(&mut self, c: char, joins: bool) {
        let mark = is_combining_mark(c);
        if !c.is_alphanumeric() && !mark {
            return;
        }
        match self.pieces.last_mut().filter(|_| joins) {
            Some(Piece::Dense(letters)) if mark => {
                if let Some(letter) = letters.last_mut().filter(|letter| letter.chars().count() <= MARKS) {
                    letter.push(c);
                }
            }
            Some(Piece::Word(word)) if mark => push_short(word, c),
            None if mark => {}
            Some(Piece::Dense(letters)) if is_dense(c) => letters.push(c.to_string()),
            Some(Piece::Word(word)) if !is_dense(c) => push_short(word, c),
            _ if is_dense(c) => self.pieces.push(Piece::Dense(vec![c.to_string()])),
            _ => self.pieces.push(Piece::Word(c.to_string())),
        }
    }
}

fn push_short(word: &mut String, c: char) {
    // The byte length nearly always decides, without counting characters.
    if word.len() < LONGEST || word.chars().count() < LONGEST {
        word.push(c);
    }
}

/// Length of `http://` or `https://` at the start of `rest`. It is skipped: nobody searches for it, and nearly every
/// post has one.
fn scheme(rest: &str, before: char) -> Option<usize> {
    let begins = |scheme: &&str| rest.starts_with(*scheme);
    (!is_word(before)).then(|| ["http://", "https://"].iter().find(|s| begins(s)).map(|s| s.len())).flatten()
}

/// Whether a character belongs to a word, hashtag or name.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_combining_mark(c)
}

/// Whether a script has no spaces between words, or (Hangul) has words with endings that people do not search for.
pub(super) fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1100}'..='\u{11FF}' | '\u{1780}'..='\u{17FF}'
        | '\u{2E80}'..='\u{2FDF}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3035}' | '\u{3038}'..='\u{303C}'
        | '\u{3041}'..='\u{31BF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{A960}'..='\u{A97F}' | '\u{A9E0}'..='\u{A9FF}' | '\u{AA60}'..='\u{AA7F}' | '\u{AC00}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{1B000}'..='\u{1B16F}' | '\u{20000}'..='\u{3FFFF}')
}

/// Whether a character is an emoji that people search for. Skin tones are not.
pub(super) fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{231A}'..='\u{23FF}' | '\u{25A0}'..='\u{27BF}' | '\u{2B00}'..='\u{2BFF}' | '\u{1F000}'..='\u{1F0FF}'
        | '\u{1F1E6}'..='\u{1F1FF}' | '\u{1F300}'..='\u{1F3FA}' | '\u{1F400}'..='\u{1FAFF}')
        && !c.is_alphanumeric()
}
