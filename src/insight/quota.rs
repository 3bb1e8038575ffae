//! How the calls of all topics meet `max_calls_per_day`: on which UTC day they would be more, and when on that day the last
//! allowed one is made. Counting real calls is the store's.

use super::forecast::whole;
use super::outlook::Horizon;
use crate::model::{AiWhen, Time, Topic};
use crate::schedule::{Refused, Schedule};

const DAY: i64 = 86_400_000;

/// How the day's limit is met.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Quota {
    /// Calls that may be made in a UTC day.
    pub max_calls_per_day: u32,
    /// Calls made already today.
    pub made_today: i64,
    /// Calls of the fullest UTC day that begins or ends in the horizon, at most, tries after a failure left out.
    pub fullest_day_calls: i64,
    /// That day.
    pub fullest_day: String,
    /// The first day on which the calls would be more than allowed.
    pub used_up: Option<UsedUp>,
    /// On how many days they would.
    pub days_over: u32,
}

/// A day on which more calls are wanted than allowed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct UsedUp {
    /// The UTC day.
    pub day: String,
    /// Calls it would have.
    pub calls: i64,
    /// When the last allowed one is made.
    pub at: Time,
}

/// Topics of one schedule and zone, as far as their calls go.
pub(super) struct Group {
    pub(super) schedule: Schedule,
    timezone: String,
    /// Calls at each slot.
    each: i64,
    /// Calls at the first slot of a local day.
    daily: i64,
}

impl Group {
    pub(super) fn new(schedule: Schedule, timezone: String) -> Self {
        Self { schedule, timezone, each: 0, daily: 0 }
    }

    /// Adds the calls of a topic.
    pub(super) fn add(&mut self, topic: &Topic) {
        let daily = topic.ai.as_ref().is_some_and(|ai| ai.when == AiWhen::Daily);
        self.daily += i64::from(daily);
        self.each += whole(topic.sources().len() as u64) - i64::from(daily);
    }

    /// Calls in (`after`, `until`].
    fn calls(&self, after: Time, until: Time) -> Result<i64, Refused> {
        let daily = match self.daily {
            0 => 0,
            topics => whole(self.schedule.firsts_of_days(&self.timezone, after, until)?).saturating_mul(topics),
        };
        Ok(whole(self.schedule.count(after, until)).saturating_mul(self.each).saturating_add(daily))
    }
}

fn calls(groups: &[Group], after: Time, until: Time) -> Result<i64, Refused> {
    groups.iter().try_fold(0_i64, |sum, group| Ok(sum.saturating_add(group.calls(after, until)?)))
}

/// Looks at every UTC day of the horizon, the last one to its end.
pub(super) fn quota(groups: &[Group], horizon: Horizon) -> Result<Quota, Refused> {
    let limit = i64::from(horizon.limit);
    let today = horizon.from.utc_day();
    let mut told = Quota {
        max_calls_per_day: horizon.limit,
        made_today: horizon.made,
        fullest_day_calls: 0,
        fullest_day: date(today),
        used_up: None,
        days_over: 0,
    };
    for day in today..=today + i64::from(horizon.days) {
        let made = if day == today { horizon.made } else { 0 };
        // A slot at midnight belongs to the day that begins.
        let (after, until) = (horizon.from.max(Time(day * DAY - 1)), Time((day + 1) * DAY - 1));
        let wanted = made.saturating_add(calls(groups, after, until)?);
        if wanted > told.fullest_day_calls {
            (told.fullest_day_calls, told.fullest_day) = (wanted, date(day));
        }
        if wanted > limit && wanted > made {
            told.days_over += 1;
            if told.used_up.is_none() {
                let at = reached(groups, after, until, limit - made)?;
                told.used_up = Some(UsedUp { day: date(day), calls: wanted, at });
            }
        }
    }
    Ok(told)
}

/// The first instant up to which at least so many calls are made, by halving; `after` when none is left.
fn reached(groups: &[Group], after: Time, until: Time, left: i64) -> Result<Time, Refused> {
    let (mut short, mut enough) = (after, until);
    if left <= 0 {
        return Ok(after);
    }
    while enough.0 - short.0 > 1 {
        let middle = Time(short.0 + (enough.0 - short.0) / 2);
        if calls(groups, after, middle)? >= left { enough = middle } else { short = middle }
    }
    Ok(enough)
}

fn date(day: i64) -> String {
    Time(day.saturating_mul(DAY)).to_string().chars().take(10).collect()
}
