//! The schedule keys: from written values to a checked policy. The module `schedule` decides what a schedule means.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Duration;

use crate::config::file::document::Document;
use crate::config::file::key_reader::{Reader, key};
use crate::config::keys::Section;
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::mistake::Mistakes;
use crate::config::values::scalars::{duration, flag, format_duration, text, to_fault};
use crate::config::values::value::{ConfigValue, Value};
use crate::model::{CatchUp, Overlap, Period, SchedulePolicy, SocialQuery, Time, Unscheduled, Window};
use crate::schedule::{self, Uncovered};
use crate::search::{Dialect, catches_up};

const DAY: Duration = Duration::from_secs(86_400);

/// A compiled schedule, and what is known about it.
#[derive(Clone)]
struct CompiledSchedule {
    warnings: Vec<String>,
    uncovered: Option<Uncovered>,
}

/// How far the social searches of a topic look back.
#[derive(Clone, Copy)]
pub(in crate::config) struct SearchReach<'q> {
    pub(in crate::config) window: Window,
    /// The dialect and the query, if both are known: some calls make up for a gap.
    pub(in crate::config) call: Option<(Dialect, &'q SocialQuery)>,
}

/// Reads schedules and compiles each distinct one once: with thousands of topics, most share theirs.
pub(in crate::config) struct Schedules {
    now: Time,
    known: HashMap<(String, String, Window), Result<CompiledSchedule, Fault>>,
}

impl Schedules {
    /// Creates an empty set; hours that no run would cover are counted from `now`.
    pub(in crate::config) fn new(now: Time) -> Self {
        Self { now, known: HashMap::new() }
    }

    /// Reads a policy. Returns `None` if there is no schedule, or if it has a mistake, which is reported.
    pub(in crate::config) fn read(
        &mut self,
        reader: &Reader<'_>,
        mistakes: &mut Mistakes<'_>,
    ) -> Option<SchedulePolicy> {
        self.read_topic(reader, None, mistakes).0
    }

    /// The same for a topic, including topics without a schedule. `reach` is how far the topic's social searches look
    /// back, if it has any.
    pub(in crate::config) fn read_topic(
        &mut self,
        reader: &Reader<'_>,
        reach: Option<SearchReach<'_>>,
        mistakes: &mut Mistakes<'_>,
    ) -> (Option<SchedulePolicy>, Option<Unscheduled>) {
        let period = period(reader, mistakes);
        // A section that lacks some of these keys uses the defaults of topics.
        let topic = Reader { section: Section::Topic, tables: &[] };
        let of = |name: &str| if key(reader.section, name).is_some() { reader } else { &topic };
        let timezone = reader.read(mistakes, "timezone", |value| {
            let name = text(value)?;
            zone(&name).map(|()| name)
        });
        let catch_up_window_ms = of("catch_up_window").read(mistakes, "catch_up_window", catch_up_window);
        let limits = |least: u64, most: u64| (Duration::from_secs(least), Duration::from_secs(most));
        let mut span = |name: &str, (least, most): (Duration, Duration)| {
            of(name).read(mistakes, name, |value| duration(value, least, most)).map(millis)
        };
        let jitter_ms = span("jitter", limits(0, 86_400));
        let timeout_ms = span("timeout", limits(1, 86_400));
        let catch_up = of("catch_up").choice(mistakes, "catch_up", CatchUp::parse);
        let overlap = of("overlap").choice(mistakes, "overlap", Overlap::parse);
        let max_catch_up_runs = of("max_catch_up_runs").count(mistakes, "max_catch_up_runs");
        let max_attempts = of("max_attempts").count(mistakes, "max_attempts");
        let paused = of("paused").read(mistakes, "paused", flag);

        let unscheduled =
            timezone.clone().zip(timeout_ms).map(|(timezone, timeout_ms)| Unscheduled { timezone, timeout_ms });
        let Some((setting, period)) = period else { return (None, unscheduled) };
        // Compile even if another key is wrong, to find every mistake at once.
        let zone = timezone.as_deref().unwrap_or("UTC");
        let sound = self.compile(
            &setting,
            &SchedulePolicy::timing_only(period.clone(), zone),
            reach,
            catch_up_window_ms,
            mistakes,
        );
        let policy = || {
            Some(SchedulePolicy {
                period,
                timezone: timezone?,
                catch_up: catch_up?,
                catch_up_window_ms: catch_up_window_ms?,
                max_catch_up_runs: max_catch_up_runs?,
                overlap: overlap?,
                jitter_ms: jitter_ms?,
                timeout_ms: timeout_ms?,
                max_attempts: max_attempts?,
                paused: paused?,
            })
        };
        (policy().filter(|_| sound), unscheduled)
    }

