//! Finds the key of an item that a reader names by its address.

use std::borrow::Cow;

use crate::normalise::{address_keys, canonical, safe_link};
use crate::store::{Store, StoreError};

/// The key of an item that is named by a key or by its address. If several items have the address, that of the first
/// one stored; if none has it, the argument itself.
///
/// # Errors
/// The store could not be read.
pub async fn find_item_key<'g>(store: &Store, given: &'g str) -> Result<Cow<'g, str>, StoreError> {
    find_item_key_within(store, given, None).await
}

/// The same among the items of these topics, or of all: items that only other topics found must not be revealed.
///
/// # Errors
/// The store could not be read.
pub async fn find_item_key_within<'g>(
    store: &Store,
    given: &'g str,
    topics: Option<&[String]>,
) -> Result<Cow<'g, str>, StoreError> {
    let keys = address_keys(given);
    if keys.is_empty() {
        return Ok(Cow::Borrowed(given));
    }
    // The address of a post may hold no id. It is stored as it was found, mostly in its canonical form.
    let spellings: Vec<String> = safe_link(given).into_iter().chain(canonical(given)).collect();
    let found = store.key_at_address(&keys, &spellings, topics).await?;
    Ok(found.map_or(Cow::Borrowed(given), Cow::Owned))
}
