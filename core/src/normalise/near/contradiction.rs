//! Detects whether two similar texts differ in meaning: in a negation, a number, a name or place, a word and its
//! opposite, or two names or numbers that changed places. Aligns the words of both and examines the gaps between shared
//! words. Uses small lists and capital letters, no grammar. It only separates texts, never joins them.

use super::denial::{denies, is_exchange};
use super::word_sense::exclude;
use super::word_sequence::{LETTERS, Word, WordSort};

/// Lengths are in half words: a character of a text without spaces counts for one.
const WORD: usize = 2;

/// A gap with more words than this is a passage that only one text contains.
const PASSAGE: usize = 8 * WORD;

/// A gap before or after all shared words is a comment or source, unless it is at most this long in both texts.
const REMARK: usize = 3 * WORD;

/// A single shared word is a coincidence if its two gaps together have at least this many words.
const BY_CHANCE: usize = 6 * WORD;

/// The most names or numbers whose exchange is tried.
const MOST_SWAPPED: usize = 6;

/// Whether the two texts differ in meaning. Symmetric.
pub(super) fn opposes(one: &[Word], other: &[Word]) -> bool {
    if one.is_empty() || other.is_empty() || one == other {
        return false;
    }
    // Sort the texts, so that the choice between equally good alignments does not depend on their order.
    let (a, b) = if one <= other { (one, other) } else { (other, one) };
    let shared = aligned(a, b);
    gaps(&shared, a, b).iter().any(|gap| gap.changes_meaning(a, b))
        || names_swapped(a, b, shared.len())
        || numbers_swapped(a, b, shared.len())
}

/// The positions of the shared words: a longest common subsequence.
fn aligned(a: &[Word], b: &[Word]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut longest = vec![0_u16; (a.len() + 1) * width];
    let get = |longest: &[u16], x: usize, y: usize| longest.get(x * width + y).copied().unwrap_or(0);
    for (x, word) in a.iter().enumerate().rev() {
        for (y, other) in b.iter().enumerate().rev() {
            let best = if word.is(other) {
                get(&longest, x + 1, y + 1) + 1
            } else {
                get(&longest, x + 1, y).max(get(&longest, x, y + 1))
            };
            if let Some(cell) = longest.get_mut(x * width + y) {
                *cell = best;
            }
        }
    }
    let (mut x, mut y, mut shared) = (0, 0, Vec::new());
    while let (Some(word), Some(other)) = (a.get(x), b.get(y)) {
        if word.is(other) {
            shared.push((x, y));
            (x, y) = (x + 1, y + 1);
        } else if get(&longest, x + 1, y) >= get(&longest, x, y + 1) {
            x += 1;
        } else {
            y += 1;
        }
    }
    shared
}

/// The words of both texts between two shared words.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Gap {
    a: std::ops::Range<usize>,
    b: std::ops::Range<usize>,
    begins: bool,
    ends: bool,
}

/// The length of words, in half words.
fn length(words: &[Word]) -> usize {
    words.iter().map(length_of).sum()
}

fn length_of(word: &Word) -> usize {
    if word.sort == WordSort::Character { 1 } else { WORD }
}

fn gaps(shared: &[(usize, usize)], a: &[Word], b: &[Word]) -> Vec<Gap> {
    let of = |words: &[Word], range: &std::ops::Range<usize>| length(words.get(range.clone()).unwrap_or_default());
    let mut gaps: Vec<Gap> = Vec::new();
    let (mut x, mut y, mut run) = (0, 0, 0);
    for (at, (next_x, next_y)) in shared.iter().copied().chain([(a.len(), b.len())]).enumerate() {
        if next_x > x || next_y > y {
            let gap = Gap { a: x..next_x, b: y..next_y, begins: at == 0, ends: at == shared.len() };
            let words = |gap: &Gap| of(a, &gap.a) + of(b, &gap.b);
            match gaps.last_mut() {
                Some(last) if run <= WORD && words(last) + words(&gap) >= BY_CHANCE => {
                    last.a.end = gap.a.end;
                    last.b.end = gap.b.end;
                    last.ends = gap.ends;
                }
                _ => gaps.push(gap),
            }
            run = 0;
        }
        run += a.get(next_x).map_or(0, length_of);
        (x, y) = (next_x + 1, next_y + 1);
    }
    gaps
}

