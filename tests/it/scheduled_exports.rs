//! Scheduled exports, through the binary on both databases: incremental files, killed at every point, verified
//! afterwards, old files removed, and misconfigured.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::databases::{databases, postgres, sqlite};
use crate::support::program::{NINE, Place, Program};
use crate::support::service::Sandbox;
use crate::support::world::{ScriptedService, hour, post};

/// The hours of the slots.
const HOURS: [&str; 3] = ["2026-03-11T10:00:00Z", "2026-03-11T11:00:00Z", "2026-03-11T12:00:00Z"];
/// When the leases taken at ten have expired.
const LATER: &str = "2026-03-11T10:10:00Z";

/// Two hourly topics and hourly exports.
fn rest(exports: &str) -> String {
    format!(
        "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nevery = \"1h\"\n\n\
         [[topics]]\nid = \"globex\"\nquery = \"globex pricing\"\ntags = [\"rival\"]\nevery = \"1h\"\n\n{exports}"
    )
}

fn export(name: &str, rest: &str) -> String {
    format!("[[exports]]\nname = \"{name}\"\nevery = \"1h\"\n{rest}\n\n")
}

fn going_on(what: &str) -> String {
    export(what, &format!("what = \"{what}\"\nmode = \"incremental\"\npath = \"out/{{name}}/{{run}}.csv\""))
}

fn due(place: &Place, sandbox: &Sandbox, at: &str) {
    sandbox.set_clock(at);
    let done = place.run(&["once", "--due", "--at", at]);
    assert_eq!(done.code, Some(0), "{at}: {done}");
}

/// The data files of a folder sorted by name, which is in order of slots.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    let data = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "csv" || ending == "jsonl");
    files.retain(data);
    files.sort();
    files
}

fn manifest(file: &Path) -> Value {
    let path = format!("{}.manifest.json", file.display());
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The rows of all files in order, without headers.
fn concatenated_rows(files: &[PathBuf]) -> String {
    let bodies = files.iter().map(|file| {
        let text = std::fs::read_to_string(file).unwrap();
        text.split_once("\r\n").unwrap().1.to_owned()
    });
    bodies.collect()
}

/// The same rows as a single export.
fn single_export(place: &Place, what: &str, until: i64) -> String {
    let text = place.ok(&["export", "--what", what, "--seq", &format!("0..{until}")]);
    text.split_once("\r\n").unwrap().1.to_owned()
}

fn cursor(place: &Place, name: &str) -> i64 {
    place.database.number(&format!("SELECT coalesce(max(seq), 0) FROM follower WHERE name = 'export:{name}'"))
}

#[test]
fn incremental_files_add_up_to_the_whole_export_and_match_their_manifests() {
    const GROWING: [&str; 4] = ["sightings", "searches", "answers", "new"];
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let exports: String = GROWING.iter().map(|what| going_on(what)).collect();
        let place = Place::new(database, &sandbox.lines(), &rest(&exports));
        place.run(&["check"]).assert_stdout(0, &["sightings", "/out/{name}/{run}.csv", "incremental sightings"]);
        due(&place, &sandbox, NINE);
        // A manual run between two slots: its findings belong to the next file.
        assert_eq!(place.run(&["once", "--at", NINE]).code, Some(0));
        for hour in HOURS {
            due(&place, &sandbox, hour);
        }
        for what in GROWING {
            let there = files(&place.path(&format!("out/{what}")));
            assert_eq!(there.len(), if what == "answers" { there.len() } else { 3 }, "{what}: {there:?}");
            let until = cursor(&place, what);
            assert!(concatenated_rows(&there) == single_export(&place, what, until), "{} {what}", place.database.name);
            let mut since = 0;
            for file in &there {
                let reported = manifest(file);
                let text = std::fs::read_to_string(file).unwrap();
                let mut reader = csv::Reader::from_reader(text.as_bytes());
                assert_eq!(reported["rows"], reader.records().count(), "{reported}");
                assert_eq!(reported["bytes"], text.len());
                assert_eq!(reported["seq"][0], since, "no gap and no overlap: {reported}");
                assert_eq!(reported["runs"], reported["run_ids"].as_array().unwrap().len());
                assert_eq!(reported["schema"], topicwatch::export::SCHEMA);
                since = reported["seq"][1].as_i64().unwrap();
                place.run(&["export", "--verify", file.to_str().unwrap()]).assert_stdout(0, &["matches the database"]);
            }
        }
        let key = place
            .database
            .texts("SELECT key FROM v_sighting WHERE source = 'social' AND fit = 'in' ORDER BY seq, rank LIMIT 1")
            .remove(0);
        let files_of_it = ["export:sightings@2026-03-11T10:00:00Z written", "/out/new/20260311T100000Z.csv"];
        place.run(&["forget", "--item", &key, "--dry-run"]).assert_stdout(0, &files_of_it);
        // Without new rows there is no file, and nothing fails.
        place.ok(&["topic", "pause", "acme", "globex"]);
        due(&place, &sandbox, "2026-03-11T13:00:00Z");
        assert_eq!(files(&place.path("out/sightings")).len(), 3);
        let slot = "SELECT state FROM v_run WHERE run = 'export:sightings@2026-03-11T13:00:00Z'";
        assert_eq!(place.database.texts(slot), ["ok"], "{}", place.database.name);
        place.ok(&["topic", "resume", "acme", "globex"]);
        let first = files(&place.path("out/sightings")).remove(0);
        let text = std::fs::read_to_string(&first).unwrap();
        std::fs::write(&first, text.replacen("social", "s0cial", 1)).unwrap();
        place.run(&["export", "--verify", first.to_str().unwrap()]).assert_stdout(3, &["its contents differ"]);
        std::fs::write(&first, &text).unwrap();
        crate::support::databases::block_on(
            place.database.execute("UPDATE sighting SET likes = 123456 WHERE rank = 1"),
        );
        let verified = place.run(&["export", "--verify", first.to_str().unwrap()]);
        verified.assert_stdout(3, &["from line 2 on", "since then, items were merged, pruned or erased"]);
        let verify = |more: &[&str]| place.run(&[&["export", "--verify", first.to_str().unwrap()], more].concat());
        verify(&["--topic", "acme"]).assert_stderr(2, &["--verify", "--topic"]);
        verify(&["--what", "items"]).assert_stderr(2, &["--verify", "--what"]);
        verify(&["--config", "jobs.toml", "--quiet"]).assert_stdout(3, &["from line 2 on"]);
        place
            .run(&["export", "--verify", "jobs.toml"])
            .assert_stderr(2, &["jobs.toml.manifest.json", "hint: verifying a file"]);
        let manifest = format!("{}.manifest.json", first.display());
        let hint = format!("hint: name the exported file instead: {}", first.display());
        place.run(&["export", "--verify", &manifest]).assert_stderr(2, &[&hint]);
        std::fs::remove_file(&first).unwrap();
        verify(&[]).assert_stderr(2, &["cannot be read", "hint: put the file back beside its manifest"]);
    }
}

