//! Databases that fail under a daemon. PostgreSQL: terminated backends, cancelled statements, no free connections,
//! conflicting transactions. SQLite: no space, read-only, locked for long. Afterwards each slot has one result.

use crate::support::mounted_disk::*;
use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection as _, Executor as _};

use crate::support::arrivals::{SlowService, ago, past_hours, topics};
use crate::support::databases::{block_on, on_server, sqlite};
use crate::support::ledger_checks::{assert_sound, is_long_form};
use crate::support::postgres_server::PostgresServer;
use crate::support::program::{Place, Program, RunningProgram, wait_until};
use crate::support::waits::wait_until_all_ended;

/// Sixty slots for each of three topics that passed while nothing ran.
fn backlog(cluster: &PostgresServer, service: &SlowService) -> Place {
    let (lines, before) = past_hours(1);
    let lines = format!("{lines}max_attempts = 100\n");
    let rest = format!("[scheduler]\nlease = \"1s\"\nmax_concurrent_runs = 8\n{}", topics(3, &lines));
    let place = Place::new(on_server(&cluster.url()), &service.lines(8, "unlimited"), &rest);
    place.ok(&["once", "--due", "--at", &before]);
    place
}

/// The URL for a role that is not a superuser.
fn role_url(place: &Place, cluster: &PostgresServer) -> String {
    let schema = &place.database.schema;
    block_on(place.database.execute(&format!(
        "CREATE ROLE worker LOGIN; GRANT ALL ON SCHEMA {schema} TO worker; GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO worker; \
         GRANT ALL ON ALL SEQUENCES IN SCHEMA {schema} TO worker"
    )));
    cluster.url().replace("topicwatch@", "worker@")
}

fn finished_runs(place: &Place) -> i64 {
    place.database.runs_in("ok")
}

/// Waits until every slot has ended, stops the daemons and checks the results.
fn assert_all_ran(place: &Place, daemons: Vec<RunningProgram>, calls: u64) -> String {
    wait_until_all_ended(place, 180);
    let mut reported = String::new();
    for daemon in daemons {
        daemon.signal("TERM");
        let ended = daemon.wait();
        assert_eq!(ended.code, Some(0), "{ended}");
        reported.push_str(&ended.err);
    }
    assert_eq!(place.database.number("SELECT count(*) FROM v_run WHERE state <> 'ok'"), 0);
    assert_eq!(
        place.database.number("SELECT count(*) FROM (SELECT DISTINCT topic, slot FROM v_run) AS t"),
        finished_runs(place)
    );
    assert_sound(place, calls);
    reported
}

#[test]
fn terminated_backends_and_cancelled_statements_lose_or_repeat_no_slot() {
    let Some(cluster) = PostgresServer::start("backends that are ended", &[]) else { return };
    let service = SlowService::answering_after(Duration::from_millis(60));
    let place = backlog(&cluster, &service);
    let daemons: Vec<RunningProgram> = (0..2).map(|_| place.program(&["run"]).start()).collect();
    wait_until("some have run", || finished_runs(&place) >= 10);
    let rounds = if is_long_form() { 40 } else { 8 };
    for round in 0..rounds {
        let (share, before) = (100 * (round + 1) / rounds, finished_runs(&place));
        // A statement timeout has the same error as a cancelled statement (57014).
        let how = if round % 2 == 0 { "pg_terminate_backend" } else { "pg_cancel_backend" };
        let all = format!("SELECT count({how}(pid)) FROM pg_stat_activity WHERE application_name = 'topicwatch'");
        wait_until(how, || place.database.number(&all) > 0);
        wait_until("it goes on", || finished_runs(&place) > before || finished_runs(&place) >= share);
    }
    assert_all_ran(&place, daemons, service.calls() as u64);
}

