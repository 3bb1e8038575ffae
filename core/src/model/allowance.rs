//! Limits of calls and money in a UTC day, and the reason why a call is refused. The store counts what was used;
//! `budget` computes prices.

use super::{Micros, SearchCost, Source, Time, closed_list};

closed_list! {
    /// Which daily limit a call would exceed.
    Budget {
        /// `max_calls_per_day` of the service.
        ServiceCalls = "service calls",
        /// `budget_per_day` of the service.
        ServiceMoney = "service money",
        /// `budget_per_day` of another provider, in forecasts; a refused call of it names the service's.
        ProviderMoney = "provider money",
        /// `max_calls_per_day` of the topic.
        TopicCalls = "topic calls",
        /// `budget_per_day` of the topic.
        TopicMoney = "topic money",
    }
}

/// The limits of the whole service in a UTC day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceLimits {
    pub calls: u32,
    /// Money; `None` is unlimited.
    pub money: Option<Micros>,
}

impl From<u32> for ServiceLimits {
    /// A limit of calls only.
    fn from(calls: u32) -> Self {
        Self { calls, money: None }
    }
}

impl std::fmt::Display for ServiceLimits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let s = if self.calls == 1 { "" } else { "s" };
        match self.money {
            None => write!(f, "{} call{s} a day", self.calls),
            Some(money) => write!(f, "{} call{s} or {money} a day", self.calls),
        }
    }
}

/// The limits of the search service and of each other provider in a UTC day.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DayLimits {
    /// The limits of the search service; `None` without one.
    pub service: Option<ServiceLimits>,
    pub providers: Vec<(Source, ServiceLimits)>,
}

/// The limits of one topic in a UTC day, stored with the topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct TopicLimits {
    #[serde(rename = "max_calls_per_day", default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u32>,
    /// Money in micro-dollars.
    #[serde(rename = "budget_per_day_micros", default, skip_serializing_if = "Option::is_none")]
    pub micros: Option<i64>,
}

impl TopicLimits {
    /// Whether there are no limits.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    #[must_use]
    pub fn money(&self) -> Option<Micros> {
        self.micros.map(Micros)
    }
}

/// The use in a UTC day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    pub calls: i64,
    /// The cost of the calls; the expected price while the actual one is not known.
    pub money: Micros,
}

impl Usage {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { calls: self.calls.saturating_add(other.calls), money: self.money.plus(other.money) }
    }

    /// The same with how much of the money no bill confirms. The two are read separately, so the assumed part is
    /// limited to the used money.
    #[must_use]
    pub fn with_assumed(self, assumed: Micros) -> PaidUsage {
        PaidUsage { calls: self.calls, cost: SearchCost { total: self.money, assumed: assumed.min(self.money) } }
    }

    /// Adds one call at a price.
    pub fn add(&mut self, price: Micros) {
        self.calls = self.calls.saturating_add(1);
        self.money = self.money.plus(price);
    }
}

/// The same with how much of the money no bill confirms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PaidUsage {
    pub calls: i64,
    pub cost: SearchCost,
}

impl PaidUsage {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { calls: self.calls.saturating_add(other.calls), cost: self.cost.plus(other.cost) }
    }

    /// The same without the assumed part.
    #[must_use]
    pub fn usage(self) -> Usage {
        Usage { calls: self.calls, money: self.cost.total }
    }
}

/// The use of all providers in a UTC day.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UsageByProvider {
    /// The search service.
    pub service: PaidUsage,
    /// The other providers that were called, by name.
    pub others: Vec<(Source, PaidUsage)>,
}

impl UsageByProvider {
    /// The use of all providers together.
    #[must_use]
    pub fn sum(&self) -> PaidUsage {
        self.others.iter().fold(self.service, |sum, (_, used)| sum.plus(*used))
    }

    /// The use of one other provider.
    #[must_use]
    pub fn of(&self, name: Source) -> PaidUsage {
        self.others.iter().find(|(one, _)| *one == name).map(|(_, used)| *used).unwrap_or_default()
    }
}

/// Why a call is refused, and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitExceeded {
    /// The limit it would exceed.
    pub budget: Budget,
    /// How much is used, in calls or micro-dollars.
    pub used: i64,
    /// How much of the used money no bill confirms, if that was looked up.
    pub assumed: Micros,
    /// The limit, in the same unit.
    pub limit: i64,
    /// The expected price of the call.
    pub price: Micros,
    /// When the limit resets; `None` if one call may cost more than a whole day allows.
    pub clears_at: Option<Time>,
}

impl std::fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { budget, used, assumed, limit, price, clears_at } = self;
        let Some(clears_at) = clears_at else {
            let limit = Micros(*limit);
            return write!(f, "{budget}: a call may cost {price}, but the limit for a UTC day is {limit}");
        };
        match budget {
            Budget::ServiceCalls | Budget::TopicCalls => {
                write!(f, "no {budget} left until {clears_at}: {used} of {limit} made on the UTC day that ends then")
            }
            Budget::ServiceMoney | Budget::ProviderMoney | Budget::TopicMoney => {
                let (used, limit) = (SearchCost { total: Micros(*used), assumed: *assumed }, Micros(*limit));
                write!(
                    f,
                    "not enough {budget} until {clears_at}: {used} of {limit} used on the UTC day that ends then, a call may cost {price}"
                )
            }
        }
    }
}

impl LimitExceeded {
    /// The hint.
    #[must_use]
    pub fn hint(&self) -> String {
        self.hint_for(super::SERVICE)
    }

    /// The message, with the provider's name in place of the service.
    #[must_use]
    pub fn message_for(&self, provider: &str) -> String {
        self.to_string().replacen(super::SERVICE, provider, 1)
    }

    /// The hint, for a given provider.
    #[must_use]
    pub fn hint_for(&self, provider: &str) -> String {
        let section = if provider == super::SERVICE { "service".to_owned() } else { format!("providers.{provider}") };
        let key = match self.budget {
            Budget::ServiceCalls => format!("[{section}] max_calls_per_day"),
            Budget::ServiceMoney | Budget::ProviderMoney => format!("[{section}] budget_per_day"),
            Budget::TopicCalls => "the topic's max_calls_per_day".to_owned(),
            Budget::TopicMoney => "the topic's budget_per_day".to_owned(),
        };
        match self.clears_at {
            Some(_) => format!("the limit resets at midnight UTC; raise {key} to allow more"),
            None => format!("raise {key}: one call may cost more than it allows in a day"),
        }
    }
}
