//! How a process ends on a signal: idle, during a call, beyond its grace period, after a second signal. Also the
//! notifications of a daemon to its service manager, over a real socket.

use topicwatch::daemon::system_clock;

use crate::support::daemons::{is_calling, sandbox_of_today, start_daemon, topics};
use crate::support::databases::databases;
use crate::support::ledger::LedgerSearch;
use crate::support::program::{Place, ProgramOutput, RunningProgram, wait_until};

/// A daemon in its first call, for a slot that passed while nothing ran.
fn daemon_in_first_call(place: &Place) -> RunningProgram {
    let before = system_clock()().minus(std::time::Duration::from_secs(2 * 86_400)).to_string();
    place.ok(&["once", "--due", "--at", &before]);
    let going = start_daemon(place, &[]);
    wait_until("the call", || is_calling(place));
    going
}

fn stop_with(going: RunningProgram, signal: &str) -> ProgramOutput {
    going.signal(signal);
    going.wait()
}

/// Each search: the states of its run and of itself, its cost or expected cost, and the cost of its run.
fn searches(place: &Place) -> Vec<String> {
    let runs = place.database.ledger_runs();
    let of = |id: &str| runs.iter().find(|run| run.id == id).unwrap();
    let searches = place.database.ledger_searches();
    let of_search = |search: &LedgerSearch| {
        let (run, cost) = (of(&search.run), search.cost.unwrap_or(search.expected_cost));
        format!("{} {} {cost} {}", run.state, search.state, run.cost)
    };
    searches.iter().map(of_search).collect()
}

#[test]
fn an_idle_daemon_ends_at_once_and_is_gone() {
    for database in databases() {
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"]));
        for signal in ["TERM", "INT"] {
            let going = start_daemon(&place, &[]);
            assert_eq!(place.database.texts("SELECT role FROM instance"), ["daemon"], "{}", place.database.name);
            stop_with(going, signal)
                .assert_stderr(0, &["stopping: running topics finish, no new ones start", "stopped"]);
            assert_eq!(place.database.number("SELECT count(*) FROM instance"), 0);
        }
    }
}

#[test]
fn after_the_grace_period_a_call_is_recorded_at_its_price_and_its_slot_runs_again() {
    for database in databases() {
        let slow = sandbox_of_today(&["delay=10m"]);
        let rest = format!("[scheduler]\nshutdown_grace = \"1s\"\n\n{}", topics(&["acme"]));
        let place = Place::new(database, &slow.lines(), &rest);
        let going = daemon_in_first_call(&place);
        stop_with(going, "TERM").assert_stderr(0, &["its slot runs again", "stopped"]);
        assert_eq!(searches(&place), ["queued lost 3000 3000"], "{}", place.database.name);
        let runs = place.database.ledger_runs();
        let left = runs.iter().filter(|run| run.state == "queued").map(|run| run.attempts_left);
        assert_eq!(left.collect::<Vec<_>>(), [3]);
        let quick = sandbox_of_today(&[]);
        place.configure(&quick.lines(), &rest);
        let again = start_daemon(&place, &[]);
        wait_until("the slot", || {
            place.database.number("SELECT count(*) FROM v_run WHERE state = 'ok' AND slot IS NOT NULL") == 1
        });
        let sums = "SELECT count(*) || ' ' || CAST(round((r.cost_usd - sum(s.cost_usd)) * 1000000) AS BIGINT) FROM v_run r JOIN v_search s ON s.run = r.run \
                    WHERE r.state = 'ok' GROUP BY r.run, r.cost_usd";
        assert_eq!(place.database.texts(sums), ["2 0"], "the cost of lost calls stays counted");
        assert_eq!(stop_with(again, "TERM").code, Some(0));
    }
}

/// Otherwise one late renewal would let another process take over a run that goes on.
#[test]
fn a_lease_is_renewed_long_before_it_ends() {
    for database in databases() {
        let slow = sandbox_of_today(&["delay=10m"]);
        let rest = format!("[scheduler]\nlease = \"30s\"\nshutdown_grace = \"1s\"\n\n{}", topics(&["acme"]));
        let place = Place::new(database, &slow.lines(), &rest);
        let going = daemon_in_first_call(&place);
        let first = place.database.lease_until();
        wait_until("its renewal", || place.database.lease_until() > first);
        let left = 30_000 - (place.database.lease_until() - first);
        assert!(left >= 5_000, "{}: renewed {left} ms before its end", place.database.name);
        stop_with(going, "TERM").assert_stderr(0, &["stopped"]);
    }
}

