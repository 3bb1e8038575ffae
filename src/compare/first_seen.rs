//! Splits what runs saw first into parts that add up to the ledger's count: new, baseline, older than the window, and
//! hidden by the topic's filter. Forgotten and merged items of a baseline are not included. The rules are those of
//! `changes`, but what is older than the window counts as older also in a baseline, with and without a filter.

use std::collections::BTreeMap;

use super::filter_of;
use crate::insight::{ChangeInput, changes};
use crate::model::{RunRow, SeqRange, Topic};
use crate::store::{MOST_SIGHTS, Store, StoreError};

/// The items that a run saw first.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct FirstSeen {
    pub new: i64,
    /// Found when a source answered the question for the first time, and not older than the window.
    pub baseline: i64,
    /// Older than the window, or dated in the future.
    pub older: i64,
    /// Hidden by the topic's filter; `None` if no filter was applied.
    pub filtered: Option<i64>,
}

/// Returns by run what it saw first. The filters of these topics are applied, which reads the items of their runs.
pub async fn first_seen(
    store: &Store,
    runs: &[&RunRow],
    filtered: &[Topic],
) -> Result<BTreeMap<String, FirstSeen>, StoreError> {
    let ids: Vec<String> = runs.iter().map(|run| run.run.clone()).collect();
    let (older, baselines) = (store.older_counts(&ids).await?, store.baselines_of_runs(&ids).await?);
    let gone = store.gone_counts(&ids).await?;
    let mut all = BTreeMap::new();
    for run in runs {
        let topic = filtered.iter().find(|topic| run.topic.as_ref() == Some(&topic.id) && !topic.filter.is_none());
        let first_seen = match (topic, run.seq) {
            (Some(topic), Some(seq)) => through_filter(store, topic, seq).await?,
            _ => {
                let (older, baseline) = (*older.get(&run.run).unwrap_or(&0), *baselines.get(&run.run).unwrap_or(&0));
                let left = run.counts.new - gone.get(&run.run).unwrap_or(&0);
                FirstSeen { new: left - older - baseline, baseline, older, filtered: None }
            }
        };
        all.insert(run.run.clone(), first_seen);
    }
    Ok(all)
}

async fn through_filter(store: &Store, topic: &Topic, seq: i64) -> Result<FirstSeen, StoreError> {
    let between = SeqRange { since: seq - 1, until: seq };
    let input = ChangeInput {
        between,
        window: topic.window.length(),
        run_before: None,
        snapshots: store.snapshots(&topic.id, between).await?,
        first: store.new_items(&topic.id, between).await?,
        last: Vec::new(),
        edits: Vec::new(),
        growths: Vec::new(),
        most_rows: usize::try_from(MOST_SIGHTS).unwrap_or(usize::MAX),
    };
    let counts = changes(&input, &filter_of(topic), 0).counts;
    let count = |many: usize| i64::try_from(many).unwrap_or(i64::MAX);
    Ok(FirstSeen {
        new: count(counts.new),
        baseline: count(counts.baseline.saturating_sub(counts.baseline_outside)),
        older: count(counts.outside.saturating_add(counts.baseline_outside)),
        filtered: Some(count(counts.filtered)),
    })
}