#[test]
fn each_incremental_file_shows_items_as_they_were_at_its_time() {
    let mut all = Vec::new();
    for database in databases() {
        let world = ScriptedService::new();
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\", \"web\"]\nevery = \"1h\"\n\n";
        let rest = format!("{topic}{}{}", going_on("sightings"), going_on("new"));
        let place = Place::new(database, &world.lines(), &rest);
        let due = |n: u32| place.run(&["once", "--due", "--at", &hour(n)]).assert_stdout(0, &[]);
        let page = |title: &str, snippet: &str| json!({ "title": title, "snippet": snippet, "link": "https://acme.example/p" });
        due(23);
        // The author, the time and an edit become known later; a page has another text each time.
        world.set_posts(&[
            json!({ "id": "1", "text": "it costs $10", "url": "https://x.com/i/status/1" }),
            post(2, 23, "stays", 1),
        ]);
        world.set_pages(&[page("Prices", "from 10")]);
        due(24);
        due(25);
        world.set_posts(&[post(1, 23, "it costs $12", 3), post(2, 23, "stays", 2)]);
        world.set_pages(&[page("Prices", "from 12")]);
        due(26);
        world.set_posts(&[post(1, 23, "it costs $15", 4)]);
        world.set_pages(&[page("New prices", "from 15")]);
        due(27);
        due(28);
        let texts = |text: &str, key: &str| {
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let heads: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
            let at = |name: &str| heads.iter().position(|head| head == name).unwrap();
            let rows = reader.records().map(Result::unwrap).filter(|row| &row[at("key")] == key);
            rows.map(|row| ["text", "author", "published_at"].map(|name| row[at(name)].to_owned()).join(" | "))
                .collect::<Vec<_>>()
        };
        for what in ["sightings", "new"] {
            let there = files(&place.path(&format!("out/{what}")));
            assert!(there.len() > usize::from(what == "sightings") * 3, "{what}: {there:?}");
            let until = cursor(&place, what);
            assert_eq!(concatenated_rows(&there), single_export(&place, what, until), "{} {what}", place.database.name);
            for file in &there {
                place.run(&["export", "--verify", file.to_str().unwrap()]).assert_stdout(0, &["matches the database"]);
            }
        }
        let (bare, known) =
            ("it costs $10 |  | ", |price: u32| format!("it costs ${price} | author1 | 2026-03-11T23:00:00.000Z"));
        let sightings = place.ok(&["export", "--what", "sightings"]);
        let seen = texts(&sightings, "post:x:1");
        assert_eq!(seen, [bare.to_owned(), bare.to_owned(), known(12), known(15), known(15)], "{sightings}");
        assert_eq!(texts(&place.ok(&["export", "--what", "new"]), "post:x:1"), [bare]);
        assert_eq!(texts(&place.ok(&["export", "--what", "items"]), "post:x:1"), [known(15)], "with the present data");
        let lines = place.ok(&["export", "--what", "sightings", "--format", "jsonl"]);
        assert_eq!(lines.matches("it costs $10").count(), 2, "{lines}");
        assert_eq!(lines.matches("from 12").count(), 1, "{lines}");
        all.push(sightings);
        // For an item that keeps changing, the last thousand states are kept; for the others, all.
        let of = place.database.item_id("post:x:1");
        let held =
            |which: &str| place.database.number(&format!("SELECT count(*) FROM item_past WHERE item {which} {of}"));
        let others = held("<>");
        crate::support::databases::block_on(place.database.execute(&format!(
            "INSERT INTO item_past (item, run, text) WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1200) \
             SELECT {of}, (SELECT max(id) FROM run), 'it costs $15' FROM n; UPDATE item SET past = past + 1200 WHERE id = {of}"
        )));
        world.set_posts(&[post(1, 23, "it costs $16", 4)]);
        due(29);
        assert_eq!((held("="), held("<>")), (1_000, others), "{}", place.database.name);
        let newest = place.ok(&["export", "--what", "sightings", "--since", &hour(29)]);
        assert_eq!(texts(&newest, "post:x:1"), [known(16)], "{newest}");
    }
    assert!(all.iter().all(|one| one == &all[0]));
}

