//! The planned topics, grouped by schedule, and the calls that each group makes.

use std::collections::HashMap;
use std::time::Duration;

use super::limit_forecast::saturating_i64;
use super::limited_topic::Load;
use super::prices::{expected, single, tries};
use super::quota::Group;
use super::types::{History, Horizon, Price};
use crate::budget::Prices;
use crate::insight::daily::days;
use crate::model::{Micros, Period, SchedulePolicy, Source, Time, Topic, TopicLimits, Usage, Window};
use crate::schedule::{Schedule, ScheduleError, Uncovered};

/// Days in a month.
const MONTH: u32 = 30;

/// The data shared by topics with the same schedule and time zone.
pub(in crate::insight) struct Shared<'t> {
    pub(in crate::insight) schedule: Schedule,
    timezone: &'t str,
    pub(in crate::insight) topics: Vec<&'t Topic>,
    pub(in crate::insight) first: Option<Time>,
    pub(in crate::insight) last: Option<Time>,
    pub(in crate::insight) slots: i64,
    pub(in crate::insight) month: i64,
    /// Slots that ask a daily source, in the horizon and in a month; counted on demand. The second entry is for topics
    /// that had an answer on the first day.
    pub(in crate::insight) daily: [Option<(i64, i64)>; 2],
    pub(in crate::insight) uncovered: HashMap<Window, Option<Uncovered>>,
}

/// Topics grouped by schedule: of thousands of topics most share one.
pub(in crate::insight) struct Groups<'t> {
    pub(in crate::insight) horizon: Horizon,
    pub(in crate::insight) until: Time,
    pub(in crate::insight) month: Time,
    known: HashMap<(Period, String), usize>,
    pub(in crate::insight) shared: Vec<Shared<'t>>,
    configured: &'t Prices,
    last_answers: HashMap<String, Time>,
    /// Today's use of topics' own limits.
    used: HashMap<String, Usage>,
}

impl<'t> Groups<'t> {
    pub(in crate::insight) fn new(horizon: Horizon, history: &History, configured: &'t Prices) -> Self {
        let after = |days: u32| horizon.from.plus(Duration::from_secs(u64::from(days) * 86_400));
        let (until, month) = (after(horizon.days), after(MONTH));
        let last_answers = history.last_answers.iter().cloned().collect();
        let used = history.used.iter().cloned().collect();
        Self { horizon, until, month, known: HashMap::new(), shared: Vec::new(), configured, last_answers, used }
    }

    /// Whether a topic had an answer on the local day of the start.
    pub(in crate::insight) fn is_answered(&self, topic: &Topic) -> bool {
        let today = days(self.horizon.from, 1, topic.timezone()).first().map(|day| day.span);
        self.last_answers.get(&topic.id).zip(today).is_some_and(|(at, today)| today.contains(*at))
    }

    pub(in crate::insight) fn of(&mut self, policy: &'t SchedulePolicy) -> Result<usize, ScheduleError> {
        let key = (policy.period.clone(), policy.timezone.clone());
        if let Some(at) = self.known.get(&key) {
            return Ok(*at);
        }
        let schedule = Schedule::compile(policy)?;
        let from = self.horizon.from;
        self.shared.push(Shared {
            timezone: &policy.timezone,
            topics: Vec::new(),
            first: schedule.next_after(from).filter(|slot| *slot <= self.until),
            last: schedule.last(from, self.until),
            slots: saturating_i64(schedule.count(from, self.until)),
            month: saturating_i64(schedule.count(from, self.month)),
            daily: [None; 2],
            uncovered: HashMap::new(),
            schedule,
        });
        self.known.insert(key, self.shared.len() - 1);
        Ok(self.shared.len() - 1)
    }
}

impl Groups<'_> {
    /// Returns the most calls of a topic in the horizon and in a month within its own limits, if it has any: first without
    /// retries, then with all tries of each call.
    pub(super) fn load_within_limits(
        &self,
        at: usize,
        topic: &Topic,
        answered: bool,
        prices: &[Price],
    ) -> Result<Option<[(Load, Load); 2]>, ScheduleError> {
        if topic.limits.is_none() {
            return Ok(None);
        }
        let load = |all: &Group<'_>| -> Result<(Load, Load), ScheduleError> {
            Ok((all.load_until(self.until)?, all.load_until(self.month)?))
        };
        let once = self.group_of(at, (topic, topic.limits), answered, prices, &|_| true);
        let retried = self.retried(at, topic, answered, prices);
        Ok(Some([load(&once)?, load(&retried)?]))
    }

    /// Returns all tries of the calls of one topic within its limits. A try that failed may be free, so money need not
    /// end them early.
    fn retried<'g>(&'g self, at: usize, topic: &Topic, answered: bool, prices: &[Price]) -> Group<'g> {
        let price = |source| {
            let (many, of_try) = tries(source, prices);
            (Micros(0), of_try, self.configured.of(source), many)
        };
        let group =
            self.group(at).with_limited((topic, topic.limits), answered, self.used_by(topic), &price, &|_| true);
        group.without_answers()
    }

    fn group(&self, at: usize) -> Group<'_> {
        let shared = &self.shared[at];
        Group::new(&shared.schedule, shared.timezone, self.horizon.from)
    }

    fn used_by(&self, topic: &Topic) -> Usage {
        self.used.get(&topic.id).copied().unwrap_or_default()
    }

    /// Returns the calls of one topic within these limits.
    pub(super) fn group_of<'g>(
        &'g self,
        at: usize,
        (topic, limits): (&Topic, TopicLimits),
        answered: bool,
        prices: &[Price],
        counted: &impl Fn(Source) -> bool,
    ) -> Group<'g> {
        let price = |source| (expected(source, prices), single(source, prices), self.configured.of(source), 1);
        self.group(at).with_limited((topic, limits), answered, self.used_by(topic), &price, counted)
    }

    /// Returns the calls of all topics. Topics with limits of their own make no more than these allow.
    pub(super) fn loads(&self, prices: &[Price], counted: &impl Fn(Source) -> bool) -> Vec<Group<'_>> {
        let mut loads = Vec::with_capacity(self.shared.len());
        for (at, shared) in self.shared.iter().enumerate() {
            let mut group = self.group(at);
            for topic in &shared.topics {
                let answered = self.is_answered(topic);
                if topic.limits.is_none() {
                    group.add(topic, answered, prices, counted);
                } else {
                    loads.push(self.group_of(at, (topic, topic.limits), answered, prices, counted));
                }
            }
            loads.push(group);
        }
        loads
    }
}
