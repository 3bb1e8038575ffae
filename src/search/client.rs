//! The client of a search service: limits, a gate before each try, retries. `request` builds the requests and `decode`
//! reads the replies.

use std::sync::Arc;
use std::time::Duration;

use governor::clock::DefaultClock;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::calls::attempt::{Attempt, Credential, HttpReply, HttpSender, log};
use super::calls::gate::{CallLimiter, Gate, Refusal};
use super::calls::hint::ProviderRef;
use super::calls::limits::Limits;
use super::calls::retry::{Backoff, Next};
use super::calls::session::Session;
use super::calls::setup::{SetupError, access_id, header, setup_error};
use super::request::unsupported::Unsupported;
use super::request::{render, request};
use super::sandbox_url;
use super::{Access, CallError, Dialect, ErrorClass, Rate, RawReply, Request, SearchQuery, Settings, Spent};
use crate::http::{self, KeyRedactor, Options, Roots};
use crate::model::{Login, SERVICE, Time};

/// The maximum time to connect, within the call's own deadline.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a call has no reply.
#[derive(Debug, Clone)]
pub enum CallFailure {
    /// The call failed, after its retries.
    Error(Box<CallError>),
    /// The gate refused a try.
    Refused(Refusal),
}

/// The client of one search service. Cheap to share by reference. A call's future may be dropped at any point.
pub struct Client {
    provider: String,
    login: Login,
    base_url: Url,
    access_id: blake3::Hash,
    allow_private: bool,
    stands_in: bool,
    dialect: Dialect,
    platform: String,
    caller: HttpSender,
    pace: Arc<dyn CallLimiter>,
    max_concurrent: u32,
    rate: Option<Rate>,
    max_tries: u32,
    backoff: Backoff,
}

impl std::fmt::Debug for Client {
    /// Leaves out the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("base_url", &self.base_url.as_str()).finish_non_exhaustive()
    }
}

impl Client {
    /// Creates a client with these settings. It makes no call.
    ///
    /// # Errors
    /// An address that is not `http(s)` or names a user, a key that no header can contain, or a machine without
    /// certificates for an `https` address.
    pub fn new(settings: Settings) -> Result<Self, SetupError> {
        let base_url = settings.base_url;
        let login = settings.access.login();
        let whom = ProviderRef { provider: &settings.provider, login: Some(login) };
        if !matches!(base_url.scheme(), "http" | "https") || !base_url.has_host() {
            let hint = &format!("set `{}`", whom.key("base_url"));
            return Err(setup_error("the service's URL is not an http or https URL", hint));
        }
        if !base_url.username().is_empty() || base_url.password().is_some() {
            // A user in the address would be sent as a second `Authorization` header, and be printed.
            return Err(setup_error(
                "the service's URL contains a user name or a password",
                &format!("remove it from `{}`; only the key is sent", whom.key("base_url")),
            ));
        }
        let access_id = access_id(&base_url, &settings.access);
        let (key, secret) = match settings.access {
            Access::Open => (Credential::None, SecretString::default()),
            Access::Bare(secret) => (Credential::Fixed(header(&whom, secret.expose_secret())?), secret),
            Access::Bearer(secret) => {
                header(&whom, secret.expose_secret())?;
                (Credential::Fixed(header(&whom, &format!("Bearer {}", secret.expose_secret()))?), secret)
            }
            Access::Session { user, password } => {
                (Credential::Session(Session::new(base_url.clone(), user, password.clone())), password)
            }
        };
        let max_idle = usize::try_from(settings.max_concurrent).unwrap_or(usize::MAX);
        let options = Options {
            connect_timeout: CONNECT_TIMEOUT.min(settings.call_timeout),
            max_idle_per_host: max_idle,
            roots: Roots::needed_by(&base_url),
            public_only: !settings.allow_private,
        };
        let http = http::client(&options).map_err(|error| SetupError { text: error.text, hint: error.hint })?;
        Ok(Self {
            caller: HttpSender {
                http,
                key,
                scrub: KeyRedactor::new(secret),
                call_timeout: settings.call_timeout,
                max_response_bytes: settings.max_response_bytes,
            },
            pace: Arc::new(Limits::new(settings.max_concurrent, settings.rate_limit, DefaultClock::default())),
            max_concurrent: settings.max_concurrent.max(1),
            rate: settings.rate_limit,
            max_tries: settings.max_tries.max(1),
            backoff: Backoff::default(),
            provider: settings.provider,
            login,
            base_url,
            access_id,
            allow_private: settings.allow_private,
            stands_in: false,
            dialect: settings.dialect,
            platform: settings.platform,
        })
    }

