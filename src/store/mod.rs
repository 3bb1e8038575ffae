//! The store: one contract in the project's words over two typed databases. Statements live once, in `statements/`, and
//! are compiled for each database; `sqlite/` and `postgres/` hold what truly differs. It decides nothing about identity,
//! windows or schedules, and it never asks the database for the time.
//!
//! Store futures must not be dropped midway (a cancelled `begin` can leave a connection inside a transaction): callers
//! await them, or hand them to a task of their own.

#[macro_use]
mod macros;
mod alerts;
mod allowance;
mod cells;
mod changes;
mod clock;
mod clusters;
mod copying;
mod dashboard;
mod editions;
mod engine;
mod error;
mod forget;
mod fresh;
#[cfg(feature = "graphile")]
mod graphile;
mod in_place;
mod jobs;
mod known;
mod limits;
mod living;
mod locks;
mod moment;
mod open;
mod outbox;
mod pages;
mod past;
mod postgres;
mod prune;
mod queue;
mod reading;
mod replay;
mod requests;
mod rollup;
mod room;
mod rows;
mod shares;
mod sqlite;
mod steps;
mod streams;
mod tables;
mod tallies;
mod tls;
mod together;
mod tombstones;
mod tone;
mod words;

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::time::Duration;

pub use alerts::{AlertChange, EventPlace, MOST_WAITING};
pub use changes::MOST_SIGHTS;
pub use clusters::Unclustered;
pub use copying::Moved;
pub use dashboard::{ItemOrder, ItemPlace, Listed, RunPlace};
pub use editions::{Edition, Stretch};
pub use engine::{GRAPHILE, Handed, Hands};
pub use error::{StoreError, StoreErrorKind};
pub use forget::{ERASED, Named, Place, Quoted, ReportFiles, StoredReply, Taken, unpack};
pub use jobs::{Cursor, JobEnd, JobRun, MadeReport, PlannedJob};
pub use limits::{LeaseAsk, Standing};
pub use living::*;
pub use locks::DaemonLock;
pub use moment::Moment;
pub use open::{Settings, redact, sqlite_version};
pub use outbox::{Claimed, GivenUp, Outgoing, Settled};
pub use prune::{Disk, Gone, Pruned};
pub use replay::{Changed, Reread, StoredRun};
pub use rollup::{DueDays, RolledDays};
pub use rows::*;
pub use tombstones::{ForgetKey, Forgot, Tombstone, Tombstones, handle};
pub use tone::{Rejudged, TONES};
pub use words::{After, FoundItem};

pub use crate::model::{
    AnswerRow, AskedRow, BilledRow, Counts, ItemRow, Nature, NewRow, RunRow, SearchRow, SearchedRow, SightingRow,
    TopicStatus,
};
use crate::model::{Question, Recall, Source, Span, Time, Topic, Used, Watched};

/// An open database.
#[derive(Debug, Clone)]
pub struct Store {
    db: Db,
    place: String,
    together: Arc<together::Together>,
    room: Arc<room::Room>,
    /// The schema of the engine that queued runs are handed to.
    engine: Option<String>,
}

/// The two databases, each with its own typed pools.
#[derive(Debug, Clone)]
enum Db {
    Sqlite(Box<sqlite::Pools>),
    Postgres(postgres::Pools),
}

/// Tries of a transaction that lost a race inside the database.
const TRANSACTION_TRIES: u32 = 6;

/// Waits a little, a different little for each process, before a transaction is run again.
async fn pause(tries: u32) {
    let spread = std::collections::hash_map::RandomState::new().build_hasher().finish() % 10;
    tokio::time::sleep(Duration::from_millis((5 << tries.min(6)) + spread)).await;
}

impl Store {
    /// Where it is, for people: a path, or a URL without its password.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// What it holds; `None` before anything was stored.
    pub async fn nature(&self) -> Result<Option<Nature>, StoreError> {
        read!(self, topics::nature())
    }

    // ---- topics ----

    /// Makes the stored definitions equal to these: new topics begin at `now` (never retroactive), a changed schedule
    /// too, topics that are gone are marked and their queued runs cancelled. Returns how many changed.
    pub async fn sync_topics(&self, topics: &[Topic], now: Time) -> Result<usize, StoreError> {
        Ok(write_tx!(self, topics::sync(topics, now, true))?.sum())
    }

