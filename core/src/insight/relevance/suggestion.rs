//! Chooses the items to mark next. Marks of these teach more than marks of random items: the first ones show the whole
//! ranking, the others its lowest part, where it is decided what is folded.
//!
//! Items are ranked by what is learned so far. The ranking, or later its lowest part, is cut into as many equal pieces
//! as items are suggested, and each gives one. The item within a piece is random, but always the same, so that it comes
//! back after another item is marked.

use super::features::hash;
use super::mark::{TrainingItem, labels, marks, sorted};
use super::weights::{Stream, logistic};

/// The number of items suggested at a time.
pub const SUGGESTIONS: usize = 5;
/// This many of the suggested marks are spread over the whole ranking.
const SPREAD: usize = 10;
/// The size of the lowest part for the others, relative to the estimated number of noise items: it includes the border
/// to the good ones.
const LOWEST: f64 = 1.2;

/// Returns the keys of at most [`SUGGESTIONS`] items to mark next, in the order in which to mark them. Works without any
/// marks. After one of them is marked, most of the others are suggested again.
#[must_use]
pub fn suggest<'a>(items: &[TrainingItem<'a>]) -> Vec<&'a str> {
    let items = sorted(items);
    let marks = marks(&items);
    let stream = Stream::of(items.iter().map(|item| item.features));
    let (weights, evidence) = stream.learn(&labels(&marks));
    let noise = evidence.iter().map(|one| 1.0 - logistic(weights.log_odds(*one))).sum::<f64>();
    let mut ranking: Vec<usize> = (0..items.len()).collect();
    ranking.sort_by(|a, b| evidence[*a].total_cmp(&evidence[*b]));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of items, not negative")]
    let lowest = ((LOWEST * noise) as usize).clamp(SUGGESTIONS.min(items.len()), items.len());
    let done = marks.iter().filter(|(_, mark)| mark.suggested).count();
    let mut chosen: Vec<usize> = Vec::new();
    for number in done..done + SUGGESTIONS {
        let part = if number < SPREAD { items.len() } else { lowest };
        let piece = number % SUGGESTIONS;
        let (from, until) = (part * piece / SUGGESTIONS, part * (piece + 1) / SUGGESTIONS);
        let free = |place: &&usize| items[**place].mark.is_none() && !chosen.contains(place);
        let of = |piece: &[usize]| piece.iter().filter(free).min_by_key(|place| draw(items[**place].key)).copied();
        // All items of the piece are marked: take any other item.
        chosen.extend(of(&ranking[from..until]).or_else(|| of(&ranking)));
    }
    chosen.into_iter().map(|place| items[place].key).collect()
}

/// A random number for a key: always the same.
fn draw(key: &str) -> u64 {
    let hash = hash(key);
    // Similar keys, as those of posts of one minute, differ in few bits of the hash.
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
