//! Counts the slots of an interval without walking through them: the calendar search finds the days, and the times of a
//! day are multiplied. Must agree exactly with `slots`; property tests check this.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::cron::Cron;
use super::local::{last_change, second_after};
use super::{Schedule, ScheduleError, When, zone};
use crate::model::Time;

impl Schedule {
    /// Returns the number of slots in (`after`, `until`], the same as [`Schedule::slots`] yields. The cost depends on
    /// the number of days, not of slots.
    #[must_use]
    pub fn count(&self, after: Time, until: Time) -> u64 {
        if until <= after {
            return 0;
        }
        match &self.when {
            When::Every(period) => {
                u64::try_from(until.0.div_euclid(*period) - after.0.div_euclid(*period)).unwrap_or(0)
            }
            When::Cron(cron) => {
                let (Some(after), Some(until)) = (after.to_jiff(), until.to_jiff()) else { return 0 };
                let counted = if cron.real_time {
                    count_real_time(cron, after, until)
                } else {
                    count_fixed_times(cron, after, until)
                };
                counted.unwrap_or(0)
            }
        }
    }

    /// Returns the last slot in (`after`, `until`], by bisection.
    #[must_use]
    pub fn last(&self, after: Time, until: Time) -> Option<Time> {
        if let When::Every(period) = &self.when {
            let last = Time(until.0.div_euclid(*period).checked_mul(*period)?);
            return (last > after).then_some(last);
        }
        let mut last = self.next_after(after).filter(|slot| *slot <= until)?;
        let mut open = until;
        while last < open {
            let middle = Time(last.0 + (open.0 - last.0) / 2);
            match self.next_after(middle).filter(|slot| *slot <= until) {
                Some(slot) => last = slot,
                None => open = middle,
            }
        }
        Some(last)
    }

    /// Returns how many slots in (`after`, `until`] are the first of their local day.
    ///
    /// # Errors
    /// [`ScheduleError`] if the zone is unknown.
    pub fn count_first_of_day(&self, timezone: &str, after: Time, until: Time) -> Result<u64, ScheduleError> {
        let zone = zone::find_zone(timezone)?;
        let begin = after.to_jiff().and_then(|at| at.to_zoned(zone.clone()).start_of_day().ok());
        let begin = begin.map_or(after, |day| Time(Time::from_jiff(day.timestamp()).0.saturating_sub(1)));
        Ok(self.days(&zone, begin, until).saturating_sub(self.days(&zone, begin, after)))
    }

    /// Returns how many slots in (`after`, `until`] do something that is done once a local day: one for each local day
    /// with a slot. `done`: it was already done on the day of `after`.
    ///
    /// # Errors
    /// [`ScheduleError`] if the zone is unknown.
    pub fn count_daily(&self, timezone: &str, after: Time, until: Time, done: bool) -> Result<u64, ScheduleError> {
        let zone = zone::find_zone(timezone)?;
        if !done {
            return Ok(self.days(&zone, after, until));
        }
        let tomorrow = after.to_jiff().and_then(|at| {
            let tomorrow = zone.to_datetime(at).date().tomorrow().ok()?;
            Some(Time::from_jiff(tomorrow.to_zoned(zone.clone()).ok()?.timestamp()))
        });
        let from = tomorrow.map_or(after, |day| Time(day.0.saturating_sub(1)).max(after));
        Ok(self.days(&zone, from, until))
    }

    /// Returns the number of local days with a slot in (`after`, `until`].
    fn days(&self, zone: &TimeZone, after: Time, until: Time) -> u64 {
        let (mut days, mut from) = (0, after);
        while let Some(slot) = self.next_after(from).filter(|slot| *slot <= until) {
            days += 1;
            let tomorrow = slot.to_jiff().and_then(|at| {
                zone.to_datetime(at).date().tomorrow().ok()?.to_zoned(zone.clone()).ok().map(|day| day.timestamp())
            });
            match tomorrow.map(Time::from_jiff).filter(|tomorrow| *tomorrow > slot) {
                Some(tomorrow) => from = Time(tomorrow.0 - 1),
                None => from = slot,
            }
        }
        days
    }
}

