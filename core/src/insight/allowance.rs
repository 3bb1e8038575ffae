//! A day's limits of calls and money and how a forecast meets them, as plain values. `quota` works them out.

use crate::budget::TooDear;
use crate::model::{Budget, Micros, Time};

/// How the day's limit of calls is met.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Quota {
    /// Calls that may be made in a UTC day.
    pub max_calls_per_day: u32,
    /// Calls made already today.
    pub made_today: i64,
    /// Calls of the fullest UTC day that begins or ends in the horizon, at most, tries after a failure left out.
    pub fullest_day_calls: i64,
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

/// How another limit of a day is met: the service's money, or what a topic has of its own.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Allowance {
    pub budget: Budget,
    /// The topic whose limit it is.
    pub topic: Option<String>,
    /// What there is in a UTC day, in calls or dollars.
    pub limit: Amount,
    /// What is used of today's.
    pub used_today: Amount,
    /// What the fullest UTC day of the horizon would use, at most, tries after a failure left out.
    pub fullest_day_use: Amount,
    pub fullest_day: String,
    /// The first day on which it is not enough.
    pub used_up_on: Option<String>,
    /// What that day would use.
    pub wanted: Option<Amount>,
    /// When on that day the last allowed call is made.
    pub used_up_at: Option<Time>,
    /// On how many days it is not enough.
    pub days_over: u32,
    /// A planned call that costs more than a whole day has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub too_dear: Option<TooDear>,
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

/// A count as rows have it.
pub(super) fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
