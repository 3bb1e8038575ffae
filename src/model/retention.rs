//! How long what was found is kept. Plain data; what goes and what stays is the store's to say.

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
    pub ledger_until: Option<super::Time>,
}

impl Trimmed {
    /// In words; `None` when all is there.
    #[must_use]
    pub fn told(&self) -> Option<String> {
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
