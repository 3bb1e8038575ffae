//! What finished runs add up to, kept beside the loop, and how things stand now: what metrics are made of. What is counted is
//! `insight`'s, and how it is told `metrics`'.

use std::collections::BTreeSet;

use crate::model::{Latest, Source, StoreCounts, Tallied, TallyRun, Time, TopicLimits, Used};
use crate::store::{Store, StoreError};

impl Store {
    /// The number of the last run that the sums hold, and whether they held all there were at some time.
    pub async fn tally_progress(&self) -> Result<(i64, bool), StoreError> {
        read!(self, tallies::progress())
    }

    /// Runs after a number, in their order, with their searches.
    pub async fn runs_to_tally(&self, after: i64, limit: u32) -> Result<Vec<TallyRun>, StoreError> {
        read!(self, tallies::after(after, i64::from(limit)))
    }

    /// Adds what runs from one number to another came to; `whole` when there were no more of them. False when
    /// somebody else did.
    pub async fn keep_tally(
        &self,
        sums: &[Tallied],
        latest: &[Latest],
        from: i64,
        to: i64,
        whole: bool,
    ) -> Result<bool, StoreError> {
        write_tx!(self, tallies::keep(sums, latest, from, to, whole))
    }

    /// The sums; `None` until they held all runs there were once, since until then they catch up.
    pub async fn tally(&self) -> Result<Option<Vec<Tallied>>, StoreError> {
        read!(self, tallies::sums())
    }

    /// When the sources of topics answered last, by topic and source.
    pub async fn latest_of(&self, topics: &[String]) -> Result<Vec<Latest>, StoreError> {
        read!(self, tallies::latest(topics))
    }

    /// Every source that answered, and those of the search service.
    pub async fn searched_sources(&self) -> Result<Vec<Source>, StoreError> {
        read!(self, tallies::searched_sources())
    }

    /// The same of some topics alone.
    pub async fn searched_sources_of(&self, topics: &[String]) -> Result<Vec<Source>, StoreError> {
        let latest = self.latest_of(topics).await?;
        let all = latest.into_iter().map(|one| one.source).chain(Source::SERVICE.iter().copied());
        Ok(all.collect::<BTreeSet<Source>>().into_iter().collect())
    }

    /// The first topics that are watched, by id.
    pub async fn first_topics(&self, limit: u32) -> Result<Vec<String>, StoreError> {
        read!(self, tallies::first_topics(i64::from(limit)))
    }

    /// Those of these topics that have limits of a day of their own, and what they used of it.
    pub async fn limited_topics(
        &self,
        day: i64,
        topics: &[String],
    ) -> Result<Vec<(String, TopicLimits, Used)>, StoreError> {
        read!(self, tallies::limited(day, topics))
    }

    /// How things stand; `planned_by` is before when the planner should have looked at a slot.
    pub async fn standing(&self, now: Time, planned_by: Time) -> Result<StoreCounts, StoreError> {
        read!(self, tallies::standing(now, planned_by))
    }
}
