//! Bounded lists for people: how topics stand, runs, items, one snapshot, what calls cost.

use crate::model::{Time, Watched};
use crate::store::{
    AnswerRow, AskedRow, BilledRow, Filter, FoundPlace, ItemRow, RunRow, SearchRow, SightingRow, Store, StoreError,
    TopicStatus,
};

impl Store {
    /// How topics stand, by id: the first ones after an id.
    pub async fn status(&self, after: &str, most: u32) -> Result<Vec<TopicStatus>, StoreError> {
        read!(self, report::status(after, most, &[]))
    }

    /// The same of topics by name, also of those that are not watched any more.
    pub async fn status_of(&self, named: &[String]) -> Result<Vec<TopicStatus>, StoreError> {
        if named.is_empty() {
            return Ok(Vec::new());
        }
        read!(self, report::status("", 0, named))
    }

    /// Latest runs first.
    pub async fn runs(&self, filter: &Filter, limit: i64) -> Result<Vec<RunRow>, StoreError> {
        read!(self, report::runs(filter, limit))
    }

    /// A run by its public id.
    pub async fn run(&self, public_id: &str) -> Result<Option<RunRow>, StoreError> {
        read!(self, report::run(public_id))
    }

    /// The topic's last run that found or answered something.
    pub async fn last_snapshot(&self, topic: &str) -> Result<Option<RunRow>, StoreError> {
        read!(self, report::last_snapshot(topic))
    }

    /// The searches of runs, in run and source order.
    pub async fn searches(&self, runs: &[String]) -> Result<Vec<SearchRow>, StoreError> {
        read!(self, report::searches(runs))
    }

    /// Everything one run saw, in source and rank order.
    pub async fn sightings_of(&self, run: &str) -> Result<Vec<SightingRow>, StoreError> {
        read!(self, report::sightings_of(run))
    }

    /// The answer of one run.
    pub async fn answer_of(&self, run: &str) -> Result<Option<AnswerRow>, StoreError> {
        read!(self, report::answer_of(run))
    }

    /// Topics by id: these, or all that are watched now.
    pub async fn watched(&self, topics: &[String]) -> Result<Vec<Watched>, StoreError> {
        read!(self, search_history::watched(topics))
    }

    /// Newest items first: from the beginning, or those behind one that was read.
    pub async fn items(
        &self,
        filter: &Filter,
        after: Option<&ItemRow>,
        limit: i64,
    ) -> Result<Vec<ItemRow>, StoreError> {
        read!(self, report::items(filter, after, limit))
    }

    /// What topics know of items, first seen last at the top.
    pub async fn list_found(
        &self,
        filter: &Filter,
        after: Option<&FoundPlace>,
        limit: u32,
    ) -> Result<Vec<ItemRow>, StoreError> {
        read!(self, lists::found(filter, after, i64::from(limit)))
    }

    /// What searches of each source cost that the service billed, in runs since an instant.
    pub async fn billed_since(&self, since: Time) -> Result<Vec<BilledRow>, StoreError> {
        read!(self, foresight::billed(since))
    }

    /// How often each topic's planned runs since an instant asked the AI source.
    pub async fn ai_asked_since(&self, since: Time) -> Result<Vec<AskedRow>, StoreError> {
        read!(self, foresight::ai_asked(since))
    }

    /// Rows per table, for people and tests.
    pub async fn table_sizes(&self) -> Result<Vec<(&'static str, i64)>, StoreError> {
        read!(self, report::table_sizes())
    }
}
