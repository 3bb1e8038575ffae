//! Why a figure is unusual: the text, author, term or source whose change makes at least half of it, or nobody. Pure: items of the
//! period and of comparable days come in as plain values. That a figure is unusual at all, `daily::usual` and
//! `daily::usual_share` say; how a cause is put into words is `words`'.
//!
//! Of causes that explain nearly as much the most specific one is named: a text before its author, an author before a term, a
//! term before a source. What changed no more than all else did explains nothing, however large it is, and neither does what nearly
//! everything has in common.

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
pub use tone::tone;
pub use volume::volume;
pub use words::Figure;

/// Part of a change that a cause makes at least.
const HALF: f64 = 0.5;
/// What is more specific is named when it explains at least so much of what the best cause does.
const NEARLY: f64 = 0.8;
/// Part of all items above which what they have in common explains nothing.
const NEARLY_ALL: f64 = 0.9;
/// Items without which nothing is a cause.
const LEAST: usize = 3;

/// What items have in common; the most specific first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dimension {
    /// Near-copies of one another.
    Text,
    Author,
    Term,
    /// What no other source found.
    Source,
}

/// An item, as far as causes go.
#[derive(Debug, Clone)]
pub struct Item<'a> {
    pub key: &'a str,
    /// The key of the cluster.
    pub text: &'a str,
    /// As authors are told apart.
    pub author: Option<String>,
    /// The only source that found it; `None` when several did, or when nobody knows any more.
    pub source: Option<Source>,
    /// Whether it sounds as it is asked about; `None` where nobody has said how it sounds.
    pub sounds: Option<bool>,
}

/// The items of a day, or of a window.
#[derive(Debug, Clone)]
pub struct DayItems<'a> {
    pub day: Day,
    pub items: Vec<Item<'a>>,
    /// Whether it is known which sources found them.
    pub sourced: bool,
}

/// A term, the period's items that hold it, and how many are expected to.
#[derive(Debug, Clone)]
pub struct Term<'a> {
    pub term: &'a str,
    pub keys: BTreeSet<&'a str>,
    /// Items of such a day that usually hold it.
    pub expected: f64,
}

/// A period beside the days that it is compared with.
#[derive(Debug, Clone)]
pub struct Compared<'a> {
    pub now: DayItems<'a>,
    /// The earliest first.
    pub earlier: &'a [DayItems<'a>],
    /// Those that the period's items hold; they explain what grew, and no fall.
    pub terms: &'a [Term<'a>],
}

/// What explains a change.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Cause {
    pub dimension: Dimension,
    /// The cluster's key, the author's handle, the term or the source.
    pub name: String,
    /// Part of the change that it makes; more than 1 where the rest went the other way.
    pub part: f64,
    /// Its items in the period; of a tone, the scored ones.
    pub items: u64,
    /// How many are usual.
    pub usual: f64,
    /// Of a tone, those that sound so.
    pub sounding: u64,
    /// Different authors of its items; 0 when none is known.
    pub authors: u64,
    /// Whether all else lies inside its own usual band.
    pub rest_as_usual: bool,
}

/// Of causes, each with how much it explains beside all else, the one to name.
fn choose(mut causes: Vec<(f64, Cause)>) -> Option<Cause> {
    causes.retain(|(explained, _)| *explained >= HALF);
    let best = causes.iter().map(|(explained, _)| explained.min(1.0)).fold(0.0, f64::max);
    causes.retain(|(explained, _)| explained.min(1.0) >= best * NEARLY);
    causes.sort_by(|(a, one), (b, other)| {
        one.dimension.cmp(&other.dimension).then(b.total_cmp(a)).then_with(|| one.name.cmp(&other.name))
    });
    causes.into_iter().next().map(|(_, cause)| cause)
}

/// A count as a measure.
#[expect(clippy::cast_precision_loss, reason = "counts of items")]
fn real(many: usize) -> f64 {
    many as f64
}

#[cfg(test)]
mod tests;
