//! Decides whether two sketches are near-copies. The thresholds were chosen on labelled pairs
//! (`docs/explanation/near-copies.md`), for precision first and recall second.

use super::contradiction::opposes;
use super::minhash::LEAST;
use super::sketch::{self, Part};
use crate::model::Kind;

/// The similarity of two texts. Shares are in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Common {
    /// Shared pieces, as a share of the pieces of both (Jaccard).
    of_both: u32,
    /// Shared pieces, as a share of the smaller text's pieces.
    of_smaller: u32,
    /// Weight of the smaller text.
    weight: usize,
    /// How their numbers compare.
    numbers: Numbers,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Same,
    /// The larger text has more.
    More,
    Other,
}

/// Thresholds for texts up to a weight. Either `of_both` is reached, or nearly all of the smaller text is in the larger
/// (`of_smaller`) and `contained` is reached by the share of both.
#[derive(Debug, Clone, Copy)]
struct Class {
    up_to: usize,
    of_both: u32,
    of_smaller: u32,
    contained: u32,
}

const CLASSES: [Class; 6] = [
    Class { up_to: 23, of_both: 1_000, of_smaller: NEVER, contained: NEVER },
    Class { up_to: 39, of_both: 850, of_smaller: NEVER, contained: NEVER },
    Class { up_to: 59, of_both: 720, of_smaller: 930, contained: 650 },
    Class { up_to: 79, of_both: 640, of_smaller: 930, contained: 500 },
    Class { up_to: 239, of_both: 620, of_smaller: 930, contained: 450 },
    // Long texts share pieces anyway, because there are only so many.
    Class { up_to: usize::MAX, of_both: 700, of_smaller: 950, contained: 600 },
];

/// Above any possible share.
const NEVER: u32 = 1_001;

/// Minimum weight of a title that alone makes pages copies. Shorter titles are used again and again.
const TELLING_TITLE: usize = 32;
/// Minimum weight of a snippet that alone makes pages copies.
const TELLING_SNIPPET: usize = 64;

/// Share of the smaller part's pieces, in thousandths, from which a headline and a snippet, two headlines or two
/// snippets count as related. Unrelated ones reach it in about one of a hundred cases. Longer snippets need more.
const RELATED: u32 = 300;
const RELATED_LONG: u32 = 400;
const LONG_SNIPPET: usize = 240;

/// The similarity of two near-copies, in thousandths; `None` if they are not near-copies.
#[must_use]
pub fn similarity(one: &[u8], other: &[u8]) -> Option<u32> {
    similarity_decoded(&sketch::decode(one)?, &sketch::decode(other)?)
}

pub(super) fn similarity_decoded(a: &sketch::Sketch, b: &sketch::Sketch) -> Option<u32> {
    if a.kind != b.kind || a.mood.opposes(b.mood) {
        return None;
    }
    let text = copy_similarity(&a.text, &b.text);
    if text.is_some() && opposes(&a.text.words, &b.text.words) {
        return None;
    }
    if a.kind == Kind::Post {
        return text;
    }
    let least = a.text.weight.min(b.text.weight);
    let titled = copy_similarity(&a.title, &b.title);
    if titled.is_some() && opposes(&a.title.words, &b.title.words) {
        return None;
    }
    let title_least = a.title.weight.min(b.title.weight);
    // A snippet that shares nothing with its headline may be boilerplate of the site, and a headline that shares
    // nothing with its snippet may be that of a series.
    let title_matches_text = related(&a.title, &a.text) || related(&b.title, &b.text);
    match (titled, text) {
        // A short title may only name the kind of page. Then the snippets must not differ.
        (Some(_), None) if title_least < TELLING_TITLE && least >= LEAST => None,
        (Some(_), None) if least >= TELLING_SNIPPET && !title_matches_text && !related(&a.text, &b.text) => None,
        (Some(title), _) => Some(title),
        (None, Some(_)) if title_least >= LEAST && !title_matches_text && !related(&a.title, &b.title) => None,
        (None, Some(text)) if least >= TELLING_SNIPPET => Some(text),
        (None, _) => None,
    }
}

/// Whether two parts share more than by chance: not copies, but perhaps the same story.
fn related(a: &Part, b: &Part) -> bool {
    let bound = if a.weight.max(b.weight) < LONG_SNIPPET { RELATED } else { RELATED_LONG };
    thousandths(shared(&a.pieces, &b.pieces), a.pieces.len().min(b.pieces.len())) >= bound
}

fn thousandths(n: usize, of: usize) -> u32 {
    u32::try_from(n * 1_000 / of.max(1)).unwrap_or(0)
}

/// The similarity of two texts; `None` if they are not copies.
fn copy_similarity(a: &Part, b: &Part) -> Option<u32> {
    let common = compared(a, b)?;
    let class = CLASSES.iter().find(|class| common.weight <= class.up_to)?;
    let same = common.of_both >= class.of_both && common.numbers == Numbers::Same;
    let contained =
        common.of_smaller >= class.of_smaller && common.of_both >= class.contained && common.numbers != Numbers::Other;
    (same || contained).then_some(common.of_both)
}

fn compared(a: &Part, b: &Part) -> Option<Common> {
    let (small, large) = if a.pieces.len() <= b.pieces.len() { (a, b) } else { (b, a) };
    let weight = a.weight.min(b.weight);
    if weight < LEAST || small.pieces.is_empty() {
        return None;
    }
    let shared = shared(&small.pieces, &large.pieces);
    let numbers = if small.numbers == large.numbers {
        Numbers::Same
    } else if self::shared(&small.numbers, &large.numbers) == small.numbers.len() {
        Numbers::More
    } else {
        Numbers::Other
    };
    Some(Common {
        of_both: thousandths(shared, small.pieces.len() + large.pieces.len() - shared),
        of_smaller: thousandths(shared, small.pieces.len()),
        weight,
        numbers,
    })
}

/// The number of common entries of two sorted lists.
fn shared(a: &[u16], b: &[u16]) -> usize {
    let (mut a, mut b, mut count) = (a.iter().peekable(), b.iter().peekable(), 0);
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => drop(a.next()),
            std::cmp::Ordering::Greater => drop(b.next()),
            std::cmp::Ordering::Equal => {
                count += 1;
                a.next();
                b.next();
            }
        }
    }
    count
}
