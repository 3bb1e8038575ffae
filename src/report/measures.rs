//! Measures of a topic that are compared with something, as plain values, and how large a difference must be to be reported. How each is
//! worked out is in the file of its name.

use crate::insight::daily::{Share, Sounds, UsualShare};
use crate::insight::why::Cause;
use crate::model::{Source, Tone};

/// Items by which a day must differ from the usual to be told.
pub(super) const MIN_CHANGE: f64 = 10.0;
/// Scored items without which shares are not compared.
pub(super) const MIN_SAMPLE: u64 = 20;
/// Part of the period that must be covered before fewer items than usual are news.
pub(super) const WHOLE: f64 = 0.9;
/// Part of the period without which its holes are reported.
pub(super) const COVERED: f64 = 0.98;
/// Searches of the period that are read at most.
pub(super) const MOST_SEARCHES: i64 = 20_000;
/// How long before its searches a run may have begun, milliseconds.
pub(super) const LONGEST_RUN: i64 = 86_400_000;

/// An earlier day.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Beside {
    /// How many days earlier: 1 or 7.
    pub back: usize,
    /// `2026-03-10`.
    pub date: String,
    pub weekday: String,
    /// Its items; `None` where they cannot be compared.
    pub raw: Option<u64>,
    /// There may be more.
    pub saturated: bool,
    /// Why they cannot be compared.
    pub why: Option<String>,
}

/// How items sound.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct ToneFacts {
    /// Whose scores these are; `None` when nothing is scored.
    pub scorer: Option<String>,
    /// The period's items.
    pub period: Sounds,
    /// Negative, neutral and positive among the scored.
    pub shares: Vec<(Tone, Share)>,
    /// Of the seven days before, those that can be compared with, by the same scorer.
    pub before: Sounds,
    pub before_shares: Vec<(Tone, Share)>,
    /// The shares of negative and positive that are usual for so many scored items; none where too few days are known.
    pub usual: Vec<(Tone, UsualShare)>,
    /// Earlier days with enough scored items.
    pub samples: usize,
}

/// What explains a figure that is unusual, and what it is called.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct NamedCause {
    #[serde(flatten)]
    pub cause: Cause,
    /// The handle, the term, the source, or the words of a text; one line, cut.
    pub shown: String,
}

/// Why figures are unusual, where something explains half of it.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct WhyFacts {
    pub volume: Option<NamedCause>,
    /// Of the shares that are unusual.
    pub tone: Vec<(Tone, NamedCause)>,
}

/// What one source found of a period.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SourceShare {
    pub source: Source,
    pub items: u64,
    /// Near-copies once.
    pub unique: u64,
    /// Of these, found by no other source.
    pub alone: u64,
}

/// Which sources found what of a period; empty where no topic has providers.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct FoundBy {
    /// Whether the topic's part says so; else it is only counted, for what the topic is compared with.
    #[serde(skip)]
    pub told: bool,
    pub sources: Vec<SourceShare>,
    /// Texts, near-copies once.
    pub unique: u64,
    /// Of these, found by several sources.
    pub agreed: u64,
}

/// A topic's part of what a group of topics said.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Voice {
    pub topic: String,
    pub title: String,
    /// Whether there may be more of it than is counted here.
    pub at_least: bool,
    /// Whether there may be more of another than is counted here.
    pub others_at_least: bool,
    /// Its share of all items, …
    pub raw: Option<Share>,
    /// … of unique ones, …
    pub unique: Option<Share>,
    /// … and of unique authors; `None` also where it was not told who they are.
    pub authors: Option<Share>,
    /// Whether authors of another were not told.
    pub others_untold: bool,
    /// Its share of what each source found, unique items; empty where no topic has providers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_source: Vec<(Source, Share)>,
}
