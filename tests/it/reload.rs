//! A configuration that changes under a running daemon, and several daemons with different ones: a change applies
//! completely or not at all, nothing runs twice, and an older topic set does not come back while a daemon with a newer
//! one is alive.

use crate::support::daemons::{is_calling, sandbox_of_today, start_daemon, topics};
use crate::support::databases::{databases, postgres};
use crate::support::ledger::LedgerRun;
use crate::support::program::{Place, wait_until};

const RELOADED: &str = "configuration reloaded";

#[test]
fn a_valid_file_is_reloaded_and_active_runs_keep_their_old_settings() {
    for database in databases() {
        let (old, new) = (sandbox_of_today(&["delay=5s"]), sandbox_of_today(&[]));
        let place = Place::new(database, &old.lines(), &topics(&["acme"]));
        let mut going = start_daemon(&place, &[]);
        place.ok(&["topic", "run", "acme"]);
        wait_until("the call", || is_calling(&place));
        place.configure(&new.lines(), &topics(&["acme", "globex"]));
        going.wait_until("the reload", |said| said.contains(RELOADED) && said.contains("added=1 changed=0 removed=0"));
        place.run(&["topic", "run", "globex", "--wait"]).assert_stdout(0, &["1 of 1 run ok"]);
        wait_until("the old run", || {
            place.database.number("SELECT count(*) FROM v_run WHERE topic = 'acme' AND state = 'ok'") == 1
        });
        assert_eq!((old.calls(), new.calls()), (1, 1), "{}", place.database.name);
        // The same configuration with other comments: nothing changes, with or without SIGHUP.
        place.configure(&new.lines(), &format!("# a comment\n{}", topics(&["acme", "globex"])));
        going.signal("HUP");
        going.wait_until("its answer", |said| said.contains("the configuration has not changed"));
        going.signal("TERM");
        let ended = going.wait();
        assert_eq!((ended.code, ended.err.matches(RELOADED).count()), (Some(0), 1), "{ended}");
    }
}

#[test]
fn a_broken_file_changes_nothing_and_every_mistake_is_reported() {
    for database in databases() {
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"]));
        let mut going = start_daemon(&place, &[]);
        let broken =
            topics(&["acme", "globex"]).replace("every = \"12h\"", "every = \"12x\"\ntimezone = \"Europe/Berlni\"");
        place.configure(&sandbox.lines(), &broken);
        going.wait_until("the refusal", |said| {
            said.contains("the configuration was rejected; the previous one stays in force")
        });
        going.wait_until("each mistake", |said| {
            said.matches("12x").count() >= 2
                && said.matches("Europe/Berlin").count() >= 2
                && said.contains("jobs.toml:")
        });
        let url = &place.database.url;
        let other = format!("{url}2");
        let moved = std::fs::read_to_string(place.path("jobs.toml")).unwrap().replace(url.as_str(), &other);
        std::fs::write(place.path("jobs.toml"), moved.replace("12x", "12h").replace("Berlni", "Berlin")).unwrap();
        going.wait_until("the refusal", |said| said.contains("the database cannot change while topicwatch runs"));
        std::fs::remove_file(place.path("jobs.toml")).unwrap();
        going.wait_until("the missing file", |said| said.contains("the configuration is gone"));
        std::fs::write(place.path("jobs.toml"), b"# caf\xe9\n").unwrap();
        going.wait_until("the file that is no text", |said| said.contains("UTF-8"));
        assert_eq!(place.database.texts("SELECT id FROM topic WHERE removed_at IS NULL"), ["acme"]);
        // Nightly pruning alone is no reason to keep running.
        let unscheduled = topics(&["acme"]).replace("every = \"12h\"\n", "");
        place.configure(&sandbox.lines(), &format!("[retention]\n\n{unscheduled}"));
        going.wait_until("the empty plan", |said| said.contains("no topic, report or export has a schedule any more"));
        place.configure(&sandbox.lines(), &topics(&["acme", "globex"]));
        going.wait_until("the valid file", |said| said.contains(RELOADED));
        place.run(&["topic", "run", "acme", "--wait"]).assert_stdout(0, &["1 of 1 run ok"]);
        place.ok(&["topic", "rename", "globex", "initech"]);
        place.configure(&sandbox.lines(), &topics(&["acme", "globex", "hooli"]));
        going.wait_until("the old id", |said| said.contains("topic `globex` was renamed to `initech`"));
        assert_eq!(place.database.texts("SELECT id FROM topic ORDER BY id"), ["acme", "initech"]);
        going.signal("TERM");
        let ended = going.wait();
        assert_eq!(ended.code, Some(0));
        assert!(!ended.err.contains("hint=\"\""), "{ended}");
        let begun = |line: &str| line.starts_with("20") && line.contains("Z ");
        let parts: Vec<&str> = ended.err.lines().filter(|line| !begun(line)).collect();
        assert!(parts.is_empty(), "an event is one line: {parts:#?}");
    }
}

