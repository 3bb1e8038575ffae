//! What of the configuration is told to assistants.

use crate::model::{DayLimits, ReportSpec};

/// What of the configuration is told.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The version, for who may learn it.
    pub version: Option<&'static str>,
    /// Reports that can be asked for by name, and since which changes can be asked for.
    pub reports: Vec<ReportSpec>,
    /// What may be asked in a day.
    pub limits: DayLimits,
}
