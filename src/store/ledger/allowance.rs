//! Whether a call fits into what is left of a UTC day: pure arithmetic over what the statements counted.

use crate::model::{Budget, Exhausted, Micros, ServiceLimits, Time, TopicLimits, Used};

/// Refuses a call at a price that is more than the service or its topic may be asked that day; calls before money,
/// because a number of calls says most clearly what to do.
pub(in crate::store) fn refusal(
    (service, used): (ServiceLimits, Used),
    (topic, topic_used): (TopicLimits, Used),
    price: Micros,
    now: Time,
) -> Option<Exhausted> {
    let lines = [
        (Budget::ServiceCalls, Some(i64::from(service.calls)), used.calls, 1),
        (Budget::TopicCalls, topic.calls.map(i64::from), topic_used.calls, 1),
        (Budget::ServiceMoney, service.money.map(|money| money.0), used.money.0, price.0),
        (Budget::TopicMoney, topic.micros, topic_used.money.0, price.0),
    ];
    lines.into_iter().find_map(|(budget, limit, used, more)| {
        let limit = limit.filter(|limit| used.saturating_add(more) > *limit)?;
        Some(Exhausted { budget, used, limit, price, clears_at: now.next_utc_day() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_allowance_that_a_call_would_overdraw_is_named_with_its_end() {
        let now = Time(1_773_219_600_000);
        let service = ServiceLimits { calls: 3, money: Some(Micros(10_000)) };
        let topic = TopicLimits { calls: Some(2), micros: Some(6_000) };
        let used = |calls, money| Used { calls, money: Micros(money) };
        for (service_used, topic_used, refused) in [
            (used(2, 7_000), used(1, 3_000), None),
            (used(3, 0), used(2, 9_000), Some("service calls used up until 2026-03-12T00:00:00Z: 3 of 3 this UTC day")),
            (used(2, 9_000), used(2, 0), Some("topic calls used up until 2026-03-12T00:00:00Z: 2 of 2 this UTC day")),
            (
                used(2, 7_001),
                used(1, 0),
                Some(
                    "service money used up until 2026-03-12T00:00:00Z: $0.007001 of $0.010 this UTC day, a call may cost $0.003",
                ),
            ),
            (
                used(0, 0),
                used(1, 4_000),
                Some(
                    "topic money used up until 2026-03-12T00:00:00Z: $0.004 of $0.006 this UTC day, a call may cost $0.003",
                ),
            ),
        ] {
            let told = refusal((service, service_used), (topic, topic_used), Micros(3_000), now);
            let wanted = refused.map(str::to_owned);
            assert_eq!(told.map(|exhausted| exhausted.to_string()), wanted);
        }
    }
}