    /// The same client with other pauses between tries.
    #[must_use]
    pub fn with_backoff(self, backoff: Backoff) -> Self {
        Self { backoff, ..self }
    }

    /// The same client for the sandbox, which answers for every address that a request names.
    #[must_use]
    pub fn for_sandbox(self) -> Self {
        Self { stands_in: true, ..self }
    }

    /// The same client with limits that are kept elsewhere.
    #[must_use]
    pub fn with_pace(self, pace: Arc<dyn CallLimiter>) -> Self {
        Self { pace, ..self }
    }

    /// The limits it was created with: calls in flight, and the rate of starts.
    #[must_use]
    pub fn limits(&self) -> (u32, Option<Rate>) {
        (self.max_concurrent, self.rate)
    }

    /// A name for the service that does not reveal its address. Processes that call the same service share its limits.
    #[must_use]
    pub fn service_id(&self) -> String {
        let address = self.base_url.as_str().trim_end_matches('/');
        let name = match self.provider.as_str() {
            SERVICE => address.to_owned(),
            provider => format!("{provider} {address}"),
        };
        blake3::hash(name.as_bytes()).to_hex()[..32].to_owned()
    }

    /// Whether another client has the same address and login. A service that refuses one refuses both.
    #[must_use]
    pub fn has_access_of(&self, other: &Self) -> bool {
        self.access_id == other.access_id
    }

    /// Removes the key from a text that was joined from several pieces of a reply. The pieces were cleaned one by one,
    /// so a key that was split between two of them would be whole again.
    #[must_use]
    pub fn redact_key(&self, text: &str) -> String {
        self.caller.scrub.long_text(text)
    }

    /// Builds the request for `query` in this service's dialect; see [`request()`].
    ///
    /// # Errors
    /// [`Unsupported`].
    pub fn request(&self, query: &SearchQuery, now: Time) -> Result<Request, Unsupported> {
        request(self.dialect, &self.platform, query, now)
    }

    /// The URL of a request, for printing.
    #[must_use]
    pub fn url(&self, request: &Request) -> String {
        render::url(request, &self.base_url).into()
    }

