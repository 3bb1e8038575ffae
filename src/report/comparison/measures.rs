//! Figures of a topic that are compared, as plain values, and how large a difference must be to be reported. The file
//! of its name computes each.

use std::collections::BTreeSet;

use crate::insight::daily::{Share, SourceHistory, ToneCounts, UsualShare};
use crate::insight::why::Cause;
use crate::model::{Source, Span, Time, Tone};
use crate::report::format::percent_below;

/// Why a day or period is not compared if the filter cannot judge its items.
pub(super) const UNJUDGED: &str = "its words were pruned, so the filter cannot be applied";

/// Why a day or period is not compared if not all of its items were read.
pub(super) const NOT_READ: &str = "more items than can be read at once";

/// The minimum difference from the usual that is reported, in items.
pub(in crate::report) const MIN_CHANGE: f64 = 10.0;
/// The minimum number of scored items for comparing shares.
pub(in crate::report) const MIN_SAMPLE: u64 = 20;
/// The share of a day that must be covered for a comparison, and of the period before a lower number than usual is
/// news.
pub(in crate::report) const WHOLE: f64 = 0.9;
/// The maximum number of searches read for the period.
pub(in crate::report) const MOST_SEARCHES: i64 = 20_000;
/// How long after the period an answer or a failure still counts for it, in milliseconds.
pub(in crate::report) const TAIL: i64 = 12 * 3_600_000;
/// How long before its searches a run may have started, in milliseconds.
pub(in crate::report) const LONGEST_RUN: i64 = 86_400_000;

/// Says that less than `WHOLE` of a day or period was searched. `what` names the period of the report.
pub(in crate::report) fn little_searched(part: f64, what: Option<&str>) -> String {
    let of = what.map_or_else(String::new, |what| format!(" of {what}"));
    match part {
        0.0 => format!("nothing{of} searched"),
        part => format!("only {}{of} searched", percent_below(part, WHOLE)),
    }
}

/// Whether a period is over for so long that a report made now describes how it ended, not how things are.
pub(in crate::report) fn is_past(period: Span, now: Time) -> bool {
    now.0 > period.until.0.saturating_add(TAIL)
}

/// Returns why counts of a period cannot be compared with those of an earlier one of its kind, if its sources are the
/// reason.
pub(super) fn sources_reason(sources: &SourceHistory, span: Span, before: Span, noun: &str) -> Option<String> {
    match (sources.constant(span), sources.constant(before)) {
        (None, _) => Some(format!("the sources changed within this {noun}")),
        (_, None) => Some(format!("the sources changed within that {noun}")),
        (now, then) => (now != then).then(|| "other sources were searched then".to_owned()),
    }
}

/// An earlier day.
#[derive(Debug, Clone, serde::Serialize)]
pub struct EarlierDay {
    /// How many days earlier: 1 or 7.
    pub back: usize,
    /// `2026-03-10`.
    pub date: String,
    pub weekday: String,
    /// Its number of items; `None` if it cannot be compared.
    pub raw: Option<u64>,
    /// Whether full replies left a hole.
    pub saturated: bool,
    /// Whether there may be more, for this or another reason.
    pub at_least: bool,
    /// Why it cannot be compared, if so.
    pub why: Option<String>,
}

/// The tone of items.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct ToneFacts {
    /// The scorer; `None` when nothing is scored.
    pub scorer: Option<String>,
    /// The period's items.
    pub period: ToneCounts,
    /// The shares of negative, neutral and positive among the scored items.
    pub shares: Vec<(Tone, Share)>,
    /// The tone of the comparable days among the seven days before, by the same scorer.
    pub before: ToneCounts,
    pub before_shares: Vec<(Tone, Share)>,
    /// The usual shares of negative and positive for this number of scored items; empty if too few days are known.
    pub usual: Vec<(Tone, UsualShare)>,
    /// The number of earlier days with enough scored items.
    pub samples: usize,
}

/// The cause of an unusual figure, with its name.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct NamedCause {
    #[serde(flatten)]
    pub cause: Cause,
    /// The handle, the term, the source, or a text; on one line and cut.
    #[serde(rename = "shown")]
    pub display_name: String,
}

/// Causes of unusual figures, if something explains half of the difference.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct WhyFacts {
    pub volume: Option<NamedCause>,
    /// The causes of unusual shares.
    pub tone: Vec<(Tone, NamedCause)>,
}

/// The items of a period that one source found.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SourceShare {
    pub source: Source,
    pub items: u64,
    /// Items, with near-copies counted once.
    pub unique: u64,
    /// The number of these found by no other source; `None` if unknown.
    #[serde(rename = "alone")]
    pub exclusive: Option<u64>,
}

/// The items of a period by source; empty if no topic has providers.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct FoundBy {
    /// Whether the topic's section shows it. Otherwise it is only counted for comparison with other topics.
    #[serde(skip)]
    pub is_shown: bool,
    pub sources: Vec<SourceShare>,
    /// Texts, with near-copies counted once.
    pub unique: u64,
    /// The number of these found by several sources.
    pub agreed: u64,
    /// Whether sightings of these items were deleted since, or not all were read, so that a source may have found more
    /// of them: its `items` and `unique` and the texts that several found are lower bounds, and what only one source
    /// found is not known.
    pub thinned: bool,
}

/// A topic's share of voice within a group.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Voice {
    pub topic: String,
    pub title: String,
    /// Whether it may have more items than are counted.
    pub at_least: bool,
    /// Whether another topic may have more items than are counted.
    pub others_at_least: bool,
    /// Its share of all items, …
    pub raw: Option<Share>,
    /// … of unique ones, …
    pub unique: Option<Share>,
    /// … and of unique authors; `None` also if its authors are unknown.
    pub authors: Option<Share>,
    /// Whether the authors of another topic are unknown.
    pub others_hidden: bool,
    /// Its share of the unique items of each source; empty if no topic has providers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_source: Vec<(Source, Share)>,
    /// Whether each source may have found more of its items than is known.
    #[serde(skip)]
    pub found_at_least: bool,
    /// The sources where another topic may have more items than are counted.
    #[serde(skip)]
    pub more_elsewhere: BTreeSet<Source>,
}
