//! The input and output of a forecast, as plain values. `forecast` and `quota` compute them.

use super::limit_forecast::{Allowance, Quota};
use crate::model::{AiUsageRow, BilledCostRow, Micros, ServiceLimits, Source, Time, Topic, Usage};

/// The period of a forecast, and the daily limits.
#[derive(Debug, Clone, Copy)]
pub struct Horizon {
    /// Its start: now.
    pub from: Time,
    /// Its length in days of 24 hours, at least 1.
    pub days: u32,
    /// The limits per UTC day.
    pub limits: ServiceLimits,
    /// The use so far on the UTC day of `from`.
    pub used: Usage,
    /// The most tries of a call to the search service, including the first.
    pub tries: u32,
}

/// The history of the last 30 days; empty without a database.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// Billed costs, and the number of searches without a bill.
    pub billed: Vec<BilledCostRow>,
    /// How often the AI source was asked.
    pub ai_usage: Vec<AiUsageRow>,
    /// By topic: when the last run with an answer was, if that was at most two days ago.
    pub last_answers: Vec<(String, Time)>,
    /// The use of topics with their own limits on the UTC day of the start.
    pub used: Vec<(String, Usage)>,
    /// The other providers.
    pub providers: Vec<ProviderDay>,
    /// Topics paused by command, not in the file.
    pub paused: Vec<String>,
}

/// A provider's daily limits and their use.
#[derive(Debug, Clone, Copy)]
pub struct ProviderDay {
    pub name: Source,
    pub limits: ServiceLimits,
    pub used: Usage,
    /// The most tries of a call, including the first. One after a new login is not among them.
    pub max_tries: u32,
    /// Whether it has logins that expire.
    pub logs_in: bool,
}

/// A provider's limit of calls, compared with the forecast.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ProviderQuota {
    pub provider: Source,
    #[serde(flatten)]
    pub quota: Quota,
}

/// The cost of one call of a source: expected, and at most with and without retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Price {
    pub source: Source,
    /// The expected price.
    #[serde(rename = "price_usd")]
    pub price: Micros,
    /// `observed` or `configured`.
    pub basis: &'static str,
    /// Searches of the last 30 days that the service billed.
    pub billed_searches: i64,
    /// Searches of the last 30 days with an assumed cost.
    pub assumed_searches: i64,
    /// The highest price: the expected one, or `single` if that is higher.
    #[serde(rename = "highest_usd")]
    pub highest: Micros,
    /// Whether that is the average of the calls of one search, because the cost of each is unknown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub highest_is_average: bool,
    /// The most that a call without retries costs: the configured price, or the highest bill of a call in the last 30
    /// days if that is higher. For a retried call that is its whole bill, unless the price of a single try explains it.
    /// For a search of several calls it is their average.
    #[serde(skip)]
    pub single: Micros,
    /// The most that one try of a call costs if others were free. It is more than `single` only if a bill is higher than
    /// all tries that are allowed now.
    #[serde(skip)]
    pub of_try: Micros,
    /// How often a call may be tried, including the first time. One after a new login is not among them.
    pub max_tries: u32,
    /// Whether it may be tried once more, after a new login.
    #[serde(skip)]
    pub logs_in: bool,
    /// The most that a call costs with all its tries, each at the most that one costs if others were free.
    #[serde(rename = "all_tries_usd")]
    pub all_tries: Micros,
}

impl Price {
    /// How often a call may be tried, including the first time and after a new login.
    #[must_use]
    pub fn tries(&self) -> u32 {
        self.max_tries.saturating_add(u32::from(self.logs_in))
    }
}

/// Calls per source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Calls {
    pub social: i64,
    pub web: i64,
    pub ai: i64,
    /// Calls to providers other than the search service.
    #[serde(skip_serializing_if = "is_zero")]
    pub providers: i64,
}

impl Calls {
    /// Returns calls to one source.
    pub(in crate::insight) fn of(source: Source, many: i64) -> Self {
        let mut calls = Self::default();
        match source {
            Source::Social => calls.social = many,
            Source::Web => calls.web = many,
            Source::Ai => calls.ai = many,
            _ => calls.providers = many,
        }
        calls
    }

    pub(in crate::insight) fn total(self) -> i64 {
        [self.web, self.ai, self.providers].into_iter().fold(self.social, i64::saturating_add)
    }

    pub(in crate::insight) fn plus(self, other: Self) -> Self {
        Self {
            social: self.social.saturating_add(other.social),
            web: self.web.saturating_add(other.web),
            ai: self.ai.saturating_add(other.ai),
            providers: self.providers.saturating_add(other.providers),
        }
    }

