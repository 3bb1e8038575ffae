//! Compares the planned calls with the daily limits of calls and money: on which UTC day they exceed a limit, and when
//! the last allowed call is made. The store counts real calls.

use std::time::Duration;

use super::limit_forecast::{Allowance, Amount, ExhaustedDay, Quota, saturating_i64};
use super::limited_topic::{LimitedTopic, Load, SourceCalls};
use super::prices::{expected, single};
use super::types::{Horizon, Price};
use crate::model::{AiWhen, Budget, Micros, Overlap, ProviderQuery, Source, Time, Topic, TopicLimits, Usage};
use crate::schedule::{Schedule, ScheduleError};

/// The calls of the topics that share a schedule and time zone.
#[derive(Clone)]
pub(in crate::insight) struct Group<'s> {
    schedule: &'s Schedule,
    timezone: &'s str,
    /// The start of the forecast.
    from: Time,
    /// Load at each slot.
    each: Load,
    /// Load at one slot of each local day.
    daily: Load,
    /// The same for topics that already had it on the first day.
    daily_done: Load,
    /// Its only topic, if that has limits of its own.
    limited: Option<LimitedTopic>,
    /// Whether fewer calls may be made.
    may_need_fewer: bool,
}

impl<'s> Group<'s> {
    pub(in crate::insight) fn new(schedule: &'s Schedule, timezone: &'s str, from: Time) -> Self {
        let none = Load::default();
        Self {
            schedule,
            timezone,
            from,
            each: none,
            daily: none,
            daily_done: none,
            limited: None,
            may_need_fewer: false,
        }
    }

    /// Sets the only topic, which has these limits. `answered`: it had an answer on the first day; `price` returns the
    /// expected, the highest and the configured price of a try, and how many tries of a call are counted.
    pub(super) fn with_limited(
        mut self,
        (topic, limits): (&Topic, TopicLimits),
        answered: bool,
        used: Usage,
        price: &impl Fn(Source) -> (Micros, Micros, Micros, i64),
        counted: &impl Fn(Source) -> bool,
    ) -> Self {
        let sources = topic.sources();
        // It is unknown which of them use the limits.
        self.may_need_fewer |= sources.len() > 1 && !limits.is_none();
        let mut all = Vec::new();
        for source in sources.into_iter().filter(|source| counted(*source)) {
            let (expected, highest, configured, tries) = price(source);
            self.may_need_fewer |= may_need_fewer(topic, source);
            let (many, daily) = (calls_of(topic, source).saturating_mul(tries), is_daily(topic, source));
            all.push(SourceCalls { source, many, daily, expected, highest, configured });
        }
        let side_by_side = topic.schedule.as_ref().is_some_and(|policy| policy.overlap == Overlap::Allow);
        self.limited = Some(LimitedTopic { sources: all, answered, side_by_side, limits, used });
        self
    }

    /// Asks daily sources in each slot: a search without an answer is made again at the next one.
    pub(super) fn without_answers(mut self) -> Self {
        for source in self.limited.iter_mut().flat_map(|topic| &mut topic.sources) {
            source.daily = false;
        }
        self
    }

    /// Adds the calls of a topic to those sources that `counted` accepts. `answered`: it had an answer on the first day.
    pub(in crate::insight) fn add(
        &mut self,
        topic: &Topic,
        answered: bool,
        prices: &[Price],
        counted: &impl Fn(Source) -> bool,
    ) {
        for source in topic.sources().into_iter().filter(|source| counted(*source)) {
            let price = (expected(source, prices), single(source, prices));
            let load = match (is_daily(topic, source), answered) {
                (false, _) => &mut self.each,
                (true, false) => &mut self.daily,
                (true, true) => &mut self.daily_done,
            };
            self.may_need_fewer |= may_need_fewer(topic, source);
            *load = load.plus(Load::of(source, calls_of(topic, source), price));
        }
    }

    /// Whether its topics make calls that it counts.
    pub(super) fn calls_anything(&self) -> bool {
        self.each.plus(self.daily).plus(self.daily_done).total > 0
            || self.limited.as_ref().is_some_and(|topic| !topic.sources.is_empty())
    }

