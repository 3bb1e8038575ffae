//! The error for an invalid schedule, zone or duration.

use std::time::Duration;

/// The shortest period that `Schedule::compile` allows: every slot costs calls, and the planner runs every 30 s.
pub const MIN_PERIOD: Duration = Duration::from_secs(60);

/// Why a schedule, a zone or a duration was refused. Both texts are single lines for people; the expression is quoted
/// in backticks with control characters escaped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ScheduleError {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: String,
}

impl ScheduleError {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }
}
