//! Finds the runs of a topic to compare.

use crate::model::{SeqRange, Time};
use crate::store::{Filter, Store, StoreError};

/// How many of the latest runs are searched for the one before the last.
const LATEST: i64 = 200;

/// Where a comparison begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// With the run before the last one.
    TheRunBefore,
    /// After the run with this number.
    Run(i64),
    /// With the first run, in reading order, at or after an instant.
    Instant(Time),
}

/// Returns the runs of a topic to compare, up to the last one or the last before an instant; `None` if there is no
/// snapshot.
pub async fn run_range(
    store: &Store,
    topic: &str,
    since: Since,
    until: Option<Time>,
) -> Result<Option<SeqRange>, StoreError> {
    let Some(latest) = store.last_snapshot(topic).await?.and_then(|run| run.seq) else { return Ok(None) };
    // Includes runs that failed after the last snapshot: their sources are shown as unanswered.
    let last = store.seq_before(topic, until.unwrap_or(Time(i64::MAX))).await?;
    let until = if until.is_none() { last.max(latest) } else { last };
    let since = match since {
        Since::Run(seq) => seq,
        Since::Instant(at) => store.seq_since(topic, at).await?,
        Since::TheRunBefore => {
            let filter = Filter { topics: vec![topic.to_owned()], ..Filter::default() };
            let runs = store.runs(&filter, LATEST).await?;
            let latest = latest.min(until);
            let before = || runs.iter().filter(|run| run.seq.is_some_and(|seq| seq < latest));
            let found = before().filter(|run| run.counts.found > 0).filter_map(|run| run.seq).max();
            found.or_else(|| before().filter_map(|run| run.seq).max()).unwrap_or(0)
        }
    };
    Ok(Some(SeqRange { since: since.min(until), until }))
}
