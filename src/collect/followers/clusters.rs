//! Finds which new items are near-copies of others, after runs became readable and in the order of their numbers.
//! `normalise::near` compares texts. If a process stops midway, the next one continues.

use crate::model::{Fingerprint, KeyTableLimits};
use crate::normalise::near;
use crate::store::{Store, StoreError};

/// Items decided in one transaction.
const AT_ONCE: usize = 500;

/// Clusters every item that is not clustered yet, until none is left or `enough` returns true. Returns how many were
/// clustered. Several processes may do this at once: each batch is stored by one of them.
pub async fn cluster(store: &Store, enough: &(dyn Fn() -> bool + Send + Sync)) -> Result<u64, StoreError> {
    cluster_by(store, AT_ONCE, store.cluster_key_limits(), enough).await
}

/// Like [`cluster`], with a given batch size and room for keys, which do not change the result.
pub async fn cluster_by(
    store: &Store,
    at_once: usize,
    room: KeyTableLimits,
    enough: &(dyn Fn() -> bool + Send + Sync),
) -> Result<u64, StoreError> {
    let mut done = 0;
    while !enough() {
        let Some(batch) = store.unclustered(at_once).await? else { break };
        // This changes nothing that the batch was read from.
        if batch.is_over_limit(&room) {
            while !enough() && store.age_cluster_keys(&room).await? {}
        }
        let items: Vec<Option<Fingerprint>> = batch.words.iter().map(near::fingerprint).collect();
        let keys = items.iter().flatten().flat_map(|marks| marks.bands.iter().copied()).collect();
        let leads = store.cluster_places(&keys).await?;
        let heads = store.cluster_heads(&near::needed_heads(&items, &leads)).await?;
        let choices = near::assign_clusters(items, &near::KnownClusters { leads, heads, next: batch.next });
        if store.store_clusters(&batch, &choices).await? {
            done += choices.len() as u64;
        }
    }
    Ok(done)
}
