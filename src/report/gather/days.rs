//! The days that a report looks back on: those of its charts, and those that show what is usual. Pure.

use super::reading::TopicReading;
use crate::insight::daily::{self, CalendarPeriod, Day, GapReason, SearchCoverage, SourceHistory, share};
use crate::model::{CountedItem, ReportSpec, Span, Time};
use crate::report::comparison::measures::WHOLE;
use crate::report::facts::DayFacts;
use crate::report::period;

/// Days of history: the days that show what is usual, and the day of the report.
const HISTORY: i32 = 61;
/// Days in the charts.
const CHART: usize = 14;

/// The days of a report, ending with its own; for a week or month also those of the one before.
pub(super) struct ReportDays {
    pub(super) history: Vec<Day>,
    /// The week or month, if the report is about one.
    pub(super) calendar: Option<CalendarPeriod>,
    /// Where in the history the charts begin.
    chart_start: usize,
    /// Where in the history the days end that show what is usual.
    before_end: usize,
    /// From the first day of the charts to the end of the report.
    pub(super) chart_span: Span,
}

impl ReportDays {
    pub(super) fn of(spec: &ReportSpec, span: Span) -> Self {
        let calendar = period::calendar(spec.window, span, &spec.timezone);
        let (history, chart_start, before_end) = match &calendar {
            Some(period) => {
                let before = period.previous(&spec.timezone).map(|before| before.days(&spec.timezone));
                let days = before.into_iter().flatten().chain(period.days(&spec.timezone));
                let history: Vec<Day> = days.collect();
                let start = history.partition_point(|day| day.span.from < span.from);
                (history, start, start)
            }
            None => {
                let history = daily::days(Time(span.until.0 - 1), HISTORY, &spec.timezone);
                let days = history.len();
                (history, days.saturating_sub(CHART), days.saturating_sub(1))
            }
        };
        let chart_start_day = history.get(chart_start);
        let chart_span = chart_start_day.map_or(span, |day| Span { from: day.span.from, until: span.until });
        Self { history, calendar, chart_start, before_end, chart_span }
    }

    /// Returns the start of its first day, or an earlier time.
    pub(super) fn reads_from(&self, earliest: Time) -> Time {
        self.history.first().map_or(earliest, |day| day.span.from.min(earliest))
    }

    /// Returns the days of the charts.
    pub(super) fn chart(&self) -> &[Day] {
        self.history.get(self.chart_start..).unwrap_or_default()
    }

    /// Returns the earlier days with which the report's own can be compared: watched, covered except for a little, from
    /// `since` on, and with the sources that the topic has in all of the report's span.
    pub(super) fn comparable(
        &self,
        span: Span,
        since: Option<Time>,
        sources: &SourceHistory,
        search_coverage: &SearchCoverage,
    ) -> Vec<Day> {
        let own_sources = sources.constant(span);
        let is_comparable = |day: &&Day| {
            since.is_none_or(|at| at <= day.span.from)
                && own_sources.is_some()
                && sources.constant(day.span) == own_sources
                && search_coverage.was_watched(day.span)
                && search_coverage.searched_share(day.span) >= WHOLE
        };
        let before = self.history.get(..self.before_end).unwrap_or_default();
        before.iter().filter(is_comparable).copied().collect()
    }
}

/// Returns the number of items of each day.
pub(super) fn items_by_day(marks: &[CountedItem], days: &[Day]) -> Vec<(Day, u64)> {
    let count = |day: &Day| marks.iter().filter(|mark| day.span.contains(mark.moment())).count() as u64;
    days.iter().map(|day| (*day, count(day))).collect()
}

/// Returns the facts of a day of the charts.
pub(super) fn day_facts(day: &Day, reading: &TopicReading, scorer: Option<&str>, now: Time) -> DayFacts {
    let (search_coverage, pruned_days) = (&reading.search_coverage, &reading.pruned_days);
    let inside = || reading.marks.iter().filter(|mark| day.span.contains(mark.moment()));
    let tones = daily::count_tones(inside(), scorer);
    let mut gap_reasons = search_coverage.gap_reasons(pruned_days, day.span, now);
    if reading.is_cut_after(day.span.from) {
        gap_reasons.push(GapReason::NotRead);
    }
    let sources_changed = search_coverage.is_part_time(day.span, now);
    DayFacts {
        date: day.date.to_string(),
        span: day.span,
        counted: daily::count_items(inside()),
        negative: share(tones.negative, tones.sample()),
        positive: share(tones.positive, tones.sample()),
        tones,
        covered: pruned_days.is_complete(day.span).then(|| search_coverage.covered_share(day.span)),
        checks: search_coverage.checks(day.span),
        at_least: sources_changed || !gap_reasons.is_empty(),
        gap_reasons,
        sources_changed,
    }
}

/// Returns the holes that overlap the days of the charts, each in its full length as far as known. Holes in the pruned
/// time are not known.
pub(super) fn holes_of_days(
    search_coverage: &SearchCoverage,
    seen: Span,
    chart_span: Span,
    kept_from: Option<Time>,
) -> Vec<daily::HoleFacts> {
    let known = Span { from: kept_from.map_or(seen.from, |from| from.max(seen.from)), ..seen };
    let mut holes = search_coverage.holes(known);
    holes.retain(|hole| hole.span.intersection(chart_span).is_some());
    // Nothing before was read, so the start of a hole at the beginning is unknown.
    for hole in holes.iter_mut().filter(|hole| hole.span.from == known.from && !hole.before && !hole.open) {
        hole.why.push_str("; it may have begun earlier");
    }
    holes
}
