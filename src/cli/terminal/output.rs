//! Output: stdout (a closed pipe does not panic), JSON and tables.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write};

use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::grid::Grid;
use crate::draw::format::AUTHORS_UNKNOWN;
use crate::model::{Time, Volume, is_invisible_after};

pub(in crate::cli) use crate::cli::terminal::text::{
    bytes, display_width, escape_control, escape_keep_blanks, longest, truncate, wrap,
};

/// Stdout, written in pieces of 64 KiB.
pub(in crate::cli) fn stdout() -> io::BufWriter<io::Stdout> {
    io::BufWriter::with_capacity(64 * 1024, io::stdout())
}

/// Writes a value as indented JSON and a line break. It contains nothing that a terminal would act on.
pub(in crate::cli) fn json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let mut out = stdout();
    out.write_all(escape_json(&serde_json::to_string_pretty(value)?).as_bytes())?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Escapes in JSON strings what [`escape_control`] escapes too; JSON always escapes C0. The value stays the same.
pub(super) fn escape_json(json: &str) -> Cow<'_, str> {
    if json.is_ascii() && !json.contains('\u{7f}') {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 64);
    let mut before = None;
    for c in json.chars() {
        let hidden = is_invisible_after(before.replace(c), c);
        if c >= '\u{7f}' && hidden {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    if out.len() == json.len() { Cow::Borrowed(json) } else { Cow::Owned(out) }
}

/// Writes text to stdout.
pub(in crate::cli) fn text(text: &str) -> io::Result<()> {
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a line to stderr; errors are ignored.
pub(in crate::cli) fn print_stderr(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Whether stderr may have colour and progress.
pub(in crate::cli) fn is_interactive() -> bool {
    io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        && std::env::var("TERM").as_deref() != Ok("dumb")
}

/// Formats an instant for people, in whole seconds. Files and JSON have milliseconds.
pub(in crate::cli) fn format_time(at: Time) -> String {
    at.whole_seconds().to_string()
}

/// Formats an instant that may be unknown.
pub(in crate::cli) fn format_time_or_dash(at: Option<Time>) -> String {
    at.map_or_else(|| "-".to_owned(), format_time)
}

/// Formats a count, with `≥` if the source may have had more.
pub(in crate::cli) fn at_least(n: i64, more: bool) -> String {
    format!("{}{n}", if more { "≥" } else { "" })
}

/// Formats how much was seen, in items, texts and authors.
pub(in crate::cli) fn volume(of: Volume) -> String {
    let word = |n: i64, one: &str| if n == 1 { format!("{n} {one}") } else { format!("{n} {one}s") };
    let authors = of.authors.map_or_else(|| AUTHORS_UNKNOWN.to_owned(), |authors| word(authors, "author"));
    let unique = match of.uncompared {
        0 => format!("{} unique", of.unique),
        new => format!("at most {} unique ({new} not compared yet)", of.unique),
    };
    format!("{}, {unique}, {authors}", word(of.raw, "item"))
}

/// Formats a table without lines; `numbers` are the columns aligned to the right. Cells are never broken, so that ids,
/// paths and times can be copied: the caller shortens words to fit `width`.
pub(in crate::cli) fn table(header: &[&str], rows: Vec<Vec<String>>, numbers: &[usize]) -> String {
    let mut grid = Grid::new(header, numbers);
    for row in rows {
        grid.push(&row);
    }
    grid.lines().map(|line| format!("{line}\n")).collect()
}

/// Like [`table`], with a text after each row: on the same line if every text fits into `width`, else wrapped below its
/// row. Texts are never cut.
pub(in crate::cli) fn table_with_text(
    (header, name): (&[&str], &str),
    rows: Vec<Vec<String>>,
    numbers: &[usize],
    texts: &[String],
    width: usize,
) -> String {
    let plain = table(header, rows.clone(), numbers);
    let taken = plain.lines().map(display_width).max().unwrap_or(0) + 2;
    if texts.iter().all(|text| text.is_empty() || taken.saturating_add(display_width(text)) <= width) {
        let full_rows = rows.into_iter().zip(texts).map(|(row, text)| [row, vec![text.clone()]].concat());
        return table(&[header, &[name]].concat(), full_rows.collect(), numbers);
    }
    let texts = std::iter::once(name).chain(texts.iter().map(String::as_str));
    let below = |(line, text): (&str, &str)| {
        let text = if text.is_empty() { String::new() } else { wrap("    ", text, width) };
        format!("{line}\n{text}")
    };
    plain.lines().zip(texts).map(below).collect()
}

/// Returns the columns of the terminal; 100 if there is none.
pub(in crate::cli) fn width() -> u16 {
    known_width().unwrap_or(100).clamp(60, 200)
}

/// Returns the columns that a text may take before it is wrapped: those of the terminal; without one there is no limit.
pub(in crate::cli) fn wrap_width() -> usize {
    known_width().map_or(usize::MAX, |width| usize::from(width.clamp(60, 200)))
}

fn known_width() -> Option<u16> {
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    columns.or_else(|| terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::*;
    use crate::model::is_invisible;

    #[test]
    fn json_output_escapes_control_characters_and_loses_nothing() {
        let value = serde_json::json!({ "a\u{202e}": ["\u{9b}31m\u{7f}\u{85}", "a\u{200b}\u{e0001}👩‍👩‍👧", "\u{1b}[2J\n", "plain 🦀 \u{feff}é", "\\\u{9b}"] });
        let text = serde_json::to_string_pretty(&value).unwrap();
        let escaped = escape_json(&text);
        assert!(
            !escaped.contains(|c: char| is_invisible(c) && c != '\n')
                && escaped.contains("a\\u200b\\udb40\\udc01👩‍👩‍👧")
                && escaped.contains("\\u009b31m\\u007f\\u0085"),
            "{escaped}"
        );
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
        assert!(matches!(escape_json("{\n  \"a\": \"é 🦀\"\n}"), Cow::Borrowed(_)));
    }

    #[test]
    fn times_before_1970_are_shown_in_whole_seconds() {
        for (millis, expected) in [
            (1_773_219_600_999, "2026-03-11T09:00:00Z"),
            (1_773_219_600_000, "2026-03-11T09:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(format_time(Time(millis)), expected);
        }
    }

    #[test]
    fn a_text_that_does_not_fit_is_wrapped_below_its_row() {
        let rows = || vec![vec!["acme".to_owned(), "7".to_owned()], vec!["globex".to_owned(), "12".to_owned()]];
        let texts = ["one two three four".to_owned(), String::new()];
        let render = |width| table_with_text((&["topic", "n"], "why"), rows(), &[1], &texts, width);
        let one = "topic    n  why\nacme     7  one two three four\nglobex  12\n";
        assert_eq!((render(usize::MAX), render(30)), (one.to_owned(), one.to_owned()));
        assert_eq!(render(16), "topic    n\n    why\nacme     7\n    one two\n    three four\nglobex  12\n");
    }

    #[test]
    fn table_cells_are_never_broken() {
        let id = "topic:globex-pricing@2026-11-21T07:30:00Z";
        let text = table(&["run", "found"], vec![vec![id.repeat(9), "7".into()]], &[1]);
        assert_eq!(text.lines().count(), 2);
        assert!(text.contains(&id.repeat(9)));
    }
}
