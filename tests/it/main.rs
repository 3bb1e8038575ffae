//! The one integration-test binary: every case drives the crate through its public interface against real parts.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    unreachable_pub,
    reason = "tests fail by panicking"
)]

mod client;
mod config;
mod databases;
mod pg;
mod sandbox;
mod store;
mod views;