    /// The same without removing any: for whoever runs topics by hand, perhaps of another file, beside a daemon.
    pub async fn add_topics(&self, topics: &[Topic], now: Time) -> Result<usize, StoreError> {
        Ok(write_tx!(self, topics::sync(topics, now, false))?.sum())
    }

    /// Scheduled topics that a planner has to look at: those with a slot up to `now`, those that nobody has looked at
    /// since they began or changed, and those planned more than `ahead` into the future. What it costs does not grow with
    /// the topics that wait for later.
    pub async fn topics_to_plan(
        &self,
        now: Time,
        ahead: Duration,
        limit: u32,
    ) -> Result<Vec<PlannedTopic>, StoreError> {
        read!(self, topics::to_plan(now, ahead, limit))
    }

    /// Topics and other jobs and their next slots, the next one first.
    pub async fn next_slots(&self, limit: u32) -> Result<Vec<(String, Time)>, StoreError> {
        read!(self, topics::next_slots(limit))
    }

    // ---- ledger ----

    /// Adds ledger rows, all in one transaction, in key order. A plan whose `from` no longer holds is dropped: another
    /// planner was first. Returns how many plans held, and the rows added.
    pub async fn plan(&self, plans: &[JobPlan], now: Time) -> Result<(u64, u64), StoreError> {
        match &self.engine {
            None => write_tx!(self, ledger::plan(jobs::Planned::Topics, plans, now)),
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

    /// Calls counted on a UTC day.
    pub async fn calls_on(&self, day: i64) -> Result<i64, StoreError> {
        Ok(self.used_on(day, &[]).await?.0.calls)
    }

    /// What was used on a UTC day: of the service, and of each of these topics, in their order. Where nothing counts it,
    /// the ledger's sums are told.
    pub async fn used_on(&self, day: i64, topics: &[String]) -> Result<(Used, Vec<Used>), StoreError> {
        read!(self, calls::used_on(day, topics))
    }

    // ---- snapshots ----

    /// Whether the topic got an answer since an instant.
    pub async fn answered_since(&self, topic: &str, since: Time) -> Result<bool, StoreError> {
        read!(self, snapshot::answered_since(topic, since))
    }

    /// Until when a source of a topic is covered, or was looked at as well as it could be.
    pub async fn looked_until(&self, topic: &str, source: Source) -> Result<Option<Time>, StoreError> {
        read!(self, looks::looked_until(topic, source))
    }

    /// What earlier replies to a question of a topic showed of a span.
    pub async fn recall(&self, topic: &str, question: &Question, span: Span) -> Result<Recall, StoreError> {
        read!(self, recall::recall(topic, question, span))
    }

    /// Gives finished runs their place in the reading order. Returns how many.
    pub async fn publish(&self) -> Result<u64, StoreError> {
        if !read!(self, ledger::any_unnumbered())? {
            return Ok(0);
        }
        write_tx!(self, ledger::publish())
    }

    // ---- reading ----

    /// How each topic stands, by id.
    pub async fn status(&self) -> Result<Vec<TopicStatus>, StoreError> {
        read!(self, report::status())
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
        read!(self, looks::watched(topics))
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

    /// What searches of each source cost that the service billed, in runs since an instant.
    pub async fn billed_since(&self, since: Time) -> Result<Vec<BilledRow>, StoreError> {
        read!(self, foresight::billed(since))
    }

    /// How often each topic's planned runs since an instant asked the AI source.
    pub async fn ai_asked_since(&self, since: Time) -> Result<Vec<AskedRow>, StoreError> {
        read!(self, foresight::ai_asked(since))
    }

    /// Every table that a move takes along, with its columns, and those it leaves: for the test that none is forgotten.
    #[must_use]
    pub fn known_tables() -> Vec<(&'static str, Vec<&'static str>)> {
        let known = tables::TABLES.iter().map(|table| (table.name, table.columns().collect()));
        known.chain(tables::LEFT.map(|table| (table, Vec::new()))).collect()
    }

    /// Rows per table, for people and tests.
    pub async fn table_sizes(&self) -> Result<Vec<(&'static str, i64)>, StoreError> {
        read!(self, report::table_sizes())
    }

    /// Closes every connection; what was stored is durable already.
    pub async fn close(&self) {
        match &self.db {
            Db::Sqlite(pools) => pools.close().await,
            Db::Postgres(pools) => pools.close().await,
        }
    }
}
