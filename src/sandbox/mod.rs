//! A stand-in for the search service on a loopback port, for trials and tests. It imports nothing from
//! `search`: both were written from the service's documentation, so that one checks the other.
//!
//! ```text
//! request -> gate (key, faults, log) -> contract | observed -> corpus -> shape | stream -> gate -> reply
//!                                       \ kinds (other providers) -> corpus /
//! ```
//!
//! It is not a mock that tests script call by call. It answers every query from a corpus that is a pure function of
//! query and clock, and it misbehaves only where a [`Fault`] rule applies. The manual is `docs/reference/sandbox.md`.

mod answer;
mod auth;
mod contract;
mod corpus;
mod damage;
mod deployed;
mod fault;
mod journal;
mod kinds;
mod layers;
mod params;
mod random;
mod reply;
mod rule;
mod server;
mod shape;
mod stream;
mod validation_errors;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::model::Time;

pub use corpus::LoadStats;
pub use fault::{Action, Fault, FaultError, Garbage, RetryAfter, Role};
pub use journal::RecordedRequest;
pub use server::{SandboxHandle, start};

/// Returns the time. The caller provides it, since only cli and daemon read the wall clock.
pub type Clock = Arc<dyn Fn() -> Time + Send + Sync>;

/// Which posts and pages the sandbox has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CorpusSource {
    /// Invented: every query has an answer, which changes with the clock.
    BuiltIn,
    /// A folder of `*.jsonl`, `*.ndjson` and `*.csv` files, read once at the start.
    Folder {
        /// The folder; sub-folders are included.
        path: PathBuf,
        /// The time range of each file is mapped onto this much time before the start.
        span: Duration,
    },
}

/// The settings of a sandbox.
#[derive(Clone)]
pub struct Settings {
    /// Address to listen on; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The only accepted key; `None` accepts any non-empty one.
    pub key: Option<String>,
    /// Posts and pages.
    pub corpus: CorpusSource,
    /// The faults. The first rule that fires on a request applies.
    pub faults: Vec<Fault>,
    pub clock: Clock,
}

impl std::fmt::Debug for Settings {
    /// Leaves out the key and the clock.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings")
            .field("listen", &self.listen)
            .field("key", &self.key.as_ref().map(|_| "***"))
            .field("corpus", &self.corpus)
            .field("faults", &self.faults)
            .finish_non_exhaustive()
    }
}

/// Why the sandbox did not start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StartError {
    /// One line for people.
    pub message: String,
    /// What to do next.
    pub hint: String,
}
