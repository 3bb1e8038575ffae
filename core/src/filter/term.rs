//! One entry of a filter as written in `jobs.toml`: words, parts of words, alternatives, or a pattern between slashes.
//! Matched against folded text.

use regex::{Regex, RegexBuilder};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::normalise::{decode_entities, fold};

/// The longest entry, in characters.
const LONGEST: usize = 500;

/// The most memory for a compiled pattern, in bytes; larger patterns are refused.
const PATTERN_SIZE: usize = 1 << 20;

/// Why an entry is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermError {
    /// What is wrong.
    pub text: String,
    /// How to fix it.
    pub hint: String,
}

impl TermError {
    pub(super) fn new(text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { text: text.into(), hint: hint.into() }
    }
}

/// A text folded for comparison with entries.
#[derive(Debug)]
pub(super) struct Folded(String);

impl Folded {
    pub(super) fn new(text: &str) -> Self {
        Self(folded(text))
    }
}

/// Folds a text or an entry. Looser than the fold of identity: `’` is `'`, all hyphens and all Turkish i's are one, and
/// `™` is a blank, so that `acme` is a word of `Acme™`.
fn folded(text: &str) -> String {
    let text = decode_entities(text);
    if text.is_ascii() {
        return fold(&text);
    }
    let loose = |c: char| match c {
        '‘' | '’' | 'ʼ' => '\'',
        '‐' => '-',
        'ı' => 'i',
        c => c,
    };
    fold(&text.replace(is_trademark, " ")).replace("i\u{307}", "i").chars().map(loose).collect()
}

/// Whether a character is a sign after a name that NFKC would turn into letters.
fn is_trademark(c: char) -> bool {
    matches!(c, '™' | '℠')
}

