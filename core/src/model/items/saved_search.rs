//! Data that users save: named searches, which are the parameters of the items page, and notes.

use std::collections::BTreeMap;

use crate::model::Time;

/// The most characters of a note.
pub const LONGEST_NOTE: usize = 2_000;
/// The most saved searches.
pub const MOST_SEARCHES: usize = 200;

/// Why a note is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadNote {
    #[error("the note contains a NUL character")]
    Nul,
    #[error("the note is too long")]
    TooLong,
}

impl BadNote {
    /// The hint.
    #[must_use]
    pub fn hint(self) -> String {
        match self {
            Self::Nul => "remove the NUL character".to_owned(),
            Self::TooLong => format!("write at most {LONGEST_NOTE} characters"),
        }
    }
}

/// Normalises a note: trims it and converts line ends to `\n`. `None` for an empty note.
///
/// # Errors
/// If it is longer than [`LONGEST_NOTE`] or contains NUL, which PostgreSQL cannot store.
pub fn parse_note(typed: &str) -> Result<Option<String>, BadNote> {
    let note = typed.replace("\r\n", "\n");
    let note = note.trim();
    if note.contains('\0') {
        return Err(BadNote::Nul);
    }
    if note.chars().count() > LONGEST_NOTE {
        return Err(BadNote::TooLong);
    }
    Ok(Some(note.to_owned()).filter(|note| !note.is_empty()))
}

/// A saved search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSearch {
    /// Letters, digits, `-` and `_`.
    pub name: String,
    /// Parameters of the items page, as given: `7d` stays relative.
    pub filters: BTreeMap<String, String>,
    pub made_at: Time,
}

impl SavedSearch {
    /// Whether a name is valid: 1 to 64 lowercase letters, digits, `-` and `_`.
    #[must_use]
    pub fn is_valid_name(name: &str) -> bool {
        let sign = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
        (1..=64).contains(&name.len()) && name.bytes().all(sign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_bounded_by_characters_and_empty_is_none() {
        assert_eq!(parse_note(" a\r\nb "), Ok(Some("a\nb".to_owned())));
        assert_eq!(parse_note(" \r\n "), Ok(None));
        assert!(parse_note(&"😀".repeat(LONGEST_NOTE)).is_ok());
        assert_eq!(parse_note(&"x".repeat(LONGEST_NOTE + 1)), Err(BadNote::TooLong));
        assert_eq!(parse_note("a\0b"), Err(BadNote::Nul));
    }
}
