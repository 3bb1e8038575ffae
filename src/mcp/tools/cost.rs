//! Calls and cost of UTC days, and their limits.

use serde_json::{Value, json};

use crate::mcp::answer::Answer;
use crate::mcp::call::ToolCall;
use crate::mcp::error::ToolError;
use crate::model::{SERVICE, ServiceLimits, Time, Usage};

pub(super) async fn answer(call: ToolCall) -> Result<Answer, ToolError> {
    let topic = match call.given.text("topic") {
        Some(topic) => Some(call.store.topic_card(topic, call.now).await?.ok_or_else(|| ToolError::no_topic(topic))?),
        None => None,
    };
    let ids: Vec<String> = topic.iter().map(|card| card.topic.clone()).collect();
    let today = call.now.utc_day();
    let many = i64::from(call.given.number("days"));
    let mut days = Vec::new();
    for day in (today - many + 1)..=today {
        let (service, of_topics) = call.store.usage_on(day, &ids).await?;
        let others = call.store.used_by_provider(day).await?;
        let all = others.iter().fold(service, |sum, (_, used)| sum.plus(*used));
        let mut by_provider = vec![with("provider", SERVICE, service)];
        by_provider.extend(others.iter().map(|(name, used)| with("provider", name.as_str(), *used)));
        days.push(json!({
            "day": Time::of_utc_day(day).utc_date(),
            "calls": all.calls,
            "cost_usd": all.money,
            "by_provider": by_provider,
            "topic": ids.first().zip(of_topics.first()).map(|(id, used)| with("topic", id, *used)),
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
    answer.note("Days are UTC days. A call whose cost is not known yet counts at its expected price.");
    Ok(answer)
}

fn with(what: &str, name: &str, used: Usage) -> Value {
    json!({ what: name, "calls": used.calls, "cost_usd": used.money })
}

fn limit(name: &str, limits: &ServiceLimits) -> Value {
    json!({ "provider": name, "max_calls_per_day": limits.calls, "budget_per_day_usd": limits.money })
}
