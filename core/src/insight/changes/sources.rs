//! The sources of a span: how often each was asked, how reliable its replies are, which questions it was asked, and
//! which of its runs are a baseline.

use std::collections::BTreeSet;

use super::gone::is_backfill;
use crate::model::{
    ResultKind, SearchState, SeqRange, Snapshot, Snapshots, Source, Time, detects_removal, result_kind,
};

/// A question and the consecutive runs of a span that asked it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct QueryPeriod {
    pub operation: String,
    pub query: String,
    /// When it was first asked in this sequence of runs.
    pub from: Time,
    /// When it was last asked in this sequence of runs.
    pub until: Time,
    /// When it was first answered in this sequence of runs.
    #[serde(skip)]
    pub first_answer: Option<Time>,
    /// The first run of the sequence.
    pub run: String,
    /// The topic had no answer to it before: the first items are a baseline.
    pub baseline: bool,
    /// The source was asked another question before.
    pub changed: bool,
}

/// The work of a source in a span.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SourceChanges {
    pub source: Source,
    pub searches: usize,
    /// Searches that were answered.
    pub answered: usize,
    /// Searches with a full reply: there may have been more items.
    pub saturated: usize,
    /// New items that it showed in the run that first saw them.
    pub new: usize,
    /// Items that it no longer shows.
    pub gone: usize,
    /// Whether there were enough complete snapshots in a row to judge gone items.
    pub gone_judged: bool,
    /// Whether gone items of this source can be judged at all.
    #[serde(skip)]
    pub judgeable: bool,
    /// The questions asked, in order.
    pub queries: Vec<QueryPeriod>,
}

fn answered(snapshot: &Snapshot) -> bool {
    matches!(snapshot.state, SearchState::Ok | SearchState::Empty)
}

/// Returns the baseline searches: those whose question had no answer for the topic before.
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

/// Returns the queries of each source in a span and when they changed, from the searches alone. Charts use this to mark
/// where another query began.
#[must_use]
pub fn source_queries(snapshots: &Snapshots, between: SeqRange) -> Vec<SourceChanges> {
    sources(snapshots, between, &baselines(snapshots))
}

pub(super) fn sources(
    snapshots: &Snapshots,
    between: SeqRange,
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
            judgeable: snapshots
                .questions
                .iter()
                .any(|q| q.source == *source && detects_removal(q.source, &q.operation)),
            queries: in_force(snapshots, &own, between, baseline),
        })
    };
    let all: BTreeSet<Source> = snapshots.questions.iter().map(|question| question.source).collect();
    all.iter().filter_map(of).collect()
}

/// Returns whether a source that finds items failed in the last run of a span, wholly or in part, or was left out
/// because every call would have been refused. An earlier failure does not matter: the next search looks back over it.
pub(super) fn failed_last(snapshots: &Snapshots, between: SeqRange) -> bool {
    let is_unanswered =
        |s: &Snapshot| matches!(s.state, SearchState::Error | SearchState::Lost | SearchState::OverQuota);
    any_of_last(snapshots, between, |s| s.refused || s.in_part || is_unanswered(s))
}

/// Returns whether a reply of the last run of a span was empty although posts are known or certain. As with a failure,
/// the next search looks back over it.
pub(super) fn emptied_last(snapshots: &Snapshots, between: SeqRange) -> bool {
    any_of_last(snapshots, between, |s| s.empty_in_error)
}

/// Returns whether this is true for a search of the last run of a span that should find items.
fn any_of_last(snapshots: &Snapshots, between: SeqRange, is_so: impl Fn(&Snapshot) -> bool) -> bool {
    let inside = || snapshots.all.iter().filter(|s| s.seq > between.since && !is_backfill(s));
    let last = inside().map(|s| s.seq).max();
    let finds = |s: &&Snapshot| {
        let question = snapshots.questions.get(s.question);
        question.is_some_and(|q| result_kind(q.source, &q.operation) != ResultKind::Answer)
    };
    inside().filter(|s| Some(s.seq) == last).filter(finds).any(is_so)
}

fn in_force(
    snapshots: &Snapshots,
    own: &[(&Snapshot, usize)],
    between: SeqRange,
    baseline: &BTreeSet<(i64, Source)>,
) -> Vec<QueryPeriod> {
    let mut periods: Vec<(usize, QueryPeriod)> = Vec::new();
    let mut before = None;
    for (snapshot, place) in own {
        if snapshot.seq > between.since
            && let Some(question) = snapshots.questions.get(*place)
        {
            let answer = answered(snapshot).then_some(snapshot.at);
            match periods.last_mut() {
                Some((last, period)) if last == place => {
                    period.until = snapshot.at;
                    period.first_answer = period.first_answer.or(answer);
                }
                _ => periods.push((
                    *place,
                    QueryPeriod {
                        operation: question.operation.clone(),
                        query: question.query.clone(),
                        from: snapshot.at,
                        until: snapshot.at,
                        first_answer: answer,
                        run: snapshot.run.clone(),
                        baseline: baseline.contains(&(snapshot.seq, question.source)),
                        changed: before.is_some_and(|before| before != *place),
                    },
                )),
            }
        }
        before = Some(*place);
    }
    periods.into_iter().map(|(_, period)| period).collect()
}
