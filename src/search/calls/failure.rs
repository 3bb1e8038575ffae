//! What a failed try means: its class, whether a retry can help, what it affects, and what the user can do.

use std::time::Duration;

use super::detail::INSUFFICIENT_QUOTA;
use crate::http::ReadStop;
use crate::model::{Login, Micros, SERVICE, Time};
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
        let hint = match not_before {
            Some(at) => format!("the service asked to wait until {at}; {hint}"),
            None => hint,
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
            not_before,
        }
    }

    /// Adds the cost of this try. A try that was never sent or got an error costs nothing, unless the reply says so.
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
        // An answer to a question that was not asked.
        304 => ErrorClass::Malformed,
        300..=399 => ErrorClass::Redirect,
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

fn reach(class: ErrorClass) -> FailureScope {
    match class {
        ErrorClass::KeyRefused | ErrorClass::BalanceSpent => FailureScope::Service,
        _ => FailureScope::Search,
    }
}

/// The provider that was called.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct ProviderRef<'a> {
    /// `service`, or the name of `[providers.NAME]`.
    pub(in crate::search) provider: &'a str,
    /// How it authenticates callers, if known.
    pub(in crate::search) login: Option<Login>,
}

impl ProviderRef<'_> {
    /// The name of one of its settings, as users write it.
    pub(in crate::search) fn key(&self, key: &str) -> String {
        match (self.provider, key) {
            (SERVICE, "key_env" | "key_file") => format!("service.api_{key}"),
            (SERVICE, key) => format!("service.{key}"),
            (provider, key) => format!("providers.{provider}.{key}"),
        }
    }

    /// Where its secret is configured.
    pub(in crate::search) fn secret(&self) -> String {
        format!("`{}` or `{}`", self.key("key_env"), self.key("key_file"))
    }

    fn about_access(&self) -> String {
        let secret = self.secret();
        match self.login {
            _ if self.provider == SERVICE => {
                format!("check the API key ({secret}); it is sent unchanged, without a scheme")
            }
            Some(Login::Bare) => format!("check the key ({secret}); it is sent unchanged, without a scheme"),
            Some(Login::Bearer) => format!("check the key ({secret}); it is sent as `Authorization: Bearer`"),
            Some(Login::Session) => {
                format!("check `{}` and the app password ({secret})", self.key("user"))
            }
            Some(Login::Open) => {
                format!("no key was sent; check `{}`, and whether it needs a key", self.key("base_url"))
            }
            None => format!("check `{}`, and the key if it needs one ({secret})", self.key("base_url")),
        }
    }
}

/// Returns what to do about a stored failure; `None` for a class that this version does not know. How the provider
/// authenticates callers is not stored. `feeds`: whether it reads feeds, whose addresses are in the topics.
#[must_use]
pub fn hint_for_stored_failure(
    provider: &str,
    feeds: bool,
    class: &str,
    status: Option<i64>,
    text: &str,
) -> Option<String> {
    let status = status.and_then(|status| u16::try_from(status).ok());
    let class = ErrorClass::parse(class)?;
    let hint = || hint(&ProviderRef { provider, login: None }, class, status, text);
    Some(feeds.then(|| feed_hint(class, text)).flatten().map_or_else(hint, str::to_owned))
}

/// How an error names status 304.
const NOT_MODIFIED: &str = "304 Not Modified";

/// What to do about a feed that failed, if that differs from other providers.
pub(in crate::search) fn feed_hint(class: ErrorClass, text: &str) -> Option<&'static str> {
    match class {
        // Refused here, before a request.
        ErrorClass::BadRequest if text.contains("private network") => None,
        ErrorClass::BadRequest => Some("check the feed's address; it may have moved, need a login, or block programs"),
        ErrorClass::KeyRefused => Some("the feed needs a login, or blocks programs"),
        ErrorClass::Redirect => Some("use the address it redirects to"),
        ErrorClass::Malformed if text.contains(NOT_MODIFIED) => {
            Some("the feed's server, or a cache before it, says \"unchanged\" without being asked; tell its owner")
        }
        ErrorClass::Malformed => Some("check that the address is that of a feed, not of a page"),
        ErrorClass::Transport if !text.contains("certificate") => Some("check the feed's address and the network"),
        _ => None,
    }
}