#[test]
fn each_row_is_in_exactly_one_file_after_a_kill_at_any_point() {
    const POINTS: [&str; 10] = [
        "job/begun",
        "editions::begin/written",
        "editions::begin/committed",
        "export/begun",
        "export/written",
        "export/renamed",
        "export/placed",
        "editions::end/written",
        "editions::end/committed",
        "jobs::end/written",
    ];
    for database in databases() {
        let sqlite_too = database.name == "SQLite";
        for point in POINTS {
            let own = if sqlite_too { sqlite() } else { postgres().unwrap() };
            let sandbox = Sandbox::at(NINE, &[]);
            let place = Place::new(own, &sandbox.lines(), &rest(&going_on("sightings")));
            due(&place, &sandbox, NINE);
            sandbox.set_clock(HOURS[0]);
            let killed = place
                .program(&["once", "--due", "--at", HOURS[0]])
                .env("TOPICWATCH_TEST_FAILPOINT", &format!("kill {point}"))
                .run();
            assert_eq!(killed.code, None, "{point}: {killed}");
            let moved = matches!(point, "editions::end/committed" | "jobs::end/written");
            assert_eq!(cursor(&place, "sightings") > 0, moved, "{point}: only when the file is in place");
            // A run adds rows before the export continues.
            assert_eq!(place.run(&["once", "--at", LATER]).code, Some(0), "{point}");
            due(&place, &sandbox, LATER);
            due(&place, &sandbox, HOURS[1]);
            let there = files(&place.path("out/sightings"));
            assert!(
                concatenated_rows(&there) == single_export(&place, "sightings", cursor(&place, "sightings")),
                "{point}"
            );
            let all = place.database.number("SELECT max(seq) FROM v_run WHERE topic IS NOT NULL");
            assert!(cursor(&place, "sightings") >= all, "{point}: no run is left out");
            for file in &there {
                place.run(&["export", "--verify", file.to_str().unwrap()]).assert_stdout(0, &["matches the database"]);
            }
            let left = place.database.number("SELECT count(*) FROM export_edition WHERE files IS NULL");
            assert_eq!(left, 0, "{point}");
            let parts = std::fs::read_dir(place.path("out/sightings")).unwrap();
            let parts = parts.filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().ends_with(".part")).count();
            assert_eq!(parts, 0, "{point}: the next process removes the unfinished file of a killed one");
        }
    }
}

#[test]
fn two_concurrent_writers_put_each_row_in_exactly_one_file() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &rest(&going_on("sightings").replace("1h", "1m")));
        due(&place, &sandbox, NINE);
        for minute in 1..=6 {
            let at = format!("2026-03-11T09:{minute:02}:00Z");
            sandbox.set_clock(&at);
            let writers: Vec<_> = ["acme", "globex"]
                .map(|topic| place.program(&["once", "--topic", topic, "--at", &at]))
                .map(Program::start)
                .into_iter()
                .collect();
            let exporter = place.program(&["once", "--due", "--at", &at]).start();
            for going in writers.into_iter().chain([exporter]) {
                let ended = going.wait();
                assert_eq!(ended.code, Some(0), "{ended}");
            }
        }
        due(&place, &sandbox, "2026-03-11T09:30:00Z");
        let there = files(&place.path("out/sightings"));
        assert!(there.len() > 1, "{there:?}");
        assert!(
            concatenated_rows(&there) == single_export(&place, "sightings", cursor(&place, "sightings")),
            "{}",
            place.database.name
        );
        let rows = concatenated_rows(&there).matches("2026-03-11T09:").count();
        assert!(rows > 0);
        assert_eq!(
            place.database.number("SELECT count(*) FROM v_sighting"),
            i64::try_from(csv_rows(&there)).unwrap(),
            "each sighting once"
        );
    }
}

