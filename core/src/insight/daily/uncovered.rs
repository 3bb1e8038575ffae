//! Finds time of a period that no search covered, so that there may be more items than are counted: gaps, the end (no
//! search was due yet), and time in which the topic lacked one of its sources. Reports, pages and the API use these
//! rules.

use super::hole_facts::HoleFacts;
use super::search_coverage::{COVERED, SearchCoverage};
use crate::model::{PrunedDays, Source, Span, Time, WatchedTopic};

/// Why there may be more items in a span than are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GapReason {
    /// The topic was not watched yet in a part of it.
    NotWatched,
    /// A reply was full.
    FullReply,
    /// More than a little was not covered, or no search that shows a moment answered.
    Uncovered,
    /// A source whose searches show a moment gave no answer, although another source did.
    NoAnswer,
    /// The topic was paused, so that such a source was not searched.
    Paused,
    /// The end is not covered yet: no search was due.
    End,
    /// Searches that would show gaps were pruned.
    Pruned,
    /// Not all known items were read. Only the reader of the items can set this.
    NotRead,
}

/// The part of a span that has passed.
fn passed(span: Span, now: Time) -> Span {
    Span { until: span.until.min(now).max(span.from), ..span }
}

/// Returns whether the uncovered end of a span is more than a small part of its time so far.
#[must_use]
pub fn is_more_than_little(open: Span, span: Span, now: Time) -> bool {
    open.length().as_secs_f64() > (1.0 - COVERED) * passed(span, now).length().as_secs_f64()
}

impl SearchCoverage {
    /// Returns the end of a span that is not covered yet, as far as it has passed.
    #[must_use]
    pub fn uncovered_end(&self, span: Span, now: Time) -> Option<Span> {
        let passed = passed(span, now);
        Span::new(self.due(passed).until, passed.until).filter(|_| self.has_spans(passed))
    }

    /// Returns whether that is more than a little, so that there may be more items than are counted.
    #[must_use]
    pub fn is_end_significant(&self, span: Span, now: Time) -> bool {
        self.uncovered_end(span, now).is_some_and(|open| is_more_than_little(open, span, now))
    }

    /// Whether over 2 % of the part of a span that was due was not covered, or, if its searches cover no spans, whether
    /// none answered in it. False if that is unknown, because searches were pruned.
    #[must_use]
    pub fn is_partly_uncovered(&self, span: Span, pruned_days: &PrunedDays) -> bool {
        let due = self.due(self.covered_part(span));
        let is_known = due.until > due.from && pruned_days.is_complete(span);
        is_known && self.covered_share(due) < COVERED
    }

    /// Returns the searched share of the part of a span for which searches were due; 1 if nothing is known to be
    /// missing: its searches cover no time span, were pruned, or none was due.
    #[must_use]
    pub fn searched_share_due(&self, pruned_days: &PrunedDays, span: Span, now: Time) -> f64 {
        let due = self.due(passed(span, now));
        if due.until <= due.from || !self.has_spans(due) || !pruned_days.is_complete(span) {
            return 1.0;
        }
        self.searched_share(due)
    }

    /// Returns whether the sources that a topic had may have missed items of a span: replies were full, more than a
    /// little was not covered, or searches that would show this were pruned.
    #[must_use]
    pub fn has_gaps(&self, pruned_days: &PrunedDays, span: Span, now: Time) -> bool {
        self.gaps(pruned_days, span, now).next().is_some()
    }

    /// Returns the reasons, in order; empty if there are none.
    #[must_use]
    pub fn gap_reasons(&self, pruned_days: &PrunedDays, span: Span, now: Time) -> Vec<GapReason> {
        let mut reasons = Vec::new();
        for gap in self.gaps(pruned_days, span, now) {
            match gap {
                GapReason::Uncovered => reasons.extend(self.uncovered_reasons(span, now)),
                other => reasons.push(other),
            }
        }
        reasons.sort_unstable();
        reasons.dedup();
        reasons
    }

