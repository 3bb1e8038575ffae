//! Verbs that run topics, and what the long-running ones share: reloading, the dashboard, waiting for a database.

mod alert_trial;
pub(in crate::cli) mod daemon;
pub(in crate::cli) mod dashboard;
pub(in crate::cli) mod dry_run;
pub(in crate::cli) mod editor;
pub(in crate::cli) mod jobs_toml;
pub(in crate::cli) mod long_running;
pub(in crate::cli) mod mcp;
pub(in crate::cli) mod once;
mod query_trial;
pub(in crate::cli) mod reload;
pub(in crate::cli) mod serve;
pub(in crate::cli) mod wait_for_database;
pub(in crate::cli) mod worker;
