//! Runs that another engine hands out, and who takes them.

use std::sync::Arc;

use tokio::sync::oneshot;

/// Whether graphile_worker is built in.
pub const GRAPHILE: bool = cfg!(feature = "graphile");

/// A run that an engine wants to be run here.
#[derive(Debug)]
pub struct Handed {
    pub(crate) run: i64,
    /// Told when the run was taken from the ledger, or was found not to be there to take.
    pub(crate) taken: oneshot::Sender<()>,
}

/// Takes what an engine hands out.
pub type Hands = Arc<dyn Fn(Handed) + Send + Sync>;
