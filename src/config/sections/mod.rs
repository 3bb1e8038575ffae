//! A file for each section of `jobs.toml` that has no folder of its own, and what several sections share.

pub(super) mod alerts;
pub(super) mod budgets;
pub(super) mod exports;
mod names_and_paths;
pub(super) mod pings;
mod references;
pub(super) mod reports;
pub(super) mod retention;
pub(super) mod schedule_keys;
pub(super) mod service;
pub(super) mod storage;
pub(super) mod web;
