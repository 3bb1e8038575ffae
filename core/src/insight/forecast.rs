//! Forecasts what the topics will do and cost: their slots, the calls these make and their price. Arithmetic over
//! schedules and a few sums of past runs; `quota` compares the calls with the daily limits.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::forecast_types::{Calls, Cost, Forecast, History, Horizon, Price, ProviderQuota, TopicForecast};
use super::limit_forecast::{Allowance, Amount, saturating_i64};
use super::quota::{Group, allowance, quota};
use crate::budget::Prices;
use crate::model::{
    AiUsageRow, AiWhen, Budget, Micros, Period, ProviderQuery, SchedulePolicy, Source, Time, Topic, Window,
};
use crate::schedule::{Schedule, ScheduleError, Uncovered, largest_uncovered_gap};

/// Billed searches of a source needed to derive its price from them.
const ENOUGH_SEARCHES: i64 = 20;
/// Runs of a topic needed to derive how often it asks the AI source.
const ENOUGH_RUNS: i64 = 10;
/// Days in a month.
const MONTH: u32 = 30;

/// Forecasts slots, calls and cost. `topics` must be all topics, as they share the daily limit; the result lists only
/// those that `is_listed` accepts.
///
/// # Errors
/// [`ScheduleError`] if a schedule does not compile; a checked configuration rules this out.
pub fn forecast(
    topics: &[Topic],
    is_listed: impl Fn(&Topic) -> bool,
    prices: &Prices,
    history: &History,
    horizon: Horizon,
) -> Result<Forecast, ScheduleError> {
    let configured = prices;
    let sources = Source::SERVICE.iter().chain(prices.providers.keys());
    let prices: Vec<Price> = sources.map(|source| price(*source, prices, history)).collect();
    let paused: HashSet<&str> = history.paused.iter().map(String::as_str).collect();
    let ai_usage: HashMap<&str, &AiUsageRow> = history.ai_usage.iter().map(|row| (row.topic.as_str(), row)).collect();
    let mut groups = Groups::new(horizon);
    let mut rows = Vec::new();
    let mut limited = Vec::new();
    for topic in topics {
        let rests = |policy: &SchedulePolicy| policy.paused || paused.contains(topic.id.as_str());
        let Some(policy) = topic.schedule.as_ref().filter(|policy| !rests(policy)) else {
            if is_listed(topic) {
                rows.push(unscheduled_topic(topic));
            }
            continue;
        };
        let at = groups.of(policy)?;
        groups.shared[at].topics.push(topic);
        if is_listed(topic) {
            rows.push(groups.topic_forecast(at, topic, policy, &prices, ai_usage.get(topic.id.as_str()).copied())?);
            limited.extend((!topic.limits.is_none()).then_some((at, topic)));
        }
    }
    let loads = groups.loads(&prices, Source::is_service);
    let mut providers = Vec::new();
    for provider in &history.providers {
        let loads = groups.loads(&prices, |source| source == provider.name);
        let own = Horizon { limits: provider.limits, used: provider.used, ..horizon };
        providers.push(ProviderQuota { provider: provider.name, quota: quota(&loads, &own)? });
    }
    let mut total = Forecast {
        from: horizon.from,
        until: groups.until,
        days: horizon.days,
        topics: Vec::new(),
        slots: 0,
        calls: Calls::default(),
        at_most: Cost::default(),
        expected: Cost::default(),
        quota: quota(&loads, &horizon)?,
        providers,
        budgets: groups.budgets(&loads, &limited, &prices, configured, history)?,
        prices,
    };
    for row in &rows {
        total.slots = total.slots.saturating_add(row.slots);
        for (sum, one) in [
            (&mut total.calls.social, row.calls.social),
            (&mut total.calls.web, row.calls.web),
            (&mut total.calls.ai, row.calls.ai),
            (&mut total.calls.providers, row.calls.providers),
        ] {
            *sum = sum.saturating_add(one);
        }
        total.at_most = total.at_most.plus(row.at_most);
        total.expected = total.expected.plus(row.expected);
    }
    // Divide the sum: a thousand rounded shares would not add up to it.
    for cost in [&mut total.at_most, &mut total.expected] {
        cost.per_day = share(cost.horizon, 1, i64::from(horizon.days));
    }
    Ok(Forecast { topics: rows, ..total })
}

