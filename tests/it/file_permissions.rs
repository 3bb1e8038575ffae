//! Warnings of `check` on a host with other users, hints for a user who may not read a file, and the systemd units,
//! which must not leave a core file with a key in it.

use std::os::unix::fs::PermissionsExt as _;

use crate::support::databases::sqlite;
use crate::support::program::{NINE, Place, Program, ProgramOutput};
use crate::support::service::{FakeServer, Sandbox, reply};
use crate::support::web_topics::TOPICS;

fn set_mode(place: &Place, name: &str, mode: u32) {
    std::fs::set_permissions(place.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
}

/// The warnings about files, from both forms of `check`.
fn file_warnings(place: &Place, environment: &[(&str, &str)]) -> Vec<String> {
    let run = |args: &[&str]| {
        let program = environment.iter().fold(place.program(args), |program, (name, value)| program.env(name, value));
        let ended = program.run();
        assert_eq!(ended.code, Some(0), "{ended}");
        ended.out
    };
    let output: serde_json::Value = serde_json::from_str(&run(&["check", "--json"])).unwrap();
    let warnings = output["warnings"].as_array().unwrap().iter().map(|warning| warning.as_str().unwrap().to_owned());
    let warnings: Vec<String> = warnings.filter(|warning| warning.contains("everyone on this machine")).collect();
    let drawn = run(&["check"]);
    assert_eq!(drawn.matches("everyone on this machine").count(), warnings.len(), "{drawn}");
    for warning in &warnings {
        assert!(drawn.contains(&format!("warning: {warning}")), "{drawn}");
    }
    warnings
}

#[test]
fn check_warns_of_world_readable_secrets_and_databases() {
    let sandbox = Sandbox::at(NINE, &[]);
    let mut database = sqlite();
    let folder = tempfile::tempdir().unwrap();
    database.url = format!("sqlite:{}/my t.db", folder.path().display());
    let place = Place { folder, database };
    place.configure(&sandbox.lines(), TOPICS);
    place.ok(&["once", "--at", NINE]);
    set_mode(&place, "jobs.toml", 0o644);
    assert_eq!(file_warnings(&place, &[]), [""; 0], "a file without a secret, and a private database");

    for (bits, what) in [(0o666, "read and change"), (0o604, "read"), (0o602, "change")] {
        for name in ["my t.db", "my t.db-wal", "my t.db-shm"] {
            let there = place.path(name).exists();
            if !there {
                std::fs::write(place.path(name), "").unwrap();
            }
            set_mode(&place, name, bits);
            let [one] = &file_warnings(&place, &[])[..] else { panic!("one warning") };
            let expected = [format!("can {what} the database"), format!("{name} (hint: chmod 600 '")];
            assert!(expected.iter().all(|part| one.contains(part)), "{one}");
            set_mode(&place, name, 0o600);
            if !there {
                std::fs::remove_file(place.path(name)).unwrap();
            }
        }
    }

    std::fs::write(place.path("key"), "0123456789abcdef").unwrap();
    let environment = [("TOPICWATCH_WEB_TOKEN_FILE", "key")];
    set_mode(&place, "key", 0o644);
    let [one] = &file_warnings(&place, &environment)[..] else { panic!("one warning") };
    assert!(one.contains("can read key, and a secret is read from it (hint: chmod o-r key)"), "{one}");
    set_mode(&place, "key", 0o640);
    assert_eq!(file_warnings(&place, &environment), [""; 0]);

    let missing = place.program(&["serve"]).env("TOPICWATCH_WEB_TOKEN_FILE", "missing").run();
    missing.assert_stderr(2, &["the token file missing cannot be read"]);

    let url = "postgres://me:hunter2@127.0.0.1:1/t";
    let jobs = std::fs::read_to_string(place.path("jobs.toml")).unwrap().replace(&place.database.url, url);
    std::fs::write(place.path("jobs.toml"), jobs).unwrap();
    let [one] = &file_warnings(&place, &[])[..] else { panic!("one warning") };
    assert!(one.contains("jobs.toml, and it contains the database password (hint: chmod o-r "), "{one}");
    assert_eq!(
        file_warnings(&place, &[("TOPICWATCH_DATABASE_URL", url)]),
        [""; 0],
        "only settings in force are reported"
    );
    set_mode(&place, "jobs.toml", 0o640);
    assert_eq!(file_warnings(&place, &[]), [""; 0]);
}

#[test]
fn a_system_schema_of_postgresql_is_refused() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    for schema in ["information_schema", "pg_catalog"] {
        let ended = place.program(&["check"]).env("TOPICWATCH_DATABASE_SCHEMA", schema).run();
        ended.assert_stderr(2, &[schema, "not beginning with a digit or pg_, and not information_schema"]);
    }
}