    pub(in crate::insight) fn times(self, n: i64) -> Self {
        Self {
            social: self.social.saturating_mul(n),
            web: self.web.saturating_mul(n),
            ai: self.ai.saturating_mul(n),
            providers: self.providers.saturating_mul(n),
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// Money over the horizon and over a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Cost {
    /// For the whole horizon.
    #[serde(rename = "horizon_usd")]
    pub horizon: Micros,
    /// The horizon's cost divided by its days.
    #[serde(rename = "per_day_usd")]
    pub per_day: Micros,
    /// For the next 30 days.
    #[serde(rename = "per_30_days_usd")]
    pub per_month: Micros,
}

/// The forecast of one topic.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct TopicForecast {
    pub topic: String,
    /// `scheduled`, `paused`, or `manual` (no schedule).
    pub state: &'static str,
    /// First slot of the horizon.
    pub first_slot: Option<Time>,
    /// Last slot of the horizon.
    pub last_slot: Option<Time>,
    /// Slots of the horizon.
    pub slots: i64,
    /// Slots of the next 30 days.
    pub slots_30_days: i64,
    /// The most calls of the horizon to each source, within the topic's own limits, which any of them may use up: a run
    /// asks each source once, but `ai.when` may skip the AI source.
    pub calls: Calls,
    /// The same with all tries of each call, and a daily AI search in each slot, as if none was answered.
    pub tries: Calls,
    /// The most calls of the horizon together.
    #[serde(skip)]
    pub most_calls: i64,
    /// Whether the numbers are upper bounds, for one of these three reasons.
    pub upper_bound: bool,
    /// Whether `ai.when = "new"` may skip an unknown number of calls.
    #[serde(skip)]
    pub may_skip_ai: bool,
    /// Whether a search of a provider may need fewer calls.
    #[serde(skip)]
    pub may_need_fewer_calls: bool,
    /// Whether its sources share limits that do not allow all their calls.
    #[serde(skip)]
    pub shares_limits: bool,
    /// Whether a daily AI search without an answer is made again at the next slot; `tries` and `at_most` count these.
    #[serde(skip)]
    pub may_repeat_ai: bool,
    /// How many planned runs of the last 30 days asked the AI source, of how many; `None` with too few runs to predict
    /// from.
    pub ai_asked: Option<(i64, i64)>,
    /// The most that `tries` cost: each has its highest price.
    pub at_most: Cost,
    /// The same with one try of each call.
    pub without_retries: Cost,
    /// The expected cost, using the expected prices and `ai_asked`.
    pub expected: Cost,
    /// How many milliseconds the interval of the schedule exceeds the window of the social searches.
    pub uncovered_ms: Option<i64>,
    /// The local date, if only a clock change on that day causes this.
    pub clock_change: Option<String>,
}

impl TopicForecast {
    /// The forecast of a topic that does not run by a schedule.
    pub(in crate::insight) fn unscheduled(topic: &Topic) -> Self {
        Self {
            topic: topic.id.clone(),
            state: if topic.schedule.is_some() { "paused" } else { "manual" },
            first_slot: None,
            last_slot: None,
            slots: 0,
            slots_30_days: 0,
            calls: Calls::default(),
            tries: Calls::default(),
            most_calls: 0,
            upper_bound: false,
            may_skip_ai: false,
            may_need_fewer_calls: false,
            shares_limits: false,
            may_repeat_ai: false,
            ai_asked: None,
            at_most: Cost::default(),
            without_retries: Cost::default(),
            expected: Cost::default(),
            uncovered_ms: None,
            clock_change: None,
        }
    }
}

/// The forecast of all topics.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Forecast {
    pub from: Time,
    pub until: Time,
    pub days: u32,
    /// The requested topics, in their order.
    pub topics: Vec<TopicForecast>,
    /// Slots of these topics.
    pub slots: i64,
    /// Calls of these topics.
    pub calls: Calls,
    /// The same with all tries of each call.
    pub tries: Calls,
    /// The most that these topics cost, with all tries of each call.
    pub at_most: Cost,
    /// The same with one try of each call.
    pub without_retries: Cost,
    /// The expected cost of these topics.
    pub expected: Cost,
    /// The prices used.
    pub prices: Vec<Price>,
    /// The daily limit of calls, shared by all topics.
    pub quota: Quota,
    /// The limits of the other providers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub providers: Vec<ProviderQuota>,
    /// The other limits: the money of the service and of other providers, and the requested topics' own limits.
    pub budgets: Vec<Allowance>,
}

impl Cost {
    /// Adds each part.
    pub(in crate::insight) fn plus(self, other: Self) -> Self {
        Self {
            horizon: self.horizon.plus(other.horizon),
            per_day: self.per_day.plus(other.per_day),
            per_month: self.per_month.plus(other.per_month),
        }
    }

    /// The higher one of each part.
    pub(in crate::insight) fn max(self, other: Self) -> Self {
        Self {
            horizon: self.horizon.max(other.horizon),
            per_day: self.per_day.max(other.per_day),
            per_month: self.per_month.max(other.per_month),
        }
    }
}
