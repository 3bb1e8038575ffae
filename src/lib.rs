//! topicwatch: a scheduled batch monitoring job with storage.
//!
//! The journey of one finding, room by room:
//!
//! ```text
//! jobs.toml -> config -> schedule -> search -> normalise -> sentiment -> store -> insight -> export | report | alert
//!                 \_______________ collect: one run, on one page _______________/
//! ```
//!
//! * [`config`] turns `jobs.toml` into plain settings, or into every mistake at once;
//! * [`schedule`] says at which instants a job is due, as a pure function;
//! * [`search`] speaks to the search service and decodes whatever comes back;
//! * [`normalise`] decides what is the same item as what, purely;
//! * [`sentiment`] says how a text sounds, purely and offline;
//! * [`collect`] is one run: the calls (`fetch`) and what becomes of them (`absorb`);
//! * [`store`] keeps it, in SQLite or PostgreSQL, behind one contract;
//! * [`insight`] reads several rows as one statement: what is new, which sources agree;
//! * [`filter`] says which items of a topic are meant, [`compare`] what changed between two of its runs;
//! * [`export`] hands it out again as CSV, [`report`] as a page to read each morning;
//! * [`alert`] follows the runs and says what somebody should hear of at once;
//! * [`notify`] delivers what was made, by mail or webhook, at least once;
//! * [`web`] shows it as pages, [`draw`] the charts of pages and reports;
//! * [`metrics`] tells it in figures to a monitoring system, [`vitals`] what this process knows of itself;
//! * [`sandbox`] stands in for the service, so that everything can be tried without a key;
//! * [`daemon`] is the only loop, [`cli`] the only place where the parts are wired together.
//!
//! What this crate is not: a crawler, a queue, or a library of helpers for other programs. Its public interface exists
//! for the binary, its tests and its benchmarks.

pub mod alert;
pub mod budget;
pub mod cli;
pub mod collect;
pub mod compare;
pub mod config;
pub mod daemon;
pub mod draw;
pub mod export;
pub mod files;
pub mod filter;
pub mod http;
pub mod insight;
mod listener;
pub mod metrics;
mod mishap;
pub mod model;
pub mod normalise;
pub mod notify;
pub mod report;
pub mod sandbox;
pub mod schedule;
pub mod search;
pub mod sentiment;
pub mod store;
pub mod vitals;
pub mod web;