fn hint(whom: &ProviderRef<'_>, class: ErrorClass, status: Option<u16>, text: &str) -> String {
    let (service, key) = (whom.provider == SERVICE, |key| whom.key(key));
    let fixed = match (class, status) {
        (ErrorClass::KeyRefused, _) => return whom.about_access(),
        (ErrorClass::BadRequest, Some(404 | 405)) if service => {
            "check `service.base_url`, and whether the service supports this `service.dialect`"
        }
        (ErrorClass::BadRequest, Some(404 | 405)) => {
            return format!("check `{}`, and whether that server is of this `kind`", key("base_url"));
        }
        (ErrorClass::BadRequest, _) if service => {
            "inspect the request with `once --dry-run`; retrying will not help until the topic or `service.dialect` changes"
        }
        (ErrorClass::BadRequest, _) => {
            "inspect the request with `once --dry-run`; retrying will not help until the topic or the provider changes"
        }
        (ErrorClass::RateLimited, _) if text.contains(INSUFFICIENT_QUOTA) => {
            "check the plan and billing of the account at the service; a lower rate does not help"
        }
        (ErrorClass::RateLimited, _) => {
            return format!("lower `{}` or `{}`", key("rate_limit"), key("max_concurrent"));
        }
        (ErrorClass::Transport, _) if text.contains("certificate") => {
            "the service's certificate is not trusted here; install `ca-certificates` or set SSL_CERT_FILE"
        }
        (ErrorClass::Transport, _) => return format!("check `{}` and the network", key("base_url")),
        (ErrorClass::Timeout, _) => return format!("raise `{}`, or request less", key("call_timeout")),
        (ErrorClass::TooLarge, _) => {
            return format!("request fewer results, or raise `{}`", key("max_response_bytes"));
        }
        (ErrorClass::Redirect, _) => {
            let why = if whom.login == Some(Login::Open) { "" } else { ", because they would forward the key" };
            return format!("redirects are not followed{why}; set `{}` to the final address", key("base_url"));
        }
        (ErrorClass::Malformed, _) if service => {
            "check that `service.base_url` is the search service, not a page in front of it"
        }
        (ErrorClass::Malformed, _) => {
            return format!("check that `{}` is the provider, not a page in front of it", key("base_url"));
        }
        (ErrorClass::BalanceSpent, _) => "top up the account at the service; later runs then resume automatically",
        (ErrorClass::Server, _) => "the service has a problem; the next run tries again",
        (ErrorClass::Cut | ErrorClass::Service, _) => "the next run tries again",
    };
    fixed.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEARCH_SERVICE: ProviderRef<'_> = ProviderRef { provider: SERVICE, login: Some(Login::Bare) };

    #[test]
    fn a_status_decides_class_reach_and_whether_asking_again_can_help() {
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
    fn every_class_has_a_hint_that_is_one_line_and_about_who_was_asked() {
        let second = |login| ProviderRef { provider: "second", login };
        for class in ErrorClass::ALL {
            for status in [None, Some(404), Some(429)] {
                let service_hint = hint(&SEARCH_SERVICE, *class, status, "");
                assert!(
                    !service_hint.is_empty() && !service_hint.contains('\n') && !service_hint.contains("providers."),
                    "{class}: {service_hint}"
                );
                for login in [None, Some(Login::Open), Some(Login::Bare), Some(Login::Bearer), Some(Login::Session)] {
                    let provider_hint = hint(&second(login), *class, status, "");
                    assert!(
                        !provider_hint.is_empty() && !provider_hint.contains("service."),
                        "{class}: {provider_hint}"
                    );
                }
            }
        }
        let refused = |whom: &ProviderRef<'_>| hint(whom, ErrorClass::KeyRefused, Some(401), "");
        assert!(refused(&SEARCH_SERVICE).contains("`service.api_key_env`"));
        assert!(refused(&second(Some(Login::Bearer))).contains("(`providers.second.key_env` or"));
        assert!(!refused(&second(Some(Login::Bearer))).contains("without a scheme"));
        assert!(refused(&second(Some(Login::Session))).contains("`providers.second.user`"));
        assert!(!refused(&second(Some(Login::Open))).contains("key_env"));
    }

    #[test]
    fn a_used_up_quota_is_no_matter_of_the_rate() {
        let second = ProviderRef { provider: "second", login: Some(Login::Bearer) };
        let of = |text: &str| hint(&second, ErrorClass::RateLimited, Some(429), text);
        assert!(of("429: You exceeded your current quota (insufficient_quota)").contains("plan and billing"));
        assert!(of("429: You exceeded your current quota per minute").contains("providers.second.rate_limit"));
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
