//! Why what a story calls its first may not be the first: stretches that no search covered, topics that were not watched yet,
//! searches that look at a moment. Without any of these, what the topics' searches could show was looked at.

use crate::insight::coverage::{cover, sum};
use crate::insight::holes::{Coverage, SourceCoverage};
use crate::model::{Source, Span, Time, Watched};

/// Topics whose coverage is looked at: the first that saw anything.
pub const MOST_TOPICS: usize = 20;

/// How much of a story is looked at, from a day before it on.
pub const LONGEST_CHECKED: i64 = 31 * DAY;

/// Holes that are told.
const MOST_HOLES: usize = 20;

const DAY: i64 = 86_400_000;

/// A stretch so short says nothing.
const SHORT: i64 = 60_000;

/// What a topic's sources covered.
#[derive(Debug, Clone)]
pub struct Looked {
    pub watched: Watched,
    pub sources: Vec<SourceCoverage>,
}

/// A stretch that a source of a topic did not cover, or not to the last post.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Missed {
    pub topic: String,
    pub source: Source,
    #[serde(flatten)]
    pub span: Span,
    /// Whether it was searched, but too soon: posts of then may have been indexed later.
    pub late_indexing: bool,
}

/// A topic that was not watched from the begin on.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct WatchedSince {
    pub topic: String,
    pub since: Time,
}

/// Why something earlier may be missing; nothing of it in a story whose topics looked at all of its time.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Doubt {
    /// The time that was looked at: a day before the earliest item to the latest, 31 days at most.
    #[serde(flatten)]
    pub checked: Span,
    /// The first of them in time.
    pub holes: Vec<Missed>,
    /// How many more there are.
    pub holes_beyond: usize,
    /// Topics that were watched only later, and whose first searches did not look back so far.
    pub watched_later: Vec<WatchedSince>,
    /// Topics whose sources all look at a moment and at no span.
    pub moments_only: Vec<String>,
    /// Searches before this were pruned: what they covered is not known.
    pub pruned_until: Option<Time>,
    /// Topics that were not looked at.
    pub topics_beyond: usize,
}

/// The time of a story that is looked at.
#[must_use]
pub fn checked(from: Time, until: Time) -> Span {
    let begin = Time(from.0.saturating_sub(DAY));
    let longest = Time(begin.0.saturating_add(LONGEST_CHECKED));
    Span { from: begin, until: until.min(longest).max(Time(begin.0.saturating_add(1))) }
}

impl Doubt {
    /// What the topics' coverage says of a time; `beyond` are topics that were not looked at.
    #[must_use]
    pub fn of(checked: Span, topics: &[Looked], pruned_until: Option<Time>, beyond: usize) -> Self {
        let mut holes: Vec<Missed> = Vec::new();
        let (mut watched_later, mut moments_only) = (Vec::new(), Vec::new());
        for Looked { watched, sources } in topics {
            let mut spans = false;
            let mut late = false;
            for one in sources {
                let Coverage::Spans { covered, holes: missed, open, late_indexing, .. } = &one.coverage else {
                    continue;
                };
                spans = true;
                let before = Span::new(checked.from, watched.began.min(checked.until));
                late |= before.is_some_and(|before| {
                    sum(&cover(before, covered.iter().map(|stretch| stretch.span)).holes) >= SHORT
                });
                let all = missed.iter().chain(open).map(|hole| (hole.stretch.span, false));
                let all = all.chain(late_indexing.iter().map(|stretch| (stretch.span, true)));
                let all = all.filter(|(span, _)| span.until.0 - span.from.0 >= SHORT);
                holes.extend(all.map(|(span, late_indexing)| {
                    let topic = watched.topic.clone();
                    Missed { topic, source: one.source, span, late_indexing }
                }));
            }
            // What was pruned before that says so itself.
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
        Self { checked, holes, holes_beyond, watched_later, moments_only, pruned_until, topics_beyond: beyond }
    }

    /// Whether nothing speaks against what came at an instant being the first of what these topics look for. What a later
    /// stretch hides came later.
    #[must_use]
    pub fn is_none_before(&self, at: Time) -> bool {
        self.holes.iter().all(|hole| hole.span.from >= at)
            && self.watched_later.is_empty()
            && self.moments_only.is_empty()
            && self.pruned_until.is_none()
            && self.topics_beyond == 0
    }
}