#[test]
fn a_second_signal_ends_the_process_and_its_run_restarts_after_the_lease() {
    for database in databases() {
        let slow = sandbox_of_today(&["delay=10m"]);
        let rest = format!("[scheduler]\nlease = \"1s\"\n\n{}", topics(&["acme"]));
        let place = Place::new(database, &slow.lines(), &rest);
        let mut going = daemon_in_first_call(&place);
        going.signal("TERM");
        going.wait_until("its answer", |said| said.contains("stopping"));
        let ended = stop_with(going, "TERM");
        assert_eq!(ended.code, Some(130), "{ended}");
        assert_eq!(place.database.count_running(), 1);
        let quick = sandbox_of_today(&[]);
        place.configure(&quick.lines(), &rest);
        let again = start_daemon(&place, &[]);
        wait_until("the slot", || {
            place.database.number("SELECT count(*) FROM v_run WHERE state = 'ok' AND slot IS NOT NULL") == 1
        });
        assert!(place.database.number("SELECT attempt FROM v_run WHERE state = 'ok'") >= 2);
        assert_eq!(stop_with(again, "TERM").code, Some(0));
    }
}

#[test]
fn an_interrupted_once_releases_its_slot_or_cancels_its_manual_run() {
    for database in databases() {
        for (due, becomes) in [(true, "queued lost 3000 3000"), (false, "cancelled lost 3000 3000")] {
            let slow = sandbox_of_today(&["delay=10m"]);
            let place = Place::new(empty_database_like(&database), &slow.lines(), &topics(&["acme"]));
            let before = system_clock()().minus(std::time::Duration::from_secs(2 * 86_400)).to_string();
            place.ok(&["once", "--due", "--at", &before]);
            let args: &[&str] = if due { &["once", "--due"] } else { &["once"] };
            let going = place.program(args).start();
            wait_until("the call", || is_calling(&place));
            stop_with(going, "INT").assert_stderr(130, &["stopping: storing the findings so far"]);
            assert_eq!(searches(&place), [becomes], "{}", place.database.name);
        }
    }
}

/// An empty database of the same kind.
fn empty_database_like(like: &crate::support::databases::Database) -> crate::support::databases::Database {
    databases().into_iter().find(|database| database.name == like.name).unwrap()
}

#[cfg(unix)]
mod systemd {
    use std::os::unix::net::UnixDatagram;
    use std::process::Command;
    use std::time::Duration;

    use super::*;
    use crate::support::databases::{block_on, postgres, sqlite};

    /// The service manager's end of the socket, and all received messages.
    struct Manager {
        socket: UnixDatagram,
        name: String,
        heard: Vec<String>,
    }

    impl Manager {
        fn at(place: &Place) -> Self {
            let path = place.path("notify");
            Self::on(UnixDatagram::bind(&path).unwrap(), path.to_str().unwrap().to_owned())
        }

        /// Uses an abstract socket name; the folder's name makes it unique.
        #[cfg(target_os = "linux")]
        fn abstract_at(place: &Place) -> Self {
            use std::os::linux::net::SocketAddrExt as _;
            let name = place.path("abstract").to_str().unwrap().to_owned();
            let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
            Self::on(UnixDatagram::bind_addr(&address).unwrap(), format!("@{name}"))
        }

        fn on(socket: UnixDatagram, name: String) -> Self {
            socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            Self { socket, name, heard: Vec::new() }
        }

        fn start(&self, place: &Place) -> RunningProgram {
            let program = place.program(&["run"]).env("NOTIFY_SOCKET", &self.name);
            program.env("WATCHDOG_USEC", "1000000").start()
        }

        /// Waits for a message that starts with this.
        fn wait_until(&mut self, begins: &str) -> String {
            let mut bytes = [0; 4096];
            // Other messages must not extend the wait forever.
            let deadline = std::time::Instant::now() + Duration::from_secs(60);
            loop {
                assert!(std::time::Instant::now() < deadline, "no {begins}: {:?}", self.heard);
                let length =
                    self.socket.recv(&mut bytes).unwrap_or_else(|e| panic!("no {begins}: {e}; {:?}", self.heard));
                let message = String::from_utf8(bytes[..length].to_vec()).unwrap();
                self.heard.push(message.clone());
                if message.starts_with(begins) {
                    return message;
                }
            }
        }

        /// The messages not read yet.
        fn pending(&mut self) -> Vec<String> {
            self.socket.set_nonblocking(true).unwrap();
            let mut bytes = [0; 4096];
            let mut said = Vec::new();
            while let Ok(length) = self.socket.recv(&mut bytes) {
                said.push(String::from_utf8(bytes[..length].to_vec()).unwrap());
            }
            self.socket.set_nonblocking(false).unwrap();
            said
        }
    }

