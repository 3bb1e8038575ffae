//! One try of one call: sends the request, reads the reply within the size cap and the deadline, and returns the
//! outcome. `client` decides about retries.

use std::time::{Duration, Instant};

use bytes::Bytes;
use reqwest::Response;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, EXPIRES, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::timeout_at;
use url::Url;

use super::detail::ErrorDetail;
use super::failure::{Failure, class_of_body, class_of_status};
use super::hint::UNASKED;
use super::sent_secrets::sent_secrets;
use super::session::{self, Session};
use crate::http::{self, IncompleteBody, KeyRedactor, ReadStop, retry_after};
use crate::model::{Micros, Time, without_secrets};
use crate::search::{ErrorClass, Request, cost};

/// The maximum length of an error text and of a kept header, in characters.
const TEXT: usize = 300;
/// The maximum number of decoded bytes read from an error body.
const ERROR_BODY: u64 = 64 * 1024;
/// The maximum number of headers kept.
const HEADERS: usize = 32;

/// The part of a client that all its tries share.
pub(in crate::search) struct HttpSender {
    pub(in crate::search) http: reqwest::Client,
    pub(in crate::search) key: Credential,
    pub(in crate::search) scrub: KeyRedactor,
    pub(in crate::search) call_timeout: Duration,
    pub(in crate::search) max_response_bytes: u64,
}

/// How a request is authorized.
pub(in crate::search) enum Credential {
    None,
    /// `Authorization`, marked sensitive.
    Fixed(HeaderValue),
    Session(Session),
}

/// A successful reply, or the part of one that arrived.
pub(in crate::search) struct HttpReply {
    pub(in crate::search) status: u16,
    pub(in crate::search) headers: Vec<(String, String)>,
    pub(in crate::search) body: Bytes,
    pub(in crate::search) cost: Option<Micros>,
}

/// The outcome of one try.
pub(in crate::search) struct Attempt {
    pub(in crate::search) latency: Duration,
    pub(in crate::search) outcome: Result<HttpReply, (Failure, Option<HttpReply>)>,
}

impl HttpSender {
    /// Returns the session's token, if calls need one. Logs in when there is none.
    pub(in crate::search) async fn login(
        &self,
        now: &(dyn Fn() -> Time + Send + Sync),
    ) -> Result<Option<SecretString>, Attempt> {
        let Credential::Session(session) = &self.key else { return Ok(None) };
        let started = Instant::now();
        let token = session.token(&self.http, self.deadline(), now).await;
        token
            .map(Some)
            .map_err(|why| Attempt { latency: started.elapsed(), outcome: Err((self.login_failure(&why), None)) })
    }

    /// Makes the call once, in a session with its token. A failure comes with the part of a 2xx reply that arrived
    /// before it, if any.
    pub(in crate::search) async fn send(
        &self,
        request: &Request,
        url: Url,
        token: Option<SecretString>,
        now: &(dyn Fn() -> Time + Send + Sync),
    ) -> Attempt {
        let started = Instant::now();
        let deadline = self.deadline();
        let outcome = match (&self.key, token) {
            (Credential::Session(session), Some(token)) => {
                self.send_in_session(session, &token, request, url, deadline, now).await
            }
            (Credential::Fixed(key), _) => self.send_once(request, url, Some(key), deadline, now).await,
            _ => self.send_once(request, url, None, deadline, now).await,
        };
        Attempt { latency: started.elapsed(), outcome }
    }

    /// The failure of a login, which costs nothing.
    fn login_failure(&self, why: &session::LoginError) -> Failure {
        let (status, retry_after) = (why.status, why.retry_after);
        Failure { status, retry_after, unbilled: true, ..self.failure(why.class, &why.text) }
    }

    /// Returns the deadline of a call that starts now. A timeout too long for the clock becomes one day.
    fn deadline(&self) -> tokio::time::Instant {
        let started = tokio::time::Instant::now();
        started.checked_add(self.call_timeout).unwrap_or(started + Duration::from_secs(86_400))
    }

    /// Makes the call with a session token. Renews it when the service no longer accepts it; the next try uses the new
    /// one.
    async fn send_in_session(
        &self,
        session: &Session,
        token: &SecretString,
        request: &Request,
        url: Url,
        deadline: tokio::time::Instant,
        now: &(dyn Fn() -> Time + Send + Sync),
    ) -> Result<HttpReply, (Failure, Option<HttpReply>)> {
        let (mut failure, part) = match self.send_once(request, url, bearer(token).as_ref(), deadline, now).await {
            Ok(reply) => return Ok(reply),
            Err(failed) => failed,
        };
        let stale = match failure.status {
            Some(401) => true,
            Some(400) => failure.text.to_ascii_lowercase().contains("token"),
            _ => false,
        };
        if stale {
            let renewed = session.renew(&self.http, token, deadline, now).await;
            renewed.map_err(|why| (self.login_failure(&why), None))?;
            failure.token_renewed = true;
        }
        Err((failure, part))
    }

