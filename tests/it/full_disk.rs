//! A database on a full disk, or without write permission: readers can read all of it, writers report the error, and
//! `health` reports it for as long as it lasts.

use std::path::{Path, PathBuf};

use crate::support::daemons::{sandbox_of_today, topics};
use crate::support::databases::{block_on, postgres, sqlite};
use crate::support::ledger_checks::FAILPOINT;
use crate::support::mounted_disk::{MountedDisk, mount_disk};
use crate::support::program::{NINE, Place, Program, wait_until};
use crate::support::service::Sandbox;
use crate::support::web_client::Pages;

const TEN: &str = "2026-03-11T10:00:00Z";

/// A place whose database has a small disk to itself.
struct SmallDiskPlace {
    place: Place,
    sandbox: Sandbox,
    disk: tempfile::TempDir,
    _mounted: MountedDisk,
}

impl SmallDiskPlace {
    fn of(sandbox: Sandbox, rest: &str) -> Option<Self> {
        let disk = tempfile::tempdir().unwrap();
        let mounted = mount_disk(disk.path(), "16m")?;
        let mut database = sqlite();
        database.url = format!("sqlite:{}/t.db", disk.path().display());
        let place = Place::new(database, &sandbox.lines(), rest);
        Some(Self { place, sandbox, disk, _mounted: mounted })
    }

    fn fill(&self) {
        let ballast = self.disk.path().join("ballast");
        let script = format!("cat /dev/zero > {}", ballast.display());
        let filled = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        assert!(!filled.status.success());
    }

    fn make_room(&self) {
        std::fs::remove_file(self.disk.path().join("ballast")).unwrap();
    }
}

fn side_file(file: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}{ending}", file.display()))
}

/// Makes one more run with a process that dies while the run is only in the WAL, and removes the shared-memory file, as
/// a power cut does. Returns the number of runs in the file with its WAL, and in the file alone.
fn crash_before_checkpoint(place: &Place, file: &Path) -> (usize, usize) {
    let killed = place.program(&["once", "--at", TEN]).env(FAILPOINT, "kill group_commit::write/committed pass=3");
    assert!(killed.run().code != Some(0));
    assert!(side_file(file, "-wal").metadata().unwrap().len() > 0, "nothing is in the log");
    std::fs::remove_file(side_file(file, "-shm")).unwrap();
    let copy = tempfile::tempdir().unwrap();
    let there = |with_log: bool| {
        let mut database = sqlite();
        let path = copy.path().join(if with_log { "both.db" } else { "file.db" });
        std::fs::copy(file, &path).unwrap();
        if with_log {
            std::fs::copy(side_file(file, "-wal"), side_file(&path, "-wal")).unwrap();
        }
        database.url = format!("sqlite:{}", path.display());
        database.all_runs() as usize
    };
    let (all, old) = (there(true), there(false));
    assert!(all > old, "{all} runs with the log, {old} without");
    (all, old)
}

/// Asserts that every read-only command works; `out` is a folder with free space.
fn assert_reads_work(run: &dyn Fn(&[&str]) -> crate::support::program::ProgramOutput, out: &Path, runs: usize) {
    let (csv, page, copy) = (out.join("items.csv"), out.join("day.html"), out.join("copy.db"));
    let verbs: &[&[&str]] = &[
        &["runs", "--json", "--limit", "100"],
        &["status"],
        &["items"],
        &["show", "acme"],
        &["diff", "acme"],
        &["search", "acme"],
        &["coverage"],
        &["report", "--date", "2026-03-11", "--out", page.to_str().unwrap()],
        &["outbox"],
        &["alerts"],
        &["export", "--out", csv.to_str().unwrap()],
        &["db", "backup", copy.to_str().unwrap()],
    ];
    for args in verbs {
        let ended = run(args);
        assert_eq!(ended.code, Some(0), "{args:?}\n{ended}");
        if args[0] == "runs" {
            let output: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
            assert_eq!(output["runs"].as_array().unwrap().len(), runs, "{output}");
            assert!(ended.err.contains("warning: opened read-only, nothing can be stored: "), "{ended}");
        }
    }
    assert!(csv::Reader::from_path(csv).unwrap().records().count() > 0);
    let mut database = sqlite();
    database.url = format!("sqlite:{}", copy.display());
    assert_eq!(database.all_runs() as usize, runs, "of the backup");
}

