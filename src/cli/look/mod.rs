//! Read-only verbs: findings and the state of topics.

pub(in crate::cli) mod alert_backtest;
mod alert_text;
pub(in crate::cli) mod alerts;
pub(in crate::cli) mod coverage;
pub(in crate::cli) mod diff;
pub(in crate::cli) mod diff_text;
mod item_json;
pub(in crate::cli) mod item_list;
pub(in crate::cli) mod items;
pub(in crate::cli) mod ranked;
pub(in crate::cli) mod report;
pub(in crate::cli) mod runs;
pub(in crate::cli) mod search;
pub(in crate::cli) mod show;
mod show_text;
mod starred_list;
pub(in crate::cli) mod status;
mod status_budgets;
mod status_overdue;
mod status_pages;
mod status_text;
mod status_totals;
pub(in crate::cli) mod story;
pub(in crate::cli) mod terms;
