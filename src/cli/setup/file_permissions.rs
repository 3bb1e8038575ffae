//! Warns about files that other users of this machine can read or write and should not: keys, passwords, the database;
//! about keys that are missing or that searches would refuse; and about secrets without which the daemon does not start.

use std::path::{Path, PathBuf};

use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::environment::env;
use crate::cli::wiring::options::shell_word;
use crate::cli::wiring::{callers, channels, pings, protected_files};
use crate::config::{self, Config, KeyError, Target};
use crate::model::Transport;

/// Returns the warnings of `check`, one line each.
pub(in crate::cli) fn warnings(context: &Context) -> Vec<String> {
    let config = &context.config;
    let mut all = Vec::new();
    let mut secrets = protected_files::secrets(config);
    secrets.sort();
    secrets.dedup();
    let folder = config.file.parent().unwrap_or(Path::new("."));
    let (unusable, refused) = unusable_keys(config);
    all.extend(unusable);
    secrets.retain(|file| !refused.contains(file));
    // `run` refuses a file that its group may read, too: its hint helps at once.
    let kept_back = unusable_secrets(config);
    secrets.retain(|file| !kept_back.iter().any(|(of, _)| of.as_ref() == Some(file)));
    all.extend(kept_back.into_iter().map(|(_, warning)| warning));
    for file in secrets {
        // Some secret files are relative to the current folder, others to the configuration's folder.
        let file = if file.exists() { file } else { folder.join(file) };
        all.extend(readable(&file, "a secret is read from it"));
    }
    let elsewhere =
        |origin: &str| origin == "default" || origin.starts_with("environment ") || origin.starts_with("flag ");
    let from_file = config.effective.iter().any(|e| e.key == "database.url" && !elsewhere(&e.origin));
    if from_file && config::redact_url(&config.database.url) != config.database.url {
        all.extend(readable(&config.file, "it contains the database password"));
    }
    if let Some(database) = context.store_settings(false).url.strip_prefix("sqlite:").map(Path::new) {
        for ending in ["", "-wal", "-shm"] {
            let mut file = database.as_os_str().to_owned();
            file.push(ending);
            let file = Path::new(&file);
            let what = match (others_may(file, 0o004), others_may(file, 0o002)) {
                (true, true) => "read and change",
                (false, true) => "change",
                (true, false) => "read",
                (false, false) => continue,
            };
            let name = file.display().to_string();
            let (display_path, word) = (output::escape_control(&name), shell_word(&name));
            all.push(format!(
                "everyone on this machine can {what} the database {display_path} (hint: chmod 600 {word})"
            ));
        }
    }
    all
}

/// Reads the secrets of channels and pings as `run` would. Returns a warning for each that it would refuse, and the
/// configured file that is the reason, if one is. Variables may be set only where `run` is started.
pub(in crate::cli) fn unusable_secrets(config: &Config) -> Vec<(Option<PathBuf>, String)> {
    let warning = |of: &str, error: &KeyError, here: &str, stopped: &str| {
        output::escape_control(&format!("{of}: {}{here}: {stopped} (hint: {})", error.message, error.hint))
    };
    let mut all = Vec::new();
    for spec in config.channels.iter().filter(|spec| !spec.paused) {
        let Err(error) = channels::one(spec) else { continue };
        let (what, place) = match &spec.transport {
            Transport::Email(email) => ("password", &email.password),
            Transport::Webhook(hook) => ("secret", &hook.secret),
        };
        let (of, stopped) = (format!("channel {}", spec.name), "`run` and `once --due` do not start without it");
        let file = place.file.clone().filter(|_| place.variable.is_none());
        // Without an address in a variable, only the file can be the reason.
        let by_variable = matches!(&spec.transport, Transport::Webhook(hook) if hook.url.is_none());
        let of_file = || if by_variable { config::read_secret(what, place, &env).err() } else { Some(error.clone()) };
        let in_file = file.and_then(|file| Some((file, of_file()?)));
        if in_file.as_ref().is_none_or(|(_, refused)| *refused != error) {
            all.push((None, warning(&of, &error, " here", stopped)));
        }
        if let Some((file, refused)) = in_file {
            all.push((Some(file), warning(&of, &refused, "", stopped)));
        }
    }
    for spec in &config.pings {
        let Err(error) = pings::one(spec) else { continue };
        let stopped = "`run` and `once` do not start without it";
        all.push((None, warning(&format!("ping of {}", spec.job), &error, " here", stopped)));
    }
    all
}

/// Reads the keys, as a search would. Returns a warning for each that cannot be used, and the configured files that are
/// the reason. Variables may be set only where searches run.
fn unusable_keys(config: &Config) -> (Vec<String>, Vec<PathBuf>) {
    let (mut warnings, mut files) = (Vec::new(), Vec::new());
    let mut add = |file: Option<PathBuf>, by_variable: bool, message: &str, hint: &str| {
        let here = if by_variable { " here" } else { "" };
        warnings.push(output::escape_control(&format!(
            "{message}{here}: no search can be made, and `run` and `once` do not start (hint: {hint})"
        )));
        files.extend(file);
    };
    let service = &config.service;
    if matches!(service.target, Target::Url(_))
        && let Err(error) = config::read_key(service, &env)
    {
        let is_set = |variable: &str| env(variable).is_some_and(|value| !value.is_empty());
        let is_variable_set = is_set(&service.api_key_env) || is_set(&format!("{}_FILE", service.api_key_env));
        let file = service.api_key_file.clone().filter(|_| !is_variable_set);
        let by_variable = file.is_none();
        add(file, by_variable, &error.message, &error.hint);
    }
    for provider in config.providers.iter().filter(|provider| matches!(provider.target, Target::Url(_))) {
        let Some(refusal) = callers::refusal(provider) else { continue };
        let file = provider.key_file.clone().filter(|_| provider.key_env.is_none());
        add(file, provider.key_env.is_some(), &refusal.text, &refusal.hint);
    }
    (warnings, files)
}

fn readable(file: &Path, why: &str) -> Option<String> {
    let name = file.display().to_string();
    let (display_path, word) = (output::escape_control(&name), shell_word(&name));
    others_may(file, 0o004)
        .then(|| format!("everyone on this machine can read {display_path}, and {why} (hint: chmod o-r {word})"))
}

/// Whether the file exists and other users have this permission.
#[cfg(unix)]
fn others_may(file: &Path, what: u32) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & what != 0)
}

#[cfg(not(unix))]
fn others_may(_: &Path, _: u32) -> bool {
    false
}
