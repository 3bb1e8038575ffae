//! What runs need to know beside their topics: how to speak to the service, its limits and its prices.

use std::time::Duration;

use crate::budget::Prices;
use crate::model::ServiceLimits;
use crate::search::Dialect;

/// What a run needs to know beside its topic.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Way of speaking.
    pub dialect: Dialect,
    pub platform: String,
    /// Calls and money in a UTC day, over all processes.
    pub limits: ServiceLimits,
    pub prices: Prices,
    /// Silence after which what a process holds of the service is another's; short however long runs are left alone.
    pub lease: Duration,
    /// Whether the service is known to be the sandbox; another sandbox says so itself in its replies.
    pub sandbox: bool,
}
