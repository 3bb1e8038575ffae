//! Finds the positions of tables and keys in a text, from the spans of the TOML parser.

use std::ops::Range;

use toml_edit::{Document, InlineTable, Item, Key, Table, Value};

use super::entry::{EditError, Entry, KeySpan, Kind, edit_error};
use super::text;
use super::value::KeyValue;

/// Everything that can be edited, and whether there is anything else.
pub(super) struct TableIndex {
    pub(super) entries: Vec<(Kind, Entry)>,
    /// Whether there are other tables or keys.
    pub(super) others: bool,
    /// The keys of `[defaults]`.
    pub(super) defaults: Vec<KeySpan>,
}

impl TableIndex {
    pub(super) fn of(source: &str) -> Result<Self, EditError> {
        Self::find(source, false)
    }

    /// The same, with tables of inline lists, which can only be shown.
    pub(super) fn with_inline(source: &str) -> Result<Self, EditError> {
        Self::find(source, true)
    }

    fn find(source: &str, with_inline: bool) -> Result<Self, EditError> {
        // A byte order mark is not part of the document.
        let skipped = source.len() - source.trim_start_matches('\u{FEFF}').len();
        let document = Document::parse(&source[skipped..]).map_err(|error| {
            let line = error.span().map(|span| text::line(source, span.start + skipped));
            let line = line.map_or_else(String::new, |line| format!(" (line {line})"));
            let message = error.message().lines().next().unwrap_or_default().to_owned();
            edit_error(format!("this is not valid TOML{line}: {message}"), "`topicwatch check` shows where")
        })?;
        let (root, mut headers) = (document.as_table(), Vec::new());
        headers_of(root, &mut headers);
        let (mut entries, mut others) = (Vec::new(), false);
        for (name, item) in root.iter() {
            match Kind::ALL.into_iter().find(|kind| kind.table() == name) {
                None => others = true,
                Some(kind) => {
                    if let Some(tables) = inline_tables(item).filter(|_| with_inline) {
                        entries.extend(tables.into_iter().map(|table| (kind, inline_entry(skipped, kind, table))));
                        continue;
                    }
                    let Some(list) = item.as_array_of_tables() else {
                        let hint = format!("write each as [[{name}]] on a line of its own, keys below it");
                        return Err(edit_error(
                            format!("`{name}` is not a list of tables that can be edited here"),
                            hint,
                        ));
                    };
                    for table in list.iter() {
                        entries.push((kind, entry(source, skipped, kind, table, &headers)?));
                    }
                }
            }
        }
        let mut defaults = Vec::new();
        match root.get("defaults") {
            Some(Item::Table(table)) => keys_of(table, "", skipped, &mut defaults),
            Some(Item::Value(Value::InlineTable(table))) => {
                for (name, value) in table.iter() {
                    defaults.extend(key_span(name.to_owned(), table.key(name), value, skipped));
                }
            }
            _ => {}
        }
        Ok(Self { entries, others, defaults })
    }
}

/// Collects where the headers of all tables begin.
fn headers_of(table: &Table, headers: &mut Vec<usize>) {
    for (_, item) in table.iter() {
        let tables: Vec<&Table> = match item {
            Item::Table(table) => vec![table],
            Item::ArrayOfTables(list) => list.iter().collect(),
            _ => continue,
        };
        for table in tables {
            headers.extend(header(table));
            headers_of(table, headers);
        }
    }
}

fn header(table: &Table) -> Option<usize> {
    table.span().filter(|_| !table.is_dotted() && !table.is_implicit()).map(|span| span.start)
}

fn entry(source: &str, skipped: usize, kind: Kind, table: &Table, headers: &[usize]) -> Result<Entry, EditError> {
    let nowhere = || edit_error(format!("a {} has no place in the file", kind.singular()), "edit the file by hand");
    let begin = header(table).ok_or_else(nowhere)?;
    let (mut keys, mut own) = (Vec::new(), Vec::new());
    keys_of(table, "", skipped, &mut keys);
    headers_of(table, &mut own);
    let start = text::line_start(source, begin + skipped).max(skipped);
    let last = keys.iter().map(|place| place.value.end).chain(own.iter().map(|at| at + skipped)).max();
    let end = text::line_end(source, last.unwrap_or(begin + skipped).max(begin + skipped));
    let torn = headers.iter().any(|at| {
        let here = at + skipped;
        here > begin + skipped && here < end && !own.contains(at)
    });
    let tables_from = own.iter().min().map(|at| at + skipped);
    Ok(Entry { name: name_of(kind, &keys), block: start..end, keys, tables_from, torn })
}

fn name_of(kind: Kind, keys: &[KeySpan]) -> String {
    match keys.iter().find(|place| place.name == kind.name_key()).map(|place| &place.given) {
        Some(KeyValue::Text(name)) => name.clone(),
        _ => String::new(),
    }
}

/// Returns the tables of a list that is written as a value: `topics = [{ id = "a" }]`.
fn inline_tables(item: &Item) -> Option<Vec<&InlineTable>> {
    item.as_array()?.iter().map(Value::as_inline_table).collect()
}

/// Returns an entry that can only be shown: it has no lines of its own.
fn inline_entry(skipped: usize, kind: Kind, table: &InlineTable) -> Entry {
    let keys = table.iter().filter_map(|(name, value)| key_span(name.to_owned(), table.key(name), value, skipped));
    let keys: Vec<KeySpan> = keys.collect();
    Entry { name: name_of(kind, &keys), block: 0..0, keys, tables_from: None, torn: true }
}

fn key_span(name: String, key: Option<&Key>, value: &Value, skipped: usize) -> Option<KeySpan> {
    let moved = |span: Range<usize>| span.start + skipped..span.end + skipped;
    let (key, at) = (key.and_then(Key::span)?, value.span()?);
    let entries = match value {
        Value::Array(list) => list.iter().filter_map(Value::span).map(moved).collect(),
        _ => Vec::new(),
    };
    Some(KeySpan { name, key: moved(key), value: moved(at), given: KeyValue::of(value), entries })
}

fn keys_of(table: &Table, path: &str, skipped: usize, keys: &mut Vec<KeySpan>) {
    for (name, item) in table.iter() {
        let name_in = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        match item {
            Item::Value(value) => {
                keys.extend(key_span(name_in, table.key(name), value, skipped));
            }
            Item::Table(table) => keys_of(table, &name_in, skipped, keys),
            Item::ArrayOfTables(list) => list.iter().for_each(|table| keys_of(table, &name_in, skipped, keys)),
            Item::None => {}
        }
    }
}
