//! A report that is not in the configuration: of given topics, or of all.

use crate::model::{ReportFormat, ReportSpec, ReportWindow};

/// Returns the specification of a report of these topics, or of all if the list is empty.
#[must_use]
pub fn ad_hoc_spec(window: ReportWindow, topics: Vec<String>, timezone: &str) -> ReportSpec {
    ReportSpec {
        name: "everything".to_owned(),
        title: match window {
            ReportWindow::Week => "Weekly report",
            ReportWindow::Month => "Monthly report",
            ReportWindow::Day | ReportWindow::SinceLast => "Daily report",
        }
        .to_owned(),
        topics,
        tags: Vec::new(),
        schedule: None,
        timezone: timezone.to_owned(),
        window,
        formats: vec![ReportFormat::Html],
        path: "topicwatch-{date}".to_owned(),
        group: None,
        channels: Vec::new(),
    }
}
