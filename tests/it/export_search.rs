//! `search` of `[[exports]]`: the rows that `export --search` writes, whether they are indexed yet or not, each in one
//! file; and invalid searches.

use crate::support::databases::databases;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::word_index::empty_index;

const TOPIC: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nevery = \"1h\"\n\n";

fn export(rest: &str) -> String {
    format!("{TOPIC}[[exports]]\nname = \"x\"\nevery = \"1h\"\n{rest}\n")
}

#[test]
fn a_scheduled_export_with_search_equals_export_search() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let rest = export(
            "what = \"sightings\"\nmode = \"incremental\"\npath = \"out/{run}.csv\"\nsearch = '\"acme launch\" -page'",
        );
        let place = Place::new(database, &sandbox.lines(), &rest);
        place.run(&["check"]).assert_stdout(0, &["incremental sightings"]);
        for at in [NINE, "2026-03-11T10:00:00Z", "2026-03-11T11:00:00Z", "2026-03-11T12:00:00Z"] {
            sandbox.set_clock(at);
            place.run(&["once", "--due", "--at", at]).assert_stdout(0, &[]);
            // Marks everything as not indexed again: the export does not rely on another process.
            empty_index(&place.database);
        }
        let mut files: Vec<_> = std::fs::read_dir(place.path("out")).unwrap().map(|e| e.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some_and(|ending| ending == "csv"));
        files.sort();
        assert!(files.len() > 1, "{files:?}");
        let body = |text: &str| text.split_once("\r\n").unwrap().1.to_owned();
        let together: String = files.iter().map(|file| body(&std::fs::read_to_string(file).unwrap())).collect();
        let until = place.database.number("SELECT seq FROM follower WHERE name = 'export:x'");
        let stretch = format!("0..{until}");
        let all = body(&place.ok(&["export", "--what", "sightings", "--seq", &stretch]));
        let by_hand = ["export", "--what", "sightings", "--seq", &stretch, "--search", "\"acme launch\" -page"];
        assert!(together == body(&place.ok(&by_hand)), "{}", place.database.name);
        assert!(!together.is_empty() && together.len() < all.len(), "{} of {}", together.len(), all.len());
        for file in &files {
            place.run(&["export", "--verify", file.to_str().unwrap()]).assert_stdout(0, &["matches the database"]);
        }
        // The filter compares with items as they are now, whatever their rows show.
        let edit = "UPDATE item SET title = NULL, text = 'something else' WHERE id > 0";
        crate::support::databases::block_on(place.database.execute(edit));
        empty_index(&place.database);
        let verified = place.run(&["export", "--verify", files[0].to_str().unwrap()]);
        verified.assert_stdout(3, &["since then, items were edited, merged, pruned or erased"]);
    }
}

#[test]
fn invalid_searches_in_exports_are_refused() {
    let place = Place::new(crate::support::databases::sqlite(), "base_url = \"sandbox\"", "");
    for (lines, said) in [
        ("what = \"items\"\nsearch = \"\"", "there is no word to look for"),
        ("what = \"items\"\nsearch = \"-page\"", "it only excludes words"),
        ("what = \"items\"\nsearch = 7", "takes a string"),
        ("what = \"runs\"\nsearch = \"acme\"", "does not apply to runs"),
        ("what = \"daily\"\nsearch = \"acme\"", "does not apply to daily"),
    ] {
        place.configure("base_url = \"sandbox\"", &export(lines));
        place.run(&["check"]).assert_stderr(2, &[said, "search"]);
    }
}
