//! Which counts of runs and searches are lower bounds, shown with `≥`.

use super::rows::{RunRow, SearchRow};
use crate::model::{ResultKind, SearchState, Source, result_kind};

impl SearchRow {
    /// Whether there may be more items than it counts.
    #[must_use]
    pub fn may_be_more(&self) -> bool {
        self.saturated || self.empty_in_error
    }

    /// Whether it was to find items and failed, wholly or in part, or returned nothing in error.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        let failed = self.error_class.is_some() || self.empty_in_error;
        missed_items(self.source, &self.operation, self.state, failed)
    }
}

/// Whether a search was to find items and did not find all: it `failed`, was lost, or reached a limit.
#[must_use]
pub fn missed_items(source: Source, operation: &str, state: SearchState, failed: bool) -> bool {
    let missed = failed || matches!(state, SearchState::Lost | SearchState::OverQuota);
    missed && result_kind(source, operation) != ResultKind::Answer
}

impl RunRow {
    /// Whether there may be more items than it counts: in its last attempt a source returned its maximum, failed, or
    /// returned nothing in error.
    #[must_use]
    pub fn may_be_more<'s>(&self, searches: impl IntoIterator<Item = &'s SearchRow>) -> bool {
        let mut last = searches.into_iter().filter(|search| search.attempt == self.attempt);
        last.any(|search| search.may_be_more() || search.is_incomplete())
    }

    /// The same for the items that are new. `new` and `baseline` are their counts.
    #[must_use]
    pub fn may_be_more_new<'s>(
        &self,
        searches: impl IntoIterator<Item = &'s SearchRow>,
        new: i64,
        baseline: i64,
    ) -> bool {
        let mut last = searches.into_iter().filter(|search| search.attempt == self.attempt);
        // A baseline is never new, so a full reply says nothing about what is.
        last.any(|search| search.is_incomplete() || search.may_be_more() && (new > 0 || baseline == 0))
    }
}
