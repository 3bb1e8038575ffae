//! What a text consists of, small enough to be stored: its three-letter pieces and its numbers as sets of 16-bit hashes,
//! and how long it was. Sketches are compared, never turned back into a text.

use super::NEAR_VERSION;
use super::letters::Letters;
use crate::model::Kind;

/// Letters of one piece.
const PIECE: usize = 3;

/// One part of a sketch: a text, or a title.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Part {
    pub(super) weight: usize,
    /// Sorted, each once.
    pub(super) pieces: Vec<u16>,
    pub(super) numbers: Vec<u16>,
}

/// A sketch as it was decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sketch {
    pub(super) kind: Kind,
    pub(super) text: Part,
    pub(super) title: Part,
}

impl Part {
    fn of(letters: &Letters) -> Self {
        let mut pieces: Vec<u16> = letters.letters.windows(PIECE).map(|piece| short(hash(0, piece))).collect();
        pieces.sort_unstable();
        pieces.dedup();
        let spelt = |number: &String| short(hash(1, &number.chars().collect::<Vec<_>>()));
        let mut numbers: Vec<u16> = letters.numbers.iter().map(spelt).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Self { weight: letters.weight(), pieces, numbers }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let word = |n: usize| u16::try_from(n).unwrap_or(u16::MAX).to_le_bytes();
        for n in [self.weight, self.pieces.len(), self.numbers.len()] {
            out.extend(word(n));
        }
        out.extend(self.pieces.iter().chain(&self.numbers).flat_map(|n| n.to_le_bytes()));
    }

    fn read(words: &mut impl Iterator<Item = u16>) -> Option<Self> {
        let (weight, pieces, numbers) = (words.next()?, words.next()?, words.next()?);
        let mut take = |n: u16| {
            let taken: Vec<u16> = words.take(usize::from(n)).collect();
            (taken.len() == usize::from(n)).then_some(taken)
        };
        Some(Self { weight: usize::from(weight), pieces: take(pieces)?, numbers: take(numbers)? })
    }
}

/// The sketch of a text and a title, for the store.
pub(super) fn encoded(kind: Kind, text: &Letters, title: &Letters) -> Vec<u8> {
    let mut out = vec![NEAR_VERSION, u8::from(kind == Kind::Page)];
    Part::of(text).write(&mut out);
    Part::of(title).write(&mut out);
    out
}

/// What the store kept; `None` when other rules made it.
pub(super) fn decoded(bytes: &[u8]) -> Option<Sketch> {
    let (head, rest) = bytes.split_at_checked(2)?;
    let (&[NEAR_VERSION, page], (pairs, [])) = (head, rest.as_chunks::<2>()) else { return None };
    let mut words = pairs.iter().map(|pair| u16::from_le_bytes(*pair));
    let kind = if page == 0 { Kind::Post } else { Kind::Page };
    Some(Sketch { kind, text: Part::read(&mut words)?, title: Part::read(&mut words)? })
}

/// 64 bits of some letters: written out here, because stored keys must not change with a library.
pub(super) fn hash(salt: u64, letters: &[char]) -> u64 {
    letters.iter().fold(mixed(salt.wrapping_add(0x9E37_79B9_7F4A_7C15)), |sum, c| mixed(sum ^ u64::from(u32::from(*c))))
}

/// Spreads what is in some bits over all of them.
pub(super) fn mixed(mut n: u64) -> u64 {
    n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    n ^ (n >> 31)
}

fn short(hash: u64) -> u16 {
    u16::try_from(hash >> 48).unwrap_or_default()
}
