//! Reports TOML syntax errors at the place that has to be fixed.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::config::mistakes::mistake::Mistakes;

/// Reports syntax errors. Returns true if the rest of the document cannot be trusted.
pub(in crate::config) fn report(
    mistakes: &mut Mistakes<'_>,
    root: &DeTable<'_>,
    mut errors: Vec<toml::de::Error>,
) -> bool {
    let end = mistakes.text().as_str().len();
    let span = |error: &toml::de::Error| error.span().unwrap_or(end..end);
    errors.sort_by_key(|error| span(error).start);
    let local = |message: &str| {
        let known = ["string values must be quoted", "duplicate key", "cannot extend", "invalid"];
        (known.iter().any(|known| message.starts_with(known)) || is_wrong_escape(message))
            && !message.contains("multi-line")
    };
    let mut structural = false;
    let mut swallowed = usize::MAX;
    // A list or text that is never closed includes everything after it: report where it opens, not where the file ends.
    // Finding that searches the whole document, so only a few are reported; they all end at the end of the file.
    let lost = |error: &&toml::de::Error| {
        ["unclosed array", "unclosed inline", "multi-line"].iter().any(|lost| error.message().contains(lost))
            && !error.message().contains("array table")
    };
    for error in errors.iter().filter(lost).take(8) {
        if let Some(open) = find_opening(mistakes, root, span(error).start) {
            swallowed = swallowed.min(open.start);
            let message = format!("this is never closed: {}", error.message());
            mistakes.at(&open, message, syntax_hint(error.message()));
        }
    }
    for error in errors.iter().filter(|error| span(error).start < swallowed) {
        structural |= !local(error.message());
        let at = span(error);
        let (message, hint) =
            match unquoted_hint(mistakes.text().as_str().get(at.clone()).unwrap_or(""), error.message()) {
                Some(hint) => ("text must be in quotes", hint),
                None => (error.message(), syntax_hint(error.message()).to_owned()),
            };
        mistakes.at(&at, message, hint);
    }
    structural || swallowed < usize::MAX
}

/// Returns the first character of the innermost multi-line value that ends at `end`.
fn find_opening(mistakes: &Mistakes<'_>, table: &DeTable<'_>, end: usize) -> Option<Range<usize>> {
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

/// Returns the hint for a value without quotes, which the parser may take for a number (`NOVA`, `nan`).
fn unquoted_hint(value: &str, message: &str) -> Option<String> {
    let word = value.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let misread = word && message.starts_with("invalid");
    if !misread && !message.starts_with("string values must be quoted") {
        return None;
    }
    if value.starts_with(['“', '”', '„', '‘', '’', '«']) {
        return Some("write straight quotes, as in key = \"value\"".to_owned());
    }
    Some(match value.to_ascii_lowercase().as_str() {
        "" => "the value is missing: write key = \"value\"".to_owned(),
        flag @ ("true" | "false") => format!("write {flag} in lower case"),
        // Words of YAML.
        "yes" | "no" | "on" | "off" => "write true or false; only text needs quotes".to_owned(),
        // Do not repeat the value: it may be a key.
        _ => "write key = \"value\"".to_owned(),
    })
}

/// Whether a backslash does not begin an escape of TOML, as in a Windows path.
fn is_wrong_escape(message: &str) -> bool {
    ["missing escaped value", "too few unicode value digits"].iter().any(|known| message.starts_with(known))
}

fn syntax_hint(message: &str) -> &'static str {
    if message.starts_with("duplicate key") {
        "keep one of the two"
    } else if is_wrong_escape(message) {
        "in double quotes, write \\\\ for \\; in single quotes, \\ stays as it is"
    } else if message.starts_with("key with no value") {
        "write key = \"value\""
    } else if message.starts_with("invalid unquoted key") {
        "a key has only letters, digits, - and _; a comment begins with #"
    } else if message.starts_with("unexpected key or value") {
        "write one key = value on each line; in a text in double quotes, write \\\" for \""
    } else if message.starts_with("cannot extend") {
        "the name before the dot already has a value: rename or remove one of the two"
    } else if (message.contains("unclosed") && message.contains(" table") && !message.contains("inline"))
        || message.contains("missing table open")
    {
        "write a section as [name], an entry of a list of sections as [[name]]"
    } else if message.contains("string") {
        "end the string with the quote it began with, on the same line"
    } else if message.contains("array") {
        "write a list as [\"one\", \"two\"]"
    } else {
        "see https://toml.io for the syntax"
    }
}
