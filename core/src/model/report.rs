//! A report as it is configured and stored: which topics it is about, when it is made, and what it is written as. What it
//! says is `report`'s.

use super::{SchedulePolicy, Topic, closed_list};

closed_list! {
    /// Which stretch of time a report is about.
    ReportWindow {
        /// The last whole local day before it is made.
        Day = "day",
        /// The last whole ISO week, Monday to Sunday.
        Week = "week",
        /// The last whole calendar month.
        Month = "month",
        /// From where the last delivered report ended.
        SinceLast = "since_last",
    }
}

impl ReportWindow {
    /// Whether it is a stretch of whole local days, which has a name in the calendar.
    #[must_use]
    pub fn is_of_days(self) -> bool {
        self != Self::SinceLast
    }

    /// What such a stretch is called: `day`, `week`, `month`; a report since the last one has a period.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::SinceLast => "period",
            Self::Day | Self::Week | Self::Month => self.as_str(),
        }
    }
}

closed_list! {
    /// What a report is written as.
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
    /// Topics by id. Empty, with no tags either, means all.
    pub topics: Vec<String>,
    /// Topics by tag, beside those by id.
    pub tags: Vec<String>,
    /// When it is made by itself; `None` means only when asked.
    pub schedule: Option<SchedulePolicy>,
    /// IANA zone in which its days are meant.
    pub timezone: String,
    /// What it is about.
    pub window: ReportWindow,
    /// What it is written as, each once.
    pub formats: Vec<ReportFormat>,
    /// Where its files go: a path without ending, with `{name}` and `{date}`.
    pub path: String,
    /// Tag of the topics whose share of voice is compared; `None` compares all of the report.
    pub group: Option<String>,
    /// Names of the channels it is delivered by.
    pub channels: Vec<String>,
}

impl ReportSpec {
    /// Whether it is about a topic: by id or by tag; about all when it names none.
    #[must_use]
    pub fn covers(&self, topic: &Topic) -> bool {
        let all = self.topics.is_empty() && self.tags.is_empty();
        all || self.topics.contains(&topic.id) || topic.tags.iter().any(|tag| self.tags.contains(tag))
    }

    /// The job name in the ledger.
    #[must_use]
    pub fn job(&self) -> String {
        format!("report:{}", self.name)
    }
}
