//! Cron expressions: 5 fields, 6 with seconds first, or a nickname. croner parses them and searches the calendar. This
//! file checks them first and chooses the local-time rule.

use std::sync::Arc;
use std::time::Duration;

use croner::parser::{CronParser, Seconds, Year};
use jiff::civil::{Date, DateTime, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::duration::{format_duration, show};
use super::error::{MIN_PERIOD, ScheduleError};
use super::fields::{FIELDS, Field};
use super::{local, zone};
use crate::model::Time;
use crate::model::nearest;

/// Nicknames and their expressions.
const NICKNAMES: [(&str, &str); 7] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
];

/// Longer expressions are refused without parsing.
const MAX_BYTES: usize = 500;

/// A parsed expression with its zone.
#[derive(Debug, Clone)]
pub(super) struct Cron {
    pub(super) pattern: Arc<croner::Cron>,
    pub(super) zone: TimeZone,
    /// Whether a time-of-day field starts with `*`: the pattern then follows real time instead of the wall clock.
    pub(super) real_time: bool,
}

impl Cron {
    pub(super) fn next_after(&self, after: Time) -> Option<Time> {
        let after = after.to_jiff()?;
        let search = |from: DateTime| self.search(from);
        let next: Timestamp = if self.real_time {
            local::next_real(&self.zone, after, search)
        } else {
            local::next_fixed(&self.zone, after, search)
        }?;
        Some(Time::from_jiff(next))
    }

    /// Returns the local date of the time that a slot represents.
    pub(super) fn date_of(&self, slot: Time) -> Option<Date> {
        let at = slot.to_jiff()?;
        let shown = self.zone.to_datetime(at);
        if self.real_time || self.search(shown) == Some(shown) {
            return Some(shown.date());
        }
        // A clock change skipped the time: take the first time of the pattern that the clock would have shown without
        // the change.
        let before = self.zone.to_offset(at.checked_sub(SignedDuration::from_secs(1)).ok()?);
        Some(self.search(before.to_datetime(at))?.min(shown).date())
    }

    /// Returns the first matching civil time at or after `from`.
    pub(super) fn search(&self, from: DateTime) -> Option<DateTime> {
        self.pattern.find_next_occurrence(&from, true).ok()
    }

    /// Returns the shortest distance between two slots by the wall clock if it is less than `least`.
    fn shorter_than(&self, least: Duration) -> Option<Duration> {
        let pattern = &self.pattern.pattern;
        let wide = |values: Vec<u16>| values.into_iter().map(u64::from).collect::<Vec<u64>>();
        let (seconds, minutes) = (wide(pattern.seconds.values()), wide(pattern.minutes.values()));
        let mut times = wide(pattern.hours.values())
            .into_iter()
            .flat_map(|hour| minutes.iter().map(move |minute| hour * 60 + minute))
            .flat_map(|minute| seconds.iter().map(move |second| minute * 60 + second));
        let first = times.next()?;
        let (mut last, mut closest) = (first, u64::MAX);
        for time in times {
            closest = closest.min(time - last);
            last = time;
            if closest == 1 {
                break;
            }
        }
        let over_midnight = first + 86_400 - last;
        if over_midnight < closest && Duration::from_secs(over_midnight) < least && self.matches_consecutive_days() {
            closest = over_midnight;
        }
        let closest = Duration::from_secs(closest);
        (closest < least).then_some(closest)
    }

    /// Returns whether the day fields match two consecutive days in the 28 years after which weekdays and leap years
    /// repeat.
    fn matches_consecutive_days(&self) -> bool {
        let mut day = date(2000, 1, 1).at(0, 0, 0, 0);
        let mut last = None;
        while day.year() < 2029 {
            let Some(found) = self.search(day) else { return false };
            if last.is_some_and(|last| found.date().yesterday().ok() == Some(last)) {
                return true;
            }
            last = Some(found.date());
            match found.date().tomorrow() {
                Ok(tomorrow) => day = tomorrow.at(0, 0, 0, 0),
                Err(_) => return false,
            }
        }
        false
    }
}

/// Checks and parses an expression; the warnings name what is probably not meant.
pub(super) fn compile(
    expression: &str,
    timezone: &str,
    min_period: Option<Duration>,
) -> Result<(Cron, Vec<String>), ScheduleError> {
    let zone = zone::find_zone(timezone)?;
    let mut warnings = Vec::new();
    let fields = checked_fields(expression, &mut warnings)?;
    let excerpt = show(expression.trim());
    let time_fields = if fields.len() == 6 { 3 } else { 2 };
    let real_time = fields.iter().take(time_fields).any(|field| field.starts_with('*'));
    let cron = Cron { pattern: Arc::new(parse(&fields.join(" "), &excerpt)?), zone, real_time };
    if cron.search(date(2000, 1, 1).at(0, 0, 0, 0)).is_none() {
        return Err(never_fires(&excerpt, fields));
    }
    if let Some(least) = min_period
        && let Some(period) = cron.shorter_than(least)
    {
        return Err(too_often(&excerpt, &fields, period, least));
    }
    Ok((cron, warnings))
}

