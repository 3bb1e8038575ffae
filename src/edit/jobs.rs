//! The edits: add, replace, remove and restore a table; set one of its keys.

use std::ops::Range;

use super::comments::comments;
use super::entry::{EditError, Entry, KeySpan, Kind, edit_error};
use super::lists;
use super::table_index::TableIndex;
use super::text;
use super::value::KeyValue;

/// Removed text and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    at: usize,
    pub text: String,
}

impl Removed {
    /// Returns the text with it restored; `text` is what the removal left.
    #[must_use]
    pub fn restore(&self, text: &str) -> Option<String> {
        let (before, after) = text.split_at_checked(self.at)?;
        Some([before, &self.text, after].concat())
    }
}

/// The text of a file and the positions of its tables.
#[derive(Debug)]
pub struct Jobs<'t> {
    text: &'t str,
    entries: Vec<(Kind, Entry)>,
    defaults: Vec<KeySpan>,
}

impl<'t> Jobs<'t> {
    /// Finds the tables in a text.
    ///
    /// # Errors
    /// If it is not TOML, or has tables in a form that cannot be edited here.
    pub fn read(text: &'t str) -> Result<Self, EditError> {
        let places = TableIndex::of(text)?;
        Ok(Self { text, entries: places.entries, defaults: places.defaults })
    }

    /// Finds the tables in a text to list them, including those of inline lists, which cannot be edited here.
    ///
    /// # Errors
    /// If it is not TOML, or has tables in another form.
    pub fn read_to_list(text: &'t str) -> Result<Self, EditError> {
        let places = TableIndex::with_inline(text)?;
        Ok(Self { text, entries: places.entries, defaults: places.defaults })
    }

