//! Forgetting: tombstones, and taking away what they name, a page at a time. Nothing here knows whose words are whose: what
//! is named where, the caller says. What keeps the forgotten out is in `statements/forgotten.rs`.

mod named_in;
pub(in crate::store) mod rows;
pub(in crate::store) mod tombstones;

use std::collections::BTreeSet;

use crate::model::Time;
use crate::store::database::handle::Db;
use crate::store::{
    ForgetKey, Forgot, Mention, MentionPlace, Named, ReportFiles, Store, StoreError, StoredReply, Taken, Tombstone,
};

impl Store {
    /// The jobs that are configured, as they are stored.
    pub async fn job_definitions(&self) -> Result<Vec<(String, String)>, StoreError> {
        read!(self, mentions::jobs())
    }

    /// The key of tombstones, once there are any.
    pub async fn forget_key(&self) -> Result<Option<ForgetKey>, StoreError> {
        read!(self, forgotten::key())
    }

    /// Every tombstone, and whether all that it names is gone.
    pub async fn tombstones(&self) -> Result<Vec<(Tombstone, bool)>, StoreError> {
        read!(self, forgotten::all())
    }

    /// How many tombstones name what is not gone yet: a forgetting was begun and not ended.
    pub async fn open_tombstones(&self) -> Result<i64, StoreError> {
        read!(self, forgotten::open())
    }

    /// How many of these hashes are no tombstones here.
    pub async fn strange_tombstones(&self, hashes: &BTreeSet<&str>) -> Result<usize, StoreError> {
        Ok(hashes.len() - read!(self, forgotten::known(hashes))?.len())
    }

    /// Leaves tombstones; from then on nothing of them is stored. What is stored already is not touched, but for a topic,
    /// which ends being watched. `key` is taken if there is none.
    pub async fn leave_tombstones(
        &self,
        names: &[(Forgot, String)],
        key: ForgetKey,
        now: Time,
    ) -> Result<(), StoreError> {
        write_tx!(self, forgotten::begin(names, key, now))
    }

    /// Takes over tombstones that were made with this key, to be looked for again; how many are new.
    pub async fn import_tombstones(&self, key: ForgetKey, all: &[Tombstone]) -> Result<u64, StoreError> {
        write_tx!(self, forgotten::import(key, all))
    }

    /// All that these name is gone.
    pub async fn close_tombstones(&self, hashes: &BTreeSet<&str>) -> Result<(), StoreError> {
        write_tx!(self, forgotten::close(hashes))
    }

    /// When the first of what the open tombstones named was seen.
    pub async fn forgotten_since(&self) -> Result<Option<Time>, StoreError> {
        read!(self, forgotten::since())
    }

    /// Items after one, by id, with what may name them.
    pub async fn named_items(&self, after: Option<&Named>, most: u32) -> Result<Vec<Named>, StoreError> {
        let after = after.map_or(0, |item| item.id);
        read!(self, impact::named_items(after, i64::from(most)))
    }

    /// Takes items away, with all that was stored about them; their keys are left as tombstones.
    pub async fn erase_items(&self, items: &[Named], now: Time) -> Result<Taken, StoreError> {
        let ids: Vec<i64> = items.iter().map(|item| item.id).collect();
        let key = self.forget_key().await?;
        write_tx!(self, erase::page_of_items(key, &ids, now))
    }

    /// What erasing these items would take away, and when the first of them was seen.
    pub async fn weigh_items(&self, items: &[Named]) -> Result<(Taken, Option<Time>), StoreError> {
        let ids: Vec<i64> = items.iter().map(|item| item.id).collect();
        read!(self, impact::weigh(&ids))
    }

    /// What forgetting a topic would take away, and when the first of it was seen.
    pub async fn weigh_topic(&self, topic: &str) -> Result<(Taken, Option<Time>), StoreError> {
        read!(self, impact::weigh_topic(topic))
    }

    /// Ids of all topics that have runs, or have had items.
    pub async fn topics_of_runs(&self) -> Result<Vec<(String, Option<Time>)>, StoreError> {
        read!(self, impact::topics())
    }

    /// Takes away some of what a topic found, as long as there is any.
    pub async fn erase_topic_items(&self, topic: &str, now: Time) -> Result<Taken, StoreError> {
        write_tx!(self, erase::page_of_topic(topic, 200, now))
    }

    /// Takes away what a topic's runs hold beside items, a page of runs at a time; where the page ended.
    pub async fn erase_topic_runs(&self, topic: &str, after: i64) -> Result<(Option<i64>, Taken), StoreError> {
        write_tx!(self, erase::page_of_runs(topic, after, 200))
    }

    /// Replies after one.
    pub async fn raw_replies(&self, after: Option<&StoredReply>, most: u32) -> Result<Vec<StoredReply>, StoreError> {
        let after = after.map_or(0, |reply| reply.search);
        read!(self, raw_replies::after(after, i64::from(most)))
    }

    pub async fn drop_raw_replies(&self, replies: &[&StoredReply]) -> Result<u64, StoreError> {
        let searches: Vec<i64> = replies.iter().map(|reply| reply.search).collect();
        write_tx!(self, mentions::drop_raws(&searches))
    }

    /// Rows after one of a place where words are kept.
    pub async fn quoted(
        &self,
        place: MentionPlace,
        after: Option<&Mention>,
        most: u32,
    ) -> Result<Vec<Mention>, StoreError> {
        let after = after.map_or("", |row| &row.id);
        read!(self, mentions::page(place, after, i64::from(most)))
    }

    /// Blanks the words of rows.
    pub async fn blank(&self, place: MentionPlace, rows: &[&Mention]) -> Result<u64, StoreError> {
        let ids: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
        write_tx!(self, mentions::blank(place, &ids))
    }

    /// Reports made since an instant, the latest first.
    pub async fn reports_since(&self, since: Time, most: u32) -> Result<Vec<ReportFiles>, StoreError> {
        read!(self, impact::reports(since, i64::from(most)))
    }

    /// Has what this process takes away from a SQLite file be overwritten there.
    pub async fn overwrite_deleted(&self) -> Result<(), StoreError> {
        match &self.db {
            Db::Sqlite(pools) => pools.overwrite_deleted().await,
            Db::Postgres(_) => Ok(()),
        }
    }

    /// Has nothing that was taken away be left in the files of a SQLite database: it is written anew, and its log emptied.
    /// False when somebody read or wrote all the while; PostgreSQL does it by itself, in its own time.
    pub async fn scrub(&self) -> Result<bool, StoreError> {
        match &self.db {
            Db::Sqlite(pools) => pools.scrub().await,
            Db::Postgres(_) => Ok(true),
        }
    }

    /// The file of a SQLite database.
    #[must_use]
    pub fn file(&self) -> Option<&std::path::Path> {
        matches!(self.db, Db::Sqlite(_)).then(|| std::path::Path::new(&self.place))
    }
}
