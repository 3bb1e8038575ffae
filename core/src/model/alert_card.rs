//! How alerts stand, as they are shown: each with what fires, and what fires for a topic. Plain data.

use super::{AlertEvent, AlertSpec, Firing, Time};

/// An alert in force and how it stands.
#[derive(Debug, Clone)]
pub struct AlertCard {
    /// What it looks for, and whom it tells.
    pub spec: AlertSpec,
    /// When it looked last; `None` before its first look.
    pub looked_at: Option<Time>,
    /// When it sent something last.
    pub sent_at: Option<Time>,
    /// Until when nobody is told; the past means nothing.
    pub snoozed_until: Option<Time>,
    /// What fires, what began last first; not all of it where it is much.
    pub firing: Vec<Firing>,
    /// How much fires in all, and how much of it somebody knows.
    pub firing_in_all: i64,
    pub acked_in_all: i64,
    /// Events of which nobody was told yet.
    pub waiting: i64,
}

impl AlertCard {
    /// Until when it tells nobody because somebody said so.
    #[must_use]
    pub fn snoozed(&self, now: Time) -> Option<Time> {
        self.snoozed_until.filter(|until| *until > now)
    }

    /// Until when it sends no message because it sent one.
    #[must_use]
    pub fn cooling(&self, now: Time) -> Option<Time> {
        let cooldown = std::time::Duration::from_millis(self.spec.cooldown_ms);
        self.sent_at.map(|at| at.plus(cooldown)).filter(|until| *until > now)
    }
}

/// What fires for a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiringAt {
    pub topic: String,
    /// The alert's name.
    pub alert: String,
    pub firing: Firing,
}

/// What somebody knows now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Acked {
    /// Events that nobody knew of.
    pub events: u64,
    /// What fires and nobody knew of.
    pub firing: u64,
}

/// The topic that a subject names: itself, before `/` and a source or a day. That of the service's day is none.
#[must_use]
pub fn topic_of(subject: &str) -> Option<&str> {
    match subject.split_once('/') {
        None => Some(subject),
        Some(("service", day)) if day.starts_with(|c: char| c.is_ascii_digit()) => None,
        Some((topic, _)) => Some(topic),
    }
}

impl AlertEvent {
    /// The public id of the run it was seen at; a budget is seen on a day.
    #[must_use]
    pub fn run(&self) -> Option<&str> {
        let rest = self.event.strip_prefix("alert:")?.strip_prefix(&self.alert)?.strip_prefix('/')?;
        let origin = rest.split('/').next()?;
        let is_day = origin.len() == 10 && origin.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        (!is_day && !origin.is_empty()).then_some(origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::AlertEventKind;

    #[test]
    fn an_event_tells_its_run_and_a_subject_its_topic() {
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
                muted: None,
                acked_at: None,
            };
            assert_eq!(event.run(), run, "{}", event.event);
        }
        for (subject, topic) in [
            ("acme", Some("acme")),
            ("acme/web", Some("acme")),
            ("acme/2026-03-12", Some("acme")),
            ("service/2026-03-12", None),
            ("service/web", Some("service")),
        ] {
            assert_eq!(topic_of(subject), topic, "{subject}");
        }
    }
}
