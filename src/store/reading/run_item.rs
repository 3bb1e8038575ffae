//! An item of a run, and which of a run's items are listed.

use crate::model::{ItemRow, Source, closed_list};

closed_list! {
    /// Which of a run's findings are listed.
    RunItems {
        /// All that its sources showed: an item once for each of them.
        Found = "found",
        /// Items of `found` that do not count as seen first: the ledger's duplicates.
        Duplicate = "duplicate",
        /// Items that it saw first: those of the next three together.
        First = "first",
        /// New ones.
        New = "new",
        /// Items of a first answer.
        Baseline = "baseline",
        /// Items older than the window.
        Older = "older",
    }
}

/// An item of a run.
#[derive(Debug, Clone)]
pub struct RunItem {
    /// The source that showed it; `None` if that is not kept.
    pub source: Option<Source>,
    pub row: ItemRow,
}
