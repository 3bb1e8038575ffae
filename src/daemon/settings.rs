//! How the loop behaves. Where that is written is cli's.

use std::time::Duration;

use super::clock::Skew;

/// How the loop behaves.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Runs at the same time in this process.
    pub max_concurrent_runs: u32,
    /// Lease of a claimed run.
    pub lease: Duration,
    /// How long a stop waits for running runs.
    pub shutdown_grace: Duration,
    /// Whether it plans; a worker runs what others planned.
    pub plans: bool,
    /// Follows the database's clock where it has one; the collector's clock must be corrected by the same.
    pub skew: Skew,
}
