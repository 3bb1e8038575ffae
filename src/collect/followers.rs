//! Followers: what is derived from stored runs, beside them and in their order. Each has a name and its progress in the
//! database, so several processes may follow at once, and what one leaves undone the next does. How each of them works is
//! in a file of its own; alerts follow too, in their own room (`alert`), since they tell people.

use crate::model::{Clock, closed_list};
use crate::store::{Store, StoreError};

use super::clusters::cluster;
use super::days::roll_days;
use super::tally::tally_runs;
use super::terms::count_terms;
use super::text_index::index_words;

closed_list! {
    /// What follows the stored runs, in the order in which it is brought up to date: the cheapest first, since the others
    /// may have much to do.
    Follower {
        /// Sums of finished runs, for metrics.
        Counters = "counters",
        /// Items that are near-copies of others.
        NearCopies = "near-copies",
        /// The index that items are searched by.
        Words = "words",
        /// What topics found on each local day.
        Days = "days",
        /// What topics' texts of each local day say, in terms.
        Terms = "terms",
    }
}

impl Follower {
    /// Does what is left to do, until there is nothing left or `enough` says so.
    pub async fn catch_up(
        self,
        store: &Store,
        clock: &Clock,
        enough: &(dyn Fn() -> bool + Send + Sync),
    ) -> Result<(), StoreError> {
        match self {
            Self::Counters => tally_runs(store, enough).await,
            Self::NearCopies => cluster(store, enough).await.map(drop),
            Self::Words => index_words(store, &|_| enough()).await.map(drop),
            Self::Days => roll_days(store, clock(), enough).await,
            Self::Terms => count_terms(store, clock(), enough).await,
        }
    }
}

/// Brings every follower up to date. One that fails holds up no other and no run: it is logged, with `again`, when it is
/// tried again.
pub async fn follow(store: &Store, clock: &Clock, enough: &(dyn Fn() -> bool + Send + Sync), again: &str) {
    for follower in Follower::ALL {
        if let Err(error) = follower.catch_up(store, clock, enough).await {
            tracing::warn!(follower = follower.as_str(), "not up to date: {error}; {again}");
        }
    }
}
