//! Clocks that jump, are wrong or change to summer time, under a real daemon. Cases that need libfaketime are ignored
//! by a plain `cargo test`; `scripts/test` runs them where the library is installed. The fake clock always advances.

use std::path::PathBuf;
use std::time::Duration;

use topicwatch::daemon::system_clock;
use topicwatch::model::Time;

use crate::support::daemons::sandbox_of_today;
use crate::support::databases::{databases, postgres, sqlite};
use crate::support::ledger_checks::assert_sound;
use crate::support::program::{NINE, Place, Program, wait_until};
use crate::support::service::Sandbox;

fn faketime_library() -> PathBuf {
    if let Some(named) = std::env::var_os("TEST_LIBFAKETIME") {
        return named.into();
    }
    let folders = std::fs::read_dir("/usr/lib").unwrap().map(|entry| entry.unwrap().path().join("faketime"));
    let found = folders.map(|folder| folder.join("libfaketimeMT.so.1")).find(|file| file.is_file());
    found.expect("libfaketime is not here: install Debian's `faketime`, or name it with TEST_LIBFAKETIME")
}

/// A clock with an offset that is read from a file.
struct FakeClock<'a> {
    place: &'a Place,
}

impl FakeClock<'_> {
    /// Sets the offset so that the clock shows this time now.
    fn set_clock(&self, at: &str) {
        let ahead = (Time::parse(at).unwrap().0 - system_clock()().0) as f64 / 1_000.0;
        let (file, new) = (self.place.path("clock"), self.place.path("clock.new"));
        std::fs::write(&new, format!("{ahead:+.3}")).unwrap();
        std::fs::rename(new, file).unwrap();
    }

    /// A program that uses this clock.
    fn program(&self, args: &[&str]) -> Program {
        let program = self.place.program(args).env("LD_PRELOAD", faketime_library().to_str().unwrap()).env("TZ", "UTC");
        let program = program.env("FAKETIME_TIMESTAMP_FILE", self.place.path("clock").to_str().unwrap());
        program.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
    }
}

const SANDBOX: &str = "base_url = \"sandbox\"";

fn topic(id: &str, schedule: &str, zone: &str) -> String {
    format!(
        "[[topics]]\nid = \"{id}\"\nquery = \"acme launch\"\nsources = [\"social\"]\nschedule = \"{schedule}\"\ntimezone = \"{zone}\"\n\n"
    )
}

/// `slot state` of every planned run of a topic, in order of time.
fn slots(place: &Place, topic: &str) -> Vec<String> {
    let rows = place.json(&["runs", "--json", "--topic", topic, "--limit", "1000"]);
    let mut rows: Vec<String> = rows["runs"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|run| Some(format!("{} {}", run["slot"].as_str()?.replace(".000Z", "Z"), run["state"].as_str()?)))
        .collect();
    rows.sort();
    rows
}

/// Zone, schedule, the one slot of that day, and the second occurrence of its local time, at which nothing must run.
const DAYS: &[(&str, &str, &str, Option<&str>)] = &[
    ("Europe/Berlin", "30 2 * * *", "2026-03-29T01:00:00Z", None),
    ("Europe/Berlin", "30 2 * * *", "2026-10-25T00:30:00Z", Some("2026-10-25T01:30:00Z")),
    ("America/New_York", "30 2 * * *", "2026-03-08T07:00:00Z", None),
    ("America/New_York", "30 1 * * *", "2026-11-01T05:30:00Z", Some("2026-11-01T06:30:00Z")),
    ("Australia/Lord_Howe", "15 2 * * *", "2026-10-03T15:30:00Z", None),
    ("Australia/Lord_Howe", "45 1 * * *", "2026-04-04T14:45:00Z", Some("2026-04-04T15:15:00Z")),
    ("Africa/Cairo", "30 0 * * *", "2026-04-23T22:00:00Z", None),
    ("Africa/Cairo", "30 23 * * *", "2026-10-29T20:30:00Z", Some("2026-10-29T21:30:00Z")),
    ("Antarctica/Troll", "0 2 * * *", "2026-03-29T01:00:00Z", None),
    ("Antarctica/Troll", "30 1 * * *", "2026-10-24T23:30:00Z", Some("2026-10-25T01:30:00Z")),
];

