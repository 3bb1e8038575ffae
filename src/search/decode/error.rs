//! The error for a body that cannot be decoded, with its hint.

use crate::search::ErrorClass;

/// Why a body could not be decoded. Nothing in it could be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    /// `Malformed`, `Cut`, `Timeout` or `Service`.
    pub class: ErrorClass,
    /// One bounded line for people. For `Service` it quotes the reply, so the caller removes the key from it.
    pub text: String,
    /// What to do next.
    pub hint: String,
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.text)
    }
}

impl std::error::Error for DecodeError {}

/// The message for an incomplete reply.
pub(super) fn cut_text(class: ErrorClass) -> String {
    match class {
        ErrorClass::Timeout => "the reply was not complete in time".to_owned(),
        _ => "the reply was cut short".to_owned(),
    }
}

/// The error for a reply in which no entry could be read.
#[must_use]
pub fn all_unreadable(entries: i64) -> DecodeError {
    let noun = if entries == 1 { "entry" } else { "entries" };
    malformed(format!("no entry of the reply's list could be read ({entries} {noun})"))
}

pub(super) fn malformed(text: String) -> DecodeError {
    let hint = "if this repeats, compare base_url and dialect with the service's documentation".to_owned();
    DecodeError { class: ErrorClass::Malformed, text, hint }
}
