//! The forgotten posts that a service still shows: coverage must not take them for late ones. `forget` erases what is
//! stored.

use super::look_back::indexing_delay::indexing_delay;
use super::{Collector, group};
use crate::model::{Finding, QueryHistory};
use crate::store::StoreError;

impl Collector {
    /// Returns the keys of the forgotten posts of a reply, if its new posts seem late. Forgotten posts are not stored, so
    /// each reply that shows them would seem to show new ones of a time that was searched before.
    pub(super) async fn forgotten_keys(
        &self,
        posts: &[Finding],
        recall: &QueryHistory,
    ) -> Result<Vec<String>, StoreError> {
        if indexing_delay(posts, recall).is_none_or(|late| late == 0) {
            return Ok(Vec::new());
        }
        let items = group(posts.to_vec());
        let forgotten = self.store.are_forgotten(&items.iter().collect::<Vec<_>>()).await?;
        let forgotten = items.into_iter().zip(forgotten).filter(|(_, forgotten)| *forgotten);
        Ok(forgotten.flat_map(|(item, _)| item.keys).collect())
    }
}
