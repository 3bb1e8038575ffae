//! Stars and notes on items, and saved searches. Marks, which judge an item for a topic, are in `marks`.

use crate::model::{SavedSearch, Time};
use crate::store::{Store, StoreError};

impl Store {
    /// Stars an item by any of its keys, or removes the star. Returns false if there is no such item.
    pub async fn star(&self, key: &str, starred: bool, now: Time) -> Result<bool, StoreError> {
        asked_tx!(self, stars_and_searches::star(key, starred, now))
    }

    /// Sets the note of an item by any of its keys, or removes it. Returns false if there is no such item.
    pub async fn note(&self, key: &str, note: Option<&str>, now: Time) -> Result<bool, StoreError> {
        Ok(asked_tx!(self, stars_and_searches::note(key, note, None, now))?.is_some())
    }

    /// Sets or removes the note of an item, if the stored note is still the one it replaces; empty means none. Returns the
    /// note that is stored then: another one if somebody else wrote it meanwhile. Returns `None` if there is no such item.
    pub async fn replace_note(
        &self,
        key: &str,
        replaces: &str,
        note: Option<&str>,
        now: Time,
    ) -> Result<Option<String>, StoreError> {
        asked_tx!(self, stars_and_searches::note(key, note, Some(replaces), now))
    }

    /// Saves a search under its name, replacing an older one. Returns false if there are too many.
    pub async fn save_search(&self, search: &SavedSearch) -> Result<bool, StoreError> {
        asked_tx!(self, stars_and_searches::save(search))
    }

    /// Deletes a saved search. Returns false if there is none with this name.
    pub async fn drop_search(&self, name: &str) -> Result<bool, StoreError> {
        asked_tx!(self, stars_and_searches::drop_search(name))
    }

    /// Returns all saved searches by name; there are few.
    pub async fn saved_searches(&self) -> Result<Vec<SavedSearch>, StoreError> {
        read!(self, stars_and_searches::searches(None))
    }

    /// Returns the saved search with this name.
    pub async fn saved_search(&self, name: &str) -> Result<Option<SavedSearch>, StoreError> {
        Ok(read!(self, stars_and_searches::searches(Some(name)))?.pop())
    }
}
