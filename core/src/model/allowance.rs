//! What may be called and spent in a UTC day, and how a call that would be more is told. What was used is counted by the
//! store, and what a call costs is said elsewhere.

use super::{Micros, Source, Time, closed_list};

closed_list! {
    /// Which allowance of a day a call would overdraw.
    Budget {
        /// `max_calls_per_day` of the service.
        ServiceCalls = "service calls",
        /// `budget_per_day` of the service.
        ServiceMoney = "service money",
        /// `max_calls_per_day` of the topic.
        TopicCalls = "topic calls",
        /// `budget_per_day` of the topic.
        TopicMoney = "topic money",
    }
}

/// What the whole service may be asked in a UTC day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceLimits {
    pub calls: u32,
    /// Money; `None` is unlimited.
    pub money: Option<Micros>,
}

impl From<u32> for ServiceLimits {
    /// A limit of calls, none of money.
    fn from(calls: u32) -> Self {
        Self { calls, money: None }
    }
}

impl std::fmt::Display for ServiceLimits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.money {
            None => write!(f, "{} calls a day", self.calls),
            Some(money) => write!(f, "{} calls or {money} a day", self.calls),
        }
    }
}

/// What the search service and each other provider may be asked in a UTC day.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DayLimits {
    /// Of the search service, where there is one.
    pub service: Option<ServiceLimits>,
    pub providers: Vec<(Source, ServiceLimits)>,
}

/// What one topic may ask in a UTC day; it is stored with the topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct TopicLimits {
    #[serde(rename = "max_calls_per_day", default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u32>,
    /// Money in micro-dollars.
    #[serde(rename = "budget_per_day_micros", default, skip_serializing_if = "Option::is_none")]
    pub micros: Option<i64>,
}

impl TopicLimits {
    /// Whether it has none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    #[must_use]
    pub fn money(&self) -> Option<Micros> {
        self.micros.map(Micros)
    }
}

/// What was used of a UTC day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Used {
    pub calls: i64,
    /// What they cost, or may cost as long as that is not known.
    pub money: Micros,
}

impl Used {
    /// Together with others.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { calls: self.calls.saturating_add(other.calls), money: self.money.plus(other.money) }
    }

    /// One call more at a price.
    pub fn add(&mut self, price: Micros) {
        self.calls = self.calls.saturating_add(1);
        self.money = self.money.plus(price);
    }
}

/// Why a call must not be made, and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exhausted {
    /// What it would overdraw.
    pub budget: Budget,
    /// What was used of it, in calls or micro-dollars.
    pub used: i64,
    /// What there is of it.
    pub limit: i64,
    /// What the call would be expected to cost.
    pub price: Micros,
    /// When there is more; `None` where a whole day has less than one call may cost.
    pub clears_at: Option<Time>,
}

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { budget, used, limit, price, clears_at } = self;
        let Some(clears_at) = clears_at else {
            let limit = Micros(*limit);
            return write!(f, "{budget}: a call may cost {price}, and a whole UTC day has {limit}");
        };
        write!(f, "{budget} used up until {clears_at}: ")?;
        match budget {
            Budget::ServiceCalls | Budget::TopicCalls => write!(f, "{used} of {limit} this UTC day"),
            Budget::ServiceMoney | Budget::TopicMoney => {
                write!(f, "{} of {} this UTC day, a call may cost {price}", Micros(*used), Micros(*limit))
            }
        }
    }
}

impl Exhausted {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        self.hint_for(super::SERVICE)
    }

    /// What is said of it where a provider was asked.
    #[must_use]
    pub fn text_for(&self, provider: &str) -> String {
        self.to_string().replacen(super::SERVICE, provider, 1)
    }

    /// The same where a provider was asked.
    #[must_use]
    pub fn hint_for(&self, provider: &str) -> String {
        let section = if provider == super::SERVICE { "service".to_owned() } else { format!("providers.{provider}") };
        let key = match self.budget {
            Budget::ServiceCalls => format!("[{section}] max_calls_per_day"),
            Budget::ServiceMoney => format!("[{section}] budget_per_day"),
            Budget::TopicCalls => "the topic's max_calls_per_day".to_owned(),
            Budget::TopicMoney => "the topic's budget_per_day".to_owned(),
        };
        match self.clears_at {
            Some(_) => format!("it clears at midnight UTC; raise {key} if that is what you want"),
            None => format!("raise {key}: one call may cost more than it allows in a day"),
        }
    }
}
