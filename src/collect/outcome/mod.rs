//! How a search and a run ended, and how that is reported.

mod reply_coverage;
pub(super) mod report;
pub(super) mod run_outcome;
pub(super) mod search_outcome;
