//! Hints for the user about a failed search, live or stored.

use super::detail::INSUFFICIENT_QUOTA;
use crate::http::TlsFault;
use crate::model::{Login, SERVICE};
use crate::search::ErrorClass;

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
    // For several feeds, the status is that of the last one.
    let refused_here = feeds && text.contains(PRIVATE);
    let status = status.filter(|_| !refused_here);
    let hint = || hint(&ProviderRef { provider, login: None }, class, status, text);
    Some(feeds.then(|| feed_hint(class, text)).flatten().map_or_else(hint, str::to_owned))
}

/// The error of a search that was still in progress when its run had to end.
pub const RUN_TIMEOUT: &str = "the run's timeout was reached";

/// Start of the error of a search whose provider is not in this process's configuration.
pub const NO_PROVIDER: &str = "this process has no provider";

/// How an error names an address that feeds may not have, or a host name that resolves to one.
const PRIVATE: &str = "private network";

/// How an error names status 304.
const NOT_MODIFIED: &str = "304 Not Modified";

/// How an error names a reply that is compressed with anything but gzip, or several times.
pub(super) const UNASKED: &str = "the reply is compressed in a way that was not asked for:";

/// How an error names the target of a redirect.
const REDIRECTS: &str = "it redirects to ";

/// Whether an error names a redirect target that must not be followed, such as a file.
fn redirects_to_other_scheme(text: &str) -> bool {
    let target = text.split_once(REDIRECTS).and_then(|(_, to)| url::Url::parse(to).ok());
    target.is_some_and(|to| !matches!(to.scheme(), "http" | "https"))
}

/// The hint for a failed feed, if it differs from that of other providers.
pub(in crate::search) fn feed_hint(class: ErrorClass, text: &str) -> Option<&'static str> {
    match class {
        // Refused here, before a request.
        ErrorClass::BadRequest | ErrorClass::Transport if text.contains(PRIVATE) => None,
        ErrorClass::BadRequest if text.starts_with(NO_PROVIDER) => None,
        ErrorClass::BadRequest => Some("check the feed's address; it may have moved, need a login, or block programs"),
        ErrorClass::KeyRefused => Some("the feed needs a login, or blocks programs"),
        ErrorClass::Redirect if redirects_to_other_scheme(text) => {
            Some("the feed's server redirects to something that is not a web address; tell its owner")
        }
        ErrorClass::Redirect if text.contains(REDIRECTS) => Some("use the address it redirects to"),
        ErrorClass::Redirect => Some("the feed's server redirects without saying where; tell its owner"),
        ErrorClass::Malformed if text.contains(NOT_MODIFIED) => {
            Some("the feed's server, or a cache in front of it, says \"unchanged\" without being asked; tell its owner")
        }
        ErrorClass::Malformed if text.contains(UNASKED) => {
            Some("the feed's server compresses its reply although nobody asked for that; tell its owner")
        }
        ErrorClass::Malformed => Some("check that the address is that of a feed, not of a page"),
        ErrorClass::Transport => match TlsFault::in_text(text) {
            Some(TlsFault::OtherName) => Some("the server's certificate is for another name; check the feed's address"),
            None | Some(TlsFault::NoTls) => Some("check the feed's address and the network"),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn hint(whom: &ProviderRef<'_>, class: ErrorClass, status: Option<u16>, text: &str) -> String {
    let (service, key) = (whom.provider == SERVICE, |key| whom.key(key));
    let fixed = match (class, status) {
        (ErrorClass::KeyRefused, _) => return whom.about_access(),
        (ErrorClass::BadRequest | ErrorClass::Transport, None) if !service && text.contains(PRIVATE) => {
            return format!("if that is intended, set {} = true", key("allow_private"));
        }
        (ErrorClass::BadRequest, _) if text.starts_with(NO_PROVIDER) && service => "its configuration has no [service]",
        (ErrorClass::BadRequest, _) if text.starts_with(NO_PROVIDER) => {
            return format!("its configuration has no [providers.{}]", whom.provider);
        }
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
        (ErrorClass::Transport, _) => match TlsFault::in_text(text) {
            Some(TlsFault::OtherName) => {
                return format!("the server's certificate is for another name; check `{}`", key("base_url"));
            }
            Some(TlsFault::Expired | TlsFault::NotYetValid) => {
                "is this machine's clock right? if it is, the server's owner must renew the certificate"
            }
            Some(TlsFault::OfAuthority) => {
                "the server's certificate is marked as that of an authority (CA:TRUE); its owner must create one with CA:FALSE"
            }
            Some(TlsFault::Untrusted) => {
                "the service's certificate is not trusted here; install `ca-certificates` or set SSL_CERT_FILE"
            }
            None | Some(TlsFault::NoTls) => return format!("check `{}` and the network", key("base_url")),
        },
        (ErrorClass::Timeout, _) if text == RUN_TIMEOUT => "raise the topic's `timeout` ([[topics]] or [defaults])",
        (ErrorClass::Timeout, _) => return format!("raise `{}`, or request less", key("call_timeout")),
        (ErrorClass::TooLarge, _) => {
            return format!("request fewer results, or raise `{}`", key("max_response_bytes"));
        }
        (ErrorClass::Redirect, _) => {
            let why = if whom.login == Some(Login::Open) { "" } else { ", because they would forward the key" };
            return format!("redirects are not followed{why}; set `{}` to the final address", key("base_url"));
        }
        (ErrorClass::Malformed, _) if text.contains(UNASKED) => {
            "only gzip was asked for; the server, or a cache in front of it, must use nothing else"
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
    fn every_error_class_has_a_one_line_hint_that_names_the_provider() {
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
    fn the_hint_for_a_certificate_marked_as_an_authority_is_not_about_trust() {
        let text = "cannot connect: invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))";
        let marked = hint(&SEARCH_SERVICE, ErrorClass::Transport, None, text);
        assert!(marked.contains("CA:FALSE") && !marked.contains("SSL_CERT_FILE"), "{marked}");
    }

    #[test]
    fn the_hint_for_an_insufficient_quota_is_not_about_the_rate_limit() {
        let second = ProviderRef { provider: "second", login: Some(Login::Bearer) };
        let of = |text: &str| hint(&second, ErrorClass::RateLimited, Some(429), text);
        assert!(of("429: You exceeded your current quota (insufficient_quota)").contains("plan and billing"));
        assert!(of("429: You exceeded your current quota per minute").contains("providers.second.rate_limit"));
    }
}
