//! The commands from before there were groups (`pause`, `backup`, `search` …): each is hidden in the help and still
//! works like the new one, with the same output and exit code.

use clap::CommandFactory as _;
use topicwatch::cli::Cli;

use crate::support::databases::{databases, sqlite};
use crate::support::program::{NINE, Place};

const SERVICE: &str = "base_url = \"sandbox\"";
const TOPIC: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nschedule = \"0 9 * * *\"";

/// Old and new command lines that only read, or fail the same way each time.
const SAME: &[(&[&str], &[&str])] = &[
    (
        &["schedule", "next", "@hourly", "--after", "2026-03-11"],
        &["topic", "schedule", "next", "@hourly", "--after", "2026-03-11"],
    ),
    (&["schedule", "explain", "acme", "--at", NINE], &["topic", "schedule", "explain", "acme", "--at", NINE]),
    (&["schedule", "explain", "nobody"], &["topic", "schedule", "explain", "nobody"]),
    (&["pause", "nobody"], &["topic", "pause", "nobody"]),
    (&["resume", "acme"], &["topic", "resume", "acme"]),
    (&["resume", "nobody"], &["topic", "resume", "nobody"]),
    (&["run-now", "acme"], &["topic", "run", "acme"]),
    (&["run-now", "nobody", "--json"], &["topic", "run", "nobody", "--json"]),
    (&["filter", "test", "acme", "--exclude", "launch"], &["topic", "filter", "test", "acme", "--exclude", "launch"]),
    (&["filter", "test", "acme", "--json"], &["topic", "filter", "test", "acme", "--json"]),
    (
        &["backfill", "acme", "--from", "2026-03-09", "--to", "2026-03-10", "--at", NINE, "--dry-run"],
        &["topic", "backfill", "acme", "--from", "2026-03-09", "--to", "2026-03-10", "--at", NINE, "--dry-run"],
    ),
    (&["search", "acme"], &["items", "--search", "acme"]),
    (&["search", "acme", "launch", "--json"], &["items", "--search", "acme launch", "--json"]),
    (&["search", "acme", "--limit", "1"], &["items", "--search", "acme", "--limit", "1"]),
    (&["search", "--", "-acme"], &["items", "--search", "-acme"]),
    (&["search", "acme", "--after", "x"], &["items", "--search", "acme", "--after", "x"]),
    (&["rescore", "--json"], &["db", "rescore", "--json"]),
    (&["rescore", "--topic", "nobody"], &["db", "rescore", "--topic", "nobody"]),
    (&["replay", "--dry-run"], &["db", "replay", "--dry-run"]),
    (&["replay", "--json"], &["db", "replay", "--json"]),
    (&["prune", "--at", NINE, "--dry-run"], &["db", "prune", "--at", NINE, "--dry-run"]),
    (&["prune", "--at", NINE, "--json"], &["db", "prune", "--at", NINE, "--json"]),
    (&["backup", "copy.db"], &["db", "backup", "copy.db"]),
    (&["backup", "-"], &["db", "backup", "-"]),
    (&["migrate"], &["db", "migrate"]),
    (&["forget", "--author", "nobody", "--dry-run"], &["db", "forget", "--author", "nobody", "--dry-run"]),
    (&["forget", "--resume"], &["db", "forget", "--resume"]),
    (&["import", "--print", "nothing.opml"], &["topic", "import", "--print", "nothing.opml"]),
    (&["mark", "acme", "post:x:0", "good"], &["items", "mark", "acme", "post:x:0", "good"]),
    (&["mark", "nobody", "post:x:0", "none"], &["items", "mark", "nobody", "post:x:0", "none"]),
    (&["story", "post:x:0"], &["items", "story", "post:x:0"]),
    (&["story", "post:x:0", "--format", "xml"], &["items", "story", "post:x:0", "--format", "xml"]),
    (&["worker", "--database", "sqlite:other.db"], &["run", "--worker", "--database", "sqlite:other.db"]),
];

#[test]
fn every_old_verb_works_like_the_new_one() {
    for database in databases() {
        let place = Place::new(database, SERVICE, TOPIC);
        place.ok(&["once", "--at", NINE]);
        for (old, new) in SAME {
            let (before, now) = (place.run(old), place.run(new));
            assert_eq!((before.code, &before.out, &before.err), (now.code, &now.out, &now.err), "{old:?} {new:?}");
        }
        // These change something each time.
        for (pause, resume) in [
            (&["pause", "acme"][..], &["topic", "resume", "acme"][..]),
            (&["topic", "pause", "acme"], &["resume", "acme"]),
        ] {
            place.run(pause).assert_stdout(0, &["acme: paused"]);
            place.run(pause).assert_stdout(0, &["acme: was already paused"]);
            place.run(resume).assert_stdout(0, &["acme: resumed"]);
        }
    }
}

#[test]
fn old_verbs_are_hidden_in_help_and_each_is_tested() {
    let command = Cli::command();
    // `man` is not an old name: packages call it.
    let hidden: Vec<&str> = command
        .get_subcommands()
        .filter(|verb| verb.is_hide_set())
        .map(clap::Command::get_name)
        .filter(|name| *name != "man")
        .collect();
    assert_eq!(hidden.len(), 17, "{hidden:?}");
    for verb in &hidden {
        assert!(SAME.iter().any(|(old, _)| old[0] == *verb), "`{verb}` is not compared with its new name");
    }
    let help = Place::new(sqlite(), SERVICE, "").run(&["--help"]).out;
    for verb in hidden {
        assert!(!help.lines().any(|line| line.split_whitespace().next() == Some(verb)), "{verb}:\n{help}");
    }
}
