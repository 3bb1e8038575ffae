//! Measures alerts against real events: how many alerts were right, how many events were found, and how late. The list
//! of events is given; `alert` decides when an alert fires.

use std::time::Duration;

use crate::model::Time;

/// A real event from a hand-written list; both ends are inclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RealEvent {
    /// The topic it belongs to; `None` means every topic.
    pub topic: Option<String>,
    pub begin: Time,
    pub end: Time,
    pub label: Option<String>,
}

impl RealEvent {
    /// Returns whether the event covers `topic` at `at`.
    #[must_use]
    pub fn contains(&self, topic: &str, at: Time) -> bool {
        self.topic.as_deref().is_none_or(|own| own == topic) && self.begin <= at && at <= self.end
    }
}

/// The start of an alert for a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiredAlert {
    pub topic: String,
    pub at: Time,
}

/// The result of comparing alerts with real events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Detection {
    /// The number of alerts.
    pub alerts: usize,
    /// Alerts inside any event.
    pub right: usize,
    /// For each event, the first alert inside it.
    pub first: Vec<Option<Time>>,
    /// How long after its start each found event was found, the shortest first.
    delays: Vec<Duration>,
}

impl Detection {
    /// Compares alerts with events.
    #[must_use]
    pub fn of(alarms: &[FiredAlert], events: &[RealEvent]) -> Self {
        let right = |alarm: &&FiredAlert| events.iter().any(|event| event.contains(&alarm.topic, alarm.at));
        let first = |event: &RealEvent| {
            alarms.iter().filter(|alarm| event.contains(&alarm.topic, alarm.at)).map(|alarm| alarm.at).min()
        };
        let first: Vec<Option<Time>> = events.iter().map(first).collect();
        let delay = |(event, first): (&RealEvent, &Option<Time>)| first.map(|at| at.since(event.begin));
        let mut delays: Vec<Duration> = events.iter().zip(&first).filter_map(delay).collect();
        delays.sort_unstable();
        Self { alerts: alarms.len(), right: alarms.iter().filter(right).count(), first, delays }
    }

    /// The number of events found.
    #[must_use]
    pub fn found(&self) -> usize {
        self.delays.len()
    }

    /// The share of alerts that were right; `None` without alerts.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        ratio(self.right, self.alerts)
    }

    /// The share of events that were found; `None` without events.
    #[must_use]
    pub fn recall(&self) -> Option<f64> {
        ratio(self.found(), self.first.len())
    }

    /// The median delay of the found events.
    #[must_use]
    pub fn median_delay(&self) -> Option<Duration> {
        let middle = self.delays.len() / 2;
        let at = |place: usize| self.delays.get(place).copied();
        if self.delays.len().is_multiple_of(2) {
            Some((at(middle.checked_sub(1)?)? + at(middle)?) / 2)
        } else {
            at(middle)
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of alerts")]
fn ratio(some: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| some as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(topic: Option<&str>, begin: i64, end: i64) -> RealEvent {
        RealEvent { topic: topic.map(str::to_owned), begin: Time(begin), end: Time(end), label: None }
    }

    fn alarm(topic: &str, at: i64) -> FiredAlert {
        FiredAlert { topic: topic.to_owned(), at: Time(at) }
    }

    #[test]
    fn alerts_inside_an_event_are_right_and_the_first_one_detects_it() {
        let events =
            [event(None, 100, 200), event(Some("acme"), 300, 400), event(None, 500, 600), event(None, 590, 700)];
        let alarms = [
            alarm("acme", 99),
            alarm("acme", 100),
            alarm("acme", 200),
            alarm("acme", 201),
            alarm("other", 350),
            alarm("other", 595),
        ];
        let got = Detection::of(&alarms, &events);
        assert_eq!((got.alerts, got.right, got.found()), (6, 3, 3), "{got:?}");
        assert_eq!(got.first, [Some(Time(100)), None, Some(Time(595)), Some(Time(595))]);
        assert_eq!((got.precision(), got.recall()), (Some(0.5), Some(0.75)));
        assert_eq!(got.median_delay(), Some(Duration::from_millis(5)), "of 0, 5 and 95");
        let two = Detection::of(&[alarm("a", 110), alarm("a", 595)], &events[..3]);
        assert_eq!(two.median_delay(), Some(Duration::from_micros(52_500)), "of 10 and 95");
    }

    #[test]
    fn no_alerts_and_events_give_no_precision_recall_or_delay() {
        let none = Detection::of(&[], &[]);
        assert_eq!((none.precision(), none.recall(), none.median_delay()), (None, None, None));
        let silent = Detection::of(&[], &[event(None, 1, 2)]);
        assert_eq!((silent.precision(), silent.recall()), (None, Some(0.0)));
    }
}
