//! Pings of a dead man's switch: a service that is pinged when a job starts and ends, and raises an alarm when a ping
//! is missing. The address is a secret and never part of a stored definition. `notify` sends the pings.

/// Where to send a job's pings.
#[derive(Clone, PartialEq, Eq)]
pub struct PingSpec {
    /// The job's name in the ledger.
    pub job: String,
    /// The address, unless an environment variable holds it.
    pub url: Option<String>,
    /// The environment variable that holds the address.
    pub url_variable: Option<String>,
    /// Whether addresses of private networks are allowed.
    pub allow_private: bool,
}

impl PingSpec {
    /// The address, with `{id}` replaced by the job's name without its kind.
    #[must_use]
    pub fn with_job_name(&self, address: &str) -> String {
        address.replace("{id}", self.job.split_once(':').map_or(self.job.as_str(), |(_, id)| id))
    }
}

impl std::fmt::Debug for PingSpec {
    /// Omits the address.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PingSpec").field("job", &self.job).field("variable", &self.url_variable).finish_non_exhaustive()
    }
}
