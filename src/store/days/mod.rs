//! Topics' days, counted beside the loop so that no page counts them. Who counts, and which days there are, is `collect`'s.

mod counters;
pub(in crate::store) mod rows;
mod terms;

use crate::model::{Brought, DayCount, Span, Time};
use crate::store::{DueDays, RolledDays, Store, StoreError};

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

    /// When what topics saw first since an instant counts, from another instant on.
    pub async fn moments_since(&self, topics: &[(String, Time, Time)]) -> Result<Vec<(String, Time)>, StoreError> {
        read!(self, days_rolled::moments(topics))
    }

    /// What topics found on days; of a day on which nothing was found nothing is told.
    pub async fn count_days(&self, days: &[(String, Span)]) -> Result<Vec<(String, DayCount)>, StoreError> {
        read!(self, days_rolled::count(days))
    }

    /// Keeps what was counted; false when somebody else was first.
    pub async fn keep_days(&self, rolled: &RolledDays, now: Time) -> Result<bool, StoreError> {
        write_tx!(self, days_rolled::keep(rolled, now))
    }

    /// Days that were counted, by topic and in time; a day without a row found nothing.
    pub async fn topic_days(&self, topics: &[String], from: Time) -> Result<Vec<(String, DayCount)>, StoreError> {
        read!(self, days_rolled::read(topics, from))
    }

    /// The scorers that judged what a topic saw first at these instants or soon after: more than one, and figures of these
    /// times cannot be compared.
    pub async fn scorers_at(&self, topic: &str, at: &[Time]) -> Result<Vec<String>, StoreError> {
        read!(self, days_rolled::scorers(topic, at))
    }

    /// Whether there is something that days do not hold yet.
    pub async fn days_wait(&self) -> Result<bool, StoreError> {
        read!(self, days_rolled::waits())
    }
}
