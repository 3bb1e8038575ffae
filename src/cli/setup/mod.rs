//! Verbs for setting up: write, check and try a configuration before anything runs.

pub(in crate::cli) mod check;
pub(in crate::cli) mod completions;
pub(in crate::cli) mod file_permissions;
pub(in crate::cli) mod import;
pub(in crate::cli) mod init;
pub(in crate::cli) mod man;
pub(in crate::cli) mod plan;
mod plan_costs;
mod plan_gaps;
mod plan_limits;
pub(in crate::cli) mod probe;
pub(in crate::cli) mod sandbox;
pub(in crate::cli) mod try_query;
