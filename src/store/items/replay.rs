//! Reads stored replies again with today's parser: additional findings are added to the run. Nothing is removed, and
//! repeating it changes nothing.

use crate::model::Time;
use crate::store::{ReplayChanges, ReplayedRun, Store, StoreError, StoredReply, StoredRun};

impl Store {
    /// Returns the first run after a place in the reading order that was begun since an instant and whose replies are
    /// kept, of these topics or of all. The replies come in the order of their sources.
    pub async fn next_replayable(
        &self,
        after: i64,
        since: Time,
        topics: &[String],
    ) -> Result<Option<(StoredRun, Vec<StoredReply>)>, StoreError> {
        read!(self, raw_replies::next_run(after, since, topics))
    }

    /// Returns the number of answered searches, in runs begun since an instant, whose replies are no longer kept.
    pub async fn pruned_replies(&self, since: Time, topics: &[String]) -> Result<i64, StoreError> {
        read!(self, raw_replies::pruned(since, topics))
    }

    /// Adds to a run what its replies show today, all or nothing. A dry run writes nothing.
    pub async fn replay_run(
        &self,
        run: &StoredRun,
        read: &ReplayedRun,
        dry_run: bool,
    ) -> Result<ReplayChanges, StoreError> {
        write_tx!(self, replay::replay_run(run, read, dry_run))
    }

    /// Returns the named cursors and their positions.
    pub async fn cursors(&self) -> Result<Vec<(String, i64)>, StoreError> {
        read!(self, followers::cursors())
    }
}
