//! The result of an error for the user: the exit code, the hint, which files are written and which are not. One case
//! per promise, through the binary; on both databases where one is involved.

use std::io::Read;

use crate::support::databases::{block_on, databases, databases_without_schema, sqlite};
use crate::support::program::{NINE, Place, Program, ProgramOutput};
use crate::support::service::{FakeServer, Sandbox, reply};

const TOPICS: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nevery = \"6h\"\n\n\
                      [[topics]]\nid = \"globex\"\nquery = \"globex pricing\"\nevery = \"6h\"\n";
/// Nothing listens here, and no call is made.
const NOWHERE: &str = "base_url = \"http://127.0.0.1:9\"";

/// Asserts that there is nothing besides the configuration and that no database was created.
fn assert_nothing_written(place: &Place) {
    assert_eq!(place.other_files(), Vec::<String>::new());
    assert!(!std::path::Path::new(&place.database.url["sqlite:".len()..]).exists());
}

#[test]
fn a_broken_file_is_refused_with_every_mistake_and_nothing_is_written() {
    let rest = "[[topics]]\nid = \"Not A Slug\"\nqeury = \"acme\"\n\n[[topics]]\nid = \"b\"\nquery = 3\n";
    let place = Place::new(sqlite(), "base_url = \"sandbox\"\nmax_tries = \"many\"", rest);
    for verb in ["once", "check", "run", "status", "export"] {
        place.run(&[verb]).assert_stderr(2, &["max_tries", "qeury", "did you mean", "Not A Slug", "jobs.toml:"]);
        assert_nothing_written(&place);
    }
}

/// If the variable were ignored, findings would go to another database.
#[cfg(unix)]
#[test]
fn a_variable_that_is_not_utf8_is_refused_and_nothing_is_written() {
    use std::os::unix::ffi::OsStrExt as _;
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", TOPICS);
    let odd = std::ffi::OsStr::from_bytes(b"sqlite:caf\xe9.db");
    for verb in ["once", "check"] {
        let ended = place.program(&[verb]).env("TOPICWATCH_DATABASE_URL", odd).run();
        ended.assert_stderr(2, &["TOPICWATCH_DATABASE_URL is not UTF-8 text", "unset it"]);
        assert_nothing_written(&place);
    }
}

#[test]
fn invalid_arguments_are_refused_with_a_hint() {
    let place = Place::new(sqlite(), NOWHERE, TOPICS);
    for (args, parts) in [
        (&["once", "--topic", "acmee"][..], &["there is no topic `acmee`", "acme, globex"][..]),
        (&["once", "--due", "--topic", "acme"], &["--due", "hint"]),
        (&["once", "--at", "noon"], &["`noon` is not a time", "2026-03-11T09:00:00Z"]),
        (&["once", "--at", "\u{1b}[2J"], &["\\u{1b}[2J"]),
        (&["export", "--what", "secrets"], &["secrets", "items, sightings, new, runs, searches, answers, daily"]),
        (&["export", "--since", "last week"], &["--since", "24h"]),
        (
            &["export", "--what", "runs", "--tone", "negative"],
            &["--tone does not apply to runs", "items, sightings, new"],
        ),
        (&["export", "--what", "items", "--seq", "1..2"], &["--seq does not apply to items", "sightings, new, runs"]),
        (&["export", "--timezone", "Europe/Berlin"], &["--timezone does not apply to items", "daily"]),
        (&["export", "--what", "daily", "--timezone", "Europe/Berln"], &["--timezone", "Berln"]),
        (&["export", "--what", "runs", "--seq", "9..2"], &["9..2", "120..180"]),
        (&["show"], &["TOPIC"]),
        (
            &["items", "acme"],
            &["unrecognized subcommand 'acme'", "hint: is acme a topic? topicwatch items --topic acme"],
        ),
        (&["once", "acme", "-q"], &["'acme'", "hint: is acme a topic? topicwatch once --topic acme"]),
        (&["status", "acme"], &["'acme'", "hint: is acme a topic? topicwatch show acme"]),
        (&["check", "jobs.toml"], &["hint: name the configuration file with --config"]),
        (
            &["report", "acme"],
            &["there is no report `acme`", "hint: `acme` is a topic: topicwatch report --topic acme"],
        ),
        (&["outbox", "retry"], &["EVENT", "--dead"]),
        (&["outbox", "retry", "x", "--dead"], &["cannot be used with"]),
        (&["topic", "schedule", "next"], &["EXPR", "--every"]),
        (&["once", "-q", "-v"], &["cannot be used with"]),
        (&["once", "--config", "none.toml"], &["none.toml"]),
        (&["nothing"], &["nothing"]),
    ] {
        place.run(args).assert_stderr(2, parts);
        assert_nothing_written(&place);
    }
    let elsewhere = tempfile::tempdir().unwrap();
    Program::at(elsewhere.path(), &["once"]).run().assert_stderr(2, &["hint"]);
}

