//! The note about items that were found in a report's period but are older: they count on their own days.

use crate::report::facts::TopicFacts;
use crate::report::format::number;

impl TopicFacts {
    /// Returns a note such as `20 first seen in the period but published before it`; `None` if there are none.
    pub(in crate::report) fn late_items_note(&self, is_calendar: bool) -> Option<String> {
        let outside = match (self.outside, self.earlier) {
            (0, _) => String::new(),
            (_, 1) => ", outside the requested window".to_owned(),
            (many, _) => format!(", {} of them outside the requested window", number(many)),
        };
        let older = match (is_calendar, self.earlier) {
            (true, 1) => "older, counted on its own day",
            (true, _) => "older, counted on their own days",
            (false, _) => "published before it",
        };
        (self.earlier > 0).then(|| format!("{} first seen in the period but {older}{outside}", number(self.earlier)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{report, topic};

    #[test]
    fn older_items_are_named_in_both_formats() {
        let facts = TopicFacts { earlier: 20, outside: 3, ..topic("acme") };
        assert_eq!(topic("acme").late_items_note(false), None);
        let note = "20 first seen in the period but published before it, 3 of them outside the requested window";
        assert_eq!(facts.late_items_note(false).as_deref(), Some(note));
        let one = TopicFacts { earlier: 1, outside: 1, ..topic("acme") };
        let note = "1 first seen in the period but older, counted on its own day, outside the requested window";
        assert_eq!(one.late_items_note(true).as_deref(), Some(note));
        let report = report(vec![facts]);
        let shown = "20 first seen in the period but ";
        assert!(report.markdown().contains(shown) && report.html().contains(shown));
    }
}
