//! Stored replies that were read again: what a run saw, as it reads today, is added to what is stored of that run. Nothing is
//! taken away, and doing it twice changes nothing the second time.

use crate::model::Time;
use crate::store::{Changed, Reread, Store, StoreError, StoredReply, StoredRun};

impl Store {
    /// The first run after a place in the reading order whose replies are kept, begun since an instant, of these topics or
    /// of any; with the replies in the order of their sources.
    pub async fn next_replayable(
        &self,
        after: i64,
        since: Time,
        topics: &[String],
    ) -> Result<Option<(StoredRun, Vec<StoredReply>)>, StoreError> {
        read!(self, raw_replies::next_run(after, since, topics))
    }

    /// Searches that were answered, in runs begun since an instant, whose replies are not kept any more.
    pub async fn pruned_replies(&self, since: Time, topics: &[String]) -> Result<i64, StoreError> {
        read!(self, raw_replies::pruned(since, topics))
    }

    /// Adds to a run what its replies say today, all or none of it. A rehearsal writes nothing.
    pub async fn reread(&self, run: &StoredRun, read: &Reread, rehearsal: bool) -> Result<Changed, StoreError> {
        write_tx!(self, reread::reread(run, read, rehearsal))
    }

    /// Named readers, and up to where each has got.
    pub async fn cursors(&self) -> Result<Vec<(String, i64)>, StoreError> {
        read!(self, raw_replies::cursors())
    }
}
