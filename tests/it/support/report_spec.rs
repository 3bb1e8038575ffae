//! The report specification that cases use, and the time at which it is made.

use topicwatch::model::{ReportFormat, ReportSpec, ReportWindow, Time};

use crate::support::report_world::{BEGIN, DAY, HOUR};

pub fn spec(timezone: &str, window: ReportWindow) -> ReportSpec {
    ReportSpec {
        name: "daily".into(),
        title: "Morning".into(),
        topics: Vec::new(),
        tags: vec!["brand".into()],
        schedule: None,
        timezone: timezone.into(),
        window,
        formats: vec![ReportFormat::Html, ReportFormat::Markdown],
        path: "reports/{name}-{date}".into(),
        group: Some("brand".into()),
        channels: Vec::new(),
    }
}

/// The current time: shortly after the last readable run of the sixteenth day.
pub const NOW: Time = Time(BEGIN.0 + 16 * DAY + 13 * HOUR);