    #[test]
    fn the_service_manager_gets_ready_reloading_stopping_and_watchdog() {
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(sqlite(), &sandbox.lines(), &topics(&["acme"]));
        let mut manager = Manager::at(&place);
        let going = manager.start(&place);
        manager.wait_until("STATUS=next: acme at 20");
        manager.wait_until("READY=1");
        for _ in 0..3 {
            manager.wait_until("WATCHDOG=1");
        }
        place.configure(&sandbox.lines(), &topics(&["acme", "globex"]));
        going.signal("HUP");
        let reloading = manager.wait_until("RELOADING=1");
        let since = reloading.lines().find_map(|line| line.strip_prefix("MONOTONIC_USEC=")).unwrap();
        assert!(since.parse::<u64>().unwrap() > 0);
        manager.wait_until("READY=1");
        going.signal("TERM");
        manager.wait_until("STOPPING=1");
        assert_eq!(going.wait().code, Some(0));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_service_manager_at_an_abstract_socket_gets_notifications() {
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(sqlite(), &sandbox.lines(), &topics(&["acme"]));
        let mut manager = Manager::abstract_at(&place);
        let going = manager.start(&place);
        manager.wait_until("READY=1");
        manager.wait_until("WATCHDOG=1");
        going.signal("TERM");
        manager.wait_until("STOPPING=1");
        assert_eq!(going.wait().code, Some(0));
    }

    #[test]
    fn a_hanging_loop_sends_no_watchdog_notifications() {
        let Some(database) = postgres() else { return };
        let sandbox = sandbox_of_today(&[]);
        let rest = format!("[scheduler]\nlease = \"1s\"\n\n{}", topics(&["acme"]));
        let place = Place::new(database, &sandbox.lines(), &rest);
        let mut manager = Manager::at(&place);
        let going = manager.start(&place);
        manager.wait_until("WATCHDOG=1");
        let url: sqlx::postgres::PgConnectOptions = place.database.url.parse().unwrap();
        let schema = place.database.schema.clone();
        block_on(async {
            use sqlx::{AssertSqlSafe, Connection as _, Executor as _};
            let mut holder = sqlx::PgConnection::connect_with(&url).await.unwrap();
            let lock = format!("BEGIN; LOCK TABLE {schema}.job IN ACCESS EXCLUSIVE MODE");
            holder.execute(sqlx::raw_sql(AssertSqlSafe(lock))).await.unwrap();
            let waiting =
                format!("SELECT count(*) FROM pg_locks WHERE relation = '{schema}.job'::regclass AND NOT granted");
            wait_until("the loop hangs", || place.database.number(&waiting) > 0);
            manager.pending();
            // Its other tasks continue and send heartbeats to the database, for three watchdog intervals.
            for _ in 0..4 {
                let seen = place.database.number("SELECT max(seen_at) FROM instance");
                wait_until("a sign of life", || place.database.number("SELECT max(seen_at) FROM instance") > seen);
            }
            let said = manager.pending();
            assert!(!said.iter().any(|message| message.contains("WATCHDOG=1")), "{said:?}");
            holder.execute(sqlx::raw_sql("ROLLBACK")).await.unwrap();
        });
        manager.wait_until("WATCHDOG=1");
        going.signal("TERM");
        assert_eq!(going.wait().code, Some(0));
    }

    #[test]
    fn systemd_accepts_the_units() {
        if Command::new("systemd-analyze").arg("--version").output().is_err() {
            eprintln!("skipped: the units are not verified (there is no systemd-analyze)");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let deploy = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
        for name in ["topicwatch.service", "topicwatch-once.service", "topicwatch-once.timer"] {
            let text = std::fs::read_to_string(deploy.join(name)).unwrap();
            let text = text.replace("/usr/local/bin/topicwatch", env!("CARGO_BIN_EXE_topicwatch"));
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        for name in ["topicwatch.service", "topicwatch-once.service", "topicwatch-once.timer"] {
            let mut verify = Command::new("systemd-analyze");
            verify.args(["verify", "--recursive-errors=no", "--man=no", name]).current_dir(folder.path());
            let said = verify.output().unwrap();
            let text = String::from_utf8_lossy(&said.stderr).into_owned();
            let ours: Vec<&str> = text.lines().filter(|line| line.contains("topicwatch")).collect();
            assert!(said.status.success() && ours.is_empty(), "{name}:\n{text}");
        }
    }
}