    /// Returns the load in (`after`, `until`], which lie on one UTC day.
    fn load(&self, after: Time, until: Time) -> Result<Load, ScheduleError> {
        let slots = saturating_i64(self.schedule.count(after, until));
        let days = |done: bool| -> Result<i64, ScheduleError> {
            let by = |until| self.schedule.count_daily(self.timezone, self.from, until, done).map(saturating_i64);
            Ok(by(until)?.saturating_sub(by(after)?))
        };
        if let Some(topic) = &self.limited {
            let days = if topic.sources.iter().any(|one| one.daily) { days(topic.answered)? } else { 0 };
            let is_today = Time(after.0.saturating_add(1)).utc_day() == self.from.utc_day();
            return Ok(topic.load(slots, days, is_today));
        }
        let mut sum = self.each.times(slots);
        for (daily, done) in [(self.daily, false), (self.daily_done, true)] {
            if daily.total > 0 {
                sum = sum.plus(daily.times(days(done)?));
            }
        }
        Ok(sum)
    }

    /// Returns the load until an instant, day by day.
    pub(super) fn load_until(&self, until: Time) -> Result<Load, ScheduleError> {
        let mut sum = Load::default();
        for day in self.from.utc_day()..=until.utc_day() {
            let (after, until) = (self.from.max(before(day)), until.min(before(day + 1)));
            if until > after {
                sum = sum.plus(self.load(after, until)?);
            }
        }
        Ok(sum)
    }
}

fn is_daily(topic: &Topic, source: Source) -> bool {
    source == Source::Ai && topic.ai.as_ref().is_some_and(|ai| ai.when == AiWhen::Daily)
}

/// The most calls of a search.
fn calls_of(topic: &Topic, source: Source) -> i64 {
    topic.provider(source).map_or(1, ProviderQuery::calls)
}

/// Whether a run may make fewer calls to a source.
fn may_need_fewer(topic: &Topic, source: Source) -> bool {
    let only_for_new = || topic.ai.as_ref().is_some_and(|ai| ai.when == AiWhen::New) && topic.finds_items();
    topic.provider(source).is_some_and(ProviderQuery::may_need_fewer_calls) || (source == Source::Ai && only_for_new())
}

/// Picks the number that a limit applies to.
type Part = fn(Load) -> i64;

/// The quantity that a limit applies to, and how much of it the smallest call takes.
#[derive(Clone, Copy)]
struct Measure {
    of: Part,
    of_one: Part,
}

const CALLS: Measure = Measure { of: |load| load.total, of_one: |_| 1 };
const MONEY: Measure = Measure { of: |load| load.money.0, of_one: |load| load.cheapest.map_or(0, |price| price.0) };

