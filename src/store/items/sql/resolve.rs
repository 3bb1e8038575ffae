//! Decides to which stored item a sighting belongs, by keys made elsewhere. Items that the runs of one transaction
//! touch are kept in memory with their changes, so that a later run sees what an earlier one changed; `items` writes
//! them. Runs under the lock of that transaction, so that lookups still hold when the items are written.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::Conn;
pub(in crate::store) use super::json_rows::{fetch_json, to_json};
use super::loaded_item::{LoadedItem, STORED, Stored};
use super::provider_sources::load_sources;
use crate::model::{Finding, Kind, Source, TEXT_KEY_PREFIX, Time};
use crate::store::{Counts, Outcome, RunRef, SeenItem, StoreError};

/// The lock for writing items, tones or clusters: items must not change or be merged meanwhile, and ids must become
/// readable in ascending order.
pub(in crate::store) const ITEMS_LOCK: i64 = 4;

/// The items that the runs of one transaction saw or may have seen.
#[derive(Debug, Default)]
pub(in crate::store) struct ItemSet {
    pub(in crate::store) items: Vec<LoadedItem>,
    by_key: HashMap<String, usize>,
    /// Topics and the items they have seen.
    of_topic: HashSet<(String, usize)>,
    /// Items that turned out to be the same: the remaining one, and the one merged into it.
    pub(in crate::store) merges: Vec<(usize, usize)>,
    /// By item: the runs that saw it when their topic knew it already.
    pub(in crate::store) knew: HashMap<usize, Vec<i64>>,
}

/// One item as one run saw it.
#[derive(Debug)]
pub(in crate::store) struct SightedItem<'a> {
    /// Its index in [`ItemSet::items`].
    pub(in crate::store) item: usize,
    /// At most one per source, in source order.
    pub(in crate::store) sightings: BTreeMap<Source, &'a Finding>,
    keys: Vec<&'a str>,
    strong: bool,
    kind: Kind,
    /// The number of entries per source: the sighting and its repeats.
    pub(in crate::store) entries: BTreeMap<Source, i64>,
}

/// Stored items per query; their texts may be large.
const AT_ONCE: usize = 500;

impl ItemSet {
    /// Loads the stored items for everything that runs of these topics saw.
    pub(in crate::store) async fn load(
        conn: &mut Conn,
        items: impl Iterator<Item = &SeenItem>,
        topics: &BTreeSet<&str>,
    ) -> Result<Self, StoreError> {
        let seen: Vec<&SeenItem> = items.collect();
        let keys: BTreeSet<&str> = seen.iter().flat_map(|item| item.keys.iter().map(String::as_str)).collect();
        let mut item_set = Self::default();
        // `CROSS JOIN` makes SQLite begin with the keys.
        let sql = format!(
            "SELECT {} FROM {} CROSS JOIN item_key k WHERE k.key = given.value",
            super::rows_in_one("k.item, k.key"),
            super::texts(1)
        );
        let mut named: BTreeMap<i64, Vec<String>> = BTreeMap::new();
        for (item, key) in fetch_json::<(i64, String)>(conn, sql, [to_json(&keys)?]).await? {
            named.entry(item).or_default().push(key);
        }
        let ids: Vec<i64> = named.keys().copied().collect();
        let mut places: HashMap<i64, usize> = HashMap::with_capacity(ids.len());
        for ids in ids.chunks(AT_ONCE) {
            let sql = format!(
                "SELECT {} FROM {} CROSS JOIN item i WHERE i.id = given.value",
                super::rows_in_one(STORED),
                super::numbers(1)
            );
            for stored in fetch_json::<Stored>(conn, sql, [to_json(ids)?]).await? {
                let item = LoadedItem::stored(stored)?;
                let place = item_set.items.len();
                let id = item.id.unwrap_or_default();
                places.insert(id, place);
                for key in named.remove(&id).unwrap_or_default() {
                    item_set.by_key.insert(key, place);
                }
                item_set.items.push(item);
            }
            let sql = format!(
                "SELECT {} FROM {} CROSS JOIN topic_item t WHERE t.item = given.value AND t.topic IN (SELECT given.value FROM {})",
                super::rows_in_one("t.topic, t.item"),
                super::numbers(1),
                super::texts(2)
            );
            for (topic, item) in fetch_json::<(String, i64)>(conn, sql, [to_json(ids)?, to_json(topics)?]).await? {
                item_set.of_topic.extend(places.get(&item).map(|place| (topic, *place)));
            }
        }
        load_sources(conn, &mut item_set.items, &item_set.by_key, &seen).await?;
        Ok(item_set)
    }

