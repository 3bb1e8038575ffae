//! Describes a schedule in words, including the days on which its zone's clock changes. Its slots come from
//! `Schedule::slots`; nothing here decides when a job is due.

use jiff::civil::{DateTime, Time as ClockTime};
use jiff::tz::{Offset, TimeZone};

use super::count::{before, matching_between};
use super::duration::format_duration;
use super::local::second_after;
use super::{Schedule, ScheduleError, When, zone};
use crate::model::{CatchUp, Overlap, Period, SchedulePolicy, Time};

/// How long after a clock change a slot still gets a note about it.
const NEAR: std::time::Duration = std::time::Duration::from_secs(86_400);
/// The most changes of a zone's rules to search for clock changes.
const MOST_CHANGES: usize = 64;
/// The most times listed one by one.
const NAMED: usize = 3;

/// A schedule in words.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Explanation {
    /// `local times`, `real time` or `period`.
    pub follows: &'static str,
    /// The rules: a label and its text.
    pub rules: Vec<(&'static str, String)>,
    /// The next slots.
    pub slots: Vec<LocalSlot>,
    /// The next two clock changes of the zone, even if no listed slot is near.
    pub changes: Vec<ClockChange>,
}

/// A slot in the local time of its zone.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct LocalSlot {
    pub slot: Time,
    /// `Sun 2026-10-25 02:30`.
    pub local: String,
    /// `+02:00`.
    pub offset: String,
    /// How a nearby clock change affects the slot.
    pub note: Option<String>,
}

/// A clock change of a zone.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ClockChange {
    pub at: Time,
    /// `Sun 2026-10-25: 03:00 becomes 02:00 (+02:00 becomes +01:00)`.
    pub clock: String,
    /// What the schedule does on that day.
    pub effect: String,
}

/// Describes the schedule of a policy, with `next` slots after an instant.
///
/// # Errors
/// [`ScheduleError`] as [`Schedule::compile`].
pub fn explain(policy: &SchedulePolicy, after: Time, next: usize) -> Result<Explanation, ScheduleError> {
    let schedule = Schedule::compile(policy)?;
    let zone = zone::find_zone(&policy.timezone)?;
    let mut slots = Vec::with_capacity(next.min(1_000));
    let mut last = after;
    for slot in schedule.slots(after, Time(i64::MAX)).take(next) {
        slots.extend(local_slot(&schedule, &zone, last, slot));
        last = slot;
    }
    let changes = changes(&zone, after).take(2).map(|change| ClockChange {
        at: change.at,
        clock: change.text(),
        effect: change.effect(&schedule.when),
    });
    let changes: Vec<ClockChange> = changes.collect();
    let (follows, meaning) = clock_rule(&schedule.when, !changes.is_empty());
    Ok(Explanation { follows, rules: rules(&schedule, policy, meaning), slots, changes })
}

/// Returns what the schedule follows. `moves` is whether the zone's clock will change; otherwise changes need no words.
fn clock_rule(when: &When, moves: bool) -> (&'static str, String) {
    let (follows, meaning, changing) = match when {
        When::Every(_) => ("period", "real time, counted from 1970-01-01T00:00:00Z, regardless of clock changes", ""),
        When::Cron(cron) if cron.real_time => (
            "real time",
            "real time: every instant at which the zone's clock shows a matching time",
            "; times that occur twice run twice, times that are skipped do not run",
        ),
        When::Cron(_) => (
            "local times",
            "fixed local times: each runs once on a matching day",
            "; a time that the clock skips runs at the first instant after it, a time that occurs twice runs the first time",
        ),
    };
    (follows, format!("{meaning}{}", if moves { changing } else { "" }))
}

fn rules(schedule: &Schedule, policy: &SchedulePolicy, meaning: String) -> Vec<(&'static str, String)> {
    let format_ms = |ms: u64| format_duration(std::time::Duration::from_millis(ms));
    let period = match &policy.period {
        Period::Cron(expression) => super::duration::show(expression),
        Period::Every(ms) => format!("every {}", format_ms(*ms)),
    };
    let window = format_ms(policy.catch_up_window_ms);
    let missed = match policy.catch_up {
        CatchUp::Latest => format!("after an outage, only the latest slot of the last {window} runs"),
        CatchUp::All => format!(
            "the latest {} of the last {window} run, oldest first; the others are recorded as missed",
            policy.max_catch_up_runs
        ),
        CatchUp::None => "none run; all are recorded as missed".to_owned(),
    };
    let overlap = match policy.overlap {
        Overlap::Skip => "a slot due during a run is recorded as skipped",
        Overlap::BufferOne => "one slot due during a run waits; further ones are recorded as skipped",
        Overlap::Allow => "a slot due during a run runs in parallel",
    };
    let start = if policy.jitter_ms == 0 {
        "at the slot".to_owned()
    } else {
        format!("up to {} after the slot, always the same for a slot", format_ms(policy.jitter_ms))
    };
    let many = if policy.max_attempts == 1 {
        "1 attempt, even".to_owned()
    } else {
        format!("{} attempts", policy.max_attempts)
    };
    let limits = format!("{} at most; {many} if its process dies", format_ms(policy.timeout_ms));
    let mut rules = vec![("schedule", period), ("timezone", policy.timezone.clone()), ("follows", meaning)];
    if policy.paused {
        rules.push(("paused", "nothing is planned; the slots below are those it would have".to_owned()));
    }
    rules.extend([("missed", missed), ("overlap", overlap.to_owned()), ("start", start), ("run", limits)]);
    rules.extend(schedule.warnings().iter().map(|warning| ("warning", warning.clone())));
    rules
}

