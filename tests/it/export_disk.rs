//! Exports and backups to a full disk or a file with a size limit: a clear error, the old file and the cursor unchanged, nothing
//! left over; and the export succeeds later.

use crate::support::databases::{databases, sqlite};
use crate::support::independent_readers::place_with_texts;
use crate::support::mounted_disk::mount_disk;
use crate::support::program::{NINE, Place, Program};
use crate::support::service::Sandbox;

fn names(folder: &std::path::Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_export_over_the_file_size_limit_fails_and_keeps_the_old_file() {
    // Text that does not compress well.
    let mut drawn = 7_u64;
    let mut draw = || {
        drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{:016x} ", drawn ^ (drawn >> 29))
    };
    let texts: Vec<String> = (0..400).map(|_| (0..60).map(|_| draw()).collect()).collect();
    let place = place_with_texts(sqlite(), &texts);
    std::fs::create_dir(place.path("out")).unwrap();
    for name in ["items.csv", "items.jsonl", "items.xlsx", "items.csv.gz"] {
        let file = format!("out/{name}");
        std::fs::write(place.path(&file), "old").unwrap();
        // 64 or 128 KiB, more than SQLite's own files next to the database need.
        let script = "trap '' XFSZ; ulimit -f 128; exec \"$@\"";
        let ended = Program::under_shell(place.folder.path(), script, &["export", "--out", &file]).run();
        ended.assert_stderr(5, &[name, "could not be written", "an existing file was not changed"]);
        assert!(!ended.err.contains(".topicwatch-"), "only the file's own name means something to people: {ended}");
        assert_eq!(std::fs::read_to_string(place.path(&file)).unwrap(), "old", "{name}");
    }
    assert_eq!(names(&place.path("out")), ["items.csv", "items.csv.gz", "items.jsonl", "items.xlsx"]);
    std::fs::write(place.path("plain"), "").unwrap();
    for args in [["export", "--out", "plain/a.csv"], ["report", "--out", "plain/a.md"]] {
        let ended = place.run(&args);
        ended.assert_stderr(
            5,
            &["plain/a.", " could not be written: ", "choose another folder, or move that file away"],
        );
        assert!(!ended.err.contains(".topicwatch-"), "{ended}");
    }
}

#[test]
fn an_export_to_a_full_disk_keeps_its_cursor_and_succeeds_later() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let rest = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nevery = \"1h\"\n\n\
                    [[exports]]\nname = \"x\"\nwhat = \"sightings\"\nmode = \"incremental\"\nevery = \"1h\"\npath = \"out/{run}.csv\"\n";
        let place = Place::new(database, &sandbox.lines(), rest);
        std::fs::create_dir(place.path("out")).unwrap();
        let Some(disk) = mount_disk(&place.path("out"), "8k") else { return };
        let due = |at: &str| {
            sandbox.set_clock(at);
            place.run(&["once", "--due", "--at", at])
        };
        due(NINE).assert_stdout(0, &[]);
        std::fs::write(place.path("out/filler"), [b'x'; 8192]).unwrap();
        due("2026-03-11T10:00:00Z").assert_stdout(3, &["export:x@2026-03-11T10:00:00Z", "could not be written"]);
        assert_eq!(names(&place.path("out")), ["filler"], "{}", place.database.name);
        assert_eq!(place.database.number("SELECT count(*) FROM follower WHERE name = 'export:x' AND seq > 0"), 0);
        drop(disk);
        due("2026-03-11T11:00:00Z").assert_stdout(0, &[]);
        due("2026-03-11T12:00:00Z").assert_stdout(0, &[]);
        let mut files = names(&place.path("out"));
        files.retain(|name| name.ends_with(".csv"));
        let rows: usize = files
            .iter()
            .map(|name| csv::Reader::from_path(place.path("out").join(name)).unwrap().records().count())
            .sum();
        assert_eq!(rows as i64, place.database.number("SELECT count(*) FROM v_sighting"), "each once, {files:?}");
    }
}

#[test]
fn a_backup_to_a_full_disk_ends_as_output_that_could_not_be_written() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\n");
    place.ok(&["once", "--at", NINE]);
    std::fs::create_dir(place.path("out")).unwrap();
    let Some(disk) = mount_disk(&place.path("out"), "64k") else { return };
    let full = place.run(&["db", "backup", "out/copy.db"]);
    full.assert_stderr(5, &["out/copy.db could not be written", "hint: the disk is full"]);
    assert!(names(&place.path("out")).is_empty());
    drop(disk);
    place.run(&["db", "backup", "out/copy.db"]).assert_stdout(0, &["copy verified"]);
}

#[test]
fn a_backup_of_a_damaged_database_names_the_database_and_not_the_copy() {
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\n");
    place.ok(&["once", "--at", NINE]);
    let root = place.database.number("SELECT rootpage FROM sqlite_schema WHERE name = 'raw_reply'");
    let size = place.database.number("SELECT page_size FROM pragma_page_size");
    let path = place.database.url.strip_prefix("sqlite:").unwrap().to_owned();
    let mut bytes = std::fs::read(&path).unwrap();
    let page = usize::try_from((root - 1) * size).unwrap();
    bytes[page..page + 100].fill(0xff);
    std::fs::write(&path, bytes).unwrap();
    let ended = place.run(&["db", "backup", "copy.db"]);
    ended.assert_stderr(4, &["t.db could not be read: ", "malformed", "hint: "]);
    assert!(!ended.err.contains("copy.db") && !place.path("copy.db").exists(), "{ended}");
}
