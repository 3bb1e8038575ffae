//! Texts of messages about feeds: short addresses without secrets, and the failures of several feeds in one message.

use crate::model::without_secrets;
use crate::search::ErrorClass;
use crate::search::decode::DecodeError;

/// The maximum number of feeds that failed, or that moved, named in a message.
pub(super) const NAMED: usize = 3;

/// The maximum length of an address in a message, in characters.
pub(super) const SHORT: usize = 100;

/// Combines the failures of single feeds into one.
pub(super) fn combined_failure(troubles: &[(String, DecodeError)], of: usize) -> Option<DecodeError> {
    let (_, first) = troubles.first()?;
    let named = troubles.iter().take(NAMED).map(|(url, error)| format!("{url}: {}", error.text));
    let named = named.collect::<Vec<_>>().join("; ");
    let more = if troubles.len() > NAMED { "; …" } else { "" };
    let text = if of == 1 { named } else { format!("{} of {of} feeds failed: {named}{more}", troubles.len()) };
    // A refusal by one feed says nothing about the others.
    let class = match first.class {
        ErrorClass::KeyRefused | ErrorClass::BalanceSpent => ErrorClass::BadRequest,
        class => class,
    };
    Some(DecodeError { class, text, hint: first.hint.clone() })
}

/// Shortens an address for a message and removes its secrets.
pub(super) fn short(url: &str) -> String {
    let redacted = without_secrets(url);
    redacted.split_once("://").map_or(redacted.as_str(), |(_, rest)| rest).chars().take(SHORT).collect()
}
