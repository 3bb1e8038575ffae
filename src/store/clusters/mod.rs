//! Near-copies: what nobody has looked at yet, what it may be a copy of, what was decided; and how much was said how often.
//! Deciding is the caller's.

pub(in crate::store) mod rows;

use std::collections::BTreeSet;

use crate::model::{Choice, ClusterRow, Head, Room, Volume};
use crate::store::database::handle::Db;
use crate::store::{Filter, Store, StoreError, Unclustered};

impl Store {
    /// The items to look at next, at most so many; `None` when everything that readers see was looked at.
    pub async fn unclustered(&self, most: usize) -> Result<Option<Unclustered>, StoreError> {
        read_beside_writing!(self, clusters::unclustered(most))
    }

    /// The places to which keys lead.
    pub async fn cluster_leads(&self, keys: &BTreeSet<i64>) -> Result<Vec<(i64, i64)>, StoreError> {
        let keys: Vec<i64> = keys.iter().copied().collect();
        read_beside_writing!(self, clusters::leads(&keys))
    }

    /// The first items of clusters.
    pub async fn cluster_heads(&self, places: &BTreeSet<i64>) -> Result<Vec<Head>, StoreError> {
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let places: Vec<i64> = places.iter().copied().collect();
        read_beside_writing!(self, clusters::heads(&places))
    }

    /// Keeps what was decided of the items of a batch, in their order, all or none; false when another process was first
    /// or items became one meanwhile: then the next batch is to be read again.
    pub async fn keep_clusters(&self, batch: &Unclustered, choices: &[Choice]) -> Result<bool, StoreError> {
        write_tx!(self, clusters::keep(batch, choices))
    }

    /// How many keys this database keeps apart. PostgreSQL writes what changed of a page to its log; there keys stay where
    /// they are written, and one table is looked into instead of three.
    #[must_use]
    pub fn cluster_room(&self) -> Room {
        match self.db {
            Db::Sqlite(_) => Room::default(),
            Db::Postgres(_) => Room::endless(),
        }
    }

    /// Moves some keys on to the older ones, all or none, where there are more than there is room for; false when there is
    /// nothing to move. What keys lead to is the same before and after.
    pub async fn sink_cluster_keys(&self, room: &Room) -> Result<bool, StoreError> {
        write_tx!(self, clusters::sink(room))
    }

    /// How much each topic heard that it had not seen before, by topic.
    pub async fn volumes(&self, filter: &Filter) -> Result<Vec<(String, Volume)>, StoreError> {
        read!(self, clusters::volumes(filter))
    }

    /// How much runs saw together.
    pub async fn volume_of(&self, runs: &[String]) -> Result<Volume, StoreError> {
        read!(self, clusters::volume_of(runs))
    }

    /// The texts that at least so many items of a topic bring, those of most authors first: what a topic first saw in the
    /// span of the filter.
    pub async fn clusters(&self, filter: &Filter, least: i64, most: i64) -> Result<Vec<ClusterRow>, StoreError> {
        read!(self, clusters::clusters(filter, least, most))
    }
}