fn seconds_before(at: &str, seconds: u64) -> String {
    Time::parse(at).unwrap().minus(Duration::from_secs(seconds)).to_string()
}

fn assert_runs_over_clock_change(zone: &str, schedule: &str, slot: &str, second: Option<&str>) {
    let again = second.unwrap_or(slot);
    // Runs at the second occurrence, to show that the daemon was running then.
    let marker = topic("marker", &format!("{} {} * * *", &again[14..16], &again[11..13]), "UTC");
    let place = Place::new(sqlite(), SANDBOX, &(topic("acme", schedule, zone) + &marker));
    let hand = FakeClock { place: &place };
    // Planned an hour earlier, so that a daemon that starts late on a busy machine still owes the slot.
    place.ok(&["once", "--due", "--at", &seconds_before(slot, 3_600)]);
    for (topic, at) in [("acme", slot), ("marker", again)].into_iter().take(if second.is_some() { 2 } else { 1 }) {
        hand.set_clock(&seconds_before(at, 5));
        let mut going = hand.program(&["run"]).start();
        // The daemon's log is read while it works: a process that asks the database each time costs far more.
        let stored = format!("run stored run=\"topic:{topic}@{at}\"");
        going.wait_until(&format!("{zone}: {topic} at {at}"), |said| said.contains(&stored));
        going.signal("TERM");
        assert_eq!(going.wait().code, Some(0));
        assert!(slots(&place, topic).contains(&format!("{at} ok")), "{zone}: {topic} at {at}");
    }
    assert_eq!(slots(&place, "acme"), [format!("{slot} ok")], "{zone} {schedule}");
}

#[test]
#[ignore = "needs libfaketime; scripts/test runs it"]
fn on_days_when_clocks_change_each_local_time_runs_once() {
    for few in DAYS.chunks(5) {
        std::thread::scope(|scope| {
            for (zone, schedule, slot, second) in few {
                scope.spawn(|| assert_runs_over_clock_change(zone, schedule, slot, *second));
            }
        });
    }
}

#[test]
#[ignore = "needs libfaketime; scripts/test runs it"]
fn a_clock_that_steps_hours_ahead_and_back_runs_no_slot_twice() {
    let hourly = topic("acme", "0 * * * *", "UTC");
    let place = Place::new(sqlite(), SANDBOX, &format!("[scheduler]\nlease = \"3s\"\n\n{hourly}"));
    let hand = FakeClock { place: &place };
    place.ok(&["once", "--due", "--at", "2026-03-11T08:30:00Z"]);
    hand.set_clock("2026-03-11T08:59:55Z");
    let mut going = hand.program(&["run"]).start();
    going.wait_until("its start", |said| said.contains("topicwatch"));
    wait_until("the slot", || slots(&place, "acme") == ["2026-03-11T09:00:00Z ok"]);
    hand.set_clock("2026-03-11T12:00:05Z");
    let after = [
        "2026-03-11T09:00:00Z ok",
        "2026-03-11T10:00:00Z missed",
        "2026-03-11T11:00:00Z missed",
        "2026-03-11T12:00:00Z ok",
    ];
    wait_until("three hours more", || slots(&place, "acme") == after);
    // Five hours back, before three of those slots. A manual run shows that the daemon is awake.
    for at in ["2026-03-11T07:00:00Z", "2026-03-11T08:59:58Z", "2026-03-11T11:59:58Z"] {
        hand.set_clock(at);
        // The last heartbeat may still have the other time.
        wait_until("a run by hand", || hand.program(&["topic", "run", "acme", "--wait"]).run().code == Some(0));
        assert_eq!(slots(&place, "acme"), after, "{at}");
    }
    hand.set_clock("2026-03-11T12:59:58Z");
    wait_until("the next slot", || slots(&place, "acme").contains(&"2026-03-11T13:00:00Z ok".to_owned()));
    assert_eq!(slots(&place, "acme").len(), 5);
    going.signal("TERM");
    assert_eq!(going.wait().code, Some(0));
    assert_sound(&place, 0);
}

