//! Running totals over finished runs, and counts of the current state: the data behind metrics. `insight` defines what
//! is counted, `metrics` formats it.

use std::collections::BTreeSet;

use crate::model::{MetricSum, Source, SourceLatest, StoreCounts, TallyRun, Time, TopicLimits, Usage};
use crate::store::{Store, StoreError};

impl Store {
    /// Returns the number of the last run in the totals, and whether they have ever included all runs.
    pub async fn tally_progress(&self) -> Result<(i64, bool), StoreError> {
        read!(self, totals::progress())
    }

    /// Returns runs after a number, in order, with their searches.
    pub async fn runs_to_tally(&self, after: i64, limit: u32) -> Result<Vec<TallyRun>, StoreError> {
        read!(self, totals::after(after, i64::from(limit)))
    }

    /// Adds the totals of the runs from one number to another; `caught_up` if there were no more runs. Returns false if
    /// another process was first.
    pub async fn store_tally(
        &self,
        sums: &[MetricSum],
        latest: &[SourceLatest],
        from: i64,
        to: i64,
        caught_up: bool,
    ) -> Result<bool, StoreError> {
        write_tx!(self, totals::add_totals(sums, latest, from, to, caught_up))
    }

    /// Returns the totals; `None` until they have included all runs once.
    pub async fn tally(&self) -> Result<Option<Vec<MetricSum>>, StoreError> {
        read!(self, totals::sums())
    }

    /// Returns when the sources of topics answered last, by topic and source.
    pub async fn latest_answers(&self, topics: &[String]) -> Result<Vec<SourceLatest>, StoreError> {
        read!(self, totals::latest(topics))
    }

    /// Returns all sources that ever answered, and those of the search service.
    pub async fn searched_sources(&self) -> Result<Vec<Source>, StoreError> {
        read!(self, totals::searched_sources())
    }

    /// Returns all sources that answered for these topics, and those of the search service.
    pub async fn searched_sources_of(&self, topics: &[String]) -> Result<Vec<Source>, StoreError> {
        let latest = self.latest_answers(topics).await?;
        let all = latest.into_iter().map(|one| one.source).chain(Source::SERVICE.iter().copied());
        Ok(all.collect::<BTreeSet<Source>>().into_iter().collect())
    }

    /// Returns the first watched topics by id.
    pub async fn first_topics(&self, limit: u32) -> Result<Vec<String>, StoreError> {
        read!(self, totals::first_topics(i64::from(limit)))
    }

    /// Returns those of these topics that have daily limits of their own, and how much of them is used.
    pub async fn topic_limit_usage(
        &self,
        day: i64,
        topics: &[String],
    ) -> Result<Vec<(String, TopicLimits, Usage)>, StoreError> {
        read!(self, totals::limited(day, topics))
    }

    /// Returns counts of the current state. Slots before `planned_by` that are not planned yet count as overdue.
    pub async fn status_counts(&self, now: Time, planned_by: Time) -> Result<StoreCounts, StoreError> {
        read!(self, totals::current(now, planned_by))
    }
}
