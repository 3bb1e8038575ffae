//! What a forecast is asked and what it tells, as plain values. How it comes about is in `forecast` and `quota`.

use super::allowance::{Allowance, Quota};
use crate::model::{AskedRow, BilledRow, Micros, ServiceLimits, Source, Time, Used};

/// The span that is looked at, and the day's limits.
#[derive(Debug, Clone, Copy)]
pub struct Horizon {
    /// Its begin, which is the present.
    pub from: Time,
    /// Its length in days of 24 hours, at least 1.
    pub days: u32,
    /// What may be asked in a UTC day.
    pub limits: ServiceLimits,
    /// What was used already in the UTC day of the begin.
    pub used: Used,
}

/// What the last 30 days say. Empty without a database.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// What was billed.
    pub billed: Vec<BilledRow>,
    /// How often the AI source was asked.
    pub asked: Vec<AskedRow>,
    /// What topics that have limits of their own used in the UTC day of the begin.
    pub used: Vec<(String, Used)>,
    /// The other providers.
    pub providers: Vec<ProviderDay>,
    /// Topics that are paused beside the file.
    pub paused: Vec<String>,
}

/// A provider's limits of a day, and what was used of them.
#[derive(Debug, Clone, Copy)]
pub struct ProviderDay {
    pub name: Source,
    pub limits: ServiceLimits,
    pub used: Used,
}

/// How a provider's limit of calls is met.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ProviderQuota {
    pub provider: Source,
    #[serde(flatten)]
    pub quota: Quota,
}

/// The expected price of one search of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Price {
    pub source: Source,
    /// The price in force for the forecast.
    #[serde(rename = "price_usd")]
    pub price: Micros,
    /// `observed` or `configured`.
    pub basis: &'static str,
    /// Billed searches of the last 30 days.
    pub billed_searches: i64,
}

/// Calls per source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Calls {
    pub social: i64,
    pub web: i64,
    pub ai: i64,
    /// Of providers beside the search service.
    #[serde(skip_serializing_if = "is_zero")]
    pub providers: i64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// Money over the horizon and over a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Cost {
    /// Of the whole horizon.
    #[serde(rename = "horizon_usd")]
    pub horizon: Micros,
    /// The horizon's, spread over its days.
    #[serde(rename = "per_day_usd")]
    pub per_day: Micros,
    /// Of the next 30 days.
    #[serde(rename = "per_30_days_usd")]
    pub per_month: Micros,
}

/// What one topic will do.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct TopicForecast {
    pub topic: String,
    /// `scheduled`, `paused`, or `manual` (it has no schedule).
    pub state: &'static str,
    /// First slot of the horizon.
    pub first_slot: Option<Time>,
    /// Last slot of the horizon.
    pub last_slot: Option<Time>,
    /// Slots of the horizon.
    pub slots: i64,
    /// Slots of the next 30 days.
    pub slots_30_days: i64,
    /// Calls of the horizon, at most: a run asks each source once, and `ai.when` may leave the AI source out.
    pub calls: Calls,
    /// Whether `ai.when = "new"` may leave calls out of which the number is not known.
    pub upper_bound: bool,
    /// Planned runs of the last 30 days that asked the AI source, of how many: when there are enough to expect as much.
    pub ai_asked: Option<(i64, i64)>,
    /// What the calls cost at most.
    pub at_most: Cost,
    /// What they are expected to cost, going by `ai_asked`; else the same.
    pub expected: Cost,
    /// By how many milliseconds the schedule is rarer than the window of the social searches.
    pub uncovered_ms: Option<i64>,
    /// The local date, where that is so only because the clock is changed then.
    pub clock_change: Option<String>,
}

/// What all will do.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Forecast {
    pub from: Time,
    pub until: Time,
    pub days: u32,
    /// The topics asked for, in their order.
    pub topics: Vec<TopicForecast>,
    /// Sums over them.
    pub slots: i64,
    /// Sums over them.
    pub calls: Calls,
    /// Sums over them.
    pub at_most: Cost,
    /// Sums over them.
    pub expected: Cost,
    /// Prices gone by.
    pub prices: Vec<Price>,
    /// The day's limit of calls, which holds for all topics together.
    pub quota: Quota,
    /// The limits of the other providers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub providers: Vec<ProviderQuota>,
    /// The other limits: the service's money, and what the topics asked for have of their own.
    pub budgets: Vec<Allowance>,
}

impl Cost {
    /// The sum of each.
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            horizon: self.horizon.plus(other.horizon),
            per_day: self.per_day.plus(other.per_day),
            per_month: self.per_month.plus(other.per_month),
        }
    }
}
