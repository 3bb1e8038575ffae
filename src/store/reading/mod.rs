//! Reading stored data: lists for people, whole tables for exports, snapshots for reports. Read-only.

pub(in crate::store) mod bounds;
pub(in crate::store) mod changes;
pub(in crate::store) mod counted_rows;
pub(in crate::store) mod cursors;
pub(in crate::store) mod dashboard;
mod fresh;
pub(in crate::store) mod item_cache;
pub(in crate::store) mod item_history;
mod lists;
pub(in crate::store) mod run_item;
pub(in crate::store) mod sighting_page;
pub(in crate::store) mod sightings;
pub(in crate::store) mod snapshot;
mod streams;
