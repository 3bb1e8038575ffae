//! The daily limits of calls and money, compared with a forecast, as plain values. `quota` computes them.

use crate::budget::UnaffordableCall;
use crate::model::{Budget, Micros, Source, Time};

/// The daily limit of calls, compared with the forecast.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Quota {
    /// Calls allowed per UTC day.
    pub max_calls_per_day: u32,
    /// Calls already made today.
    pub made_today: i64,
    /// The most calls on any UTC day of the horizon: an upper bound without retries.
    pub fullest_day_calls: i64,
    pub fullest_day: String,
    /// The first day on which the calls exceed the limit.
    pub used_up: Option<ExhaustedDay>,
    /// The number of such days.
    pub days_over: u32,
    /// Whether the calls may be fewer, and used up later or not at all: a provider's search may need fewer, runs without
    /// new items do not ask the AI source, sources share a topic's limits, or another limit is used up before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub upper_bound: bool,
}

/// A day whose calls exceed the limit.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ExhaustedDay {
    /// The UTC day.
    pub day: String,
    /// Its planned calls; today, also the calls already made.
    pub calls: i64,
    /// When the last allowed call is made.
    pub at: Time,
}

/// Another daily limit, compared with the forecast: the money of the service or another provider, or a topic's own
/// limit.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Allowance {
    pub budget: Budget,
    /// The topic that the limit belongs to.
    pub topic: Option<String>,
    /// The provider that it belongs to, if that is not the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<Source>,
    /// The limit per UTC day, in calls or dollars.
    pub limit: Amount,
    /// How much of today's limit is used already.
    pub used_today: Amount,
    /// The highest use on any UTC day of the horizon: an upper bound without retries.
    pub fullest_day_use: Amount,
    pub fullest_day: String,
    /// The first day on which the use exceeds the limit.
    pub used_up_on: Option<String>,
    /// The planned use of that day.
    pub wanted: Option<Amount>,
    /// When the last allowed call of that day is made.
    pub used_up_at: Option<Time>,
    /// The number of such days.
    pub days_over: u32,
    /// Whether the use may be less, as in [`Quota`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub upper_bound: bool,
    /// A planned call that costs more than the whole daily limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub too_dear: Option<UnaffordableCall>,
}

/// Calls or money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum Amount {
    Calls(i64),
    Money(Micros),
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Calls(1) => f.write_str("1 call"),
            Self::Calls(calls) => write!(f, "{calls} calls"),
            Self::Money(money) => money.fmt(f),
        }
    }
}

/// Converts a count to the integer type of rows; saturates.
pub(super) fn saturating_i64(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
