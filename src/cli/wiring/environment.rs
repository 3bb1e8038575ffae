//! Environment variables, as the verbs read them.

/// Reads an environment variable; an unset and an unreadable one are the same.
pub(in crate::cli) fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
