//! Pages for people and an API for programs: how topics stand, what was found, what it cost. It reads through the store and writes nothing but the
//! row of a request, which the daemon takes up; it knows no configuration file and runs no search. Who may see them is
//! `guard`'s, what each shows `pages`', what programs get `api`'s, and what they are told of its health `probes`'.

mod access;
mod admission;
mod api;
mod app;
mod ask;
mod guard;
mod guesses;
mod layout;
mod need;
mod pages;
mod probes;
mod problem;
mod ready;
mod refusal;
mod routes;
mod server;
mod sessions;
mod site;
mod source_health;
mod source_status;
mod tokens;
mod visitor;

pub use access::Access;
pub use need::{Declared, Need};
pub use server::{Running, StartError, declared, start};
pub use site::{Hint, InForce, Settings, Site};
