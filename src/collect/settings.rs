//! The settings of runs in addition to their topics: the dialect of the service, its limits and its prices.

use std::time::Duration;

use crate::budget::Prices;
use crate::model::ServiceLimits;
use crate::search::Dialect;

/// The settings of a run in addition to its topic.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Dialect of the service.
    pub dialect: Dialect,
    pub platform: String,
    /// Calls and money per UTC day, over all processes.
    pub limits: ServiceLimits,
    pub prices: Prices,
    /// Lease of runs. A share of the service's limits is leased for this time too, but for a few seconds at most.
    pub lease: Duration,
    /// Whether the service is known to be the sandbox. Another sandbox says so in its replies.
    pub sandbox: bool,
}
