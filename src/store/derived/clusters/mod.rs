//! Near-copies: items not compared yet, the clusters they may belong to, the decisions, and counts of items and texts.
//! The caller decides.

pub(in crate::store) mod rows;

use std::collections::BTreeSet;

use crate::model::{Assignment, ClusterHead, ClusterRow, KeyTableLimits, Volume};
use crate::store::database::handle::Db;
use crate::store::{Filter, Store, StoreError, UnclusteredBatch};

impl Store {
    /// Returns the next items to compare, at most `most`; `None` when all items visible to readers were compared.
    pub async fn unclustered(&self, most: usize) -> Result<Option<UnclusteredBatch>, StoreError> {
        read_beside_writing!(self, clusters::unclustered(most))
    }

    /// Returns the cluster places that these keys lead to.
    pub async fn cluster_places(&self, keys: &BTreeSet<i64>) -> Result<Vec<(i64, i64)>, StoreError> {
        let keys: Vec<i64> = keys.iter().copied().collect();
        read_beside_writing!(self, clusters::places_of_keys(&keys))
    }

    /// Returns the first items of clusters.
    pub async fn cluster_heads(&self, places: &BTreeSet<i64>) -> Result<Vec<ClusterHead>, StoreError> {
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let places: Vec<i64> = places.iter().copied().collect();
        read_beside_writing!(self, clusters::heads(&places))
    }

    /// Stores the decisions about a batch, in the order of its items, all or nothing. Returns false if another process
    /// was first or items were merged meanwhile; the caller must then read a new batch.
    pub async fn store_clusters(&self, batch: &UnclusteredBatch, choices: &[Assignment]) -> Result<bool, StoreError> {
        write_tx!(self, clusters::store_decisions(batch, choices))
    }

    /// How many keys this database keeps in separate tables. PostgreSQL has no limit: it logs changed pages, so there
    /// keys stay where they were written, and lookups need one table instead of three.
    #[must_use]
    pub fn cluster_key_limits(&self) -> KeyTableLimits {
        match self.db {
            Db::Sqlite(_) => KeyTableLimits::default(),
            Db::Postgres(_) => KeyTableLimits::unlimited(),
        }
    }

    /// Moves some keys to the table of older keys, all or nothing, if their table is over its limit. Returns false if
    /// there is nothing to move. Lookups return the same before and after.
    pub async fn age_cluster_keys(&self, room: &KeyTableLimits) -> Result<bool, StoreError> {
        write_tx!(self, clusters::age_keys(room))
    }

    /// Returns by topic how many items, distinct texts and authors were new to it.
    pub async fn volumes(&self, filter: &Filter) -> Result<Vec<(String, Volume)>, StoreError> {
        read!(self, clusters::volumes(filter))
    }

    /// Returns the number of items, distinct texts and authors that these runs saw together.
    pub async fn volume_of_runs(&self, runs: &[String]) -> Result<Volume, StoreError> {
        read!(self, clusters::volume_of(runs))
    }

    /// Returns the texts that at least `least` items of a topic share, those with the most authors first. Counts items
    /// that the topic first saw in the span of the filter.
    pub async fn clusters(&self, filter: &Filter, least: i64, most: i64) -> Result<Vec<ClusterRow>, StoreError> {
        read!(self, clusters::clusters(filter, least, most))
    }
}
