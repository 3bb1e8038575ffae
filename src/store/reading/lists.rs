//! Bounded lists for people: status of topics, runs, items, one snapshot, costs of calls.

use std::collections::HashMap;

use crate::model::{Micros, Span, Time, WatchedTopic};
use crate::store::{
    AiUsageRow, AllItemsCursor, AnswerRow, BilledCostRow, Filter, ItemRow, RunRow, SearchRow, SightingRow, Store,
    StoreError, TopicStatus,
};

impl Store {
    /// Returns the status of watched topics after an id, by id.
    pub async fn status(&self, after: &str, most: u32) -> Result<Vec<TopicStatus>, StoreError> {
        read!(self, status_and_runs::status(after, most, &[]))
    }

    /// Returns the status of topics by name, including those that are no longer watched.
    pub async fn status_of(&self, named: &[String]) -> Result<Vec<TopicStatus>, StoreError> {
        if named.is_empty() {
            return Ok(Vec::new());
        }
        read!(self, status_and_runs::status("", 0, named))
    }

    /// Returns runs, the latest first.
    pub async fn runs(&self, filter: &Filter, limit: i64) -> Result<Vec<RunRow>, StoreError> {
        read!(self, status_and_runs::runs(filter, limit))
    }

    /// Returns the last runs of reports, exports and other jobs, where they failed.
    pub async fn failed_jobs(&self) -> Result<Vec<RunRow>, StoreError> {
        read!(self, status_and_runs::failed_jobs())
    }

    /// Returns a run by its public id.
    pub async fn run(&self, public_id: &str) -> Result<Option<RunRow>, StoreError> {
        read!(self, status_and_runs::run(public_id))
    }

    /// Returns the topic's last run with findings or an answer.
    pub async fn last_snapshot(&self, topic: &str) -> Result<Option<RunRow>, StoreError> {
        read!(self, status_and_runs::last_snapshot(topic))
    }

    /// Returns the topic's last run before a seq that found something.
    pub async fn last_found_before(&self, topic: &str, seq: i64) -> Result<Option<RunRow>, StoreError> {
        read!(self, status_and_runs::last_found_before(topic, seq))
    }

    /// Returns the searches of runs, in run and source order.
    pub async fn searches(&self, runs: &[String]) -> Result<Vec<SearchRow>, StoreError> {
        read!(self, status_and_runs::searches(runs))
    }

    /// Returns by run how much of its cost no bill confirms; `None` if retention deleted its searches, so that it is not
    /// known. Runs without such a part are left out.
    pub async fn assumed_of_runs(&self, runs: &[String]) -> Result<HashMap<String, Option<Micros>>, StoreError> {
        read!(self, status_and_runs::assumed_of_runs(runs))
    }

    /// Returns everything one run saw, in source and rank order.
    pub async fn sightings_of(&self, run: &str) -> Result<Vec<SightingRow>, StoreError> {
        read!(self, status_and_runs::sightings_of(run))
    }

    /// Returns the answer of one run.
    pub async fn answer_of(&self, run: &str) -> Result<Option<AnswerRow>, StoreError> {
        read!(self, status_and_runs::answer_of(run))
    }

    /// Returns these topics by id, also those that are no longer watched; without ids, all that are watched.
    pub async fn watched_topics(&self, topics: &[String]) -> Result<Vec<WatchedTopic>, StoreError> {
        read!(self, search_history::watched_topics(topics))
    }

    /// Returns items, the latest first; from the beginning, or after a given one.
    pub async fn items(
        &self,
        filter: &Filter,
        after: Option<&ItemRow>,
        limit: i64,
    ) -> Result<Vec<ItemRow>, StoreError> {
        read!(self, status_and_runs::items(filter, after, limit))
    }

    /// Returns items as topics know them, latest first sighting first.
    pub async fn list_found(
        &self,
        filter: &Filter,
        after: Option<&AllItemsCursor>,
        limit: u32,
    ) -> Result<Vec<ItemRow>, StoreError> {
        read!(self, topic_lists::items_after(filter, after, i64::from(limit)))
    }

    /// Returns what searches of each source cost, in runs since an instant.
    pub async fn billed_since(&self, since: Time) -> Result<Vec<BilledCostRow>, StoreError> {
        read!(self, budget_history::billed(since))
    }

    /// Returns by topic when its last run with an answer was, of those in a span. Backfills do not
    /// count.
    pub async fn last_answers_in(&self, span: Span) -> Result<Vec<(String, Time)>, StoreError> {
        read!(self, budget_history::last_answers(span))
    }

    /// Returns how often each topic's planned runs since an instant called the AI source.
    pub async fn ai_asked_since(&self, since: Time) -> Result<Vec<AiUsageRow>, StoreError> {
        read!(self, budget_history::ai_asked(since))
    }

    /// Returns the number of rows of the main tables, for people and tests.
    pub async fn table_sizes(&self) -> Result<Vec<(&'static str, i64)>, StoreError> {
        read!(self, status_and_runs::table_sizes())
    }
}
