//! The interface for people and scripts: output, tables, progress, logs, signals, exit codes.

pub(in crate::cli) mod failure;
pub(in crate::cli) mod grid;
pub(in crate::cli) mod input;
pub(in crate::cli) mod json_list;
pub(in crate::cli) mod logging;
pub(in crate::cli) mod output;
pub(in crate::cli) mod progress;
pub(in crate::cli) mod run_table;
pub(in crate::cli) mod signals;
pub(in crate::cli) mod text;
