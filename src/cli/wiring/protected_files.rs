//! Files that no verb may overwrite: the database in use, the configuration, and files with keys, passwords or tokens.
//! `files` decides how a file is recognised.

use std::path::{Path, PathBuf};

use crate::cli::wiring::environment::env;
use crate::config::Config;
use crate::files::Protected;
use crate::model::{SecretSource, Transport};

/// Returns the protected files of a configuration and of the SQLite database used with it.
pub(in crate::cli) fn of(config: &Config, database: Option<&Path>) -> Protected {
    let mut protected = Protected::databases();
    if let Some(database) = database {
        protected.add_database(database);
    }
    protected.add(&config.file, "the configuration");
    for file in secrets(config) {
        // Some are relative to the configuration's folder, others to the current one.
        let folder = config.file.parent().unwrap_or(Path::new("."));
        protected.add(folder.join(&file), "a file that a secret is read from");
        protected.add(file, "a file that a secret is read from");
    }
    protected
}

/// Returns the files that secrets are read from.
pub(in crate::cli) fn secrets(config: &Config) -> Vec<PathBuf> {
    let named = |variable: &str| env(&format!("{variable}_FILE")).filter(|file| !file.is_empty()).map(PathBuf::from);
    let of_channels = config.channels.iter().map(|channel| match &channel.transport {
        Transport::Email(email) => &email.password,
        Transport::Webhook(hook) => &hook.secret,
    });
    let place = |place: &SecretSource| place.file.clone().or_else(|| named(place.variable.as_ref()?));
    let mut files: Vec<PathBuf> = of_channels.chain([&config.web.token]).filter_map(place).collect();
    // The address of a webhook or a ping contains its key.
    let of_hooks = config.channels.iter().filter_map(|channel| match &channel.transport {
        Transport::Webhook(hook) => hook.url_variable.as_deref(),
        Transport::Email(_) => None,
    });
    let of_pings = config.pings.iter().filter_map(|ping| ping.url_variable.as_deref());
    files.extend(of_hooks.chain(of_pings).filter_map(named));
    files.extend(config.service.api_key_file.clone());
    files.extend(named(&config.service.api_key_env));
    for provider in &config.providers {
        files.extend(provider.key_file.clone());
        files.extend(provider.key_env.as_deref().and_then(named));
    }
    // Any key may be given in a file, including the database's address with its password.
    let names_key_file = |name: &str| name.starts_with("TOPICWATCH_") && name.ends_with("_FILE");
    let from_env =
        std::env::vars_os().filter(|(name, file)| !file.is_empty() && name.to_str().is_some_and(names_key_file));
    files.extend(from_env.map(|(_, file)| PathBuf::from(file)));
    files
}
