//! `alerts backtest --events` through the binary on both databases, on a random stream with known bursts. This file
//! computes the expected results of the two textbook rules itself.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rand_distr::{Distribution as _, Poisson};
use serde_json::{Value, json};

use crate::support::databases::{databases, sqlite};
use crate::support::program::{Place, ProgramOutput};
use crate::support::world::{ScriptedService, hour, post, run_once};

const ALERT: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"12h\"\n\n\
    [[alerts]]\nname = \"storms\"\nrule = \"volume\"\nwindow = \"1h\"\nmin = 5\n\n\
    [[alerts]]\nname = \"any\"\nrule = \"items\"\nmin = 80\n\n[[alerts]]\nname = \"money\"\nrule = \"budget\"\n";

/// Midnight and noon of twenty days.
const LOOKS: u32 = 40;
/// A midnight above usual noons, a noon above all others, and a noon that is not in the list of events.
const BURSTS: [(u32, u32); 3] = [(24, 45), (31, 95), (35, 95)];
const EVENTS: &str = "begin,end,label\n2026-03-26,,launch\n2026-03-29,,nothing came\n\
    2026-03-22T22:00:00Z,2026-03-23T06:00:00Z,\"night\u{1b}[2J, early\"\n2026-03-01,,before the first run\n";

/// About eight posts at midnight and thirty at noon, at random, and the bursts.
fn counts() -> Vec<u32> {
    let mut random = ChaCha8Rng::seed_from_u64(20_261_124);
    let mut count = |look: u32| {
        let mean = if look.is_multiple_of(2) { 8.0 } else { 30.0 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
        let calm = (Poisson::new(mean).unwrap().sample(&mut random) as u32).clamp(1, 60);
        BURSTS.iter().find(|(at, _)| *at == look).map_or(calm, |(_, count)| *count)
    };
    (0..LOOKS).map(&mut count).collect()
}

/// The textbook rule: fires above the mean of earlier counts by three standard deviations, until it is within two.
fn textbook(counts: &[u32], step: usize) -> Vec<u32> {
    let (mut firing, mut alerts) = (false, Vec::new());
    // The first run is a baseline and has no window.
    for look in 2..counts.len() {
        let before: Vec<f64> =
            (1..look).filter(|other| (look - other) % step == 0).map(|at| f64::from(counts[at])).collect();
        if before.len() < 7 {
            continue;
        }
        let mean = before.iter().sum::<f64>() / before.len() as f64;
        let squares: f64 = before.iter().map(|count| (count - mean).powi(2)).sum();
        let away = (f64::from(counts[look]) - mean) / (squares / (before.len() as f64 - 1.0)).sqrt();
        if away > 3.0 && counts[look] >= 5 && !firing {
            alerts.push(u32::try_from(look).unwrap());
        }
        firing = away > 3.0 || (firing && away > 2.0);
    }
    alerts
}

fn backtest(place: &Place, name: &str, more: &[&str]) -> ProgramOutput {
    let at = hour(12 * LOOKS);
    place.run(&[&["alerts", "backtest", name, "--events", "events.csv", "--at", at.as_str()], more].concat())
}

#[test]
fn a_backtest_shows_precision_and_recall_for_a_list_of_events() {
    let counts = counts();
    let mut reported = Vec::new();
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), ALERT);
        for (look, count) in (0..).zip(&counts) {
            let one = |k: u32| post(look * 100 + k, 12 * look, &format!("{look} post number {k} of acme"), 1);
            world.set_posts(&(0..*count).map(one).collect::<Vec<_>>());
            run_once(&place, 12 * look);
        }
        std::fs::write(place.path("events.csv"), EVENTS).unwrap();
        let printed = backtest(&place, "storms", &[]);
        printed.assert_stdout(0, &[]);
        let whole = backtest(&place, "storms", &["--json"]);
        let whole: Value = serde_json::from_str(&whole.out).unwrap_or_else(|_| panic!("{whole}"));
        let rules = whole["measured"]["rules"].as_array().unwrap();
        let fired = |rule: &Value| -> Vec<String> {
            let at = |alarm: &Value| alarm["at"].as_str().unwrap().replace(".000Z", "Z");
            rule["alarms"].as_array().unwrap().iter().map(at).collect()
        };
        let at = |looks: &[u32]| looks.iter().map(|look| hour(12 * look)).collect::<Vec<_>>();
        assert_eq!(fired(&rules[0]), at(&BURSTS.map(|(look, _)| look)), "{rules:?}");
        assert_eq!(fired(&rules[1]), at(&textbook(&counts, 2)), "{rules:?}");
        assert_eq!(fired(&rules[2]), at(&textbook(&counts, 1)), "{rules:?}");
        assert_eq!(rules[0]["precision"], json!(2.0 / 3.0));
        assert_eq!(rules[0]["median_delay_seconds"], 7 * 3_600);
        assert_eq!(whole["measured"]["left_out"][0]["label"], "before the first run");
        // The `items` rule counts no windows, so there are no rows of textbook rules. Two runs found at least eighty
        // new items.
        let items = backtest(&place, "any", &[]);
        items.assert_stdout(0, &[]);
        reported.push((printed.out, whole, items.out));
    }
    assert!(reported.iter().all(|other| *other == reported[0]), "{reported:#?}");
    // The tables are below the alerts, with the events that each rule found.
    let tables = |printed: &str| printed.split_once("\n\n").unwrap().1.to_owned();
    insta::assert_snapshot!(tables(&reported[0].0), @r"
    begin                 end                   event                  volume  3-sigma  z-score
    2026-03-22T22:00:00Z  2026-03-23T06:00:00Z  night\u{1b}[2J, early  2h      2h       missed
    2026-03-26T00:00:00Z  2026-03-26T23:59:59Z  launch                 12h     12h      12h
    2026-03-29T00:00:00Z  2026-03-29T23:59:59Z  nothing came           missed  missed   missed

    rule     alerts  inside events  precision  events found  recall  median delay
    volume        3              2       67 %        2 of 3    67 %            7h
    3-sigma       3              2       67 %        2 of 3    67 %            7h
    z-score       2              1       50 %        1 of 3    33 %           12h

    1 event is left out: no run of the topic at that time
      2026-03-01T00:00:00Z before the first run
    ");
    insta::assert_snapshot!(tables(&reported[0].2), @r"
    begin                 end                   event                  items
    2026-03-22T22:00:00Z  2026-03-23T06:00:00Z  night\u{1b}[2J, early  missed
    2026-03-26T00:00:00Z  2026-03-26T23:59:59Z  launch                 12h
    2026-03-29T00:00:00Z  2026-03-29T23:59:59Z  nothing came           missed

    rule   alerts  inside events  precision  events found  recall  median delay
    items       2              1       50 %        1 of 3    33 %           12h

    1 event is left out: no run of the topic at that time
      2026-03-01T00:00:00Z before the first run
    ");
}

#[test]
fn a_list_of_events_that_cannot_be_read_is_refused_with_its_line() {
    let world = ScriptedService::new();
    let place = Place::new(sqlite(), &world.lines(), ALERT);
    run_once(&place, 0);
    backtest(&place, "storms", &[])
        .assert_stderr(2, &["events.csv could not be read", "hint: name a CSV file of real events"]);
    for (events, expected) in [
        (&b"begin\n2026-03-12\nlast week\n"[..], "events.csv: line 3: `begin` is not a day or a time: last week"),
        (b"2026-03-12,2026-03-11\n", "hint: swap `begin` and `end`"),
        (b"2026-03-12,,launch,acne\n", "hint: it covers acme"),
        (b"\n", "it contains no events"),
        (b"2026-03-12,,caf\xe9\n", "events.csv is not UTF-8 text"),
        (&[b'2'; (1 << 20) + 1], "events.csv is longer than 1.0 MB"),
    ] {
        std::fs::write(place.path("events.csv"), events).unwrap();
        backtest(&place, "storms", &[]).assert_stderr(2, &[expected]);
    }
    std::fs::write(place.path("events.csv"), "2026-03-11").unwrap();
    backtest(&place, "money", &[]).assert_stderr(2, &["a budget alert cannot be backtested"]);
    // One run, too early to judge, and no alert: the share of nothing is shown as `-`.
    let early = backtest(&place, "storms", &[]);
    early.assert_stdout(0, &["volume        0              0          -        0 of 1     0 %             -\n"]);
}

#[test]
fn only_runs_of_the_alerts_own_topics_are_counted() {
    let world = ScriptedService::new();
    let more = "[[topics]]\nid = \"globex\"\nquery = \"globex\"\nsources = [\"social\"]\n\n\
                [[alerts]]\nname = \"own\"\nrule = \"items\"\nmin = 80\ntopics = [\"acme\"]\n";
    let place = Place::new(sqlite(), &world.lines(), &format!("{ALERT}\n{more}"));
    for at in [0, 12, 24] {
        run_once(&place, at);
    }
    let at = hour(25);
    let run = |args: &[&str]| place.ok(&[&["alerts", "backtest", "own", "--at", at.as_str()], args].concat());
    let output = run(&[]);
    assert!(output.contains("fired 0 times in 3 runs since "), "{output}");
    let output: Value = serde_json::from_str(&run(&["--json"])).unwrap();
    assert_eq!(output["runs"], 3, "{output}");
    let all = place.ok(&["alerts", "backtest", "any", "--at", at.as_str()]);
    assert!(all.contains("fired 0 times in 6 runs since "), "{all}");
}

/// Slots that were missed get their numbers when they are recorded: higher ones than runs that started after them.
#[test]
fn backtest_and_diff_include_runs_that_follow_missed_slots() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), ALERT);
        place.run(&["once", "--due", "--at", &hour(0)]);
        for day in 1..5 {
            world.set_posts(
                &(0..100).map(|n| post(day * 1_000 + n, day * 24, &format!("acme {day} {n}"), 0)).collect::<Vec<_>>(),
            );
            run_once(&place, day * 24 + 1);
        }
        place.run(&["once", "--due", "--at", &hour(5 * 24 + 1)]);
        assert!(place.database.runs_in("missed") > 4);
        let backtest = |days: &str| {
            place.json(&["alerts", "backtest", "any", "--days", days, "--at", &hour(5 * 24 + 1), "--json"])
        };
        // The runs of days 3 and 4, and the one that was due on day 5.
        let (three, nine) = (backtest("2"), backtest("9"));
        assert_eq!((&three["runs"], nine["runs"].as_i64()), (&json!(3), Some(5)), "{three}\n{nine}");
        let end = hour(5 * 24 + 1);
        let changes = place.json(&["diff", "acme", "--since", &hour(3 * 24), "--at", &end, "--json"]);
        assert_eq!(
            (&changes["runs"], &changes["counts"]["new"], &changes["since"]["at"]),
            (&json!(3), &json!(200), &json!("2026-03-13T01:00:00.000Z")),
            "{changes:#}"
        );
    }
}
