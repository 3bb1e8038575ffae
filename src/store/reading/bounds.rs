//! How much one reading returns at most.

/// Rows of one reading of the store about a span; as many mean that there may be more.
pub const MOST_SIGHTS: i64 = 20_000;
