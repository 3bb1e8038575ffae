//! Runs of topics: planned, claimed, kept alive, given back, and numbered when they are finished.

use std::time::Duration;

use crate::model::{Source, Time, Used};
use crate::store::{Hold, JobPlan, LeftSlot, PlannedJob, RunRef, Store, StoreError};

impl Store {
    /// Jobs that a planner has to look at: those with a slot up to `now`, those that nobody has looked at since they began
    /// or changed, and those planned more than `ahead` into the future. What it costs does not grow with the jobs that wait
    /// for later.
    pub async fn to_plan(&self, now: Time, ahead: Duration, limit: u32) -> Result<Vec<PlannedJob>, StoreError> {
        read!(self, planning::to_plan(now, ahead, limit))
    }

    /// Ends queued runs that are not to run any more, if they still wait; returns how many did.
    pub async fn give_up_left(&self, left: &[LeftSlot], now: Time) -> Result<u64, StoreError> {
        write_tx!(self, leftover::give_up(left, now))
    }

    /// Jobs and their next slots, the next one first.
    pub async fn next_slots(&self, limit: u32) -> Result<Vec<(String, Time)>, StoreError> {
        read!(self, planning::next_slots(limit))
    }

    /// Adds ledger rows, all in one transaction, in key order. A plan whose `from` no longer holds is dropped: another
    /// planner was first. Returns how many plans held, and the rows added.
    pub async fn plan(&self, plans: &[JobPlan], now: Time) -> Result<(u64, u64), StoreError> {
        match &self.engine {
            None => write_tx!(self, planning::plan(plans, now)),
            Some(engine) => write_tx!(self, handing::plan(plans, now, engine)),
        }
    }

    /// Takes up to `limit` queued runs that are due, for `lease`.
    pub async fn claim(&self, now: Time, limit: u32, lease: Duration, token: &str) -> Result<Vec<RunRef>, StoreError> {
        write_tx!(self, ledger::claim(now, limit, lease, token, None))
    }

    /// How many manual runs a topic has had.
    pub async fn manual_runs(&self, topic: &str) -> Result<i64, StoreError> {
        read!(self, ledger::manual_runs(topic))
    }

    /// Prolongs the leases of these runs; returns the public ids of those that are no longer ours.
    pub async fn heartbeat(&self, runs: &[RunRef], now: Time, lease: Duration) -> Result<Vec<String>, StoreError> {
        let held: Vec<Hold> = runs.iter().map(RunRef::hold).collect();
        write_tx!(self, ledger::heartbeat(&held, now, lease))
    }

    /// Runs whose lease ran out: their open searches become `lost` at their expected price; a planned run is queued
    /// again or, at its last attempt or when its topic is gone, failed; a manual run is failed. Returns how many.
    pub async fn rescue(&self, now: Time) -> Result<u64, StoreError> {
        if !read!(self, ledger::any_lost(now))? {
            return Ok(0);
        }
        write_tx!(self, ledger::rescue(now))
    }

    /// Gives a claimed run back; the attempt is not counted. A manual run, and one whose topic is gone, is cancelled.
    pub async fn release(&self, run: &RunRef, now: Time) -> Result<(), StoreError> {
        let held = run.hold();
        write_tx!(self, ledger::release(&held, now))
    }

    /// Whether a queued run of a topic is due, though it may wait for an earlier one of its job.
    pub async fn any_due(&self, now: Time) -> Result<bool, StoreError> {
        read!(self, ledger::any_due(now))
    }

    /// The earliest instant after `after` at which a queued run becomes due. Runs that are due already wait for a place
    /// or for an earlier run of their job, not for the clock.
    pub async fn next_due(&self, after: Time) -> Result<Option<Time>, StoreError> {
        read!(self, ledger::next_due(after))
    }

    /// Gives finished runs their place in the reading order. Returns how many.
    pub async fn publish(&self) -> Result<u64, StoreError> {
        if !read!(self, ledger::any_unnumbered())? {
            return Ok(0);
        }
        write_tx!(self, ledger::publish())
    }

    /// Calls counted on a UTC day.
    pub async fn calls_on(&self, day: i64) -> Result<i64, StoreError> {
        Ok(self.used_on(day, &[]).await?.0.calls)
    }

    /// What providers beside the search service were used on a UTC day, by name; those that were not asked are left out.
    pub async fn used_by_provider(&self, day: i64) -> Result<Vec<(Source, Used)>, StoreError> {
        read!(self, calls::used_by_provider(day))
    }

    /// What was used on a UTC day: of the service, and of each of these topics, in their order. Where nothing counts it,
    /// the ledger's sums are told.
    pub async fn used_on(&self, day: i64, topics: &[String]) -> Result<(Used, Vec<Used>), StoreError> {
        read!(self, calls::used_on(day, topics))
    }
}