#[test]
fn a_changed_engine_needs_a_restart() {
    let Some(database) = postgres().filter(|_| topicwatch::store::GRAPHILE) else { return };
    let sandbox = sandbox_of_today(&[]);
    let place = Place::new(database, &sandbox.lines(), &topics(&["acme"]));
    let mut going = start_daemon(&place, &[]);
    place.configure(&sandbox.lines(), &format!("[scheduler]\nengine = \"graphile\"\n\n{}", topics(&["acme"])));
    going.wait_until("the refusal", |said| said.contains("`engine` cannot change while topicwatch runs"));
    going.signal("TERM");
    let ended = going.wait();
    assert!(ended.code == Some(0) && !ended.err.contains(RELOADED), "{ended}");
}

#[test]
fn a_topic_removed_while_it_waits_is_cancelled_and_its_history_stays() {
    for database in databases() {
        // The second call takes longer than the test.
        let sandbox = sandbox_of_today(&["after=1,delay=10m"]);
        let rest = |grace: &str, names: &[&str]| {
            format!("[scheduler]\nmax_concurrent_runs = 1\nshutdown_grace = \"{grace}\"\n\n{}", topics(names))
        };
        let place = Place::new(database, &sandbox.lines(), &rest("10m", &["acme", "globex"]));
        let mut going = start_daemon(&place, &[]);
        place.ok(&["topic", "run", "globex", "--wait"]);
        place.ok(&["topic", "run", "acme"]);
        wait_until("acme runs", || place.database.count_running() == 1);
        place.ok(&["topic", "run", "globex"]);
        place.configure(&sandbox.lines(), &rest("1s", &["acme"]));
        going.wait_until("the reload", |said| said.contains("added=0 changed=0 removed=1"));
        let runs = place.database.ledger_runs_of("globex");
        let runs: Vec<String> = runs.iter().map(LedgerRun::outcome).collect();
        assert_eq!(runs, ["ok ", "cancelled topic removed from the configuration"]);
        assert_ne!(place.database.items_of("globex"), 0);
        // The new `shutdown_grace` holds.
        going.signal("TERM");
        assert_eq!(going.wait().code, Some(0));
    }
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_to_another_file_is_reloaded() {
    let sandbox = sandbox_of_today(&[]);
    let place = Place::new(crate::support::databases::sqlite(), &sandbox.lines(), &topics(&["acme"]));
    // As a Kubernetes ConfigMap does: the file is a link through a folder that is a link.
    for (folder, names) in [("one", &["acme"][..]), ("two", &["acme", "globex"])] {
        place.configure(&sandbox.lines(), &topics(names));
        std::fs::create_dir(place.path(folder)).unwrap();
        std::fs::rename(place.path("jobs.toml"), place.path(folder).join("jobs.toml")).unwrap();
    }
    std::os::unix::fs::symlink("one", place.path("data")).unwrap();
    std::os::unix::fs::symlink("data/jobs.toml", place.path("jobs.toml")).unwrap();
    let mut going = start_daemon(&place, &[]);
    std::os::unix::fs::symlink("two", place.path("data.new")).unwrap();
    std::fs::rename(place.path("data.new"), place.path("data")).unwrap();
    going.wait_until("the reload", |said| said.contains(RELOADED) && said.contains("added=1"));
}

/// A service that refused a key is not called for five minutes, even if the run that got the refusal began before a
/// reload.
#[cfg(unix)]
#[test]
fn a_key_refusal_lasts_through_a_reload_until_the_key_changes() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = sandbox_of_today(&["status=401,times=1,delay=5s"]);
    let file = |names: &[&str]| {
        let provider = format!("[providers.two]\nkind = \"spec\"\n{}key_file = \"two.key\"\n\n", sandbox.lines());
        format!("{provider}{}", topics(names).replace("\"social\"", "\"two\""))
    };
    let place = Place::without_service(crate::support::databases::sqlite(), &file(&["acme"]));
    let key = |key: &str| std::fs::write(place.path("two.key"), key).unwrap();
    key("first");
    std::fs::set_permissions(place.path("two.key"), std::fs::Permissions::from_mode(0o600)).unwrap();
    let mut going = start_daemon(&place, &[]);
    let run = || place.run(&["topic", "run", "acme", "--wait"]);
    let add = |before: &[&str], after: &[&str]| {
        let text = std::fs::read_to_string(place.path("jobs.toml")).unwrap();
        std::fs::write(place.path("jobs.toml"), text.replace(&file(before), &file(after))).unwrap();
    };
    place.ok(&["topic", "run", "acme"]);
    wait_until("the call", || is_calling(&place));
    add(&["acme"], &["acme", "globex"]);
    going.wait_until("the reload", |said| said.contains("added=1"));
    wait_until("the refusal", || {
        place.database.number("SELECT count(*) FROM v_search WHERE state = 'error' AND error_class = 'key_refused'")
            == 1
    });
    run().assert_stdout(3, &["not called until"]);
    add(&["acme", "globex"], &["acme", "globex", "initech"]);
    going.wait_until("the next reload", |said| said.matches("added=1").count() == 2);
    run().assert_stdout(3, &["not called until"]);
    assert_eq!(sandbox.calls(), 1, "the key is the same");
    key("second");
    going.signal("HUP");
    going.wait_until("the new key", |said| said.matches(RELOADED).count() == 3);
    run().assert_stdout(0, &["1 of 1 run ok"]);
    assert_eq!(sandbox.calls(), 2);
}

