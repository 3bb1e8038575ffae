//! Which items that runs brought are near-copies of others: after runs became readable, in the order of their numbers.
//! How texts are compared is `normalise::near`'s. What is left undone when a process ends is done by the next.

use crate::model::{Marks, Room};
use crate::normalise::near;
use crate::store::{Store, StoreError};

/// Items that are decided in one transaction.
const AT_ONCE: usize = 500;

/// Looks at every item that nobody has looked at, until there is none left or `enough` says so. Returns how many were
/// looked at. Several processes may do so at once: each batch is kept by one of them.
pub async fn cluster(store: &Store, enough: &(dyn Fn() -> bool + Send + Sync)) -> Result<u64, StoreError> {
    cluster_by(store, AT_ONCE, store.cluster_room(), enough).await
}

/// The same, so many items at once and so many keys kept apart; what comes out is the same.
pub async fn cluster_by(
    store: &Store,
    at_once: usize,
    room: Room,
    enough: &(dyn Fn() -> bool + Send + Sync),
) -> Result<u64, StoreError> {
    let mut done = 0;
    while !enough() {
        let Some(batch) = store.unclustered(at_once).await? else { break };
        // Nothing that the batch was read from changes by it.
        if batch.crowded(&room) {
            while !enough() && store.sink_cluster_keys(&room).await? {}
        }
        let items: Vec<Option<Marks>> = batch.words.iter().map(near::marks).collect();
        let keys = items.iter().flatten().flat_map(|marks| marks.bands.iter().copied()).collect();
        let leads = store.cluster_leads(&keys).await?;
        let heads = store.cluster_heads(&near::wanted(&items, &leads)).await?;
        let choices = near::choose(items, &near::Known { leads, heads, next: batch.next });
        if store.keep_clusters(&batch, &choices).await? {
            done += choices.len() as u64;
        }
    }
    Ok(done)
}
