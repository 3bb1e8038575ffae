//! The one HTTP client: rustls with ring, no redirects, no system proxy, and a limit on the decoded bytes of a body.
//! Its users decide what is sent. `key_redactor` removes secrets from servers' messages.

mod address;
mod body;
mod certificates;
mod escapes;
mod key_encodings;
mod key_redactor;
pub(crate) mod retry_after;

use std::error::Error;
use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue};

pub use address::{PublicOnly, is_public};
pub(crate) use body::foreign_codings;
pub use body::{IncompleteBody, ReadStop, read_capped};
pub(crate) use certificates::{TlsFault, tls_advice};
pub(crate) use key_redactor::KeyRedactor;

/// The user agent sent to servers.
pub const USER_AGENT: &str = concat!("topicwatch/", env!("CARGO_PKG_VERSION"));

/// The most headers of a response; all of them together have at most some hundred kilobytes.
const MOST_HEADERS: usize = 1_000;

/// Which certificate authorities a client trusts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roots {
    /// The machine's authorities (`SSL_CERT_FILE` and `SSL_CERT_DIR` are honoured); having none is an error.
    System,
    /// None: only plain `http` works, and a machine without certificates is fine.
    None,
}

impl Roots {
    /// Returns the roots that an address needs. Only `https` verifies certificates, so a loopback service works in a
    /// container that has none.
    #[must_use]
    pub fn needed_by(url: &url::Url) -> Self {
        if url.scheme() == "http" { Self::None } else { Self::System }
    }
}

/// Settings of a client.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Time for name lookup, TCP and TLS together.
    pub connect_timeout: Duration,
    /// Idle connections kept per host.
    pub max_idle_per_host: usize,
    /// Which certificate authorities to trust.
    pub roots: Roots,
    /// Connect only to public addresses. The caller must check a host that is written as an address.
    pub public_only: bool,
}

/// Why a client could not be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct BuildError {
    /// What is wrong, in one line.
    pub text: String,
    /// What to do next.
    pub hint: String,
}

/// Makes ring the process-wide crypto provider. Calling it again changes nothing; a provider that was installed before
/// stays.
pub fn install_crypto() {
    // It fails only if there is a provider already, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Builds a client that follows no redirect (the key would be sent along), uses no system proxy, accepts gzip, and
/// never repeats a request by itself (its caller counts every request).
///
/// # Errors
/// With [`Roots::System`] on a machine without usable certificates.
pub fn client(options: &Options) -> Result<reqwest::Client, BuildError> {
    build(builder(options))
}

fn builder(options: &Options) -> reqwest::ClientBuilder {
    install_crypto();
    let builder = reqwest::Client::builder()
        .user_agent(USER_AGENT)
        .connect_timeout(options.connect_timeout)
        .pool_max_idle_per_host(options.max_idle_per_host)
        // Shorter than the 60 s after which common servers drop an idle connection, so that few are found dead.
        .pool_idle_timeout(Duration::from_secs(30))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .no_proxy()
        // Old servers and pages send such headers. A user agent must accept a header of several lines (RFC 9112,
        // section 5.2), and one bad line is no reason to refuse the rest.
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http1_ignore_invalid_headers_in_responses(true)
        .http1_max_headers(MOST_HEADERS)
        // `read_capped` decompresses it.
        .default_headers(HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("gzip"))]));
    let builder = if options.public_only { builder.dns_resolver(std::sync::Arc::new(PublicOnly)) } else { builder };
    match options.roots {
        Roots::System => builder,
        Roots::None => builder.tls_certs_only([]),
    }
}

fn build(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, BuildError> {
    builder.build().map_err(|error| BuildError {
        text: format!("cannot create an HTTPS client: {}", describe(error)),
        hint:
            "install the package `ca-certificates`, or point SSL_CERT_FILE to a PEM bundle of certificate authorities"
                .to_owned(),
    })
}

/// The addresses of a host, so that it is not looked up again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinned {
    /// The host's name.
    pub host: String,
    /// Its addresses; connections go only to these.
    pub addresses: Vec<std::net::SocketAddr>,
}

/// Builds the same client for one host whose addresses were looked up and checked.
///
/// # Errors
/// As [`client`].
pub fn pinned_client(options: &Options, pinned: &Pinned) -> Result<reqwest::Client, BuildError> {
    build(builder(options).resolve_to_addrs(&pinned.host, &pinned.addresses))
}

/// Returns an error with its causes in one text, without the URL (which may be private) and without causes that only
/// repeat what was said.
#[must_use]
pub fn describe(error: reqwest::Error) -> String {
    in_plain_words(&with_causes(&error.without_url()))
}

/// Replaces the client's own names for the steps of a request: a failed one is named by its cause.
fn in_plain_words(text: &str) -> String {
    let text = text.strip_prefix("error sending request: ").unwrap_or(text);
    let text = text.replacen("client error (Connect): ", "cannot connect: ", 1);
    let steps = ["client error (SendRequest): ", "tcp connect error: ", "dns error: ", "error resolving DNS: "];
    steps.iter().fold(text, |text, step| text.replacen(step, "", 1))
}

/// Returns an error with its causes in one text, without causes that only repeat earlier ones.
#[must_use]
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let more = inner.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_request_is_described_by_its_cause() {
        for (text, plain) in [
            (
                "error sending request: client error (Connect): tcp connect error: Connection refused (os error 111)",
                "cannot connect: Connection refused (os error 111)",
            ),
            (
                "error sending request: client error (Connect): dns error: error resolving DNS: failed to lookup address information: Name or service not known",
                "cannot connect: failed to lookup address information: Name or service not known",
            ),
            (
                "error sending request: client error (SendRequest): connection closed before message completed",
                "connection closed before message completed",
            ),
            ("error sending request", "error sending request"),
            (
                "error decoding response body: unexpected end of file",
                "error decoding response body: unexpected end of file",
            ),
        ] {
            assert_eq!(in_plain_words(text), plain);
        }
    }
}