#[test]
#[ignore = "needs libfaketime; scripts/test runs it"]
fn a_clock_set_back_by_hours_is_reported_once_with_the_delayed_slot() {
    let place = Place::new(sqlite(), SANDBOX, &topic("acme", "0 * * * *", "UTC"));
    let hand = FakeClock { place: &place };
    place.ok(&["once", "--due", "--at", "2026-03-11T09:30:00Z"]);
    hand.set_clock("2026-03-11T09:59:40Z");
    let mut going = hand.program(&["run"]).start();
    going.wait_until("its plan", |said| said.contains("next=2026-03-11T10:00:00Z"));
    hand.set_clock("2026-03-11T05:00:00Z");
    going.wait_until("the log line", |said| said.contains("the clock was set back by "));
    let due = "but not yet by the clock: acme at 2026-03-11T10:00:00Z";
    going.wait_until("what would be due", |said| said.contains(due));
    assert_eq!(slots(&place, "acme"), [""; 0]);
    // Once the clock is right again, the slot runs.
    hand.set_clock("2026-03-11T10:00:05Z");
    wait_until("the slot", || slots(&place, "acme") == ["2026-03-11T10:00:00Z ok"]);
    going.signal("TERM");
    let ended = going.wait();
    assert_eq!(ended.code, Some(0));
    assert_eq!(ended.err.matches("the clock was set back").count(), 1, "{ended}");
    assert_eq!(ended.err.matches(due).count(), 1, "{ended}");
}

#[test]
#[ignore = "needs libfaketime; scripts/test runs it"]
fn a_clock_ten_years_ahead_makes_one_extra_run_and_is_reported() {
    let place = Place::new(sqlite(), SANDBOX, &topic("acme", "0 0 1 * *", "UTC"));
    let hand = FakeClock { place: &place };
    place.ok(&["once", "--due", "--at", "2026-03-31T23:00:00Z"]);
    hand.set_clock("2026-03-31T23:59:55Z");
    let mut going = hand.program(&["run"]).start();
    going.wait_until("its start", |said| said.contains("topicwatch"));
    wait_until("the slot", || slots(&place, "acme") == ["2026-04-01T00:00:00Z ok"]);
    hand.set_clock("2036-04-01T00:00:05Z");
    wait_until("ten years", || slots(&place, "acme").len() == 121);
    assert_eq!(slots(&place, "acme").iter().filter(|slot| slot.ends_with("missed")).count(), 119);
    hand.set_clock("2026-04-20T00:00:00Z");
    going.wait_until("the log line", |said| said.contains("planned into the future"));
    hand.set_clock("2026-04-30T23:59:57Z");
    wait_until("the next real slot", || slots(&place, "acme").contains(&"2026-05-01T00:00:00Z ok".to_owned()));
    going.signal("TERM");
    assert_eq!(going.wait().code, Some(0));
    assert_sound(&place, 0);
}

#[test]
fn slots_recorded_as_missed_by_a_wrong_clock_run_when_they_are_due() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topic("acme", "0 0 1 * *", "UTC"));
        for at in [NINE, "2036-03-11T09:00:00Z", "2026-03-12T09:00:00Z"] {
            place.run(&["once", "--due", "--at", at]);
        }
        let published = place.database.number("SELECT max(seq) FROM v_run");
        sandbox.set_clock("2026-04-01T00:00:01Z");
        place.ok(&["once", "--due", "--at", "2026-04-01T00:00:01Z"]);
        assert!(slots(&place, "acme").contains(&"2026-04-01T00:00:00Z ok".to_owned()), "{:?}", slots(&place, "acme"));
        // A reader that has read up to the last sequence number sees it.
        let run = "SELECT count(*) FROM v_run WHERE state = 'ok' AND slot IS NOT NULL AND seq > ";
        assert_eq!(place.database.number(&format!("{run}{published}")), 1, "{}", place.database.name);
        let reasons = "SELECT DISTINCT reason FROM v_run WHERE slot IS NULL";
        assert_eq!(place.database.texts(reasons), ["recorded by a clock that was ahead"]);
        assert_sound(&place, sandbox.calls());
    }
}

