//! Whether a call fits into what is left of a UTC day. Pure arithmetic on the counted usage.

use crate::model::{Budget, LimitExceeded, Micros, ServiceLimits, Time, TopicLimits, Usage};

/// Refuses a call that would exceed a daily limit of the service or its topic. Checks calls before money, because a
/// limit on calls says most clearly what to do.
pub(in crate::store) fn refusal(
    (service, used): (ServiceLimits, Usage),
    (topic, topic_used): (TopicLimits, Usage),
    price: Micros,
    now: Time,
) -> Option<LimitExceeded> {
    let lines = [
        (Budget::ServiceCalls, Some(i64::from(service.calls)), used.calls, 1),
        (Budget::TopicCalls, topic.calls.map(i64::from), topic_used.calls, 1),
        (Budget::ServiceMoney, service.money.map(|money| money.0), used.money.0, price.0),
        (Budget::TopicMoney, topic.micros, topic_used.money.0, price.0),
    ];
    lines.into_iter().find_map(|(budget, limit, used, more)| {
        let limit = limit.filter(|limit| used.saturating_add(more) > *limit)?;
        // A price above the daily limit will not fit tomorrow either.
        let clears_at = (more <= limit).then(|| now.next_utc_day());
        Some(LimitExceeded { budget, used, assumed: Micros(0), limit, price, clears_at })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::*;

    #[test]
    fn the_first_exceeded_limit_is_named_with_when_it_clears() {
        let now = Time(1_773_219_600_000);
        let service = ServiceLimits { calls: 3, money: Some(Micros(10_000)) };
        let topic = TopicLimits { calls: Some(2), micros: Some(6_000) };
        let used = |calls, money| Usage { calls, money: Micros(money) };
        for (service_used, topic_used, refused) in [
            (used(2, 7_000), used(1, 3_000), None),
            (
                used(3, 0),
                used(2, 9_000),
                Some("no service calls left until 2026-03-12T00:00:00Z: 3 of 3 made on the UTC day that ends then"),
            ),
            (
                used(2, 9_000),
                used(2, 0),
                Some("no topic calls left until 2026-03-12T00:00:00Z: 2 of 2 made on the UTC day that ends then"),
            ),
            (
                used(2, 7_001),
                used(1, 0),
                Some(
                    "not enough service money until 2026-03-12T00:00:00Z: $0.007001 of $0.010 used on the UTC day that ends then, a call may cost $0.003",
                ),
            ),
            (
                used(0, 0),
                used(1, 4_000),
                Some(
                    "not enough topic money until 2026-03-12T00:00:00Z: $0.004 of $0.006 used on the UTC day that ends then, a call may cost $0.003",
                ),
            ),
        ] {
            let result = refusal((service, service_used), (topic, topic_used), Micros(3_000), now);
            let wanted = refused.map(str::to_owned);
            assert_eq!(result.map(|exhausted| exhausted.to_string()), wanted);
        }
    }

    #[test]
    fn a_price_above_the_daily_budget_never_clears() {
        let now = Time(1_773_219_600_000);
        let none = TopicLimits::default();
        let dear = |service, topic| {
            let service = ServiceLimits { calls: 9, money: service };
            refusal((service, Usage::default()), (topic, Usage::default()), Micros(3_000), now)
        };
        let exhausted = dear(Some(Micros(2_999)), none).unwrap();
        assert_eq!(exhausted.clears_at, None);
        assert_eq!(
            exhausted.to_string(),
            "service money: a call may cost $0.003, but the limit for a UTC day is $0.002999"
        );
        assert_eq!(
            exhausted.message_for("hackernews"),
            "hackernews money: a call may cost $0.003, but the limit for a UTC day is $0.002999"
        );
        assert_eq!(exhausted.hint(), "raise [service] budget_per_day: one call may cost more than it allows in a day");
        let exhausted = dear(None, TopicLimits { calls: None, micros: Some(2_000) }).unwrap();
        assert_eq!(
            exhausted.hint(),
            "raise the topic's budget_per_day: one call may cost more than it allows in a day"
        );
        assert_eq!(dear(Some(Micros(3_000)), none), None, "one call a day is enough for it");
    }
}