    /// Returns the tables of a kind, in file order.
    pub fn entries(&self, kind: Kind) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |(one, _)| *one == kind).map(|(_, entry)| entry)
    }

    /// Returns the table with a name.
    ///
    /// # Errors
    /// If there is none, or more than one.
    pub fn entry(&self, kind: Kind, name: &str) -> Result<&Entry, EditError> {
        let word = kind.singular();
        let mut all = self.entries(kind).filter(|entry| entry.name == name);
        match (all.next(), all.next()) {
            (Some(entry), None) => Ok(entry),
            (None, _) => Err(edit_error(
                format!("the file has no {word} `{name}`"),
                "it may have been renamed or removed in the meantime",
            )),
            (Some(_), Some(_)) => {
                Err(edit_error(format!("the file has two {word}s `{name}`"), "edit the file: names are unique"))
            }
        }
    }

    /// Returns the lines of a table, including its header.
    #[must_use]
    pub fn block(&self, entry: &Entry) -> &'t str {
        self.text.get(entry.block.clone()).unwrap_or("")
    }

    /// Returns the value of a key, and its source text.
    #[must_use]
    pub fn value_and_source<'e>(&self, entry: &'e Entry, key: &str) -> Option<(&'e KeyValue, &'t str)> {
        self.value_in(&entry.keys, key)
    }

    /// Returns the value that `[defaults]` sets for topics, and its source text.
    #[must_use]
    pub fn default(&self, key: &str) -> Option<(&KeyValue, &'t str)> {
        self.value_in(&self.defaults, key)
    }

    fn value_in<'e>(&self, keys: &'e [KeySpan], key: &str) -> Option<(&'e KeyValue, &'t str)> {
        let place = keys.iter().find(|place| place.name == key)?;
        Some((&place.given, self.text.get(place.value.clone())?))
    }

    /// Returns whether `[defaults]` pauses tables of a kind.
    #[must_use]
    pub fn paused_by_default(&self, kind: Kind) -> bool {
        kind == Kind::Topic && self.default("paused").is_some_and(|(value, _)| *value == KeyValue::Flag(true))
    }

    /// Returns whether a table is paused, by its own key or by `[defaults]`.
    #[must_use]
    pub fn is_paused(&self, kind: Kind, entry: &Entry) -> bool {
        match self.value_and_source(entry, "paused") {
            Some((value, _)) => *value == KeyValue::Flag(true),
            None => self.paused_by_default(kind),
        }
    }

    /// Returns the key that a line (from 1) belongs to; `None` if the line is not in the table. Empty for the header.
    #[must_use]
    pub fn key_at<'e>(&self, entry: &'e Entry, line: usize) -> Option<&'e str> {
        let of = |span: &Range<usize>| text::line(self.text, span.start)..=text::line(self.text, span.end);
        let block =
            text::line(self.text, entry.block.start)..text::line(self.text, entry.block.end.saturating_sub(1)) + 1;
        if !block.contains(&line) {
            return None;
        }
        let key = entry.keys.iter().find(|place| of(&(place.key.start..place.value.end)).contains(&line));
        Some(key.map_or("", |place| place.name.as_str()))
    }

    /// Converts lines to the line ends of this text.
    #[must_use]
    pub fn with_line_ends(&self, lines: &str) -> String {
        text::with_ends(lines, text::newline(self.text))
    }

    /// Returns the text with one more table, after the last of its kind and the comment right below that, unless the
    /// comment touches the next header; else at the end.
    ///
    /// # Errors
    /// If `block` is not exactly one table of the kind.
    pub fn append(&self, kind: Kind, block: &str) -> Result<String, EditError> {
        check_single_table(kind, block)?;
        let end = text::newline(self.text);
        let last = self.entries(kind).map(|entry| entry.block.end).max();
        let at = last.map_or(self.text.len(), |end| text::comment_below(self.text, end));
        let (before, after) = self.text.split_at(at);
        let closed = if block.ends_with('\n') { "" } else { end };
        let gap = match before {
            "" => String::new(),
            _ if before.ends_with('\n') => end.to_owned(),
            _ => end.repeat(2),
        };
        let separator = if after.is_empty() || after.starts_with(['\n', '\r']) { "" } else { end };
        Ok([before, &gap, block, closed, separator, after].concat())
    }

    /// Returns the text with a table replaced.
    ///
    /// # Errors
    /// If `block` is not exactly one table of the kind, or the lines of the old one are not contiguous.
    pub fn replace(&self, kind: Kind, name: &str, block: &str) -> Result<String, EditError> {
        check_single_table(kind, block)?;
        let entry = self.contiguous_entry(kind, name)?;
        let (before, after) = (self.text.get(..entry.block.start), self.text.get(entry.block.end..));
        let lines = block.trim_end_matches(['\n', '\r']);
        let (block, last) = match after {
            Some("") if !self.text.ends_with('\n') => (lines, ""),
            _ if block.ends_with('\n') => (block, ""),
            _ => (block, text::newline(self.text)),
        };
        Ok([before.unwrap_or(""), block, last, after.unwrap_or("")].concat())
    }

    /// Returns the text without a table, and the removed text: its lines, a separate comment right above it, and the
    /// blank lines before.
    ///
    /// # Errors
    /// If there is no such table, or its lines are not contiguous.
    pub fn remove(&self, kind: Kind, name: &str) -> Result<(String, Removed), EditError> {
        let entry = self.contiguous_entry(kind, name)?;
        let start = text::comment_above(self.text, entry.block.start);
        let from = text::blanks_above(self.text, start);
        let is_first = matches!(self.text.get(..from), Some("" | "\u{FEFF}"));
        let until = if is_first { text::blanks_below(self.text, entry.block.end) } else { entry.block.end };
        let mut left = self.text.to_owned();
        let text = left.drain(from..until).collect();
        Ok((left, Removed { at: from, text }))
    }

    /// Returns the text with a key of a table set or removed. Comments between the lines of a list that is removed or
    /// rewritten move above it.
    ///
    /// # Errors
    /// If there is no such table, or the key is a table itself.
    pub fn set(&self, kind: Kind, name: &str, key: &str, value: Option<&KeyValue>) -> Result<String, EditError> {
        let entry = self.contiguous_entry(kind, name)?;
        if entry.keys.iter().any(|place| place.name.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'))) {
            return Err(edit_error(format!("`{key}` is a table in the file"), "edit it as TOML"));
        }
        let place = entry.keys.iter().find(|place| place.name == key);
        let mut edited = self.text.to_owned();
        match (place, value) {
            (None, None) => {}
            (Some(place), Some(value)) => {
                let inside = self.comments_in(place, place.value.end);
                let is_emptied = *value == KeyValue::Texts(Vec::new());
                let list = self.list_edited(place, value).filter(|_| !is_emptied || inside.is_empty());
                let kept = if list.is_some() { String::new() } else { inside };
                edited.replace_range(place.value.clone(), &list.unwrap_or_else(|| value.to_toml()));
                edited.insert_str(text::line_start(self.text, place.key.start), &kept);
            }
            (Some(place), None) => {
                let lines = text::line_start(self.text, place.key.start)..text::line_end(self.text, place.value.end);
                let kept = self.comments_in(place, lines.end);
                edited.replace_range(lines, &kept);
            }
            (None, Some(value)) => {
                let direct = |place: &&KeySpan| entry.tables_from.is_none_or(|from| place.key.start < from);
                let last = entry.keys.iter().filter(direct).max_by_key(|place| place.value.end);
                let at = text::line_end(self.text, last.map_or(entry.block.start, |place| place.value.end));
                let indent = text::indent(self.text, last.map_or(entry.block.start, |place| place.key.start));
                let end = text::newline(self.text);
                let before = if edited[..at].ends_with('\n') { "" } else { end };
                edited.insert_str(at, &format!("{before}{indent}{key} = {}{end}", value.to_toml()));
            }
        }
        Ok(edited)
    }

    /// Returns the comments from a value over several lines up to an offset, each on its own line.
    fn comments_in(&self, place: &KeySpan, until: usize) -> String {
        if !self.text.get(place.value.clone()).is_some_and(|value| value.contains('\n')) {
            return String::new();
        }
        let end = text::newline(self.text);
        let value = self.text.get(place.value.start..until).unwrap_or_default();
        comments(value).flat_map(|comment| [comment, end]).collect()
    }

    /// Returns the text of a list with other entries, if its lines and comments can stay.
    fn list_edited(&self, place: &KeySpan, value: &KeyValue) -> Option<String> {
        let (KeyValue::Texts(old), KeyValue::Texts(new)) = (&place.given, value) else { return None };
        let begin = place.value.start;
        let spans: Vec<Range<usize>> = place.entries.iter().map(|at| at.start - begin..at.end - begin).collect();
        lists::edited(self.text.get(place.value.clone())?, &spans, old, new, text::newline(self.text))
    }

    /// Returns the table with a name, only if its lines are contiguous.
    ///
    /// # Errors
    /// If there is none, more than one, or other lines lie between its lines.
    pub fn contiguous_entry(&self, kind: Kind, name: &str) -> Result<&Entry, EditError> {
        let entry = self.entry(kind, name)?;
        if entry.torn {
            let message = format!("the lines of {} `{name}` are not contiguous", kind.singular());
            return Err(edit_error(message, "edit the file: move them together first"));
        }
        Ok(entry)
    }
}