/// Folds the letters of a pattern as texts are folded, and collapses blanks. Otherwise the pattern could never match.
fn folded_pattern(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut escaped = false;
    // A small `İ` has two characters.
    let pattern = decode_entities(pattern).nfc().collect::<String>().replace("i\u{307}", "i");
    for c in pattern.chars() {
        let letter = if c.is_ascii() || escaped { String::new() } else { folded(c.encode_utf8(&mut [0; 4])) };
        if c == ' ' || is_trademark(c) || (c.is_whitespace() && !c.is_ascii()) {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else if letter.is_empty() {
            out.push(c);
        } else {
            out.push_str(&regex::escape(&letter));
        }
        escaped = c == '\\' && !escaped;
    }
    // The blank of a `™` at the end of a text is removed.
    if pattern.ends_with(is_trademark) && out.trim_end().ends_with(in_word) {
        out.truncate(out.trim_end().len());
        out.push_str("\\b");
    }
    out
}

#[derive(Debug, Clone)]
pub(super) enum Term {
    /// Any of these.
    Phrases(Vec<Phrase>),
    Pattern(Regex),
}

/// Consecutive words. An open end may lie inside a word.
#[derive(Debug, Clone)]
pub(super) struct Phrase {
    words: String,
    open_before: bool,
    open_after: bool,
}

/// Returns whether a character belongs to a word delimited by blanks. Combining marks belong to their letters; vowel
/// signs of Indic scripts are such marks. The keycap mark U+20E3 makes a picture instead. Scripts without blanks
/// between words have no word ends.
fn in_word(c: char) -> bool {
    let without_blanks = matches!(c,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}');
    let mark = is_combining_mark(c) && c != '\u{20E3}';
    (c.is_alphanumeric() || c == '_' || mark) && !without_blanks
}

impl Phrase {
    fn parse(text: &str) -> Result<Self, TermError> {
        let text = text.trim();
        let (open_before, rest) = text.strip_prefix('*').map_or((false, text), |rest| (true, rest));
        let (open_after, rest) = rest.strip_suffix('*').map_or((false, rest), |rest| (true, rest));
        let words = folded(rest);
        if words.is_empty() {
            return Err(TermError::new("has no word", "write a word, a phrase, part* of a word, or /a pattern/"));
        }
        if words.contains('*') {
            let hint = "* is allowed only at the start or end of a part; for more write /a pattern/";
            return Err(TermError::new("has a * inside", hint));
        }
        Ok(Self { words, open_before, open_after })
    }

    fn occurs(&self, text: &str) -> bool {
        let meets = |inner: Option<char>, outer: Option<char>| inner.is_some_and(in_word) && outer.is_some_and(in_word);
        let (first, last) = (self.words.chars().next(), self.words.chars().next_back());
        // Matches may overlap: `aha ha ha` contains `ha ha`, but its first match is not a whole word.
        let step = first.map_or(1, char::len_utf8);
        let mut from = 0;
        while let Some(at) = text.get(from..).and_then(|rest| rest.find(&self.words)).map(|at| from + at) {
            let before = text.get(..at).and_then(|text| text.chars().next_back());
            let after = text.get(at + self.words.len()..).and_then(|text| text.chars().next());
            if (self.open_before || !meets(first, before)) && (self.open_after || !meets(last, after)) {
                return true;
            }
            from = at + step;
        }
        false
    }
}

impl Term {
    /// Parses `words in a row`, `part*`, `one | other`, or `/pattern/`.
    pub(super) fn parse(text: &str) -> Result<Self, TermError> {
        let text = text.trim();
        if text.chars().count() > LONGEST {
            return Err(TermError::new(
                format!("is longer than {LONGEST} characters"),
                "split it into several entries",
            ));
        }
        if let Some(pattern) = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
            return Self::pattern(pattern);
        }
        if let Some((_, flags)) = text.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'))
            && (1..=4).contains(&flags.len())
            && flags.bytes().all(|flag| b"gimsuxyU".contains(&flag))
        {
            let hint =
                "case is always ignored, and flags go inside: /(?s)…/; to match this text, leave out the first /";
            return Err(TermError::new("has letters after its pattern", hint));
        }
        let phrases = text.split('|').map(Phrase::parse).collect::<Result<_, _>>()?;
        Ok(Self::Phrases(phrases))
    }

    /// Parses a handle, with or without `@`; `*` allows any beginning or end.
    pub(super) fn author(text: &str) -> Result<Self, TermError> {
        let text = text.trim().trim_start_matches('@');
        if text.starts_with('/') {
            return Err(TermError::new("is not a handle", "write it as shown, with * for any start or end"));
        }
        if text.contains('|') {
            return Err(TermError::new("is more than one handle", "split it into several entries: [\"ann\", \"bob\"]"));
        }
        let phrase = Phrase::parse(text)?;
        // A handle must match completely.
        let ends = |open: bool, end: &'static str| if open { "" } else { end };
        let before = ends(phrase.open_before, "^");
        let after = ends(phrase.open_after, "$");
        Self::compiled(&format!("{before}{}{after}", regex::escape(&phrase.words)))
    }

    fn pattern(pattern: &str) -> Result<Self, TermError> {
        if pattern.is_empty() {
            return Err(TermError::new("is an empty pattern", "write the pattern between the slashes: /…/"));
        }
        // Report errors for the pattern as written.
        let compiled = Self::compiled(&folded_pattern(pattern)).or_else(|_| Self::compiled(pattern))?;
        if pattern.contains(is_trademark) && compiled.matches(&Folded(" ".to_owned())) {
            return Err(TermError::new(
                "is a pattern that matches every text with a space, as which `™` counts",
                "write the word before it: /acme™/",
            ));
        }
        Ok(compiled)
    }

    fn compiled(pattern: &str) -> Result<Self, TermError> {
        let mut builder = RegexBuilder::new(pattern);
        // Matching is linear in the text for any pattern; the size limits bound compilation.
        builder.case_insensitive(true).size_limit(PATTERN_SIZE).dfa_size_limit(PATTERN_SIZE).nest_limit(50);
        builder.build().map(Self::Pattern).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => {
                TermError::new("is too large a pattern", "use fewer or smaller repetitions such as {1,100}")
            }
            other => {
                let text = other.to_string();
                let last = text.lines().next_back().unwrap_or("").trim_start_matches("error: ");
                TermError::new(format!("is not a valid pattern: {last}"), "the syntax is that of the Rust crate regex")
            }
        })
    }

    pub(super) fn matches(&self, text: &Folded) -> bool {
        match self {
            Self::Phrases(phrases) => phrases.iter().any(|phrase| phrase.occurs(&text.0)),
            Self::Pattern(pattern) => pattern.is_match(&text.0),
        }
    }
}
