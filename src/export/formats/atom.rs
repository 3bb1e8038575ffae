//! Writes an Atom feed (RFC 4287) of what is new in one topic, or of what a saved search finds, newest first. By hand,
//! since it has at most 100 entries of a few elements, escaped by the XML writer that workbooks need anyway. The feed
//! of a topic leaves out baselines (what the first answers to a query brought) and items older than their window. Ids
//! come from items' keys and dates from the store: the same data gives the same bytes, and readers recognise entries
//! they already have.

use std::collections::{HashSet, VecDeque};
use std::fmt::Write as _;

use super::xml;
use crate::export::Out;
use crate::model::{FirstSightingRow, ItemRow, Time, WindowFit, whole_start};
use crate::normalise::safe_link;

/// Maximum number of entries of a feed.
pub(in crate::export) const MOST_ENTRIES: usize = 100;

/// Maximum number of characters of a title made from a text.
const TITLE: usize = 120;

/// A feed being built; it keeps only the newest entries.
pub(in crate::export) struct Feed {
    entries: VecDeque<FirstSightingRow>,
}

impl Feed {
    pub(in crate::export) fn new() -> Self {
        Self { entries: VecDeque::with_capacity(MOST_ENTRIES) }
    }

    /// Whether a row may be in a feed.
    pub(in crate::export) fn is_news(row: &FirstSightingRow) -> bool {
        !row.baseline && row.fit != WindowFit::Outside
    }

    /// Adds a row, and returns the one that leaves the feed for it. Rows must come in the order in which they were
    /// first seen.
    pub(in crate::export) fn take(&mut self, row: FirstSightingRow) -> Option<FirstSightingRow> {
        let full = self.entries.len() == MOST_ENTRIES;
        let oldest = if full { self.entries.pop_front() } else { None };
        self.entries.push_back(row);
        oldest
    }

    /// A feed of listed items, newest first. An item that several topics found is one entry.
    pub(in crate::export) fn of_items(rows: Vec<ItemRow>) -> Self {
        let mut feed = Self::new();
        let mut seen_keys = HashSet::new();
        for row in rows {
            if feed.entries.len() < MOST_ENTRIES && seen_keys.insert(row.key.clone()) {
                feed.entries.push_front(to_first_sighting(row));
            }
        }
        feed
    }

    /// Writes the feed and returns the number of entries. `of` is the kind and the name of its subject.
    pub(in crate::export) fn write(
        self,
        out: Out<'_>,
        of: (&str, &str),
        title: &str,
        is_sandbox: bool,
    ) -> std::io::Result<u64> {
        let mark = if is_sandbox { "SANDBOX: " } else { "" };
        // A feed must have a date, but without entries there is none to use.
        let updated = self.entries.iter().map(|row| row.first_seen).max().and_then(date);
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<id>{}</id>\n<title>",
            urn(of.0, of.1)
        );
        push(&mut text, &format!("{mark}{title}"));
        let _ = write!(
            text,
            "</title>\n<updated>{}</updated>\n<author><name>topicwatch</name></author>\n",
            updated.as_deref().unwrap_or("1970-01-01T00:00:00.000Z")
        );
        if is_sandbox {
            text.push_str("<subtitle>SANDBOX: invented findings</subtitle>\n");
        }
        out.write_all(text.as_bytes())?;
        let mut written = 0;
        for row in self.entries.iter().rev() {
            text.clear();
            entry(&mut text, row);
            out.write_all(text.as_bytes())?;
            written += 1;
        }
        out.write_all(b"</feed>\n")?;
        out.flush()?;
        Ok(written)
    }
}

/// Returns an item as an entry.
fn to_first_sighting(row: ItemRow) -> FirstSightingRow {
    FirstSightingRow {
        topic: row.topic,
        key: row.key,
        kind: row.kind,
        first_seen: row.first_seen,
        first_run: row.first_run,
        baseline: false,
        fit: WindowFit::In,
        url: row.url,
        author: row.author,
        author_name: row.author_name,
        title: row.title,
        text: row.text,
        lang: row.lang,
        published_at: row.published_at,
    }
}