    async fn send_once(
        &self,
        request: &Request,
        url: Url,
        key: Option<&HeaderValue>,
        deadline: tokio::time::Instant,
        now: &(dyn Fn() -> Time + Send + Sync),
    ) -> Result<HttpReply, (Failure, Option<HttpReply>)> {
        let method = if request.method == "GET" { reqwest::Method::GET } else { reqwest::Method::POST };
        let mut addresses = match request.address {
            Some(_) => vec![url.clone()],
            None => Vec::new(),
        };
        addresses.extend(request.redirected_from.iter().filter_map(|from| Url::parse(from).ok()));
        let mut sending = self.http.request(method, url);
        // The key is for the provider only: a request that names its own address may go to another host.
        if let Some(key) = key.filter(|_| request.address.is_none()) {
            sending = sending.header(AUTHORIZATION, key.clone());
        }
        for (name, value) in &request.headers {
            sending = sending.header(name, value);
        }
        if let Some(body) = &request.body {
            sending = sending.header(CONTENT_TYPE, "application/json").body(body.to_string());
        }
        let response = match timeout_at(deadline, sending.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err((self.transport_failure(error), None)),
            Err(_) => {
                let text = format!("no answer after {:?}", self.call_timeout);
                return Err((self.failure(ErrorClass::Timeout, &text), None));
            }
        };
        let status = response.status().as_u16();
        // 304 is a good answer to a conditional request.
        let conditional = |(name, _): &(String, String)| matches!(name.as_str(), "If-None-Match" | "If-Modified-Since");
        let unchanged = status == 304 && request.headers.iter().any(conditional);
        if !response.status().is_success() && !unchanged {
            let secrets = sent_secrets(key, &addresses);
            return Err((self.status_failure(status, response, deadline, now, &secrets).await, None));
        }
        let tokens = match self.key {
            Credential::Session(_) => sent_secrets(key, &[]),
            Credential::None | Credential::Fixed(_) => Vec::new(),
        };
        let headers = self.kept_headers(response.headers(), !request.headers.is_empty(), &tokens);
        let cost = header_cost(response.headers());
        if let Some(codings) = http::foreign_codings(response.headers()).filter(|_| !unchanged) {
            let failure = self.failure(ErrorClass::Malformed, &format!("{UNASKED} {codings}"));
            return Err((Failure { status: Some(status), cost, ..failure }, None));
        }
        let clean = |body| tokens.iter().fold(self.scrub.body(body), |body, token| token.body(body));
        let arrived = |body| HttpReply { status, headers, body: clean(body), cost };
        match http::read_capped(response, self.max_response_bytes, deadline).await {
            Ok(body) => Ok(arrived(body)),
            Err(unread) => {
                let failure = self.failure(class_of_body(&unread.why), &self.why(&unread));
                let failure = Failure { status: Some(status), cost, ..failure };
                let has_part = matches!(unread.why, ReadStop::Cut(_) | ReadStop::Deadline);
                Err((failure, has_part.then(|| arrived(unread.so_far))))
            }
        }
    }

    /// Describes why a body was not read to its end.
    fn why(&self, unread: &IncompleteBody) -> String {
        match &unread.why {
            ReadStop::TooLarge => format!("the reply is larger than {} bytes when decoded", self.max_response_bytes),
            ReadStop::Deadline => format!("the reply was not complete after {:?}", self.call_timeout),
            ReadStop::Cut(why) => format!("the reply was cut off after {} decoded bytes: {why}", unread.so_far.len()),
            ReadStop::Undecodable(why) => format!("the reply cannot be decompressed: {why}"),
        }
    }