fn local_slot(schedule: &Schedule, zone: &TimeZone, last: Time, slot: Time) -> Option<LocalSlot> {
    let at = slot.to_jiff()?;
    let civil = zone.to_datetime(at);
    let near = changes(zone, last.max(Time(slot.minus(NEAR).0 - 1))).take_while(|change| change.at <= slot);
    let note = near.last().map(|change| change.effect(&schedule.when));
    Some(LocalSlot {
        slot,
        local: format!("{} {} {}", weekday(civil), civil.date(), clock(civil.time())),
        offset: format_offset(zone.to_offset(at)),
        note: note.or_else(|| fold(schedule, zone, slot)),
    })
}

/// Returns the note for a slot in the first pass of a repeated time.
fn fold(schedule: &Schedule, zone: &TimeZone, slot: Time) -> Option<String> {
    let change = changes(zone, slot).next()?;
    let back = change.old.duration_since(change.new);
    let first_pass = change.at.0 - slot.0;
    (back.is_positive() && i128::from(first_pass) <= back.as_millis()).then(|| change.effect(&schedule.when))
}

/// A clock change, with the civil times before and after it.
struct Change {
    at: Time,
    old: DateTime,
    new: DateTime,
    offsets: (Offset, Offset),
}

/// Returns the clock changes of a zone after an instant, without rule changes that leave the clock alone.
fn changes(zone: &TimeZone, after: Time) -> impl Iterator<Item = Change> {
    after.to_jiff().into_iter().flat_map(|after| zone.following(after)).take(MOST_CHANGES).filter_map(|change| {
        let at = change.timestamp();
        let old = before(zone, at)?;
        let new = change.offset().to_datetime(at);
        let earlier = at.checked_sub(jiff::SignedDuration::from_secs(1)).ok()?;
        let offsets = (zone.to_offset(earlier), change.offset());
        (old != new).then(|| Change { at: Time::from_jiff(at), old, new, offsets })
    })
}

impl Change {
    fn text(&self) -> String {
        let (old, new) = self.offsets;
        format!(
            "{} {}: {} becomes {} ({} becomes {})",
            weekday(self.old),
            self.old.date(),
            clock(self.old.time()),
            time_near(self.new, self.old),
            format_offset(old),
            format_offset(new)
        )
    }

    /// Describes what a schedule does at this change.
    fn effect(&self, when: &When) -> String {
        let (first, end) = (self.old.min(self.new), self.old.max(self.new));
        let gap = self.old < self.new;
        let When::Cron(cron) = when else {
            return format!(
                "{} becomes {} on {}: real time continues, no slot is skipped or doubled",
                clock(self.old.time()),
                time_near(self.new, self.old),
                self.old.date()
            );
        };
        let times = matching_between(cron, first, end);
        let mut named = Vec::new();
        let mut from = first;
        while let Some(found) = cron.search(from).filter(|found| *found < end && named.len() < NAMED) {
            named.push(time_near(found, first));
            match second_after(found) {
                Some(later) => from = later,
                None => break,
            }
        }
        let day = first.date();
        if named.is_empty() {
            let what = if gap { "does not exist" } else { "occurs twice" };
            return format!(
                "{} to {} {what} on {day}: no slot falls in it",
                clock(first.time()),
                time_near(end, first)
            );
        }
        let list = listed(&named, times);
        let one = times == 1;
        match (gap, cron.real_time) {
            (true, true) => {
                let (exists, runs) = if one { ("does", "does") } else { ("do", "they do") };
                format!("{list} {exists} not exist on {day}: {runs} not run")
            }
            (true, false) => {
                let (exists, runs) = if one { ("does", "runs once") } else { ("do", "they run once, together,") };
                let shared = cron.search(end) == Some(end);
                let with = if shared { ", combined with the slot at that time" } else { "" };
                format!("{list} {exists} not exist on {day}: {runs} at {}{with}", time_near(end, first))
            }
            (false, true) => {
                let (occurs, runs) = if one { ("occurs", "runs") } else { ("occur", "they run") };
                format!("{list} {occurs} twice on {day}: {runs} both times")
            }
            (false, false) => {
                let (occurs, runs) = if one { ("occurs", "runs") } else { ("occur", "they run") };
                format!("{list} {occurs} twice on {day}: {runs} the first time")
            }
        }
    }
}

fn listed(named: &[String], times: u64) -> String {
    let more = times.saturating_sub(named.len() as u64);
    match named {
        _ if more > 0 => format!("{} and {more} more", named.join(", ")),
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => named.join(", "),
    }
}

/// Formats a civil time, with its date if it differs from that of `other`.
fn time_near(civil: DateTime, other: DateTime) -> String {
    let time = clock(civil.time());
    if civil.date() == other.date() { time } else { format!("{} {time}", civil.date()) }
}

/// `02:30`, with seconds if not zero.
fn clock(time: ClockTime) -> String {
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    if second == 0 { format!("{hour:02}:{minute:02}") } else { format!("{hour:02}:{minute:02}:{second:02}") }
}

fn format_offset(offset: Offset) -> String {
    let seconds = offset.seconds();
    let (sign, seconds) = (if seconds < 0 { '-' } else { '+' }, seconds.unsigned_abs());
    let text = format!("{sign}{:02}:{:02}", seconds / 3_600, seconds / 60 % 60);
    if seconds.is_multiple_of(60) { text } else { format!("{text}:{:02}", seconds % 60) }
}

fn weekday(civil: DateTime) -> &'static str {
    use jiff::civil::Weekday::{Friday, Monday, Saturday, Sunday, Thursday, Tuesday, Wednesday};
    match civil.weekday() {
        Monday => "Mon",
        Tuesday => "Tue",
        Wednesday => "Wed",
        Thursday => "Thu",
        Friday => "Fri",
        Saturday => "Sat",
        Sunday => "Sun",
    }
}
