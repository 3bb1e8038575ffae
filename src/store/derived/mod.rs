//! Data that followers derive from finished runs: near-copies, counts of days, the word index.

pub(in crate::store) mod clusters;
pub(in crate::store) mod days;
pub(in crate::store) mod text_search;
