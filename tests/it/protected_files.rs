//! Files that no command overwrites, under any name: the database and its side files, the configuration, secret files.
//! Also what a backup may replace.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::support::databases::{Database, databases, sqlite};
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;

const TOPICS: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nevery = \"1h\"\n";
const TEN: &str = "2026-03-11T10:00:00Z";
const ELEVEN: &str = "2026-03-11T11:00:00Z";

/// A place after some use: a SQLite file is next to `jobs.toml`.
fn used(mut database: Database, at: &str, sandbox: &Sandbox, rest: &str) -> Place {
    let service = format!("{}api_key_file = \"service.key\"\n", sandbox.lines());
    let folder = tempfile::tempdir().unwrap();
    if database.name == "SQLite" {
        database.url = format!("sqlite:{}/t.db", folder.path().display());
    }
    let place = Place { folder, database };
    let hook = "[[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl = \"https://hook.example/\"\nsecret_file = \"hook.secret\"\n";
    place.configure(&service, &format!("{TOPICS}\n{hook}\n{rest}"));
    for name in ["service.key", "hook.secret", "web.token"] {
        std::fs::write(place.path(name), "0123456789abcdef").unwrap();
        std::fs::set_permissions(place.path(name), std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    place.ok(&["once", "--at", at]);
    place
}

/// Runs a command with one more secret file.
fn run(place: &Place, args: &[&str]) -> crate::support::program::ProgramOutput {
    place.program(args).env("TOPICWATCH_WEB_TOKEN_FILE", "web.token").run()
}

/// The inode and content of a file; `None` when it does not exist.
fn state(file: &Path) -> Option<(u64, Vec<u8>)> {
    Some((file.metadata().ok()?.ino(), std::fs::read(file).unwrap()))
}

#[test]
fn no_verb_overwrites_the_database_the_configuration_or_a_secret() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = used(database, NINE, &sandbox, "");
        let mut precious = vec!["jobs.toml", "service.key", "hook.secret", "web.token"];
        if place.database.name == "SQLite" {
            place.ok(&["forget", "--author", "nobody", "--yes"]);
            // A killed daemon leaves all of its files.
            let mut daemon = place.program(&["run"]).start();
            daemon.wait_until("it runs", |said| said.contains("next slot"));
            daemon.kill();
            precious.extend(["t.db", "t.db-wal", "t.db-shm", "t.db.lock", "t.db.forgotten"]);
            // It does not exist yet, but SQLite would treat it as part of the database.
            precious.push("t.db-journal");
        }
        std::os::unix::fs::symlink(place.folder.path(), place.path("again")).unwrap();
        std::fs::create_dir(place.path("sub")).unwrap();
        for name in precious {
            let file = place.path(name);
            let before = state(&file);
            let mut names = vec![name.to_owned(), format!("again/{name}"), format!("./sub/../{name}")];
            if before.is_some() {
                for (link, hard) in [("soft.html", false), ("hard.html", true)] {
                    // SQLite may remove these at any time; then the other name belongs to another file.
                    if hard && (name.ends_with("-wal") || name.ends_with("-shm")) {
                        continue;
                    }
                    std::fs::remove_file(place.path(link)).ok();
                    let link_to = if hard { std::fs::hard_link::<&Path, &Path> } else { std::os::unix::fs::symlink };
                    link_to(&file, &place.path(link)).unwrap();
                    names.push(link.to_owned());
                }
            }
            for named in &names {
                let mut verbs = vec![vec!["export", "--format", "csv", "--out", named], vec!["db", "backup", named]];
                verbs.push(vec!["forget", "--export", named]);
                verbs.push(vec!["init", named]);
                if named.ends_with(".html") {
                    verbs.push(vec!["report", "--date", "2026-03-11", "--at", "2026-03-12T07:00:00Z", "--out", named]);
                }
                for args in verbs {
                    let ended = run(&place, &args);
                    ended.assert_stderr(2, &[named, "hint: "]);
                    if args[0] != "init" {
                        ended.assert_stderr(
                            2,
                            &["could not be written: it is ", "choose another file; nothing was changed"],
                        );
                    }
                    // SQLite removes these by itself.
                    if name.starts_with("t.db-wal") || name.starts_with("t.db-shm") {
                        continue;
                    }
                    if before.is_some() {
                        assert_eq!(state(&file).map(|one| one.0), before.as_ref().map(|one| one.0), "{args:?}");
                    } else {
                        assert!(!file.exists(), "{args:?}");
                    }
                }
            }
            // SQLite itself writes to its own files.
            if !name.starts_with("t.db") {
                assert_eq!(state(&file), before, "{name}");
            }
        }
        let parts = std::fs::read_dir(place.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let parts: Vec<_> = parts.filter(|name| name.to_string_lossy().contains(".part")).collect();
        assert!(parts.is_empty(), "{parts:?}");
        place.ok(&["export", "--out", "items.csv"]);
        assert!(place.ok(&["export"]).lines().count() > 5, "everything is still there");
    }
}

#[test]
fn no_verb_overwrites_a_file_that_holds_a_url() {
    let sandbox = Sandbox::at(NINE, &[]);
    let hook = "[[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl_env = \"CHAT_URL\"\n";
    let topics = TOPICS.replace("every", "ping_env = \"BEAT_URL\"\nevery");
    let place = Place::new(sqlite(), &sandbox.lines(), &format!("{topics}\n{hook}"));
    place.ok(&["db", "migrate"]);
    for name in ["chat.url", "beat.url"] {
        std::fs::write(place.path(name), "https://hook.example/key\n").unwrap();
        let before = state(&place.path(name));
        for verb in [&["export", "--format", "csv", "--out", name][..], &["db", "backup", name]] {
            let program = place.program(verb).env("CHAT_URL_FILE", "chat.url").env("BEAT_URL_FILE", "beat.url");
            program.run().assert_stderr(2, &[name, "could not be written: it is a file that a secret is read from"]);
            assert_eq!(state(&place.path(name)), before);
        }
    }
}

#[test]
fn scheduled_exports_and_reports_overwrite_no_database_or_configuration() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let jobs = "[[exports]]\nname = \"x\"\nwhat = \"items\"\nevery = \"1h\"\npath = \"out/x.csv\"\n\n\
                    [[reports]]\nname = \"r\"\nevery = \"1h\"\npath = \"out/r\"\n\n\
                    [[exports]]\nname = \"m\"\nwhat = \"items\"\nevery = \"1h\"\npath = \"out/m.csv\"\n";
        let place = used(database, NINE, &sandbox, jobs);
        let precious = if place.database.name == "SQLite" { place.path("t.db") } else { place.path("service.key") };
        std::fs::create_dir(place.path("out")).unwrap();
        let links = ["out/x.csv", "out/r.html", "out/m.csv.manifest.json"];
        for link in links {
            std::fs::hard_link(&precious, place.path(link)).unwrap();
        }
        let links: Vec<PathBuf> = links.iter().map(|link| place.path(link)).collect();
        place.ok(&["once", "--due", "--at", NINE]);
        sandbox.set_clock(TEN);
        let ended = place.run(&["once", "--due", "--at", TEN]);
        ended.assert_stdout(3, &["out/x.csv could not be written: it is", "out/r.html could not be written: it is"]);
        ended.assert_stdout(3, &["out/m.csv.manifest.json could not be written: it is"]);
        let inode = precious.metadata().unwrap().ino();
        for link in links {
            assert_eq!(link.metadata().unwrap().ino(), inode, "{}", link.display());
        }
        assert!(place.ok(&["export"]).lines().count() > 5);
    }
}

