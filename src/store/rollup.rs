//! Topics' days, counted beside the loop so that no page counts them. Who counts, and which days there are, is `collect`'s.

use super::{Db, Store, StoreError, TRANSACTION_TRIES, pause, postgres, sqlite};
use crate::model::{Brought, DayCount, Span, Time};

/// A topic whose days are to be counted anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDays {
    /// The topic.
    pub topic: String,
    pub(crate) turn: i64,
}

/// What was counted of a topic.
#[derive(Debug, Clone, Default)]
pub struct RolledDays {
    /// The topic.
    pub topic: String,
    /// The days.
    pub days: Vec<DayCount>,
    /// They are all there is: older rows go, and the topic is not due any more.
    pub(crate) turn: Option<i64>,
}

impl RolledDays {
    /// Some days of a topic.
    #[must_use]
    pub fn some(topic: &str, days: Vec<DayCount>) -> Self {
        Self { topic: topic.to_owned(), days, turn: None }
    }

    /// All days of a topic that was due.
    #[must_use]
    pub fn all(due: &DueDays, days: Vec<DayCount>) -> Self {
        Self { topic: due.topic.clone(), days, turn: Some(due.turn) }
    }
}

impl Store {
    /// The number of the last run that days hold.
    pub async fn days_progress(&self) -> Result<i64, StoreError> {
        read!(self, days_rolled::progress())
    }

    /// Runs after it that brought something.
    pub async fn brought_after(&self, seq: i64, limit: u32) -> Result<Vec<Brought>, StoreError> {
        read!(self, days_rolled::brought(seq, i64::from(limit)))
    }

    /// Topics whose days are to be counted anew.
    pub async fn days_due(&self, limit: u32) -> Result<Vec<DueDays>, StoreError> {
        read!(self, days_rolled::due(i64::from(limit)))
    }

    /// When what a topic saw first since an instant counts, from another instant on.
    pub async fn moments_since(&self, topic: &str, since: Time, from: Time) -> Result<Vec<Time>, StoreError> {
        read!(self, days_rolled::moments(topic, since, from))
    }

    /// What a topic found on days.
    pub async fn count_days(&self, topic: &str, days: &[Span]) -> Result<Vec<DayCount>, StoreError> {
        read!(self, days_rolled::count(topic, days))
    }

    /// Keeps what was counted of runs from one number to another; false when somebody else did.
    pub async fn keep_days(&self, topics: &[RolledDays], from: i64, to: i64, now: Time) -> Result<bool, StoreError> {
        write_tx!(self, days_rolled::keep(topics, from, to, now))
    }

    /// Days that were counted, by topic and in time; a day without a row found nothing.
    pub async fn topic_days(&self, topics: &[String], from: Time) -> Result<Vec<(String, DayCount)>, StoreError> {
        read!(self, days_rolled::read(topics, from))
    }

    /// Whether there is something that days do not hold yet.
    pub async fn days_wait(&self) -> Result<bool, StoreError> {
        read!(self, days_rolled::waits())
    }
}
