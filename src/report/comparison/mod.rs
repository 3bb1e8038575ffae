//! Compares the period with two earlier days: the day before, and the same weekday of the week before. Plain numbers
//! without a verdict; `highlights` decides what is unusual.

pub(super) mod calendar;
pub(super) mod calendar_words;
mod count_change;
pub(super) mod few_answers;
pub(super) mod measures;
pub(super) mod tone;

use super::document::Report;
use super::facts::TopicFacts;
use super::format::at_least;
use crate::insight::daily::{Day, SearchCoverage, SourceHistory};
use crate::model::{CountedItem, PrunedDays, Time};
use count_change::{Change, Count};
use few_answers::missing_answers;
use measures::{EarlierDay, NOT_READ, UNJUDGED, WHOLE, little_searched, sources_reason};

/// The limits of comparing days.
pub(super) struct Limits<'a> {
    /// When the query last changed: another one was used before.
    pub(super) asked_since: Option<Time>,
    /// When it had which sources.
    pub(super) sources: &'a SourceHistory,
    /// If there were more items than are read: when the earliest item that was read was first seen.
    pub(super) reach: Option<Time>,
    /// From when on the filter could judge all items, if not all.
    pub(super) judged_from: Option<Time>,
    /// When the first run that searched started.
    pub(super) searched_since: Option<Time>,
    pub(super) now: Time,
}

/// Returns the two days to compare with the last day of a history.
pub(super) fn compare_days(
    history: &[Day],
    marks: &[CountedItem],
    search_coverage: &SearchCoverage,
    pruned_days: &PrunedDays,
    limits: &Limits<'_>,
) -> Vec<EarlierDay> {
    let at = |back: usize| Some((back, history.get(history.len().checked_sub(1 + back)?)?));
    let one = |(back, day): (usize, &Day)| {
        let covered = search_coverage.searched_share(day.span);
        let why = if !search_coverage.was_watched(day.span) {
            let later = limits.searched_since.is_none_or(|at| at >= day.span.until);
            Some(if later { "not watched yet" } else { "not watched from its start" }.to_owned())
        } else if limits.asked_since.is_some_and(|at| at > day.span.from) {
            Some("another query was used then".to_owned())
        } else if let Some(reason) =
            history.last().and_then(|own| sources_reason(limits.sources, own.span, day.span, "day"))
        {
            Some(reason)
        } else if limits.reach.is_some_and(|at| at > day.span.from) {
            Some(NOT_READ.to_owned())
        } else if limits.judged_from.is_some_and(|at| at > day.span.from) {
            Some(UNJUDGED.to_owned())
        } else if !pruned_days.is_complete(day.span) {
            Some("its searches were pruned".to_owned())
        } else if covered < WHOLE {
            Some(little_searched(covered, None))
        } else {
            let answers = |day: &Day| search_coverage.answers(day.span);
            let has_spans = search_coverage.has_spans(day.span);
            history.last().and_then(|own| missing_answers(&answers(day), &answers(own), has_spans))
        };
        let raw = marks.iter().filter(|mark| day.span.contains(mark.moment())).count() as u64;
        EarlierDay {
            back,
            date: day.date.to_string(),
            weekday: day.date.strftime("%A").to_string(),
            raw: why.is_none().then_some(raw),
            saturated: search_coverage.saturated(day.span),
            at_least: search_coverage.may_be_more(pruned_days, day.span, limits.now),
            why,
        }
    };
    [1, 7].into_iter().filter_map(at).map(one).collect()
}

/// Returns a sentence such as `Day before (Sunday 03-15): 110 items; now 82, −25%.`
pub(super) fn sentence(report: &Report, topic: &TopicFacts) -> Option<String> {
    let (now, incomplete) = (topic.period.raw, topic.incomplete_reason());
    let one = |day: &EarlierDay| {
        let name = if day.back == 1 { "Day before" } else { "Week before" };
        let date = day.date.get(5..).unwrap_or_default();
        let result = match (day.raw, &day.why) {
            (Some(raw), _) => {
                let items = format!("{} {}", at_least(raw, day.at_least), if raw == 1 { "item" } else { "items" });
                let now = Count::of(now, topic.may_be_more());
                let shown = at_least(topic.period.raw, now.at_least);
                match now.change_from(Count::of(raw, day.at_least)) {
                    _ if day.saturated => format!("{items}; not compared: that day is incomplete"),
                    _ if incomplete.is_some() => {
                        format!("{items}; not compared: {}", incomplete.as_deref().unwrap_or_default())
                    }
                    _ if !report.is_over() => format!("{items}; not compared: this day is not over"),
                    Change::By(change) => format!("{items}; now {shown}, {change}"),
                    Change::Alike if raw > 0 => format!("{items}; now {shown}, as many"),
                    Change::Alike => items,
                    // Both figures; one of them may be too low.
                    Change::FromNone | Change::Unknown => format!("{items}; now {shown}"),
                }
            }
            (None, why) => format!("not compared, {}", why.as_deref().unwrap_or("reason unknown")),
        };
        format!("{name} ({} {date}): {result}.", day.weekday)
    };
    let all: Vec<String> = topic.earlier_days.iter().map(one).collect();
    (!all.is_empty() && !topic.first_day && !topic.query_changed()).then(|| all.join(" "))
}

#[cfg(test)]
mod tests {
    use super::super::samples::{report, topic};
    use super::*;

    #[test]
    fn earlier_days_are_compared_or_the_reason_is_given() {
        let day = |back: usize, raw: Option<u64>, why: Option<&str>| EarlierDay {
            back,
            date: format!("1969-12-{}", 32 - back),
            weekday: if back == 1 { "Wednesday" } else { "Thursday" }.into(),
            raw,
            saturated: false,
            at_least: false,
            why: why.map(str::to_owned),
        };
        let mut facts = topic("a");
        facts.period.raw = 82;
        facts.earlier_days = vec![day(1, Some(110), None), day(7, Some(0), None)];
        let of = |facts: &TopicFacts| sentence(&report(vec![facts.clone()]), facts);
        assert_eq!(
            of(&facts).as_deref(),
            Some(
                "Day before (Wednesday 12-31): 110 items; now 82, −25%. Week before (Thursday 12-25): 0 items; now 82."
            )
        );
        facts.earlier_days = vec![day(1, None, Some("only 40% searched")), day(7, Some(41), None)];
        (facts.earlier_days[1].saturated, facts.earlier_days[1].at_least) = (true, true);
        assert_eq!(
            of(&facts).as_deref(),
            Some(
                "Day before (Wednesday 12-31): not compared, only 40% searched. \
                 Week before (Thursday 12-25): ≥\u{a0}41 items; not compared: that day is incomplete."
            )
        );
        facts.first_day = true;
        assert_eq!(of(&facts), None);
    }
}