#[test]
fn conflicting_transactions_are_retried() {
    let Some(cluster) = PostgresServer::start("serialization failures", &[]) else { return };
    let service = SlowService::answering_after(Duration::from_millis(10));
    let place = backlog(&cluster, &service);
    block_on(place.database.execute(
        "CREATE FUNCTION collide() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN IF random() < 0.05 THEN \
         RAISE EXCEPTION 'collided' USING ERRCODE = 'serialization_failure'; END IF; RETURN NULL; END $$; \
         CREATE TRIGGER collide AFTER UPDATE ON run FOR EACH STATEMENT EXECUTE FUNCTION collide()",
    ));
    let daemons: Vec<RunningProgram> = (0..2).map(|_| place.program(&["run"]).start()).collect();
    assert_all_ran(&place, daemons, service.calls() as u64);
    let rolled_back = "SELECT xact_rollback FROM pg_stat_database WHERE datname = 'postgres'";
    assert_ne!(place.database.number(rolled_back), 0, "none collided");
}

#[test]
fn a_server_without_a_connection_left_is_waited_for() {
    let Some(cluster) =
        PostgresServer::start("a full server", &["max_connections=30", "superuser_reserved_connections=3"])
    else {
        return;
    };
    let service = SlowService::answering_after(Duration::from_millis(60));
    let place = backlog(&cluster, &service);
    // PostgreSQL reserves the last connections for superusers.
    let url = role_url(&place, &cluster);
    let daemon = place.program(&["run", "--database", &url]).start();
    wait_until("some have run", || finished_runs(&place) >= 20);
    block_on(async {
        let address: sqlx::postgres::PgConnectOptions = url.parse().unwrap();
        let mut taken = Vec::new();
        let take_all = async |taken: &mut Vec<sqlx::PgConnection>| {
            while let Ok(one) = sqlx::PgConnection::connect_with(&address).await {
                taken.push(one);
            }
        };
        take_all(&mut taken).await;
        assert!(taken.len() > 10, "{} taken", taken.len());
        let ended =
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'topicwatch'";
        assert_ne!(place.database.number(ended), 0);
        // Takes their connections, too. A backend ends some time after it was asked to.
        let begun = std::time::Instant::now();
        let refused = loop {
            take_all(&mut taken).await;
            let ended = place.run(&["status", "--database", &url]);
            if ended.code != Some(0) {
                break ended;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{ended}");
        };
        refused.assert_stderr(4, &["hint: "]);
        for one in taken {
            one.close().await.ok();
        }
    });
    assert_all_ran(&place, vec![daemon], service.calls() as u64);
}

/// Due topics on a SQLite file.
fn due_on_sqlite(service: &SlowService, count: usize, lease: &str) -> Place {
    // The manual run of a process that died counts as running until its lease ends; no slot may be skipped because of
    // it.
    let lines = "every = \"12h\"\noverlap = \"allow\"\nmax_attempts = 100\n";
    let rest = format!("[scheduler]\nlease = \"{lease}\"\n{}", topics(count, lines));
    let place = Place::new(sqlite(), &service.lines(4, "unlimited"), &rest);
    place.ok(&["once", "--due", "--at", &ago(Duration::from_secs(13 * 3_600))]);
    place
}

/// Asserts that every slot runs once the trouble is over.
fn assert_recovers(place: &Place, count: i64, calls: u64) {
    let slots = "SELECT count(DISTINCT topic) FROM v_run WHERE state = 'ok' AND slot IS NOT NULL";
    // A dead process holds its runs until their leases end.
    wait_until("the slots", || {
        place.run(&["once", "--due"]);
        let database = &place.database;
        database.number(slots) == count && database.open_runs() == 0 && database.unpublished_runs() == 0
    });
    assert_sound(place, calls);
}

#[test]
fn sqlite_at_a_file_size_limit_keeps_its_rows_and_stores_the_rest_later() {
    for args in [&["once", "--due"][..], &["once"]] {
        let service = SlowService::answering_after(Duration::ZERO);
        let place = due_on_sqlite(&service, 40, "1s");
        // 64 KiB and 128 KiB, which the WAL soon exceeds. The limit comes with its signal or without.
        for (limit, signal) in [(128, ""), (128, "trap '' XFSZ; "), (256, "")] {
            let script = format!("{signal}ulimit -f {limit}; exec \"$@\"");
            let ended = Program::under_shell(place.folder.path(), &script, args).run();
            ended.assert_stderr(4, &["I/O error", "hint: is the disk full, or failing?"]);
            // After a failed write no transaction may be considered open.
            assert!(!ended.err.contains("transaction depth"), "{ended}");
            assert_eq!(place.database.texts("PRAGMA integrity_check"), ["ok"]);
        }
        assert_recovers(&place, 40, 0);
    }
}

#[test]
fn a_full_disk_is_reported_and_stored_rows_are_kept() {
    let disk = tempfile::tempdir().unwrap();
    let Some(_unmount) = mount_disk(disk.path(), "16m") else { return };
    let path = disk.path().to_str().unwrap().to_owned();
    let service = SlowService::answering_after(Duration::ZERO);
    let mut database = sqlite();
    database.url = format!("sqlite:{path}/t.db");
    let rest = format!("[scheduler]\nlease = \"1s\"\n{}", topics(40, "every = \"12h\"\nmax_attempts = 100\n"));
    let place = Place::new(database, &service.lines(4, "unlimited"), &rest);
    place.ok(&["once", "--due", "--at", &ago(Duration::from_secs(13 * 3_600))]);
    let full =
        std::process::Command::new("sh").args(["-c", &format!("cat /dev/zero > {path}/ballast")]).output().unwrap();
    assert!(!full.status.success());
    let ended = place.run(&["once", "--due"]);
    ended.assert_stderr(4, &["hint: ", "disk full"]);
    std::fs::remove_file(format!("{path}/ballast")).unwrap();
    assert_recovers(&place, 40, 40);
}

#[test]
fn a_sqlite_file_locked_for_long_is_waited_for() {
    let service = SlowService::answering_after(Duration::ZERO);
    // Leases that outlive the lock.
    let place = due_on_sqlite(&service, 3, "30s");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(database_file(&place));
    service.hold_answers(true);
    let daemon = block_on(async {
        let mut holder = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
        let mut daemon = place.program(&["run"]).start();
        wait_until("its calls", || service.calls() == 3);
        holder.execute(sqlx::raw_sql(AssertSqlSafe("BEGIN IMMEDIATE".to_owned()))).await.unwrap();
        let begun = std::time::Instant::now();
        service.hold_answers(false);
        wait_until("longer than SQLite itself waits", || begun.elapsed() > Duration::from_secs(7));
        assert_eq!(finished_runs(&place), 0);
        holder.execute(sqlx::raw_sql("ROLLBACK")).await.unwrap();
        daemon.wait_until("it goes on", |said| said.contains("run stored"));
        daemon
    });
    wait_until("the slots", || finished_runs(&place) == 3);
    daemon.signal("TERM");
    assert_eq!(daemon.wait().code, Some(0));
    assert_eq!(service.calls(), 3);
    assert_sound(&place, 3);
}

#[test]
fn a_command_on_a_locked_sqlite_file_fails_after_one_wait() {
    let service = SlowService::answering_after(Duration::ZERO);
    let place = due_on_sqlite(&service, 3, "1s");
    // The daemon's heartbeat must stay valid.
    place.configure(
        &service.lines(4, "unlimited"),
        &format!("[scheduler]\nlease = \"10m\"\n{}", topics(3, "every = \"12h\"")),
    );
    let daemon = place.program(&["run"]).start();
    wait_until("the slots", || finished_runs(&place) == 3);
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(database_file(&place));
    block_on(async {
        let mut holder = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
        holder.execute(sqlx::raw_sql(AssertSqlSafe("BEGIN IMMEDIATE".to_owned()))).await.unwrap();
        // Neither readers nor a backup wait.
        place.ok(&["status"]);
        assert!(place.ok(&["db", "backup", "copy.db"]).contains("copy verified"));
        let asked = [
            &["topic", "pause", "t0"][..],
            &["topic", "resume", "t0"],
            &["topic", "run", "t0"],
            &["topic", "rename", "t0", "t9"],
        ];
        let asked = asked.map(|args| {
            let trace = place.path(args[1]);
            let program = place.program(args).env("TOPICWATCH_TEST_FAILPOINT_TRACE", trace.to_str().unwrap());
            (trace, program.start())
        });
        let locked = format!("{}: (code: 5) database is locked", database_file(&place));
        for (trace, going) in asked {
            going.wait().assert_stderr(4, &[&locked, "hint: another process is writing", "lsof "]);
            let tries = std::fs::read_to_string(trace).unwrap();
            assert_eq!(tries.matches("/again").count(), 1, "SQLite itself waited, and that is enough: {tries}");
        }
        holder.execute(sqlx::raw_sql("ROLLBACK")).await.unwrap();
    });
    place.ok(&["topic", "pause", "t0"]);
    daemon.signal("TERM");
    assert_eq!(daemon.wait().code, Some(0));
    assert_eq!(place.database.texts("SELECT id FROM topic WHERE removed_at IS NULL ORDER BY id"), ["t0", "t1", "t2"]);
    assert_sound(&place, 3);
}

#[test]
fn a_command_on_an_exclusively_locked_sqlite_file_fails_after_one_wait() {
    let service = SlowService::answering_after(Duration::ZERO);
    let place = due_on_sqlite(&service, 3, "1s");
    let options = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(database_file(&place))
        .locking_mode(sqlx::sqlite::SqliteLockingMode::Exclusive);
    block_on(async {
        let mut holder = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
        // The lock stays from the first access to the end of the connection.
        holder.execute(sqlx::raw_sql("BEGIN IMMEDIATE; COMMIT")).await.unwrap();
        let locked = format!("{}: (code: 5) database is locked", database_file(&place));
        for going in [&["status"][..], &["once"]].map(|args| place.program(args).start()) {
            // SQLite waits for five seconds. Forty such waits would be over three minutes.
            let ended = going.wait_within(Duration::from_secs(40));
            ended.assert_stderr(4, &[&locked, "hint: another process is writing"]);
        }
        holder.close().await.unwrap();
    });
    place.ok(&["status"]);
}

#[test]
fn a_command_on_an_exclusively_locked_empty_file_fails_after_one_wait() {
    let service = SlowService::answering_after(Duration::ZERO);
    let place = Place::new(sqlite(), &service.lines(4, "unlimited"), &topics(1, ""));
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(database_file(&place)).create_if_missing(true);
    block_on(async {
        let mut holder = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
        holder.execute(sqlx::raw_sql("BEGIN EXCLUSIVE")).await.unwrap();
        let locked = format!("{}: (code: 5) database is locked", database_file(&place));
        for going in [&["status"][..], &["once"]].map(|args| place.program(args).start()) {
            let ended = going.wait_within(Duration::from_secs(40));
            ended.assert_stderr(4, &[&locked, "hint: another process is writing"]);
        }
        holder.execute(sqlx::raw_sql("ROLLBACK")).await.unwrap();
        holder.close().await.unwrap();
    });
    place.ok(&["once"]);
    assert_eq!(finished_runs(&place), 1);
}

#[test]
fn a_command_waits_for_whoever_makes_an_empty_file_a_database() {
    let service = SlowService::answering_after(Duration::ZERO);
    let place = Place::new(sqlite(), &service.lines(4, "unlimited"), &topics(1, ""));
    let passed = |name: &str| std::fs::read_to_string(place.path(name)).unwrap_or_default();
    let traced = |name: &str| {
        place.program(&["db", "migrate"]).env("TOPICWATCH_TEST_FAILPOINT_TRACE", place.path(name).to_str().unwrap())
    };
    let making = traced("making").env("TOPICWATCH_TEST_FAILPOINT", "stop open/making").start();
    making.wait_until_stopped();
    let waiting = traced("waiting").start();
    wait_until("the second command to come", || passed("waiting").contains("open/empty"));
    assert_eq!(std::fs::metadata(database_file(&place)).unwrap().len(), 0, "the second did not make it meanwhile");
    making.signal("CONT");
    for ended in [making.wait(), waiting.wait()] {
        assert_eq!(ended.code, Some(0), "{ended}");
    }
    assert!(!passed("waiting").contains("open/waited"), "it did not try before: {}", passed("waiting"));
    place.ok(&["once"]);
    assert_eq!(finished_runs(&place), 1);
}

#[test]
fn a_command_gives_up_waiting_for_a_stopped_maker_of_a_database_and_names_the_lock() {
    let service = SlowService::answering_after(Duration::ZERO);
    let place = Place::new(sqlite(), &service.lines(4, "unlimited"), &topics(1, ""));
    let making = place.program(&["db", "migrate"]).env("TOPICWATCH_TEST_FAILPOINT", "stop open/making").start();
    making.wait_until_stopped();
    let waiting = place.program(&["db", "migrate"]).env("TOPICWATCH_TEST_BOUND", "makers=200").start();
    let lock = format!("{}.migrate.lock", database_file(&place));
    let ended = waiting.wait_within(Duration::from_secs(40));
    ended.assert_stderr(4, &[&format!("holds {lock}"), &format!("hint: `lsof {lock}` shows that process")]);
    let named = ended.err.matches(&format!("{}: ", database_file(&place))).count();
    assert_eq!(named, 1, "the database is named once: {ended}");
    assert_eq!(std::fs::metadata(database_file(&place)).unwrap().len(), 0, "it did not make the database meanwhile");
    making.signal("CONT");
    let made = making.wait();
    assert_eq!(made.code, Some(0), "{made}");
    place.ok(&["db", "migrate"]);
}

#[test]
fn a_command_waits_for_whoever_switches_a_sqlite_file_to_a_log() {
    let service = SlowService::answering_after(Duration::ZERO);
    let place = Place::new(sqlite(), &service.lines(4, "unlimited"), &topics(1, ""));
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(database_file(&place)).create_if_missing(true);
    block_on(async {
        let mut holder = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
        // Like another process whose disk takes longer than one wait.
        let begun = "PRAGMA user_version = 1; BEGIN EXCLUSIVE; PRAGMA user_version = 2";
        holder.execute(sqlx::raw_sql(begun)).await.unwrap();
        let trace = place.path("trace");
        let waiting = place.program(&["once"]).env("TOPICWATCH_TEST_FAILPOINT_TRACE", trace.to_str().unwrap()).start();
        wait_until("one wait to end", || {
            std::fs::read_to_string(&trace).is_ok_and(|passed| passed.contains("open/waited"))
        });
        holder.execute(sqlx::raw_sql("ROLLBACK")).await.unwrap();
        let ended = waiting.wait();
        assert_eq!(ended.code, Some(0), "{ended}");
        holder.close().await.unwrap();
    });
    assert_eq!(finished_runs(&place), 1);
}

#[test]
fn a_read_only_sqlite_file_is_refused_before_any_call() {
    let service = SlowService::answering_after(Duration::ZERO);
    let place = due_on_sqlite(&service, 3, "1s");
    // Root may write anything, so as root the program runs as another user, for whom the folder is read-only.
    let owner = std::process::Command::new("id").arg("-u").output().unwrap().stdout;
    let folder = std::path::Path::new(&database_file(&place)).parent().unwrap().to_str().unwrap().to_owned();
    let script = if owner == b"0\n" { "exec setpriv --reuid=65534 --clear-groups -- \"$@\"" } else { "exec \"$@\"" };
    let mode = |file: &str, folder_mode: &str| {
        let script = format!(
            "chmod {file} {folder}/t.db* {}/jobs.toml && chmod {folder_mode} {folder} {}",
            place.folder.path().display(),
            place.folder.path().display()
        );
        assert!(std::process::Command::new("sh").args(["-c", &script]).status().unwrap().success());
    };
    mode("444", "555");
    let refused = Program::under_shell(place.folder.path(), script, &["once", "--due"]).run();
    mode("600", "700");
    if refused.err.contains("setpriv") || refused.code == Some(126) || refused.code == Some(127) {
        crate::support::server_choice::print_to_stderr(
            "SKIPPED: a read-only file (cannot become another user, or the program is not readable for one)",
        );
        return;
    }
    refused.assert_stderr(4, &["hint: "]);
    assert_eq!(service.calls(), 0);
    assert_recovers(&place, 3, 3);
}
