//! Whether a configuration gives a daemon anything to run.

use crate::config::Config;

/// Why a daemon rejects a file without schedules, and the hint.
pub(in crate::cli) const NOTHING_TO_RUN: (&str, &str) = (
    "no topic, report or export has a schedule any more, so there would be nothing to run",
    "set `paused = true` to keep a topic from running, or stop the daemon",
);

/// Whether any topic, report or export has a schedule. Without one, a daemon would only prune.
pub(in crate::cli) fn has_any_schedule(config: &Config) -> bool {
    config.topics.iter().any(|topic| topic.schedule.is_some())
        || config.reports.iter().any(|report| report.schedule.is_some())
        || !config.exports.is_empty()
}