fn csv_rows(files: &[PathBuf]) -> usize {
    files.iter().map(|file| csv::Reader::from_path(file).unwrap().records().count()).sum()
}

#[test]
fn an_unwritable_export_file_moves_no_cursor_and_is_written_later() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &rest(&going_on("sightings")));
        due(&place, &sandbox, NINE);
        due(&place, &sandbox, HOURS[0]);
        let folder = place.path("out/sightings");
        let first = std::fs::read_to_string(&files(&folder)[0]).unwrap();
        let before = cursor(&place, "sightings");
        // A file in place of the folder.
        std::fs::rename(&folder, place.path("kept")).unwrap();
        std::fs::write(&folder, "in the way").unwrap();
        sandbox.set_clock(HOURS[1]);
        let failed = place.run(&["once", "--due", "--at", HOURS[1]]);
        failed.assert_stdout(3, &["export:sightings@2026-03-11T11:00:00Z", "could not be written"]);
        assert_eq!(cursor(&place, "sightings"), before);
        std::fs::remove_file(&folder).unwrap();
        std::fs::rename(place.path("kept"), &folder).unwrap();
        due(&place, &sandbox, HOURS[2]);
        let there = files(&folder);
        assert_eq!(there.len(), 3, "the failed one has its own name: {there:?}");
        assert_eq!(std::fs::read_to_string(&there[0]).unwrap(), first, "the old file is unchanged");
        assert!(concatenated_rows(&there) == single_export(&place, "sightings", cursor(&place, "sightings")));
    }
}

#[test]
fn rows_of_an_unwritten_first_edition_are_not_pruned() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let keep = "[retention]\nprune = \"never\"\nsightings = \"5d\"\n\n";
        let place = Place::new(database, &sandbox.lines(), &(keep.to_owned() + &rest(&going_on("sightings"))));
        std::fs::write(place.path("out"), "in the way").unwrap();
        let later = "2026-03-21T09:00:00Z";
        let hours =
            [11, 12].into_iter().flat_map(|day| (9..13).map(move |hour| format!("2026-03-{day}T{hour:02}:00:00Z")));
        for at in hours.chain([later.to_owned()]) {
            sandbox.set_clock(&at);
            place.run(&["once", "--due", "--at", &at]);
        }
        let count = "SELECT count(*) FROM v_sighting";
        let before = place.database.number(count);
        let pruned = place.ok(&["db", "prune", "--at", later]);
        assert!(pruned.contains("because export:sightings still needs it"), "{}: {pruned}", place.database.name);
        assert_eq!(place.database.number(count), before, "{}", place.database.name);
        std::fs::remove_file(place.path("out")).unwrap();
        due(&place, &sandbox, "2026-03-21T10:00:00Z");
        let there = files(&place.path("out/sightings"));
        assert!(concatenated_rows(&there) == single_export(&place, "sightings", cursor(&place, "sightings")));
        // Once it is written, nothing needs the rows.
        let pruned = place.ok(&["db", "prune", "--at", later]);
        assert!(!pruned.contains("still needs it") && place.database.number(count) < before, "{pruned}");
    }
}

#[test]
fn retain_keeps_the_newest_editions_and_removes_no_foreign_file() {
    let sandbox = Sandbox::at(NINE, &[]);
    let exports =
        export("all", "what = \"items\"\npath = \"out/{topic}-{run}.jsonl\"\nretain = 2\nfiltered = \"hide\"");
    let place = Place::new(sqlite(), &sandbox.lines(), &rest(&exports));
    due(&place, &sandbox, NINE);
    due(&place, &sandbox, HOURS[0]);
    let names = |place: &Place| -> Vec<String> {
        files(&place.path("out")).iter().map(|f| f.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&place), ["acme-20260311T100000Z.jsonl", "globex-20260311T100000Z.jsonl"]);
    // A user's own file has the name of an old one.
    let theirs = place.path("out/acme-20260311T100000Z.jsonl");
    std::fs::write(&theirs, "mine").unwrap();
    std::fs::remove_file(format!("{}.manifest.json", theirs.display())).unwrap();
    due(&place, &sandbox, HOURS[1]);
    due(&place, &sandbox, HOURS[2]);
    assert_eq!(
        names(&place),
        [
            "acme-20260311T100000Z.jsonl",
            "acme-20260311T110000Z.jsonl",
            "acme-20260311T120000Z.jsonl",
            "globex-20260311T110000Z.jsonl",
            "globex-20260311T120000Z.jsonl"
        ]
    );
    assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "mine");
    let text = std::fs::read_to_string(place.path("out/globex-20260311T120000Z.jsonl")).unwrap();
    let row: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(row["topic"], "globex");
}

