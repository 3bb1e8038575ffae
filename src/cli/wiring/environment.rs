//! Environment variables, as the verbs read them.

use std::path::PathBuf;

/// Reads an environment variable; `None` if it is unset or not Unicode.
pub(in crate::cli) fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Returns the user's home folder, if there is one.
pub(in crate::cli) fn home() -> Option<PathBuf> {
    env("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}
