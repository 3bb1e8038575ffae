//! What a failed try means: its class, whether asking again can help, how far it reaches, and what a person does next.
//! It performs nothing.

use std::time::Duration;

use super::{CallError, ErrorClass, Reach, Spent};
use crate::http::Stopped;
use crate::model::{Micros, Time};

/// A try that failed.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) class: ErrorClass,
    pub(super) status: Option<u16>,
    /// One line, scrubbed and cut.
    pub(super) text: String,
    pub(super) cost: Option<Micros>,
    /// The wait the service asks for.
    pub(super) retry_after: Option<Duration>,
    /// The connection died before the first byte of an answer.
    pub(super) connection_died: bool,
    /// There never was a connection, so nothing was sent that could be billed.
    pub(super) unconnected: bool,
    /// Where a redirect points to.
    pub(super) location: Option<String>,
}

impl Failure {
    /// Whether the same request may succeed later.
    pub(super) fn is_passing(&self) -> bool {
        use ErrorClass as C;
        match self.class {
            C::RateLimited | C::Server | C::Transport | C::Timeout | C::Cut => true,
            C::KeyRefused | C::BalanceSpent | C::BadRequest => false,
            C::TooLarge | C::Redirect | C::Malformed | C::Service => false,
        }
    }

    /// The failure of the whole call; `not_before` is when the service wants to be asked again.
    pub(super) fn into_error(self, tries: u32, latency: Duration, not_before: Option<Time>, spent: Spent) -> CallError {
        let hint = hint(self.class, self.status, &self.text);
        let hint = match not_before {
            Some(at) => format!("the service asks to wait until {at}; {hint}"),
            None => hint.to_owned(),
        };
        CallError {
            class: self.class,
            status: self.status,
            text: self.text,
            hint,
            location: self.location,
            reach: reach(self.class),
            tries,
            latency,
            cost: self.cost,
            spent,
        }
    }

    /// Adds what this try cost. Answered with an error, or never sent, it was not billed, unless it says so.
    pub(super) fn charge(&self, spent: &mut Spent) {
        match (self.cost, self.status) {
            (Some(cost), _) => spent.billed = spent.billed.plus(cost),
            (None, Some(300..)) => {}
            (None, None) if self.unconnected => {}
            (None, _) => spent.unknown = spent.unknown.saturating_add(1),
        }
    }
}

/// The class of a status that is no success.
pub(super) fn class_of_status(status: u16) -> ErrorClass {
    match status {
        401 | 403 => ErrorClass::KeyRefused,
        402 => ErrorClass::BalanceSpent,
        429 => ErrorClass::RateLimited,
        300..=399 => ErrorClass::Redirect,
        400..=499 => ErrorClass::BadRequest,
        500..=599 => ErrorClass::Server,
        _ => ErrorClass::Malformed,
    }
}

/// The class of a body that was not read to its end.
pub(super) fn class_of_body(why: &Stopped) -> ErrorClass {
    match why {
        Stopped::TooLarge => ErrorClass::TooLarge,
        Stopped::Deadline => ErrorClass::Timeout,
        Stopped::Cut(_) => ErrorClass::Cut,
        Stopped::Undecodable(_) => ErrorClass::Malformed,
    }
}

fn reach(class: ErrorClass) -> Reach {
    match class {
        ErrorClass::KeyRefused | ErrorClass::BalanceSpent => Reach::Service,
        _ => Reach::Search,
    }
}

/// What to do about a failure that is on record; `None` for a class that this version does not know.
#[must_use]
pub fn hint_of(class: &str, status: Option<i64>, text: &str) -> Option<&'static str> {
    let status = status.and_then(|status| u16::try_from(status).ok());
    ErrorClass::parse(class).map(|class| hint(class, status, text))
}

fn hint(class: ErrorClass, status: Option<u16>, text: &str) -> &'static str {
    match (class, status) {
        (ErrorClass::KeyRefused, _) => {
            "check the API key (`service.api_key_env` or `service.api_key_file`); it is sent as it is, without a scheme word"
        }
        (ErrorClass::BalanceSpent, _) => "top up the account at the service; later runs then go on by themselves",
        (ErrorClass::BadRequest, Some(404 | 405)) => {
            "check `service.base_url`, and whether the service speaks this `service.dialect`"
        }
        (ErrorClass::BadRequest, _) => {
            "look at the request with `once --dry-run`; asking again will not help until the topic or `service.dialect` changes"
        }
        (ErrorClass::RateLimited, _) => "lower `service.rate_limit` or `service.max_concurrent`",
        (ErrorClass::Server, _) => "the service is in trouble; the next run asks again",
        (ErrorClass::Transport, _) if text.contains("certificate") => {
            "the service's certificate is not trusted here; install `ca-certificates` or set SSL_CERT_FILE"
        }
        (ErrorClass::Transport, _) => "check `service.base_url` and the network",
        (ErrorClass::Timeout, _) => "raise `service.call_timeout`, or ask for less",
        (ErrorClass::TooLarge, _) => "ask for fewer results, or raise `service.max_response_bytes`",
        (ErrorClass::Redirect, _) => {
            "redirects are not followed, since the key would go along; set `service.base_url` to the final address"
        }
        (ErrorClass::Malformed, _) => "check that `service.base_url` is the search service and not a page before it",
        (ErrorClass::Cut | ErrorClass::Service, _) => "the next run asks again",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_decides_class_reach_and_whether_asking_again_can_help() {
        use ErrorClass as C;
        use Reach::{Search, Service};
        for (status, class, passing, how_far) in [
            (301, C::Redirect, false, Search),
            (304, C::Redirect, false, Search),
            (400, C::BadRequest, false, Search),
            (401, C::KeyRefused, false, Service),
            (402, C::BalanceSpent, false, Service),
            (403, C::KeyRefused, false, Service),
            (404, C::BadRequest, false, Search),
            (418, C::BadRequest, false, Search),
            (422, C::BadRequest, false, Search),
            (429, C::RateLimited, true, Search),
            (500, C::Server, true, Search),
            (503, C::Server, true, Search),
            (599, C::Server, true, Search),
            (700, C::Malformed, false, Search),
        ] {
            assert_eq!(class_of_status(status), class, "{status}");
            let failure = Failure {
                class,
                status: Some(status),
                text: String::new(),
                cost: None,
                retry_after: None,
                connection_died: false,
                unconnected: false,
                location: None,
            };
            assert_eq!(failure.is_passing(), passing, "{status}");
            assert_eq!(failure.into_error(1, Duration::ZERO, None, Spent::default()).reach, how_far, "{status}");
        }
    }

    #[test]
    fn every_class_has_a_hint_that_is_one_line() {
        for class in ErrorClass::ALL {
            let hint = hint(*class, None, "");
            assert!(!hint.is_empty() && !hint.contains('\n'), "{class}");
        }
    }

    #[test]
    fn only_a_try_that_reached_the_service_may_have_been_billed() {
        let unanswered = Failure {
            class: ErrorClass::Transport,
            status: None,
            text: String::new(),
            cost: None,
            retry_after: None,
            connection_died: true,
            unconnected: false,
            location: None,
        };
        let refused = Failure { connection_died: false, unconnected: true, ..unanswered.clone() };
        let mut spent = Spent::default();
        refused.charge(&mut spent);
        assert_eq!(spent.unknown, 0, "a refused connection costs nothing");
        unanswered.charge(&mut spent);
        assert_eq!(spent.unknown, 1, "nobody knows what became of a request without an answer");
    }
}