/// Returns the fields with plain numbers, nicknames expanded.
fn checked_fields(expression: &str, warnings: &mut Vec<String>) -> Result<Vec<String>, ScheduleError> {
    let five = "write 5 fields (minute hour day-of-month month day-of-week), such as \"0 9 * * MON-FRI\", 6 with seconds \
                first, or a nickname such as \"@hourly\"";
    if expression.len() > MAX_BYTES {
        return Err(ScheduleError::new(format!("the schedule is longer than {MAX_BYTES} bytes"), five));
    }
    let expression = expression.trim();
    if expression.starts_with('@') {
        return expand_nickname(expression);
    }
    if let Some((name, _)) = expression.split_whitespace().next().and_then(|first| first.split_once('=')) {
        return Err(ScheduleError::new(
            format!("`{}` does not belong in a schedule", show(name)),
            "set the zone with timezone = \"Europe/Berlin\"",
        ));
    }
    let capitals = expression.to_uppercase();
    let field_texts: Vec<&str> = capitals.split_whitespace().collect();
    if !(5..=6).contains(&field_texts.len()) {
        let hint = if field_texts.len() == 7 { "years are not supported: leave out the last field" } else { five };
        return Err(ScheduleError::new(
            format!(
                "`{}` has {} field{} instead of 5 or 6",
                show(expression),
                field_texts.len(),
                if field_texts.len() == 1 { "" } else { "s" }
            ),
            hint,
        ));
    }
    let kinds = &FIELDS[FIELDS.len() - field_texts.len()..];
    let mut fields = Vec::with_capacity(field_texts.len());
    for (kind, text) in kinds.iter().zip(&field_texts) {
        match kind.check(text, warnings) {
            Ok(field) => fields.push(field),
            Err(wrong) => {
                let message = format!("`{}`: {} field: {}", show(expression), kind.name, wrong.what);
                let hint = suggest_correction(kinds, &field_texts)
                    .map_or_else(|| kind.help(), |suggestion| format!("did you mean \"{suggestion}\"?"));
                return Err(ScheduleError::new(message, hint));
            }
        }
    }
    Ok(fields)
}

/// Returns the corrected expression, if a few obvious changes make it valid.
fn suggest_correction(kinds: &[Field], field_texts: &[&str]) -> Option<String> {
    let mut mended = Vec::with_capacity(field_texts.len());
    for (kind, text) in kinds.iter().zip(field_texts) {
        let mut text = (*text).to_owned();
        for _ in 0..4 {
            match kind.check(&text, &mut Vec::new()) {
                Ok(_) => break,
                Err(wrong) => text = wrong.fix?.1,
            }
        }
        mended.push(text);
    }
    let plain: Result<Vec<String>, _> =
        kinds.iter().zip(&mended).map(|(kind, text)| kind.check(text, &mut Vec::new())).collect();
    parse(&plain.ok()?.join(" "), "").ok()?;
    Some(mended.join(" "))
}

fn expand_nickname(text: &str) -> Result<Vec<String>, ScheduleError> {
    let small = text.to_lowercase();
    if let Some((_, fields)) = NICKNAMES.iter().find(|(name, _)| *name == small) {
        return Ok(fields.split(' ').map(str::to_owned).collect());
    }
    let hint = match small.strip_prefix("@every ") {
        Some(period) => format!("write every = \"{}\" instead of a schedule", show(period.trim())),
        None => match nearest(&small, NICKNAMES.iter().map(|(name, _)| *name), 1).first() {
            Some(name) => format!("did you mean \"{name}\"?"),
            None => "nicknames are @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually".to_owned(),
        },
    };
    Err(ScheduleError::new(format!("unknown nickname `{}`", show(text)), hint))
}

fn parse(plain: &str, excerpt: &str) -> Result<croner::Cron, ScheduleError> {
    // croner calls `5/15` (from 5 in steps of 15) sloppy; Debian and Kubernetes accept it.
    let parser = CronParser::builder().seconds(Seconds::Optional).year(Year::Disallowed).sloppy_ranges(true).build();
    parser.parse(plain).map_err(|why| {
        ScheduleError::new(
            format!("`{excerpt}` is not a schedule: {why}"),
            "write 5 fields, such as \"0 9 * * MON-FRI\"",
        )
    })
}

fn never_fires(excerpt: &str, mut fields: Vec<String>) -> ScheduleError {
    let day = fields.len() - 3;
    fields[day] = "L".to_owned();
    ScheduleError::new(
        format!("`{excerpt}` never fires: none of its months has such a day"),
        format!("for the last day of the month write \"{}\"", fields.join(" ")),
    )
}

fn too_often(excerpt: &str, fields: &[String], period: Duration, least: Duration) -> ScheduleError {
    let hint = match fields {
        [_, rest @ ..] if fields.len() == 6 && least <= MIN_PERIOD => {
            format!("with 6 fields, the first is for seconds: write \"0 {}\"", rest.join(" "))
        }
        _ => format!("write a schedule with at least {} between its slots", format_duration(least)),
    };
    let (period, least) = (format_duration(period), format_duration(least));
    ScheduleError::new(format!("`{excerpt}` has slots only {period} apart; the shortest period is {least}"), hint)
}
