//! Refusals that every further call to a provider would meet, and how long calls stop after them.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use crate::model::{SIGN_AHEAD, Source, Time};
use crate::search::{CallError, FailureScope};

/// A refusal that every further call would meet: the key, the balance, or the wait that the provider asked for.
#[derive(Debug, Clone)]
pub(in crate::collect) struct ProviderRefusal {
    pub(in crate::collect) class: &'static str,
    pub(in crate::collect) text: String,
    pub(in crate::collect) hint: String,
    pub(in crate::collect) until: Time,
    /// When the provider asked to be called again, if it did.
    pub(in crate::collect) asked_until: Option<Time>,
}

impl ProviderRefusal {
    /// Says why a search is not made.
    pub(in crate::collect) fn reason(&self) -> String {
        match self.asked_until {
            Some(at) => format!("not called, the service asked to wait until {}: {}", at.whole_seconds(), self.text),
            None => {
                format!("not called until {}, because an earlier call got {}", self.until.whole_seconds(), self.text)
            }
        }
    }
}

/// The refusals of one provider: by source, because a service limits its calls separately; `None` is every source.
#[derive(Debug, Default)]
pub(in crate::collect) struct ProviderRefusals(Mutex<BTreeMap<Option<Source>, ProviderRefusal>>);

impl ProviderRefusals {
    /// Returns the refusal that every call of a source would meet now. A refusal noted while the clock was ahead is not
    /// in force: otherwise it would last until that time.
    pub(in crate::collect) fn at(&self, source: Source, now: Time) -> Option<ProviderRefusal> {
        let refusals = self.0.lock().ok()?;
        let lasts =
            |refusal: &&ProviderRefusal| now < refusal.until && refusal.until <= now.plus(LONGEST_WAIT + SIGN_AHEAD);
        let in_force = |of| refusals.get(&of).filter(lasts).cloned();
        in_force(None).or_else(|| in_force(Some(source)))
    }

    /// Stops calls for a while after an error that every further call would meet. Without a `login`, a refusal concerns
    /// one call only.
    pub(in crate::collect) fn learn(&self, source: Source, error: &CallError, now: Time, login: bool) {
        let Ok(mut refusals) = self.0.lock() else { return };
        let mut insert = |of, asked_until, until| {
            let (class, text, hint) = (error.class.as_str(), error.text.clone(), error.hint.clone());
            refusals.insert(of, ProviderRefusal { class, text, hint, until, asked_until });
        };
        if let Some(at) = error.not_before.filter(|at| at.since(now) > SHORT_WAIT) {
            // A time beyond the last valid date is ignored.
            let asked_until = Some(at).filter(|at| at.to_jiff().is_some());
            insert(Some(source), asked_until, at.min(now.plus(LONGEST_WAIT)));
        }
        if login && error.reach == FailureScope::Service {
            insert(None, None, now.plus(REFUSED_FOR));
        }
    }
}

/// Returns the error of a search that failed and is not tried again: every further call would be refused, or for
/// `otherwise`.
pub(in crate::collect) fn not_retried(
    error: &CallError,
    refused: Option<ProviderRefusal>,
    otherwise: &str,
) -> CallError {
    let why = refused.map_or(otherwise.to_owned(), |refused| format!("another search got {}", refused.text));
    CallError { text: format!("{}; not tried again: {why}", error.text), ..error.clone() }
}

/// How long calls stop after a provider refused the key or the balance.
const REFUSED_FOR: Duration = Duration::from_secs(300);

/// A wait that a provider asks for counts for later searches if it is longer than this. A call itself takes shorter ones.
const SHORT_WAIT: Duration = Duration::from_secs(120);
/// The longest wait: a faulty header must not stop searches for good.
const LONGEST_WAIT: Duration = Duration::from_secs(86_400);

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn a_refusal_of_a_clock_that_was_a_year_ahead_ends_when_the_clock_is_right() {
        const NOW: Time = Time(1_773_219_600_000);
        let refusals = ProviderRefusals::default();
        let refuse = |until| {
            let (class, asked_until) = ("key_refused", None);
            let refusal = ProviderRefusal { class, text: String::new(), hint: String::new(), until, asked_until };
            refusals.0.lock().unwrap().insert(None, refusal);
        };
        for (until, expected) in [
            (NOW, false),
            (NOW.plus(REFUSED_FOR), true),
            (NOW.plus(LONGEST_WAIT), true),
            (NOW.plus(LONGEST_WAIT * 365).plus(REFUSED_FOR), false),
        ] {
            refuse(until);
            assert_eq!(refusals.at(Source::Social, NOW).is_some(), expected, "{until}");
        }
    }

    #[test]
    fn the_reason_of_a_search_that_was_not_made_has_times_in_whole_seconds() {
        let refusal = |asked_until| ProviderRefusal {
            class: "rate_limited",
            text: "429".to_owned(),
            hint: String::new(),
            until: Time(1_773_219_600_119),
            asked_until,
        };
        let until = Some(Time(1_773_219_605_250));
        assert_eq!(refusal(until).reason(), "not called, the service asked to wait until 2026-03-11T09:00:05Z: 429");
        let earlier = "not called until 2026-03-11T09:00:00Z, because an earlier call got 429";
        assert_eq!(refusal(None).reason(), earlier);
    }
}