#[test]
fn a_file_shared_by_several_editions_belongs_to_the_newest_and_is_kept() {
    let sandbox = Sandbox::at(NINE, &[]);
    let exports = export("all", "what = \"items\"\npath = \"out/{topic}-{date}.jsonl\"\nretain = 1");
    let place = Place::new(sqlite(), &sandbox.lines(), &rest(&exports));
    for at in [NINE, HOURS[0], HOURS[1], HOURS[2]] {
        due(&place, &sandbox, at);
    }
    let names = files(&place.path("out")).into_iter().map(|file| file.file_name().unwrap().to_owned());
    assert_eq!(names.collect::<Vec<_>>(), ["acme-2026-03-11.jsonl", "globex-2026-03-11.jsonl"]);
}

#[test]
fn a_scheduled_export_has_the_items_of_its_span() {
    let sandbox = Sandbox::at(NINE, &[]);
    let exports = export("lately", "what = \"items\"\npath = \"out/{run}.csv\"\nsince = \"90m\"");
    let place = Place::new(sqlite(), &sandbox.lines(), &rest(&exports));
    for at in [NINE, HOURS[0], HOURS[1], HOURS[2]] {
        due(&place, &sandbox, at);
    }
    let file = std::fs::read_to_string(place.path("out/20260311T120000Z.csv")).unwrap();
    let since = place.ok(&["export", "--what", "items", "--since", "2026-03-11T10:30:00Z"]);
    assert_eq!(file, since);
    let all = place.ok(&["export", "--what", "items"]);
    assert!(1 < file.lines().count() && file.lines().count() < all.lines().count(), "{file}");
}

/// A program that loads files may remove them before the edition is complete.
#[test]
fn a_file_that_was_taken_before_its_edition_ended_is_not_written_again() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let by_topic = going_on("sightings").replace("{run}.csv", "{topic}-{run}.csv");
        let place = Place::new(database, &sandbox.lines(), &rest(&by_topic));
        due(&place, &sandbox, NINE);
        // The second process records the first file, which the first process wrote.
        for (at, point) in [(HOURS[0], "kill export/written pass=2"), (LATER, "kill export/renamed")] {
            sandbox.set_clock(at);
            let program = place.program(&["once", "--due", "--at", at]).env("TOPICWATCH_TEST_FAILPOINT", point);
            assert_eq!(program.run().code, None, "{point}");
        }
        let folder = place.path("out/sightings");
        let taken = vec![files(&folder).remove(0)];
        std::fs::remove_file(&taken[0]).unwrap();
        due(&place, &sandbox, "2026-03-11T10:20:00Z");
        let there = files(&folder);
        assert!(there.len() == 1 && there != taken, "{}: {there:?}, taken {taken:?}", place.database.name);
    }
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_at_the_output_is_replaced_not_followed() {
    let sandbox = Sandbox::at(NINE, &[]);
    let exports = export("all", "what = \"items\"\npath = \"out/{name}.csv\"")
        + &export("packed", "what = \"runs\"\npath = \"out/runs.csv.gz\"")
        + &export("feeds", "what = \"new\"\npath = \"out/{topic}.atom\"");
    let place = Place::new(sqlite(), &sandbox.lines(), &rest(&exports));
    due(&place, &sandbox, NINE);
    std::fs::create_dir_all(place.path("out")).unwrap();
    std::fs::write(place.path("victim"), "precious").unwrap();
    for name in ["all.csv", "all.csv.manifest.json"] {
        std::os::unix::fs::symlink(place.path("victim"), place.path("out").join(name)).unwrap();
    }
    due(&place, &sandbox, HOURS[0]);
    assert_eq!(std::fs::read_to_string(place.path("victim")).unwrap(), "precious");
    assert!(csv_rows(&[place.path("out/all.csv")]) > 0);
    assert_eq!(manifest(&place.path("out/all.csv"))["mode"], "full");
    for name in ["out/runs.csv.gz", "out/acme.atom", "out/all.csv"] {
        let bytes = std::fs::read(place.path(name)).unwrap();
        assert_eq!(manifest(&place.path(name))["bytes"], bytes.len(), "{name}");
        assert_eq!(bytes.starts_with(&[0x1f, 0x8b]), name.contains("gz"), "{name}");
    }
}

