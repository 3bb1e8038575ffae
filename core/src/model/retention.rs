//! How long what was found is kept. Plain data; what goes and what stays is the store's to say.

use super::{Micros, Span, Time};

/// How long each kind of thing is kept, in milliseconds; `None` is for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Retention {
    /// Replies as they came.
    pub raw: Option<i64>,
    /// Snapshots, before one a day is left.
    pub sightings: Option<i64>,
    /// The words of items, after they were last seen.
    pub items: Option<i64>,
    /// Searches and answers, and runs that nothing else refers to.
    pub runs: Option<i64>,
}

/// What pruning took of what a topic's runs of a span saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Trimmed {
    /// Runs of whose snapshots only lasting sightings are left.
    pub thinned: i64,
    /// Items without their words.
    pub items: i64,
    /// Up to when the ledger is no longer whole, where that lies in the span.
    pub ledger_until: Option<Time>,
}

/// What a topic's searches of a UTC day were before they were pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrunedDay {
    pub span: Span,
    /// Runs that searched on it.
    pub runs: i64,
    /// Their calls, retries included.
    pub calls: i64,
    /// What these cost, or may have cost.
    pub cost: Micros,
}

/// What is known of a topic's searches that were pruned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PrunedDays {
    /// Up to when searches were pruned and nobody counted them before.
    pub uncounted: Option<Time>,
    /// The days of the others, in time.
    pub days: Vec<PrunedDay>,
}

impl PrunedDays {
    /// From when on all searches are there. A search may look back over earlier days, so that of none of these is known how
    /// much was covered.
    #[must_use]
    pub fn whole_from(&self) -> Option<Time> {
        self.days.last().map(|day| day.span.until).max(self.uncounted)
    }

    /// Whether all searches are there that were made in a span, or later.
    #[must_use]
    pub fn whole(&self, span: Span) -> bool {
        self.whole_from().is_none_or(|from| from <= span.from)
    }

    /// What was pruned of a span: runs, calls and cost. `None` where nobody counted it, or counted days that begin at other
    /// instants than the span.
    #[must_use]
    pub fn of(&self, span: Span) -> Option<(i64, i64, Micros)> {
        if self.uncounted.is_some_and(|until| span.from < until) {
            return None;
        }
        let touched = self.days.iter().filter(|day| day.span.within(span).is_some());
        touched.clone().all(|day| span.from <= day.span.from && day.span.until <= span.until).then(|| {
            touched.fold((0, 0, Micros(0)), |sum, day| (sum.0 + day.runs, sum.1 + day.calls, sum.2.plus(day.cost)))
        })
    }
}

impl Trimmed {
    /// In words; `None` when all is there.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let mut parts = Vec::new();
        if self.thinned > 0 {
            parts.push(format!("{} snapshots were thinned to one a day", self.thinned));
        }
        if self.items > 0 {
            parts.push(format!("the words of {} items are gone", self.items));
        }
        if let Some(until) = self.ledger_until {
            parts.push(format!("searches, answers and some runs before {until} are gone"));
        }
        (!parts.is_empty()).then(|| format!("pruned since: {}", parts.join("; ")))
    }
}
