//! The part of the configuration that assistants may see.

use crate::model::{DayLimits, ReportSpec};

#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The version, if clients may learn it.
    pub version: Option<&'static str>,
    /// Reports that can be asked for by name, and since which changes can be listed.
    pub reports: Vec<ReportSpec>,
    /// The limits of a day.
    pub limits: DayLimits,
}
