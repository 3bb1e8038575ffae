//! What is gone: an item that each of the last complete snapshots of a source held and the next one did not, although it
//! was published inside the window. Silence about an item means nothing where a reply may have been cut, so only complete
//! snapshots count; an answer of the AI source is a choice and no list, so it is not asked.

use std::time::Duration;

use super::reading::within;
use crate::model::{Between, LastSight, SearchState, Snapshot, Snapshots, Source, Time, judges_gone};

/// Complete snapshots in a row that must have held an item before its absence says anything.
pub const GONE_AFTER: usize = 3;

/// A search that looked at a span ending this long before it was made was about the past (a backfill).
const OF_THE_PAST: Duration = Duration::from_secs(60);

/// Whether a search looked at a time that was over when it was made.
pub(super) fn of_the_past(snapshot: &Snapshot) -> bool {
    snapshot.asked.is_some_and(|asked| asked.until.plus(OF_THE_PAST) < snapshot.at)
}

/// Services that are not told a number cut their replies at a round one.
const ROUND: i64 = 10;

/// Whether an item's absence from a snapshot means that the source does not show it any more: the search was answered,
/// not cut at the maximum, and about the moment at which it was made. `most` is what any reply to the question held.
fn complete(snapshot: &Snapshot, most: i64) -> bool {
    let found = snapshot.counts.found;
    let cut = snapshot.saturated || (found == most && found % ROUND == 0);
    snapshot.state == SearchState::Ok && !cut && !of_the_past(snapshot)
}

/// What has to be read to say what is gone: last sightings in these runs of items published since that instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    pub between: Between,
    /// Older items do not matter.
    pub published_since: Time,
}

/// One absence that can be judged.
#[derive(Debug)]
struct Step {
    source: Source,
    before: Vec<i64>,
    seq: i64,
    at: Time,
    window_from: Time,
}

/// The absences of each question, each list in reading order.
fn steps(snapshots: &Snapshots, between: Between, window: Duration) -> Vec<Vec<Step>> {
    let mut all = Vec::new();
    for (place, question) in snapshots.questions.iter().enumerate() {
        if !judges_gone(question.source, &question.operation) {
            continue;
        }
        let of_question = || snapshots.all.iter().filter(|s| s.question == place);
        let most = of_question().map(|s| s.counts.found).max().unwrap_or(0);
        let own: Vec<&Snapshot> = of_question().filter(|s| complete(s, most)).collect();
        let mut steps = Vec::new();
        for row in own.windows(GONE_AFTER + 1) {
            let [before @ .., missed] = row else { continue };
            if missed.seq > between.since {
                steps.push(Step {
                    source: question.source,
                    before: before.iter().map(|s| s.seq).collect(),
                    seq: missed.seq,
                    at: missed.at,
                    window_from: missed.asked.map_or_else(|| missed.at.minus(window), |asked| asked.from),
                });
            }
        }
        all.push(steps);
    }
    all
}

/// What to read; `None` when nothing can be judged.
#[must_use]
pub fn needs(snapshots: &Snapshots, between: Between, window: Duration) -> Option<Needs> {
    let steps = steps(snapshots, between, window);
    let first = steps.iter().flatten().filter_map(|step| step.before.first()).min()?;
    let published_since = steps.iter().flatten().map(|step| step.window_from).min()?;
    Some(Needs { between: Between { since: first - 1, until: between.until }, published_since })
}

/// Says of items whether they are gone.
pub(super) struct Judge {
    steps: Vec<Vec<Step>>,
}

impl Judge {
    pub(super) fn new(snapshots: &Snapshots, between: Between, window: Duration) -> Self {
        Self { steps: steps(snapshots, between, window) }
    }

    /// Whether anything can be said about a source.
    pub(super) fn judges(&self, source: Source) -> bool {
        self.steps.iter().flatten().any(|step| step.source == source)
    }

    /// The source that does not show the item any more, and when that was noticed.
    pub(super) fn missed(&self, item: &LastSight) -> Option<(Source, Time)> {
        // The first complete snapshot after its last sighting, of each question.
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