impl Gap {
    fn changes_meaning(&self, a: &[Word], b: &[Word]) -> bool {
        let (Some(a), Some(b)) = (a.get(self.a.clone()), b.get(self.b.clone())) else { return false };
        let (a_length, b_length) = (length(a), length(b));
        let (least, most) = (a_length.min(b_length), a_length.max(b_length));
        if most > PASSAGE {
            return false;
        }
        if self.begins || self.ends {
            if denies(a, self.begins) != denies(b, self.begins) && !is_exchange(a, b) {
                return true;
            }
            if least == 0 || most > REMARK {
                return false;
            }
        }
        let negates = |words: &[Word]| words.iter().any(|word| word.sort == WordSort::Negation);
        negates(a) != negates(b) || numbers(a, b) || opposites(a, b) || names(a, b, self.ends)
    }
}

fn of(sort: WordSort, words: &[Word]) -> Vec<Word> {
    words.iter().filter(|word| word.sort == sort).copied().collect()
}

/// The words of `one` that `other` lacks. Each word of `other` matches only once.
fn without(one: &[Word], other: &[Word], same: impl Fn(&Word, &Word) -> bool) -> Vec<Word> {
    let mut left = other.to_vec();
    let mut has_not = |word: &&Word| match left.iter().position(|other| same(word, other)) {
        Some(at) => {
            left.swap_remove(at);
            false
        }
        None => true,
    };
    one.iter().filter(|word| has_not(word)).copied().collect()
}

fn numbers(a: &[Word], b: &[Word]) -> bool {
    let (a, b) = (of(WordSort::Number, a), of(WordSort::Number, b));
    !without(&a, &b, Word::is).is_empty() && !without(&b, &a, Word::is).is_empty()
}

fn opposites(a: &[Word], b: &[Word]) -> bool {
    let (a, b) = (of(WordSort::Opposite, a), of(WordSort::Opposite, b));
    let (only_in_a, only_in_b) = (without(&a, &b, Word::is), without(&b, &a, Word::is));
    only_in_a.iter().any(|one| only_in_b.iter().any(|other| exclude(one.hash, other.hash)))
}

fn names(a: &[Word], b: &[Word], at_end: bool) -> bool {
    let same = |one: &Word, other: &Word| one.is(other) || is_typo(one, other) || at_end && is_truncation(one, other);
    // The other text may write the name in lower case.
    let only_in_a = without(&of(WordSort::Name, a), b, Word::is);
    let only_in_b = without(&of(WordSort::Name, b), a, Word::is);
    let (only_in_a, only_in_b) = (without(&only_in_a, &only_in_b, same), without(&only_in_b, &only_in_a, same));
    // "Marathon Explosions" and "Marathon Bombing" are not different names.
    !only_in_a.is_empty() && !only_in_b.is_empty() && only_in_a.iter().chain(&only_in_b).any(Word::is_proper)
}

/// Whether two names differ only by a typo: Calgary, Calgray, Callgary.
fn is_typo(one: &Word, other: &Word) -> bool {
    let (a, b) = (one.letters(), other.letters());
    a.min(b) > 3 && a.abs_diff(b) <= 1 && ((one.spelt ^ other.spelt) & LETTERS).count_ones() <= 1
}

/// Whether one name is a truncated form of the other.
fn is_truncation(one: &Word, other: &Word) -> bool {
    let (short, long) = if one.letters() < other.letters() { (one, other) } else { (other, one) };
    short.letters() < long.letters() && short.spelt & !long.spelt & LETTERS == 0
}

fn names_swapped(a: &[Word], b: &[Word], shared: usize) -> bool {
    let is_name = |word: &Word| word.sort == WordSort::Name;
    swapped(a, b, shared, |word| is_name(word) || b.iter().any(|other| is_name(other) && other.is(word)))
}

/// As in `2-1` and `1-2`.
fn numbers_swapped(a: &[Word], b: &[Word], shared: usize) -> bool {
    swapped(a, b, shared, |word| word.sort == WordSort::Number)
}

/// Whether two such words changed places: swapping them back makes more words agree.
fn swapped(a: &[Word], b: &[Word], shared: usize, is_one: impl Fn(&Word) -> bool) -> bool {
    if shared == a.len().min(b.len()) {
        return false;
    }
    let only = |words: &[Word], word: &Word| {
        let mut places = words.iter().enumerate().filter(|(_, other)| other.is(word)).map(|(at, _)| at);
        places.next().filter(|_| places.next().is_none())
    };
    let places = a.iter().filter(|word| is_one(word)).filter_map(|word| Some((only(a, word)?, only(b, word)?)));
    let places: Vec<(usize, usize)> = places.take(MOST_SWAPPED).collect();
    places.iter().enumerate().any(|(at, (x, in_b))| {
        places.iter().skip(at + 1).filter(|(_, other)| other < in_b).any(|(y, _)| {
            let mut put_back = a.to_vec();
            put_back.swap(*x, *y);
            aligned(&put_back, b).len() > shared
        })
    })
}
