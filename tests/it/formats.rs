//! Export formats read back by independent programs: Python's csv, json, zipfile, gzip and XML, the csv crate, and
//! LibreOffice where it is installed. Naughty strings survive all of them.

use crate::support::independent_readers::*;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::Command;

use crate::support::databases::databases;
use crate::support::program::{Place, Program};
use crate::support::world::{ScriptedService, post, run_once, topic};

/// Reads a workbook as a spreadsheet would, and compares it with JSON Lines of the same rows.
const WORKBOOK: &str = r#"
import datetime, json, re, sys, zipfile
import xml.etree.ElementTree as ET
book, lines, kinds = sys.argv[1:4]
rows = [json.loads(line, parse_float=str) for line in open(lines, encoding='utf-8', newline='\n')]
kinds = dict(pair.split('=') for pair in kinds.split(','))
archive = zipfile.ZipFile(book)
assert archive.testzip() is None
assert all(info.date_time == (1980, 1, 1, 0, 0, 0) for info in archive.infolist())
ns = {'m': 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'}
for name in archive.namelist():
    ET.fromstring(archive.read(name))
sheet = ET.fromstring(archive.read('xl/worksheets/sheet1.xml'))
assert not sheet.findall('.//m:f', ns), 'a formula'
pane = sheet.find('.//m:pane', ns)
assert (pane.get('ySplit'), pane.get('state')) == ('1', 'frozen')
styles = ET.fromstring(archive.read('xl/styles.xml'))
formats = {f.get('numFmtId'): f.get('formatCode') for f in styles.findall('.//m:numFmt', ns)}
cells = [formats.get(xf.get('numFmtId'), xf.get('numFmtId')) for xf in styles.find('m:cellXfs', ns)]
unescaped = lambda text: re.sub('_x([0-9A-Fa-f]{4})_', lambda m: chr(int(m.group(1), 16)), text)
def column(ref):
    n = 0
    for c in re.match('[A-Z]+', ref).group():
        n = n * 26 + ord(c) - 64
    return n - 1
header, found = None, 0
for row in sheet.find('m:sheetData', ns):
    got = {}
    for cell in row:
        value, style = cell.find('m:v', ns), cells[int(cell.get('s', '0'))]
        if cell.get('t') == 'inlineStr':
            got[column(cell.get('r'))] = ('text', unescaped(cell.find('m:is/m:t', ns).text or ''), style)
        elif cell.get('t') == 'b':
            got[column(cell.get('r'))] = ('flag', value.text == '1', style)
        else:
            got[column(cell.get('r'))] = ('number', value.text, style)
    if header is None:
        header = [got[at][1] for at in range(len(got))]
        continue
    expected = rows[found]
    found += 1
    assert header == list(expected), header
    for at, name in enumerate(header):
        want, have, kind = expected[name], got.get(at), kinds[name]
        if want is None:
            assert have is None, (name, have)
        elif kind == 'time' and have[0] == 'number':
            assert have[2] == r'yyyy\-mm\-dd\ hh:mm:ss.000', have
            ms = round((float(have[1]) - 25569) * 86400000)
            at_utc = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=ms)
            assert at_utc.strftime('%Y-%m-%dT%H:%M:%S.') + '%03dZ' % (at_utc.microsecond // 1000) == want, (want, have)
        elif kind == 'integer' and abs(want) >= 10**15:
            assert have == ('text', str(want), '49'), (name, want, have)
        elif kind in ('integer', 'decimal', 'money'):
            assert have[0] == 'number' and float(have[1]) == float(want), (name, want, have)
        elif kind == 'flag':
            assert have[:2] == ('flag', want), (name, want, have)
        else:
            utf16 = want.encode('utf-16-le')
            short = want if len(utf16) <= 2 * 32767 else utf16[:2 * 32767].decode('utf-16-le', 'ignore')
            assert have == ('text', short, '49'), (name, want, have)
assert found == len(rows), (found, len(rows))
print('ok', found)
"#;

/// Reads a feed as a feed reader would.
const FEED: &str = r#"
import datetime, json, sys, uuid
import xml.etree.ElementTree as ET
from urllib.parse import urlparse
feed, lines = sys.argv[1:3]
rows = [json.loads(line) for line in open(lines, encoding='utf-8', newline='\n')]
rows = [row for row in rows if not row['baseline']][-100:][::-1]
root = ET.parse(feed).getroot()
ns = {'a': 'http://www.w3.org/2005/Atom'}
assert root.tag == '{http://www.w3.org/2005/Atom}feed', root.tag
one = lambda at, name: (lambda all: all[0] if len(all) == 1 else sys.exit('%d %s' % (len(all), name)))(at.findall('a:' + name, ns))
def moment(text):
    assert len(text) == 24 and text.endswith('Z'), text
    return datetime.datetime.strptime(text, '%Y-%m-%dT%H:%M:%S.%fZ')
def named(text):
    assert text.startswith('urn:uuid:'), text
    return uuid.UUID(text[9:])
named(one(root, 'id').text)
assert 'SANDBOX' in one(root, 'title').text
updated = moment(one(root, 'updated').text)
entries = root.findall('a:entry', ns)
assert len(entries) == len(rows), (len(entries), len(rows))
assert len({named(one(entry, 'id').text) for entry in entries}) == len(entries)
clean = lambda text: ''.join(c if c in '\t\n' or (c >= ' ' and c not in '\ufffe\uffff') else '' if c == '\r' else '\ufffd' for c in text or '')
for entry, row in zip(entries, rows):
    assert moment(one(entry, 'updated').text) <= updated
    assert one(entry, 'updated').text == row['first_seen']
    assert one(entry, 'title').text and one(one(entry, 'author'), 'name').text
    assert (one(entry, 'content').text or '') == clean(row['text'] or row['title']), (row, one(entry, 'content').text)
    for link in entry.findall('a:link', ns):
        assert link.get('rel') == 'alternate' and urlparse(link.get('href')).scheme in ('http', 'https'), link.attrib
print('ok', len(entries), len(root.findall('.//a:link', ns)))
"#;

/// Reads CSV with Python's reader and compares a column with a list; removes one leading apostrophe in the spreadsheet
/// profile.
const TABLE: &str = r#"
import csv, json, sys
table, texts, guarded = sys.argv[1:4]
csv.field_size_limit(10**9)
rows = list(csv.DictReader(open(table, encoding='utf-8-sig', newline=''), strict=True))
back = lambda text: text[1:] if guarded == 'excel' and text.startswith("'") else text
found = sorted(back(row['text']) for row in rows)
wanted = sorted(json.load(open(texts, encoding='utf-8')))
assert found == wanted, [pair for pair in zip(found, wanted) if pair[0] != pair[1]][:3]
print('ok', len(found))
"#;

/// Strings that break programs: from published lists where they are available, and our own worst.
fn hostile_strings() -> Vec<String> {
    let mut all: Vec<String> = [
        "plain",
        "=1+1",
        "+1",
        "-1",
        "@cmd",
        "|x",
        "%x",
        "\tx",
        "'=1",
        "＝1",
        "＋1",
        "－1",
        "＠x",
        "\rx",
        "\nx",
        "a,b",
        "a\"b\"",
        "a\nb",
        "a\r\nb",
        "a\rb",
        " x ",
        "\"",
        "_x0041_ __x0041_ _x005F_",
        "]]>",
        "<b>&amp;</b>",
        "\u{1}\u{b}\u{1f}\u{7f}\u{85}",
        "\u{fffe}\u{ffff}",
        "🎉\u{202e}x",
        "007",
        "1e5",
        "TRUE",
        "2026-01-01",
        "\u{feff}bom",
        "#REF!",
        "''",
        "0x10",
    ]
    .map(str::to_owned)
    .to_vec();
    all.push("long ".repeat(8_000));
    let Some(data) = std::env::var_os("TOPICWATCH_TEST_DATA").map(PathBuf::from) else {
        eprintln!("skipped: published naughty strings and csv-spectrum (TOPICWATCH_TEST_DATA is not set)");
        return all;
    };
    let strings = std::fs::read(data.join("csv/blns/blns.json")).unwrap();
    let strings: Vec<String> = serde_json::from_slice(&strings).unwrap();
    all.extend(strings.into_iter().filter(|text| !text.is_empty() && !text.contains('\0')));
    for entry in std::fs::read_dir(data.join("csv/csv-spectrum/json")).unwrap() {
        let rows = std::fs::read(entry.unwrap().path()).unwrap();
        collect_strings(&serde_json::from_slice(&rows).unwrap(), &mut all);
    }
    all
}

/// Every string in a value, including field names.
fn collect_strings(value: &serde_json::Value, all: &mut Vec<String>) {
    match value {
        serde_json::Value::Array(values) => values.iter().for_each(|value| collect_strings(value, all)),
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                all.push(name.clone());
                collect_strings(value, all);
            }
        }
        serde_json::Value::String(text) if !text.is_empty() => all.push(text.clone()),
        _ => {}
    }
}