#[test]
fn no_unit_leaves_a_core_file() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
    let units = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let units: Vec<_> = units.filter(|path| path.extension().is_some_and(|ending| ending == "service")).collect();
    assert!(units.len() >= 2, "{units:?}");
    for unit in units {
        let text = std::fs::read_to_string(&unit).unwrap();
        assert!(text.lines().any(|line| line == "LimitCORE=0"), "{unit:?}");
    }
}

#[test]
fn check_warns_of_a_key_file_that_searches_would_refuse_and_its_hint_helps() {
    const ACME: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\n";
    let server =
        FakeServer::respond_with(|_| reply("200 OK", "content-type: application/json\r\n", b"{\"results\": []}"));
    let lines = format!("{}api_key_file = \"my key\"\n", server.lines());
    let place = Place::new(sqlite(), &lines, ACME);
    // An empty variable is as good as none.
    let run = |verb: &str| place.program(&[verb]).env("TOPICWATCH_API_KEY", "").run();
    for (permissions, said) in [(None, "key"), (Some(0o644), "mode 0644"), (Some(0o640), "mode 0640")] {
        if let Some(permissions) = permissions {
            std::fs::write(place.path("my key"), "k").unwrap();
            set_mode(&place, "my key", permissions);
        }
        let (checked, once) = (run("check"), run("once"));
        assert_eq!((checked.code, once.code), (Some(0), Some(2)), "{checked}\n{once}");
        let warned =
            checked.out.lines().find(|line| line.starts_with("warning: ")).unwrap_or_else(|| panic!("{checked}"));
        assert!(warned.contains(said) && warned.contains("no search can be made"), "{checked}");
        assert_eq!(checked.out.matches("warning: ").count(), 1, "{checked}");
        if permissions.is_some() {
            assert!(warned.contains("(hint: chmod 600 '") && warned.contains("my key')"), "{checked}");
            once.assert_stderr(2, &["hint: chmod 600 '", "my key'\n"]);
        }
    }
    set_mode(&place, "my key", 0o600);
    let (checked, once) = (run("check"), run("once"));
    assert!(!checked.out.contains("warning: "), "{checked}");
    assert_eq!(once.code, Some(0), "{once}");

    // The same holds for a channel's secret, which stops `run`.
    let mail = "[[channels]]\nname = \"mail\"\nkind = \"email\"\nhost = \"smtp.example.com\"\nfrom = \"a@example.com\"\n\
                to = [\"b@example.com\"]\nuser = \"me\"\npassword_file = \"mail-password\"\n";
    place.configure(&lines, &format!("{ACME}{mail}"));
    for (permissions, said) in [(None, "No such file"), (Some(0o644), "(mode 0644)"), (Some(0o640), "(mode 0640)")] {
        if let Some(permissions) = permissions {
            std::fs::write(place.path("mail-password"), "p").unwrap();
            set_mode(&place, "mail-password", permissions);
        }
        let (checked, due) = (run("check"), place.run(&["once", "--due"]));
        assert_eq!(checked.code, Some(0), "{checked}");
        due.assert_stderr(2, &["channel mail: ", said]);
        let warned = place.json(&["check", "--json"])["warnings"].clone();
        let [one] = &warned.as_array().unwrap()[..] else { panic!("one warning: {warned}") };
        let one = one.as_str().unwrap();
        assert!(one.contains(said) && one.contains("`run` and `once --due` do not start without it"), "{one}");
        assert_eq!(one.contains("(hint: chmod 600 "), permissions.is_some(), "{one}");
        assert!(checked.out.contains(&format!("warning: {one}")), "{checked}");
        // The table says it in full, too.
        assert_eq!(checked.out.matches(said).count(), 2, "{checked}");
    }
}

/// Root may read anything, so as root the program runs as another user, if it can.
fn as_another_user(folder: &std::path::Path, args: &[&str]) -> Option<ProgramOutput> {
    let root = std::process::Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let script = if root { "exec setpriv --reuid=65534 --clear-groups -- \"$@\"" } else { "exec \"$@\"" };
    let ended = Program::under_shell(folder, script, args).run();
    if ended.err.contains("setpriv") || matches!(ended.code, Some(126 | 127)) {
        crate::support::server_choice::print_to_stderr("SKIPPED: a file without rights (cannot become another user)");
        return None;
    }
    Some(ended)
}

