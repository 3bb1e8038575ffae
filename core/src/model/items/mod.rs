//! Findings and what belongs to them: near-copies, stories, changes, tone, marks and saved searches.

pub(super) mod changes;
pub(super) mod cluster;
pub(super) mod item;
pub(super) mod mark;
pub(super) mod saved_search;
pub(super) mod story;
pub(super) mod tone;
