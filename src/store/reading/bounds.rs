//! How much one read returns at most.

/// The most rows of one read about a span. If as many are returned, there may be more.
pub const MOST_SIGHTS: i64 = 20_000;