#[test]
fn without_a_key_no_call_is_made_and_nothing_is_written() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    for verb in [&["once"][..], &["once", "--due"], &["run"], &["check", "--probe"], &["try", "acme"]] {
        let ended = place.program(verb).without_env("TOPICWATCH_API_KEY").run();
        ended.assert_stderr(2, &["TOPICWATCH_API_KEY", "hint"]);
        assert_nothing_written(&place);
    }
    assert_eq!(sandbox.calls(), 0);
    // Commands that call no service need no key.
    place
        .program(&["once", "--dry-run"])
        .without_env("TOPICWATCH_API_KEY")
        .run()
        .assert_stdout(0, &["no calls were made"]);
    place
        .run(&["once", "--due", "--dry-run"])
        .assert_stderr(2, &["whether they are due or not", "hint: ", "topicwatch plan"]);
    assert_nothing_written(&place);
}

#[test]
fn reading_a_missing_database_says_how_to_create_it() {
    for database in databases_without_schema() {
        let place = Place::new(database, NOWHERE, TOPICS);
        for verb in [
            &["status"][..],
            &["runs"],
            &["items"],
            &["export"],
            &["show", "acme"],
            &["coverage"],
            &["health"],
            &["topic", "pause", "acme"],
        ] {
            place
                .run(verb)
                .assert_stderr(4, &["hint: run `topicwatch once` ", "with this ", " first, or choose another with "]);
        }
        assert_eq!(place.other_files(), Vec::<String>::new());
    }
}

#[test]
fn a_newer_or_foreign_database_is_refused_and_unchanged() {
    for database in databases_without_schema() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        block_on(place.database.execute("CREATE TABLE customers (id BIGINT)"));
        for verb in [&["once"][..], &["status"], &["run"], &["db", "migrate"]] {
            place.run(verb).assert_stderr(4, &["tables that are not from topicwatch", "nothing was changed"]);
        }
        block_on(place.database.execute("DROP TABLE customers"));
        place.run(&["serve", "--listen", "127.0.0.1:0"]).assert_stderr(4, &["is empty", "topicwatch once"]);
        place.ok(&["db", "migrate"]);
        place.database.make_newer();
        for verb in [&["once"][..], &["status"], &["run"], &["db", "migrate"]] {
            place.run(verb).assert_stderr(4, &["newer topicwatch", "upgrade"]);
        }
        place.database.make_foreign();
        for verb in [&["once"][..], &["status"], &["run"], &["db", "migrate"]] {
            place.run(verb).assert_stderr(4, &["a database of a development version"]);
        }
        assert_eq!(sandbox.calls(), 0, "no call is made when nothing can be stored");
    }
    let place = Place::new(sqlite(), NOWHERE, TOPICS);
    let file = &place.database.url["sqlite:".len()..];
    std::fs::write(
        file,
        "these are somebody's notes, not a database; they are long enough to look like one\n".repeat(20),
    )
    .unwrap();
    let notes = std::fs::read(file).unwrap();
    place.run(&["once"]).assert_stderr(4, &["hint"]);
    assert_eq!(std::fs::read(file).unwrap(), notes);
}