    /// Whether a schedule has several slots on some local day of the next week.
    pub(super) fn is_several_per_day(&self, policy: &SchedulePolicy) -> bool {
        let until = self.now.plus(DAY * 8);
        schedule::Schedule::compile(policy).is_ok_and(|schedule| {
            let days = schedule.count_first_of_day(&policy.timezone, self.now, until);
            days.is_ok_and(|days| schedule.count(self.now, until) > days)
        })
    }

    /// Whether a schedule has more than `most` slots in the next `days` days.
    pub(super) fn more_than(&self, policy: &SchedulePolicy, most: u64, days: u32) -> bool {
        let until = self.now.plus(DAY * days);
        schedule::Schedule::compile(policy).is_ok_and(|schedule| schedule.count(self.now, until) > most)
    }

    /// Compiles the schedule. Reports errors and warnings where it is written.
    fn compile(
        &mut self,
        (name, setting): &(&'static str, ConfigValue),
        policy: &SchedulePolicy,
        reach: Option<SearchReach<'_>>,
        catch_up_ms: Option<u64>,
        mistakes: &mut Mistakes<'_>,
    ) -> bool {
        let window = reach.map_or(Window::Past7Days, |reach| reach.window);
        let now = self.now;
        let spelling = match &policy.period {
            Period::Cron(cron) => format!("cron {cron}"),
            Period::Every(ms) => format!("every {ms}"),
        };
        let checked = self.known.entry((spelling, policy.timezone.clone(), window)).or_insert_with(|| {
            let schedule = schedule::Schedule::compile(policy).map_err(to_fault)?;
            let uncovered = schedule::largest_uncovered_gap(&schedule, window, now);
            Ok(CompiledSchedule { warnings: schedule.warnings().to_vec(), uncovered })
        });
        let checked = match checked {
            Ok(checked) => checked,
            Err(fault) => {
                mistakes.fault(name, &setting.origin, fault.clone());
                return false;
            }
        };
        let span = setting.origin.span();
        for warning in &checked.warnings {
            mistakes.warn(span, format!("`{name}`: {warning}"), "");
        }
        if let (Some(reach), Some(uncovered)) = (reach, &checked.uncovered) {
            warn_of_gaps(name, span, reach, uncovered, catch_up_ms, mistakes);
        }
        true
    }
}

/// Warns if runs are further apart than the window, unless only a clock change causes that and the runs make up for it
/// by themselves.
fn warn_of_gaps(
    name: &str,
    span: Option<&Range<usize>>,
    reach: SearchReach<'_>,
    uncovered: &Uncovered,
    catch_up_ms: Option<u64>,
    mistakes: &mut Mistakes<'_>,
) {
    let (window, over) = (reach.window, format_hours(uncovered.over));
    let Some(date) = &uncovered.clock_change else {
        let message =
            format!("`{name}` runs less often than `window` = \"{window}\": {over} between two runs are not covered");
        let wider = if window == Window::Past24Hours { ", or set window = \"PAST_7_DAYS\"" } else { "" };
        mistakes.warn(
            span,
            message,
            format!(
                "run it at least every {}{wider}; each run covers the gap only as far back as its call can look",
                format_hours(window.length())
            ),
        );
        return;
    };
    let (gap, catch_up) = (window.length() + uncovered.over, Duration::from_millis(catch_up_ms.unwrap_or_default()));
    if reach.call.is_some_and(|(dialect, query)| catches_up(dialect, query, window, gap, catch_up)) {
        return;
    }
    let message = format!("`{name}` leaves {over} outside `window` = \"{window}\" on {date}, when the clocks change");
    mistakes.warn(span, message, "set timezone = \"UTC\", or run it more often");
}

/// Formats whole hours as hours, because windows are given in hours.
fn format_hours(length: Duration) -> String {
    let seconds = length.as_secs();
    if seconds >= 3_600 && seconds.is_multiple_of(3_600) {
        format!("{} h", seconds / 3_600)
    } else {
        format_duration(length)
    }
}

fn catch_up_window(value: &Value) -> Result<u64, Fault> {
    duration(value, Duration::from_secs(60), 366 * DAY).map(millis)
}

/// Returns the `catch_up_window` of each topic with a schedule, in milliseconds, even if another of its keys is wrong.
pub(in crate::config) fn catch_up_windows(document: &Document) -> impl Iterator<Item = u64> + '_ {
    document.topics.iter().filter_map(|topic| {
        let tables = [topic, &document.defaults];
        let reader = Reader { section: Section::Topic, tables: &tables };
        reader.written("schedule").or_else(|| reader.written("every"))?;
        catch_up_window(&reader.value_or_default("catch_up_window")?.value).ok()
    })
}

