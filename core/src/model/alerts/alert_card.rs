//! Alerts as pages show them: each alert's state, and the alerts that fire for a topic. Plain data.

use crate::model::{AlertEvent, AlertSpec, Delivery, Firing, SERVICE, Time, alert_job};

/// An alert in force and its state.
#[derive(Debug, Clone)]
pub struct AlertCard {
    /// What it checks and which channels it notifies.
    pub spec: AlertSpec,
    /// When a check last stored something: at its creation, then new runs, events or a message; `None` before that.
    pub looked_at: Option<Time>,
    /// When it last queued a message.
    pub sent_at: Option<Time>,
    /// The delivery state of that message.
    pub delivery: Option<Delivery>,
    /// The end of the snooze; a past time means that it is not snoozed.
    pub snoozed_until: Option<Time>,
    /// The firing subjects, the latest first. Truncated when there are many.
    pub firing: Vec<Firing>,
    /// The total number of firing subjects, and how many of them are acknowledged.
    pub firing_in_all: i64,
    pub acked_in_all: i64,
    /// The held-back subjects, the latest first. Truncated when there are many.
    pub held_back: Vec<Firing>,
    /// The number of events not reported yet.
    pub waiting: i64,
}

impl AlertCard {
    /// The end of the snooze; `None` when the alert is not snoozed.
    #[must_use]
    pub fn snoozed(&self, now: Time) -> Option<Time> {
        self.snoozed_until.filter(|until| *until > now)
    }

    /// Until when it sends nothing: the end of the snooze or of the quiet hours, also of those in which the snooze ends;
    /// `None` if it is neither snoozed nor in quiet hours.
    #[must_use]
    pub fn silent(&self, now: Time) -> Option<Time> {
        let snoozed = self.snoozed(now);
        self.spec.quiet_until(snoozed.unwrap_or(now)).or(snoozed)
    }

    /// The end of the cooldown after the last message; `None` when there is no cooldown now.
    #[must_use]
    pub fn cooling(&self, now: Time) -> Option<Time> {
        self.spec.cooling_until(self.sent_at, now)
    }
}

/// An alert that fires for a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicFiring {
    pub topic: String,
    /// The alert's name.
    pub alert: String,
    pub firing: Firing,
}

/// How much an acknowledgement covered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Acked {
    /// Events that were not acknowledged before.
    pub events: u64,
    /// Firing subjects that were not acknowledged before.
    pub firing: u64,
}

/// The topic of an alert's subject: the part before `/` and a source or a day. `None` for a day's budget of the service
/// or of a provider, which may have the name of a topic: only the alert shows whose budget it is. Without the alert, no
/// day has a topic.
#[must_use]
pub fn subject_topic<'a>(subject: &'a str, spec: Option<&AlertSpec>) -> Option<&'a str> {
    match subject.split_once('/') {
        None => Some(subject),
        Some((name, day)) if is_day(day) && !spec.is_some_and(|spec| spec.checks_topic_budget(name)) => None,
        Some((topic, _)) => Some(topic),
    }
}

/// Whether a text is a date such as `2026-03-11`.
fn is_day(text: &str) -> bool {
    text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-')
}

impl AlertSpec {
    /// Whether a day's budget of this name is a topic's. An alert that names topics now may have checked providers before.
    fn checks_topic_budget(&self, name: &str) -> bool {
        let is_provider = name == SERVICE || self.providers.iter().any(|(provider, _)| provider.as_str() == name);
        let may_be_topic = !is_provider || !self.tags.is_empty() || self.topics.iter().any(|topic| topic == name);
        self.checks_topic_budgets() && may_be_topic
    }

    /// Whether a subject is a day's budget of the service or of a provider, which it checks.
    #[must_use]
    pub fn is_provider_budget(&self, subject: &str) -> bool {
        let name = subject.split_once('/').map(|(name, _)| name);
        subject_topic(subject, None).is_none() && name.is_some_and(|name| self.checks_provider_budget(name))
    }
}

impl AlertEvent {
    /// The public id of the run in which the event was detected; `None` for a budget, which is checked by day.
    #[must_use]
    pub fn run_id(&self) -> Option<&str> {
        let rest = self.event.strip_prefix(&alert_job(&self.alert))?.strip_prefix('/')?;
        let origin = rest.split('/').next()?;
        (!is_day(origin) && !origin.is_empty()).then_some(origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{AlertEventKind, AlertRule, TopicLimits};

    #[test]
    fn an_event_id_gives_its_run_and_a_subject_its_topic() {
        for (event, run) in [
            ("alert:recalls/topic:acme@2026-03-12T01:00:00Z/acme/fired", Some("topic:acme@2026-03-12T01:00:00Z")),
            ("alert:recalls/01KHXJ5W0000000000000000/acme/web/fired", Some("01KHXJ5W0000000000000000")),
            ("alert:recalls/2026-03-12/service/2026-03-12/fired", None),
            ("alert:other/topic:acme@2026-03-12T01:00:00Z/acme/fired", None),
            ("nonsense", None),
        ] {
            let event = AlertEvent {
                event: event.to_owned(),
                alert: "recalls".to_owned(),
                subject: String::new(),
                kind: AlertEventKind::Fired,
                at: Time(0),
                summary: String::new(),
                lines: Vec::new(),
                message: None,
                delivery: None,
                muted: None,
                acked_at: None,
            };
            assert_eq!(event.run_id(), run, "{}", event.event);
        }
        let budget = AlertSpec {
            name: "recalls".to_owned(),
            rule: AlertRule::Budget,
            topics: Vec::new(),
            tags: Vec::new(),
            words: Vec::new(),
            sources: Vec::new(),
            least: 0,
            window_ms: 0,
            failures: 0,
            of: 0,
            share: 80,
            channels: Vec::new(),
            cooldown_ms: 0,
            quiet: None,
            timezone: "UTC".to_owned(),
            recovery: false,
            service: TopicLimits::default(),
            providers: Vec::new(),
            prices: Vec::new(),
            paused: false,
        };
        let of_topics = AlertSpec { topics: vec!["acme".to_owned()], ..budget.clone() };
        let of_tags = AlertSpec { tags: vec!["brands".to_owned()], ..budget.clone() };
        let of_service = AlertSpec { topics: vec!["service".to_owned()], ..budget.clone() };
        let volume = AlertSpec { rule: AlertRule::Volume, ..of_topics.clone() };
        // A day has a topic only if the alert names topics.
        for (subject, spec, topic) in [
            ("acme", None, Some("acme")),
            ("acme/web", None, Some("acme")),
            ("acme/2026-03-12", None, None),
            ("service/2026-03-12", None, None),
            ("service/web", None, Some("service")),
            ("acme/2026-03-12", Some(&of_topics), Some("acme")),
            ("acme/2026-03-12", Some(&of_tags), Some("acme")),
            // An event from a time when the alert checked the service, and a topic named `service`.
            ("service/2026-03-12", Some(&of_topics), None),
            ("service/2026-03-12", Some(&of_service), Some("service")),
            // A provider with the name of a topic.
            ("acme/2026-03-12", Some(&budget), None),
            ("service/2026-03-12", Some(&budget), None),
            ("acme", Some(&volume), Some("acme")),
            ("acme/web", Some(&volume), Some("acme")),
        ] {
            assert_eq!(subject_topic(subject, spec), topic, "{subject} {spec:?}");
        }
    }
}
