//! Builds the parts of a verb from the configuration and the environment: store, client, channels, jobs.

pub(in crate::cli) mod callers;
pub(in crate::cli) mod channels;
pub(in crate::cli) mod check_names;
pub(in crate::cli) mod context;
pub(in crate::cli) mod environment;
pub(in crate::cli) mod ids;
pub(in crate::cli) mod jobs;
pub(in crate::cli) mod journal;
pub(in crate::cli) mod options;
pub(in crate::cli) mod pings;
pub(in crate::cli) mod protected_files;
pub(in crate::cli) mod schedules;
pub(in crate::cli) mod store_settings;