fn millis(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}

/// Reads `schedule` or `every` from the nearest table that has either. Both in one table are a mistake.
fn period(reader: &Reader<'_>, mistakes: &mut Mistakes<'_>) -> Option<((&'static str, ConfigValue), Period)> {
    let table = reader.tables.iter().find(|t| t.values.contains_key("schedule") || t.values.contains_key("every"))?;
    let nearest = Reader { section: reader.section, tables: std::slice::from_ref(table) };
    let length = |value: &Value| duration(value, Duration::from_secs(60), 366 * DAY);
    if let (Some(_), Some(_)) = (table.values.get("schedule"), table.values.get("every")) {
        let span = table.key_span("every").cloned().unwrap_or_default();
        mistakes.at(&span, "`every` cannot be combined with `schedule`", "keep one of the two");
        // Whichever is kept, its mistakes are reported now.
        nearest.read(mistakes, "schedule", |value| {
            let policy = SchedulePolicy::timing_only(Period::Cron(text(value)?), "UTC");
            schedule::Schedule::compile(&policy).map(drop).map_err(to_fault)
        });
        nearest.read(mistakes, "every", length);
        return None;
    }
    if let Some(setting) = table.values.get("schedule") {
        let cron = nearest.read(mistakes, "schedule", text)?;
        return Some((("schedule", setting.clone()), Period::Cron(cron)));
    }
    let setting = table.values.get("every")?.clone();
    let every = nearest.read(mistakes, "every", length)?;
    Some((("every", setting), Period::Every(millis(every))))
}

/// Builds the schedule of a maintenance job, in UTC. It catches up for at most one day.
pub(super) fn maintenance_schedule(cron: &str, timeout: Duration) -> Result<SchedulePolicy, Fault> {
    let period = Period::Cron(cron.to_owned());
    let policy = SchedulePolicy {
        catch_up_window_ms: millis(DAY),
        timeout_ms: millis(timeout),
        max_attempts: 3,
        ..SchedulePolicy::timing_only(period, "UTC")
    };
    schedule::Schedule::compile(&policy).map_err(to_fault)?;
    Ok(policy)
}

/// Checks a time zone by the rule of `schedule`.
fn zone(name: &str) -> Result<(), Fault> {
    schedule::check_zone(name).map_err(to_fault)
}
