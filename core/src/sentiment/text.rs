//! Prepares a text for the scorer: limits its length, normalises and lower-cases it, masks mentions and links, and
//! splits it into tokens. `features` weighs the tokens; `normalise` has other rules for a text's identity.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::emoticon;
use crate::normalise::decode_entity;

/// The most characters read. Posts have a few hundred; the rest of a longer text hardly changes its tone.
pub const MAX_CHARS: usize = 4_000;

/// The most tokens kept.
const MAX_TOKENS: usize = 1_000;

/// The most repetitions of a letter kept (`soooo` becomes `soo`).
const STRETCH: usize = 2;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A word, also one of a hashtag.
    Word,
    Emoji,
    /// An emoticon such as `:)`, mapped to its type.
    Emoticon,
    /// A run of punctuation.
    Mark,
    /// A mention or a link.
    Mask,
}

/// A token: its position in [`TokenizedText::text`] and its hash.
#[derive(Debug, Clone, Copy)]
pub struct Token {
    pub kind: Kind,
    /// Hash of its text.
    pub hash: u64,
    /// Start, in bytes.
    pub start: u32,
    /// End, in bytes.
    pub end: u32,
    /// Whether it is a word of at least two letters in capitals.
    pub shouted: bool,
}

/// A tokenised text.
#[derive(Debug, Clone, Default)]
pub struct TokenizedText {
    /// The tokens, separated and surrounded by single spaces.
    pub text: String,
    pub tokens: Vec<Token>,
    /// Number of words of at least two letters in capitals.
    pub shouted: u32,
    /// Number of words with a letter three or more times in a row.
    pub stretched: u32,
    pub tags: u32,
    /// Number of letters in all words.
    pub letters: u32,
}

/// FNV-1a, 64 bits. Must never change: the weights were learned with it.
#[must_use]
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(FNV, |h, b| (h ^ u64::from(*b)).wrapping_mul(FNV_PRIME))
}

/// FNV offset basis.
pub(super) const FNV: u64 = 0xcbf2_9ce4_8422_2325;
/// FNV prime.
pub(super) const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// Tokenises a text.
#[must_use]
pub fn tokenize(text: &str) -> TokenizedText {
    let chars = composed(text);
    let mut reading =
        TokenizedText { text: String::with_capacity(text.len().min(MAX_CHARS) + 2), ..TokenizedText::default() };
    reading.text.push(' ');
    let mut at = 0;
    while at < chars.len() && reading.tokens.len() < MAX_TOKENS {
        at = step(&mut reading, &chars, at);
    }
    reading
}

/// The characters to read, normalised (NFKC): a letter and its accents become one character, styled and wide letters
/// plain ones.
fn composed(text: &str) -> Vec<char> {
    let mut chars = unescaped(text);
    if is_nfkc_quick(chars.iter().copied()) != IsNormalized::Yes {
        chars = chars.into_iter().nfkc().collect();
    }
    chars.truncate(MAX_CHARS);
    chars
}

/// Decodes entities and drops invisible characters. Reads twice `MAX_CHARS`, because composing and dropping shorten the
/// text.
fn unescaped(text: &str) -> Vec<char> {
    let mut out = Vec::with_capacity(text.len().min(MAX_CHARS));
    let mut rest = text.chars();
    for _ in 0..MAX_CHARS * 2 {
        let Some(mut c) = rest.next() else { break };
        if c == '&'
            && let Some((plain, length)) = decode_entity(rest.as_str())
        {
            rest = rest.as_str().get(length..).unwrap_or("").chars();
            c = plain;
        }
        // Treat a decoded entity as if its character had been written.
        if !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ad}' | '\u{1f3fb}'..='\u{1f3ff}')
        {
            out.push(match c {
                '\u{2018}' | '\u{2019}' | '`' | '\u{b4}' => '\'',
                '\u{2026}' => '.',
                other => other,
            });
        }
    }
    out
}

/// Reads the token at `at`. Returns the position after it.
fn step(reading: &mut TokenizedText, chars: &[char], at: usize) -> usize {
    let Some(c) = chars.get(at).copied() else { return at + 1 };
    let next = chars.get(at + 1).copied().unwrap_or(' ');
    if c.is_whitespace() || c.is_control() {
        return at + 1;
    }
    if c == '@' && is_letter(next) {
        let end = run(chars, at + 1, |c| is_letter(c) || c == '_');
        push(reading, Kind::Mask, "@user");
        return end;
    }
    if c == '#' && is_letter(next) {
        let end = run(chars, at + 1, |c| is_letter(c) || c == '_');
        reading.tags += 1;
        for part in tag_words(chars.get(at + 1..end).unwrap_or(&[])) {
            word(reading, part);
        }
        return end;
    }
    let before = at.checked_sub(1).and_then(|before| chars.get(before)).copied();
    if let Some((length, name)) = emoticon::at(chars.get(at..).unwrap_or(&[]), before) {
        push(reading, Kind::Emoticon, name);
        return at + length;
    }
    if is_letter(c) {
        let end = run(chars, at, |c| is_letter(c) || c == '\'');
        let found = chars.get(at..end).unwrap_or(&[]);
        if is_link(found, chars.get(end..).unwrap_or(&[])) {
            push(reading, Kind::Mask, "http");
            return run(chars, end, |c| !c.is_whitespace());
        }
        word(reading, found);
        return end;
    }
    if is_emoji(c) {
        push_char(reading, Kind::Emoji, c);
        // A row of the same emoji counts once.
        return run(chars, at, |other| other == c);
    }
    let end = run(chars, at, |other| other == c);
    match c {
        '!' | '?' => push(reading, Kind::Mark, mark(c, end - at)),
        '.' if end - at > 1 => push(reading, Kind::Mark, "..."),
        '.' | ',' | ';' | ':' | '"' | '(' | ')' | '-' | '*' | '&' | '/' | '|' => push_char(reading, Kind::Mark, c),
        _ => {}
    }
    end
}

