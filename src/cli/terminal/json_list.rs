//! Writes a JSON object with one list that is too long to hold: its entries are written one by one, with the same bytes
//! that [`super::output::json`] would write for the whole.

use std::io::Write;

use serde_json::Value;

use super::failure::Failure;
use super::output::escape_json;

/// A list that is being written.
pub(in crate::cli) struct JsonList<'o, W> {
    out: &'o mut W,
    key: &'static str,
    many: usize,
}

impl<'o, W: Write> JsonList<'o, W> {
    /// Writes the part before the list. In `document` the list is empty, and only what precedes it matters here.
    pub(in crate::cli) fn begin(out: &'o mut W, key: &'static str, document: &Value) -> Result<Self, Failure> {
        let (before, _) = split_at_list(key, document)?;
        out.write_all(escape_json(&before).as_bytes())?;
        Ok(Self { out, key, many: 0 })
    }

    pub(in crate::cli) fn push(&mut self, entry: &impl serde::Serialize) -> Result<(), Failure> {
        let entry = serde_json::to_string_pretty(entry)?;
        let between = if self.many == 0 { "\n    " } else { ",\n    " };
        self.many += 1;
        // A line break inside a string is escaped, so each one here starts a line of the entry.
        write!(self.out, "{between}{}", escape_json(&entry).replace('\n', "\n    "))?;
        Ok(())
    }

    /// Writes the part after the list, and a line break.
    pub(in crate::cli) fn end(self, document: &Value) -> Result<(), Failure> {
        let (_, after) = split_at_list(self.key, document)?;
        let close = if self.many == 0 { "]" } else { "\n  ]" };
        Ok(writeln!(self.out, "{close}{}", escape_json(&after))?)
    }
}

/// Returns the text before and after the entries of a list.
fn split_at_list(key: &str, document: &Value) -> Result<(String, String), Failure> {
    let text = serde_json::to_string_pretty(document)?;
    // No string contains this: its quotation marks would be escaped.
    let list = format!("\n  \"{key}\": []");
    Ok(match text.split_once(&list) {
        Some((before, after)) => (format!("{before}\n  \"{key}\": ["), after.to_owned()),
        None => (text, String::new()),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use serde_json::json;

    use super::*;

    #[test]
    fn a_streamed_list_has_the_same_bytes_as_the_whole_document() {
        let rows = [json!({ "a": "x\ny \"list\": [] \u{202e}", "b": [1, { "c": [] }] }), json!("z"), json!([])];
        for many in 0..=rows.len() {
            let document =
                |rows: &[Value]| json!({ "before": "\n  \"list\": []", "list": rows, "other": [], "zz": "\u{9b}" });
            let mut out = Vec::new();
            let mut list = JsonList::begin(&mut out, "list", &document(&[])).unwrap();
            rows[..many].iter().for_each(|row| list.push(row).unwrap());
            list.end(&document(&[])).unwrap();
            let expected =
                format!("{}\n", escape_json(&serde_json::to_string_pretty(&document(&rows[..many])).unwrap()));
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
