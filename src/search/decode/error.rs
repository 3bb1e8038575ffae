//! Why a body is no reply, with its hint. It decides nothing: the readers of shapes do.

use crate::search::ErrorClass;

/// Why a body is no reply. Nothing in it could be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    /// `Malformed`, `Cut`, `Timeout` or `Service`.
    pub class: ErrorClass,
    /// One bounded line for people; for `Service` it quotes the reply, so the caller scrubs the key from it.
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

/// The message for a reply that lacks its end.
pub(super) fn cut_text(class: ErrorClass) -> String {
    match class {
        ErrorClass::Timeout => "the reply was not complete in time".to_owned(),
        _ => "the reply was cut short".to_owned(),
    }
}

/// A reply whose list holds entries of which none could be read.
#[must_use]
pub fn nothing_read(entries: i64) -> DecodeError {
    let noun = if entries == 1 { "entry" } else { "entries" };
    malformed(format!("nothing could be read in the reply's list ({entries} {noun})"))
}

pub(super) fn malformed(text: String) -> DecodeError {
    let hint = "if it repeats, compare base_url and dialect with what the service documents".to_owned();
    DecodeError { class: ErrorClass::Malformed, text, hint }
}
