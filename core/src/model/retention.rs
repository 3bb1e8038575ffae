//! How long findings are kept. Plain data; the store decides what to delete.

use super::{Micros, Span, Time};

/// How long each kind of data is kept, in milliseconds; `None` means forever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Retention {
    /// Raw replies.
    pub raw: Option<i64>,
    /// Sightings, before they are thinned to one snapshot a day.
    pub sightings: Option<i64>,
    /// The text of items, counted from when they were last seen.
    pub items: Option<i64>,
    /// Searches and answers, and runs that nothing else refers to.
    pub runs: Option<i64>,
}

/// How much data pruning removed from a topic's runs of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct PrunedSummary {
    /// The number of runs whose snapshots were thinned.
    pub thinned: i64,
    /// The number of items without their text.
    pub items: i64,
    /// The ledger is incomplete before this time; `None` if that is not in the span.
    pub ledger_until: Option<Time>,
}

/// Figures of a topic's searches of one UTC day, counted before they were pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrunedDay {
    pub span: Span,
    /// The number of runs that searched on this day.
    pub runs: i64,
    /// The number of calls, retries included.
    pub calls: i64,
    /// The cost of the calls; the expected price where the actual one is not known.
    pub cost: Micros,
}

/// The remaining data of a topic's pruned searches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PrunedDays {
    /// Searches before this time were pruned without being counted first.
    pub uncounted: Option<Time>,
    /// The counted days, in time order.
    pub days: Vec<PrunedDay>,
}

impl PrunedDays {
    /// The time from which all searches are still stored. Coverage of earlier days is unknown: a search may look back
    /// over several days.
    #[must_use]
    pub fn complete_from(&self) -> Option<Time> {
        self.days.last().map(|day| day.span.until).max(self.uncounted)
    }

    /// Whether all searches made in a span or later are still stored.
    #[must_use]
    pub fn is_complete(&self, span: Span) -> bool {
        self.complete_from().is_none_or(|from| from <= span.from)
    }

    /// Runs, calls and cost that were pruned from a span. `None` if they were not counted, or if a counted day lies
    /// only partly in the span.
    #[must_use]
    pub fn totals(&self, span: Span) -> Option<(i64, i64, Micros)> {
        if self.uncounted.is_some_and(|until| span.from < until) {
            return None;
        }
        let touched = self.days.iter().filter(|day| day.span.intersection(span).is_some());
        touched.clone().all(|day| span.from <= day.span.from && day.span.until <= span.until).then(|| {
            touched.fold((0, 0, Micros(0)), |sum, day| (sum.0 + day.runs, sum.1 + day.calls, sum.2.plus(day.cost)))
        })
    }
}

impl PrunedSummary {
    /// A sentence about the pruned data; `None` if nothing was pruned.
    #[must_use]
    pub fn describe(&self) -> Option<String> {
        let mut parts = Vec::new();
        if self.thinned > 0 {
            let (s, were) = if self.thinned == 1 { ("", "was") } else { ("s", "were") };
            parts.push(format!("{} snapshot{s} {were} thinned to one a day", self.thinned));
        }
        if self.items > 0 {
            let s = if self.items == 1 { "" } else { "s" };
            parts.push(format!("the text of {} item{s} was deleted", self.items));
        }
        if let Some(until) = self.ledger_until {
            parts.push(format!("searches, answers and some runs before {until} were deleted"));
        }
        (!parts.is_empty()).then(|| format!("pruned since: {}", parts.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_snapshot_and_one_item_are_singular() {
        let of = |many: i64| PrunedSummary { thinned: many, items: many, ledger_until: None }.describe();
        let one = "pruned since: 1 snapshot was thinned to one a day; the text of 1 item was deleted";
        let two = "pruned since: 2 snapshots were thinned to one a day; the text of 2 items was deleted";
        assert_eq!((of(0), of(1).as_deref(), of(2).as_deref()), (None, Some(one), Some(two)));
    }
}
