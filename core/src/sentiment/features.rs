//! Features of a text: hashed words and word pairs with negation marked, hashed character n-grams of length 3 to 5, and
//! some counts. The trainer (`scripts/train_sentiment`) and the scorer share this code, so that they cannot differ.

use super::Lang;
use super::language::Detected;
use super::lexicon::{Lexicon, lexicon};
use super::text::{Kind, TokenizedText};
use super::valence::{VALUES, ValenceSum, Valences};

/// Number of hash buckets.
pub const BUCKETS: usize = 500_000;

pub const COUNTED: usize = 30 + VALUES;

/// How many words after a negator are negated.
const REACH: u32 = 4;

/// A group of hashed features. Each is scaled by the root of its size, so that long texts do not get extreme scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Words and word pairs.
    Words,
    /// Runs of characters (n-grams).
    Runs,
}

/// Number of groups.
pub const GROUPS: usize = 2;

/// The weight of one feature in a group of this size.
#[must_use]
pub fn scale(size: usize) -> f32 {
    1.0 / f32::from(u16::try_from(size.max(1)).unwrap_or(u16::MAX)).sqrt()
}

/// Calls `take` with the bucket of each hashed feature, and returns the counted features.
pub fn features(
    reading: &TokenizedText,
    detected: Detected,
    valences: &Valences,
    mut take: impl FnMut(Group, usize),
) -> [f32; COUNTED] {
    let counted = words(reading, detected, valences, &mut take);
    runs(reading, &mut take);
    counted
}