    /// The kinds of gaps of a span, each computed only when requested. Time before the topic was watched is not
    /// distinguished from other uncovered time.
    fn gaps(&self, pruned_days: &PrunedDays, span: Span, now: Time) -> impl Iterator<Item = GapReason> {
        let all = [GapReason::Pruned, GapReason::FullReply, GapReason::End, GapReason::Uncovered];
        let all = all.into_iter().filter(move |gap| match gap {
            GapReason::Pruned => !pruned_days.is_complete(span),
            GapReason::FullReply => self.saturated(span),
            GapReason::End => self.is_end_significant(span, now),
            GapReason::Uncovered | GapReason::NotWatched => self.is_partly_uncovered(span, pruned_days),
            GapReason::NoAnswer | GapReason::Paused | GapReason::NotRead => false,
        });
        // Without any answer, the span counts as uncovered.
        let unchecked = move || self.unchecked(span, pruned_days).filter(|_| self.checks(span) != Some(0));
        all.chain(std::iter::once_with(unchecked).flatten())
    }

    /// Why time of a span is uncovered: the topic was not watched yet, searches missed it, or both.
    fn uncovered_reasons(&self, span: Span, now: Time) -> Vec<GapReason> {
        let due = self.due(passed(span, now));
        if !self.has_spans(due) {
            return vec![if self.was_watched(span) { GapReason::Uncovered } else { GapReason::NotWatched }];
        }
        let holes = self.holes(due);
        let is_before = |hole: &HoleFacts| hole.before;
        let mut reasons = Vec::new();
        if holes.iter().any(is_before) {
            reasons.push(GapReason::NotWatched);
        }
        // Time left out for late indexing is not a hole.
        if holes.is_empty() || !holes.iter().all(is_before) {
            reasons.push(GapReason::Uncovered);
        }
        reasons
    }

    /// Returns whether there may be more items because searches that were due missed time, since the topic is watched.
    /// Time that the next search looks back over is not missed.
    #[must_use]
    pub fn has_missed(&self, pruned_days: &PrunedDays, span: Span, now: Time) -> bool {
        let mut due = self.due(passed(span, now));
        // Without a schedule no search is due after the last one, nor if there was none.
        let has_schedule =
            |topic: &WatchedTopic| topic.definition.as_ref().is_none_or(|topic| topic.schedule.is_some());
        if !self.watched().is_some_and(has_schedule) {
            if self.runs().is_empty() {
                return false;
            }
            due.until = due.until.min(self.open_from().unwrap_or(due.until)).max(due.from);
        }
        let is_missed = |hole: &HoleFacts| !hole.before && !hole.open;
        let missed = self.holes(due).into_iter().filter(is_missed).map(|hole| hole.span.length().as_secs_f64());
        self.is_partly_uncovered(span, pruned_days)
            && missed.sum::<f64>() > (1.0 - COVERED) * due.length().as_secs_f64()
    }

    /// Returns whether the topic had a source that finds items in a part of a span only, as far as it has passed.
    /// Covered time does not show this: there, a source counts only while the topic has it.
    #[must_use]
    pub fn is_part_time(&self, span: Span, now: Time) -> bool {
        !self.part_time(&[span], now).is_empty()
    }

    /// Returns the sources for which this holds in any of these spans (in order), and when the topic had them between
    /// the start of the first and the end of the last span.
    #[must_use]
    pub fn part_time(&self, spans: &[Span], now: Time) -> Vec<(Source, Vec<Span>)> {
        let Some((first, last)) = spans.first().zip(spans.last()) else { return Vec::new() };
        let period = passed(Span { from: first.from, until: last.until }, now);
        // Use all runs: the time after a source ended in the period does not belong to the source.
        let until = self.runs().last().map_or(period.until, |run| period.until.max(Time(run.at.0.saturating_add(1))));
        let spans: Vec<Span> = spans.iter().map(|span| passed(*span, now)).collect();
        self.source_history(Span { until, ..period }).part_time_of_any(&spans, period)
    }

    /// Returns whether there may be more items in a span than are counted: its searches have gaps, or a source was searched
    /// for a part of it only.
    #[must_use]
    pub fn may_be_more(&self, pruned_days: &PrunedDays, span: Span, now: Time) -> bool {
        self.has_gaps(pruned_days, span, now) || self.is_part_time(span, now)
    }
}
