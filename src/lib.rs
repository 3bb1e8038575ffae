//! topicwatch searches a service for watched topics on a schedule, stores every finding once in SQLite or PostgreSQL,
//! and shows what is new, what was missed and what it cost.
//!
//! This crate is the program; it has a library so that tests and benchmarks reach its parts. The path of a finding:
//!
//! ```text
//! jobs.toml -> config -> schedule -> search -> normalise -> sentiment -> store -> insight -> export | report | alert
//!                 \_______________ collect: one run, on one page _______________/
//! ```
//!
//! 1. [`config`] reads `jobs.toml` into checked settings, or reports all mistakes at once.
//! 2. [`schedule`] computes when a topic is due; [`daemon`] waits for that and claims a run.
//! 3. [`collect`] does the run: [`search`] calls the service and decodes the reply, [`normalise`] gives each entry its
//!    keys, [`sentiment`] judges its tone, and everything is stored in one transaction.
//! 4. [`store`] is one interface to both databases, with a folder for each subject.
//! 5. [`insight`], [`filter`] and [`compare`] turn rows into results: new, gone, covered, usual.
//! 6. [`report`], [`export`], [`web`] and [`alert`] show them; [`notify`] delivers; [`draw`] makes the charts.
//!
//! [`cli`] connects the parts and is the only place other than [`daemon`] that reads the clock. [`sandbox`] replaces
//! the service, so that everything works without a key. [`metrics`] and [`process_status`] serve monitoring systems.
//!
//! Start reading at `collect::Collector::run`. `tests/architecture.rs` enforces the boundaries between the parts;
//! `docs/ARCHITECTURE.md` explains them.

pub mod alert;
pub mod cli;
pub mod collect;
pub mod compare;
pub mod config;
pub mod daemon;
pub mod draw;
pub mod edit;
pub mod export;
mod failpoint;
pub mod files;
pub mod http;
pub mod import;
mod listener;
pub mod mcp;
pub mod metrics;
pub mod notify;
pub mod process_status;
pub mod report;
pub mod sandbox;
pub mod search;
pub mod store;
pub mod web;

// The pure modules, optimised in test builds too.
pub use topicwatch_core::{budget, filter, insight, model, normalise, schedule, sentiment};