#[test]
fn a_run_started_or_queued_by_a_wrong_clock_blocks_no_later_slot() {
    for (state, database) in
        ["running", "queued"].into_iter().flat_map(|s| databases().into_iter().map(move |d| (s, d)))
    {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topic("acme", "0 0 1 * *", "UTC"));
        let name = format!("{state}, {}", place.database.name);
        for at in [NINE, "2036-03-11T09:00:00Z"] {
            place.run(&["once", "--due", "--at", at]);
        }
        // The process was killed while the run was going on, or stopped before it.
        place.database.reopen_latest_slot(state);
        place.run(&["once", "--due", "--at", "2026-03-12T09:00:00Z"]);
        sandbox.set_clock("2026-04-01T00:00:01Z");
        place.run(&["once", "--due", "--at", "2026-04-01T00:00:01Z"]);
        assert!(
            slots(&place, "acme").contains(&"2026-04-01T00:00:00Z ok".to_owned()),
            "{name}: {:?}",
            slots(&place, "acme")
        );
        assert_eq!(place.database.open_runs(), 0, "{name}");
        let reasons = "SELECT DISTINCT reason FROM v_run WHERE slot IS NULL";
        assert_eq!(place.database.texts(reasons), ["recorded by a clock that was ahead"], "{name}");
    }
}

#[test]
fn reports_continue_after_one_made_by_a_wrong_clock() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let rest = topic("acme", "0 7 * * *", "UTC")
            + "[[reports]]\nname = \"news\"\nwindow = \"since_last\"\nschedule = \"0 8 * * *\"\npath = \"out/{date}\"\n";
        let place = Place::new(database, &sandbox.lines(), &rest);
        for at in [
            "2026-03-11T06:00:00Z",
            "2026-03-11T08:00:01Z",
            "2027-03-12T08:00:01Z",
            "2026-03-12T06:00:00Z",
            "2026-03-12T08:00:01Z",
            "2026-03-13T08:00:01Z",
        ] {
            sandbox.set_clock(at);
            place.run(&["once", "--due", "--at", at]);
        }
        let follows = "SELECT count(*) FROM report a JOIN report b ON b.span_until = a.span_from \
                       WHERE a.run = 'report:news@2026-03-13T08:00:00Z' AND b.run = 'report:news@2026-03-12T08:00:00Z'";
        assert_eq!(place.database.number(follows), 1, "{}", place.database.name);
        let read =
            "SELECT (SELECT max(r.seq) FROM report r) - (SELECT f.seq FROM follower f WHERE f.name = 'report:news')";
        assert_eq!(place.database.number(read), 0, "{}", place.database.name);
    }
}

#[test]
fn a_machine_that_boots_in_1970_records_no_missed_slot() {
    const IN_1970: &str = "1970-01-01T00:00:20Z";
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topic("acme", "0 * * * *", "UTC"));
        let due = |at: &str| {
            sandbox.set_clock(at);
            place.run(&["once", "--due", "--at", at])
        };
        due(IN_1970).assert_stdout(0, &["nothing was due", "next due: acme at 1970-01-01T01:00:00Z"]);
        due(NINE).assert_stdout(0, &["nothing was due", "next due: acme at 2026-03-11T10:00:00Z"]);
        due("2026-03-11T10:00:01Z").assert_stdout(0, &["1 of 1 run ok"]);
        due(IN_1970).assert_stdout(0, &["nothing was due", "next due: acme at 2026-03-11T11:00:00Z"]);
        let output = place.ok(&["status", "--at", IN_1970]);
        assert!(output.contains("2026-03-11T11:00:00Z"), "{}: {output}", place.database.name);
        due("2026-03-11T11:00:01Z").assert_stdout(0, &["1 of 1 run ok"]);
        let expected = ["2026-03-11T10:00:00Z ok", "2026-03-11T11:00:00Z ok"];
        assert_eq!(slots(&place, "acme"), expected, "{}", place.database.name);
    }
}