#[test]
fn a_database_on_a_full_disk_is_readable_even_after_a_process_died() {
    for died in [false, true] {
        let Some(small) = SmallDiskPlace::of(Sandbox::at(NINE, &[]), &topics(&["acme"])) else { return };
        let (place, out) = (&small.place, tempfile::tempdir().unwrap());
        let file = small.disk.path().join("t.db");
        place.ok(&["once", "--at", NINE]);
        small.sandbox.set_clock(TEN);
        let (runs, _) = if died { crash_before_checkpoint(place, &file) } else { (1, 1) };
        small.fill();
        assert_reads_work(&|args| place.run(args), out.path(), runs);
        // An export to the full disk fails.
        let full = small.disk.path().join("items.csv");
        place
            .run(&["export", "--out", full.to_str().unwrap()])
            .assert_stderr(5, &["items.csv", "could not be written"]);
        if !died {
            let once = place.run(&["once", "--at", TEN]);
            once.assert_stderr(4, &["hint: ", "free space"]);
            assert!(!once.out.contains("nothing was due") && !once.out.contains("stored in"), "{once}");
            place.run(&["topic", "pause", "acme"]).assert_stderr(4, &["hint: ", "free space"]);
        }
        small.make_room();
        place.ok(&["once", "--at", "2026-03-11T11:00:00Z"]);
        assert_eq!(place.database.texts("PRAGMA integrity_check"), ["ok"]);
        assert_eq!(place.database.all_runs() as usize, runs + 1);
    }
}

#[test]
fn status_advises_to_free_space_and_to_start_a_daemon_only_when_there_is_room() {
    let Some(small) = SmallDiskPlace::of(Sandbox::at(NINE, &[]), &topics(&["acme"])) else { return };
    let place = &small.place;
    place.ok(&["once", "--due", "--at", NINE]);
    let start = "start `topicwatch run`";
    let status = || place.run(&["status", "--at", "2026-03-13T09:00:00Z"]);
    status().assert_stdout(0, &["1 topic is overdue since", start]);
    small.fill();
    let full = status();
    full.assert_stdout(0, &["1 topic is overdue since", "nothing can be stored in ", "hint: free space on that disk"]);
    assert!(!full.out.contains(start), "{full}");
    small.make_room();
    status().assert_stdout(0, &[start]);
}

#[test]
fn a_database_in_a_read_only_folder_is_readable() {
    for (died, log_readable) in [(false, true), (true, true), (true, false)] {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(sqlite(), &sandbox.lines(), &topics(&["acme"]));
        let file = PathBuf::from(&place.database.url[7..]);
        place.ok(&["once", "--at", NINE]);
        sandbox.set_clock(TEN);
        let (all, old) = if died { crash_before_checkpoint(&place, &file) } else { (1, 1) };
        let folder = file.parent().unwrap().to_str().unwrap().to_owned();
        let chmod = |mode: &str, files: &[&str]| {
            let changed = std::process::Command::new("chmod").arg(mode).args(files).status();
            assert!(changed.unwrap().success());
        };
        let (config, here) = (place.path("jobs.toml"), place.folder.path().to_str().unwrap().to_owned());
        chmod("444", &[config.to_str().unwrap(), file.to_str().unwrap()]);
        if died {
            chmod(if log_readable { "444" } else { "000" }, &[side_file(&file, "-wal").to_str().unwrap()]);
        }
        chmod("555", &[&folder, &here]);
        // Root may write anything, so as root the program runs as another user.
        let root = std::process::Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
        let script = if root { "exec setpriv --reuid=65534 --clear-groups -- \"$@\"" } else { "exec \"$@\"" };
        let run = |args: &[&str]| Program::under_shell(place.folder.path(), script, args).run();
        let out = tempfile::tempdir().unwrap();
        chmod("777", &[out.path().to_str().unwrap()]);
        let first = run(&["runs"]);
        if first.err.contains("setpriv") || matches!(first.code, Some(126 | 127)) {
            crate::support::server_choice::print_to_stderr(
                "SKIPPED: a folder that may not be written to (cannot become another user)",
            );
        } else {
            let missing = "t.db-wal cannot be read: the newest commits of a process that died may be missing";
            assert_eq!(first.err.contains(missing), !log_readable, "{first}");
            assert_reads_work(&run, out.path(), if log_readable { all } else { old });
            run(&["topic", "pause", "acme"]).assert_stderr(4, &["hint: "]);
        }
        chmod("700", &[&folder, &here]);
        assert!(died || !side_file(&file, "-shm").exists(), "somebody could write there");
    }
}

