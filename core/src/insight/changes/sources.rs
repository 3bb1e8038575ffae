//! The sources of a span: how often each was asked, what can be believed of its replies, which questions were in force,
//! and which of its runs are a baseline.

use std::collections::BTreeSet;

use crate::model::{Between, SearchState, Snapshot, Snapshots, Source, Time, judges_gone};

/// A question and the runs of a span in which it was asked.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct InForce {
    pub operation: String,
    pub query: String,
    /// When it was asked first in this stretch.
    pub from: Time,
    /// When it was asked last in this stretch.
    pub until: Time,
    /// The first run of the stretch.
    pub run: String,
    /// The topic had never got an answer to it before: what came first is a baseline.
    pub baseline: bool,
    /// Another question had been in force before.
    pub changed: bool,
}

/// A source in a span.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SourceChanges {
    pub source: Source,
    /// Searches that were made.
    pub searches: usize,
    /// Of these, answered.
    pub answered: usize,
    /// Of these, as long as a reply can be: there may have been more than was shown.
    pub saturated: usize,
    /// New items that it showed when they were new.
    pub new: usize,
    /// Items that it does not show any more.
    pub gone: usize,
    /// Whether enough complete snapshots in a row were there to say what is gone.
    pub gone_judged: bool,
    /// Whether it ever is.
    #[serde(skip)]
    pub judgeable: bool,
    /// The questions in force, in order.
    pub queries: Vec<InForce>,
}

fn answered(snapshot: &Snapshot) -> bool {
    matches!(snapshot.state, SearchState::Ok | SearchState::Empty)
}

/// The searches that are a baseline: those of a question that had not been answered for the topic before.
#[must_use]
pub(super) fn baselines(snapshots: &Snapshots) -> BTreeSet<(i64, Source)> {
    let mut known = snapshots.known.clone();
    let mut baseline = BTreeSet::new();
    for snapshot in &snapshots.all {
        let (Some(question), Some(known)) =
            (snapshots.questions.get(snapshot.question), known.get_mut(snapshot.question))
        else {
            continue;
        };
        if !*known {
            baseline.insert((snapshot.seq, question.source));
        }
        *known |= answered(snapshot);
    }
    baseline
}

/// What is known of each source of a span from its searches alone, among it the queries in force and when they changed:
/// for charts, which mark where another query began.
#[must_use]
pub fn asked(snapshots: &Snapshots, between: Between) -> Vec<SourceChanges> {
    sources(snapshots, between, &baselines(snapshots))
}

pub(super) fn sources(
    snapshots: &Snapshots,
    between: Between,
    baseline: &BTreeSet<(i64, Source)>,
) -> Vec<SourceChanges> {
    let of = |source: &Source| {
        let own: Vec<(&Snapshot, usize)> = snapshots
            .all
            .iter()
            .filter(|s| snapshots.questions.get(s.question).is_some_and(|q| q.source == *source))
            .filter(|s| !matches!(s.state, SearchState::NotRun | SearchState::OverQuota))
            .map(|s| (s, s.question))
            .collect();
        let inside: Vec<&Snapshot> = own.iter().map(|(s, _)| *s).filter(|s| s.seq > between.since).collect();
        if inside.is_empty() {
            return None;
        }
        let count = |which: fn(&Snapshot) -> bool| inside.iter().filter(|s| which(s)).count();
        Some(SourceChanges {
            source: *source,
            searches: inside.len(),
            answered: count(answered),
            saturated: count(|s| s.saturated),
            new: 0,
            gone: 0,
            gone_judged: false,
            judgeable: snapshots.questions.iter().any(|q| q.source == *source && judges_gone(q.source, &q.operation)),
            queries: in_force(snapshots, &own, between, baseline),
        })
    };
    let all: BTreeSet<Source> = snapshots.questions.iter().map(|question| question.source).collect();
    all.iter().filter_map(of).collect()
}

fn in_force(
    snapshots: &Snapshots,
    own: &[(&Snapshot, usize)],
    between: Between,
    baseline: &BTreeSet<(i64, Source)>,
) -> Vec<InForce> {
    let mut stretches: Vec<(usize, InForce)> = Vec::new();
    let mut before = None;
    for (snapshot, place) in own {
        if snapshot.seq > between.since
            && let Some(question) = snapshots.questions.get(*place)
        {
            match stretches.last_mut() {
                Some((last, stretch)) if last == place => stretch.until = snapshot.at,
                _ => stretches.push((
                    *place,
                    InForce {
                        operation: question.operation.clone(),
                        query: question.query.clone(),
                        from: snapshot.at,
                        until: snapshot.at,
                        run: snapshot.run.clone(),
                        baseline: baseline.contains(&(snapshot.seq, question.source)),
                        changed: before.is_some_and(|before| before != *place),
                    },
                )),
            }
        }
        before = Some(*place);
    }
    stretches.into_iter().map(|(_, stretch)| stretch).collect()
}
