//! A sample alert for the tests of `alert`.

use crate::model::{AlertRule, AlertSpec, TopicLimits};

pub(in crate::alert) fn spec() -> AlertSpec {
    AlertSpec {
        name: "recalls".to_owned(),
        rule: AlertRule::Items,
        topics: Vec::new(),
        tags: Vec::new(),
        words: Vec::new(),
        sources: Vec::new(),
        least: 1,
        window_ms: 86_400_000,
        failures: 3,
        of: 5,
        share: 80,
        channels: vec!["team".to_owned()],
        cooldown_ms: 3_600_000,
        quiet: None,
        timezone: "UTC".to_owned(),
        recovery: true,
        service: TopicLimits { calls: Some(500), micros: None },
        providers: Vec::new(),
        prices: Vec::new(),
        paused: false,
    }
}
