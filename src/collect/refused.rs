//! A refusal that every further call to a provider would meet, and how long calls stop after it.

use std::sync::Mutex;
use std::time::Duration;

use crate::model::Time;

/// A refusal that every further call would meet: the key, or the balance.
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

/// How long calls stop after a provider refused the key or the balance.
pub(crate) const REFUSED_FOR: Duration = Duration::from_secs(300);
