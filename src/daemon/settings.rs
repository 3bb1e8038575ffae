//! How the loop behaves.

use std::time::Duration;

use super::clock::Skew;

#[derive(Debug, Clone)]
pub struct Settings {
    /// Runs at the same time in this process.
    pub max_concurrent_runs: u32,
    /// Lease of a claimed run.
    pub lease: Duration,
    /// How long shutdown waits for runs in progress.
    pub shutdown_grace: Duration,
    /// Whether it plans; a worker only runs what others planned.
    pub plans: bool,
    /// Follows the database's clock, if it has one. The collector's clock must be corrected by the same value.
    pub skew: Skew,
}
