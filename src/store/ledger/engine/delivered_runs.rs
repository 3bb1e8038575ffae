//! Runs that another engine delivers, and the callback that takes them.

use std::sync::Arc;

use tokio::sync::oneshot;

/// Whether graphile_worker is built in.
pub const GRAPHILE: bool = cfg!(feature = "graphile");

/// A run that an engine delivers to this process.
#[derive(Debug)]
pub struct DeliveredRun {
    pub(crate) run: i64,
    /// Signalled when the run was claimed in the ledger, or could not be claimed.
    pub(crate) taken: oneshot::Sender<()>,
}

/// Takes delivered runs.
pub type RunHandler = Arc<dyn Fn(DeliveredRun) + Send + Sync>;