#[test]
fn health_fails_only_while_the_disk_is_full() {
    let web = format!("[web]\nlisten = \"127.0.0.1:0\"\n{}", topics(&["acme"]));
    let Some(small) = SmallDiskPlace::of(sandbox_of_today(&[]), &web) else { return };
    let place = &small.place;
    let pages = Pages::wait_for_address(place.program(&["run"]).env("TOPICWATCH_TEST_BOUND", "room=1000").start());
    let url = format!("http://{}", pages.address);
    let asked: [&[&str]; 2] = [&["health", "--url", &url], &["health"]];
    place.ok(asked[0]);
    // Without the pages' address, `health` checks the database itself.
    place.configure(&small.sandbox.lines(), &topics(&["acme"]));
    place.ok(asked[1]);
    small.fill();
    wait_until("its log line", || pages.get("/readyz").status == 503);
    place.run(asked[0]).assert_stderr(4, &["not ready: database cannot store anything: its disk is full", "hint: "]);
    place.run(asked[1]).assert_stderr(4, &["nothing can be stored in", "hint: free space on that disk"]);
    let output: serde_json::Value = serde_json::from_str(&place.run(&["health", "--json"]).out).unwrap();
    assert_eq!((&output["healthy"], &output["checks"][0]["status"]), (&false.into(), &"fail".into()), "{output}");
    assert_eq!(pages.get("/healthz").status, 200, "a restart frees no space");
    // Readers still work.
    place.ok(&["status"]);
    small.make_room();
    wait_until("it is ready again", || pages.get("/readyz").status == 200);
    asked.iter().for_each(|args| drop(place.ok(args)));
    // A process that only shows pages stores nothing.
    small.fill();
    Pages::serve(place, &[]).wait_for_status("/readyz", 200);
}

#[test]
fn a_process_is_not_ready_while_the_server_refuses_writes_for_a_full_disk() {
    // On SQLite the disk itself is checked.
    let Some(database) = postgres() else { return };
    let sandbox = sandbox_of_today(&[]);
    let place = Place::new(
        database,
        &sandbox.lines(),
        &format!("[web]\nlisten = \"127.0.0.1:0\"\n[scheduler]\nlease = \"1s\"\n{}", topics(&["acme"])),
    );
    let pages = Pages::wait_for_address(place.program(&["run"]).start());
    wait_until("it is ready", || pages.get("/readyz").status == 200);
    // The error of a server with a full disk.
    block_on(place.database.execute(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$; \
         CREATE TRIGGER full_disk BEFORE INSERT ON search FOR EACH ROW EXECUTE FUNCTION full_disk()",
    ));
    wait_until("a daemon takes it", || place.run(&["topic", "run", "acme"]).code == Some(0));
    wait_until("its log line", || pages.get("/readyz").status == 503);
    wait_until("its reason", || pages.get("/readyz").body.contains("cannot store anything"));
    let url = format!("http://{}", pages.address);
    place.run(&["health", "--url", &url]).assert_stderr(4, &["cannot store anything: its disk is full or failing"]);
    block_on(place.database.execute("DROP FUNCTION full_disk CASCADE"));
    wait_until("a daemon takes it", || place.run(&["topic", "run", "acme"]).code == Some(0));
    wait_until("it is ready again", || pages.get("/readyz").status == 200);
}

#[test]
fn a_configuration_that_does_not_fit_on_the_disk_is_not_left_in_part() {
    let Some(small) = SmallDiskPlace::of(Sandbox::at(NINE, &[]), &topics(&["acme"])) else { return };
    let file = small.disk.path().join("jobs.toml");
    small.fill();
    small.place.run(&["init", file.to_str().unwrap()]).assert_stderr(5, &["jobs.toml could not be written", "hint: "]);
    assert!(!file.exists());
    small.make_room();
    small.place.ok(&["init", file.to_str().unwrap()]);
}
