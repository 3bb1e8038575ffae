//! A compact, storable form of a text: the sets of its three-letter pieces and its numbers as 16-bit hashes, its
//! weight, its words in order as 12-bit hashes with their sort and their role in denials, and its tone if certain.
//! Sketches are compared, never decoded to text.

use super::letters::Letters;
use super::stable_hash::{NEAR_VERSION, hash};
use super::word_sequence::{MOST_WORDS, Word};
use crate::model::Kind;

/// Letters of a piece.
const PIECE: usize = 3;

/// The part of a sketch for the text or the title.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Part {
    pub(super) weight: usize,
    /// Sorted and distinct.
    pub(super) pieces: Vec<u16>,
    pub(super) numbers: Vec<u16>,
    /// In text order.
    pub(super) words: Vec<Word>,
}

/// A decoded sketch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sketch {
    pub(super) kind: Kind,
    pub(super) text: Part,
    pub(super) title: Part,
    pub(super) mood: CertainTone,
}

/// The tone of a text if its scorer was certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CertainTone {
    Open,
    Displeased,
    Pleased,
}

/// Scores beyond this, in thousandths, are certain. The score is the difference of both probabilities, so the
/// probability of that side is at least as high.
const SURE: i64 = 600;

impl CertainTone {
    pub(super) fn of(score: Option<i64>) -> Self {
        match score {
            Some(score) if score > SURE => Self::Pleased,
            Some(score) if score < -SURE => Self::Displeased,
            _ => Self::Open,
        }
    }

    pub(super) fn opposes(self, other: Self) -> bool {
        self != other && self != Self::Open && other != Self::Open
    }
}

impl Part {
    fn of(letters: &Letters, words: &[Word]) -> Self {
        let mut pieces: Vec<u16> = letters.letters.windows(PIECE).map(|piece| short(hash(0, piece))).collect();
        pieces.sort_unstable();
        pieces.dedup();
        let spelt = |number: &String| short(hash(1, &number.chars().collect::<Vec<_>>()));
        let mut numbers: Vec<u16> = letters.numbers.iter().map(spelt).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let words = words.iter().take(MOST_WORDS).copied().collect();
        Self { weight: letters.weight(), pieces, numbers, words }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let word = |n: usize| u16::try_from(n).unwrap_or(u16::MAX).to_le_bytes();
        for n in [self.weight, self.pieces.len(), self.numbers.len(), self.words.len()] {
            out.extend(word(n));
        }
        out.extend(self.pieces.iter().chain(&self.numbers).flat_map(|n| n.to_le_bytes()));
        self.words.iter().for_each(|word| word.write(out));
    }

    fn read(words: &mut impl Iterator<Item = u16>) -> Option<Self> {
        let (weight, pieces, numbers, word_count) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let mut take = |n: u16| {
            let taken: Vec<u16> = words.take(usize::from(n)).collect();
            (taken.len() == usize::from(n)).then_some(taken)
        };
        let (pieces, numbers) = (take(pieces)?, take(numbers)?);
        let words = (0..word_count).map(|_| Word::read(words)).collect::<Option<_>>()?;
        Some(Self { weight: usize::from(weight), pieces, numbers, words })
    }
}

/// A part as read: its letters and its words.
pub(super) type Read<'a> = (&'a Letters, &'a [Word]);

/// Encodes a text and a title for the store.
pub(super) fn encode(kind: Kind, text: Read<'_>, title: Read<'_>, mood: CertainTone) -> Vec<u8> {
    let mood = match mood {
        CertainTone::Open => 0,
        CertainTone::Displeased => 2,
        CertainTone::Pleased => 4,
    };
    let mut out = vec![NEAR_VERSION, u8::from(kind == Kind::Page) | mood];
    Part::of(text.0, text.1).write(&mut out);
    Part::of(title.0, title.1).write(&mut out);
    out
}

/// Decodes a stored sketch; `None` if another version wrote it, or it is damaged.
pub(super) fn decode(bytes: &[u8]) -> Option<Sketch> {
    let (head, rest) = bytes.split_at_checked(2)?;
    let (&[NEAR_VERSION, flags], (pairs, [])) = (head, rest.as_chunks::<2>()) else { return None };
    let mut words = pairs.iter().map(|pair| u16::from_le_bytes(*pair));
    let kind = if flags & 1 == 0 { Kind::Post } else { Kind::Page };
    let mood = match flags >> 1 {
        0 => CertainTone::Open,
        1 => CertainTone::Displeased,
        2 => CertainTone::Pleased,
        _ => return None,
    };
    Some(Sketch { kind, text: Part::read(&mut words)?, title: Part::read(&mut words)?, mood })
}

fn short(hash: u64) -> u16 {
    u16::try_from(hash >> 48).unwrap_or_default()
}
