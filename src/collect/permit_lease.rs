//! Keeps this process's lease of the service while calls want it: takes it, renews it, gives back what is more than a
//! fair share, and all of it when nobody calls. A process that is alone reads one row now and then and writes at a third
//! of the lease.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::pace::Shared;
use crate::store::{LeaseAsk, StoreError};

/// Time between two looks at a place that is another's yet.
const WAITING: Duration = Duration::from_millis(100);
/// Longest time between two looks.
const LOOK: Duration = Duration::from_secs(1);
/// Pause after the store failed.
const FAILED: Duration = Duration::from_secs(1);

impl Shared {
    /// Sees to it that the lease is kept.
    pub(super) fn keep(self: &Arc<Self>) {
        if self.places.needs_keeper() {
            let shared = Arc::clone(self);
            self.keepers.spawn(async move { shared.keeping().await });
        }
    }

    /// Gives everything back and waits until that is done; a later call begins anew.
    pub(super) async fn end(&self) {
        self.places.end();
        self.keepers.close();
        self.keepers.wait().await;
    }

    async fn keeping(self: Arc<Self>) {
        loop {
            let looked = self.look().await;
            let pause = match looked {
                Ok(Some(pause)) => pause,
                Ok(None) => return,
                // Whoever waits for the end would wait for ever where nothing can be written any more.
                Err(error) if self.places.seen().ending && self.places.let_keeper_go() => {
                    tracing::debug!("what was leased of the service ends with its lease: {error}");
                    return;
                }
                Err(error) => {
                    tracing::warn!("the service's limits cannot be shared: {error}; trying again");
                    self.places.fail(error);
                    FAILED
                }
            };
            self.looked.send_replace(());
            tokio::select! {
                () = self.places.wake.notified() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// One look; how long until the next, or `None` when there is nothing to keep any more.
    async fn look(&self) -> Result<Option<Duration>, StoreError> {
        let (mut seen, base, now) = (self.places.seen(), Instant::now(), (self.clock)());
        if seen.wanted == 0 || seen.ending {
            if !self.places.give_up() {
                return Ok(Some(Duration::ZERO));
            }
            self.store.give_places_back(&self.ask).await?;
            return Ok((!self.places.let_keeper_go()).then_some(Duration::ZERO));
        }
        let wanted = seen.wanted.min(self.ask.most);
        let ask = |held| LeaseAsk { wanted, held, ..self.ask.clone() };
        let mut share = seen.allowed;
        let mut write = seen.left < self.lease * 2 / 3;
        if !write {
            let found = self.store.look_at_limits(&ask(seen.held), now).await?;
            self.places.follow(&found);
            if found.share < seen.allowed && !found.fresh {
                self.places.shrink(found.share);
                seen = self.places.seen();
            }
            share = found.share;
            write = found.fresh
                || seen.held < found.permits
                || (found.share > seen.held && found.free(seen.held) > 0)
                || (found.others > 0 && wanted > found.told);
        }
        if write {
            let leased = self.store.lease_places(&ask(seen.held), now, self.lease).await?;
            self.places.leased(&leased, (base + self.lease, now.plus(self.lease)));
            share = leased.share;
        }
        let seen = self.places.seen();
        let waits = seen.allowed < share && wanted > seen.allowed;
        Ok(Some(if waits { WAITING } else { (self.lease / 15).clamp(WAITING / 2, LOOK) }))
    }
}