    /// The failure for an error status, with the message from its body, which may repeat secrets of the request.
    async fn status_failure(
        &self,
        status: u16,
        response: Response,
        deadline: tokio::time::Instant,
        now: &(dyn Fn() -> Time + Send + Sync),
        secrets: &[KeyRedactor],
    ) -> Failure {
        let class = class_of_status(status);
        let value =
            |name| response.headers().get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let header_wait = value(RETRY_AFTER).and_then(|text| retry_after::header(&text, now()));
        // With another status, `Location` is not a target (RFC 9110, section 10.2.2); with 305 it is a proxy. An empty
        // one is the requested address itself.
        let redirects = matches!(status, 300..=303 | 307 | 308);
        let location = value(LOCATION).filter(|to| redirects && !to.trim().is_empty());
        let named_cost = header_cost(response.headers());
        let name = response.status().canonical_reason().map_or_else(String::new, |reason| format!(" {reason}"));
        // Even a part of an error body is worth quoting.
        let body = http::read_capped(response, ERROR_BODY, deadline).await.unwrap_or_else(|unread| unread.so_far);
        let detail = ErrorDetail::of(&body);
        let explanation = match (class, &location) {
            (ErrorClass::Redirect, Some(to)) => format!(": it redirects to {}", without_secrets(to)),
            _ if detail.text.is_empty() => String::new(),
            _ => format!(": {}", detail.text),
        };
        // Redact before the text is cut: the rest of a secret would not be recognised.
        let explanation = secrets.iter().fold(explanation, |text, secret| secret.text(&text));
        Failure {
            status: Some(status),
            cost: named_cost.or(detail.cost),
            retry_after: header_wait.or(detail.retry_after),
            location,
            ..self.failure(class, &format!("{status}{name}{explanation}"))
        }
    }

    /// The failure of a request that got no response.
    fn transport_failure(&self, error: reqwest::Error) -> Failure {
        // Connecting failed: nothing was sent yet.
        let unconnected = error.is_connect();
        if error.is_timeout() {
            let text = format!("no connection in time: {}", http::describe(error));
            return Failure { unbilled: unconnected, ..self.failure(ErrorClass::Timeout, &text) };
        }
        // The connection was made, but closed before a response arrived.
        let connection_died = error.is_request() && !unconnected;
        Failure {
            connection_died,
            unbilled: unconnected,
            ..self.failure(ErrorClass::Transport, &http::describe(error))
        }
    }

    fn failure(&self, class: ErrorClass, text: &str) -> Failure {
        let text = self.scrub.line(text, TEXT);
        Failure {
            class,
            status: None,
            text,
            cost: None,
            retry_after: None,
            connection_died: false,
            unbilled: false,
            location: None,
            token_renewed: false,
        }
    }

    /// Returns the headers worth keeping: content type, billing, and ids that a support desk asks for.
    fn kept_headers(&self, headers: &HeaderMap, cached: bool, tokens: &[KeyRedactor]) -> Vec<(String, String)> {
        let known =
            |name: &str| matches!(name, "content-type" | "x-request-id" | "retry-after" | "x-topicwatch-sandbox");
        // Headers needed for a later conditional request.
        let caching = |name: &str| match name {
            "etag" | "last-modified" | "cache-control" | "expires" | "age" => cached,
            // The time from which `Expires` counts.
            "date" => cached && headers.contains_key(EXPIRES),
            _ => false,
        };
        let worth = |name: &str| known(name) || caching(name) || name.starts_with("x-desearch-");
        let kept = headers.iter().filter(|(name, _)| worth(name.as_str())).take(HEADERS);
        kept.map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            let value = self.scrub.line(&tokens.iter().fold(value, |value, token| token.text(&value)), TEXT);
            // A known header name is safe, even if the key happens to be a part of it.
            let name = if known(name.as_str()) { name.to_string() } else { self.scrub.line(name.as_str(), TEXT) };
            (name, value)
        })
        .collect()
    }
}

/// Builds a header value from a token. Debug output does not show it.
fn bearer(token: &SecretString) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", token.expose_secret())).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Returns the cost from the billing header.
fn header_cost(headers: &HeaderMap) -> Option<Micros> {
    cost::in_headers(|name| headers.get(name)?.to_str().ok())
}

/// Logs one line for each try, without the key and the search terms.
pub(in crate::search) fn log(request: &Request, attempt: u32, tried: &Attempt) {
    let (source, path) = (request.source, request.path.as_str());
    let latency_ms = u64::try_from(tried.latency.as_millis()).unwrap_or(u64::MAX);
    match &tried.outcome {
        Ok(HttpReply { status, body, .. }) => {
            let body_bytes = body.len();
            tracing::debug!(%source, path, attempt, latency_ms, status, body_bytes, "search call answered");
        }
        Err((failure, _)) => {
            let (class, status, text) = (failure.class, failure.status, failure.text.as_str());
            tracing::debug!(%source, path, attempt, latency_ms, status, %class, text, "search call failed");
        }
    }
}
