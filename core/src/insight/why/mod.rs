//! Explains an unusual figure by one text, author, term or source whose change makes up at least half of it. Pure:
//! items of the period and of comparable days come in as plain values. `daily::usual` and `daily::usual_share` decide
//! whether a figure is unusual; `words` turns a cause into words.
//!
//! Among causes that explain nearly the same, the most specific is named: text, then author, term, source. A group that
//! changed no more than everything else explains nothing, even if it is large. A property that nearly all items share
//! explains nothing either.

mod groups;
mod read;
mod term;
mod tone;
mod volume;
mod words;

use std::collections::BTreeSet;

use crate::insight::daily::Day;
use crate::model::Source;

pub use read::OnlySources;
pub use tone::tone_cause;
pub use volume::volume_cause;
pub use words::Figure;

/// The smallest part of a change that a cause must explain.
const HALF: f64 = 0.5;
/// A more specific cause is named if it explains at least this part of what the best one explains.
const NEARLY: f64 = 0.8;
/// A group with more than this part of all items explains nothing, see [`is_common_to_nearly_all`].
const NEARLY_ALL: f64 = 0.9;
/// The fewest items of a cause.
const LEAST: usize = 3;

/// Properties that items may have in common, the most specific first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dimension {
    /// Near-copies of one another.
    Text,
    Author,
    Term,
    /// Items that no other source found.
    Source,
}

/// An item, reduced to what causes need.
#[derive(Debug, Clone)]
pub struct Item<'a> {
    pub key: &'a str,
    /// The key of the cluster.
    pub text: &'a str,
    /// The normalized handle.
    pub author: Option<String>,
    /// The only source that found it; `None` if several did or if it is no longer known.
    pub source: Option<Source>,
    /// Whether it has the tone asked about; `None` if not scored.
    pub has_tone: Option<bool>,
}

/// The items of a day or of a window.
#[derive(Debug, Clone)]
pub struct DayItems<'a> {
    pub day: Day,
    pub items: Vec<Item<'a>>,
    /// Whether it is known which sources found them.
    pub sourced: bool,
}

/// A term, the period's items that contain it, and how many were expected.
#[derive(Debug, Clone)]
pub struct Term<'a> {
    pub term: &'a str,
    pub keys: BTreeSet<&'a str>,
    /// The number of items expected to contain it on such a day.
    pub expected: f64,
}

/// A period and the days it is compared with.
#[derive(Debug, Clone)]
pub struct Compared<'a> {
    pub now: DayItems<'a>,
    /// The earliest first.
    pub earlier: &'a [DayItems<'a>],
    /// Terms that the period's items contain. They can explain a rise but not a fall.
    pub terms: &'a [Term<'a>],
}

/// The cause of a change.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Cause {
    pub dimension: Dimension,
    /// The cluster's key, the author's handle, the term or the source.
    pub name: String,
    /// Part of the change that it explains; more than 1 if the rest moved the other way.
    pub part: f64,
    /// Its items in the period; for a tone, only scored ones.
    pub items: u64,
    /// The usual number of its items.
    pub usual: f64,
    /// For a tone, its items with that tone.
    pub sounding: u64,
    /// Different authors of its items; 0 if none is known.
    pub authors: u64,
    /// Whether everything else is inside its own usual band.
    pub rest_as_usual: bool,
    /// How many others of its kind explain nearly as much. Not counted for terms, which share items.
    pub as_much: usize,
}

/// Returns whether a group explains nothing because nearly all items belong to it: usually, or in the period if at
/// least half do usually. A property that is usually rarer and then floods a day is a cause.
fn is_common_to_nearly_all(part: f64, usual_part: f64) -> bool {
    usual_part > NEARLY_ALL || part > NEARLY_ALL && usual_part >= HALF
}

/// Picks the cause to name from causes with how much each explains.
fn most_specific_cause(mut causes: Vec<(f64, Cause)>) -> Option<Cause> {
    causes.retain(|(explained, _)| *explained >= HALF);
    let best = causes.iter().map(|(explained, _)| explained.min(1.0)).fold(0.0, f64::max);
    causes.retain(|(explained, _)| explained.min(1.0) >= best * NEARLY);
    causes.sort_by(|(a, one), (b, other)| {
        one.dimension.cmp(&other.dimension).then(b.total_cmp(a)).then_with(|| one.name.cmp(&other.name))
    });
    let mut causes = causes.into_iter().map(|(_, cause)| cause);
    let cause = causes.next()?;
    let as_much =
        causes.filter(|other| other.dimension == cause.dimension && cause.dimension != Dimension::Term).count();
    Some(Cause { as_much, ..cause })
}

/// The mean of counts; 0 without any.
pub fn mean(counts: impl Iterator<Item = usize>) -> f64 {
    let (sum, many) = counts.fold((0, 0), |(sum, many), count| (sum + count, many + 1));
    if many == 0 { 0.0 } else { to_f64(sum) / to_f64(many) }
}

/// Converts a count to `f64`.
#[expect(clippy::cast_precision_loss, reason = "counts of items")]
fn to_f64(many: usize) -> f64 {
    many as f64
}

#[cfg(test)]
mod tests;
