//! Resolves where a comparison begins, as people write it: a run, a time, or the last delivered report.

use super::Since;
use crate::model::{ReportSpec, Time, Topic};
use crate::store::{Store, StoreError};

/// The name of the last delivered report.
const LAST_REPORT: &str = "last-report";

/// Why a comparison has no start.
#[derive(Debug, thiserror::Error)]
pub enum NoStart {
    /// No report with the topic was delivered yet.
    #[error("no report with topic {0} has been delivered yet")]
    NoReport(String),
    /// The run has not ended.
    #[error("the run has not ended")]
    NotEnded,
    /// It is neither a run of the topic nor a time.
    #[error("it is neither a run of {0} nor a time")]
    Unknown(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Returns where a comparison of a topic begins. `at` is `named` read as a time, if it can be. Of several reports,
/// the one that got furthest counts.
pub async fn begin(
    store: &Store,
    topic: &Topic,
    named: &str,
    at: Option<Time>,
    reports: &[ReportSpec],
) -> Result<Since, NoStart> {
    if named == LAST_REPORT {
        let mut furthest = None;
        for report in reports.iter().filter(|report| report.covers(topic)) {
            furthest = furthest.max(store.cursor(&report.job()).await?.map(|cursor| cursor.seq));
        }
        return furthest.map(Since::Run).ok_or_else(|| NoStart::NoReport(topic.id.clone()));
    }
    if let Some(run) = store.run(named).await?.filter(|run| run.topic.as_deref() == Some(topic.id.as_str())) {
        return run.seq.map(Since::Run).ok_or(NoStart::NotEnded);
    }
    at.map(Since::Instant).ok_or_else(|| NoStart::Unknown(topic.id.clone()))
}
