//! Reads and writes for alerts: runs in reading order, the state of an alert, and the one transaction that stores its
//! events, messages and cursor. It does not decide when an alert fires.

pub(in crate::store) mod rows;

use crate::model::{Acked, AlertCard, AlertEvent, AlertRun, AlertSpec, AlertState, SearchHealth, Time, TopicFiring};
use crate::store::{AlertChange, EventCursor, Store, StoreError};

/// The most firing subjects returned of an alert.
const FIRING: i64 = 20;
/// The same, for a page of one alert.
const ALL_FIRING: i64 = 1_000;

impl Store {
    /// Returns the alerts in force, by name.
    pub async fn alerts(&self) -> Result<Vec<AlertSpec>, StoreError> {
        read!(self, alerts::specs())
    }

    /// Returns all alerts, removed ones included, except those that this version cannot read.
    pub async fn all_alerts(&self) -> Result<Vec<AlertSpec>, StoreError> {
        read!(self, alert_subjects::all_alerts())
    }

    /// Returns topic runs after a place in the reading order, in that order.
    pub async fn alert_runs(&self, since: i64, most: i64) -> Result<Vec<AlertRun>, StoreError> {
        read!(self, alerts::runs(since, most))
    }

    /// Returns the number of the last run that began before an instant; 0 when there is none.
    pub async fn alert_seq_before(&self, at: Time) -> Result<i64, StoreError> {
        read!(self, alerts::seq_before(at))
    }

    /// Returns how many slots of a topic were missed before a place in the reading order and since its last run that
    /// started, and the time of the first.
    pub async fn missed_before(&self, topic: &str, seq: i64) -> Result<(i64, Option<Time>), StoreError> {
        read!(self, alerts::missed_before(topic, seq))
    }

    /// Returns the state of an alert.
    pub async fn alert_state(&self, alert: &str) -> Result<AlertState, StoreError> {
        read!(self, alerts::state(alert))
    }

    /// Returns the searches of a topic's latest runs up to a place in the reading order, by source, in that order.
    pub async fn searched(&self, topic: &str, until: i64, runs: u32) -> Result<Vec<SearchHealth>, StoreError> {
        read!(self, alerts::searched(topic, until, runs))
    }

    /// Stores the result of one alert check, all or nothing. Returns `false` and stores nothing if another process was
    /// faster.
    pub async fn store_alert_change(&self, alert: &str, change: &AlertChange, now: Time) -> Result<bool, StoreError> {
        write_tx!(self, alerts::store_change(alert, change, now))
    }

    /// Returns events after a place in the list, the latest first; of one alert or of all.
    pub async fn alert_events(
        &self,
        alert: Option<&str>,
        after: Option<&EventCursor>,
        most: i64,
    ) -> Result<Vec<AlertEvent>, StoreError> {
        read!(self, alert_cards::events(alert, after, most))
    }

    /// Returns the alerts in force whose names come after `after`, by name, each with its state.
    pub async fn alert_cards(&self, after: &str, limit: u32, now: Time) -> Result<Vec<AlertCard>, StoreError> {
        read!(self, alert_cards::cards(None, after, (i64::from(limit), FIRING), now))
    }

    /// Returns one alert in force with its state.
    pub async fn alert_card(&self, name: &str, now: Time) -> Result<Option<AlertCard>, StoreError> {
        Ok(read!(self, alert_cards::cards(Some(name), "", (1, FIRING), now))?.pop())
    }

    /// Returns the same with many more of its firing subjects, for a page of one alert.
    pub async fn alert_card_with_subjects(&self, name: &str, now: Time) -> Result<Option<AlertCard>, StoreError> {
        Ok(read!(self, alert_cards::cards(Some(name), "", (1, ALL_FIRING), now))?.pop())
    }

    /// Returns what fires for these topics, by topic.
    pub async fn firing_for_topics(&self, topics: &[String], now: Time) -> Result<Vec<TopicFiring>, StoreError> {
        read!(self, alert_cards::firing_for_topics(topics, now))
    }

    /// Returns the alerts that fire, by name, each with its number of firing subjects.
    pub async fn firing_alerts(&self, now: Time) -> Result<Vec<(String, i64)>, StoreError> {
        read!(self, alert_cards::firing_alerts(now))
    }

    /// Acknowledges an alert, or one event of it: waiting events, and queued or dead messages about nothing else,
    /// are not sent, and its end sends no message.
    /// Returns how much was newly acknowledged.
    pub async fn ack_alert(&self, alert: &str, event: Option<&str>, now: Time) -> Result<Acked, StoreError> {
        asked_tx!(self, alerts::ack(alert, event, now))
    }

    /// Mutes an alert until an instant; `None` unmutes it.
    pub async fn snooze_alert(&self, alert: &str, until: Option<Time>) -> Result<(), StoreError> {
        asked_tx!(self, alerts::snooze(alert, until))
    }
}
