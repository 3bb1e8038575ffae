//! A cache of the items of an export's latest pages, bounded in bytes, so that they are not read again. `sightings`
//! reads them.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// The cells that all sightings of an item share, kept packed because that takes least memory.
pub(in crate::store) type ItemCells = Option<Arc<str>>;

/// Bytes of an entry besides its cells.
const ITEM: usize = 64;

/// Bytes of cached items. Runs of a topic see most items again; there is room for the recent items of a few hundred
/// topics.
const KNOWN: usize = 5 * 512 * 1024;

/// The number of parts in which the cache is evicted.
const PARTS: usize = 8;

/// A cache of items by id that evicts the least recently used. `None` is an item that the filter does not match. The
/// database never reuses the id of an item.
#[derive(Debug, Default)]
pub(in crate::store) struct ItemCache {
    /// Each item with the round in which it was last used.
    items: HashMap<i64, (u64, ItemCells)>,
    round: u64,
    /// The items used in each round, the oldest round first. An item used again is in a later round, too.
    met: VecDeque<Vec<i64>>,
    /// Bytes used in this round.
    bytes: usize,
}

impl ItemCache {
    pub(in crate::store) fn insert(&mut self, item: i64, met: ItemCells) {
        let bytes = size(&met);
        self.items.insert(item, (self.round, met));
        self.touch(item, bytes);
    }

    /// Returns a cached item and marks it as used.
    pub(in crate::store) fn get(&mut self, item: i64) -> Option<ItemCells> {
        let (round, met) = self.items.get_mut(&item)?;
        let (before, met) = (std::mem::replace(round, self.round), met.clone());
        if before != self.round {
            self.touch(item, size(&met));
        }
        Some(met)
    }

    fn touch(&mut self, item: i64, bytes: usize) {
        if self.met.is_empty() {
            self.met.push_back(Vec::new());
        }
        if let Some(met) = self.met.back_mut() {
            met.push(item);
        }
        self.bytes += bytes;
        if self.bytes > KNOWN / PARTS {
            (self.round, self.bytes) = (self.round + 1, 0);
            self.met.push_back(Vec::new());
        }
        while self.met.len() > PARTS + 1 {
            let oldest = self.round - PARTS as u64 - 1;
            for item in self.met.pop_front().into_iter().flatten() {
                if self.items.get(&item).is_some_and(|(round, _)| *round == oldest) {
                    self.items.remove(&item);
                }
            }
        }
    }
}

/// Returns the bytes that an item takes.
pub(in crate::store) fn size(met: &ItemCells) -> usize {
    ITEM + met.as_ref().map_or(0, |cells| cells.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> ItemCells {
        Some(Arc::from(text))
    }

    #[test]
    fn repeatedly_used_items_stay_cached_and_the_cache_is_bounded() {
        let mut cache = ItemCache::default();
        cache.insert(0, cells("the one that every run meets"));
        cache.insert(-1, None);
        let large = KNOWN / 100;
        for item in 1..1_000 {
            assert!(cache.get(item).is_none(), "{item}");
            cache.insert(item, cells(&"x".repeat(large)));
            assert_eq!(cache.get(0), Some(cells("the one that every run meets")), "{item}");
            let bytes: usize = cache.items.values().map(|(_, met)| size(met)).sum();
            assert!(bytes <= (PARTS + 1) * (KNOWN / PARTS + large + ITEM), "{bytes} bytes");
            assert!(cache.met.iter().map(Vec::len).sum::<usize>() < 500, "as many as have room, and each a few times");
        }
        assert!(cache.get(1).is_none() && cache.get(-1).is_none(), "not met for long");
        assert!(cache.get(999).is_some());
    }

    #[test]
    fn items_that_fit_and_are_used_in_turn_stay_cached() {
        let mut cache = ItemCache::default();
        let some = "x".repeat(500);
        let items = i64::try_from(KNOWN / (500 + ITEM)).unwrap_or_default();
        for item in 0..items {
            cache.insert(item, cells(&some));
        }
        for turn in 0..5 {
            for item in 0..items {
                assert!(cache.get(item).is_some(), "{item} in turn {turn}");
            }
        }
    }
}
