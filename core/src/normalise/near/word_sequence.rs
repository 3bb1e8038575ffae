//! The words of a text in order, each with its effect on the meaning: enough to check whether two similar texts say the
//! opposite ([`super::contradiction`]). Sketches store them as numbers, not as words.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::super::decode_entity;
use super::super::text::is_invisible;
use super::east_asian::{PieceSort, Unspaced, denies_in_korean};
use super::letters::{ANNOUNCING, MOST_READ, is_cut_off, is_mark, is_thousands_separator};
use super::noise;
use super::numerals::in_ascii;
use super::stable_hash::hash;
use super::word_sense::{self, DenialRole, Sense};

/// The most words stored of a text.
pub(super) const MOST_WORDS: usize = 160;

/// Bits of a word's hash. The remaining bits of a `u16` store its sort.
const BITS: u32 = 12;

/// The sort of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WordSort {
    Plain,
    Negation,
    Number,
    /// One of a pair of opposites.
    Opposite,
    Name,
    /// A single character of a text without spaces.
    Character,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Word {
    pub(super) sort: WordSort,
    /// Hash of the letters; for a number its value, for an opposite its group and side.
    pub(super) hash: u16,
    /// For a name: the set of its letters, their count, and whether it is also a common word. Distinguishes a misspelt
    /// name from another name.
    pub(super) spelt: u32,
    /// For a plain word or a name.
    pub(super) role: Option<DenialRole>,
}

/// From this number on, sorts in sketches also encode the role of a plain word or a name.
const PLAIN_WITH_ROLE: u16 = 5;
const NAME_WITH_ROLE: u16 = 10;
const CHARACTER: u16 = 15;

impl Word {
    /// Whether both are the same word. A name may be written in lower case.
    pub(super) fn is(&self, other: &Self) -> bool {
        let letters = |sort| matches!(sort, WordSort::Plain | WordSort::Name | WordSort::Negation);
        self.hash == other.hash && (self.sort == other.sort || letters(self.sort) && letters(other.sort))
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let role = self.role.and_then(|role| (0_u16..).zip(DenialRole::ALL).find(|(_, other)| *other == role));
        let sort = match (self.sort, role) {
            (WordSort::Plain, None) => 0,
            (WordSort::Negation, _) => 1,
            (WordSort::Number, _) => 2,
            (WordSort::Opposite, _) => 3,
            (WordSort::Name, None) => 4,
            (WordSort::Character, _) => CHARACTER,
            (WordSort::Plain, Some((role, _))) => PLAIN_WITH_ROLE + role,
            (WordSort::Name, Some((role, _))) => NAME_WITH_ROLE + role,
        };
        out.extend((sort << BITS | self.hash).to_le_bytes());
        if self.sort == WordSort::Name {
            out.extend(self.spelt.to_le_bytes());
        }
    }

    pub(super) fn read(words: &mut impl Iterator<Item = u16>) -> Option<Self> {
        let first = words.next()?;
        let role = |number: u16| DenialRole::ALL.get(usize::from(number)).copied();
        let (sort, role) = match first >> BITS {
            0 => (WordSort::Plain, None),
            1 => (WordSort::Negation, None),
            2 => (WordSort::Number, None),
            3 => (WordSort::Opposite, None),
            4 => (WordSort::Name, None),
            CHARACTER => (WordSort::Character, None),
            sort @ PLAIN_WITH_ROLE..NAME_WITH_ROLE => (WordSort::Plain, role(sort - PLAIN_WITH_ROLE)),
            sort => (WordSort::Name, Some(role(sort - NAME_WITH_ROLE)?)),
        };
        let spelt = match sort {
            WordSort::Name => u32::from(words.next()?) | u32::from(words.next()?) << 16,
            _ => 0,
        };
        Some(Self { sort, hash: first & ((1 << BITS) - 1), spelt, role })
    }
}

/// A word as written.
#[derive(Debug, Default)]
struct Raw {
    written: String,
    /// Whether it starts a sentence.
    begins: bool,
    /// Whether punctuation follows.
    stops: bool,
    tag: bool,
}

impl Raw {
    fn lower_case(&self) -> String {
        let small: String = self.written.chars().flat_map(char::to_lowercase).collect();
        small.strip_suffix("'s").map(str::to_owned).unwrap_or(small)
    }

    fn is_capital(&self) -> bool {
        self.written.starts_with(char::is_uppercase)
    }

    fn is_all_capital(&self) -> bool {
        self.written.chars().all(|c| !c.is_lowercase()) && self.written.chars().filter(|c| c.is_uppercase()).count() > 1
    }
}

/// The meaning of capital letters in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// A capital letter inside a sentence starts a name.
    Sentence,
    /// Nothing: most words start with one, or none inside a sentence does.
    Uniform,
}

