//! The use of the daily budgets, for `status`.

use serde_json::json;

use crate::budget::UnaffordableCall;
use crate::cli::wiring::context::Context;
use crate::config::ProviderConfig;
use crate::insight::Amount;
use crate::model::{Budget, Micros, PaidUsage, SearchCost, Topic, UsageByProvider};

/// A daily budget, and how much of it is used.
#[derive(serde::Serialize)]
pub(in crate::cli::look) struct BudgetLine {
    budget: Budget,
    topic: Option<String>,
    used: Amount,
    /// How much of the used money no bill confirms, if any.
    #[serde(rename = "assumed_usd", skip_serializing_if = "Option::is_none")]
    assumed: Option<Micros>,
    /// `None` means no limit; only the service's money can have none.
    pub(in crate::cli::look) limit: Option<Amount>,
    left: Option<Amount>,
    /// A call that costs more than the whole daily budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    too_dear: Option<UnaffordableCall>,
}

impl BudgetLine {
    fn of_money(budget: Budget, topic: Option<&str>, used: SearchCost, limit: Option<Micros>) -> Self {
        let assumed = Some(used.assumed).filter(|assumed| *assumed > Micros(0));
        Self { assumed, ..Self::new(budget, topic, Amount::Money(used.total), limit.map(Amount::Money)) }
    }

    fn new(budget: Budget, topic: Option<&str>, used: Amount, limit: Option<Amount>) -> Self {
        let left = limit.map(|limit| match (limit, used) {
            (Amount::Money(limit), Amount::Money(used)) => Amount::Money(Micros((limit.0 - used.0).max(0))),
            (Amount::Calls(limit), Amount::Calls(used)) => Amount::Calls((limit - used).max(0)),
            (other, _) => other,
        });
        Self { budget, topic: topic.map(str::to_owned), used, assumed: None, limit, left, too_dear: None }
    }
}

impl std::fmt::Display for BudgetLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let of = self.topic.as_ref().map_or_else(String::new, |topic| format!(" of {topic}"));
        match (self.used, self.assumed) {
            (Amount::Money(total), Some(assumed)) => {
                write!(f, "{}{of}: {}", self.budget, SearchCost { total, assumed })?;
            }
            _ => write!(f, "{}{of}: {}", self.budget, self.used)?,
        }
        f.write_str(" used today (UTC)")?;
        match (self.limit, self.left) {
            (Some(limit), Some(left)) => write!(f, " of {limit}, {left} left")?,
            _ => return Ok(()),
        }
        match self.too_dear {
            Some(UnaffordableCall { source, price }) => write!(f, ", too little for one call of {source} ({price})"),
            None => Ok(()),
        }
    }
}

/// Returns today's use of each provider other than the search service.
pub(super) fn provider_days(context: &Context, used: &UsageByProvider) -> Vec<serde_json::Value> {
    let day = |one: &ProviderConfig| {
        let used = used.of(one.name);
        json!({ "provider": one.name, "kind": one.kind.name, "calls_today": used.calls, "max_calls_per_day": one.max_calls_per_day,
            "cost_usd": used.cost.total, "budget_per_day_usd": one.budget_per_day, "assumed_usd": used.cost.assumed })
    };
    context.config.providers.iter().map(day).collect()
}

/// Returns the service's budgets for calls and money first, then the topics' own.
pub(in crate::cli::look) fn budgets(context: &Context, used: PaidUsage, topics: &[PaidUsage]) -> Vec<BudgetLine> {
    let limits = context.config.service.limits();
    let calls = |calls: u32| Amount::Calls(i64::from(calls));
    let prices = context.prices();
    let service_sources = context.config.topics.iter().flat_map(Topic::sources).filter(|source| source.is_service());
    let money = BudgetLine::of_money(Budget::ServiceMoney, None, used.cost, limits.money);
    let mut lines = vec![
        BudgetLine::new(Budget::ServiceCalls, None, Amount::Calls(used.calls), Some(calls(limits.calls))),
        BudgetLine { too_dear: limits.money.and_then(|day| prices.unaffordable(service_sources, day)), ..money },
    ];
    for (topic, used) in context.limited().zip(topics) {
        let id = Some(topic.id.as_str());
        if let Some(limit) = topic.limits.calls {
            lines.push(BudgetLine::new(Budget::TopicCalls, id, Amount::Calls(used.calls), Some(calls(limit))));
        }
        if let Some(limit) = topic.limits.money() {
            let line = BudgetLine::of_money(Budget::TopicMoney, id, used.cost, Some(limit));
            lines.push(BudgetLine { too_dear: prices.unaffordable(topic.sources(), limit), ..line });
        }
    }
    lines
}

/// Formats the money used on a day, with its budget if there is one.
pub(super) fn money_used(used: SearchCost, budget: Option<Micros>) -> String {
    budget.map_or_else(|| used.to_string(), |budget| format!("{used} of {budget}"))
}