fn total_load(groups: &[Group<'_>], of: Part, after: Time, until: Time) -> Result<i64, ScheduleError> {
    let sum = groups.iter().try_fold(Load::default(), |sum, group| Ok(sum.plus(group.load(after, until)?)))?;
    Ok(of(sum))
}

/// A limit compared with the load.
struct LimitResult {
    fullest: (i64, String),
    first: Option<(String, i64, Time)>,
    days_over: u32,
}

/// Checks every UTC day of the horizon, the last one in full.
fn evaluate_limit(
    groups: &[Group<'_>],
    measure: Measure,
    horizon: &Horizon,
    limit: i64,
    used: i64,
) -> Result<LimitResult, ScheduleError> {
    let today = horizon.from.utc_day();
    let mut met = LimitResult { fullest: (0, date(today)), first: None, days_over: 0 };
    for day in today..=today + i64::from(horizon.days) {
        let used = if day == today { used } else { 0 };
        // A slot at midnight belongs to the day that begins then.
        let (after, until) = (horizon.from.max(before(day)), before(day + 1));
        let sum = used.saturating_add(total_load(groups, measure.of, after, until)?);
        if sum > met.fullest.0 {
            met.fullest = (sum, date(day));
        }
        if sum > limit && sum > used {
            met.days_over += 1;
            if met.first.is_none() {
                let at = last_call(groups, measure, after, until, limit.saturating_sub(used))?;
                // `after` is the last instant of the day before.
                met.first = Some((date(day), sum, at.max(Time::of_utc_day(day))));
            }
        }
    }
    Ok(met)
}

/// Returns when the last call is made that fits into `left`; `after` if none does. The load exceeds it by `until`.
fn last_call(
    groups: &[Group<'_>],
    measure: Measure,
    after: Time,
    until: Time,
    left: i64,
) -> Result<Time, ScheduleError> {
    if left <= 0 {
        return Ok(after);
    }
    let refused = first_instant_reaching(groups, measure.of, after, until, left.saturating_add(1))?;
    let just_before = Time(refused.0 - 1);
    let (mut made, mut smallest) = (0_i64, i64::MAX);
    for group in groups {
        let (earlier, now) = (group.load(after, just_before)?, group.load(after, refused)?);
        made = made.saturating_add((measure.of)(earlier));
        if (measure.of)(now) > (measure.of)(earlier) {
            smallest = smallest.min((measure.of_one)(group.load(just_before, refused)?));
        }
    }
    // The first of the calls that are due together may still fit.
    if made.saturating_add(smallest) <= left {
        return Ok(refused);
    }
    first_instant_reaching(groups, measure.of, after, until, made)
}

/// Returns the first instant by which the load reaches `left`, by bisection; `after` if nothing is left.
fn first_instant_reaching(
    groups: &[Group<'_>],
    of: Part,
    after: Time,
    until: Time,
    left: i64,
) -> Result<Time, ScheduleError> {
    let (mut short, mut enough) = (after, until);
    if left <= 0 {
        return Ok(after);
    }
    while enough.0 - short.0 > 1 {
        let middle = Time(short.0 + (enough.0 - short.0) / 2);
        if total_load(groups, of, after, middle)? >= left { enough = middle } else { short = middle }
    }
    Ok(enough)
}

/// Compares the calls with the limit of calls.
pub(in crate::insight) fn quota(groups: &[Group<'_>], horizon: &Horizon) -> Result<Quota, ScheduleError> {
    let limit = i64::from(horizon.limits.calls);
    let met = evaluate_limit(groups, CALLS, horizon, limit, horizon.used.calls)?;
    Ok(Quota {
        max_calls_per_day: horizon.limits.calls,
        made_today: horizon.used.calls,
        fullest_day_calls: met.fullest.0,
        fullest_day: met.fullest.1,
        used_up: met.first.map(|(day, calls, at)| ExhaustedDay { day, calls, at }),
        days_over: met.days_over,
        upper_bound: groups.iter().any(|group| group.may_need_fewer),
    })
}

/// Compares the calls with one other limit. A call is refused if its configured price does not fit; `reserve` is by how
/// much that is above its expected cost.
pub(in crate::insight) fn allowance(
    budget: Budget,
    topic: Option<&Topic>,
    groups: &[Group<'_>],
    horizon: &Horizon,
    (limit, used): (Amount, Amount),
    reserve: Micros,
) -> Result<Allowance, ScheduleError> {
    let (measure, unit): (Measure, fn(i64) -> Amount) = match limit {
        Amount::Calls(_) => (CALLS, Amount::Calls),
        Amount::Money(_) => (MONEY, |money| Amount::Money(Micros(money))),
    };
    let plain = |amount| match amount {
        Amount::Calls(calls) => calls,
        Amount::Money(money) => money.0,
    };
    let refused_above = match limit {
        Amount::Calls(calls) => calls,
        Amount::Money(money) => money.0.saturating_sub(reserve.0),
    };
    let met = evaluate_limit(groups, measure, horizon, refused_above, plain(used))?;
    let (used_up_on, wanted, used_up_at) = match met.first {
        Some((day, wanted, at)) => (Some(day), Some(unit(wanted)), Some(at)),
        None => (None, None, None),
    };
    Ok(Allowance {
        budget,
        topic: topic.map(|topic| topic.id.clone()),
        provider: None,
        limit,
        used_today: used,
        fullest_day_use: unit(met.fullest.0),
        fullest_day: met.fullest.1,
        used_up_on,
        wanted,
        used_up_at,
        days_over: met.days_over,
        upper_bound: groups.iter().any(|group| group.may_need_fewer),
        too_dear: None,
    })
}

fn date(day: i64) -> String {
    Time::of_utc_day(day).utc_date()
}

/// The last instant before a day.
fn before(day: i64) -> Time {
    Time::of_utc_day(day).minus(Duration::from_millis(1))
}
