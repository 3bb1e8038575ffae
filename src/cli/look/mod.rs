//! Read-only verbs: findings and the state of topics.

pub(in crate::cli) mod alert_backtest;
mod alert_text;
pub(in crate::cli) mod alerts;
pub(in crate::cli) mod coverage;
pub(in crate::cli) mod diff;
pub(in crate::cli) mod diff_text;
pub(in crate::cli) mod items;
pub(in crate::cli) mod no_match;
pub(in crate::cli) mod report;
pub(in crate::cli) mod runs;
pub(in crate::cli) mod show;
mod show_text;
pub(in crate::cli) mod status;
pub(in crate::cli) mod terms;