/// A service, a place with a scheduled export of its runs that was written once, and the file.
fn runs_written_to(path: &str) -> (Sandbox, Place, PathBuf) {
    let sandbox = Sandbox::at(NINE, &[]);
    let exports = export("runs", &format!("what = \"runs\"\npath = \"{path}\""));
    let place = Place::new(sqlite(), &sandbox.lines(), &rest(&exports));
    due(&place, &sandbox, NINE);
    due(&place, &sandbox, HOURS[0]);
    let file = place.path(path);
    (sandbox, place, file)
}

#[test]
fn verify_names_no_line_in_a_workbook() {
    let (_sandbox, place, file) = runs_written_to("out/runs.xlsx");
    let verify = || place.run(&["export", "--verify", file.to_str().unwrap()]);
    verify().assert_stdout(0, &["matches the database"]);
    assert_eq!(place.run(&["once", "--at", HOURS[0]]).code, Some(0));
    verify().assert_stdout(3, &["but the database differs (", "or more was found"]);
}

#[test]
fn verify_compares_a_compressed_file_by_its_rows() {
    let (_sandbox, place, file) = runs_written_to("out/runs.csv.gz");
    let verify = || place.run(&["export", "--verify", file.to_str().unwrap()]);
    verify().assert_stdout(0, &["matches the database"]);
    let mut rows = String::new();
    flate2::read::GzDecoder::new(&std::fs::read(&file).unwrap()[..]).read_to_string(&mut rows).unwrap();
    // As another version of the compressor would have written it.
    let again = |rows: &str| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        packer.write_all(rows.as_bytes()).unwrap();
        let bytes = packer.finish().unwrap();
        let mut reported = manifest(&file);
        reported["bytes"] = json!(bytes.len());
        reported["sha256"] = json!(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        std::fs::write(format!("{}.manifest.json", file.display()), reported.to_string()).unwrap();
        std::fs::write(&file, &bytes).unwrap();
    };
    again(&rows);
    verify().assert_stdout(0, &["matches the database"]);
    // The line number refers to the rows, not to the compressed bytes.
    let (last, text) = (rows.lines().count(), rows.trim_end());
    again(&format!("{}Y\r\n", text.strip_suffix(|_: char| true).unwrap()));
    verify().assert_stdout(3, &[&format!("from line {last} on")]);
    again(&format!("{text}\r\nmore\r\n"));
    verify().assert_stdout(3, &[&format!("from line {} on", last + 1)]);
    std::fs::write(&file, "no gzip").unwrap();
    verify().assert_stdout(3, &["were written"]);
}

#[test]
fn contradictory_export_settings_are_refused_with_their_place() {
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", "");
    for (lines, said) in [
        ("what = \"items\"\nmode = \"incremental\"", "rows of items change later"),
        ("what = \"runs\"\nmode = \"incremental\"", "rows of runs change later"),
        ("what = \"new\"\nmode = \"incremental\"\npath = \"out/{date}.csv\"", "has no {run}"),
        ("what = \"new\"\nmode = \"incremental\"\nsince = \"7d\"", "does not apply to an incremental export"),
        ("what = \"items\"\npath = \"../{name}.csv\"", "contains `..`"),
        ("what = \"items\"\npath = \"out/{name}\"", "does not have the file extension of a format"),
        ("what = \"items\"\npath = \"out/{nmae}.csv\"", "an unknown placeholder in braces"),
        ("what = \"items\"\npath = \"out/a.csv\"\nformat = \"jsonl\"", "does not have the file extension of jsonl"),
        ("what = \"runs\"\nsources = [\"web\"]", "does not apply to runs"),
        ("what = \"answers\"\ntones = [\"negative\"]", "does not apply to answers"),
        ("what = \"everything\"", "cannot be \"everything\""),
        ("what = \"items\"\ntopics = [\"acmee\"]", "no such topic"),
        ("what = \"items\"\nretain = 0", "retain"),
        ("what = \"items\"\npath = \"out/a.xlsx.gz\"", "already compressed"),
        ("what = \"new\"\npath = \"out/a.atom\"", "is a feed"),
        ("", "this export has no `what`"),
    ] {
        place.configure("base_url = \"sandbox\"", &rest(&export("x", lines)));
        place.run(&["check"]).assert_stderr(2, &[said]);
    }
    place.configure("base_url = \"sandbox\"", &rest("[[exports]]\nname = \"CON\"\nwhat = \"items\"\n"));
    place.run(&["check"]).assert_stderr(2, &["cannot be \"CON\"", "this export has no schedule"]);
    // All mistakes at once.
    let several = "[[exports]]\nname = \"x\"\nwhat = \"daily\"\nmode = \"incremental\"\nformat = \"jsonl\"\nprofile = \"excel\"\n\
                   sources = [\"web\"]\nping = \"ftp://a.example\"\n";
    place.configure("base_url = \"sandbox\"", &rest(several));
    place.run(&["check"]).assert_stderr(
        2,
        &[
            "this export has no schedule",
            "rows of daily change later",
            "\"excel\" works only with csv",
            "does not apply to daily",
            "`ping` is not the URL of a web server",
        ],
    );
    let twice = export("x", "what = \"items\"") + &export("x", "what = \"runs\"");
    place.configure("base_url = \"sandbox\"", &rest(&twice));
    place.run(&["check"]).assert_stderr(2, &["is already used by another export"]);
    let one = |name: &str, path: &str| export(name, &format!("what = \"items\"\npath = \"{path}\""));
    let twice = one("x", "out/all.csv") + &one("y", "./out//all.csv");
    place.configure("base_url = \"sandbox\"", &rest(&twice));
    place.run(&["check"]).assert_stderr(2, &["one would overwrite the other"]);
}