/// Returns the words of a text.
pub(super) fn words(text: &str) -> Vec<Word> {
    let text: String = text.chars().take(MOST_READ).collect();
    let mut raw = split(&text);
    let is_cut_off = is_cut_off(&text);
    if is_cut_off {
        raw.pop();
    }
    drop_tags(&mut raw);
    join_denials(&mut raw);
    raw.truncate(MOST_WORDS);
    let small: Vec<String> = raw.iter().map(Raw::lower_case).collect();
    let style = style(&raw);
    let english = word_sense::is_english(&small);
    let unspaced = Unspaced::of(&small);
    let mut words = Vec::with_capacity(raw.len());
    for (at, (raw, word)) in raw.iter().zip(&small).enumerate() {
        let (before, next) = (small.get(..at).and_then(<[_]>::last), small.get(at + 1).map(String::as_str));
        if let Some(verb) = word_sense::negated_verb(word) {
            words.push(plain(verb));
            words.push(negation("not"));
            continue;
        }
        if let Some(pieces) = unspaced.and_then(|language| language.pieces(word)) {
            words.extend(pieces.into_iter().map(word_of_piece));
            continue;
        }
        let kept = match word_sense::sense_between(before, word, next) {
            // "No, the bridge stands" does not negate the rest.
            Some(Sense::Negation)
                if raw.stops && next.is_some() && word_sense::INTERJECTIONS.contains(&word.as_str()) =>
            {
                plain(word)
            }
            Some(Sense::Negation) => negation(word),
            Some(Sense::Number(value)) => Word { sort: WordSort::Number, hash: value, spelt: 0, role: None },
            Some(Sense::Opposite(side)) => Word { sort: WordSort::Opposite, hash: side, spelt: 0, role: None },
            None if denies_in_korean(word, before) => negation("not"),
            None if word_sense::is_in_digits(word) => number(word),
            None if is_name(raw, word, style, english) => {
                Word { sort: WordSort::Name, spelt: letter_set(word), ..plain(word) }
            }
            None => plain(word),
        };
        words.push(kept);
    }
    // The words that the last word of a cut text negates were cut off.
    if is_cut_off && let Some(last) = words.last_mut().filter(|last| last.sort == WordSort::Negation) {
        last.sort = WordSort::Plain;
    }
    words.truncate(MOST_WORDS);
    words
}

/// Hash of the letters of a word.
pub(super) fn hashed(word: &str) -> u16 {
    let letters: Vec<char> = word.chars().filter(|c| *c != '\'').collect();
    u16::try_from(hash(2, &letters) >> (64 - BITS)).unwrap_or_default()
}

fn plain(word: &str) -> Word {
    Word { sort: WordSort::Plain, hash: hashed(word), spelt: 0, role: word_sense::denial_role(word) }
}

fn negation(word: &str) -> Word {
    Word { sort: WordSort::Negation, role: None, ..plain(word) }
}

fn word_of_piece((piece, sort): (&str, PieceSort)) -> Word {
    match sort {
        PieceSort::Character => Word { sort: WordSort::Character, role: None, ..plain(piece) },
        PieceSort::Denial => negation(piece),
        PieceSort::Foreign => plain(piece),
    }
}

/// A number in digits. Up to 100 its hash is its value, as for number words.
fn number(digits: &str) -> Word {
    let value = digits.parse().ok().filter(|value: &u16| *value <= 100);
    Word { sort: WordSort::Number, hash: value.unwrap_or_else(|| hashed(digits) | 0x800), spelt: 0, role: None }
}

/// Bits of [`Word::spelt`]: the letters, their count, whether it is also a common word.
pub(super) const LETTERS: u32 = (1 << 26) - 1;
const COUNT: u32 = 31;
const COMMON: u32 = 1 << 31;

fn letter_set(word: &str) -> u32 {
    let letters = word.chars().filter(|c| c.is_alphanumeric());
    let (set, count) = letters.fold((0, 0_u32), |(set, count), c| (set | 1 << (u32::from(c) % 26), count + 1));
    set | count.min(COUNT) << 26 | if word_sense::is_common(word) { COMMON } else { 0 }
}

impl Word {
    /// The number of letters of a name.
    pub(super) fn letters(&self) -> u32 {
        self.spelt >> 26 & COUNT
    }

    /// Whether a name is not also a common word: true for `Calgary`, false for `Explosions`.
    pub(super) fn is_proper(&self) -> bool {
        self.spelt & COMMON == 0
    }
}

/// A longer tag consists of several words.
const LONGEST_TAG: usize = 10;