#[test]
fn an_unknown_output_extension_is_refused_unless_format_is_set() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = used(sqlite(), NINE, &sandbox, "");
    for name in ["items", "items.txt", "items.cvs", "items.gz", "items.csv.bak", ".csv.", "other.db"] {
        let refused = place.run(&["export", "--out", name]);
        refused.assert_stderr(
            2,
            &[name, "has no known extension", "hint: use one of .csv, .jsonl, .xlsx, .atom, or set --format"],
        );
        assert!(!place.path(name).exists(), "{name}");
        place.ok(&["export", "--format", "jsonl", "--out", name]);
        assert!(
            std::fs::read_to_string(place.path(name)).is_ok_and(|text| text.starts_with('{')) || name == "items.gz"
        );
    }
}

#[test]
fn a_backup_replaces_only_an_older_backup_of_the_same_database() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = used(database, NINE, &sandbox, "");
        let other = used(sqlite(), TEN, &Sandbox::at(TEN, &[]), "");
        let backup = |place: &Place, to: &Path| place.run(&["db", "backup", &to.display().to_string()]);
        let copy = place.path("copy.db");
        backup(&place, &copy).assert_stdout(0, &["copy verified"]);
        // Opening it, which may write to it, does not make it another database.
        place.ok(&["status", "--database", &format!("sqlite:{}", copy.display())]);
        sandbox.set_clock(TEN);
        place.ok(&["once", "--at", TEN]);
        let older = std::fs::read(&copy).unwrap();
        backup(&place, &copy).assert_stdout(0, &["copy verified"]);
        assert_ne!(std::fs::read(&copy).unwrap(), older);

        // Another database that is not in use: that of the other place.
        let theirs = other.path("t.db");
        let before = std::fs::read(&theirs).unwrap();
        let hint = "a backup replaces only an older one of the same database";
        backup(&place, &theirs).assert_stderr(2, &["but not a copy of", hint]);
        assert_eq!(std::fs::read(&theirs).unwrap(), before);
        // A new database does not replace the only copy of an old one.
        let fresh = used(sqlite(), ELEVEN, &Sandbox::at(ELEVEN, &[]), "");
        backup(&fresh, &copy).assert_stderr(2, &["but not a copy of", hint]);

        std::fs::write(place.path("copy.db.lock"), "").unwrap();
        backup(&place, &copy)
            .assert_stderr(2, &["`topicwatch run` uses or has used", "choose another file; nothing was changed"]);
        let foreign = place.path("foreign.db");
        crate::support::databases::block_on(async {
            use sqlx::Connection as _;
            let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&foreign).create_if_missing(true);
            let mut conn = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
            sqlx::query("CREATE TABLE run (id INTEGER)").execute(&mut conn).await.unwrap();
            conn.close().await.unwrap();
        });
        backup(&place, &foreign).assert_stderr(2, &["a SQLite database of another program", hint]);
        std::fs::write(place.path("notes.txt"), "short").unwrap();
        backup(&place, &place.path("notes.txt")).assert_stderr(2, &["it is not a SQLite database", hint]);
        assert_eq!(std::fs::read_to_string(place.path("notes.txt")).unwrap(), "short");
    }
}

#[test]
fn a_backup_to_a_stream_is_refused() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = used(sqlite(), NINE, &sandbox, "");
    for to in ["-", "/dev/stdout", "/dev/null"] {
        place.run(&["db", "backup", to]).assert_stderr(2, &["cannot be written to a stream", "hint: write a file"]);
    }
    assert!(!place.path("-").exists());
    let refused = place.run(&["db", "backup", "/proc/copy.db"]);
    refused.assert_stderr(5, &["its folder belongs to the system", "hint: choose a file in another folder"]);
}