#[test]
fn an_unreachable_database_exits_with_4_and_shows_no_password() {
    let place = Place::new(sqlite(), NOWHERE, TOPICS);
    let nobody = "postgres://ann:hunter2@127.0.0.1:9/x";
    for args in [["--database", nobody, "status"], ["status", "--database", nobody]] {
        let ended = place.run(&args);
        ended.assert_stderr(4, &["127.0.0.1:9", "hint"]);
        assert!(!format!("{ended}").contains("hunter2"), "{ended}");
    }
    place.run(&["once", "--database", "sqlite:no/such/folder/t.db"]).assert_stderr(4, &["no/such/folder", "hint"]);
    place
        .run(&["once", "--database", "mysql://x/y"])
        .assert_stderr(2, &["--database", "unsupported kind of database", "hint"]);
}

#[test]
fn a_database_url_without_both_slashes_is_refused_without_its_password() {
    let place = Place::new(sqlite(), NOWHERE, TOPICS);
    let refused = |ended: &ProgramOutput, reported: &[&str]| {
        ended.assert_stderr(2, &[reported, &["no `//`", "hint: write \"postgres://USER@HOST/NAME\""]].concat());
        assert!(!format!("{ended}").contains("hunter2"), "{ended}");
    };
    for url in ["postgres:/ann:hunter2@db.example/x", "postgresql:ann@db/x?password=hunter2"] {
        for verb in ["check", "status", "once"] {
            refused(&place.run(&[verb, "--database", url]), &["--database"]);
            let variable = "TOPICWATCH_DATABASE_URL";
            refused(&place.program(&[verb]).env(variable, url).run(), &[variable]);
        }
        let file = format!("[service]\nbase_url = \"sandbox\"\n[database]\nurl = \"{url}\"\n{TOPICS}");
        std::fs::write(place.path("one.toml"), file).unwrap();
        refused(&place.run(&["check", "--config", "one.toml"]), &["one.toml:4"]);
        let json = place.run(&["check", "--json", "--config", "one.toml"]);
        assert!(json.code == Some(2) && !format!("{json}").contains("hunter2"), "{json}");
    }
}

#[test]
fn the_database_may_be_named_before_or_after_the_verb() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    place.ok(&["--database", "sqlite:one.db", "once", "--at", NINE]);
    place.ok(&["once", "--at", NINE, "--database", "sqlite:two.db"]);
    let named = place.program(&["once", "--at", NINE]).env("TOPICWATCH_DATABASE_URL", "sqlite:three.db").run();
    named.assert_stdout(0, &["three.db"]);
    for file in ["one.db", "two.db", "three.db"] {
        assert!(place.path(file).exists(), "{file}");
    }
    assert!(!std::path::Path::new(&place.database.url["sqlite:".len()..]).exists());
}

#[test]
fn invented_and_real_findings_never_share_a_database() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let real = FakeServer::respond_with(|_| {
            reply("200 OK", "", br#"{"results": [{"text": "a real post", "user": "ann"}]}"#)
        });
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        assert_eq!(place.json(&["status", "--json"])["sandbox"], true, "a sandbox on its own address is recognised");
        let sizes = place.database.table_sizes();
        let found = |sizes: &[(&str, i64)]| sizes.iter().find(|(table, _)| *table == "sighting").unwrap().1;

        // A service on this host may be a sandbox or not; its replies show which, and are refused.
        place.configure(&real.lines(), TOPICS);
        let ended = place.run(&["once", "--at", NINE]);
        ended.assert_stdout(3, &["SANDBOX findings", "hint: choose another database"]);
        assert_eq!(found(&place.database.table_sizes()), found(&sizes));
        let last = &place.json(&["runs", "--json", "--limit", "1"])["runs"][0];
        assert_eq!((&last["state"], &last["error_class"]), (&"failed".into(), &"mixed".into()), "{last}");

        // A service on another host is known to be real before any call.
        place.configure("base_url = \"https://api.example.com\"", TOPICS);
        place.run(&["once"]).assert_stderr(4, &["SANDBOX findings", "hint: choose another database"]);
    }
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let real = FakeServer::respond_with(|_| {
            reply("200 OK", "", br#"{"results": [{"text": "a real post", "user": "ann"}]}"#)
        });
        let place = Place::new(database, &real.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        assert_eq!(place.json(&["status", "--json"])["sandbox"], false);
        place.configure(&sandbox.lines(), TOPICS);
        place.run(&["once", "--at", NINE]).assert_stdout(3, &["a real service", "hint: choose another database"]);
        place.configure("base_url = \"sandbox\"", TOPICS);
        place.run(&["once", "--at", NINE]).assert_stderr(4, &["a real service", "hint: choose another database"]);
    }
    // Before anything is found, the configuration shows the origin.
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", TOPICS);
    place.ok(&["db", "migrate"]);
    for shown in [place.ok(&["status"]), place.ok(&["once", "--dry-run"])] {
        assert!(shown.starts_with("SANDBOX: invented findings"), "{shown}");
    }
    assert_eq!(place.json(&["status", "--json"])["sandbox"], true);
}

