//! A report as configured and stored: its topics, schedule and formats. The `report` module computes its content.

use crate::model::{SchedulePolicy, Topic, closed_list};

closed_list! {
    /// The period of a report.
    ReportWindow {
        /// The last whole local day before it is made.
        Day = "day",
        /// The last whole ISO week, Monday to Sunday.
        Week = "week",
        /// The last whole calendar month.
        Month = "month",
        /// From the end of the last delivered report.
        SinceLast = "since_last",
    }
}

impl ReportWindow {
    /// Whether the period consists of whole local days, and so has a calendar name.
    #[must_use]
    pub fn is_calendar(self) -> bool {
        self != Self::SinceLast
    }

    /// The period's name: `day`, `week` or `month`; `period` for a report since the last one.
    #[must_use]
    pub fn period_name(self) -> &'static str {
        match self {
            Self::SinceLast => "period",
            Self::Day | Self::Week | Self::Month => self.as_str(),
        }
    }
}

closed_list! {
    /// The file format of a report.
    ReportFormat {
        /// One self-contained page.
        Html = "html",
        Markdown = "markdown",
    }
}

/// A report of `[[reports]]`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ReportSpec {
    /// Unique in the file; a slug like a topic's id.
    pub name: String,
    /// Name shown to people.
    pub title: String,
    /// Topics by id. If `topics` and `tags` are both empty, the report covers all topics.
    pub topics: Vec<String>,
    /// Topics by tag, in addition to those by id.
    pub tags: Vec<String>,
    /// When the report is made; `None` means only on request.
    pub schedule: Option<SchedulePolicy>,
    /// IANA time zone that defines its days.
    pub timezone: String,
    /// Which time it covers: a calendar period, or that since the last report.
    pub window: ReportWindow,
    /// The file formats, without repeats.
    pub formats: Vec<ReportFormat>,
    /// Path of its files, without extension, with the placeholders `{name}` and `{date}`.
    pub path: String,
    /// Tag of the topics whose share of voice is compared; `None` compares all topics of the report.
    pub group: Option<String>,
    /// Names of the channels that deliver it.
    pub channels: Vec<String>,
}

impl ReportSpec {
    /// Whether the report covers a topic, by id or by tag. It covers all topics if it names none.
    #[must_use]
    pub fn covers(&self, topic: &Topic) -> bool {
        self.covers_all() || self.topics.contains(&topic.id) || topic.tags.iter().any(|tag| self.tags.contains(tag))
    }

    /// Whether it is about all topics.
    #[must_use]
    pub fn covers_all(&self) -> bool {
        self.topics.is_empty() && self.tags.is_empty()
    }

    /// The job name in the ledger.
    #[must_use]
    pub fn job(&self) -> String {
        format!("report:{}", self.name)
    }
}