fn entry(text: &mut String, row: &FirstSightingRow) {
    let _ = write!(text, "<entry>\n<id>{}</id>\n<title>", urn("item", &row.key));
    let words = row.title.as_deref().or(row.text.as_deref()).filter(|words| !words.trim().is_empty());
    push(text, &headline(words.unwrap_or(&row.key)));
    let seen = date(row.first_seen);
    let _ = write!(text, "</title>\n<updated>{}</updated>\n", seen.as_deref().unwrap_or("1970-01-01T00:00:00.000Z"));
    if let Some(published) = row.published_at.and_then(date) {
        let _ = writeln!(text, "<published>{published}</published>");
    }
    text.push_str("<author><name>");
    push(text, row.author_name.as_deref().or(row.author.as_deref()).unwrap_or("unknown"));
    text.push_str("</name></author>\n");
    if let Some(link) = row.url.as_deref().and_then(safe_link) {
        text.push_str("<link rel=\"alternate\" href=\"");
        push(text, &link);
        text.push_str("\"/>\n");
    }
    text.push_str("<content type=\"text\">");
    push(text, row.text.as_deref().or(row.title.as_deref()).unwrap_or(""));
    text.push_str("</content>\n</entry>\n");
}

fn push(out: &mut String, text: &str) {
    xml::push(out, text, |out, c| {
        if c != '\r' {
            out.push('\u{FFFD}');
        }
    });
}

/// The start of a text, on one line.
fn headline(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    if line.chars().count() <= TITLE {
        return line;
    }
    format!("{}…", whole_start(&line, TITLE - 1, |_| 1))
}

/// A date as in RFC 3339; `None` if its year does not have four digits.
fn date(at: Time) -> Option<String> {
    Some(at.iso_millis()).filter(|date| date.len() == 24 && date.starts_with(|c: char| c.is_ascii_digit()))
}

/// An id that never changes: a UUID of version 8, the one for custom hashes.
fn urn(kind: &str, name: &str) -> String {
    let hash = blake3::hash(format!("topicwatch {kind} {name}").as_bytes());
    let mut bytes = [0; 16];
    for (target, source) in bytes.iter_mut().zip(hash.as_bytes()) {
        *target = *source;
    }
    let mut number = u128::from_be_bytes(bytes);
    number = (number & !(0xF << 76)) | (0x8 << 76);
    number = (number & !(0x3 << 62)) | (0x2 << 62);
    let hex = format!("{number:032x}");
    let part = |from: usize, until: usize| hex.get(from..until).unwrap_or("");
    format!("urn:uuid:{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_ids_are_stable_and_well_formed() {
        let urn = urn("item", "post:x:1");
        assert_eq!(urn, super::urn("item", "post:x:1"));
        assert_ne!(urn, super::urn("topic", "post:x:1"));
        assert_eq!((urn.len(), urn.get(23..24), urn.matches('-').count()), (45, Some("8"), 4));
        assert!("89ab".contains(urn.get(28..29).unwrap_or("-")));
    }

    #[test]
    fn a_long_title_is_cut_between_whole_characters() {
        let start = "a".repeat(TITLE - 2);
        assert_eq!(headline(&format!("{start}🇩🇪")), format!("{start}🇩🇪"));
        assert_eq!(headline(&format!("{start}🇩🇪 b")), format!("{start}…"));
    }

    #[test]
    fn only_dates_with_a_four_digit_year_are_written() {
        assert_eq!(date(Time(0)).as_deref(), Some("1970-01-01T00:00:00.000Z"));
        assert_eq!(date(Time(i64::MAX / 2_000_000)).map(|date| date.len()), Some(24));
        assert!(date(Time(300_000_000_000_000)).is_none());
    }
}
