//! This process among others: its sign of life, and the generation of its topics. A set that was in force before does not
//! come back while a daemon of a newer one lives; when none does, it does. What is planned is read from the store.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::planner::Planner;
use crate::model::{Clock, Job, Time, Topic};
use crate::store::{Adopted, Instance, Set, Store, StoreError, Synced};

/// Looks in a row at which no newer daemon lived before an older set comes back: one that only restarts is not taken for
/// one that is gone.
const ALONE: u32 = 2;

/// One living process and its topics.
pub struct Membership {
    store: Store,
    clock: Clock,
    me: Instance,
    held: Mutex<Held>,
}

struct Held {
    /// Only while a newer set is in force: then these may have to come back. Most daemons hold none.
    set: Option<Arc<Kept>>,
    adopted: Adopted,
    alone: u32,
}

/// A set to come back with.
struct Kept {
    topics: Vec<Topic>,
    jobs: Vec<Job>,
}

impl Membership {
    /// Joins with these topics and jobs.
    pub async fn join<'a>(
        store: Store,
        clock: Clock,
        id: String,
        lease: Duration,
        set: impl Into<Set<'a>>,
    ) -> Result<Self, StoreError> {
        let (now, set) = (clock(), set.into());
        let me = Instance { id, role: "daemon", started_at: now, lease };
        let adopted = adopt(&store, set, &me, now).await?;
        warn(adopted);
        Ok(Self { store, clock, me, held: Mutex::new(Held { set: kept(set, adopted), adopted, alone: 0 }) })
    }

    /// Joins without topics: a process that only works, which people and other processes may count on.
    pub async fn join_as_worker(store: Store, clock: Clock, id: String, lease: Duration) -> Result<Self, StoreError> {
        let now = clock();
        let me = Instance { id, role: "worker", started_at: now, lease };
        store.beat(&me, 0, now).await?;
        let adopted = Adopted { generation: 0, newest: 0, synced: Synced::default() };
        Ok(Self { store, clock, me, held: Mutex::new(Held { set: None, adopted, alone: 0 }) })
    }

    /// The same for a process that ends when `stop` says so: a database server that is away is not waited for then.
    #[must_use]
    pub fn until(self, stop: CancellationToken) -> Self {
        Self { store: self.store.until(stop), ..self }
    }

    /// What became of its topics.
    #[must_use]
    pub fn adopted(&self) -> Adopted {
        self.held().adopted
    }

    /// Goes on with another set; nothing changes when it is refused.
    pub async fn change<'a>(&self, set: impl Into<Set<'a>>) -> Result<Adopted, StoreError> {
        let set = set.into();
        let adopted = adopt(&self.store, set, &self.me, (self.clock)()).await?;
        warn(adopted);
        *self.held() = Held { set: kept(set, adopted), adopted, alone: 0 };
        Ok(adopted)
    }

    /// Says that it lives, a third of a lease apart, until told to stop.
    pub(super) async fn keep_alive(&self, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(self.me.lease / 3) => {}
            }
            if let Err(error) = self.beat().await {
                tracing::warn!("could not say that this process lives: {error}");
            }
        }
    }

    async fn beat(&self) -> Result<(), StoreError> {
        let adopted = self.adopted();
        let newer = self.store.beat(&self.me, adopted.generation, (self.clock)()).await?;
        let kept = {
            let mut held = self.held();
            held.alone = if newer || !held.adopted.follows() { 0 } else { held.alone + 1 };
            match &held.set {
                Some(kept) if held.alone >= ALONE => Arc::clone(kept),
                _ => return Ok(()),
            }
        };
        let set = Set { topics: &kept.topics, jobs: &kept.jobs };
        let adopted = adopt(&self.store, set, &self.me, (self.clock)()).await?;
        let mut held = self.held();
        // A reload may have been faster.
        if held.set.as_ref().is_some_and(|held| Arc::ptr_eq(held, &kept)) {
            *held = Held { set: Some(kept).filter(|_| adopted.follows()), adopted, alone: 0 };
            if !adopted.follows() {
                tracing::warn!(
                    generation = adopted.generation,
                    "no daemon of a newer generation lives any more: the topics of this configuration are in force again"
                );
            }
        }
        Ok(())
    }

    /// Takes no new run from now on.
    pub(super) async fn leave(&self) {
        if let Err(error) = self.store.leave(&self.me.id).await {
            tracing::debug!("could not say that this process ends: {error}");
        }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        // Whole between any two statements, whoever panicked.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Puts a set in force, or learns of a newer one. What came due under the schedules that it changes is planned before.
async fn adopt(store: &Store, set: Set<'_>, me: &Instance, now: Time) -> Result<Adopted, StoreError> {
    // A run of a dead process is no run that goes on.
    store.rescue(now).await?;
    Planner::settle(store, set, true, now, true).await?;
    store.adopt(set, Some(me), now).await
}

/// What has to be remembered of a set.
fn kept(set: Set<'_>, adopted: Adopted) -> Option<Arc<Kept>> {
    adopted.follows().then(|| Arc::new(Kept { topics: set.topics.to_vec(), jobs: set.jobs.to_vec() }))
}

fn warn(adopted: Adopted) {
    if adopted.follows() {
        tracing::warn!(
            generation = adopted.generation,
            newest = adopted.newest,
            "a daemon with newer topics lives: this one runs those and does not bring its own back until none does"
        );
    }
}
