//! Turns `jobs.toml` into a checked [`Config`], or reports every mistake in it at once with its place. Only cli imports
//! this module; other modules get plain settings.

mod alerts;
mod budgets;
mod calls;
mod channel_keys;
mod channels;
mod discover;
mod document;
mod environment;
mod exports;
mod fault;
mod filter_keys;
mod http_channels;
mod key_reader;
pub mod keys;
mod load;
mod location;
mod mistake;
mod names;
mod paths;
mod pings;
mod provider_tables;
mod providers;
mod redact;
mod references;
mod render;
mod reports;
mod retention;
mod scalars;
mod schedule_keys;
mod schema;
mod secret;
mod service;
mod settings;
mod storage;
mod suggest;
mod syntax;
mod template;
mod text;
mod topics;
mod value;
mod walk;
mod web;

pub use discover::{FILE_NAME, LoadRequest, configuration_folder};
pub use load::{LoadError, digest, load, load_text};
pub use location::Location;
pub use mistake::{Mistake, Severity};
pub use redact::redact_url;
pub use render::render;
pub use schema::schema;
pub use secret::{KeyError, read_key, read_secret};
pub use settings::{
    Config, DatabaseConfig, Effective, ProviderConfig, RetentionConfig, SchedulerConfig, ServiceConfig, Target,
    WebConfig,
};
pub use suggest::nearest;

/// The annotated example, which `init` writes. It works unchanged.
pub const EXAMPLE: &str = include_str!("../../jobs.toml");

/// Returns the files that `init` can write, by name. The first is the default.
#[must_use]
pub fn templates() -> Vec<(&'static str, &'static str)> {
    let kinds = crate::model::KINDS.iter().filter_map(|kind| kind.template);
    std::iter::once(("service", EXAMPLE)).chain(kinds).collect()
}

/// Checks a topic's id. The error says what is wrong, and what to do.
pub fn check_topic_id(id: &str) -> Result<(), (String, String)> {
    names::slug(&value::Value::Text(id.to_owned())).map(drop).map_err(|fault| (fault.message, fault.hint))
}
