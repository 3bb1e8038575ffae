//! Followers: data derived from stored runs, in the order of the runs. Each follower has a name and stores its
//! progress (the word index as a queue of items), so several processes may run it at once, and if one stops midway the
//! next continues. Each is in a file of
//! its own. Alerts are followers too, but in their own module (`alert`), because they notify people.

pub(super) mod clusters;
pub(super) mod days;
pub(super) mod tally;
pub(super) mod terms;
pub(super) mod text_index;

use crate::model::{Clock, Follower};
use crate::store::{Store, StoreError};

use clusters::cluster;
use days::count_days;
use tally::tally_runs;
use terms::count_terms;
use text_index::index_words;

/// Runs a follower until nothing is left or `enough` returns true.
pub async fn catch_up(
    follower: Follower,
    store: &Store,
    clock: &Clock,
    enough: &(dyn Fn() -> bool + Send + Sync),
) -> Result<(), StoreError> {
    match follower {
        Follower::Counters => tally_runs(store, enough).await,
        Follower::NearCopies => cluster(store, enough).await.map(drop),
        Follower::Words => index_words(store, &|_| enough()).await.map(drop),
        Follower::Days => count_days(store, clock(), enough).await,
        Follower::Terms => count_terms(store, clock(), enough).await,
    }
}

/// Brings every follower up to date. One that fails stops neither the others nor a run: it is logged, and `again` says
/// when it is retried.
pub async fn follow(store: &Store, clock: &Clock, enough: &(dyn Fn() -> bool + Send + Sync), again: &str) {
    for follower in Follower::ALL {
        if let Err(error) = catch_up(*follower, store, clock, enough).await {
            tracing::warn!(follower = follower.as_str(), "not up to date: {error}; {again}");
        }
    }
}