fn mark(c: char, length: usize) -> &'static str {
    match (c, length) {
        ('!', 1) => "!",
        ('!', 2) => "!!",
        ('!', _) => "!!!",
        (_, 1) => "?",
        _ => "??",
    }
}

/// The end of the run of matching characters that starts at `at`.
fn run(chars: &[char], at: usize, belongs: impl Fn(char) -> bool) -> usize {
    let length = chars.get(at..).unwrap_or(&[]).iter().take_while(|c| belongs(**c)).count();
    at + length.max(usize::from(!chars.get(at).is_some_and(|c| belongs(*c))))
}

/// Whether a character is a letter, a digit or a mark of a letter.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{652}' | '\u{640}' | '\u{900}'..='\u{97f}')
}

/// Whether a character is an emoji or a pictorial symbol.
pub(super) fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '\u{2b50}' | '\u{2b55}' | '\u{231a}'..='\u{23ff}' | '\u{203c}' | '\u{2049}')
}

fn is_link(found: &[char], rest: &[char]) -> bool {
    let is = |name: &str| {
        found.len() == name.len() && found.iter().zip(name.chars()).all(|(a, b)| a.to_ascii_lowercase() == b)
    };
    is("http") || is("https") || is("www") && rest.first() == Some(&'.')
}

/// Splits a hashtag into words: `#NotHappy` is `Not`, `Happy`. `#nothappy` stays one word; its character n-grams help.
fn tag_words(tag: &[char]) -> impl Iterator<Item = &[char]> {
    tag.chunk_by(|a, b| !(*b == '_' || a.is_lowercase() && b.is_uppercase() || a.is_numeric() != b.is_numeric()))
        .map(|part| part.strip_prefix(&['_']).unwrap_or(part))
        .filter(|part| !part.is_empty())
}

/// Appends a word: lower case, long repetitions shortened, spelling variants folded.
fn word(reading: &mut TokenizedText, found: &[char]) {
    let found = trimmed(found);
    if found.is_empty() {
        return;
    }
    let letters = found.iter().filter(|c| c.is_alphabetic()).count();
    let mut capitals = false;
    if letters >= 2 && found.iter().all(|c| !c.is_lowercase()) && found.iter().any(|c| c.is_uppercase()) {
        reading.shouted += 1;
        capitals = true;
    }
    reading.letters = reading.letters.saturating_add(u32::try_from(letters).unwrap_or(u32::MAX));
    let start = reading.text.len();
    if found.iter().all(char::is_ascii_digit) {
        // The value of a number does not matter.
        reading.text.push('0');
        end_token(reading, Kind::Word, start);
        return;
    }
    let (mut last, mut times, mut stretched) = (' ', 0, false);
    for c in found.iter().flat_map(|c| c.to_lowercase()).filter_map(folded) {
        times = if c == last { times + 1 } else { 1 };
        last = c;
        if times <= STRETCH || c.is_ascii_digit() {
            reading.text.push(c);
        } else {
            stretched = true;
        }
    }
    reading.stretched += u32::from(stretched);
    end_token(reading, Kind::Word, start);
    if capitals && let Some(token) = reading.tokens.last_mut() {
        token.shouted = true;
    }
}

/// Strips apostrophes at both ends.
fn trimmed(mut word: &[char]) -> &[char] {
    while let [rest @ .., '\''] = word {
        word = rest;
    }
    while let ['\'', rest @ ..] = word {
        word = rest;
    }
    word
}

/// Folds spelling variants of Arabic letters. Drops combining marks (`None`), which also makes long stacks of them
/// harmless.
fn folded(c: char) -> Option<char> {
    match c {
        '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{652}' | '\u{640}' => None,
        'أ' | 'إ' | 'آ' => Some('ا'),
        'ة' => Some('ه'),
        'ى' => Some('ي'),
        other => Some(other),
    }
}

fn push(reading: &mut TokenizedText, kind: Kind, text: &str) {
    let start = reading.text.len();
    reading.text.push_str(text);
    end_token(reading, kind, start);
}

fn push_char(reading: &mut TokenizedText, kind: Kind, c: char) {
    let start = reading.text.len();
    reading.text.push(c);
    end_token(reading, kind, start);
}

/// Ends the token that started at `start`.
fn end_token(reading: &mut TokenizedText, kind: Kind, start: usize) {
    let end = reading.text.len();
    if end == start {
        return;
    }
    let hash = hash(reading.text.as_bytes().get(start..end).unwrap_or(&[]));
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    reading.tokens.push(Token { kind, hash, start: place(start), end: place(end), shouted: false });
    reading.text.push(' ');
}

impl TokenizedText {
    /// A token's text.
    #[must_use]
    pub fn of(&self, token: &Token) -> &str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }
}