/// Returns a text that is one table of a kind, with the value of a key replaced, whatever its type. Keys of a subtable
/// with that name are replaced one by one.
///
/// # Errors
/// If it is not exactly one table of the kind, because its contents are then unknown.
pub fn mask_key(kind: Kind, block: &str, key: &str, value: &KeyValue) -> Result<String, EditError> {
    check_single_table(kind, block)?;
    let jobs = Jobs::read(block)?;
    let is_key =
        |place: &&KeySpan| place.name.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let mut spans: Vec<Range<usize>> = jobs
        .entries(kind)
        .flat_map(|entry| entry.keys.iter().filter(is_key))
        .map(|place| place.value.clone())
        .collect();
    spans.sort_by_key(|span| span.start);
    let mut result = block.to_owned();
    for span in spans.into_iter().rev() {
        result.replace_range(span, &value.to_toml());
    }
    Ok(result)
}

/// Checks that a text is exactly one table of a kind.
fn check_single_table(kind: Kind, block: &str) -> Result<(), EditError> {
    let places = TableIndex::of(block)?;
    let is_single =
        places.entries.len() == 1 && places.entries.iter().all(|(found, _)| *found == kind) && !places.others;
    let hint = format!("write one [[{}]] with its keys below it, and nothing else", kind.table());
    if is_single { Ok(()) } else { Err(edit_error(format!("this is not one {}", kind.singular()), hint)) }
}
