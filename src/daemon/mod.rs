//! The only loop: at each tick it brings the ledger up to the present, claims what is due and runs it. The ticker only
//! wakes it; what is due is read from the ledger, so a dead ticker delays slots but loses none. It uses the clock it is
//! given, and knows no configuration file.

mod clock;
mod clock_set_back;
mod connections;
mod engine;
mod event;
mod event_loop;
mod followers;
mod jobs;
mod leases;
mod membership;
mod planner;
mod requests;
mod service_manager;
mod settings;
mod shutdown;
mod ticker;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

pub use clock::{Skew, system_clock};
pub use connections::{Connections, OnRunStart, Reloaded, Watch};
pub use event::Event;
pub use jobs::{Failed, Handler, JobDone, JobResult, Jobs, WAITS_FOR_TOPICS};
pub use membership::Membership;
pub use planner::{Planned, Planner};
pub use service_manager::Manager;
pub use settings::Settings;

use event_loop::EventLoop;

use crate::collect::Collector;
use crate::store::StoreError;

/// Runs until stopped, then waits for runs within the grace period and releases the rest. `each` is called for
/// every event: runs that ended, plans, and the stop.
pub async fn run(
    collector: Arc<Collector>,
    settings: &Settings,
    token: &(dyn Fn() -> String + Send + Sync),
    stop: CancellationToken,
    connections: Connections,
    each: &(dyn Fn(Event) + Send + Sync),
) -> Result<(), StoreError> {
    let mut event_loop = EventLoop::begin(collector, settings, token, stop, connections, each).await;
    let ended = event_loop.run().await;
    event_loop.end(ended).await
}
