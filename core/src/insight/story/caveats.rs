//! Reasons why the first item of a story may not be the real first: holes in the coverage, topics watched only later,
//! searches that cover no span. Without any of these, the searches covered all of the story's time.

use std::collections::BTreeSet;

use crate::insight::coverage::holes::{Coverage, SourceCoverage};
use crate::insight::coverage::{split_coverage, total_ms};
use crate::model::{Source, Span, Time, WatchedTopic};

/// The most topics whose coverage is checked: those that saw an item first.
pub const MOST_TOPICS: usize = 20;

/// The longest part of a story that is checked, starting a day before it.
pub const LONGEST_CHECKED: i64 = 31 * DAY;

/// The most holes listed.
const MOST_HOLES: usize = 20;

const DAY: i64 = 86_400_000;

/// Shorter holes are ignored, milliseconds.
const SHORT: i64 = 60_000;

/// The coverage of a topic's sources.
#[derive(Debug, Clone)]
pub struct TopicSearches {
    pub watched: WatchedTopic,
    pub sources: Vec<SourceCoverage>,
}

/// A span that a source of a topic did not cover, or searched too early.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct MissedSpan {
    pub topic: String,
    pub source: Source,
    #[serde(flatten)]
    pub span: Span,
    /// Whether it was searched, but too early: posts may have been indexed after the search.
    pub late_indexing: bool,
}

/// A topic that was not watched from the start of the story.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct WatchedSince {
    pub topic: String,
    pub since: Time,
}

/// Reasons why something earlier may be missing. Empty if the topics covered all of the story's time.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct StoryCaveats {
    /// The checked time: from a day before the earliest item to the latest, at most 31 days.
    #[serde(flatten)]
    pub checked: Span,
    /// The earliest holes.
    pub holes: Vec<MissedSpan>,
    /// How many more holes there are.
    pub holes_beyond: usize,
    /// Topics watched only later, whose first searches did not look back far enough.
    pub watched_later: Vec<WatchedSince>,
    /// Topics whose sources cover no span.
    pub moments_only: Vec<String>,
    /// Searches before this were pruned: their coverage is unknown.
    pub pruned_until: Option<Time>,
    /// The number of topics not checked.
    pub topics_beyond: usize,
    /// The sources of topics whose searches cover spans: only what they found can be the first.
    #[serde(skip)]
    pub spanning: BTreeSet<(String, Source)>,
}

/// Returns the part of a story's time that is checked.
#[must_use]
pub fn checked_span(from: Time, until: Time) -> Span {
    let begin = Time(from.0.saturating_sub(DAY));
    let longest = Time(begin.0.saturating_add(LONGEST_CHECKED));
    Span { from: begin, until: until.min(longest).max(Time(begin.0.saturating_add(1))) }
}

impl StoryCaveats {
    /// Collects the reasons from the topics' coverage; `beyond` is the number of topics not checked.
    #[must_use]
    pub fn of(checked: Span, topics: &[TopicSearches], pruned_until: Option<Time>, beyond: usize) -> Self {
        let mut holes: Vec<MissedSpan> = Vec::new();
        let (mut watched_later, mut moments_only, mut spanning) = (Vec::new(), Vec::new(), BTreeSet::new());
        for TopicSearches { watched, sources } in topics {
            let mut spans = false;
            let mut late = false;
            for one in sources {
                let Coverage::Spans { covered, holes: missed, open, late_indexing, .. } = &one.coverage else {
                    continue;
                };
                spans = true;
                spanning.insert((watched.topic.clone(), one.source));
                let before = Span::new(checked.from, watched.began.min(checked.until));
                late |= before.is_some_and(|before| {
                    total_ms(&split_coverage(before, covered.iter().map(|length| length.span)).holes) >= SHORT
                });
                let all = missed.iter().chain(open).map(|hole| (hole.span.span, false));
                let all = all.chain(late_indexing.iter().map(|length| (length.span, true)));
                let all = all.filter(|(span, _)| span.until.0 - span.from.0 >= SHORT);
                holes.extend(all.map(|(span, late_indexing)| {
                    let topic = watched.topic.clone();
                    MissedSpan { topic, source: one.source, span, late_indexing }
                }));
            }
            // If that time was pruned, `pruned_until` already says so.
            if late && pruned_until.is_none_or(|until| watched.began > until) {
                watched_later.push(WatchedSince { topic: watched.topic.clone(), since: watched.began });
            }
            if !spans {
                moments_only.push(watched.topic.clone());
            }
        }
        holes.sort_by(|a, b| (a.span, &a.topic, a.source).cmp(&(b.span, &b.topic, b.source)));
        let holes_beyond = holes.len().saturating_sub(MOST_HOLES);
        holes.truncate(MOST_HOLES);
        let pruned_until = pruned_until.filter(|until| *until > checked.from);
        Self {
            checked,
            holes,
            holes_beyond,
            watched_later,
            moments_only,
            pruned_until,
            topics_beyond: beyond,
            spanning,
        }
    }

    /// Returns whether an item at `at` is certainly the first that these topics look for. A hole after `at` can only
    /// hide later items.
    #[must_use]
    pub fn is_certain_at(&self, at: Time) -> bool {
        self.holes.iter().all(|hole| hole.span.from >= at)
            && self.watched_later.is_empty()
            && self.moments_only.is_empty()
            && self.pruned_until.is_none()
            && self.topics_beyond == 0
    }
}