#[test]
fn an_unreadable_erasure_journal_is_not_reported_as_one_to_restore() {
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", TOPICS);
    place.ok(&["db", "migrate"]);
    let database = place.database.url["sqlite:".len()..].to_owned();
    let journal = format!("{database}.forgotten");
    std::fs::write(&journal, "x").unwrap();
    // A file that is not a journal has to be restored.
    place.run(&["status"]).assert_stderr(4, &["is not a journal", "restore it from a backup"]);
    let folder = std::path::Path::new(&database).parent().unwrap();
    let allow = |path: &std::path::Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(place.folder.path(), 0o755);
    allow(&place.path("jobs.toml"), 0o644);
    allow(folder, 0o777);
    for file in std::fs::read_dir(folder).unwrap() {
        allow(&file.unwrap().path(), 0o666);
    }
    allow(journal.as_ref(), 0o000);
    let run = |args: &[&str]| as_another_user(place.folder.path(), args);
    let Some(status) = run(&["status"]) else { return };
    let parts = ["t.db.forgotten cannot be read: Permission denied", "hint: let this user read it, or run"];
    status.assert_stderr(4, &parts);
    assert!(!status.err.contains("backup"), "{status}");
    run(&["db", "forget", "--import", &journal, "--yes"]).unwrap().assert_stderr(2, &parts);
}

/// A package keeps `/etc/topicwatch` from other users: `init` would not help them.
#[test]
fn an_unreadable_configuration_is_not_reported_as_missing() {
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", TOPICS);
    // A file is in the way of the folder.
    place
        .run(&["--config", "jobs.toml/x.toml", "status"])
        .assert_stderr(2, &["x.toml cannot be read: ", "its permissions"]);
    let folder = place.path(".config/topicwatch");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::rename(place.path("jobs.toml"), folder.join("jobs.toml")).unwrap();
    let allow = |path: &std::path::Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(place.folder.path(), 0o755);
    allow(&folder, 0o000);
    let searched = as_another_user(place.folder.path(), &["status"]);
    let named = as_another_user(place.folder.path(), &["--config", ".config/topicwatch/jobs.toml", "status"]);
    // The folder is deleted after the test.
    allow(&folder, 0o755);
    let (Some(searched), Some(named)) = (searched, named) else { return };
    searched
        .assert_stderr(2, &["no configuration found", ".config/topicwatch/jobs.toml (this user may not look there)"]);
    named.assert_stderr(2, &["jobs.toml cannot be read: Permission denied", "check the path and its permissions"]);
}

#[test]
fn check_names_each_unset_key_and_the_commands_that_need_it() {
    let server =
        FakeServer::respond_with(|_| reply("200 OK", "content-type: application/json\r\n", b"{\"results\": []}"));
    let rest = format!(
        "[providers.second]\nkind = \"spec\"\nbase_url = \"{}/second\"\nkey_env = \"SECOND_KEY\"\n\n\
         [[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\", \"second\"]\n",
        server.url()
    );
    let place = Place::new(sqlite(), &server.lines(), &rest);
    let stopped = "is not set here: no search can be made, and `run` and `once` do not start (hint: export ";
    for (service, provider) in [(true, false), (false, true), (false, false), (true, true)] {
        let run = |args: &[&str]| {
            let program = place.program(args);
            let program = if service { program } else { program.without_env("TOPICWATCH_API_KEY") };
            if provider { program.env("SECOND_KEY", "s-0123456789").run() } else { program.run() }
        };
        let checked = run(&["check"]);
        for (variable, is_set) in [("TOPICWATCH_API_KEY", service), ("SECOND_KEY", provider)] {
            assert_eq!(checked.out.contains(&format!("{variable} {stopped}{variable}=")), !is_set, "{checked}");
        }
        let missing = [service, provider].iter().filter(|is_set| !**is_set).count();
        assert_eq!(checked.out.matches("warning: ").count(), missing, "{checked}");
        let json: serde_json::Value = serde_json::from_str(&run(&["check", "--json"]).out).unwrap();
        assert_eq!(json["warnings"].as_array().unwrap().len(), missing, "{json}");
        // It may be set where they are started.
        let once = run(&["once"]);
        assert_eq!((checked.code, once.code), (Some(0), Some(if missing == 0 { 0 } else { 2 })), "{once}");
    }
}