    /// Makes the call: waits for a free permit and the rate limit, asks `gate`, sends, and retries failures that may
    /// pass (429, 5xx, no connection or a broken one, a timeout). Pauses hold no permit. Every try goes through the
    /// gate, including the first. A login does not, and a failed login is an error of the call that is not counted.
    ///
    /// If the last try of a streamed call was cut or timed out, returns the part that arrived; [`RawReply::cut`] is set.
    ///
    /// `random` returns numbers in `0.0..1.0`; `now` is used only for dates.
    ///
    /// # Errors
    /// [`CallFailure`].
    pub async fn call(
        &self,
        request: &Request,
        gate: &impl Gate,
        random: &(dyn Fn() -> f64 + Send + Sync),
        now: &(dyn Fn() -> Time + Send + Sync),
    ) -> Result<RawReply, CallFailure> {
        let url = self.address(request)?;
        let (mut tries, mut pauses, mut was_dead, mut spent) = (0, 0, false, Spent::default());
        let (mut was_renewed, mut tried_before) = (false, None);
        loop {
            let refused = |refusal: Refusal| CallFailure::Refused(Refusal { tried: tried_before.clone(), ..refusal });
            let mut permit = self.pace.acquire().await.map_err(refused)?;
            let (tried, was_counted) = match self.login(gate, now).await.map_err(refused)? {
                Err(failed) => (failed, false),
                Ok(token) => {
                    gate.before(tries + 1).await.map_err(refused)?;
                    // The gate may take long, or the process may sleep: an expired permit belongs to another call.
                    while !permit.is_valid() {
                        drop(permit);
                        permit = self.pace.acquire().await.map_err(refused)?;
                    }
                    (self.caller.send(request, url.clone(), token, now).await, true)
                }
            };
            tries += 1;
            drop(permit);
            log(request, tries, &tried);
            let latency = tried.latency;
            let (failure, part) = match tried.outcome {
                Ok(arrived) => return Ok(reply(arrived, latency, tries, spent, None)),
                Err(failed) => failed,
            };
            let earlier = spent;
            failure.add_cost(&mut spent);
            let may_help = tries < self.max_tries && failure.is_transient();
            // Usually the server closed an idle connection, which says nothing about its health. Whether the connection
            // was reused is unknown here, so only the first such failure is retried at once.
            let at_once = (failure.token_renewed && !was_renewed) || (may_help && failure.connection_died && !was_dead);
            was_renewed |= failure.token_renewed;
            was_dead |= may_help && failure.connection_died;
            let next = match (at_once, may_help) {
                (true, _) => Next::After(Duration::ZERO),
                (false, true) => self.backoff.next(pauses, failure.retry_after, random()),
                (false, false) => Next::GiveUp,
            };
            let part = part.filter(|part| request.streaming && !part.body.is_empty());
            if let (Next::GiveUp, Some(part)) = (next, part) {
                // It counts as answered, so the caller knows its cost.
                let cut = Some((failure.class, failure.text));
                return Ok(reply(part, latency, tries, earlier, cut));
            }
            if was_counted {
                gate.failed(spent.since(earlier));
            }
            let not_before = failure.retry_after.filter(|wait| !wait.is_zero()).map(|wait| now().plus(wait));
            let error = Box::new(failure.into_error(&self.provider_ref(), tries, latency, not_before, spent));
            let Next::After(pause) = next else { return Err(CallFailure::Error(error)) };
            tokio::time::sleep(pause).await;
            pauses += u32::from(!at_once);
            tried_before = Some(error);
        }
    }
}

impl Client {
    /// Logs in, if calls need a session and there is none. Asks first whether calls are refused.
    async fn login(
        &self,
        gate: &impl Gate,
        now: &(dyn Fn() -> Time + Send + Sync),
    ) -> Result<Result<Option<SecretString>, Attempt>, Refusal> {
        if self.login == Login::Session {
            gate.allows()?;
        }
        Ok(self.caller.login(now).await)
    }

    fn provider_ref(&self) -> ProviderRef<'_> {
        ProviderRef { provider: &self.provider, login: Some(self.login) }
    }

    /// Returns the URL of a request. An address that is not the provider's must be on the public internet. Host names
    /// are resolved and checked when connecting.
    fn address(&self, request: &Request) -> Result<Url, CallFailure> {
        let Some(address) = &request.address else { return Ok(render::url(request, &self.base_url)) };
        if self.stands_in {
            return Ok(sandbox_url::url(address, &self.base_url));
        }
        let refused = |text: String, hint: &str| {
            let class = ErrorClass::BadRequest;
            let error = CallError {
                class,
                status: None,
                text: self.caller.scrub.line(&text, 300),
                hint: hint.to_owned(),
                location: None,
                reach: super::FailureScope::Search,
                tries: 0,
                latency: Duration::ZERO,
                cost: None,
                spent: Spent::default(),
                not_before: None,
            };
            Err(CallFailure::Error(Box::new(error)))
        };
        let url = match Url::parse(address) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => url,
            _ => return refused("the address is not an http or https URL".to_owned(), "write https://…"),
        };
        let inner = match url.host() {
            Some(url::Host::Ipv4(ip)) => !http::is_public(ip.into()),
            Some(url::Host::Ipv6(ip)) => !http::is_public(ip.into()),
            _ => false,
        };
        if inner && !self.allow_private {
            let hint = format!("if that is intended, set {} = true", self.provider_ref().key("allow_private"));
            return refused("the address points into a private network".to_owned(), &hint);
        }
        Ok(url)
    }
}

fn reply(
    arrived: HttpReply,
    latency: Duration,
    tries: u32,
    earlier: Spent,
    cut: Option<(ErrorClass, String)>,
) -> RawReply {
    let HttpReply { status, headers, body, cost } = arrived;
    RawReply { status, headers, body, latency, tries, cost, earlier, cut }
}
