//! Reads a folder of JSON Lines and CSV files into rows, with limits on files, rows and bytes. A row that cannot be
//! read is counted and left out. It never writes, follows no links and shifts no times.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::rows::{Column, Row, parse_column};

/// The maximum number of files read.
const MAX_FILES: usize = 10_000;
/// The maximum number of rows kept from all files together.
const MAX_ROWS: usize = 2_000_000;
/// The maximum number of bytes read from one file.
const MAX_FILE_BYTES: u64 = 512 << 20;
/// The maximum length of a JSON line, in bytes. A longer line is skipped.
const MAX_LINE: u64 = 1 << 20;
/// The maximum depth of folders.
const MAX_DEPTH: usize = 16;

/// The counts of read files, posts and pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoadStats {
    pub files: usize,
    pub posts: usize,
    pub pages: usize,
    /// Rows that were neither or could not be read.
    pub skipped: usize,
    /// Whether something was left unread because of a limit.
    pub limited: bool,
}

/// Reads every data file below a folder, in the order of their paths. Returns the rows of each file separately.
///
/// # Errors
/// The first folder or file that cannot be read, as a one-line message.
pub(super) fn read(path: &Path) -> Result<(Vec<Vec<Row>>, LoadStats), String> {
    let cannot = |path: &Path, error: std::io::Error| format!("cannot read {}: {error}", path.display());
    let mut files = Vec::new();
    list(path, MAX_DEPTH, &mut files).map_err(|error| cannot(path, error))?;
    files.sort();
    let mut loaded = LoadStats { limited: files.len() > MAX_FILES, ..LoadStats::default() };
    let (mut all, mut room) = (Vec::new(), MAX_ROWS);
    for file in files.iter().take(MAX_FILES) {
        let mut rows = Vec::new();
        read_file(file, room, &mut rows, &mut loaded).map_err(|error| cannot(file, error))?;
        room -= rows.len();
        loaded.files += 1;
        loaded.pages += rows.iter().filter(|row| row.is_page()).count();
        loaded.posts += rows.iter().filter(|row| row.is_post()).count();
        all.push(rows);
    }
    Ok((all, loaded))
}

/// Lists the data files below a folder. Links are not followed: they could form a loop.
fn list(path: &Path, depth: usize, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        if kind.is_dir() && depth > 0 && files.len() <= MAX_FILES {
            list(&path, depth - 1, files)?;
        } else if kind.is_file() && Format::of(&path).is_some() && files.len() <= MAX_FILES {
            files.push(path);
        }
    }
    Ok(())
}

/// The format of a file.
enum Format {
    JsonLines,
    Csv,
}

impl Format {
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "csv" => Some(Self::Csv),
            _ => None,
        }
    }
}

fn read_file(path: &Path, room: usize, rows: &mut Vec<Row>, loaded: &mut LoadStats) -> std::io::Result<()> {
    let file = File::open(path)?;
    loaded.limited |= file.metadata()?.len() > MAX_FILE_BYTES;
    let reader = BufReader::new(file.take(MAX_FILE_BYTES));
    let mut keep = |row: Option<Row>| {
        match row.filter(|row| row.is_post() || row.is_page()) {
            Some(row) if rows.len() < room => rows.push(row),
            Some(_) => loaded.limited = true,
            None => loaded.skipped += 1,
        }
        !loaded.limited || rows.len() < room
    };
    match Format::of(path) {
        Some(Format::JsonLines) => read_json_lines(reader, &mut keep),
        Some(Format::Csv) => read_csv(reader, &mut keep),
        None => Ok(()),
    }
}

/// Reads one object per line. `keep` returns whether to continue.
fn read_json_lines(mut reader: impl BufRead, keep: &mut dyn FnMut(Option<Row>) -> bool) -> std::io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        let is_complete = line.ends_with(b"\n") || (read as u64) < MAX_LINE;
        if !is_complete {
            reader.skip_until(b'\n')?;
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            continue;
        }
        let object = serde_json::from_str::<serde_json::Map<_, _>>(text).ok().filter(|_| is_complete);
        if !keep(object.as_ref().map(Row::from_json)) {
            return Ok(());
        }
    }
}

/// Reads a header, then records. `keep` returns whether to continue.
fn read_csv(reader: impl Read, keep: &mut dyn FnMut(Option<Row>) -> bool) -> std::io::Result<()> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(reader);
    let columns: Vec<Column> = match reader.byte_headers() {
        Ok(header) => header.iter().map(|name| parse_column(&String::from_utf8_lossy(name))).collect(),
        Err(error) => return Err(error.into()),
    };
    let mut record = csv::ByteRecord::new();
    loop {
        match reader.read_byte_record(&mut record) {
            Ok(false) => return Ok(()),
            Ok(true) => {}
            Err(error) => return Err(error.into()),
        }
        let mut row = Row::default();
        for (column, cell) in columns.iter().zip(&record) {
            row.set_cell(*column, &String::from_utf8_lossy(cell));
        }
        if !keep(Some(row.with_id_date())) {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn an_overlong_line_is_skipped_and_the_next_is_read() {
        let mut text = format!("{{\"text\": \"{}\"}}\n", "x".repeat(3 << 20));
        text.push_str("\u{feff}\n{\"text\": \"short\"}\nnot json\n{\"text\": \"last\"}");
        let (mut kept, mut bad) = (Vec::new(), 0);
        read_json_lines(text.as_bytes(), &mut |row| {
            match row {
                Some(row) => kept.push(row.text.unwrap()),
                None => bad += 1,
            }
            true
        })
        .unwrap();
        assert_eq!((kept, bad), (vec!["short".to_owned(), "last".to_owned()], 2));
    }
}
