//! This process among others: its sign of life, and the generation of its topics. An older set does not come back while
//! a daemon with a newer set lives, but does when none lives. What is planned is read from the store.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::planner::Planner;
use crate::model::{Clock, Job, Time, Topic};
use crate::store::{ActivationResult, DefinitionSet, Instance, Store, StoreError, SyncCounts};

/// Number of checks in a row that must find no newer daemon before an older set comes back: a daemon that only restarts
/// does not count as gone.
const ALONE: u32 = 2;

/// One living process and its topics.
pub struct Membership {
    store: Store,
    clock: Clock,
    me: Instance,
    state: Mutex<MembershipState>,
}

struct MembershipState {
    /// Kept only while a newer set is in force, because this one may have to come back. Most daemons keep none.
    set: Option<Arc<StoredSet>>,
    adopted: ActivationResult,
    alone: u32,
}

/// A set that may have to come back.
struct StoredSet {
    topics: Vec<Topic>,
    jobs: Vec<Job>,
}

impl Membership {
    /// Joins as a daemon with these topics and jobs.
    pub async fn join<'a>(
        store: Store,
        clock: Clock,
        id: String,
        lease: Duration,
        set: impl Into<DefinitionSet<'a>>,
    ) -> Result<Self, StoreError> {
        let (now, set) = (clock(), set.into());
        let me = Instance { id, role: "daemon", started_at: now, lease };
        let adopted = adopt(&store, set, &me, now).await?;
        warn(adopted);
        Ok(Self {
            store,
            clock,
            me,
            state: Mutex::new(MembershipState { set: stored_set(set, adopted), adopted, alone: 0 }),
        })
    }

    /// Joins without topics, as a worker that people and other processes can count on.
    pub async fn join_as_worker(store: Store, clock: Clock, id: String, lease: Duration) -> Result<Self, StoreError> {
        let now = clock();
        let me = Instance { id, role: "worker", started_at: now, lease };
        store.heartbeat_instance(&me, 0, now).await?;
        let adopted = ActivationResult { generation: 0, newest: 0, synced: SyncCounts::default() };
        Ok(Self { store, clock, me, state: Mutex::new(MembershipState { set: None, adopted, alone: 0 }) })
    }

    /// Makes calls of a process that `stop` ends no longer wait for a database server that is away.
    #[must_use]
    pub fn with_stop(self, stop: CancellationToken) -> Self {
        Self { store: self.store.with_stop(stop), ..self }
    }

    /// Returns the result of adopting its topics.
    #[must_use]
    pub fn adopted(&self) -> ActivationResult {
        self.state().adopted
    }

    /// Switches to another set. Nothing changes if it is refused.
    pub async fn change<'a>(&self, set: impl Into<DefinitionSet<'a>>) -> Result<ActivationResult, StoreError> {
        let set = set.into();
        let adopted = adopt(&self.store, set, &self.me, (self.clock)()).await?;
        warn(adopted);
        *self.state() = MembershipState { set: stored_set(set, adopted), adopted, alone: 0 };
        Ok(adopted)
    }

    /// Sends a sign of life every third of a lease, until stopped.
    pub(super) async fn keep_alive(&self, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(self.me.lease / 3) => {}
            }
            if let Err(error) = self.beat().await {
                tracing::warn!("cannot renew this process's registration: {error}");
            }
        }
    }

    async fn beat(&self) -> Result<(), StoreError> {
        let adopted = self.adopted();
        let newer = self.store.heartbeat_instance(&self.me, adopted.generation, (self.clock)()).await?;
        let kept = {
            let mut state = self.state();
            state.alone = if newer || !state.adopted.follows() { 0 } else { state.alone + 1 };
            match &state.set {
                Some(kept) if state.alone >= ALONE => Arc::clone(kept),
                _ => return Ok(()),
            }
        };
        let set = DefinitionSet { topics: &kept.topics, jobs: &kept.jobs };
        let adopted = adopt(&self.store, set, &self.me, (self.clock)()).await?;
        let mut state = self.state();
        // A reload may have been faster.
        if state.set.as_ref().is_some_and(|stored| Arc::ptr_eq(stored, &kept)) {
            *state = MembershipState { set: Some(kept).filter(|_| adopted.follows()), adopted, alone: 0 };
            if !adopted.follows() {
                tracing::warn!(
                    generation = adopted.generation,
                    "no daemon with a newer configuration is running any more: this configuration's topics apply again"
                );
            }
        }
        Ok(())
    }

    /// Announces that this process takes no new runs.
    pub(super) async fn leave(&self) {
        if let Err(error) = self.store.unregister_instance(&self.me.id).await {
            tracing::debug!("cannot unregister this process: {error}");
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, MembershipState> {
        // Consistent between any two statements, even after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Applies a set, or learns of a newer one. Slots that came due under schedules that it changes are planned first.
async fn adopt(
    store: &Store,
    set: DefinitionSet<'_>,
    me: &Instance,
    now: Time,
) -> Result<ActivationResult, StoreError> {
    // Runs of dead processes must not count as running.
    store.rescue(now).await?;
    Planner::plan_before_change(store, set, true, now, true).await?;
    store.activate(set, Some(me), now).await
}

/// Returns what must be remembered of a set.
fn stored_set(set: DefinitionSet<'_>, adopted: ActivationResult) -> Option<Arc<StoredSet>> {
    adopted.follows().then(|| Arc::new(StoredSet { topics: set.topics.to_vec(), jobs: set.jobs.to_vec() }))
}

fn warn(adopted: ActivationResult) {
    if adopted.follows() {
        tracing::warn!(
            generation = adopted.generation,
            newest = adopted.newest,
            "a daemon with a newer configuration is running: this one runs the newer topics until all such daemons have stopped"
        );
    }
}
