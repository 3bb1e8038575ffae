//! Workbooks with several sheets, read by an independent program; and the progress line on a real terminal.

use std::collections::BTreeSet;

use topicwatch::compare::RowFilter;
use topicwatch::export::{self, ExportKind, ExportOptions, Format};

use crate::support::databases::{databases, sqlite};
use crate::support::independent_readers::{place_with_texts, run_python};
use crate::support::program::Program;
use crate::support::sample_history::store_awkward_history;
use crate::support::searched::open_store;

/// Prints the names of the sheets and the keys in them, each with its header.
const SHEETS: &str = r#"
import json, sys, zipfile
import xml.etree.ElementTree as ET
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
m = '{http://schemas.openxmlformats.org/spreadsheetml/2006/main}'
r = '{http://schemas.openxmlformats.org/officeDocument/2006/relationships}'
p = '{http://schemas.openxmlformats.org/package/2006/relationships}'
targets = {x.get('Id'): x.get('Target') for x in ET.fromstring(archive.read('xl/_rels/workbook.xml.rels')).iter(p + 'Relationship')}
told = []
for sheet in ET.fromstring(archive.read('xl/workbook.xml')).iter(m + 'sheet'):
    rows = []
    for row in ET.fromstring(archive.read('xl/' + targets[sheet.get(r + 'id')])).iter(m + 'row'):
        rows.append([''.join(t.text or '' for t in cell.iter(m + 't')) for cell in row][:2])
    told.append([sheet.get('name'), rows])
types = ET.fromstring(archive.read('[Content_Types].xml'))
parts = {x.get('PartName') for x in types if x.get('PartName')}
assert all('/xl/' + t in parts for t in targets.values()), (parts, targets)
print(json.dumps(told))
"#;

#[tokio::test]
async fn rows_beyond_the_sheet_limit_continue_on_the_next_sheet() {
    assert_eq!(ExportOptions::all(ExportKind::Items).sheet_rows, 1_048_576, "the limit of spreadsheets");
    let mut all = BTreeSet::new();
    for database in databases() {
        let store = open_store(&database).await;
        store_awkward_history(&store).await;
        let file = tempfile::NamedTempFile::new().unwrap();
        for (rows, sheet_rows) in [(35, 11), (35, 36), (35, 35), (35, 2)] {
            let order = ExportOptions { format: Format::Xlsx, sheet_rows, ..ExportOptions::all(ExportKind::Items) };
            let mut bytes = Vec::new();
            let written = export::write(&store, &order, &mut RowFilter::none(), &mut bytes).await.unwrap();
            assert_eq!(written, rows, "{}", database.name);
            std::fs::write(file.path(), &bytes).unwrap();
            let order = ExportOptions { format: Format::Jsonl, ..ExportOptions::all(ExportKind::Items) };
            let mut lines = Vec::new();
            export::write(&store, &order, &mut RowFilter::none(), &mut lines).await.unwrap();
            let expected: Vec<[String; 2]> = String::from_utf8(lines)
                .unwrap()
                .lines()
                .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
                .map(|row| [row["topic"].as_str().unwrap().to_owned(), row["key"].as_str().unwrap().to_owned()])
                .collect();
            all.insert((sheet_rows, bytes));
            let Some(output) = run_python(SHEETS, &[file.path().to_str().unwrap()]) else { continue };
            let output: Vec<(String, Vec<[String; 2]>)> = serde_json::from_str(&output).unwrap();
            let sheets = rows.div_ceil(u64::from(sheet_rows) - 1);
            let names: Vec<String> =
                (1..=sheets).map(|n| if n == 1 { "items".into() } else { format!("items {n}") }).collect();
            assert_eq!(output.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), names);
            for (name, rows) in &output {
                assert_eq!(rows[0], ["topic", "key"], "{name} starts with a header");
                assert!(rows.len() <= sheet_rows as usize, "{name} has {}", rows.len());
            }
            let found: Vec<[String; 2]> = output.into_iter().flat_map(|(_, rows)| rows.into_iter().skip(1)).collect();
            assert_eq!(found, expected, "each row once, in order");
        }
        database.close(store).await;
    }
    assert_eq!(all.len(), 4, "the same bytes from both databases");
}

/// Runs a program with a terminal as stderr and a pipe as stdout. The pipe is read only after a while, so that the
/// program has to wait. Prints what the terminal showed and how much came through the pipe.
const TERMINAL: &str = r#"
import json, os, pty, subprocess, sys, threading, time
master, slave = pty.openpty()
shown = []
def read():
    while True:
        try:
            more = os.read(master, 65536)
        except OSError:
            return
        if not more:
            return
        shown.append(more)
reader = threading.Thread(target=read)
reader.start()
child = subprocess.Popen(sys.argv[1:], stdin=slave, stdout=subprocess.PIPE, stderr=slave, env={**os.environ, 'TERM': 'xterm'})
os.close(slave)
first = child.stdout.read(1)
began = time.monotonic()
while time.monotonic() < began + 0.8:
    time.sleep(0.05)
rest = child.stdout.read()
assert child.wait() == 0, b''.join(shown)
reader.join()
os.close(master)
print(json.dumps([b''.join(shown).decode('utf-8', 'replace'), (first + rest).count(b'\n')]))
"#;

#[test]
fn progress_shows_row_count_and_rate_on_a_terminal() {
    let texts: Vec<String> = (0..900).map(|n| format!("{n} {}", "words and more words ".repeat(30))).collect();
    let place = place_with_texts(sqlite(), &texts);
    let reported = |more: &[&str]| -> Option<(String, u64)> {
        let arguments = [&["export"], more].concat();
        let command = Program::at(place.folder.path(), &arguments).command_line();
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        Some(serde_json::from_str(&run_python(TERMINAL, &command)?).unwrap())
    };
    let Some((shown, lines)) = reported(&[]) else { return };
    assert_eq!(lines, 901);
    let line = shown.split(['\r', '\n', '\u{1b}']).find(|part| part.contains("rows/s"));
    let line = line.unwrap_or_else(|| panic!("no line about progress: {shown:?}"));
    let words: Vec<&str> =
        line.split(|c: char| !c.is_ascii_alphanumeric() && c != '/').filter(|w| !w.is_empty()).collect();
    let at = words.iter().position(|word| *word == "rows/s").unwrap();
    let number = |at: usize| words[at].trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u64>();
    assert!(number(at - 1).is_ok() && words[at - 2] == "rows" && number(at - 3).unwrap() <= 900, "{line:?}");
    assert!(shown.contains("900 items written"), "the end shows the total: {shown:?}");
    let (quiet, lines) = reported(&["--quiet"]).unwrap();
    assert_eq!((quiet.as_str(), lines), ("", 901), "no message with --quiet");
}