/// Returns the observed average price if enough searches were billed, else the configured price.
fn price(source: Source, configured: &Prices, history: &History) -> Price {
    let billed = history.billed.iter().find(|row| row.source == source);
    let billed_searches = billed.map_or(0, |row| row.searches);
    match billed.filter(|row| row.searches >= ENOUGH_SEARCHES) {
        Some(row) => Price { source, price: share(row.cost, 1, row.searches), basis: "observed", billed_searches },
        None => Price { source, price: configured.of(source), basis: "configured", billed_searches },
    }
}

fn unscheduled_topic(topic: &Topic) -> TopicForecast {
    TopicForecast {
        topic: topic.id.clone(),
        state: if topic.schedule.is_some() { "paused" } else { "manual" },
        first_slot: None,
        last_slot: None,
        slots: 0,
        slots_30_days: 0,
        calls: Calls::default(),
        upper_bound: false,
        ai_asked: None,
        at_most: Cost::default(),
        expected: Cost::default(),
        uncovered_ms: None,
        clock_change: None,
    }
}

/// What topics with the same schedule and time zone share.
struct Shared<'t> {
    schedule: Schedule,
    timezone: &'t str,
    topics: Vec<&'t Topic>,
    first: Option<Time>,
    last: Option<Time>,
    slots: i64,
    month: i64,
    /// Slots that are the first of a local day, in the horizon and in a month; counted on demand.
    firsts: Option<(i64, i64)>,
    uncovered: HashMap<Window, Option<Uncovered>>,
}

/// Topics grouped by schedule: of thousands of topics most share one.
struct Groups<'t> {
    horizon: Horizon,
    until: Time,
    month: Time,
    known: HashMap<(Period, String), usize>,
    shared: Vec<Shared<'t>>,
}

impl<'t> Groups<'t> {
    fn new(horizon: Horizon) -> Self {
        let after = |days: u32| horizon.from.plus(Duration::from_secs(u64::from(days) * 86_400));
        let (until, month) = (after(horizon.days), after(MONTH));
        Self { horizon, until, month, known: HashMap::new(), shared: Vec::new() }
    }

    fn of(&mut self, policy: &'t SchedulePolicy) -> Result<usize, ScheduleError> {
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
            firsts: None,
            uncovered: HashMap::new(),
            schedule,
        });
        self.known.insert(key, self.shared.len() - 1);
        Ok(self.shared.len() - 1)
    }

    fn topic_forecast(
        &mut self,
        at: usize,
        topic: &Topic,
        policy: &SchedulePolicy,
        prices: &[Price],
        ai_usage: Option<&AiUsageRow>,
    ) -> Result<TopicForecast, ScheduleError> {
        let (from, until, month) = (self.horizon.from, self.until, self.month);
        let shared = &mut self.shared[at];
        let when = topic.ai.as_ref().map(|ai| ai.when);
        let ai = match when {
            None => (0, 0),
            Some(AiWhen::Daily) => match shared.firsts {
                Some(firsts) => firsts,
                None => {
                    let firsts =
                        |until| shared.schedule.count_first_of_day(&policy.timezone, from, until).map(saturating_i64);
                    *shared.firsts.insert((firsts(until)?, firsts(month)?))
                }
            },
            Some(AiWhen::New | AiWhen::Always) => (shared.slots, shared.month),
        };
        // With no other source nothing can be new: the AI source is then asked every time.
        let open = when == Some(AiWhen::New) && topic.finds_items();
        let ai_asked =
            ai_usage.filter(|row| open && row.considered >= ENOUGH_RUNS).map(|row| (row.asked, row.considered));
        let on = |on: bool, slots: i64| if on { slots } else { 0 };
        let calls = |slots: i64, ai| Calls {
            social: on(topic.social.is_some(), slots),
            web: on(topic.web.is_some(), slots),
            ai,
            providers: slots.saturating_mul(topic.providers.iter().map(ProviderQuery::calls).sum()),
        };
        let named = topic.providers.iter().filter_map(|one| {
            let price = prices.iter().find(|price| price.source == one.source)?;
            Some(price.price.times(one.calls()))
        });
        let provider_cost = named.fold(Micros(0), Micros::plus);
        let (calls, in_month) = (calls(shared.slots, ai.0), calls(shared.month, ai.1));
        let cost = |share: (i64, i64)| {
            let horizon = total_cost(calls, prices, share).plus(provider_cost.times(shared.slots));
            let per_day = self::share(horizon, 1, i64::from(self.horizon.days));
            Cost {
                horizon,
                per_day,
                per_month: total_cost(in_month, prices, share).plus(provider_cost.times(shared.month)),
            }
        };
        let uncovered = topic.social.as_ref().and_then(|_| {
            let find_gap = || largest_uncovered_gap(&shared.schedule, topic.window, from);
            shared.uncovered.entry(topic.window).or_insert_with(find_gap).as_ref()
        });
        let millis = |over: Duration| saturating_i64(u64::try_from(over.as_millis()).unwrap_or(u64::MAX));
        Ok(TopicForecast {
            topic: topic.id.clone(),
            state: "scheduled",
            first_slot: shared.first,
            last_slot: shared.last,
            slots: shared.slots,
            slots_30_days: shared.month,
            calls,
            upper_bound: open && ai_asked.is_none(),
            ai_asked,
            at_most: cost((1, 1)),
            expected: cost(ai_asked.unwrap_or((1, 1))),
            uncovered_ms: uncovered.map(|one| millis(one.over)),
            clock_change: uncovered.and_then(|one| one.clock_change.clone()),
        })
    }
}

