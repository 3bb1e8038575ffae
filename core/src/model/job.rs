//! A job that is no topic: something else that has a schedule and runs in the ledger. What a kind of job is made of is
//! that kind's; here it is data that is stored and handed to whoever can run it.

use super::{AlertSpec, ReportSpec, Retention, SchedulePolicy, closed_list};

closed_list! {
    /// What kind of job it is.
    JobKind {
        /// A report of `[[reports]]`.
        Report = "report",
        /// An export of `[[exports]]`.
        Export = "export",
        /// An alert of `[[alerts]]`: it has no schedule, and looks whenever runs became readable.
        Alert = "alert",
        /// What `[retention]` says goes.
        Prune = "prune",
    }
}

/// A job as it is stored.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Job {
    /// Its name in the ledger: `report:daily`.
    pub id: String,
    /// Who can run it.
    pub kind: JobKind,
    /// When it runs; `None` means never by itself.
    pub schedule: Option<SchedulePolicy>,
    /// What its kind needs to know.
    pub spec: serde_json::Value,
}

impl Job {
    /// A report as a job.
    ///
    /// # Errors
    /// When it cannot be written as JSON, which every report can.
    pub fn of_report(report: &ReportSpec) -> Result<Self, serde_json::Error> {
        let (id, schedule) = (report.job(), report.schedule.clone());
        Ok(Self { id, kind: JobKind::Report, schedule, spec: serde_json::to_value(report)? })
    }

    /// An alert as a job, so that it is adopted, renamed and removed with the others.
    ///
    /// # Errors
    /// When it cannot be written as JSON, which every alert can.
    pub fn of_alert(alert: &AlertSpec) -> Result<Self, serde_json::Error> {
        Ok(Self { id: alert.job(), kind: JobKind::Alert, schedule: None, spec: serde_json::to_value(alert)? })
    }

    /// Pruning as a job.
    ///
    /// # Errors
    /// When it cannot be written as JSON, which it always can.
    pub fn of_prune(retention: Retention, schedule: SchedulePolicy) -> Result<Self, serde_json::Error> {
        let (kind, spec) = (JobKind::Prune, serde_json::to_value(retention)?);
        Ok(Self { id: kind.as_str().to_owned(), kind, schedule: Some(schedule), spec })
    }

    /// Follows a topic to its new id; whether it names that topic.
    pub fn rename_topic(&mut self, old: &str, new: &str) -> bool {
        let topics = self.spec.get_mut("topics").and_then(serde_json::Value::as_array_mut);
        let mut named = false;
        for topic in topics.into_iter().flatten().filter(|topic| topic.as_str() == Some(old)) {
            *topic = new.into();
            named = true;
        }
        named
    }

    /// The report that the job is.
    ///
    /// # Errors
    /// When it is none, or one that this version cannot read.
    pub fn report(&self) -> Result<ReportSpec, serde_json::Error> {
        serde_json::from_value(self.spec.clone())
    }

    /// The alert that the job is.
    ///
    /// # Errors
    /// When it is none, or one that this version cannot read.
    pub fn alert(&self) -> Result<AlertSpec, serde_json::Error> {
        serde_json::from_value(self.spec.clone())
    }

    /// What the job is to keep.
    ///
    /// # Errors
    /// When it is none that prunes, or one that this version cannot read.
    pub fn retention(&self) -> Result<Retention, serde_json::Error> {
        serde_json::from_value(self.spec.clone())
    }
}
