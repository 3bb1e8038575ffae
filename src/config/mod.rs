//! Turns `jobs.toml` into a checked [`Config`], or reports every mistake in it at once with its place. Only cli imports
//! this module; other modules get plain settings.

mod channels;
mod database_only;
mod environment;
mod file;
pub mod keys;
mod load;
mod mistakes;
mod providers;
mod schema;
mod secret;
mod sections;
mod settings;
mod topics;
mod values;

pub use database_only::{DatabaseOnly, database_only};
pub use file::discover::{FILE_NAME, LoadRequest, configuration_folder};
pub use load::{LoadError, digest, load, load_text};
pub use mistakes::location::Location;
pub use mistakes::mistake::{Mistake, Severity};
pub use mistakes::redact::redact_url;
pub use mistakes::render::render;
pub use mistakes::suggest::nearest;
pub use schema::schema;
pub use secret::{KeyError, read_key, read_secret};
pub use settings::{
    Config, DatabaseConfig, Effective, ProviderConfig, RetentionConfig, SchedulerConfig, ServiceConfig, Target,
    WebConfig,
};

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
    values::names::slug(&values::value::Value::Text(id.to_owned()))
        .map(drop)
        .map_err(|fault| (fault.message, fault.hint))
}