#[test]
fn an_unwritable_output_exits_with_5_and_keeps_the_old_file() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    place.ok(&["once", "--at", NINE]);
    std::fs::create_dir(place.path("folder")).unwrap();
    std::fs::write(place.path("file"), "old").unwrap();
    for to in ["folder", "no/such/folder/items.csv", "file/items.csv"] {
        place.run(&["export", "--out", to]).assert_stderr(5, &[to, "hint"]);
    }
    assert_eq!(std::fs::read_to_string(place.path("file")).unwrap(), "old");
    if let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") {
        for args in [
            &["export"][..],
            &["show", "acme"],
            &["items", "--json"],
            &["status"],
            &["runs"],
            &["once", "--at", NINE],
            &["once", "--dry-run"],
            &["check"],
            &["--help"],
            &["completions", "bash"],
        ] {
            let ended = place.program(args).stdout(full.try_clone().unwrap()).run();
            assert_eq!(ended.code, Some(5), "{args:?}: {ended}");
        }
        // Findings before the failure of the output are stored.
        assert_eq!(place.database.runs_in("ok"), 4);
    }
    assert!(place.other_files().iter().all(|name| !name.contains(".part")), "{:?}", place.other_files());
}

#[test]
fn a_closed_pipe_ends_the_program_without_an_error() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    place.ok(&["once", "--at", NINE]);
    for args in
        [&["export", "--what", "sightings"][..], &["show", "acme"], &["items", "--json"], &["--help"], &["check"]]
    {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let going = place.program(args).stdout(std::os::fd::OwnedFd::from(writer).into()).start();
        let mut first = [0; 1];
        reader.read_exact(&mut first).unwrap();
        drop(reader);
        let ended = going.wait();
        assert_eq!(ended.code, Some(0), "{args:?}: {ended}");
        assert!(!ended.err.contains("error"), "{args:?}: {ended}");
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = place.program(&["export"]).stdout(std::os::fd::OwnedFd::from(writer).into()).run();
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
}

#[test]
fn quiet_prints_only_errors_and_json_logs_are_valid_json() {
    let sandbox = Sandbox::at(NINE, &["source=web,status=503,after=2"]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    let quiet = place.run(&["-q", "once", "--at", NINE]);
    assert_eq!((quiet.code, quiet.err.as_str()), (Some(0), ""), "{quiet}");
    assert_eq!(place.run(&["export", "-q"]).err, "");
    let json = place.run(&["once", "--at", NINE, "-v", "--log-format", "json"]);
    assert_eq!(json.code, Some(3), "{json}");
    let lines: Vec<serde_json::Value> = json.err.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().any(|line| line["status"] == 503), "{json}");
}

#[test]
fn no_colour_without_a_terminal() {
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", "[[topics]]\nqeury = 1\n");
    let plain = |program: Program| -> ProgramOutput {
        let ended = program.env("TERM", "xterm-256color").run();
        ended.assert_stderr(2, &["qeury"]);
        ended
    };
    // `says` has checked that no escape sequence was written, with and without `NO_COLOR`.
    let one = plain(place.program(&["once"]));
    let other = plain(place.program(&["once"]).env("NO_COLOR", "1"));
    assert_eq!(one.err, other.err);
}