fn is_name(raw: &Raw, word: &str, style: Style, english: bool) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 2 || word_sense::is_label(word) || raw.tag && letters > LONGEST_TAG {
        return false;
    }
    let uncommon = english && letters > 2 && !word_sense::is_common(word);
    match style {
        Style::Sentence if raw.is_capital() && !raw.begins => {
            // A common word in all capitals is shouted, not a name.
            !(raw.is_all_capital() && letters > 2 && word_sense::is_common(word))
        }
        Style::Sentence => raw.is_capital() && uncommon,
        Style::Uniform => uncommon,
    }
}

fn style(raw: &[Raw]) -> Style {
    let long = || raw.iter().filter(|raw| !raw.tag && raw.written.chars().filter(|c| c.is_alphabetic()).count() > 3);
    let (all, capital) = (long().count(), long().filter(|raw| raw.is_capital()).count());
    let inside = raw.iter().any(|raw| raw.is_capital() && !raw.begins && raw.written.len() > 1);
    if capital * 5 >= all * 3 || !inside { Style::Uniform } else { Style::Sentence }
}

/// Drops the tags at the end, except one that completes a sentence.
fn drop_tags(raw: &mut Vec<Raw>) {
    let tags = raw.iter().rev().take_while(|raw| raw.tag).count();
    let first = raw.len() - tags;
    let leads_on = first
        .checked_sub(1)
        .and_then(|before| raw.get(before))
        .is_some_and(|raw| !raw.stops && word_sense::LEADING_ON.contains(&raw.lower_case().as_str()));
    raw.truncate(if leads_on { (first + 1).min(raw.len()) } else { first });
}

/// Drops words that belong to the word before them.
fn join_denials(raw: &mut Vec<Raw>) {
    raw.dedup_by(|word, before| {
        let is_one = !before.stops && word_sense::is_one_word(&before.lower_case(), &word.lower_case());
        before.stops |= is_one && word.stops;
        is_one
    });
}

/// Splits a text into words.
fn split(text: &str) -> Vec<Raw> {
    let text: String = text.chars().filter(|c| !is_invisible(*c)).nfkc().map(in_ascii).collect();
    // Has the same byte length as the text.
    let small = text.to_ascii_lowercase();
    let (mut raw, mut word) = (Vec::new(), Raw { begins: true, ..Raw::default() });
    let (mut at, mut before) = (0, None);
    while let (Some(rest), Some(c)) = (small.get(at..), text.get(at..).and_then(|rest| rest.chars().next())) {
        let skipped = noise::address(rest, before).or_else(|| noise::keycap(rest));
        if let Some(length) = skipped.or_else(|| noise::name(rest, before)) {
            end(&mut word, &mut raw, false);
            if rest.starts_with('@') && raw.last().is_some_and(|last| ANNOUNCING.contains(&last.lower_case().as_str()))
            {
                raw.pop();
            }
            word.begins = true;
            (at, before) = (at + length, Some(' '));
            continue;
        }
        let entity = rest.strip_prefix('&').and_then(decode_entity);
        let (c, length) = entity.map_or((c, c.len_utf8()), |(plain, length)| (plain, length + 1));
        let left = small.get(at + length..).unwrap_or_default();
        take(c, left, before, &mut word, &mut raw);
        (at, before) = (at + length, Some(c));
    }
    end(&mut word, &mut raw, false);
    if raw.first().is_some_and(|first| first.lower_case() == "rt") {
        raw.remove(0);
    }
    raw
}

fn take(c: char, left: &str, before: Option<char>, word: &mut Raw, raw: &mut Vec<Raw>) {
    let in_number = word.written.ends_with(char::is_numeric);
    match c {
        _ if c.is_alphanumeric() => word.written.push(c),
        _ if in_number && is_mark(c) && left.starts_with(char::is_numeric) => {
            if !is_thousands_separator(c, left) {
                word.written.push('.');
            }
        }
        '\'' | '’' if !word.written.is_empty() && left.starts_with(char::is_alphabetic) => word.written.push('\''),
        '_' => {}
        _ if is_combining_mark(c) => {}
        _ => {
            let dash = matches!(c, '-' | '–' | '—' | '/');
            let at_space = before.is_none_or(char::is_whitespace) || left.starts_with(char::is_whitespace);
            let marks = !c.is_whitespace() && c != '#' && (!dash || at_space);
            end(word, raw, marks);
            word.begins |= marks && !matches!(c, ',' | '\'' | '’' | '$' | '€' | '£' | '%' | '&' | '+' | '*');
            word.tag = c == '#';
        }
    }
}

/// Ends the current word, if any. Otherwise `mark` belongs to the last word.
fn end(word: &mut Raw, raw: &mut Vec<Raw>, mark: bool) {
    if word.written.is_empty() {
        if mark && let Some(last) = raw.last_mut() {
            last.stops = true;
        }
        return;
    }
    let mut done = std::mem::take(word);
    done.stops = mark;
    raw.push(done);
}
