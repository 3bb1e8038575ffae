//! The store: one interface over two databases, SQLite and PostgreSQL. Each subject has a folder with its methods
//! (`impl Store`), its row types and, in `sql`, its statements, which are written once and compiled for each database.
//! `database` holds what differs between the two. The store makes no decisions about identity, windows or schedules,
//! and it never asks the database for the time.
//!
//! Do not drop a store future before it finishes: a cancelled `begin` can leave a connection inside a transaction.
//! Await it, or spawn it as a task of its own.

#[macro_use]
mod database;
mod access;
mod alerts;
mod annotations;
mod delivery;
mod derived;
mod items;
mod ledger;
mod reading;
mod retention;

pub use alerts::rows::{AlertChange, EventCursor, MOST_WAITING};
pub use database::connect::address::{Settings, redact};
pub use database::connect::locks::DaemonLock;
pub use database::connect::open::sqlite_version;
pub use database::connect::probe::DatabaseState;
pub use database::copying::CopiedTable;
pub use database::error::{StoreError, StoreErrorKind};
pub use database::handle::Store;
pub use delivery::edition::{Edition, PlacedFile, RunRange};
pub use delivery::messages::{AbandonedMessage, ClaimedMessage, Outgoing, SendResult, WaitingMessages};
pub use derived::clusters::rows::UnclusteredBatch;
pub use derived::days::rows::{DayCounts, DueDays, StoredTerms};
pub use derived::text_search::rows::{FoundItem, SearchCursor};
pub use items::replayed_run::{ReplayChanges, ReplayedRun, StoredRun};
pub use items::rescore_result::{RescoreResult, TONES};
pub use items::stored_reply::{StoredReply, unpack};
pub use ledger::control_rows::*;
pub use ledger::engine::delivered_runs::{DeliveredRun, GRAPHILE, RunHandler};
pub use ledger::job_rows::{Cursor, ExpiredSlot, JobEnd, JobRun, PlannedJob, ReportRecord};
pub use ledger::permits::lease::{LeaseRequest, LeaseShare};
pub use ledger::rows::*;
pub use reading::bounds::MOST_SIGHTS;
pub use reading::cursors::{AllItemsCursor, ItemCursor, ItemOrder, ListPage, RunCursor, RunFilter};
pub use reading::run_item::{RunItem, RunItems};
pub use reading::snapshot::ReadSnapshot;
pub use retention::erasure::rows::{ERASED, ErasedCounts, Mention, MentionPlace, NamedItem, ReportFiles};
pub use retention::erasure::tombstones::{ForgetKey, Tombstone, TombstoneKind, Tombstones, normalize_handle};
pub use retention::rows::{Disk, Pruned, PrunedRows};

pub use crate::model::{
    AiUsageRow, AnswerRow, BilledCostRow, Counts, DataOrigin, FirstSightingRow, ItemRow, RunRow, SearchExportRow,
    SearchRow, SightingRow, TopicStatus,
};
