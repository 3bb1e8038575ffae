//! Computes results from rows. Pure: it reads no database and no clock.
//!
//! * `coverage`, `holes`, `membership`: what searches covered, the gaps, and since when a topic has a source; `wrong_times`
//! * `changes`: what is new, gone, edited or rising; `rising` has the rule for rising
//! * `silence`: sources that fell silent
//! * `daily`: the figures of a day; `why`: why a figure is unusual
//! * `story`: how a text spread
//! * `robust`, `student`: statistics for the above
//! * `tally`: sums over runs, for metrics
//! * `detection`, `baselines`: how well alerts find real events, next to two textbook rules
//! * `relevance`: likely noise, learned from marks
//! * `forecast`: what the topics will do and cost

mod changes;
mod coverage;
pub mod daily;
mod detection;
mod forecast;
pub mod relevance;
mod rising;
mod robust;
pub mod story;
mod student_t;
pub mod tally;
pub mod terms;
mod text_diff;
mod textbook_rules;
pub mod why;

pub use changes::{
    ChangeCounts, ChangeInput, ChangePoint, Changes, EditedItem, GONE_AFTER, GoneItem, GoneQuery, MissingFields,
    NewItem, QueryPeriod, Rising, SourceChanges, changes, gone_query, growth_ranges, passes_filter, source_queries,
};
pub use coverage::hole_causes::{Cause, HoleCause};
pub use coverage::holes::{Coverage, Hole, SourceCoverage, SpanLength, source_coverage};
pub use coverage::silence::{JUDGED_FROM, SilenceKind, SourceSilence, detect_silence, may_be_silent};
pub use coverage::wrong_times::without_wrong_times;
pub use coverage::{CoverageSplit, split_coverage, total_ms};
pub use detection::{Detection, FiredAlert, RealEvent};
pub use forecast::forecast;
pub use forecast::limit_forecast::{Allowance, Amount, ExhaustedDay, Quota};
pub use forecast::types::{Calls, Cost, Forecast, History, Horizon, Price, ProviderDay, ProviderQuota, TopicForecast};
pub use rising::{RISING_GAIN, RISING_SHARE, ReactionGain, grown, is_comparable};
pub use text_diff::{Piece, word_diff};
pub use textbook_rules::{EvaluatedWindow, RunningStats, three_sigma, z_score};

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Engagement, Kind, RunState, SightingRow, Source, Time, TopicStatus, Volume, WindowFit};

/// An item of a snapshot, merged over all sources that showed it.
#[derive(Debug, Clone, serde::Serialize)]
pub struct MergedItem {
    /// The public key, which never changes.
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    /// The sources that showed it, each with its rank there.
    pub sources: BTreeMap<Source, i64>,
    /// Whether this run was the first of its topic to see it.
    pub new: bool,
    /// Inside the window, outside, or undated.
    pub fit: WindowFit,
    pub published_at: Option<Time>,
    pub url: Option<String>,
    pub author: Option<String>,
    pub title: Option<String>,
    /// Text or snippet.
    pub text: Option<String>,
    /// Language, if known.
    pub lang: Option<String>,
    pub engagement: Engagement,
    /// Public key of the first item of its cluster of near-copies; `None` until it was compared.
    pub cluster: Option<String>,
}

/// Merges the sightings of one run: items with most sources first, then by best rank.
#[must_use]
pub fn merge_sightings(sightings: &[SightingRow]) -> Vec<MergedItem> {
    let mut merged: BTreeMap<&str, MergedItem> = BTreeMap::new();
    for seen in sightings {
        let entry = merged.entry(&seen.key).or_insert_with(|| MergedItem {
            key: seen.key.clone(),
            kind: seen.kind,
            sources: BTreeMap::new(),
            new: seen.new,
            fit: seen.fit,
            published_at: seen.published_at,
            url: seen.url.clone(),
            author: seen.author.clone(),
            title: seen.title.clone(),
            text: seen.text.clone(),
            lang: seen.lang.clone(),
            engagement: seen.engagement,
            cluster: seen.cluster.clone(),
        });
        entry.sources.insert(seen.source, seen.rank);
        // One source may omit the date that another gives, or give another date: inside if any says so.
        if entry.fit == WindowFit::Undated || seen.fit == WindowFit::In {
            entry.fit = seen.fit;
        }
    }
    let mut items: Vec<MergedItem> = merged.into_values().collect();
    let best = |item: &MergedItem| item.sources.values().min().copied().unwrap_or(i64::MAX);
    items.sort_by(|a, b| (b.sources.len(), best(a), &a.key).cmp(&(a.sources.len(), best(b), &b.key)));
    items
}

