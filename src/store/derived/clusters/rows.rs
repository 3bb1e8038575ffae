//! A batch of items that were not compared with others yet.

use crate::model::{ItemText, KeyTableLimits};

/// Items not compared yet, and the state in which they were read. The database's ids stay inside the process.
#[derive(Debug, Clone)]
pub struct UnclusteredBatch {
    /// The run number up to which everything was compared before.
    pub(crate) from: i64,
    /// The run number up to which everything is compared after this batch.
    pub(crate) until: i64,
    /// The place of the next new cluster.
    pub next: i64,
    /// A version that changes with every write.
    pub(crate) turn: i64,
    /// The number of keys in the young and middle tables, and whether keys are being moved on.
    pub(crate) young: i64,
    pub(crate) middle: i64,
    pub(crate) sinking: bool,
    pub(crate) items: Vec<i64>,
    /// The texts of the items, in the same order.
    pub words: Vec<ItemText>,
}

impl UnclusteredBatch {
    /// Returns whether keys must move on before more are written.
    #[must_use]
    pub fn is_over_limit(&self, room: &KeyTableLimits) -> bool {
        self.sinking || self.young > room.young || self.middle > room.middle
    }
}
