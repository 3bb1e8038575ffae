//! Looks for near-copies, indexes words, counts topics' days and what runs add up to beside the loop, so that no slot waits
//! for them. What is left undone at a stop or a kill is done at the next start. How is `collect`'s.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::collect::{cluster, index_words, roll_days, tally_runs};
use crate::model::{Clock, Time};
use crate::store::Store;

/// How long a stop is held up for what the last runs brought.
const AT_THE_END: Duration = Duration::from_secs(2);

/// Whoever wakes the errand that looks.
#[derive(Debug, Clone, Default)]
pub(super) struct Lookout(Arc<Notify>);

impl Lookout {
    /// Runs may have become readable; costs a few looks into an index when none has.
    pub(super) fn look(&self) {
        self.0.notify_one();
    }

    /// Looks now, and whenever it is woken, until the stop.
    pub(super) async fn keep(self, store: Store, clock: Clock, stop: CancellationToken) {
        while !stop.is_cancelled() {
            // First what takes least: the others may have much to catch up with.
            if let Err(error) = tally_runs(&store, &|| stop.is_cancelled()).await {
                tracing::warn!("runs were not added up: {error}; trying again at the next look");
            }
            if let Err(error) = cluster(&store, &|| stop.is_cancelled()).await {
                tracing::warn!("near-copies were not looked for: {error}; trying again at the next look");
            }
            if let Err(error) = index_words(&store, &|_| stop.is_cancelled()).await {
                tracing::warn!("words were not indexed: {error}; trying again at the next look");
            }
            if let Err(error) = roll_days(&store, clock(), &|| stop.is_cancelled()).await {
                tracing::warn!("days were not counted: {error}; trying again at the next look");
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.0.notified() => {}
            }
        }
    }
}

/// The runs that ended while the loop was stopping.
pub(super) async fn last_look(store: &Store, now: Time) {
    let end = Instant::now() + AT_THE_END;
    if let Err(error) = tally_runs(store, &|| Instant::now() >= end).await {
        tracing::warn!("runs were not added up: {error}; the next start does");
    }
    if let Err(error) = cluster(store, &|| Instant::now() >= end).await {
        tracing::warn!("near-copies were not looked for: {error}; the next start does");
    }
    if let Err(error) = index_words(store, &|_| Instant::now() >= end).await {
        tracing::warn!("words were not indexed: {error}; the next start does");
    }
    if let Err(error) = roll_days(store, now, &|| Instant::now() >= end).await {
        tracing::warn!("days were not counted: {error}; the next start does");
    }
}