impl Groups<'_> {
    fn loads(&self, prices: &[Price], counted: impl Fn(Source) -> bool) -> Vec<Group<'_>> {
        let mut loads = Vec::with_capacity(self.shared.len());
        for shared in &self.shared {
            let mut group = Group::new(&shared.schedule, shared.timezone);
            shared.topics.iter().for_each(|topic| group.add(topic, prices, &counted));
            loads.push(group);
        }
        loads
    }

    /// Returns the allowances: the service's money, then the limits of single topics.
    fn budgets(
        &self,
        loads: &[Group<'_>],
        limited: &[(usize, &Topic)],
        prices: &[Price],
        configured: &Prices,
        history: &History,
    ) -> Result<Vec<Allowance>, ScheduleError> {
        let mut allowances = Vec::new();
        let Horizon { limits, used, .. } = self.horizon;
        if let Some(money) = limits.money {
            let amounts = (Amount::Money(money), Amount::Money(used.money));
            let sources = self.shared.iter().flat_map(|shared| &shared.topics).flat_map(|topic| topic.sources());
            // Calls are refused by the configured price, not by the billed one.
            let too_dear = configured.unaffordable(sources.filter(|source| source.is_service()), money);
            let met = allowance(Budget::ServiceMoney, None, loads, &self.horizon, amounts)?;
            allowances.push(Allowance { too_dear, ..met });
        }
        for (at, topic) in limited {
            let used = history.used.iter().find(|(id, _)| *id == topic.id).map(|(_, used)| *used).unwrap_or_default();
            let mut own = Group::new(&self.shared[*at].schedule, self.shared[*at].timezone);
            own.add(topic, prices, &|_| true);
            let calls = topic
                .limits
                .calls
                .map(|calls| (Budget::TopicCalls, (Amount::Calls(i64::from(calls)), Amount::Calls(used.calls))));
            let money = topic
                .limits
                .money()
                .map(|money| (Budget::TopicMoney, (Amount::Money(money), Amount::Money(used.money))));
            for (budget, amounts) in calls.into_iter().chain(money) {
                let money = topic.limits.money().filter(|_| budget == Budget::TopicMoney);
                let too_dear = money.and_then(|money| configured.unaffordable(topic.sources(), money));
                let met = allowance(budget, Some(topic), &[own], &self.horizon, amounts)?;
                allowances.push(Allowance { too_dear, ..met });
            }
        }
        Ok(allowances)
    }
}

/// Returns the cost of `calls` if only `ai_calls` of `of` AI calls are made.
fn total_cost(calls: Calls, prices: &[Price], (ai_calls, of): (i64, i64)) -> Micros {
    prices.iter().fold(Micros(0), |sum, price| {
        let cost = match price.source {
            Source::Social => price.price.times(calls.social),
            Source::Web => price.price.times(calls.web),
            Source::Ai => share(price.price.times(calls.ai), ai_calls, of),
            // Added per topic: each has its own.
            _ => Micros(0),
        };
        sum.plus(cost)
    })
}

/// Returns `sum * part / of`, rounded to the nearest micro-dollar.
fn share(sum: Micros, part: i64, of: i64) -> Micros {
    let of = i128::from(of.max(1));
    let rounded = (i128::from(sum.0) * i128::from(part) + of / 2).div_euclid(of);
    Micros(i64::try_from(rounded).unwrap_or(i64::MAX))
}