/// Real time: between two clock changes every matching civil time is a slot.
fn count_real_time(cron: &Cron, after: Timestamp, until: Timestamp) -> Option<u64> {
    let times = Times::of(cron);
    let mut offset = cron.zone.to_offset(after);
    let (mut from, mut total) = (second_after(offset.to_datetime(after))?, 0);
    for change in cron.zone.following(after).take_while(|change| change.timestamp() <= until) {
        total += matching(cron, &times, from, offset.to_datetime(change.timestamp()));
        offset = change.offset();
        from = offset.to_datetime(change.timestamp());
    }
    Some(total + matching(cron, &times, from, second_after(offset.to_datetime(until))?))
}

/// Fixed local times: the times in a gap become one slot at its end; repeated times count in their first pass.
fn count_fixed_times(cron: &Cron, after: Timestamp, until: Timestamp) -> Option<u64> {
    let times = Times::of(cron);
    let mut offset = cron.zone.to_offset(after);
    let (mut from, mut total) = (second_after(offset.to_datetime(after))?, 0);
    let whole_second = Timestamp::from_second(after.as_millisecond().div_euclid(1_000)).ok()?;
    if let Some(change) = last_change(&cron.zone, whole_second) {
        from = from.max(before(&cron.zone, change)?);
    }
    for change in cron.zone.following(after).take_while(|change| change.timestamp() <= until) {
        let at = change.timestamp();
        let (old, new) = (offset.to_datetime(at), change.offset().to_datetime(at));
        total += matching(cron, &times, from, old);
        // A time at the very end of the gap is the same slot.
        let left_out = cron.search(old).is_some_and(|civil| civil < new);
        if left_out && cron.search(new) != Some(new) {
            total += 1;
        }
        (from, offset) = (old.max(new), change.offset());
    }
    Some(total + matching(cron, &times, from, second_after(offset.to_datetime(until))?))
}

/// Returns the civil time that the clock would show at a change if it did not change.
pub(super) fn before(zone: &TimeZone, change: Timestamp) -> Option<DateTime> {
    let earlier = change.checked_sub(SignedDuration::from_secs(1)).ok()?;
    Some(zone.to_offset(earlier).to_datetime(change))
}

/// Returns the number of matching civil times in [`from`, `to`), both whole seconds.
pub(super) fn matching_between(cron: &Cron, from: DateTime, to: DateTime) -> u64 {
    matching(cron, &Times::of(cron), from, to)
}

fn matching(cron: &Cron, times: &Times, mut from: DateTime, to: DateTime) -> u64 {
    let mut total = 0;
    while let Some(found) = cron.search(from).filter(|found| *found < to) {
        let day = found.date();
        let end = if to.date() == day { times.before(to) } else { times.all() };
        total += end - times.before(found);
        match day.tomorrow() {
            Ok(tomorrow) => from = tomorrow.at(0, 0, 0, 0),
            Err(_) => break,
        }
    }
    total
}

/// The hours, minutes and seconds of a pattern.
struct Times {
    hours: Vec<u16>,
    minutes: Vec<u16>,
    seconds: Vec<u16>,
}

impl Times {
    fn of(cron: &Cron) -> Self {
        let pattern = &cron.pattern.pattern;
        Self { hours: pattern.hours.values(), minutes: pattern.minutes.values(), seconds: pattern.seconds.values() }
    }

    fn all(&self) -> u64 {
        (self.hours.len() * self.minutes.len() * self.seconds.len()) as u64
    }

    /// Returns how many of the times lie before `civil` on its day.
    fn before(&self, civil: DateTime) -> u64 {
        let place = |values: &[u16], value: i8| {
            let value = u16::try_from(value).unwrap_or(0);
            (values.partition_point(|v| *v < value), values.binary_search(&value).is_ok())
        };
        let (hours, hour) = place(&self.hours, civil.hour());
        let (minutes, minute) = place(&self.minutes, civil.minute());
        let (seconds, _) = place(&self.seconds, civil.second());
        let mut count = hours * self.minutes.len() * self.seconds.len();
        if hour {
            count += minutes * self.seconds.len() + if minute { seconds } else { 0 };
        }
        count as u64
    }
}
