//! What people see: stdout through a handle (a closed pipe is no panic), foreign text with its control characters made
//! visible, tables. It formats; it decides nothing.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write};

use comfy_table::{CellAlignment, ContentArrangement, Table};

use crate::model::{Time, Volume, is_hidden_after};

/// Buffered stdout.
pub(super) fn stdout() -> io::BufWriter<io::Stdout> {
    io::BufWriter::with_capacity(64 * 1024, io::stdout())
}

/// Writes a value as indented JSON and a line end, with nothing in it that a terminal would obey.
pub(super) fn json(value: &impl serde::Serialize) -> Result<(), super::Failure> {
    let mut out = stdout();
    out.write_all(inert(&serde_json::to_string_pretty(value)?).as_bytes())?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// JSON whose strings say in escapes what [`visible`] does, too; C0 they cannot hold otherwise. It is the same JSON.
fn inert(json: &str) -> Cow<'_, str> {
    if json.is_ascii() && !json.contains('\u{7f}') {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 64);
    let mut before = None;
    for c in json.chars() {
        let hidden = is_hidden_after(before.replace(c), c);
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
pub(super) fn text(text: &str) -> io::Result<()> {
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a line to stderr; a closed stderr is nobody's concern.
pub(super) fn note(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Whether colour and progress are wanted on stderr.
pub(super) fn lively() -> bool {
    io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        && std::env::var("TERM").as_deref() != Ok("dumb")
}

/// Foreign text on one line of a terminal: what commands it, turns text around or is not drawn at all is shown as escapes, so
/// that a post can neither move the cursor, nor reorder what stands beside it, nor carry what nobody sees.
pub(super) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let (mut blank, mut before) = (false, None);
    for c in text.chars() {
        let hidden = is_hidden_after(before.replace(c), c);
        // Line and paragraph separators are white space, too.
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        if blank && !shown.is_empty() {
            shown.push(' ');
        }
        blank = false;
        if hidden {
            shown.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The same with a blank kept where the text begins or ends with one, for texts that are put side by side.
pub(super) fn spaced(text: &str) -> String {
    let end = |blank: bool| if blank { " " } else { "" };
    let shown = visible(text);
    let before = end(text.starts_with(char::is_whitespace));
    let after = end(!shown.is_empty() && text.ends_with(char::is_whitespace));
    format!("{before}{shown}{after}")
}

/// The same, cut to so many columns of a terminal.
pub(super) fn brief(text: &str, max: usize) -> String {
    let shown = visible(text);
    if columns(&shown) <= max {
        return shown;
    }
    let mut used = 0;
    let fits = |c: &char| {
        used += column(*c);
        used < max
    };
    let mut cut: String = shown.chars().take_while(fits).collect();
    cut.push('…');
    cut
}

/// Columns of a terminal that a character takes: ideographs, kana, Hangul, full-width forms and emoji take two. Marks that
/// stand above others are counted as if they took one, so that nothing is told too narrow.
pub(super) fn column(c: char) -> usize {
    let wide = matches!(u32::from(c), 0x1100..=0x115F | 0x2E80..=0xA4CF | 0xA960..=0xA97F | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF | 0xFE10..=0xFE19 | 0xFE30..=0xFE6F | 0xFF00..=0xFF60 | 0xFFE0..=0xFFE6 | 0x1F000..=0x1FAFF
        | 0x2_0000..=0x3_FFFD);
    if wide { 2 } else { 1 }
}

/// The same of a text.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(column).sum()
}

/// An instant for people: whole seconds. Files and JSON have the milliseconds.
pub(super) fn when(at: Time) -> String {
    Time(at.0.saturating_sub(at.0.rem_euclid(1_000))).to_string()
}

/// The same where it may be unknown.
pub(super) fn when_known(at: Option<Time>) -> String {
    at.map_or_else(|| "-".to_owned(), when)
}

/// A count of what a source showed, where it may have had more.
pub(super) fn at_least(n: i64, more: bool) -> String {
    format!("{}{n}", if more { "≥" } else { "" })
}

/// How much was seen, in items, texts and authors.
pub(super) fn volume(of: Volume) -> String {
    let word = |n: i64, one: &str| if n == 1 { format!("{n} {one}") } else { format!("{n} {one}s") };
    let authors = of.authors.map_or_else(|| "authors not given".to_owned(), |authors| word(authors, "author"));
    format!("{}, {} unique, {authors}", word(of.raw, "item"), of.unique)
}

/// A table without lines; `numbers` are the columns aligned to the right. No cell is broken, so that ids, paths and
/// times can be copied: whoever fills it shortens words to what `width` leaves.
pub(super) fn table(header: &[&str], rows: Vec<Vec<String>>, numbers: &[usize]) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header);
    for row in rows {
        table.add_row(row);
    }
    for (place, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if numbers.contains(&place) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut text: String = table.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    if text.is_empty() {
        text.push('\n');
    }
    text
}

/// Characters of the longest of some texts.
pub(super) fn longest<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0)
}

/// Words in lines of a width, all as far in as the first begins.
pub(super) fn wrapped(begin: &str, words: &str, width: usize) -> String {
    let margin = begin.chars().count();
    let (mut text, mut line) = (String::new(), begin.to_owned());
    let mut taken = margin;
    for word in words.split(' ') {
        let length = word.chars().count();
        if taken > margin && taken + 1 + length > width {
            text.push_str(line.trim_end());
            text.push('\n');
            (line, taken) = (" ".repeat(margin), margin);
        } else if taken > margin {
            line.push(' ');
            taken += 1;
        }
        line.push_str(word);
        taken += length;
    }
    text.push_str(line.trim_end());
    text.push('\n');
    text
}

/// Columns of the terminal; 100 when there is none.
pub(super) fn width() -> u16 {
    let told = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let real = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0);
    told.or_else(real).unwrap_or(100).clamp(60, 200)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::*;
    use crate::model::is_hidden;

    #[test]
    fn a_post_cannot_command_the_terminal() {
        for (text, shown) in [
            ("plain  text\nhere", "plain text here"),
            ("\u{1b}[2Jgone", "\\u{1b}[2Jgone"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("pay\u{200b}pal", "pay\\u{200b}pal"),
            ("hi\u{e0001}\u{e0041}", "hi\\u{e0001}\\u{e0041}"),
            ("👩‍👩‍👧 1️⃣ می‌خواهم", "👩‍👩‍👧 1️⃣ می‌خواهم"),
            ("a\u{200d}b", "a\\u{200d}b"),
        ] {
            assert_eq!(visible(text), shown);
        }
        assert_eq!(brief("abcdef", 4), "abc…");
    }

    #[test]
    fn json_commands_no_terminal_either_and_loses_nothing() {
        let value = serde_json::json!({ "a\u{202e}": ["\u{9b}31m\u{7f}\u{85}", "a\u{200b}\u{e0001}👩‍👩‍👧", "\u{1b}[2J\n", "plain 🦀 \u{feff}é", "\\\u{9b}"] });
        let text = serde_json::to_string_pretty(&value).unwrap();
        let told = inert(&text);
        assert!(
            !told.contains(|c: char| is_hidden(c) && c != '\n')
                && told.contains("a\\u200b\\udb40\\udc01👩‍👩‍👧")
                && told.contains("\\u009b31m\\u007f\\u0085"),
            "{told}"
        );
        assert_eq!(serde_json::from_str::<serde_json::Value>(&told).unwrap(), value);
        assert!(matches!(inert("{\n  \"a\": \"é 🦀\"\n}"), Cow::Borrowed(_)));
    }

    #[test]
    fn people_read_whole_seconds_before_1970_too() {
        for (millis, told) in [
            (1_773_219_600_999, "2026-03-11T09:00:00Z"),
            (1_773_219_600_000, "2026-03-11T09:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(when(Time(millis)), told);
        }
    }

    #[test]
    fn words_are_wrapped_between_words_and_a_long_one_is_whole() {
        assert_eq!(wrapped("a  ", "one two three", 10), "a  one two\n   three\n");
        assert_eq!(wrapped("a  ", "one-two-three-four five", 10), "a  one-two-three-four\n   five\n");
        assert_eq!(wrapped("  ", "", 10), "\n");
    }

    #[test]
    fn no_cell_of_a_table_is_broken() {
        let id = "topic:globex-pricing@2026-11-21T07:30:00Z";
        let text = table(&["run", "found"], vec![vec![id.repeat(9), "7".into()]], &[1]);
        assert_eq!(text.lines().count(), 2);
        assert!(text.contains(&id.repeat(9)));
    }
}
