//! Finds items by the addresses at which they were found, for forgetting.

use std::collections::BTreeSet;

use crate::normalise::canonical;
use crate::store::{NamedItem, Store, StoreError};

/// Items read at a time.
const ITEMS: u32 = 2_000;

/// Returns all keys of the items at any of these addresses. An address need not be spelled as it is stored.
pub async fn keys_at(store: &Store, addresses: &[String]) -> Result<Vec<String>, StoreError> {
    let wanted: BTreeSet<String> = addresses.iter().filter_map(|address| canonical(address)).collect();
    let (mut keys, mut last) = (Vec::new(), None);
    if wanted.is_empty() {
        return Ok(keys);
    }
    loop {
        let page = store.named_items(last.as_ref(), ITEMS).await?;
        let is_there =
            |item: &&NamedItem| item.url.as_deref().and_then(canonical).is_some_and(|url| wanted.contains(&url));
        keys.extend(page.iter().filter(is_there).flat_map(|item| item.keys.iter().cloned()));
        last = page.into_iter().next_back();
        if last.is_none() {
            return Ok(keys);
        }
    }
}
