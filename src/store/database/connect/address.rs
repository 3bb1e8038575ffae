//! The address of a database: which one to open, and which parts may be shown.

use std::path::PathBuf;

use crate::store::{DataOrigin, StoreError, StoreErrorKind};

/// Which database to open, and how.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `sqlite:PATH` or `postgres://…`.
    pub url: String,
    /// The schema on PostgreSQL.
    pub schema: String,
    /// The origin of the data, if known before the first reply; a database that holds the other origin is refused.
    pub origin: Option<DataOrigin>,
    /// Whether to create the database if it does not exist; otherwise a missing one is an error.
    pub create: bool,
}

/// Returns the address without its password, for people and logs. Also accepts text that is not a valid address, since
/// broken addresses are printed too.
#[must_use]
pub fn redact(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once(':') else { return url.to_owned() };
    if scheme == "sqlite" {
        return url.to_owned();
    }
    // The last `@` ends the user information even when a password holds `/`, `?` or `@` unescaped.
    let rest = match rest.rsplit_once('@') {
        Some((user, host)) => match user.trim_start_matches('/').split_once(':') {
            Some((name, _)) => format!("{}{name}:***@{host}", if user.starts_with("//") { "//" } else { "" }),
            None => rest.to_owned(),
        },
        None => rest.to_owned(),
    };
    let Some((base, query)) = rest.split_once('?') else { return format!("{scheme}:{rest}") };
    let kept: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((name, _)) if name.to_ascii_lowercase().contains("pass") => format!("{name}=***"),
            _ => pair.to_owned(),
        })
        .collect();
    format!("{scheme}:{base}?{}", kept.join("&"))
}

/// Returns the file of a SQLite address; `None` for other kinds of address.
pub(in crate::store) fn sqlite_path(url: &str) -> Result<Option<PathBuf>, StoreError> {
    let Some(rest) = url.strip_prefix("sqlite:") else { return Ok(None) };
    let path = rest.strip_prefix("//").unwrap_or(rest);
    if path.is_empty() || path.starts_with(":memory:") || path.contains('?') {
        return Err(StoreError::new(
            StoreErrorKind::Unreachable,
            format!("`{url}` does not name a file"),
            "write sqlite:PATH, for example sqlite:topicwatch.db; options after `?` and in-memory databases are not supported",
        ));
    }
    Ok(Some(PathBuf::from(path)))
}