/// Exports to a path that cannot be written, then to another one.
#[test]
fn a_failed_export_is_written_to_the_newly_configured_path() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let name = database.name;
        let all = |path: &str| export("all", &format!("what = \"items\"\npath = \"{path}/{{date}}.csv\""));
        let on = |path: &str| going_on("sightings").replace("out/", &format!("{path}/"));
        let place = Place::new(database, &sandbox.lines(), &rest(&(all("bad") + &on("bad"))));
        due(&place, &sandbox, NINE);
        std::fs::write(place.path("bad"), "in the way").unwrap();
        sandbox.set_clock(HOURS[0]);
        place.run(&["once", "--due", "--at", HOURS[0]]).assert_stdout(3, &["could not be written"]);
        place.configure(&sandbox.lines(), &rest(&(all("good") + &on("good"))));
        due(&place, &sandbox, HOURS[1]);
        assert!(place.path("good/2026-03-11.csv").is_file(), "{name}");
        let there = files(&place.path("good/sightings"));
        assert!(
            concatenated_rows(&there) == single_export(&place, "sightings", cursor(&place, "sightings")),
            "{name}: {there:?}"
        );
        assert_eq!(place.database.number("SELECT count(*) FROM export_edition WHERE files IS NULL"), 0, "{name}");
        for file in there.iter().chain([&place.path("good/2026-03-11.csv")]) {
            place.run(&["export", "--verify", file.to_str().unwrap()]).assert_stdout(0, &["matches the database"]);
        }
    }
}

#[test]
fn a_half_written_edition_is_completed_with_the_new_settings_without_repeated_rows() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let name = database.name;
        let on = |path: &str| {
            let path = format!("path = \"{path}\"");
            export("each", &format!("what = \"sightings\"\nmode = \"incremental\"\n{path}"))
        };
        let place = Place::new(database, &sandbox.lines(), &rest(&on("out/{topic}/{run}.csv")));
        due(&place, &sandbox, NINE);
        std::fs::create_dir(place.path("out")).unwrap();
        std::fs::write(place.path("out/globex"), "in the way").unwrap();
        sandbox.set_clock(HOURS[0]);
        place.run(&["once", "--due", "--at", HOURS[0]]).assert_stdout(3, &["globex", "could not be written"]);
        let first = files(&place.path("out/acme")).remove(0);
        // A loader moves the files away.
        std::fs::create_dir(place.path("loaded")).unwrap();
        for file in [first.clone(), PathBuf::from(format!("{}.manifest.json", first.display()))] {
            std::fs::rename(&file, place.path("loaded").join(file.file_name().unwrap())).unwrap();
        }
        place.configure(&sandbox.lines(), &rest(&on("new/{run}.csv")));
        due(&place, &sandbox, HOURS[1]);
        due(&place, &sandbox, HOURS[2]);
        assert!(!first.exists(), "{name}: a removed file is not restored");
        let all = [files(&place.path("loaded")), files(&place.path("new"))].concat();
        let rows = single_export(&place, "sightings", cursor(&place, "each"));
        assert_eq!(csv_rows(&all), rows.lines().count(), "{name}: {all:?}");
        let mut lines: Vec<String> = concatenated_rows(&all).lines().map(str::to_owned).collect();
        let mut expected: Vec<String> = rows.lines().map(str::to_owned).collect();
        lines.sort();
        expected.sort();
        assert!(lines == expected, "{name}: each row once");
        for file in &all {
            place.run(&["export", "--verify", file.to_str().unwrap()]).assert_stdout(0, &["matches the database"]);
        }
        let of = "SELECT count(*) FROM export_edition WHERE files IS NULL";
        assert_eq!((place.database.number(of), place.database.number("SELECT count(*) FROM export_placed")), (0, 0));
    }
}

