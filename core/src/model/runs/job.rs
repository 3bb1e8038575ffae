//! A job that is not a topic but also has a schedule and runs in the ledger. Its `spec` is opaque here; only the code
//! that runs this kind of job reads it.

use crate::model::{AlertSpec, ReportSpec, Retention, SchedulePolicy, closed_list};

closed_list! {
    /// The kind of a job.
    JobKind {
        /// A report of `[[reports]]`.
        Report = "report",
        /// An export of `[[exports]]`.
        Export = "export",
        /// An alert of `[[alerts]]`. It has no schedule; it checks whenever new runs can be read.
        Alert = "alert",
        /// Deletion of old data, as configured by `[retention]`.
        Prune = "prune",
    }
}

/// A job as stored.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Job {
    /// Its name in the ledger: `report:daily`.
    pub id: String,
    /// Determines who can run it.
    pub kind: JobKind,
    /// When it runs; `None` means only on request.
    pub schedule: Option<SchedulePolicy>,
    /// The settings of its kind, as JSON.
    pub spec: serde_json::Value,
}

impl Job {
    /// Makes a job of a report.
    ///
    /// # Errors
    /// If the report cannot be written as JSON; this never happens.
    pub fn of_report(report: &ReportSpec) -> Result<Self, serde_json::Error> {
        let (id, schedule) = (report.job(), report.schedule.clone());
        Ok(Self { id, kind: JobKind::Report, schedule, spec: serde_json::to_value(report)? })
    }

    /// Makes a job of an alert, so that it is adopted, renamed and removed like other jobs.
    ///
    /// # Errors
    /// If the alert cannot be written as JSON; this never happens.
    pub fn of_alert(alert: &AlertSpec) -> Result<Self, serde_json::Error> {
        Ok(Self { id: alert.job(), kind: JobKind::Alert, schedule: None, spec: serde_json::to_value(alert)? })
    }

    /// Makes the pruning job.
    ///
    /// # Errors
    /// If the settings cannot be written as JSON; this never happens.
    pub fn of_prune(retention: Retention, schedule: SchedulePolicy) -> Result<Self, serde_json::Error> {
        let (kind, spec) = (JobKind::Prune, serde_json::to_value(retention)?);
        Ok(Self { id: kind.as_str().to_owned(), kind, schedule: Some(schedule), spec })
    }

    /// Replaces a topic's old id by its new one. Returns whether the job names the topic.
    pub fn rename_topic(&mut self, old: &str, new: &str) -> bool {
        let topics = self.spec.get_mut("topics").and_then(serde_json::Value::as_array_mut);
        let mut named = false;
        for topic in topics.into_iter().flatten().filter(|topic| topic.as_str() == Some(old)) {
            *topic = new.into();
            named = true;
        }
        named
    }

    /// The report's settings.
    ///
    /// # Errors
    /// If the job is not a report, or this version cannot read it.
    pub fn report(&self) -> Result<ReportSpec, serde_json::Error> {
        serde_json::from_value(self.spec.clone())
    }

    /// The alert's settings.
    ///
    /// # Errors
    /// If the job is not an alert, or this version cannot read it.
    pub fn alert(&self) -> Result<AlertSpec, serde_json::Error> {
        serde_json::from_value(self.spec.clone())
    }

    /// The retention settings of the pruning job.
    ///
    /// # Errors
    /// If the job does not prune, or this version cannot read it.
    pub fn retention(&self) -> Result<Retention, serde_json::Error> {
        serde_json::from_value(self.spec.clone())
    }
}
