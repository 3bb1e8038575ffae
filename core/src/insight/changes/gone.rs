//! Detects gone items: the last complete snapshots of a source all held an item and the next one did not, although the
//! item was published inside the window. Only complete snapshots count, because a cut reply may lack an item. The AI
//! source is not judged, because its answer is a selection and not a list.

use std::time::Duration;

use super::input::within;
use crate::model::{self, LastSighting, SearchState, SeqRange, Snapshot, Snapshots, Source, Time, detects_removal};

/// How many complete snapshots in a row must have held an item before its absence counts.
pub const GONE_AFTER: usize = 3;

/// Whether a search was a backfill.
pub(super) fn is_backfill(snapshot: &Snapshot) -> bool {
    snapshot.requested_span.is_some_and(|requested| model::is_backfill(requested.until, snapshot.at))
}

/// Services that take no maximum cut their replies at a multiple of this.
const ROUND: i64 = 10;

/// Returns whether an item's absence from a snapshot means that the source no longer shows it: the search was answered,
/// whole, and not a backfill. `most` is the largest reply to the question.
fn is_complete(snapshot: &Snapshot, most: i64) -> bool {
    let found = snapshot.counts.found;
    let cut = snapshot.in_part || snapshot.saturated || (found == most && found % ROUND == 0);
    snapshot.state == SearchState::Ok && !cut && !is_backfill(snapshot)
}

/// The rows needed to judge gone items: last sightings in these runs of items published since an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoneQuery {
    pub between: SeqRange,
    /// Older items do not matter.
    pub published_since: Time,
}

/// A complete snapshot and the ones before it that it is compared with.
#[derive(Debug)]
struct Step {
    source: Source,
    before: Vec<i64>,
    seq: i64,
    at: Time,
    window_from: Time,
}

/// Returns the steps of each question, each list in reading order.
fn steps(snapshots: &Snapshots, between: SeqRange, window: Duration) -> Vec<Vec<Step>> {
    let mut all = Vec::new();
    for (place, question) in snapshots.questions.iter().enumerate() {
        if !detects_removal(question.source, &question.operation) {
            continue;
        }
        let of_question = || snapshots.all.iter().filter(|s| s.question == place);
        let most = of_question().map(|s| s.counts.found).max().unwrap_or(0);
        let own: Vec<&Snapshot> = of_question().filter(|s| is_complete(s, most)).collect();
        let mut steps = Vec::new();
        for row in own.windows(GONE_AFTER + 1) {
            let [before @ .., missed] = row else { continue };
            let window_from = missed.requested_span.map_or_else(|| missed.at.minus(window), |requested| requested.from);
            // An item that the first of them shows is older than that snapshot. If it is too old for the last one to
            // show it, an absence proves nothing.
            let may_show = before.first().is_some_and(|first| first.at > window_from);
            // A thinned snapshot may have shown more. Such a sequence is not judged at all.
            let is_whole = row.iter().all(|snapshot| !snapshot.thinned);
            if missed.seq > between.since && may_show && is_whole {
                steps.push(Step {
                    source: question.source,
                    before: before.iter().map(|s| s.seq).collect(),
                    seq: missed.seq,
                    at: missed.at,
                    window_from,
                });
            }
        }
        all.push(steps);
    }
    all
}

/// Returns whether snapshots of a span were pruned, or snapshots that its first ones are compared with, so that more
/// items may be gone than are found.
pub(super) fn is_pruned(snapshots: &Snapshots, between: SeqRange) -> bool {
    let compared = (0..snapshots.questions.len()).any(|question| {
        let own: Vec<&Snapshot> = snapshots.all.iter().filter(|s| s.question == question).collect();
        let first = own.partition_point(|s| s.seq <= between.since);
        first < own.len() && own.iter().skip(first.saturating_sub(GONE_AFTER)).any(|s| s.thinned)
    });
    let before = snapshots.all.iter().rev().find(|s| s.seq <= between.since).map(|s| s.at);
    compared || snapshots.complete_from.is_some_and(|from| before.is_none_or(|at| at < from))
}

/// Returns what to read; `None` if nothing can be judged.
#[must_use]
pub fn gone_query(snapshots: &Snapshots, between: SeqRange, window: Duration) -> Option<GoneQuery> {
    let steps = steps(snapshots, between, window);
    let first = steps.iter().flatten().filter_map(|step| step.before.first()).min()?;
    let published_since = steps.iter().flatten().map(|step| step.window_from).min()?;
    Some(GoneQuery { between: SeqRange { since: first - 1, until: between.until }, published_since })
}

/// Decides which items are gone.
pub(super) struct GoneDetector {
    steps: Vec<Vec<Step>>,
}

impl GoneDetector {
    pub(super) fn new(snapshots: &Snapshots, between: SeqRange, window: Duration) -> Self {
        Self { steps: steps(snapshots, between, window) }
    }

    /// Returns whether gone items of a source can be judged.
    pub(super) fn can_judge(&self, source: Source) -> bool {
        self.steps.iter().flatten().any(|step| step.source == source)
    }

    /// Returns the source that no longer shows the item, and when it was first missing.
    pub(super) fn missed(&self, item: &LastSighting) -> Option<(Source, Time)> {
        // For each question, the first complete snapshot after the item's last sighting.
        let next = |steps: &Vec<Step>| steps.partition_point(|step| step.seq <= item.last_seq);
        let missed = |step: &&Step| {
            step.before.last().is_some_and(|last| *last <= item.last_seq)
                && step.before.iter().all(|seq| item.seen.contains(&(step.source, *seq)))
                && within(item.item.published_at, step.window_from, step.at)
        };
        let found = self.steps.iter().filter_map(|steps| steps.get(next(steps))).find(missed);
        found.map(|step| (step.source, step.at))
    }
}
