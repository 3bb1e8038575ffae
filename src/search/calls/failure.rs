//! Classifies a failed try: its class, whether a retry can help, and what it affects. `hint` says what the user can do.

use std::time::Duration;

use super::hint::{ProviderRef, hint};
use crate::http::ReadStop;
use crate::model::{Micros, Time};
use crate::search::{CallError, ErrorClass, FailureScope, Spent};

/// A try that failed.
#[derive(Debug, Clone)]
pub(in crate::search) struct Failure {
    pub(in crate::search) class: ErrorClass,
    pub(in crate::search) status: Option<u16>,
    /// One line, without the key, and cut.
    pub(in crate::search) text: String,
    pub(in crate::search) cost: Option<Micros>,
    /// The wait the service asks for.
    pub(in crate::search) retry_after: Option<Duration>,
    /// The connection broke before the first byte of a response.
    pub(in crate::search) connection_died: bool,
    /// Nothing was sent that could be billed: no connection was made, or the login failed.
    pub(in crate::search) unbilled: bool,
    /// Where a redirect points to.
    pub(in crate::search) location: Option<String>,
    /// The session's token had expired and was renewed: the next try may succeed.
    pub(in crate::search) token_renewed: bool,
}

impl Failure {
    /// Whether the same request may succeed later.
    pub(in crate::search) fn is_transient(&self) -> bool {
        use ErrorClass as C;
        match self.class {
            C::RateLimited | C::Server | C::Transport | C::Timeout | C::Cut => true,
            C::KeyRefused | C::BalanceSpent | C::BadRequest => false,
            C::TooLarge | C::Redirect | C::Malformed | C::Service => false,
        }
    }

    /// Builds the error of the whole call. `not_before` is the earliest time for the next call, if the service gave
    /// one.
    pub(in crate::search) fn into_error(
        self,
        whom: &ProviderRef<'_>,
        tries: u32,
        latency: Duration,
        not_before: Option<Time>,
        spent: Spent,
    ) -> CallError {
        let hint = hint(whom, self.class, self.status, &self.text);
        // A time beyond the last valid date is ignored.
        let hint = match not_before.filter(|at| at.to_jiff().is_some()) {
            Some(at) => format!("the service asked to wait until {}; {hint}", at.whole_seconds()),
            None => hint,
        };
        CallError {
            class: self.class,
            status: self.status,
            text: self.text,
            hint,
            location: self.location,
            reach: failure_scope(self.class),
            tries,
            latency,
            cost: self.cost,
            spent,
            not_before,
        }
    }

    /// Adds the cost of this try. A try that was never sent or got an error costs nothing, unless the reply states a
    /// cost.
    pub(in crate::search) fn add_cost(&self, spent: &mut Spent) {
        match (self.cost, self.status) {
            (Some(cost), _) => spent.billed = spent.billed.plus(cost),
            (None, Some(300..)) => {}
            (None, _) if self.unbilled => {}
            (None, _) => spent.unknown = spent.unknown.saturating_add(1),
        }
    }
}

/// Returns the class of an error status.
pub(super) fn class_of_status(status: u16) -> ErrorClass {
    match status {
        401 | 403 => ErrorClass::KeyRefused,
        402 => ErrorClass::BalanceSpent,
        429 => ErrorClass::RateLimited,
        // A 304 to a request that was not conditional.
        304 => ErrorClass::Malformed,
        300..=399 => ErrorClass::Redirect,
        // 408: the server waited too long for the request. 425: it wants the request later.
        408 | 425 => ErrorClass::Server,
        400..=499 => ErrorClass::BadRequest,
        500..=599 => ErrorClass::Server,
        _ => ErrorClass::Malformed,
    }
}

/// Returns the class of a body that was not read to its end.
pub(super) fn class_of_body(why: &ReadStop) -> ErrorClass {
    match why {
        ReadStop::TooLarge => ErrorClass::TooLarge,
        ReadStop::Deadline => ErrorClass::Timeout,
        ReadStop::Cut(_) => ErrorClass::Cut,
        ReadStop::Undecodable(_) => ErrorClass::Malformed,
    }
}

fn failure_scope(class: ErrorClass) -> FailureScope {
    match class {
        ErrorClass::KeyRefused | ErrorClass::BalanceSpent => FailureScope::Service,
        _ => FailureScope::Search,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Login, SERVICE};

    const SEARCH_SERVICE: ProviderRef<'_> = ProviderRef { provider: SERVICE, login: Some(Login::Bare) };

    #[test]
    fn a_status_decides_error_class_scope_and_retry() {
        use ErrorClass as C;
        use FailureScope::{Search, Service};
        for (status, class, passing, how_far) in [
            (301, C::Redirect, false, Search),
            (304, C::Malformed, false, Search),
            (400, C::BadRequest, false, Search),
            (401, C::KeyRefused, false, Service),
            (402, C::BalanceSpent, false, Service),
            (403, C::KeyRefused, false, Service),
            (404, C::BadRequest, false, Search),
            (408, C::Server, true, Search),
            (418, C::BadRequest, false, Search),
            (422, C::BadRequest, false, Search),
            (425, C::Server, true, Search),
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
                unbilled: false,
                location: None,
                token_renewed: false,
            };
            assert_eq!(failure.is_transient(), passing, "{status}");
            let error = failure.into_error(&SEARCH_SERVICE, 1, Duration::ZERO, None, Spent::default());
            assert_eq!(error.reach, how_far, "{status}");
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
            unbilled: false,
            location: None,
            token_renewed: false,
        };
        let refused = Failure { connection_died: false, unbilled: true, ..unanswered.clone() };
        let mut spent = Spent::default();
        refused.add_cost(&mut spent);
        assert_eq!(spent.unknown, 0, "a refused connection costs nothing");
        unanswered.add_cost(&mut spent);
        assert_eq!(spent.unknown, 1, "nobody knows what became of a request without an answer");
    }
}
