//! Pages for people and an API for programs: the status of topics, what was found, what it cost. Reads through the
//! store. Writes marks, stars, notes, saved searches, the use of tokens, and requests, which a daemon carries out.
//! Changes `jobs.toml` through `jobs_file`. Runs no searches itself. `guard` decides who may see what, `pages`
//! renders the pages, `api` and `mcp` answer programs, and `probes` reports the health of the process.

mod access;
mod api;
mod downloads;
mod edit_state;
mod guard;
mod item_query;
mod jobs_file;
mod layout;
mod mcp;
mod page_request;
mod pages;
mod problem;
mod sent_form;
mod server;
mod site;
mod source_health;

pub use access::Access;
pub use access::access_rule::{AccessRule, RouteNeed};
pub use jobs_file::{
    AlertTrial, Diagnostic, FileSnapshot, JobsFile, Pending, Preview, SaveError, TRIAL_RUNS, TrialResult, TriedResult,
};
pub use server::{Running, StartError, declared, start};
pub use site::{CurrentSettings, Hint, Settings, Site};