    /// Assigns a run's sightings to items, updates the items, and counts. Runs are applied in the order of the calls.
    pub(in crate::store) fn apply_run<'a>(
        &mut self,
        run: &RunRef,
        outcome: &'a Outcome,
    ) -> (Vec<SightedItem<'a>>, BTreeMap<Source, Counts>) {
        let seen = self.assign(&outcome.items, outcome.seen_at);
        let mut counts: BTreeMap<Source, Counts> = BTreeMap::new();
        for one in &seen {
            self.merge_into(one);
            let is_known = !self.of_topic.insert((run.topic.id.clone(), one.item));
            if is_known {
                self.knew.entry(one.item).or_default().push(run.id);
            }
            one.count(is_known, &mut counts);
            if let Some(item) = self.items.get_mut(one.item) {
                item.update(run.id, &one.sightings, one.kind, one.strong, outcome.seen_at);
            }
            self.add_keys(one);
        }
        (seen, counts)
    }

    /// Like [`Self::apply_run`] for a finished run whose replies are read again. Items in `seen_before` were seen by the
    /// run before: only their unknown fields are filled. Items in `bare`, whose words were pruned, are not changed.
    /// Returns with each item whether the topic knows it.
    pub(in crate::store) fn apply_replay<'a>(
        &mut self,
        (run, topic, seen_at): (i64, &str, Time),
        items: &'a [SeenItem],
        seen_before: &HashSet<i64>,
        bare: &HashSet<i64>,
    ) -> Vec<(SightedItem<'a>, bool)> {
        let mut all = Vec::with_capacity(items.len());
        for one in self.assign(items, seen_at) {
            self.merge_into(&one);
            let is_known = !self.of_topic.insert((topic.to_owned(), one.item));
            if is_known {
                self.knew.entry(one.item).or_default().push(run);
            }
            let parts = self.merges.iter().filter(|(into, _)| *into == one.item).map(|(_, from)| *from);
            let ids = std::iter::once(one.item).chain(parts).filter_map(|at| self.items.get(at)?.id);
            let had = ids.into_iter().any(|id| seen_before.contains(&id));
            let words = |item: &&mut LoadedItem| item.id.is_none_or(|id| !bare.contains(&id));
            if let Some(item) = self.items.get_mut(one.item).filter(words) {
                match had {
                    true => item.fill(&one.sightings, one.strong),
                    false => item.update(run, &one.sightings, one.kind, one.strong, seen_at),
                }
            }
            self.add_keys(&one);
            all.push((one, is_known));
        }
        all
    }

    /// Adds the keys of a sighting that named no item before to this item.
    fn add_keys(&mut self, seen: &SightedItem<'_>) {
        for key in &seen.keys {
            if let (false, Some(item)) = (self.by_key.contains_key(*key), self.items.get_mut(seen.item)) {
                self.by_key.insert((*key).to_owned(), seen.item);
                item.keys_to_add.push((*key).to_owned());
            }
        }
    }

    /// Merges stored items that a sighting shows to be the same: those named by its ids and addresses, and one known
    /// only by the same words.
    fn merge_into(&mut self, seen: &SightedItem<'_>) {
        for key in &seen.keys {
            let Some(&other) = self.by_key.get(*key) else { continue };
            let by_words = key.starts_with(TEXT_KEY_PREFIX);
            if other == seen.item || (by_words && self.items.get(other).is_none_or(|item| item.strong)) {
                continue;
            }
            let Some(part) = self.items.get(other).cloned() else { continue };
            if let Some(remaining) = self.items.get_mut(seen.item) {
                remaining.merge_from(&part);
            }
            for item in self.by_key.values_mut().filter(|item| **item == other) {
                *item = seen.item;
            }
            let topics: Vec<String> =
                self.of_topic.iter().filter(|(_, item)| *item == other).map(|(topic, _)| topic.clone()).collect();
            self.of_topic.extend(topics.into_iter().map(|topic| (topic, seen.item)));
            self.merges.push((seen.item, other));
        }
    }

    /// Assigns each seen item to an item in memory.
    ///
    /// Keys made of an id or address decide. A text key is used only if no id contradicts it: two posts with different
    /// ids are never merged because of equal words.
    fn assign<'a>(&mut self, items: &'a [SeenItem], seen_at: Time) -> Vec<SightedItem<'a>> {
        let mut settled: Vec<SightedItem<'a>> = Vec::with_capacity(items.len());
        let mut place: HashMap<usize, usize> = HashMap::new();
        let mut fresh: HashMap<&str, usize> = HashMap::new();
        for seen in items {
            let named = |text: bool| {
                let keys = seen.keys.iter().filter(move |key| key.starts_with(TEXT_KEY_PREFIX) == text);
                keys.filter_map(|key| self.by_key.get(key).copied()).next()
            };
            let by_text = || {
                named(true).filter(|at| {
                    let strong = self.items.get(*at).is_some_and(|item| item.strong);
                    // Another id of this run may have just taken over the item found by text.
                    let taken = place.get(at).and_then(|at| settled.get(*at)).is_some_and(|entry| entry.strong);
                    !(seen.strong && (strong || taken))
                })
            };
            let first = seen.keys.first().map_or("", String::as_str);
            let item = named(false).or_else(by_text).or_else(|| fresh.get(first).copied()).unwrap_or_else(|| {
                self.items.push(LoadedItem::new(first, seen.kind, seen_at));
                fresh.insert(first, self.items.len() - 1);
                self.items.len() - 1
            });
            let at = *place.entry(item).or_insert_with(|| {
                let (sightings, entries) = (BTreeMap::new(), BTreeMap::new());
                settled.push(SightedItem {
                    item,
                    sightings,
                    keys: Vec::new(),
                    strong: false,
                    kind: seen.kind,
                    entries,
                });
                settled.len() - 1
            });
            if let Some(entry) = settled.get_mut(at) {
                entry.join(seen);
            }
        }
        settled
    }
}

impl<'a> SightedItem<'a> {
    fn join(&mut self, seen: &'a SeenItem) {
        self.keys.extend(seen.keys.iter().map(String::as_str));
        self.strong |= seen.strong;
        for finding in &seen.sightings {
            *self.entries.entry(finding.source).or_insert(0) += 1;
            self.sightings.entry(finding.source).or_insert(finding);
        }
        for (source, more) in &seen.repeats {
            *self.entries.entry(*source).or_insert(0) += i64::from(*more);
        }
    }

    /// Counts entries per source. A new item counts for the first source that has it.
    fn count(&self, is_known: bool, counts: &mut BTreeMap<Source, Counts>) {
        for (place, (source, finding)) in self.sightings.iter().enumerate() {
            let entries = self.entries.get(source).copied().unwrap_or(1);
            let new = i64::from(place == 0 && !is_known);
            *counts.entry(*source).or_default() += Counts::of_item(entries, new, finding.fit);
        }
    }
}
