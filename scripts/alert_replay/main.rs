//! Runs a series of counts through the real `volume` rule, and prints its alerts and those of two textbook rules as
//! JSON. `alert_replay SERIES.csv WINDOW_SECONDS EVERY_SECONDS TEACHING_ROWS EVENTS.csv`: a series has the columns
//! timestamp and value, in UTC. scripts/alert_benchmark calls it and computes the same numbers itself. See
//! docs/dev/alerts-measured.md.
#![allow(clippy::print_stdout, reason = "a tool for the terminal")]

use std::error::Error;
use std::time::Duration;

use serde_json::{Value, json};
use topicwatch::alert::{Window, measure, parse_events, replay};
use topicwatch::insight::daily::{Day, window_before, windows_at_any_hour};
use topicwatch::insight::{Detection, FiredAlert};
use topicwatch::model::{AlertRule, AlertSpec, Time, TopicLimits};

const ZONE: &str = "UTC";
/// How many days the rule looks back, as in real runs.
const DAYS: i32 = 28;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [series, window, every, teaching, events] = arguments.as_slice() else {
        return Err("SERIES.csv WINDOW_SECONDS EVERY_SECONDS TEACHING_ROWS EVENTS.csv".into());
    };
    let counts = Counts::read(series)?;
    let length = Duration::from_secs(window.parse()?);
    let every = Duration::from_secs(every.parse()?);
    let from =
        counts.at.get(teaching.parse::<usize>()?).copied().ok_or("the series is shorter than the learning rows")?;
    let spec = volume(length)?;
    let events = parse_events(&std::fs::read_to_string(events)?, ZONE, &[]).map_err(|bad| bad.text)?;
    let told = replay(&spec, "series", &counts.windows(length, every));
    let measured = measure(&spec, &told, &events);
    let rules = measured.rules.iter().map(|rule| {
        // Alarms during the training rows do not count.
        let alarms: Vec<FiredAlert> = rule.alarms.iter().filter(|alarm| alarm.at >= from).cloned().collect();
        let found = Detection::of(&alarms, &measured.events);
        let one = |first: &Option<Time>| first.map(|at| at.0);
        json!({ "rule": rule.rule, "alarms": alarms.iter().map(|alarm| alarm.at.0).collect::<Vec<_>>(),
            "alerts": found.alerts, "right": found.right, "found": found.found(), "first": found.first.iter().map(one).collect::<Vec<_>>(),
            "median_delay_ms": found.median_delay().map(|delay| delay.as_millis()) })
    });
    let rules: Vec<Value> = rules.collect();
    println!(
        "{}",
        json!({ "looks": told.runs, "events": measured.events.len(), "not_looked_at": measured.not_looked_at.len(), "rules": rules })
    );
    Ok(())
}

/// A series, with cumulative sums.
struct Counts {
    at: Vec<Time>,
    sums: Vec<u64>,
}

impl Counts {
    fn read(path: &str) -> Result<Self, Box<dyn Error>> {
        let (mut at, mut sums) = (Vec::new(), vec![0]);
        for row in csv::Reader::from_path(path)?.deserialize() {
            let (stamp, count): (String, f64) = row?;
            at.push(Time::parse(&format!("{}Z", stamp.replace(' ', "T"))).ok_or("a timestamp cannot be read")?);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of posts")]
            sums.push(sums.last().copied().unwrap_or(0) + count as u64);
        }
        Ok(Self { at, sums })
    }

    /// The count in a window; `None` when the series does not cover all of it.
    fn inside(&self, window: &Day) -> Option<u64> {
        let row = |at: Time| self.at.partition_point(|stamp| *stamp < at);
        let whole = self.at.first().is_some_and(|first| *first <= window.span.from);
        let sum = |at: Time| self.sums.get(row(at)).copied();
        if whole { Some(sum(window.span.until)? - sum(window.span.from)?) } else { None }
    }

    /// The window before each evaluation, with those at the same hour of earlier days.
    fn windows(&self, length: Duration, every: Duration) -> Vec<Window> {
        let (Some(first), Some(last)) = (self.at.first(), self.at.last()) else { return Vec::new() };
        let looks = std::iter::successors(Some(first.plus(length)), |at| Some(at.plus(every)));
        let one = |at: Time| {
            let of = |back: i32| {
                let day = window_before(at, back, length, ZONE)?;
                Some((day, self.inside(&day)?))
            };
            let (day, count) = of(0)?;
            let earlier: Vec<(Day, u64)> = (1..=DAYS).rev().filter_map(of).collect();
            let inside = |day: Day| Some((day, self.inside(&day)?));
            let at_any_hour = windows_at_any_hour(at, length, ZONE).into_iter().filter_map(inside).collect();
            Some(Window { at, day, count, earlier, at_any_hour })
        };
        looks.take_while(|at| at <= last).filter_map(one).collect()
    }
}

/// A `volume` alert with default settings except its window.
fn volume(window: Duration) -> Result<AlertSpec, Box<dyn Error>> {
    Ok(AlertSpec {
        name: "benchmark".to_owned(),
        rule: AlertRule::Volume,
        topics: Vec::new(),
        tags: Vec::new(),
        words: Vec::new(),
        sources: Vec::new(),
        least: 10,
        window_ms: u64::try_from(window.as_millis())?,
        failures: 3,
        of: 5,
        share: 80,
        channels: Vec::new(),
        cooldown_ms: 3_600_000,
        quiet: None,
        timezone: ZONE.to_owned(),
        recovery: true,
        service: TopicLimits::default(),
        providers: Vec::new(),
        prices: Vec::new(),
        paused: false,
    })
}
