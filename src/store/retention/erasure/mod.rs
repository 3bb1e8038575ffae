//! Forgetting: tombstones, and erasing what they name, page by page. The caller decides which text names which author
//! or item. `erasure/sql/forgotten.rs` keeps forgotten findings from being stored again.

mod named_in;
pub(in crate::store) mod rows;
pub(in crate::store) mod tombstones;

use std::collections::BTreeSet;

use crate::model::{AccessChanges, Time};
use crate::store::database::handle::Db;
use crate::store::{
    ErasedCounts, ForgetKey, Mention, MentionPlace, NamedItem, ReportFiles, SeenItem, Store, StoreError, StoredReply,
    Tombstone, TombstoneKind,
};

impl Store {
    /// Returns the configured jobs and their stored definitions.
    pub async fn job_definitions(&self) -> Result<Vec<(String, String)>, StoreError> {
        read!(self, mentions::jobs())
    }

    /// Returns the key of tombstones, if there is one.
    pub async fn forget_key(&self) -> Result<Option<ForgetKey>, StoreError> {
        read!(self, forgotten::key())
    }

    /// Returns all tombstones, each with whether everything it names is erased.
    pub async fn tombstones(&self) -> Result<Vec<(Tombstone, bool)>, StoreError> {
        read!(self, forgotten::all())
    }

    /// Returns the number of tombstones whose erasure was begun but is not complete.
    pub async fn open_tombstones(&self) -> Result<i64, StoreError> {
        read!(self, forgotten::open())
    }

    /// Returns how many of these hashes are not tombstones here.
    pub async fn count_unknown_tombstones(&self, hashes: &BTreeSet<&str>) -> Result<usize, StoreError> {
        Ok(hashes.len() - read!(self, forgotten::among_tombstones(hashes))?.len())
    }

    /// Returns for each of these items whether it must not be stored, because it or its author was forgotten.
    pub async fn are_forgotten(&self, items: &[&SeenItem]) -> Result<Vec<bool>, StoreError> {
        if items.is_empty() {
            return Ok(Vec::new());
        }
        read!(self, forgotten::are_forgotten(items))
    }

    /// Adds tombstones: from then on, nothing that they name is stored. Already stored data stays, except that a topic
    /// is no longer watched. Uses `key` if there is no key yet. Returns the changed tokens and links of the named topics.
    pub async fn add_tombstones(
        &self,
        names: &[(TombstoneKind, String)],
        key: ForgetKey,
        now: Time,
    ) -> Result<AccessChanges, StoreError> {
        write_tx!(self, forgotten::begin(names, key, now))
    }

    /// Imports tombstones made with this key, marks them for erasure, and returns how many are new.
    pub async fn import_tombstones(&self, key: ForgetKey, all: &[Tombstone]) -> Result<u64, StoreError> {
        write_tx!(self, forgotten::import(key, all))
    }

    /// Marks the erasure of these tombstones as complete.
    pub async fn close_tombstones(&self, hashes: &BTreeSet<&str>) -> Result<(), StoreError> {
        write_tx!(self, forgotten::close(hashes))
    }

    /// Returns when the first erased item of the open tombstones was first seen.
    pub async fn first_erased_seen_at(&self) -> Result<Option<Time>, StoreError> {
        read!(self, forgotten::since())
    }

    /// Returns items after one, by id, with their authors, addresses and keys.
    pub async fn named_items(&self, after: Option<&NamedItem>, most: u32) -> Result<Vec<NamedItem>, StoreError> {
        let after = after.map_or(0, |item| item.id);
        read!(self, impact::named_items(after, i64::from(most)))
    }

    /// Erases items with everything stored about them, and leaves tombstones of their keys.
    pub async fn erase_items(&self, items: &[NamedItem], now: Time) -> Result<ErasedCounts, StoreError> {
        let ids: Vec<i64> = items.iter().map(|item| item.id).collect();
        let key = self.forget_key().await?;
        write_tx!(self, erase::page_of_items(key, &ids, now))
    }

    /// Returns what erasing these items would remove, and when the first of them was seen.
    pub async fn erasure_impact(&self, items: &[NamedItem]) -> Result<(ErasedCounts, Option<Time>), StoreError> {
        let ids: Vec<i64> = items.iter().map(|item| item.id).collect();
        read!(self, impact::of_items(&ids))
    }

