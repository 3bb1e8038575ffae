//! Pages for people and an API for programs: how topics stand, what was found, what it cost. It reads through the store and writes nothing but the
//! row of a request, which the daemon takes up, and `jobs.toml` through who serves it (`jobs_file`); it runs no search. Who may see them is
//! `guard`'s, what each shows `pages`', what programs get `api`'s and `mcp`'s, and what they are told of its health `probes`'.

mod access;
mod admission;
mod api;
mod app;
mod ask;
mod downloads;
mod editing;
mod exporting;
mod guard;
mod guesses;
mod item_query;
mod jobs_file;
mod layout;
mod mcp;
mod need;
mod pages;
mod pipe;
mod probes;
mod problem;
mod ready;
mod refusal;
mod routes;
mod server;
mod sessions;
mod site;
mod source_health;
mod streams;
mod tokens;
mod visitor;

pub use access::Access;
pub use jobs_file::{AlertTrial, JobsFile, Opened, Outlook, Pending, Tried, TriedResult, Unsaved, Wrong};
pub use need::{Declared, Need};
pub use server::{Running, StartError, declared, start};
pub use site::{Hint, InForce, Settings, Site};
