//! What runs need to know besides their topics: the dialect of the service, its limits and its prices.

use std::time::Duration;

use crate::budget::Prices;
use crate::model::ServiceLimits;
use crate::search::Dialect;

/// What a run needs to know besides its topic.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Dialect of the service.
    pub dialect: Dialect,
    pub platform: String,
    /// Calls and money per UTC day, over all processes.
    pub limits: ServiceLimits,
    pub prices: Prices,
    /// How long a process may be silent before others take its share of the service; never long, even if runs may be.
    pub lease: Duration,
    /// Whether the service is known to be the sandbox. Another sandbox says so in its replies.
    pub sandbox: bool,
}
