//! Sources: their names, the kinds of providers, and what their searches return.

pub(super) mod provider;
pub(super) mod provider_kinds;
pub(super) mod source;
pub(super) mod source_activity;
pub(super) mod source_results;
