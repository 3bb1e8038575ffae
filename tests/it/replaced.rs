//! A SQLite file that is deleted, moved, replaced or overwritten while a process uses it: the process exits with 4 and
//! a hint, and no longer reports anything as stored. The file put in its place is not modified.

use std::path::Path;
use std::time::Duration;

use crate::support::arrivals::SlowService;
use crate::support::daemons::{sandbox_of_today, topics};
use crate::support::databases::{databases, sqlite};
use crate::support::ledger_checks::FAILPOINT;
use crate::support::program::{Place, ProgramOutput, RunningProgram, wait_until};
use crate::support::waits::{count_passes, stop_between_writes};
use crate::support::web_client::Pages;

/// What happens to a file: a name, the change (`copy` is a backup of the database), and the message of the process.
type Fate = (&'static str, fn(&Path, &Path), &'static str);

const FATES: &[Fate] = &[
    ("deleted", |file, _| std::fs::remove_file(file).unwrap(), "was deleted or moved away"),
    ("moved away", |file, _| std::fs::rename(file, file.with_extension("away")).unwrap(), "was deleted or moved away"),
    ("replaced", |file, copy| std::fs::rename(copy, file).unwrap(), "was replaced by another file"),
    ("restored as a stopped one is", restore, "was replaced by another file"),
    (
        "deleted with its files, then copied to",
        |file, copy| {
            remove_side_files(file);
            std::fs::remove_file(file).unwrap();
            std::fs::copy(copy, file).unwrap();
        },
        "was replaced by another file",
    ),
    (
        "written over",
        |file, copy| {
            std::fs::copy(copy, file).unwrap();
        },
        "was overwritten",
    ),
    ("without its log", |file, _| remove_side_files(file), "lost its write-ahead log (-wal)"),
];

const HINT: &str = "hint: restore a backup only while nothing uses the database";

fn remove_side_files(file: &Path) {
    for ending in ["-wal", "-shm"] {
        std::fs::remove_file(format!("{}{ending}", file.display())).unwrap();
    }
}

fn restore(file: &Path, copy: &Path) {
    remove_side_files(file);
    std::fs::rename(copy, file).unwrap();
}

fn file(place: &Place) -> std::path::PathBuf {
    place.database.url[7..].into()
}

/// Makes a backup of the database.
fn backup(place: &Place) -> std::path::PathBuf {
    place.ok(&["db", "backup", "copy.db"]);
    place.path("copy.db")
}

/// Asserts that it exited with 4 and the reason, and reported nothing as stored.
fn assert_exit_4(ended: &ProgramOutput, how: &str, what: &str) {
    ended.assert_stderr(4, &[what, "while it was open; nothing more can be stored in it", HINT]);
    assert!(!ended.err.contains("run stored"), "{how}: {ended}");
    assert!(!ended.out.contains("stored in"), "{how}: {ended}");
}

/// Asserts that the file still has this content, byte for byte.
fn assert_untouched(how: &str, place: &Place, wanted: &[u8]) {
    let now = std::fs::read(file(place)).ok();
    assert!(now.is_none_or(|now| now == wanted), "{how}: the program wrote into the replacement");
}

#[test]
fn an_idle_daemon_ends_when_its_sqlite_file_is_deleted_or_replaced() {
    for (how, fate, what) in FATES {
        // Only the missing `-wal` and `-shm` files show this case, and only Linux lists the files that a process has
        // open.
        if *how == "without its log" && !cfg!(target_os = "linux") {
            continue;
        }
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(sqlite(), &sandbox.lines(), &topics(&["acme"]));
        place.ok(&["once", "--quiet"]);
        let copy = backup(&place);
        let held = std::fs::read(&copy).unwrap();
        let mut going = crate::support::daemons::start_daemon(&place, &[]);
        place.ok(&["topic", "run", "acme"]);
        going.wait_until("a run", |said| said.contains("run stored"));
        let reported = std::cell::Cell::new(0);
        fate(&file(&place), &copy);
        going.with_output(|_, said| reported.set(said.len()));
        let mut ended = going.wait();
        ended.err = ended.err.split_off(reported.get());
        assert_exit_4(&ended, how, what);
        if *how == "moved away" {
            // Everything reported as stored moved along, whether in the file or in its WAL.
            let moved = format!("sqlite:{}", file(&place).with_extension("away").display());
            let runs = place.json(&["runs", "--json", "--database", &moved]);
            // A slot may have fallen due meanwhile.
            assert!(runs["runs"].as_array().unwrap().len() >= 2, "{runs}");
        }
        if what.contains("replaced") {
            assert_untouched(how, &place, &held);
            // The backup does not claim that the daemon is alive.
            place.run(&["health"]).assert_stderr(1, &["no running daemon found"]);
            let going = crate::support::daemons::start_daemon(&place, &[]);
            going.signal("TERM");
            going.wait().assert_stderr(0, &["stopped"]);
        }
    }
}

