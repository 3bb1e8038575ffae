//! The one integration-test binary: every case drives the crate through its public interface against real parts.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    unreachable_pub,
    reason = "tests fail by panicking"
)]

mod cli;
mod client;
mod config;
mod daemon;
mod databases;
mod docs;
mod faults;
mod hostile;
mod kills;
mod ledger_cli;
mod pg;
mod program;
mod real_input;
mod sandbox;
mod service;
mod several;
mod stops;
mod store;
mod store_more;
mod story;
mod views;
