//! Which items count in the period of a report, and which are new in it. Pure.

use crate::model::{CountedItem, Span, WindowFit};

/// Decides which items belong to the period: by the instant at which they count, or, when reports follow one another
/// without gaps, by when they were first seen, so that late finds are in the next report.
pub(in crate::report) struct PeriodRule {
    pub(in crate::report) span: Span,
    pub(in crate::report) by_moment: bool,
    /// Only items with a higher sequence number.
    pub(in crate::report) since: Option<i64>,
}

impl PeriodRule {
    /// Whether an item counts in the period.
    pub(in crate::report) fn counts(&self, mark: &CountedItem) -> bool {
        match self.by_moment {
            true => self.span.contains(mark.moment()),
            false => mark.fit != WindowFit::Outside && self.is_new(mark),
        }
    }

    /// Whether an item was first seen in the period, whatever its date. It is new in one period only.
    pub(in crate::report) fn is_new(&self, mark: &CountedItem) -> bool {
        match self.since {
            _ if self.by_moment => self.span.contains(mark.first_seen),
            // By number and not by time: a run that started before the last report may have ended after it.
            Some(since) => mark.seq > since,
            // The first such report: items first seen by a clock that is ahead belong to it, too, since the next report
            // goes on by number.
            None => mark.first_seen >= self.span.from,
        }
    }

    /// Whether an item is new in the period but was published before it. Of an undated item nobody knows.
    pub(in crate::report) fn is_older(&self, mark: &CountedItem) -> bool {
        self.is_new(mark) && mark.published_at.is_some_and(|at| at < self.span.from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Engagement, Kind, Time};

    fn page(published_at: i64, first_seen: i64, seq: i64, fit: WindowFit) -> CountedItem {
        CountedItem {
            key: format!("page:{seq}"),
            kind: Kind::Page,
            author: None,
            url: None,
            published_at: Some(Time(published_at)),
            first_seen: Time(first_seen),
            seq,
            fit,
            cluster: format!("page:{seq}"),
            sound: None,
            score: None,
            scorer: None,
            engagement: Engagement::default(),
            changes: 0,
            pruned: false,
        }
    }

    /// Three days of ten hours, and three reports that follow one another; the clock of the last run is ahead.
    #[test]
    fn a_page_is_new_in_one_period() {
        let spans = [(0, 10), (10, 20), (20, 30)].map(|(from, until)| Span { from: Time(from), until: Time(until) });
        let days = spans.map(|span| PeriodRule { span, by_moment: true, since: None });
        let numbers = [None, Some(2), Some(4)];
        let since_last: Vec<PeriodRule> =
            spans.into_iter().zip(numbers).map(|(span, since)| PeriodRule { span, by_moment: false, since }).collect();
        for (name, page, of_day, of_report) in [
            ("found on its day", page(3, 5, 1, WindowFit::In), 0, 0),
            ("found the day after", page(9, 12, 3, WindowFit::In), 1, 1),
            ("old when it was found", page(-90, 14, 4, WindowFit::Outside), 1, 1),
            ("of a run that ended after the report", page(4, 8, 3, WindowFit::In), 0, 1),
            ("by a clock that is ahead", page(25, 25, 2, WindowFit::In), 2, 0),
        ] {
            let new = |rules: &[PeriodRule], upto: &[i64]| -> Vec<usize> {
                // A report contains runs that had a number when it was made.
                let known = |at: usize| upto.get(at).is_none_or(|seq| page.seq <= *seq);
                (0..rules.len())
                    .filter(|at| known(*at) && rules.get(*at).is_some_and(|rule| rule.is_new(&page)))
                    .collect()
            };
            assert_eq!(new(&days, &[]), [of_day], "{name}");
            assert_eq!(new(&since_last, &[2, 4]), [of_report], "{name}");
        }
        let old = page(-90, 14, 4, WindowFit::Outside);
        assert!(days.iter().chain(&since_last).all(|rule| !rule.counts(&old)), "it is new, but counts in no figure");
    }

    #[test]
    fn an_undated_page_is_not_said_to_be_older_than_the_period() {
        // Its run began before the last report and ended after it.
        let rule = PeriodRule { span: Span { from: Time(10), until: Time(20) }, by_moment: false, since: Some(2) };
        let dated = page(4, 8, 3, WindowFit::In);
        let undated = CountedItem { published_at: None, ..page(4, 8, 3, WindowFit::In) };
        assert_eq!(
            [&dated, &undated].map(|page| (rule.counts(page), rule.is_older(page))),
            [(true, true), (true, false)]
        );
        let early = CountedItem { published_at: Some(Time(12)), ..undated };
        assert!(!rule.is_older(&early), "its time is in the period");
    }
}
