//! Runs of topics: planning, claiming, extending leases, releasing, and numbering finished runs.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::model::{Micros, Source, Time, Usage, UsageByProvider};
use crate::store::{ExpiredSlot, JobPlan, PlannedJob, RunClaim, RunRef, Store, StoreError};

impl Store {
    /// Returns jobs to plan: those with a slot up to `now`, new or changed ones not planned yet, and those planned more
    /// than `ahead` into the future. The cost does not grow with the jobs that wait for later slots.
    pub async fn to_plan(&self, now: Time, ahead: Duration, limit: u32) -> Result<Vec<PlannedJob>, StoreError> {
        read!(self, planning::to_plan(now, ahead, limit))
    }

    /// Ends queued runs that should not run any more, if they are still queued. Returns how many.
    pub async fn end_leftover_slots(&self, left: &[ExpiredSlot], now: Time) -> Result<u64, StoreError> {
        write_tx!(self, leftover::end_expired(left, now))
    }

    /// Returns jobs with their next slots, the next one first.
    pub async fn next_slots(&self, limit: u32) -> Result<Vec<(String, Time)>, StoreError> {
        read!(self, planning::next_slots(limit))
    }

    /// Adds ledger rows in one transaction, in key order. A plan whose `from` no longer holds is dropped: another
    /// planner was first. Returns how many plans held, and how many rows were added.
    pub async fn plan(&self, plans: &[JobPlan], now: Time) -> Result<(u64, u64), StoreError> {
        match &self.engine {
            None => write_tx!(self, planning::plan(plans, now)),
            Some(engine) => write_tx!(self, engine_queue::plan(plans, now, engine)),
        }
    }

    /// Claims up to `limit` due queued runs for `lease`.
    pub async fn claim(&self, now: Time, limit: u32, lease: Duration, token: &str) -> Result<Vec<RunRef>, StoreError> {
        write_tx!(self, ledger::claim(now, limit, lease, token, None))
    }

    /// Returns how many manual runs a topic has had.
    pub async fn manual_runs(&self, topic: &str) -> Result<i64, StoreError> {
        read!(self, ledger::manual_runs(topic))
    }

    /// Extends the leases of these runs. Returns the public ids of those that are no longer ours.
    pub async fn heartbeat(&self, runs: &[RunRef], now: Time, lease: Duration) -> Result<Vec<String>, StoreError> {
        let claims: Vec<RunClaim> = runs.iter().map(RunRef::claim).collect();
        write_tx!(self, ledger::heartbeat(&claims, now, lease))
    }

    /// Returns whether [`Store::rescue`] would find anything.
    pub async fn any_lost(&self, now: Time) -> Result<bool, StoreError> {
        read!(self, ledger::any_lost(now))
    }

    /// Handles runs whose lease ran out: their open searches become `lost` at their expected price. A planned run, or a
    /// manual run of a report or export, is queued again, or failed at its last attempt or if its job is gone. A manual
    /// run of a topic is failed. Returns how many. Also corrects what was written by a clock that was more than a day
    /// ahead: leases end within the hour, future slots are freed, and other waiting runs start now.
    pub async fn rescue(&self, now: Time) -> Result<u64, StoreError> {
        if !self.any_lost(now).await? {
            return Ok(0);
        }
        write_tx!(self, ledger::rescue(now))
    }

    /// Returns a claimed run to the queue; the attempt is not counted. Cancels a manual run and one whose topic is
    /// gone. `costs` has the known costs of its searches, with their basis; other searches are lost at their expected
    /// price.
    pub async fn release(
        &self,
        run: &RunRef,
        now: Time,
        costs: &[(Source, Micros, &'static str)],
    ) -> Result<(), StoreError> {
        write_tx!(self, ledger::release(run, now, costs))
    }

    /// Returns whether a queued run of a topic is due, even if it has to wait for an earlier run of its job.
    pub async fn any_due(&self, now: Time) -> Result<bool, StoreError> {
        read!(self, ledger::any_due(now))
    }

    /// Returns the earliest instant after `after` at which a queued run becomes due. Runs already due are ignored: they
    /// wait for a free permit or an earlier run of their job, not for the clock.
    pub async fn next_due(&self, after: Time) -> Result<Option<Time>, StoreError> {
        read!(self, ledger::next_due(after))
    }

    /// Gives finished runs their places in the reading order. Returns how many.
    pub async fn publish(&self) -> Result<u64, StoreError> {
        if !read!(self, ledger::any_unnumbered())? {
            return Ok(0);
        }
        write_tx!(self, ledger::publish())
    }

    /// Returns the number of calls counted on a UTC day.
    pub async fn calls_on(&self, day: i64) -> Result<i64, StoreError> {
        Ok(self.usage_on(day, &[]).await?.0.calls)
    }

    /// Returns the usage of providers other than the search service on a UTC day, by name. Unused ones are left out.
    pub async fn used_by_provider(&self, day: i64) -> Result<Vec<(Source, Usage)>, StoreError> {
        read!(self, calls::used_by_provider(day))
    }

    /// Returns the usage on a UTC day by provider, and how much of the money no bill confirms.
    pub async fn usage_by_provider(&self, day: i64) -> Result<UsageByProvider, StoreError> {
        Ok(self.usage_by_day(day, day).await?.remove(&day).unwrap_or_default())
    }

    /// Returns the same for each day from the first to the last on which a provider was called. If money is counted, it
    /// reads only the searches without a bill.
    pub async fn usage_by_day(&self, first: i64, last: i64) -> Result<BTreeMap<i64, UsageByProvider>, StoreError> {
        read!(self, spent::by_provider((first, last)))
    }

    /// Returns how much of a topic's cost no bill confirms, for each UTC day from the first to the last on which it
    /// searched.
    pub async fn assumed_of_topic(
        &self,
        topic: &str,
        first: i64,
        last: i64,
    ) -> Result<BTreeMap<i64, Micros>, StoreError> {
        read!(self, spent::assumed_of_topic(topic, (first, last)))
    }

    /// Returns how much of these topics' cost on a UTC day no bill confirms. Topics without such a part are left out.
    pub async fn assumed_of_topics(&self, day: i64, topics: &[String]) -> Result<BTreeMap<String, Micros>, StoreError> {
        read!(self, spent::assumed_of_topics(day, topics))
    }

    /// Returns the usage on a UTC day of the service, and of each of these topics in their order. Without a counter, it
    /// returns sums over the ledger.
    pub async fn usage_on(&self, day: i64, topics: &[String]) -> Result<(Usage, Vec<Usage>), StoreError> {
        read!(self, calls::used_on(day, topics))
    }

    /// Returns the usage on a UTC day of each of these topics in their order.
    pub async fn usage_by_topics(&self, day: i64, topics: &[String]) -> Result<Vec<Usage>, StoreError> {
        read!(self, calls::used_by_topics(day, topics))
    }
}