#[test]
fn an_older_topic_set_does_not_come_back_while_a_newer_daemon_lives() {
    let Some(database) = postgres() else { return };
    let sandbox = sandbox_of_today(&[]);
    let place = Place::new(database, &sandbox.lines(), "");
    for (file, names) in [("old.toml", &["acme", "initech"][..]), ("new.toml", &["acme", "globex"])] {
        place.configure(&sandbox.lines(), &format!("[scheduler]\nlease = \"6s\"\n\n{}", topics(names)));
        std::fs::rename(place.path("jobs.toml"), place.path(file)).unwrap();
    }
    let start = |file: &str, generation: i64| {
        let mut going = start_daemon(&place, &["--config", file]);
        going.wait_until("its generation", |said| said.contains(&format!("generation={generation} ")));
        going
    };
    let in_force = || place.database.texts("SELECT id FROM topic WHERE removed_at IS NULL ORDER BY id");
    let end = |going: crate::support::program::RunningProgram| {
        going.signal("TERM");
        assert_eq!(going.wait().code, Some(0));
    };
    let old = start("old.toml", 1);
    assert_eq!(in_force(), ["acme", "initech"]);
    let new = start("new.toml", 2);
    assert_eq!(in_force(), ["acme", "globex"]);
    end(old);
    // Equal sets share a generation. The old set, started again, becomes a worker for the newer.
    let another = start("new.toml", 2);
    let mut old = start("old.toml", 1);
    old.wait_until("its warning", |said| said.contains("a daemon with a newer configuration is running"));
    let due = place.run(&["once", "--due", "--config", "old.toml"]);
    due.assert_stderr(0, &["a daemon with newer topics is running"]);
    assert_eq!(in_force(), ["acme", "globex"]);
    place.run(&["topic", "run", "globex", "--wait", "--config", "old.toml"]).assert_stdout(0, &["1 of 1 run ok"]);
    // One daemon with the newer set is enough. When the last one ends, even by a kill, that counts as a rollback.
    end(another);
    assert!(new.kill());
    old.wait_until("the rollback", |said| said.contains("this configuration's topics apply again"));
    assert_eq!(in_force(), ["acme", "initech"]);
    assert_eq!(place.database.number("SELECT max(number) FROM config_generation"), 3);
    end(old);
    // No daemon is alive: a new one takes effect at once.
    end(start("new.toml", 4));
    assert_eq!(in_force(), ["acme", "globex"]);
    let runs = place.database.ledger_runs();
    let cancelled = runs.iter().filter(|run| run.state == "cancelled" && run.job == "topic:acme");
    assert_eq!(cancelled.count(), 0, "{runs:?}");
}

#[test]
fn run_accepts_a_file_with_only_a_scheduled_export_or_report() {
    let sandbox = sandbox_of_today(&[]);
    let unscheduled = topics(&["acme"]).replace("every = \"12h\"\n", "");
    let place = Place::new(crate::support::databases::sqlite(), &sandbox.lines(), "");
    for scheduled in [
        "[[exports]]\nname = \"all\"\nwhat = \"items\"\nevery = \"12h\"\npath = \"out/{run}.csv\"\n",
        "[[reports]]\nname = \"day\"\nevery = \"12h\"\npath = \"out/day\"\n",
    ] {
        place.configure(&sandbox.lines(), &format!("{unscheduled}{scheduled}"));
        let going = start_daemon(&place, &[]);
        going.signal("TERM");
        assert_eq!(going.wait().code, Some(0), "{scheduled}");
    }
    place.configure(&sandbox.lines(), &format!("[retention]\n\n{unscheduled}"));
    place.run(&["run"]).assert_stderr(2, &["no topic, report or export in", "has a schedule", "hint: "]);
}

#[test]
fn the_days_of_a_topic_are_counted_again_when_its_time_zone_changes() {
    for database in databases() {
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"]));
        let mut going = start_daemon(&place, &[]);
        place.run(&["topic", "run", "acme", "--wait"]).assert_stdout(0, &["1 of 1 run ok"]);
        let days = || place.database.texts("SELECT CAST(day_from AS TEXT) FROM topic_day ORDER BY day_from");
        wait_until("the counts", || !days().is_empty());
        let before = days();
        // No run follows. In a zone half a day farther east, days begin at other times.
        let moved = topics(&["acme"]).replace("id = \"acme\"", "id = \"acme\"\ntimezone = \"Pacific/Kiritimati\"");
        assert!(moved.contains("Kiritimati"), "{moved}");
        place.configure(&sandbox.lines(), &moved);
        going.wait_until("the reload", |said| said.contains(RELOADED));
        wait_until("other days", || days().first().is_some_and(|day| !before.contains(day)));
        wait_until("nothing waits", || place.database.number("SELECT count(*) FROM topic_day_due") == 0);
        assert_eq!(sandbox.calls(), 1, "no run followed");
    }
}
