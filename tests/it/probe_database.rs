//! `check --probe` and the database: it finds a wrong path, address or permission before the first run does, and
//! creates and changes nothing.

use crate::support::databases::{databases, databases_without_schema, on_server, sqlite};
use crate::support::postgres_server::PostgresServer;
use crate::support::program::{NINE, Place, Program, ProgramOutput};
use crate::support::service::Sandbox;

const TOPIC: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nsources = [\"web\"]\n";

/// The text of the last line, and whether it is an error, which is followed by a hint.
fn probed(ended: &ProgramOutput) -> (bool, String) {
    let lines: Vec<&str> = ended.out.lines().collect();
    let at = lines.iter().rposition(|line| line.starts_with("probe: ")).unwrap_or_else(|| panic!("{ended}"));
    let hint = lines.get(at + 1).is_some_and(|line| line.starts_with("hint: "));
    assert_eq!(ended.code, Some(if hint { 4 } else { 0 }), "{ended}");
    (!hint, lines[at].to_owned())
}

#[test]
fn a_probe_opens_the_database_without_creating_or_upgrading_it() {
    for database in databases_without_schema() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPIC);
        let name = place.database.name;
        let file = std::path::PathBuf::from(place.database.url.strip_prefix("sqlite:").unwrap_or("/nothing"));
        let (ok, line) = probed(&place.run(&["check", "--probe"]));
        let missing = if name == "SQLite" { "there is no database at" } else { "there is no schema" };
        assert!(ok && line.contains(missing) && line.contains("`once` and `run` prepare it"), "{name}: {line}");
        assert!(!file.exists(), "{name}");
        place.run(&["status"]).assert_stderr(4, &["yet"]);

        place.ok(&["once", "--at", NINE]);
        let sizes = place.database.table_sizes();
        let ready = (true, "probe: the database can be read and written".to_owned());
        assert_eq!(probed(&place.run(&["check", "--probe"])), ready, "{name}");
        let json = place.json(&["check", "--probe", "--json"]);
        assert_eq!((&json["database_probe"]["ok"], &json["probe"]["ok"]), (&true.into(), &true.into()), "{json}");
        assert_eq!(place.database.table_sizes(), sizes, "{name}");

        // Tables of an older version stay as they are.
        place.database.make_older();
        let versions = place.database.number("SELECT count(*) FROM _sqlx_migrations");
        let (ok, line) = probed(&place.run(&["check", "--probe"]));
        assert!(ok && line.contains("tables of an older version"), "{name}: {line}");
        assert_eq!(place.database.number("SELECT count(*) FROM _sqlx_migrations"), versions, "{name}");
    }
}

#[test]
fn check_probe_reports_the_old_id_of_a_renamed_topic() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPIC);
        place.ok(&["once", "--at", NINE]);
        place.ok(&["topic", "rename", "acme", "news"]);
        let (ok, line) = probed(&place.run(&["check", "--probe"]));
        assert!(!ok && line.contains("topic `acme` was renamed to `news`"), "{}: {line}", place.database.name);
        place.configure(&sandbox.lines(), &TOPIC.replace("\"acme\"", "\"news\""));
        let (ok, line) = probed(&place.run(&["check", "--probe"]));
        assert!(ok, "{}: {line}", place.database.name);
    }
}

#[test]
fn a_probe_finds_a_wrong_path_or_address_and_plain_check_needs_no_database() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPIC);
    std::fs::create_dir(place.path("folder")).unwrap();
    std::fs::write(place.path("notes"), "not a database, but long enough to look like one\n".repeat(40)).unwrap();
    let nobody = "postgres://ann:hunter2@127.0.0.1:9/x";
    for (url, said) in [
        ("sqlite:no/such/t.db", "there is no folder "),
        ("sqlite:folder", "folder is a folder"),
        ("sqlite:notes/t.db", "there is no folder "),
        ("sqlite:notes", "notes"),
        (nobody, "127.0.0.1:9"),
    ] {
        let ended = place.run(&["check", "--probe", "--database", url]);
        let (ok, line) = probed(&ended);
        assert!(!ok && line.contains(said), "{url}: {ended}");
        assert!(!format!("{ended}").contains("hunter2"), "{ended}");
        let json = place.run(&["check", "--probe", "--json", "--database", url]);
        let output: serde_json::Value = serde_json::from_str(&json.out).unwrap();
        assert_eq!((json.code, &output["database_probe"]["ok"]), (Some(4), &false.into()), "{url}: {json}");
        let plain = place.json(&["check", "--json", "--database", url]);
        assert!(plain["database_probe"].is_null(), "{plain}");
    }
    let mut left = place.other_files();
    left.sort();
    assert_eq!(left, ["folder", "notes"]);
}

#[test]
fn a_probe_finds_missing_rights() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPIC);
    place.ok(&["once", "--at", NINE]);
    let file = std::path::PathBuf::from(&place.database.url["sqlite:".len()..]);
    let chmod = |mode: &str, path: &std::path::Path| {
        assert!(std::process::Command::new("chmod").arg(mode).arg(path).status().unwrap().success());
    };
    let folder = file.parent().unwrap();
    for (path, mode) in [(place.folder.path(), "755"), (folder, "777"), (&file, "444")] {
        chmod(mode, path);
    }
    // Root may write anything, so as root the program runs as another user.
    let root = std::process::Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let script = if root { "exec setpriv --reuid=65534 --clear-groups -- \"$@\"" } else { "exec \"$@\"" };
    let run = || Program::under_shell(place.folder.path(), script, &["check", "--probe"]).run();
    let ended = run();
    if ended.err.contains("setpriv") || matches!(ended.code, Some(126 | 127)) {
        return crate::support::server_choice::print_to_stderr(
            "SKIPPED: a file without rights (cannot become another user)",
        );
    }
    let (ok, line) = probed(&ended);
    assert!(!ok && line.contains("this user cannot write to ") && line.contains("t.db"), "{ended}");
    chmod("666", &file);
    assert!(probed(&run()).0);
    // SQLite creates files next to the database.
    chmod("555", folder);
    let (ok, line) = probed(&run());
    assert!(!ok && line.contains("cannot write to "), "{line}");
    chmod("700", folder);

    let Some(cluster) = PostgresServer::start("a probe without rights", &[]) else { return };
    let place = Place::new(on_server(&cluster.url()), &sandbox.lines(), TOPIC);
    let (schema, url) = (&place.database.schema, cluster.url().replace("topicwatch@", "worker@"));
    place.database.execute_without_schema("CREATE ROLE worker LOGIN");
    let probe = |said: &str| {
        let ended = place.run(&["check", "--probe", "--database", &url]);
        let (ok, line) = probed(&ended);
        assert!(!ok && line.contains(said), "{ended}");
    };
    probe("is not allowed to create it");
    place.ok(&["db", "migrate"]);
    probe("is not allowed to use schema");
    place.database.execute_without_schema(&format!(
        "GRANT USAGE ON SCHEMA {schema} TO worker; GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO worker"
    ));
    probe("may not write to the tables");
    place.database.execute_without_schema(&format!("GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO worker"));
    assert!(probed(&place.run(&["check", "--probe", "--database", &url])).0);
}