    /// Returns what forgetting a topic would remove, and when its first item was seen.
    pub async fn topic_erasure_impact(&self, topic: &str) -> Result<(ErasedCounts, Option<Time>), StoreError> {
        read!(self, impact::of_topic(topic))
    }

    /// Returns the ids of all topics that have runs or a job, each with the creation time of its job if it has one.
    pub async fn topics_of_runs(&self) -> Result<Vec<(String, Option<Time>)>, StoreError> {
        read!(self, impact::topics())
    }

    /// Stops watching a topic: cancels its queued runs, and deletes its job and its alerts. Returns the changed tokens
    /// and links.
    pub async fn close_topic(&self, topic: &str, now: Time) -> Result<AccessChanges, StoreError> {
        write_tx!(self, erase::close_topic(topic, now))
    }

    /// Forgets the former ids of a closed topic. Until then, they are used to find texts that name the topic by them.
    pub async fn end_former_ids(&self, topic: &str) -> Result<(), StoreError> {
        write_tx!(self, erase::end_former_ids(topic))
    }

    /// Erases some of what a topic found. Repeat until nothing is left.
    pub async fn erase_topic_items(&self, topic: &str, now: Time) -> Result<ErasedCounts, StoreError> {
        write_tx!(self, erase::page_of_topic(topic, 200, now))
    }

    /// Erases what a page of a topic's runs hold besides items. Returns the last run of the page.
    pub async fn erase_topic_runs(&self, topic: &str, after: i64) -> Result<(Option<i64>, ErasedCounts), StoreError> {
        write_tx!(self, erase::page_of_runs(topic, after, 200))
    }

    /// Keeps running reports, exports and alert checks from storing what they read before. They begin again.
    pub async fn restart_readers(&self, now: Time) -> Result<(), StoreError> {
        write_tx!(self, erase::restart_readers(now))
    }

    /// Returns replies after one.
    pub async fn raw_replies(&self, after: Option<&StoredReply>, most: u32) -> Result<Vec<StoredReply>, StoreError> {
        let after = after.map_or(0, |reply| reply.search);
        read!(self, raw_replies::after(after, i64::from(most)))
    }

    pub async fn drop_raw_replies(&self, replies: &[&StoredReply]) -> Result<u64, StoreError> {
        let searches: Vec<i64> = replies.iter().map(|reply| reply.search).collect();
        write_tx!(self, mentions::delete_raw_replies(&searches))
    }

    /// Returns rows after one, of a place where texts are kept.
    pub async fn mentions(
        &self,
        place: MentionPlace,
        after: Option<&Mention>,
        most: u32,
    ) -> Result<Vec<Mention>, StoreError> {
        let after = after.map_or("", |row| &row.id);
        read!(self, mentions::page(place, after, i64::from(most)))
    }

    /// Blanks the texts of rows.
    pub async fn blank(&self, place: MentionPlace, rows: &[&Mention]) -> Result<u64, StoreError> {
        let ids: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
        write_tx!(self, mentions::blank(place, &ids))
    }

    /// Returns reports made since an instant, the latest first.
    pub async fn reports_since(&self, since: Time, most: u32) -> Result<Vec<ReportFiles>, StoreError> {
        read!(self, impact::reports(since, i64::from(most)))
    }

    /// From now on, overwrites what this process deletes from a SQLite file.
    pub async fn overwrite_deleted(&self) -> Result<(), StoreError> {
        match &self.db {
            Db::Sqlite(pools) => pools.overwrite_deleted().await,
            Db::Postgres(_) => Ok(()),
        }
    }

    /// Removes all traces of deleted data from the files of a SQLite database: rewrites the file and empties its log.
    /// Returns false if other processes used the database all the time. PostgreSQL does this by itself, in its own
    /// time.
    pub async fn scrub(&self) -> Result<bool, StoreError> {
        match &self.db {
            Db::Sqlite(pools) => pools.scrub().await,
            Db::Postgres(_) => Ok(true),
        }
    }

    /// Returns the file of a SQLite database.
    #[must_use]
    pub fn file(&self) -> Option<&std::path::Path> {
        matches!(self.db, Db::Sqlite(_)).then(|| std::path::Path::new(&self.place))
    }
}