/// Maps a hash to a bucket.
fn bucket(hash: u64, salt: u64) -> usize {
    let mixed = (hash ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let high = mixed >> 32;
    usize::try_from((high * BUCKETS as u64) >> 32).unwrap_or(0)
}

const PLAIN: u64 = 1;
const NEGATED: u64 = 2;
const PAIR: u64 = 3;
const SKIPPED: u64 = 4;
const RUN: u64 = 5;

/// Computes words, pairs and all counted features.
fn words(
    reading: &TokenizedText,
    detected: Detected,
    valences: &Valences,
    take: &mut impl FnMut(Group, usize),
) -> [f32; COUNTED] {
    let lexicon: &Lexicon = lexicon();
    let mut seen = Tallies::default();
    let (mut last, mut before) = (0u64, 0u64);
    let (mut sum, mut boost) = (ValenceSum::default(), [0.0f32; 3]);
    let all_shout = reading.shouted as usize == reading.tokens.iter().filter(|t| t.kind == Kind::Word).count();
    for token in &reading.tokens {
        let negated = seen.reach > 0;
        match token.kind {
            Kind::Word => {
                let entry = lexicon.of(reading.of(token), token.hash, detected.lang);
                seen.word(entry.polarity, negated);
                let word = reading.of(token);
                let near: f32 = boost.iter().zip([0.9, 0.95, 1.0]).map(|(by, share)| by * share).sum();
                sum.word(valences.of(token.hash), near, negated, token.shouted && !all_shout);
                boost = [boost[1], boost[2], booster(word)];
                if BUT.contains(&word) {
                    sum.halve_what_came_before();
                }
                seen.reach = if entry.negates { REACH } else { seen.reach.saturating_sub(1) };
                seen.negations += u32::from(entry.negates);
            }
            Kind::Emoji | Kind::Emoticon => {
                seen.sign(lexicon.sign(token.hash), token.kind);
                sum.word(valences.of(token.hash), 0.0, false, false);
            }
            Kind::Mark => {
                seen.reach = 0;
                seen.mark(reading.of(token));
            }
            Kind::Mask => seen.masks[usize::from(reading.of(token) == "http")] += 1,
        }
        take(Group::Words, bucket(token.hash, if negated && token.kind == Kind::Word { NEGATED } else { PLAIN }));
        if last != 0 {
            take(Group::Words, bucket(last.rotate_left(23) ^ token.hash, PAIR));
        }
        if before != 0 && token.kind == Kind::Word {
            take(Group::Words, bucket(before.rotate_left(41) ^ token.hash, SKIPPED));
        }
        before = last;
        last = token.hash;
    }
    let mut counted = seen.counted(reading, detected);
    counted[COUNTED - VALUES..]
        .copy_from_slice(&sum.values(f32::from(u8::try_from(seen.marks[0].min(4)).unwrap_or(4))));
    counted
}

/// Adversative conjunctions.
const BUT: [&str; 8] = ["but", "aber", "mais", "ma", "mas", "pero", "lekin", "لكن"];

/// Whether a word strengthens (1) or weakens (-1) the words after it.
fn booster(word: &str) -> f32 {
    match word {
        "very" | "really" | "so" | "extremely" | "absolutely" | "totally" | "completely" | "incredibly" | "super"
        | "most" | "more" | "especially" | "fucking" | "highly" | "too" | "sehr" | "total" | "très" | "trop"
        | "molto" | "tanto" | "muito" | "demais" | "muy" | "tan" | "bahut" | "bohot" | "جدا" => 1.0,
        "slightly" | "somewhat" | "barely" | "hardly" | "kinda" | "almost" | "partly" | "less" | "etwas" | "peu"
        | "poco" | "pouco" | "thoda" => -1.0,
        _ => 0.0,
    }
}

/// The running counts.
#[derive(Debug, Default)]
struct Tallies {
    reach: u32,
    negations: u32,
    words: u32,
    good: u32,
    bad: u32,
    flipped_good: u32,
    flipped_bad: u32,
    last: i8,
    first: i8,
    good_emoji: u32,
    bad_emoji: u32,
    other_emoji: u32,
    good_emoticon: u32,
    bad_emoticon: u32,
    marks: [u32; 3],
    masks: [u32; 2],
    quotes: u32,
}

impl Tallies {
    fn word(&mut self, polarity: i8, negated: bool) {
        self.words += 1;
        match (polarity, negated) {
            (1, false) => self.good += 1,
            (-1, false) => self.bad += 1,
            (1, true) => self.flipped_good += 1,
            (-1, true) => self.flipped_bad += 1,
            _ => return,
        }
        let effective = if negated { -polarity } else { polarity };
        self.last = effective;
        if self.first == 0 {
            self.first = effective;
        }
    }

    fn sign(&mut self, polarity: i8, kind: Kind) {
        let counter = match (kind, polarity) {
            (Kind::Emoticon, 1) => &mut self.good_emoticon,
            (Kind::Emoticon, _) => &mut self.bad_emoticon,
            (_, 1) => &mut self.good_emoji,
            (_, -1) => &mut self.bad_emoji,
            _ => &mut self.other_emoji,
        };
        *counter += 1;
    }

    fn mark(&mut self, mark: &str) {
        match mark.chars().next() {
            Some('!') => self.marks[0] += 1,
            Some('?') => self.marks[1] += 1,
            Some('.') if mark.len() > 1 => self.marks[2] += 1,
            Some('"') => self.quotes += 1,
            _ => {}
        }
    }

    fn counted(&self, reading: &TokenizedText, detected: Detected) -> [f32; COUNTED] {
        // The difference between few and many is small.
        let some = |n: u32| f32::from(u8::try_from(n.min(8)).unwrap_or(8)).sqrt();
        let mut counted = [0.0; COUNTED];
        let first = [
            1.0,
            some(self.good),
            some(self.bad),
            some(self.flipped_good),
            some(self.flipped_bad),
            f32::from(self.last),
            f32::from(self.first),
            some(self.good_emoji),
            some(self.bad_emoji),
            some(self.other_emoji),
            some(self.good_emoticon),
            some(self.bad_emoticon),
            some(self.marks[0]),
            some(self.marks[1]),
            some(self.marks[2]),
            some(self.masks[0]),
            some(self.masks[1]),
            some(reading.shouted),
            some(reading.stretched),
            some(reading.tags),
            some(self.quotes),
            some(self.negations),
        ];
        counted[..first.len()].copy_from_slice(&first);
        // One indicator per language: a bias, because posts of a language may lean to one side.
        let lang = Lang::ALL.iter().position(|lang| *lang == detected.lang).unwrap_or(0);
        if let Some(slot) = counted.get_mut(first.len() + lang) {
            *slot = 1.0;
        }
        counted
    }
}

/// Takes character n-grams of length 3 to 5, including the spaces around words.
fn runs(reading: &TokenizedText, take: &mut impl FnMut(Group, usize)) {
    let mut window = [0u64; 5];
    let mut filled = 0;
    for c in reading.text.chars() {
        window.rotate_left(1);
        window[4] = u64::from(u32::from(c));
        filled += 1;
        let step = |hash: u64, c: u64| (hash.rotate_left(5) ^ c).wrapping_mul(0x517c_c1b7_2722_0a95);
        let mut hash = step(step(0, window[4]), window[3]);
        for (length, place) in [(3, 2), (4, 1), (5, 0)] {
            if filled < length {
                break;
            }
            hash = step(hash, window[place]);
            take(Group::Runs, bucket(hash, RUN));
        }
    }
}
