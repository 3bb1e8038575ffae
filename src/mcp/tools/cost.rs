//! Calls and cost of UTC days, how much of the cost no bill confirms, and their limits.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::mcp::answer::Answer;
use crate::mcp::call::ToolCall;
use crate::mcp::error::ToolError;
use crate::model::{Micros, PaidUsage, SERVICE, SearchCost, ServiceLimits, Time};

pub(super) async fn answer(call: ToolCall) -> Result<Answer, ToolError> {
    let topic = match call.given.text("topic") {
        Some(topic) => Some(call.store.topic_card(topic, call.now).await?.ok_or_else(|| ToolError::no_topic(topic))?),
        None => None,
    };
    let ids: Vec<String> = topic.iter().map(|card| card.topic.clone()).collect();
    let today = call.now.utc_day();
    let first = today - i64::from(call.given.number("days")) + 1;
    let mut used = call.store.usage_by_day(first, today).await?;
    let assumed = match ids.first() {
        Some(id) => call.store.assumed_of_topic(id, first, today).await?,
        None => BTreeMap::new(),
    };
    let pruned_until = call.store.pruned_until().await?.filter(|until| *until > Time::of_utc_day(first));
    let mut days = Vec::new();
    for day in first..=today {
        // For deleted searches perhaps only the sum is known, not how much of it was assumed.
        let is_kept = pruned_until.is_none_or(|until| until <= Time::of_utc_day(day));
        let with = |what: &str, name: &str, used: PaidUsage| {
            let assumed = is_kept.then_some(used.cost.assumed);
            json!({ what: name, "calls": used.calls, "cost_usd": used.cost.total, "assumed_usd": assumed })
        };
        let of_day = used.remove(&day).unwrap_or_default();
        let all = of_day.sum();
        let mut by_provider = vec![with("provider", SERVICE, of_day.service)];
        by_provider.extend(of_day.others.iter().map(|(name, used)| with("provider", name.as_str(), *used)));
        let of_topic = match ids.first() {
            Some(id) => {
                let used = call.store.usage_by_topics(day, &ids).await?.first().copied().unwrap_or_default();
                let assumed = assumed.get(&day).copied().unwrap_or(Micros(0)).min(used.money);
                let cost = SearchCost { total: used.money, assumed };
                Some(with("topic", id, PaidUsage { calls: used.calls, cost }))
            }
            None => None,
        };
        days.push(json!({
            "day": Time::of_utc_day(day).utc_date(),
            "calls": all.calls,
            "cost_usd": all.cost.total,
            "assumed_usd": is_kept.then_some(all.cost.assumed),
            "by_provider": by_provider,
            "topic": of_topic,
        }));
    }
    let limits = &call.settings.limits;
    let mut limited: Vec<Value> = limits.service.iter().map(|limits| limit(SERVICE, limits)).collect();
    limited.extend(limits.providers.iter().map(|(name, limits)| limit(name.as_str(), limits)));
    let own = topic.and_then(|card| card.definition).map(|topic| topic.limits).filter(|limits| !limits.is_none());
    let mut answer = Answer::default();
    answer.field("days", days)?;
    answer.field("limits", limited)?;
    answer.field(
        "topic_limits",
        own.map(|own| json!({ "max_calls_per_day": own.calls, "budget_per_day_usd": own.money() })),
    )?;
    answer.field("clears_at", call.now.next_utc_day())?;
    answer.note(
        "Days are UTC days. assumed_usd is what searches cost that no bill confirms in full: a reply named no cost, \
         which then counts at its expected price, or the search is not over.",
    );
    if let Some(until) = pruned_until {
        answer.note(format!(
            "Searches of runs before {} were deleted by retention: what was assumed on earlier days is not known, and \
             without a budget the cost of these days may be too low.",
            until.iso_millis()
        ));
    }
    Ok(answer)
}

fn limit(name: &str, limits: &ServiceLimits) -> Value {
    json!({ "provider": name, "max_calls_per_day": limits.calls, "budget_per_day_usd": limits.money })
}
