//! Environment variables, as the verbs read them.

use std::path::PathBuf;

use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::output;

/// Reads an environment variable; `None` if it is unset or not Unicode.
pub(in crate::cli) fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Returns the user's home folder, if there is one.
pub(in crate::cli) fn home() -> Option<PathBuf> {
    env("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// Returns the names of all variables. Rejects a variable of this program whose value is not Unicode: without it, its
/// key would have another value, such as another database.
pub(in crate::cli) fn names() -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for (name, value) in std::env::vars_os() {
        let Ok(name) = name.into_string() else { continue };
        if name.starts_with("TOPICWATCH_") && value.to_str().is_none() {
            let text = format!("the environment variable {} is not UTF-8 text", output::escape_control(&name));
            return Err(Failure::usage(text, "correct it, or unset it"));
        }
        names.push(name);
    }
    Ok(names)
}