#[test]
fn a_daily_report_continues_after_runs_by_a_fast_clock() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let rest = topic("acme", "0 7 * * *", "UTC")
            + "[[reports]]\nname = \"daily\"\nschedule = \"0 8 * * *\"\npath = \"out/{date}\"\n";
        let place = Place::new(database, &sandbox.lines(), &rest);
        for at in [
            "2026-03-11T06:00:00Z",
            "2026-03-11T07:00:01Z",
            "2027-03-11T08:00:01Z",
            "2026-03-12T06:00:00Z",
            "2026-03-12T07:00:01Z",
            "2026-03-12T08:00:01Z",
            "2026-03-13T07:00:01Z",
            "2026-03-13T08:00:01Z",
        ] {
            sandbox.set_clock(at);
            place.run(&["once", "--due", "--at", at]);
        }
        // The last report is of the day before. Pruning and other readers go on from there.
        let since = place.json(&["diff", "acme", "--since", "last-report", "--json", "--at", "2026-03-13T09:00:00Z"]);
        assert_eq!(since["runs"], 1, "{}: {since}", place.database.name);
    }
}

#[test]
fn a_daily_answer_by_a_fast_clock_does_not_replace_the_one_of_today() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let more = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nsources = [\"ai\"]\nai.when = \"daily\"\nevery = \"6h\"\n";
        let place = Place::new(database, &sandbox.lines(), more);
        for (at, answers, planned) in [
            ("2027-03-11T09:00:00Z", 1, 1),
            // The clock is right again.
            ("2026-03-11T03:00:00Z", 2, 1),
            ("2026-03-11T09:00:00Z", 2, 1),
            // Set back by some hours, on the same day.
            ("2026-03-11T01:00:00Z", 2, 1),
            ("2026-03-12T09:00:00Z", 3, 1),
        ] {
            let before = place.json(&["plan", "--days", "1", "--json", "--at", at]);
            sandbox.set_clock(at);
            place.ok(&["once", "--at", at]);
            assert_eq!(sandbox.calls(), answers, "{}: {at}", place.database.name);
            let after = place.json(&["plan", "--days", "1", "--json", "--at", at]);
            let calls = |plan: &serde_json::Value| plan["topics"][0]["calls"]["ai"].clone();
            assert_eq!(calls(&after), planned, "{}: {at}: {before}", place.database.name);
        }
    }
}

#[test]
#[ignore = "needs libfaketime; scripts/test runs it"]
fn a_host_ten_minutes_ahead_warns_and_follows_the_database_clock() {
    let Some(database) = postgres() else { return };
    let sandbox = sandbox_of_today(&[]);
    let now = system_clock()();
    let soon = now.plus(Duration::from_secs(8)).to_string();
    let schedule = format!("{} {} * * * *", &soon[17..19], &soon[14..16]);
    let place = Place::new(database, &sandbox.lines(), &topic("acme", &schedule, "UTC"));
    let hand = FakeClock { place: &place };
    // Plans this slot even if the machine is slow; the daemon may start a little after it.
    place.ok(&["once", "--due", "--at", &now.minus(Duration::from_secs(1_800)).to_string()]);
    hand.set_clock(&system_clock()().plus(Duration::from_secs(600)).to_string());
    let mut going = hand.program(&["run"]).start();
    going.wait_until("the difference", |said| said.contains("clock and this machine's differ"));
    wait_until("the slot", || !slots(&place, "acme").is_empty() && slots(&place, "acme")[0].ends_with("ok"));
    let lags = place
        .database
        .lengths("SELECT slot || ' ' || started_at FROM v_run WHERE slot IS NOT NULL AND started_at IS NOT NULL");
    let lag = lags.into_iter().max().unwrap();
    assert!((0..60_000).contains(&lag), "{lag} ms by the database's clock");
    going.signal("TERM");
    let ended = going.wait();
    assert_eq!(ended.code, Some(0));
    let measured = ended.err.split("ahead_ms=").nth(1).unwrap().split_whitespace().next().unwrap();
    let measured: i64 = measured.parse().unwrap();
    assert!((-601_000..-585_000).contains(&measured), "{measured}");
}
