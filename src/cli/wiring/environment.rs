//! Environment variables, as the verbs read them.

/// Reads an environment variable; `None` if it is unset or not Unicode.
pub(in crate::cli) fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
