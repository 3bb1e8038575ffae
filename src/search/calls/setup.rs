//! Helpers for building a client: why it may fail, the header of a key, and an id for an address with its login.

use reqwest::header::HeaderValue;
use secrecy::ExposeSecret as _;
use url::Url;

use super::hint::ProviderRef;
use crate::search::Access;

/// Settings from which no client can be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct SetupError {
    /// What is wrong, in one line without the key.
    pub text: String,
    /// What to do next.
    pub hint: String,
}

/// Identifies an address with its login, without revealing either: a refusal concerns both.
pub(in crate::search) fn access_id(base_url: &Url, access: &Access) -> blake3::Hash {
    let (user, secret) = match access {
        Access::Open => ("", ""),
        Access::Bare(key) | Access::Bearer(key) => ("", key.expose_secret()),
        Access::Session { user, password } => (user.as_str(), password.expose_secret()),
    };
    let mut hasher = blake3::Hasher::new();
    for part in [base_url.as_str(), user, secret] {
        // The lengths keep the parts apart.
        hasher.update(&part.len().to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize()
}

/// Builds the `Authorization` header from the key. Debug output never shows it.
pub(in crate::search) fn header(whom: &ProviderRef<'_>, key: &str) -> Result<HeaderValue, SetupError> {
    if key.is_empty() {
        return Err(setup_error("the API key is empty", &format!("set it with {}", whom.secret())));
    }
    // Only visible ASCII and inner blanks: there is no agreed encoding for other bytes.
    let mut value =
        HeaderValue::from_str(key).ok().filter(|_| key.is_ascii() && key.trim() == key).ok_or_else(|| {
            setup_error(
                "the API key contains a character that is not allowed in a header",
                "look for a line break, leading or trailing spaces, or a non-ASCII character in the key",
            )
        })?;
    value.set_sensitive(true);
    Ok(value)
}

pub(in crate::search) fn setup_error(text: &str, hint: &str) -> SetupError {
    SetupError { text: text.to_owned(), hint: hint.to_owned() }
}
