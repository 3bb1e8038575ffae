//! Forecasts what the topics will do and cost: their slots, the calls these make and their price. Arithmetic over
//! schedules and a few sums of past runs; `quota` compares the calls with the daily limits.

mod groups;
pub(super) mod limit_forecast;
mod limited_topic;
mod prices;
mod quota;
pub(super) mod types;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use crate::budget::Prices;
use crate::model::{
    AiUsageRow, AiWhen, Budget, Micros, ProviderQuery, SchedulePolicy, Source, Time, Topic, TopicLimits,
};
use crate::schedule::{ScheduleError, largest_uncovered_gap};
use groups::Groups;
use limit_forecast::{Allowance, Amount, Quota, saturating_i64};
use limited_topic::Load;
use prices::{PickPrice, price, reserve, share, total_cost, tries};
use quota::{Group, allowance, quota};
use types::{Calls, Cost, Forecast, History, Horizon, Price, ProviderQuota, TopicForecast};

/// Runs of a topic needed to derive how often it asks the AI source.
const ENOUGH_RUNS: i64 = 10;

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
    let max_tries = |source: Source| match source.is_service() {
        true => (horizon.tries, false),
        false => {
            let provider = history.providers.iter().find(|one| one.name == source);
            provider.map_or((1, false), |one| (one.max_tries, one.logs_in))
        }
    };
    let price = |source: &Source| price(*source, topics, prices, history, max_tries(*source));
    let prices: Vec<Price> = sources.map(price).collect();
    let paused: HashSet<&str> = history.paused.iter().map(String::as_str).collect();
    let ai_usage: HashMap<&str, &AiUsageRow> = history.ai_usage.iter().map(|row| (row.topic.as_str(), row)).collect();
    let mut groups = Groups::new(horizon, history, configured);
    let mut rows = Vec::new();
    let mut limited = Vec::new();
    for topic in topics {
        let rests = |policy: &SchedulePolicy| policy.paused || paused.contains(topic.id.as_str());
        let Some(policy) = topic.schedule.as_ref().filter(|policy| !rests(policy)) else {
            if is_listed(topic) {
                rows.push(TopicForecast::unscheduled(topic));
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
    let loads = groups.loads(&prices, &Source::is_service);
    let mut budgets = groups.budgets(&loads, &limited, &prices, configured, history)?;
    let mut providers = Vec::new();
    for provider in &history.providers {
        let loads = groups.loads(&prices, &|source| source == provider.name);
        let own = Horizon { limits: provider.limits, used: provider.used, ..horizon };
        providers.push(ProviderQuota { provider: provider.name, quota: quota(&loads, &own)? });
        let planned = loads.iter().any(Group::calls_anything);
        if let Some(money) = provider.limits.money.filter(|_| planned) {
            let amounts = (Amount::Money(money), Amount::Money(provider.used.money));
            let source = || std::iter::once(provider.name);
            let (too_dear, reserve) =
                (configured.unaffordable(source(), money), reserve(source(), &prices, configured));
            let met = allowance(Budget::ProviderMoney, None, &loads, &own, amounts, reserve)?;
            budgets.push(Allowance { provider: Some(provider.name), too_dear, ..met });
        }
    }
    let mut total = Forecast {
        from: horizon.from,
        until: groups.until,
        days: horizon.days,
        topics: Vec::new(),
        slots: 0,
        calls: Calls::default(),
        tries: Calls::default(),
        at_most: Cost::default(),
        without_retries: Cost::default(),
        expected: Cost::default(),
        quota: quota(&loads, &horizon)?,
        providers,
        budgets,
        prices,
    };
    for row in &rows {
        total.slots = total.slots.saturating_add(row.slots);
        total.calls = total.calls.plus(row.calls);
        total.tries = total.tries.plus(row.tries);
        total.at_most = total.at_most.plus(row.at_most);
        total.without_retries = total.without_retries.plus(row.without_retries);
        total.expected = total.expected.plus(row.expected);
    }
    // Divide the sum: a thousand rounded shares would not add up to it.
    for cost in [&mut total.at_most, &mut total.without_retries, &mut total.expected] {
        cost.per_day = share(cost.horizon, 1, i64::from(horizon.days));
    }
    mark_limits_that_others_precede(&mut total);
    Ok(Forecast { topics: rows, ..total })
}

/// Marks limits as bounds that may be used up later or not at all, because a shared limit ends calls earlier on the
/// same day, or may do so: for its later days, only their number is known. Each limit is computed as if there were no
/// other.
fn mark_limits_that_others_precede(forecast: &mut Forecast) {
    type Shared = (Option<Source>, String, Time, u32);
    let of_quota = |provider: Option<Source>, quota: &Quota| -> Option<Shared> {
        let used = quota.used_up.as_ref()?;
        Some((provider, used.day.clone(), used.at, quota.days_over))
    };
    let of_budget = |met: &Allowance| -> Option<Shared> {
        Some((met.provider, met.used_up_on.clone()?, met.used_up_at?, met.days_over))
    };
    let mut shared: Vec<Shared> = of_quota(None, &forecast.quota).into_iter().collect();
    shared.extend(forecast.providers.iter().filter_map(|one| of_quota(Some(one.provider), &one.quota)));
    shared.extend(forecast.budgets.iter().filter(|met| met.topic.is_none()).filter_map(of_budget));
    let precedes = |provider: Option<Source>, of_topic: bool, day: &str, at: Time| {
        shared.iter().any(|(other, first, earlier, days)| {
            let alike = of_topic || *other == provider;
            alike && (first == day && *earlier < at || first.as_str() < day && *days > 1)
        })
    };
    let own = std::iter::once((None, &mut forecast.quota));
    let others = forecast.providers.iter_mut().map(|one| (Some(one.provider), &mut one.quota));
    for (provider, quota) in own.chain(others) {
        let used = quota.used_up.as_ref();
        quota.upper_bound |= used.is_some_and(|used| precedes(provider, false, &used.day, used.at));
    }
    for met in &mut forecast.budgets {
        let used = met.used_up_on.as_deref().zip(met.used_up_at);
        met.upper_bound |= used.is_some_and(|(day, at)| precedes(met.provider, met.topic.is_some(), day, at));
    }
}

/// Returns these calls of a topic without limits with all their tries.
fn all_tries(topic: &Topic, calls: Calls, slots: i64, prices: &[Price]) -> Calls {
    let times = |source: Source, calls: i64| calls.saturating_mul(tries(source, prices).0);
    let of_providers = topic.providers.iter().map(|one| times(one.source, one.calls())).fold(0, i64::saturating_add);
    Calls {
        social: times(Source::Social, calls.social),
        web: times(Source::Web, calls.web),
        ai: times(Source::Ai, calls.ai),
        providers: slots.saturating_mul(of_providers),
    }
}

impl Groups<'_> {
    fn topic_forecast(
        &mut self,
        at: usize,
        topic: &Topic,
        policy: &SchedulePolicy,
        prices: &[Price],
        ai_usage: Option<&AiUsageRow>,
    ) -> Result<TopicForecast, ScheduleError> {
        let (from, until, month) = (self.horizon.from, self.until, self.month);
        let answered = self.is_answered(topic);
        let [within_limits, retried] = match self.load_within_limits(at, topic, answered, prices)? {
            Some(both) => both.map(Some),
            None => [None, None],
        };
        let shared = &mut self.shared[at];
        let when = topic.ai.as_ref().map(|ai| ai.when);
        let ai = match when {
            None => (0, 0),
            Some(AiWhen::Daily) => match shared.daily[usize::from(answered)] {
                Some(daily) => daily,
                None => {
                    let daily = |until| {
                        shared.schedule.count_daily(&policy.timezone, from, until, answered).map(saturating_i64)
                    };
                    *shared.daily[usize::from(answered)].insert((daily(until)?, daily(month)?))
                }
            },
            Some(AiWhen::New | AiWhen::Always) => (shared.slots, shared.month),
        };
        // Without another source nothing can be new, so the AI source is asked every time.
        let open = when == Some(AiWhen::New) && topic.finds_items();
        let ai_asked =
            ai_usage.filter(|row| open && row.considered >= ENOUGH_RUNS).map(|row| (row.asked, row.considered));
        let may_skip_ai = open && ai_asked.is_none();
        let may_need_fewer_calls = topic.providers.iter().any(ProviderQuery::may_need_fewer_calls);
        let on = |on: bool, slots: i64| if on { slots } else { 0 };
        let calls = |slots: i64, ai| Calls {
            social: on(topic.social.is_some(), slots),
            web: on(topic.web.is_some(), slots),
            ai,
            providers: slots.saturating_mul(topic.providers.iter().map(ProviderQuery::calls).sum()),
        };
        let cost_of = |calls: Calls, slots: i64, pick: PickPrice, ai_share: (i64, i64)| {
            let named = topic.providers.iter().filter_map(|one| {
                let price = prices.iter().find(|price| price.source == one.source)?;
                Some(pick(price).times(one.calls()))
            });
            total_cost(calls, prices, pick, ai_share).plus(named.fold(Micros(0), Micros::plus).times(slots))
        };
        // As if no daily search was answered: it is made again at the next slot.
        let unanswered = if when.is_some() { (shared.slots, shared.month) } else { (0, 0) };
        let all_calls = (calls(shared.slots, unanswered.0), calls(shared.month, unanswered.1));
        let planned = (calls(shared.slots, ai.0), calls(shared.month, ai.1));
        let calls = planned.0;
        let tries = match retried {
            Some((most, _)) => most.calls,
            None => all_tries(topic, all_calls.0, shared.slots, prices),
        };
        let shares_limits = within_limits.is_some_and(|(most, _)| {
            let cost = cost_of(calls, shared.slots, |price| price.price, (1, 1));
            topic.sources().len() > 1 && (most.total < calls.total() || most.money < cost)
        });
        let cost = |(calls, in_month): (Calls, Calls),
                    pick: PickPrice,
                    limits: Option<(Load, Load)>,
                    within: fn(Load) -> Micros,
                    ai_share: (i64, i64)| {
            let mut horizon = cost_of(calls, shared.slots, pick, ai_share);
            let mut per_month = cost_of(in_month, shared.month, pick, ai_share);
            if let Some((most, most_per_month)) = limits {
                (horizon, per_month) = (horizon.min(within(most)), per_month.min(within(most_per_month)));
            }
            Cost { horizon, per_day: share(horizon, 1, i64::from(self.horizon.days)), per_month }
        };
        let without_retries = cost(planned, |price| price.single, within_limits, |most| most.highest, (1, 1));
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
            calls: within_limits.map_or(calls, |(most, _)| most.calls),
            tries,
            most_calls: within_limits.map_or(calls.total(), |(most, _)| most.total),
            upper_bound: may_skip_ai || may_need_fewer_calls || shares_limits,
            may_skip_ai,
            may_need_fewer_calls,
            shares_limits,
            may_repeat_ai: when == Some(AiWhen::Daily) && all_calls.0.ai > ai.0,
            ai_asked,
            at_most: cost(all_calls, |price| price.all_tries, retried, |most| most.highest, (1, 1))
                .max(without_retries),
            without_retries,
            expected: cost(planned, |price| price.price, within_limits, |most| most.money, ai_asked.unwrap_or((1, 1))),
            uncovered_ms: uncovered.map(|one| millis(one.over)),
            clock_change: uncovered.and_then(|one| one.clock_change.clone()),
        })
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
            let sources: Vec<Source> = sources.filter(|source| source.is_service()).collect();
            // Calls are refused by the configured price, not by the billed one.
            let too_dear = configured.unaffordable(sources.iter().copied(), money);
            let reserve = reserve(sources.into_iter(), prices, configured);
            let met = allowance(Budget::ServiceMoney, None, loads, &self.horizon, amounts, reserve)?;
            allowances.push(Allowance { too_dear, ..met });
        }
        for (at, topic) in limited {
            let used = history.used.iter().find(|(id, _)| *id == topic.id).map(|(_, used)| *used).unwrap_or_default();
            let reserve = reserve(topic.sources().into_iter(), prices, configured);
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
                // The calls that the other limit allows.
                let other = match budget {
                    Budget::TopicMoney => TopicLimits { micros: None, ..topic.limits },
                    _ => TopicLimits { calls: None, ..topic.limits },
                };
                let own = self.group_of(*at, (topic, other), self.is_answered(topic), prices, &|_| true);
                let too_dear = money.and_then(|money| configured.unaffordable(topic.sources(), money));
                let met = allowance(budget, Some(topic), std::slice::from_ref(&own), &self.horizon, amounts, reserve)?;
                allowances.push(Allowance { too_dear, ..met });
            }
        }
        Ok(allowances)
    }
}
