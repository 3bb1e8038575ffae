//! A refusal that every further call to a provider would meet, and how long calls stop after it.

use std::sync::Mutex;
use std::time::Duration;

use crate::model::Time;
use crate::search::CallError;

/// A refusal that every further call would meet: the key, the balance, or the wait that the provider asked for.
#[derive(Debug, Clone)]
pub(crate) struct ProviderRefusal {
    pub(super) class: &'static str,
    pub(super) text: String,
    pub(super) hint: String,
    pub(super) until: Time,
}

impl ProviderRefusal {
    /// Returns the refusal that is in force.
    pub(super) fn at(now: Time, last_refusal: &Mutex<Option<Self>>) -> Option<Self> {
        last_refusal.lock().ok().and_then(|refused| refused.clone()).filter(|refused| now < refused.until)
    }
}

/// Returns the error of a search that failed and is not tried again: every further call would be refused, or for
/// `otherwise`.
pub(super) fn not_retried(error: &CallError, refused: Option<ProviderRefusal>, otherwise: &str) -> CallError {
    let why = refused.map_or(otherwise.to_owned(), |refused| format!("another search got {}", refused.text));
    CallError { text: format!("{}; not tried again: {why}", error.text), ..error.clone() }
}

/// How long calls stop after a provider refused the key or the balance.
pub(crate) const REFUSED_FOR: Duration = Duration::from_secs(300);

/// A wait that a provider asks for counts for later searches if it is longer than this. A call itself takes shorter ones.
pub(super) const SHORT_WAIT: Duration = Duration::from_secs(120);
/// The longest wait: a faulty header must not stop searches for good.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(86_400);
