//! Language codes of filters and findings, normalized so that each language has one code, whatever form the tag has.
//! Reads tags only; does not detect the language of a text.

use super::TermError;
use crate::model::{is_language_tag, usual_language_code};

/// Parses a language of a filter and returns its usual code.
pub(super) fn parse_filter_lang(tag: &str) -> Result<String, TermError> {
    let first = tag.split(['-', '_']).next().and_then(code);
    first.filter(|_| is_language_tag(tag)).ok_or_else(|| {
        TermError::new(
            "is not a language code",
            "write an ISO 639 code of two or three letters: \"en\", \"de\", \"pt-BR\"",
        )
    })
}

/// Checks a language that a user enters. A code that names no language matches no finding, so it would hide every
/// finding with a language.
pub(super) fn check(tag: &str) -> Result<(), TermError> {
    let code = parse_filter_lang(tag)?;
    if is_no_language(&code) {
        return Err(TermError::new(
            "names no language, so it matches nothing",
            "leave it out: a finding without a language always passes",
        ));
    }
    Ok(())
}

/// Returns the usual code of a finding's language; `None` if the tag names no language.
pub(super) fn parse_item_lang(tag: &str) -> Option<String> {
    tag.trim().split(['-', '_']).next().and_then(code).filter(|code| !is_no_language(code))
}

/// Returns the usual code for the first part of a tag.
fn code(part: &str) -> Option<String> {
    let shaped = (2..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphabetic());
    let code = part.to_ascii_lowercase();
    shaped.then(|| usual_language_code(&code).map_or_else(|| code.clone(), str::to_owned))
}

/// Undetermined, none, several, uncoded, artificial. `qaa` to `qtz` are for private use; posts with only pictures, tags
/// or links get one of them.
fn is_no_language(code: &str) -> bool {
    matches!(code, "und" | "zxx" | "mul" | "mis" | "art") || matches!(code.as_bytes(), [b'q', b'a'..=b't', _])
}
