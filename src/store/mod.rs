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
mod clusters;
mod days;
mod delivery;
mod erasure;
mod items;
mod kept;
mod ledger;
mod marks;
mod reading;
mod retention;
mod text_search;

pub use alerts::rows::{AlertChange, EventPlace, MOST_WAITING};
pub use clusters::rows::Unclustered;
pub use database::address::{Settings, redact};
pub use database::copying::Moved;
pub use database::error::{StoreError, StoreErrorKind};
pub use database::handle::Store;
pub use database::locks::DaemonLock;
pub use database::open::sqlite_version;
pub use days::rows::{DueDays, KeptTerms, RolledDays};
pub use delivery::edition::{Edition, PlacedFile, RunRange};
pub use delivery::messages::{Claimed, GivenUp, Outgoing, Settled};
pub use erasure::rows::{ERASED, Mention, MentionPlace, Named, ReportFiles, Taken};
pub use erasure::tombstones::{ForgetKey, Forgot, Tombstone, Tombstones, handle};
pub use items::rejudged::{Rejudged, TONES};
pub use items::reread::{Changed, Reread, StoredRun};
pub use items::stored_reply::{StoredReply, unpack};
pub use ledger::control_rows::*;
pub use ledger::hands::{GRAPHILE, Handed, Hands};
pub use ledger::job_rows::{Cursor, JobEnd, JobRun, LeftSlot, MadeReport, PlannedJob};
pub use ledger::lease::{LeaseAsk, LeaseShare};
pub use ledger::rows::*;
pub use reading::bounds::MOST_SIGHTS;
pub use reading::cursors::{FoundPlace, ItemOrder, ItemPlace, Listed, RunPlace};
pub use reading::moment::Moment;
pub use retention::rows::{Disk, Gone, Pruned};
pub use text_search::rows::{After, FoundItem};

pub use crate::model::{
    AnswerRow, AskedRow, BilledRow, Counts, ItemRow, Nature, NewRow, RunRow, SearchRow, SearchedRow, SightingRow,
    TopicStatus,
};
