//! Whom a job tells that it begins and how it ended: a service that speaks up when it hears nothing. The address is a secret;
//! it is part of no definition that is stored. How it is told is `notify`'s.

/// Where a job's pings go.
#[derive(Clone, PartialEq, Eq)]
pub struct PingSpec {
    /// The job, as the ledger names it.
    pub job: String,
    /// The address, unless a variable holds it.
    pub url: Option<String>,
    /// The variable that holds it.
    pub url_variable: Option<String>,
    /// Whether it may lead into a private network.
    pub allow_private: bool,
}

impl PingSpec {
    /// An address with what it is of filled in for `{id}`.
    #[must_use]
    pub fn filled(&self, address: &str) -> String {
        address.replace("{id}", self.job.split_once(':').map_or(self.job.as_str(), |(_, id)| id))
    }
}

impl std::fmt::Debug for PingSpec {
    /// Without the address.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PingSpec").field("job", &self.job).field("variable", &self.url_variable).finish_non_exhaustive()
    }
}