#[test]
fn naughty_strings_survive_every_export_format_in_independent_readers() {
    let texts = hostile_strings();
    let kinds: Vec<String> = topicwatch::export::ExportKind::Items
        .columns()
        .iter()
        .map(|column| format!("{}={}", column.name, column.kind.as_str()))
        .collect();
    let mut all = Vec::new();
    for database in databases() {
        let place = place_with_texts(database, &texts);
        let file = |name: &str| place.path(name);
        std::fs::write(file("texts.json"), serde_json::to_vec(&texts).unwrap()).unwrap();
        for name in ["items.csv", "items.jsonl", "items.xlsx"] {
            place.ok(&["export", "--out", name]);
        }
        place.ok(&["export", "--profile", "excel", "--out", "excel.csv"]);
        place.ok(&["export", "--what", "new", "--out", "new.jsonl"]);
        place.ok(&["export", "--format", "atom", "--topic", "t", "--out", "feed.xml"]);
        let (table, lines, list) = (file("items.csv"), file("items.jsonl"), file("texts.json"));
        let ok = format!("ok {}", texts.len());
        if let Some(read) = run_python(TABLE, &[path_text(&table), path_text(&list), "machine"]) {
            assert_eq!(read, ok);
            assert_eq!(run_python(TABLE, &[path_text(&file("excel.csv")), path_text(&list), "excel"]).unwrap(), ok);
            assert_eq!(
                run_python(WORKBOOK, &[path_text(&file("items.xlsx")), path_text(&lines), &kinds.join(",")]).unwrap(),
                ok
            );
            let read = run_python(FEED, &[path_text(&file("feed.xml")), path_text(&file("new.jsonl"))]).unwrap();
            // The first item is the baseline; without the published lists there are fewer than a feed may contain.
            let first = texts.len().saturating_sub(100).max(1);
            let links = (first..texts.len()).filter(|n| n % 3 == 0).count();
            let entries = texts.len() - first;
            assert_eq!(read, format!("ok {entries} {links}"), "entries, and safe links");
        }
        let mut reader = csv::Reader::from_path(&table).unwrap();
        let at = reader.headers().unwrap().iter().position(|name| name == "text").unwrap();
        let mut found: Vec<String> = reader.records().map(|row| row.unwrap()[at].to_owned()).collect();
        let mut wanted = texts.clone();
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted);
        // A text is changed only if a spreadsheet would run it or take the quote for its own.
        let excel = std::fs::read_to_string(file("excel.csv")).unwrap();
        let mut reader = csv::Reader::from_reader(excel.strip_prefix('\u{feff}').unwrap().as_bytes());
        let mut guarded: Vec<String> = reader.records().map(|row| row.unwrap()[at].to_owned()).collect();
        let runs = |text: &String| text.starts_with(|c| "=+-@|%\t\r\n＝＋－＠'".contains(c));
        let mut wanted: Vec<String> =
            wanted.into_iter().map(|text| if runs(&text) { format!("'{text}") } else { text }).collect();
        guarded.sort();
        wanted.sort();
        assert_eq!(guarded, wanted);
        assert_libreoffice_reads(&place, &texts);
        let names = ["items.csv", "items.jsonl", "items.xlsx", "excel.csv", "feed.xml"];
        all.push(names.map(|name| std::fs::read(file(name)).unwrap()));
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "the same bytes from both databases");
}

