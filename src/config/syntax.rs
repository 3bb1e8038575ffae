//! Errors of TOML itself, told so that the place is the one to mend. Keys and values are not looked at.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mistake::Mistakes;

/// Reports syntax errors; true when the rest of the document cannot be trusted.
pub(super) fn report(mistakes: &mut Mistakes<'_>, root: &DeTable<'_>, mut errors: Vec<toml::de::Error>) -> bool {
    let end = mistakes.text().as_str().len();
    let span = |error: &toml::de::Error| error.span().unwrap_or(end..end);
    errors.sort_by_key(|error| span(error).start);
    let local = |message: &str| {
        ["string values must be quoted", "duplicate key", "cannot extend", "invalid"]
            .iter()
            .any(|known| message.starts_with(known))
            && !message.contains("multi-line")
    };
    let mut structural = false;
    let mut swallowed = usize::MAX;
    for error in &errors {
        // A list or text that is never closed takes in what follows: say where it opens, not where the file ends.
        let lost = error.message().contains("unclosed") || error.message().contains("multi-line");
        if let Some(open) = Some(span(error).start).filter(|_| lost).and_then(|at| opening(mistakes, root, at)) {
            swallowed = swallowed.min(open.start);
            let message = format!("this is never closed: {}", error.message());
            mistakes.at(&open, message, syntax_hint(error.message()));
        }
    }
    for error in errors.iter().filter(|error| span(error).start < swallowed) {
        structural |= !local(error.message());
        mistakes.at(&span(error), error.message(), syntax_hint(error.message()));
    }
    structural || swallowed < usize::MAX
}

/// Where the innermost value over several lines begins that ends at `end`: its first character.
fn opening(mistakes: &Mistakes<'_>, table: &DeTable<'_>, end: usize) -> Option<Range<usize>> {
    fn inner(value: &Spanned<DeValue<'_>>, text: &str, end: usize) -> Option<usize> {
        let deeper = match value.get_ref() {
            DeValue::Array(list) => list.iter().filter_map(|value| inner(value, text, end)).max(),
            DeValue::Table(table) => table.iter().filter_map(|(_, value)| inner(value, text, end)).max(),
            _ => None,
        };
        let span = value.span();
        let here = span.end == end && text.get(span.clone()).is_some_and(|text| text.contains('\n'));
        deeper.or(here.then_some(span.start))
    }
    let text = mistakes.text().as_str();
    let start = table.iter().filter_map(|(_, value)| inner(value, text, end)).max()?;
    Some(start..start + 1)
}

fn syntax_hint(message: &str) -> &'static str {
    if message.starts_with("string values must be quoted") {
        "write text between double quotes: key = \"value\""
    } else if message.starts_with("duplicate key") {
        "keep one of the two"
    } else if message.starts_with("cannot extend") {
        "the name before the dot has a value already: rename or remove one of the two"
    } else if message.contains("unclosed table") || message.contains("missing table open") {
        "a section is written [name], an entry of a list of sections [[name]]"
    } else if message.contains("string") {
        "a string ends with the quote it began with, on the same line"
    } else if message.contains("array") {
        "a list is written [\"one\", \"two\"]"
    } else {
        "see https://toml.io for how the file is written"
    }
}