#[test]
fn a_file_written_before_a_path_change_is_removed_with_its_edition() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let name = database.name;
        let all = |path: &str| export("all", &format!("what = \"items\"\nretain = 1\npath = \"{path}/{{run}}.csv\""));
        let place = Place::new(database, &sandbox.lines(), &rest(&all("out")));
        due(&place, &sandbox, NINE);
        sandbox.set_clock(HOURS[0]);
        let killed = place
            .program(&["once", "--due", "--at", HOURS[0]])
            .env("TOPICWATCH_TEST_FAILPOINT", "kill export/placed")
            .run();
        assert_eq!(killed.code, None, "{killed}");
        assert_eq!(files(&place.path("out")).len(), 1, "{name}: {killed}");
        place.configure(&sandbox.lines(), &rest(&all("new")));
        due(&place, &sandbox, LATER);
        let listed = place.database.texts("SELECT files FROM export_edition WHERE files IS NOT NULL ORDER BY number");
        assert!(listed[0].contains("/out/") && listed[0].contains("/new/"), "{name}: {listed:?}");
        // It is removed with its edition.
        due(&place, &sandbox, HOURS[1]);
        assert_eq!((files(&place.path("out")).len(), files(&place.path("new")).len()), (0, 1), "{name}");
    }
}

#[test]
fn an_export_switched_to_incremental_mode_writes_all_rows() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let name = database.name;
        let each = |mode: &str, what: &str, folder: &str| {
            let path = format!("path = \"{folder}/{{topic}}/{{run}}.csv\"");
            export("each", &format!("what = \"{what}\"\nmode = \"{mode}\"\n{path}"))
        };
        let place = Place::new(database, &sandbox.lines(), &rest(&each("full", "items", "out")));
        due(&place, &sandbox, NINE);
        std::fs::create_dir(place.path("out")).unwrap();
        std::fs::write(place.path("out/globex"), "in the way").unwrap();
        sandbox.set_clock(HOURS[0]);
        place.run(&["once", "--due", "--at", HOURS[0]]).assert_stdout(3, &["globex", "could not be written"]);
        assert_eq!(files(&place.path("out/acme")).len(), 1, "{name}");
        place.configure(&sandbox.lines(), &rest(&each("incremental", "sightings", "new")));
        due(&place, &sandbox, HOURS[1]);
        let all = [files(&place.path("new/acme")), files(&place.path("new/globex"))].concat();
        let rows = single_export(&place, "sightings", cursor(&place, "each"));
        assert_eq!(csv_rows(&all), rows.lines().count(), "{name}: {all:?}");
    }
}

#[test]
fn messages_count_a_single_row_file_run_and_item_in_the_singular() {
    for database in databases() {
        let world = ScriptedService::new();
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"1h\"\n\n";
        let all = export("all", "what = \"items\"\nretain = 1\npath = \"out/{run}.csv\"");
        let place = Place::new(database, &world.lines(), &format!("{topic}{all}"));
        world.set_posts(&[post(1, 23, "acme one", 1)]);
        place.ok(&["once", "--due", "--at", &hour(23)]);
        place.run(&["once", "--due", "--at", &hour(24)]).assert_stdout(0, &[": 1 row in "]);
        place.run(&["once", "--due", "--at", &hour(25)]).assert_stdout(0, &[": 1 row in ", "; 1 old file removed"]);
        let file = files(&place.path("out")).remove(0);
        let verified = place.run(&["export", "--verify", file.to_str().unwrap()]);
        verified.assert_stdout(0, &["matches the database: 1 row, sha256"]);
        let replayed = place.run(&["db", "replay", "--dry-run", "--since", &hour(25)]);
        replayed.assert_stdout(0, &["1 run read again, 1 reply; 0 runs would change"]);
        place.run(&["topic", "filter", "test", "acme"]).assert_stdout(0, &["acme · 1 item · 0 hidden now"]);
        place.database.remove_scores();
        place.run(&["db", "rescore", "--dry-run"]).assert_stdout(0, &["1 item would be scored by"]);
        place.ok(&["db", "forget", "--author", "nobody", "--yes"]);
        let exported = place.run(&["db", "forget", "--export", place.path("tombstones").to_str().unwrap()]);
        exported.assert_stdout(0, &["1 tombstone written; it contains no names"]);
    }
}

#[test]
fn the_log_of_a_daemon_counts_the_files_of_an_export() {
    let sandbox = crate::support::daemons::sandbox_of_today(&[]);
    let all = rest(&export("items", "what = \"items\"\npath = \"out/{name}/{run}.csv\""));
    let place = Place::new(sqlite(), &sandbox.lines(), &all.replace("every = \"1h\"", "every = \"300d\""));
    place.ok(&["once", "--topic", "acme"]);
    let mut daemon = crate::support::daemons::start_daemon(&place, &[]);
    place.database.queue_job("export:items", "export:items@then");
    daemon.wait_until("its line", |said| {
        said.lines().any(|line| line.contains("job done") && line.contains("export:items@then"))
    });
    daemon.signal("TERM");
    let ended = daemon.wait();
    let line = ended.err.lines().find(|line| line.contains("job done")).unwrap();
    assert!(line.contains("files=1"), "{line}");
}
