//! What people keep: a search under a name, which is what the items page was asked for, and a note. What filters mean is
//! whoever's reads them.

use std::collections::BTreeMap;

use super::Time;

/// Characters of a note.
pub const LONGEST_NOTE: usize = 2_000;
/// Searches that are kept at most.
pub const MOST_SEARCHES: usize = 200;

/// Why a text is no note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadNote {
    #[error("the note is no text")]
    Nul,
    #[error("the note is too long")]
    TooLong,
}

impl BadNote {
    /// What to do.
    #[must_use]
    pub fn hint(self) -> String {
        match self {
            Self::Nul => "leave the character NUL out".to_owned(),
            Self::TooLong => format!("write at most {LONGEST_NOTE} characters"),
        }
    }
}

/// What may stand as a note: as it was typed, its lines ended alike. Nothing is no note.
///
/// # Errors
/// When it is longer than [`LONGEST_NOTE`] or has a NUL, which one of the databases takes none of.
pub fn as_note(typed: &str) -> Result<Option<String>, BadNote> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_bounded_by_characters_and_empty_is_none() {
        assert_eq!(as_note(" a\r\nb "), Ok(Some("a\nb".to_owned())));
        assert_eq!(as_note(" \r\n "), Ok(None));
        assert!(as_note(&"😀".repeat(LONGEST_NOTE)).is_ok());
        assert_eq!(as_note(&"x".repeat(LONGEST_NOTE + 1)), Err(BadNote::TooLong));
        assert_eq!(as_note("a\0b"), Err(BadNote::Nul));
    }
}
