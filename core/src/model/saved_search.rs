//! A search that is kept under a name: what the items page was asked for. What its filters mean is whoever's reads them.

use std::collections::BTreeMap;

use super::Time;

/// Characters of a note.
pub const LONGEST_NOTE: usize = 2_000;
/// Searches that are kept at most.
pub const MOST_SEARCHES: usize = 200;

/// A search by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSearch {
    /// Letters, digits, `-` and `_`.
    pub name: String,
    /// Parameters of the items page, as they were given: `7d` stays the last seven days.
    pub filters: BTreeMap<String, String>,
    pub made_at: Time,
}

impl SavedSearch {
    /// Whether this can be a name: 1 to 64 lowercase letters, digits, `-` and `_`.
    #[must_use]
    pub fn may_be_named(name: &str) -> bool {
        let sign = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
        (1..=64).contains(&name.len()) && name.bytes().all(sign)
    }
}
