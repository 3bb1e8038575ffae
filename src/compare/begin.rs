//! With which run a comparison begins, as people name it: a run, a time, or the last report that was delivered.

use super::Since;
use crate::model::{ReportSpec, Time, Topic};
use crate::store::{Store, StoreError};

/// What names the last report that was delivered.
const LAST_REPORT: &str = "last-report";

/// Why there is no such begin.
#[derive(Debug, thiserror::Error)]
pub enum NoBegin {
    /// No report with the topic was delivered yet.
    #[error("no report with topic {0} has been delivered yet")]
    NoReport(String),
    /// The run goes on.
    #[error("the run has not ended")]
    NotEnded,
    /// It is neither a run of the topic nor a time.
    #[error("it is neither a run of {0} nor a time")]
    Unknown(String),
    /// It could not be looked up.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Where a comparison of a topic begins; `at` is what was named, when it can be read as a time. Of several reports the one
/// that got furthest counts.
pub async fn begin(
    store: &Store,
    topic: &Topic,
    named: &str,
    at: Option<Time>,
    reports: &[ReportSpec],
) -> Result<Since, NoBegin> {
    if named == LAST_REPORT {
        let mut furthest = None;
        for report in reports.iter().filter(|report| report.covers(topic)) {
            furthest = furthest.max(store.cursor(&report.job()).await?.map(|cursor| cursor.seq));
        }
        return furthest.map(Since::Run).ok_or_else(|| NoBegin::NoReport(topic.id.clone()));
    }
    if let Some(run) = store.run(named).await?.filter(|run| run.topic.as_deref() == Some(topic.id.as_str())) {
        return run.seq.map(Since::Run).ok_or(NoBegin::NotEnded);
    }
    at.map(Since::Instant).ok_or_else(|| NoBegin::Unknown(topic.id.clone()))
}