/// Opens the workbook in LibreOffice and converts it to CSV.
fn assert_libreoffice_reads(place: &Place, texts: &[String]) {
    let mut command = Command::new("soffice");
    command.args(["--headless", "--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false"]);
    command.current_dir(place.folder.path()).args(["--outdir", "office", "items.xlsx"]);
    command.env("HOME", place.folder.path());
    match command.output() {
        Err(_) => eprintln!("SKIPPED: LibreOffice as a reader of workbooks, because it is not installed"),
        Ok(ran) => {
            assert!(ran.status.success(), "{ran:?}");
            let mut reader = csv::Reader::from_path(place.path("office/items.csv")).unwrap();
            let at = reader.headers().unwrap().iter().position(|name| name == "text").unwrap();
            let found: Vec<String> = reader.records().map(|row| row.unwrap()[at].to_owned()).collect();
            for text in ["=1+1", "-1", "@cmd", "007", "1e5", "TRUE", "2026-01-01", "#REF!", "0x10"] {
                assert!(texts.iter().any(|one| one == text) && found.iter().any(|one| one == text), "{text}");
            }
        }
    }
}

#[test]
fn an_output_named_gz_is_compressed_reproducibly() {
    for database in databases() {
        let texts = hostile_strings();
        let place = place_with_texts(database, &texts[..texts.len().min(40)]);
        for (name, format) in [("a.csv.gz", "csv"), ("a.jsonl.GZ", "jsonl")] {
            let plain = place.ok(&["export", "--format", format, "--quiet"]);
            place.ok(&["export", "--out", name]);
            let packed = std::fs::read(place.path(name)).unwrap();
            assert_eq!((packed[3], &packed[4..8]), (0, &[0; 4][..]), "neither name nor time");
            let mut unpacked = String::new();
            flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut unpacked).unwrap();
            assert_eq!(unpacked, plain);
            place.ok(&["export", "--out", name]);
            assert_eq!(std::fs::read(place.path(name)).unwrap(), packed);
        }
        place.run(&["export", "--out", "a.xlsx.gz"]).assert_stderr(2, &["is already compressed", "hint"]);
        assert!(!place.path("a.xlsx.gz").exists());
    }
}

