//! topicwatch searches a service for watched topics on a schedule, keeps every finding once in SQLite or PostgreSQL, and
//! tells what is new, what was missed and what it cost.
//!
//! This crate is the program; it has a library so that tests and benchmarks reach its parts. Follow one finding:
//!
//! ```text
//! jobs.toml -> config -> schedule -> search -> normalise -> sentiment -> store -> insight -> export | report | alert
//!                 \_______________ collect: one run, on one page _______________/
//! ```
//!
//! 1. [`config`] reads `jobs.toml` into checked settings, or reports every mistake at once.
//! 2. [`schedule`] computes the instants at which a topic is due; [`daemon`] waits for them and claims a run.
//! 3. [`collect`] is that run: [`search`] calls the service and decodes the reply, [`normalise`] gives each entry its keys,
//!    [`sentiment`] judges its tone, and everything is stored in one transaction.
//! 4. [`store`] is one contract over both databases, a folder for each subject.
//! 5. [`insight`], [`filter`] and [`compare`] turn rows into statements: new, gone, covered, usual.
//! 6. [`report`], [`export`], [`web`] and [`alert`] show them; [`notify`] delivers; [`draw`] makes the charts.
//!
//! Around it: [`cli`] wires the parts together and is the only place beside [`daemon`] that reads the clock; [`sandbox`] stands
//! in for the service, so that everything can be tried without a key; [`metrics`] and [`process_status`] tell a monitoring system.
//!
//! Start reading at `collect::Collector::run`. The walls between the parts are held by `tests/architecture.rs` and explained in
//! `docs/ARCHITECTURE.md`.

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

// The pure rooms, optimised in test builds too.
pub use topicwatch_core::{budget, filter, insight, model, normalise, schedule, sentiment};