/// A daemon in the middle of a call; releasing the service lets the call end.
fn daemon_in_a_call(service: &SlowService, place: &Place) -> RunningProgram {
    service.hold_answers(true);
    let going = crate::support::daemons::start_daemon(place, &[]);
    place.ok(&["topic", "run", "acme"]);
    wait_until("a call", || service.calls() > 0);
    going
}

#[test]
fn a_run_in_progress_is_not_reported_as_stored_in_a_replaced_file() {
    for (how, fate, what) in FATES.iter().filter(|(how, _, _)| *how != "without its log") {
        let service = SlowService::answering_after(Duration::ZERO);
        let place = Place::new(sqlite(), &service.lines(4, "unlimited"), &topics(&["acme"]));
        place.ok(&["db", "migrate"]);
        let copy = backup(&place);
        let held = std::fs::read(&copy).unwrap();
        let going = daemon_in_a_call(&service, &place);
        fate(&file(&place), &copy);
        service.hold_answers(false);
        assert_exit_4(&going.wait(), how, what);
        if what.contains("replaced") {
            assert_untouched(how, &place, &held);
            assert_eq!(place.database.all_runs(), 0, "{how}");
        }
    }
}

#[test]
fn a_run_committed_into_a_deleted_file_is_not_reported_as_stored() {
    let sandbox = sandbox_of_today(&[]);
    let place = Place::new(sqlite(), &sandbox.lines(), &topics(&["acme"]));
    place.ok(&["db", "migrate"]);
    let copy = backup(&place);
    // The second such transaction of a run ends it; the first counts its call.
    let mut going = place.program(&["run"]).env(FAILPOINT, "stop group_commit::write/committed pass=2").start();
    going.wait_until("its plan", |said| said.contains("next slot"));
    place.ok(&["topic", "run", "acme"]);
    wait_until("it is committed", || place.database.runs_in("ok") == 1);
    going.wait_until_stopped();
    std::fs::rename(&copy, file(&place)).unwrap();
    going.signal("CONT");
    assert_exit_4(&going.wait(), "between commit and answer", "was replaced by another file");
}

#[test]
fn once_and_backfill_do_not_report_lost_data_as_stored() {
    let days = "dialect = \"desearch\"\n";
    let yesterday = topicwatch::daemon::system_clock()().minus(Duration::from_secs(86_400)).utc_date();
    for args in [
        vec!["once"],
        vec!["once", "--json"],
        vec!["topic", "backfill", "acme", "--from", &yesterday, "--to", &yesterday],
    ] {
        for (how, fate, what) in FATES.iter().filter(|(how, _, _)| *how != "without its log") {
            let service = SlowService::answering_after(Duration::ZERO);
            let lines = format!("{days}{}", service.lines(4, "unlimited"));
            let place = Place::new(sqlite(), &lines, &topics(&["acme"]));
            place.ok(&["db", "migrate"]);
            let copy = backup(&place);
            service.hold_answers(true);
            let going = place.program(&args).start();
            wait_until("a call", || service.calls() > 0);
            fate(&file(&place), &copy);
            service.hold_answers(false);
            let ended = going.wait();
            assert_exit_4(&ended, how, what);
            assert!(!ended.out.contains("\"state\""), "{args:?}, {how}: {ended}");
        }
    }
}

#[test]
fn serve_ends_when_its_sqlite_file_is_deleted_or_replaced() {
    for (how, fate, _) in FATES.iter().filter(|(_, _, what)| what.contains("deleted") || what.contains("replaced")) {
        if how.contains("its files") || how.contains("restored") {
            // A reader keeps SQLite's side files only as long as it needs them.
            continue;
        }
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(sqlite(), &sandbox.lines(), &topics(&["acme"]));
        place.ok(&["once", "--quiet"]);
        let copy = backup(&place);
        let pages = Pages::serve(&place, &[]);
        pages.wait_for_status("/readyz", 200);
        fate(&file(&place), &copy);
        let ended = pages.program.wait();
        ended.assert_stderr(4, &["while it was open", HINT]);
    }
}

