//! What people keep of what they read: stars and notes of items, and searches by name. Marks, which say what an item is for
//! a topic, are `marks`'.

use crate::model::{SavedSearch, Time};
use crate::store::{Store, StoreError};

impl Store {
    /// Stars an item by any of its keys, or takes the star away; false where there is no such item.
    pub async fn star(&self, key: &str, starred: bool, now: Time) -> Result<bool, StoreError> {
        asked_tx!(self, kept::star(key, starred, now))
    }

    /// Writes a note to an item by any of its keys, or takes it away; false where there is no such item.
    pub async fn note(&self, key: &str, note: Option<&str>, now: Time) -> Result<bool, StoreError> {
        asked_tx!(self, kept::note(key, note, now))
    }

    /// Keeps a search under its name, in place of one that had it; false where there are too many.
    pub async fn save_search(&self, search: &SavedSearch) -> Result<bool, StoreError> {
        asked_tx!(self, kept::save(search))
    }

    /// Drops a search; false where there is none of the name.
    pub async fn drop_search(&self, name: &str) -> Result<bool, StoreError> {
        asked_tx!(self, kept::drop_search(name))
    }

    /// All of them, by name; there are few.
    pub async fn saved_searches(&self) -> Result<Vec<SavedSearch>, StoreError> {
        read!(self, kept::searches(None))
    }

    /// The one of a name.
    pub async fn saved_search(&self, name: &str) -> Result<Option<SavedSearch>, StoreError> {
        Ok(read!(self, kept::searches(Some(name)))?.pop())
    }
}