/// Returns the volume of a snapshot: items, distinct texts (near-copies count once) and authors.
#[must_use]
pub fn volume(items: &[MergedItem]) -> Volume {
    let distinct = |of: &dyn Fn(&MergedItem) -> Option<String>| {
        let all: BTreeSet<String> = items.iter().filter_map(of).collect();
        i64::try_from(all.len()).unwrap_or(i64::MAX)
    };
    Volume::new(
        i64::try_from(items.len()).unwrap_or(i64::MAX),
        distinct(&|item| Some(item.cluster.clone().unwrap_or_else(|| item.key.clone()))),
        distinct(&|item| item.author.as_deref().map(normalize_author)),
        i64::try_from(items.iter().filter(|item| item.cluster.is_none()).count()).unwrap_or(i64::MAX),
    )
}

/// Normalizes an author's handle: lowercases A to Z only. SQLite's `lower` and PostgreSQL's bytewise columns fold no
/// other letters, and every figure must match SQL over the rows.
fn normalize_author(handle: &str) -> String {
    handle.to_ascii_lowercase()
}

/// Returns a topic's state in one or two words, for people.
#[must_use]
pub fn status_word(status: &TopicStatus) -> &'static str {
    match status.last_run.as_ref().map(|run| run.state) {
        None => "never run",
        Some(RunState::Ok) => "ok",
        Some(RunState::Partial) => "partial",
        Some(RunState::OverQuota) => "over quota",
        Some(RunState::Cancelled) => "interrupted",
        Some(_) => "failed",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "tests fail by panicking")]
    use super::*;

    fn sighting(source: Source, rank: i64, key: &str, fit: WindowFit) -> SightingRow {
        SightingRow {
            tone: crate::model::ItemTone::default(),
            run: "r".into(),
            topic: "t".into(),
            seen_at: Time(0),
            source,
            rank,
            key: key.into(),
            kind: Kind::Post,
            fit,
            new: true,
            published_at: None,
            url: None,
            author: None,
            title: None,
            text: None,
            lang: None,
            engagement: Engagement::default(),
            cluster: None,
            mark: None,
            relevance: None,
        }
    }

    #[test]
    fn an_item_found_by_several_sources_is_listed_first_and_once() {
        let merged = merge_sightings(&[
            sighting(Source::Social, 1, "a", WindowFit::In),
            sighting(Source::Social, 2, "b", WindowFit::Undated),
            sighting(Source::Ai, 3, "b", WindowFit::In),
        ]);
        assert_eq!(merged.iter().map(|i| (i.key.as_str(), i.sources.len())).collect::<Vec<_>>(), [("b", 2), ("a", 1)]);
        assert_eq!(merged[0].fit, WindowFit::In, "a date known to one source is known");
    }

    #[test]
    fn an_item_is_inside_the_window_if_any_source_says_so() {
        for (first, second, fit) in [
            (WindowFit::Outside, WindowFit::In, WindowFit::In),
            (WindowFit::In, WindowFit::Outside, WindowFit::In),
            (WindowFit::Undated, WindowFit::Outside, WindowFit::Outside),
            (WindowFit::Outside, WindowFit::Undated, WindowFit::Outside),
        ] {
            let sightings = [sighting(Source::Social, 1, "a", first), sighting(Source::Ai, 1, "a", second)];
            assert_eq!(merge_sightings(&sightings)[0].fit, fit, "{first:?}, {second:?}");
        }
    }
}