#[test]
fn a_process_with_a_replaced_file_is_not_ready() {
    let sandbox = sandbox_of_today(&[]);
    let rest = format!("[web]\nlisten = \"127.0.0.1:0\"\n\n{}", topics(&["acme"]));
    let place = Place::new(sqlite(), &sandbox.lines(), &rest);
    place.ok(&["once", "--quiet"]);
    let copy = backup(&place);
    // Its loop hangs, so that it cannot end.
    let trace = place.path("trace");
    let program = place.program(&["run"]).env(FAILPOINT, "hang loop/round pass=3");
    let program = program.env("TOPICWATCH_TEST_FAILPOINT_TRACE", trace.to_str().unwrap());
    let pages = Pages::wait_for_address(program.env("TOPICWATCH_TEST_BOUND", "loop=3000").start());
    wait_until("it hangs", || count_passes(&trace, "loop/round") == 3);
    pages.wait_for_status("/healthz", 503);
    pages.wait_for_status("/readyz", 200);
    std::fs::rename(&copy, file(&place)).unwrap();
    wait_until("the log line", || pages.get("/readyz").status == 503);
    wait_until("its reason", || pages.get("/readyz").body.contains("was deleted or replaced"));
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_to_a_database_uses_the_same_lock_and_journal() {
    let sandbox = sandbox_of_today(&[]);
    let place = Place::new(sqlite(), &sandbox.lines(), &topics(&["acme"]));
    let (database, link) = (file(&place), place.path("link.db"));
    // Even before there is a database.
    std::os::unix::fs::symlink(&database, &link).unwrap();
    let url = format!("sqlite:{}", link.display());
    let mut going = place.program(&["run", "--database", &url]).start();
    going.wait_until("its plan", |said| said.contains("next slot"));
    place.run(&["run"]).assert_stderr(4, &["another `topicwatch run` uses"]);
    place.ok(&["db", "forget", "--author", "jane_d", "--yes", "--database", &url]);
    let journal = |of: &Path| Path::new(&format!("{}.forgotten", of.display())).exists();
    assert!(journal(&database) && !journal(&link));
    going.signal("TERM");
    going.wait().assert_stderr(0, &["stopped"]);
}

#[test]
fn a_deleted_lock_file_does_not_let_two_daemons_run_for_long() {
    let sandbox = sandbox_of_today(&[]);
    let place = Place::new(sqlite(), &sandbox.lines(), &topics(&["acme"]));
    let lock = std::path::PathBuf::from(format!("{}.lock", file(&place).display()));
    let start = || {
        let mut going = place.program(&["run"]).env("TOPICWATCH_TEST_BOUND", "loop=2000").start();
        going.wait_until("its plan", |said| said.contains("next slot"));
        going
    };
    let mut first = start();
    std::fs::remove_file(&lock).unwrap();
    first.wait_until("it is made again", |said| {
        said.contains("was deleted; it keeps out a second daemon and was created again")
    });
    assert!(lock.exists());
    place.run(&["run"]).assert_stderr(4, &["another `topicwatch run` uses"]);
    // A daemon that starts before the deletion is noticed stays, and the first one ends.
    stop_between_writes(&first, &place);
    std::fs::remove_file(&lock).unwrap();
    let second = start();
    first.signal("CONT");
    first.wait().assert_stderr(
        4,
        &["was deleted, and another `topicwatch run` has started since", "hint: run only one of them"],
    );
    second.signal("TERM");
    second.wait().assert_stderr(0, &["stopped"]);
}

#[test]
fn a_backup_contains_no_running_processes() {
    for database in databases() {
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"]));
        let going = crate::support::daemons::start_daemon(&place, &[]);
        assert_eq!(place.database.number("SELECT count(*) FROM instance"), 1);
        backup(&place);
        let copy = format!("sqlite:{}", place.path("copy.db").display());
        place.run(&["health", "--database", &copy]).assert_stderr(1, &["no running daemon found"]);
        going.signal("TERM");
        going.wait().assert_stderr(0, &["stopped"]);
    }
}
