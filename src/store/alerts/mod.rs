//! What alerts need of the store: runs in reading order, how an alert stands, and the one transaction in which its events,
//! its messages and its cursor move. When an alert fires is not decided here.

pub(in crate::store) mod rows;

use crate::model::{Acked, AlertCard, AlertEvent, AlertRun, AlertSpec, AlertStanding, FiringAt, Searched, Time};
use crate::store::{AlertChange, EventPlace, Store, StoreError};

impl Store {
    /// The alerts in force, by name.
    pub async fn alerts(&self) -> Result<Vec<AlertSpec>, StoreError> {
        read!(self, alerts::specs())
    }

    /// Runs of topics after a place in the reading order, in that order.
    pub async fn alert_runs(&self, since: i64, most: i64) -> Result<Vec<AlertRun>, StoreError> {
        read!(self, alerts::runs(since, most))
    }

    /// The number of the last run that began before an instant; 0 when there is none.
    pub async fn alert_seq_before(&self, at: Time) -> Result<i64, StoreError> {
        read!(self, alerts::seq_before(at))
    }

    /// How an alert stands.
    pub async fn alert_standing(&self, alert: &str) -> Result<AlertStanding, StoreError> {
        read!(self, alerts::standing(alert))
    }

    /// The searches of a topic's latest runs up to a place in the reading order, by source, in that order.
    pub async fn searched(&self, topic: &str, until: i64, runs: u32) -> Result<Vec<Searched>, StoreError> {
        read!(self, alerts::searched(topic, until, runs))
    }

    /// Keeps what a look brought, all or nothing of it; `false` when another process was quicker, and nothing is kept.
    pub async fn keep_alert(&self, alert: &str, change: &AlertChange, now: Time) -> Result<bool, StoreError> {
        write_tx!(self, alerts::keep(alert, change, now))
    }

    /// Events behind a place, the latest first; of one alert or of all.
    pub async fn alert_events(
        &self,
        alert: Option<&str>,
        after: Option<&EventPlace>,
        most: i64,
    ) -> Result<Vec<AlertEvent>, StoreError> {
        read!(self, alert_cards::events(alert, after, most))
    }

    /// The alerts in force behind a name, by name, each with how it stands.
    pub async fn alert_cards(&self, after: &str, limit: u32) -> Result<Vec<AlertCard>, StoreError> {
        read!(self, alert_cards::cards(None, after, i64::from(limit)))
    }

    /// One of them.
    pub async fn alert_card(&self, name: &str) -> Result<Option<AlertCard>, StoreError> {
        Ok(read!(self, alert_cards::cards(Some(name), "", 1))?.pop())
    }

    /// What fires for topics, by topic.
    pub async fn firing_at(&self, topics: &[String]) -> Result<Vec<FiringAt>, StoreError> {
        read!(self, alert_cards::at_topics(topics))
    }

    /// The alerts that fire, by name, each with how many subjects.
    pub async fn alerts_that_fire(&self) -> Result<Vec<(String, i64)>, StoreError> {
        read!(self, alert_cards::fire())
    }

    /// Somebody knows what an alert saw, all of it or one event: it waits no longer, and its end is not told. What
    /// there was that nobody knew of.
    pub async fn ack_alert(&self, alert: &str, event: Option<&str>, now: Time) -> Result<Acked, StoreError> {
        asked_tx!(self, alerts::ack(alert, event, now))
    }

    /// Nobody is told of an alert until an instant; `None` ends that.
    pub async fn snooze_alert(&self, alert: &str, until: Option<Time>) -> Result<(), StoreError> {
        asked_tx!(self, alerts::snooze(alert, until))
    }
}