#[test]
fn an_atom_export_covers_one_topic_and_only_its_new_items() {
    for database in databases() {
        let place = place_with_texts(database, &hostile_strings()[..5]);
        place.run(&["export", "--format", "atom"]).assert_stderr(2, &["a feed covers one topic", "hint: set --topic"]);
        place
            .run(&["export", "--format", "atom", "--topic", "t", "--topic", "u"])
            .assert_stderr(2, &["a feed covers one topic"]);
        place
            .run(&["export", "--format", "atom", "--topic", "t", "--what", "runs"])
            .assert_stderr(2, &["a feed contains new items"]);
        let feed = place.ok(&["export", "--out", "x.atom", "--topic", "t", "--quiet"]);
        assert_eq!(feed, "");
        let feed = std::fs::read_to_string(place.path("x.atom")).unwrap();
        assert_eq!(feed.matches("<entry>").count(), 4, "the first answers are a baseline: {feed}");
        assert!(feed.contains("A &lt;topic&gt; &amp; more") || feed.contains("SANDBOX: T"), "{feed}");
        let none = place.ok(&["export", "--format", "atom", "--topic", "t", "--since", "2030-01-01", "--quiet"]);
        assert!(none.contains("<updated>1970-01-01T00:00:00.000Z</updated>") && !none.contains("<entry>"));
    }
}

#[test]
fn a_pipe_closed_early_ends_every_export_format_without_an_error() {
    let texts: Vec<String> = (0..600).map(|n| format!("{n} {}", "words and more words ".repeat(20))).collect();
    let place = place_with_texts(crate::support::databases::sqlite(), &texts);
    for format in ["csv", "jsonl", "xlsx", "atom"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let writer = std::fs::File::from(std::os::fd::OwnedFd::from(writer));
        let arguments = ["export", "--format", format, "--topic", "t"];
        let ended = Program::at(place.folder.path(), &arguments).stdout(writer).run();
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{format}: {ended}");
    }
    // No progress line when stderr is not a terminal.
    let ended = place.run(&["export"]);
    assert!(ended.err.ends_with("600 items written\n") && !ended.err.contains("rows/s"), "{ended}");
}

/// A spreadsheet would read them as numbers and drop the zeros.
#[test]
fn ids_of_digits_are_text_in_the_excel_profile() {
    let world = ScriptedService::new();
    let numbered = topic("acme", "").replace("id = \"acme\"", "id = \"0042\"");
    let place = Place::new(crate::support::databases::sqlite(), &world.lines(), &numbered);
    world.set_posts(&[post(1, 5, "words", 1)]);
    run_once(&place, 7);
    let topics = |more: &[&str]| -> Vec<String> {
        let text = place.ok(&[&["export"], more].concat());
        let mut reader = csv::Reader::from_reader(text.trim_start_matches('\u{feff}').as_bytes());
        let at = reader.headers().unwrap().iter().position(|name| name == "topic").unwrap();
        reader.records().map(|row| row.unwrap()[at].to_owned()).collect()
    };
    assert_eq!((topics(&[]), topics(&["--profile", "excel"])), (vec!["0042".to_owned()], vec!["'0042".to_owned()]));
}

#[test]
fn an_xlsx_export_reports_cells_cut_to_the_spreadsheet_limit() {
    let place = place_with_texts(crate::support::databases::sqlite(), &["x".repeat(40_000), "short".to_owned()]);
    let ended = place.run(&["export", "--out", "a.xlsx"]);
    ended.assert_stderr(0, &["2 items written to a.xlsx", "1 cell cut to 32767 characters"]);
}
