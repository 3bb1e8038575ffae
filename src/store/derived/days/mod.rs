//! Counts of topics per local day, made in the background so that no page has to count. `collect` does the counting and
//! knows the days.

pub(in crate::store) mod rows;
mod terms;
mod totals;

use crate::model::{DayCount, RunWithNewItems, Span, Time};
use crate::store::{DayCounts, DueDays, Store, StoreError};

impl Store {
    /// Returns the number of the last run that is counted.
    pub async fn days_progress(&self) -> Result<i64, StoreError> {
        read!(self, day_counts::progress())
    }

    /// Returns later runs that found something new.
    pub async fn runs_with_new_items(&self, seq: i64, limit: u32) -> Result<Vec<RunWithNewItems>, StoreError> {
        read!(self, day_counts::runs_with_new_items(seq, i64::from(limit)))
    }

    /// Returns topics whose days must all be counted again.
    pub async fn days_due(&self, limit: u32) -> Result<Vec<DueDays>, StoreError> {
        read!(self, day_counts::due(i64::from(limit)))
    }

    /// Takes (topic, since, from) for each topic. Returns the instants from `from` on at which items count that the
    /// topic first saw since `since`.
    pub async fn item_times_since(&self, topics: &[(String, Time, Time)]) -> Result<Vec<(String, Time)>, StoreError> {
        read!(self, day_counts::moments(topics))
    }

    /// Counts what topics found on these days. A day without findings is left out.
    pub async fn count_days(&self, days: &[(String, Span)]) -> Result<Vec<(String, DayCount)>, StoreError> {
        read!(self, day_counts::count(days))
    }

    /// Stores counts. Returns false if another process was first.
    pub async fn store_days(&self, rolled: &DayCounts, now: Time) -> Result<bool, StoreError> {
        write_tx!(self, day_counts::store_counts(rolled, now))
    }

    /// Returns the counted days by topic and time; a day without a row had no findings.
    pub async fn topic_days(&self, topics: &[String], from: Time) -> Result<Vec<(String, DayCount)>, StoreError> {
        read!(self, day_counts::read(topics, from))
    }

    /// Returns the scorers of the topic's items first seen at or next after these instants, and of its last item. If
    /// there is more than one, tones of these times cannot be compared.
    pub async fn scorers_at(&self, topic: &str, at: &[Time]) -> Result<Vec<String>, StoreError> {
        read!(self, day_counts::scorers(topic, at))
    }

    /// Returns whether anything of these topics is not counted yet.
    pub async fn days_pending(&self, topics: &[String]) -> Result<bool, StoreError> {
        read!(self, day_counts::has_pending(topics))
    }
}
