//! Edits a list of strings that spans several lines: entries that stay keep their place, line and comments.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::value::basic_string;

/// The most comparisons for an edit; longer lists are rewritten.
const MOST_COMPARED: usize = 1_000_000;

/// Returns the list `text` with the new entries, or `None` if it has to be rewritten. `spans` are the places of the
/// old entries in `text`.
pub(super) fn edited(
    text: &str,
    spans: &[Range<usize>],
    old: &[String],
    new: &[String],
    newline: &str,
) -> Option<String> {
    let compared = old.len().checked_mul(new.len())?;
    if !text.contains('\n') || spans.len() != old.len() || compared > MOST_COMPARED {
        return None;
    }
    let first = spans.first()?;
    let mut at = rest_of_line(text, text.find('[')? + 1);
    let indent = line_indent(text, first.start).unwrap_or("  ");
    let last_has_comma = spans.last().is_some_and(|span| comma(text, span.end).is_some());
    let mut result = text.get(..at)?.to_owned();
    let mut waiting = new.iter();
    let mut left = new.len();
    let add = |result: &mut String, entry: &str, left: usize| {
        if !result.ends_with('\n') {
            result.push_str(newline);
        }
        let comma = if left > 0 || last_has_comma { "," } else { "" };
        result.push_str(&format!("{indent}{}{comma}{newline}", basic_string(entry)));
    };
    let kept = in_both(old, new);
    for (n, span) in spans.iter().enumerate() {
        let end = end_of_entry(text, span.end);
        if let Some((_, place)) = kept.iter().find(|(of_old, _)| *of_old == n) {
            // The entries before it in the new list that the old one does not have.
            while new.len() - left < *place {
                let entry = waiting.next()?;
                left -= 1;
                add(&mut result, entry, left);
            }
            waiting.next()?;
            left -= 1;
            result.push_str(text.get(at..span.end)?);
            if left > 0 && comma(text, span.end).is_none() {
                result.push(',');
            }
            result.push_str(text.get(span.end..end)?);
        } else {
            // Whole lines above it, which are comments, stay.
            let line = text.get(..span.start)?.rfind('\n').map_or(0, |end| end + 1);
            result.push_str(text.get(at..line.max(at))?);
        }
        at = end;
    }
    for entry in waiting {
        left -= 1;
        add(&mut result, entry, left);
    }
    result.push_str(text.get(at..)?);
    Some(result)
}

/// The entries that both lists have, in order: their places in each.
fn in_both(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
    let places = |op| match op {
        DiffOp::Equal { old_index, new_index, len } => (0..len).map(|n| (old_index + n, new_index + n)).collect(),
        _ => Vec::new(),
    };
    capture_diff_slices(Algorithm::Myers, old, new).into_iter().flat_map(places).collect()
}

/// Returns the offset after the comma that follows an entry, if there is one.
fn comma(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = text.get(at..)?;
        match rest.chars().next()? {
            ',' => return Some(at + 1),
            '#' => at += rest.find('\n')?,
            c if c.is_whitespace() => at += c.len_utf8(),
            _ => return None,
        }
    }
}

/// Returns where an entry ends: with its comma and a comment on the same line.
fn end_of_entry(text: &str, end: usize) -> usize {
    rest_of_line(text, comma(text, end).unwrap_or(end))
}

/// Returns the offset after the line if only blanks and a comment are left of it, else the same offset.
fn rest_of_line(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let Some(end) = rest.find('\n') else { return at };
    let line = rest[..end].trim_start();
    if line.trim().is_empty() || line.starts_with('#') { at + end + 1 } else { at }
}

/// Returns the blanks at the start of a line, if nothing else is before the offset.
fn line_indent(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?;
    let line = &before[before.rfind('\n')? + 1..];
    line.trim().is_empty().then_some(line)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use toml_edit::{Document, Value};

    use super::*;

    fn edit(text: &str, new: &[&str]) -> Option<String> {
        let document = Document::parse(format!("x = {text}")).unwrap();
        let Some(Value::Array(list)) = document.get("x").and_then(|item| item.as_value()) else { panic!("{text}") };
        let spans: Vec<_> = list.iter().map(|one| one.span().unwrap()).map(|at| at.start - 4..at.end - 4).collect();
        let old: Vec<String> = list.iter().map(|one| one.as_str().unwrap().to_owned()).collect();
        let new: Vec<String> = new.iter().map(|one| (*one).to_owned()).collect();
        let list_text = edited(text, &spans, &old, &new, "\n")?;
        let read = Document::parse(format!("x = {list_text}")).unwrap_or_else(|error| panic!("{list_text}\n{error}"));
        let entries: Vec<String> =
            read["x"].as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect();
        assert_eq!(entries, new, "{list_text}");
        Some(list_text)
    }

    #[test]
    fn entries_that_stay_keep_their_lines_and_comments() {
        let list = "[ # all\n    \"a\", # first\n    # about b\n    \"b\",\n    # end\n]";
        for (new, expected) in [
            (&["a", "b", "c"][..], list.replace("\"b\",\n", "\"b\",\n    \"c\",\n")),
            (&["a", "c", "b"], list.replace("# first\n", "# first\n    \"c\",\n")),
            (&["c", "a", "b"], list.replace("# all\n", "# all\n    \"c\",\n")),
            (&["b"], list.replace("    \"a\", # first\n", "")),
            (&["a"], list.replace("    \"b\",\n", "")),
            (&["a", "b"], list.to_owned()),
        ] {
            assert_eq!(edit(list, new).unwrap(), expected, "{new:?}");
        }
        let bare = "[\n  \"a\",\n  \"b\" # last\n]";
        assert_eq!(edit(bare, &["a", "b", "c"]).unwrap(), "[\n  \"a\",\n  \"b\", # last\n  \"c\"\n]");
        assert_eq!(edit("[\"a\"]", &["b"]), None, "a list on one line is written anew");
    }

    #[test]
    fn editing_an_oddly_formatted_list_gives_the_new_entries() {
        for list in [
            "[\"a\", \"b\", # two\n\"c\"]",
            "[\n\"a\" # one\n, \"b\"\n,\n'c' ]",
            "[\"\"\"a\"\"\",\n\t\"b\",\n\t# none\n\t\"c\",]",
            "[\"a\",\n\n\"a\", # again\n\"b\"\n]",
        ] {
            for new in [
                &[][..],
                &["a"],
                &["b"],
                &["c"],
                &["c", "b", "a"],
                &["x", "a", "y", "b", "z"],
                &["a", "b", "c", "d"],
                &["a", "a", "a"],
                &["#", "]", "\"", ",\n"],
            ] {
                assert!(edit(list, new).is_some(), "{list} {new:?}");
            }
        }
    }
}
