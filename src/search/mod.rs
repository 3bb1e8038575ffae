//! The client of the search service: what to ask in each dialect, how to call politely, and how to read the replies. It
//! stores nothing, does not decide about identity, and never reads the clock: `now` is an argument.

mod call_limits;
mod calls;
mod client;
mod cost;
pub mod decode;
pub mod kinds;
mod look_back;
mod reach;
mod request;
mod sandbox_url;

pub use call_limits::{TOOLS, social_limit, web_limit};
pub use calls::gate::{Admission, CallLimiter, CallPermit, Gate, NoGate, Refusal};
pub use calls::hint::{NO_PROVIDER, RUN_TIMEOUT, hint_for_stored_failure};
pub use calls::retry::Backoff;
pub use calls::setup::SetupError;
pub use client::{CallFailure, Client};
pub use cost::in_body as cost_in_body;
pub use look_back::{LookBackSupport, catches_up, look_back_support, wider_look_back};
pub use reach::covers_window_start;
pub use request::render::{RenderTarget, render};
pub use request::unsupported::Unsupported;
pub use request::{request, requests};

use std::time::Duration;

use bytes::Bytes;

use crate::model::{
    AiQuery, Answer, LookBack, Micros, ProviderQuery, ReplyEntry, SocialQuery, Source, Time, Topic, WebQuery,
    closed_list,
};

closed_list! {
    /// The two API dialects of search services.
    Dialect {
        Spec = "spec",
        /// The dialect of deployed services.
        Desearch = "desearch",
    }
}

closed_list! {
    /// Why a call failed, as stored with the search.
    ErrorClass {
        /// 401 or 403.
        KeyRefused = "key_refused",
        /// 402: the account has no balance left.
        BalanceSpent = "balance_spent",
        /// 400, 404, 422 and other 4xx without a class of their own: retries do not help.
        BadRequest = "bad_request",
        /// 429 on the last try.
        RateLimited = "rate_limited",
        /// 5xx, 408 or 425 on the last try.
        Server = "server",
        /// No connection, reset, TLS.
        Transport = "transport",
        /// The deadline passed.
        Timeout = "timeout",
        /// More decoded bytes than allowed.
        TooLarge = "too_large",
        /// A 3xx: never followed.
        Redirect = "redirect",
        /// A 2xx whose body is not a reply.
        Malformed = "malformed",
        /// A stream that ended before its completion, or a reply cut short.
        Cut = "cut",
        /// An error frame or an error object inside a 2xx.
        Service = "service_error",
    }
}

/// How often calls may be made: `count` in each `per`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub count: u32,
    /// In this time.
    pub per: Duration,
}

/// How the client authenticates.
#[derive(Debug, Clone)]
pub enum Access {
    Open,
    /// The key itself as `Authorization`, without a scheme word, as the search service wants it.
    Bare(secrecy::SecretString),
    /// `Authorization: Bearer` with the key (RFC 6750).
    Bearer(secrecy::SecretString),
    /// A token obtained with an account and its password.
    Session {
        user: String,
        password: secrecy::SecretString,
    },
}

impl Access {
    /// The kind of login.
    pub(in crate::search) fn login(&self) -> crate::model::Login {
        match self {
            Self::Open => crate::model::Login::Open,
            Self::Bare(_) => crate::model::Login::Bare,
            Self::Bearer(_) => crate::model::Login::Bearer,
            Self::Session { .. } => crate::model::Login::Session,
        }
    }
}

/// Everything the client needs; built by cli from the configuration.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Name of the provider: `service`, or that of `[providers.NAME]`.
    pub provider: String,
    /// The base URL of the service; paths are appended.
    pub base_url: url::Url,
    /// The API dialect.
    pub dialect: Dialect,
    /// Path segment and tool name of the social platform (`X`).
    pub platform: String,
    pub access: Access,
    /// Whether addresses other than the provider's (of feeds and redirects) may lead into a private network.
    pub allow_private: bool,
    /// Deadline of each try, including its body.
    pub call_timeout: Duration,
    /// The maximum number of calls in flight.
    pub max_concurrent: u32,
    /// `None` is unlimited.
    pub rate_limit: Option<Rate>,
    /// The maximum number of tries of one call, including the first.
    pub max_tries: u32,
    /// The maximum size of a decoded body, in bytes.
    pub max_response_bytes: u64,
}

/// One question for one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchQuery {
    Social(SocialQuery, LookBack),
    Web(WebQuery),
    Ai(AiQuery, LookBack),
    Provider(ProviderQuery, LookBack),
}

impl SearchQuery {
    /// Returns the question of a topic to a source; `None` when the source is off.
    #[must_use]
    pub fn of(topic: &Topic, source: Source) -> Option<Self> {
        match source {
            Source::Social => topic.social.clone().map(|q| Self::Social(q, topic.window.into())),
            Source::Web => topic.web.clone().map(Self::Web),
            Source::Ai => topic.ai.clone().map(|q| Self::Ai(q, topic.window.into())),
            other => topic.provider(other).cloned().map(|q| Self::Provider(q, topic.window.into())),
        }
    }

    /// The same question over another span. Web searches have no span.
    #[must_use]
    pub fn with_look_back(self, over: LookBack) -> Self {
        match self {
            Self::Social(query, _) => Self::Social(query, over),
            Self::Ai(query, _) => Self::Ai(query, over),
            Self::Web(query) => Self::Web(query),
            Self::Provider(query, _) => Self::Provider(query, over),
        }
    }
}

/// A request as it will be sent, without the key. It can be printed, stored and compared.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Request {
    /// The source it is for.
    pub source: Source,
    /// `GET` or `POST`.
    pub method: &'static str,
    /// Path below the base URL, with a leading slash.
    pub path: String,
    /// Query parameters in order.
    pub query: Vec<(String, String)>,
    /// JSON body of a POST.
    pub body: Option<serde_json::Value>,
    /// The maximum number of entries in the reply, when the request sets one; a reply with as many is saturated.
    pub limit: Option<u32>,
    /// Whether a stream is requested.
    pub streaming: bool,
    /// The whole address, if it is not below the provider's: that of a feed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The addresses that redirected to this one. A server may repeat secrets in them, which are not shown.
    #[serde(skip)]
    pub redirected_from: Vec<String>,
    /// Headers in addition to those of every request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
}

/// A successful (2xx) reply before decoding.
#[derive(Debug, Clone)]
pub struct RawReply {
    pub status: u16,
    /// Response headers worth keeping, without the key: content type, billing, request id.
    pub headers: Vec<(String, String)>,
    /// Decoded (decompressed) body within the cap.
    pub body: Bytes,
    /// Duration of the last try.
    pub latency: Duration,
    /// The number of tries, including the last.
    pub tries: u32,
    /// The cost in the billing header, if readable.
    pub cost: Option<Micros>,
    /// The cost of the earlier tries.
    pub earlier: Spent,
    /// Why the body is incomplete (the connection broke or the time was up), if it is.
    pub cut: Option<(ErrorClass, String)>,
}

/// The cost of failed tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Sum of their billing headers.
    pub billed: Micros,
    /// Tries that may have been billed without saying so: without an answer, or with a good answer that was cut.
    pub unknown: u32,
}

impl Spent {
    /// The cost added since.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            billed: Micros(self.billed.0.saturating_sub(earlier.billed.0)),
            unknown: self.unknown.saturating_sub(earlier.unknown),
        }
    }

    /// The total cost if a call has this price. Tries that may have been billed count in full.
    #[must_use]
    pub fn counted(self, price: Micros) -> Micros {
        self.billed.plus(price.times(i64::from(self.unknown)))
    }
}

/// What a failure affects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureScope {
    /// This search only.
    Search,
    /// Every further call to the service would fail the same way (key refused, balance spent).
    Service,
}

/// A call that failed after its retries.
#[derive(Debug, Clone)]
pub struct CallError {
    /// The kind of failure.
    pub class: ErrorClass,
    /// HTTP status, when there was one.
    pub status: Option<u16>,
    /// One line for people, cut and without the key.
    pub text: String,
    /// What to do next.
    pub hint: String,
    /// Where a redirect points to.
    pub location: Option<String>,
    /// What it affects.
    pub reach: FailureScope,
    pub tries: u32,
    /// Time spent in the last try.
    pub latency: Duration,
    /// The cost in the billing header of the failed reply, if readable.
    pub cost: Option<Micros>,
    /// The cost of all tries, including the last.
    pub spent: Spent,
    /// The earliest time for the next call, if the service gave one.
    pub not_before: Option<Time>,
}

/// A decoded reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// Entries in reply order, ranks from 1.
    pub items: Vec<ReplyEntry>,
    /// The summary, for AI replies.
    pub answer: Option<Answer>,
    /// Entries that could not be read. They are only in the raw reply.
    pub unreadable: u32,
    /// The cost in the body, if readable.
    pub cost: Option<Micros>,
    /// Set when the reply is incomplete: an error frame followed, or the stream was cut.
    pub failure: Option<(ErrorClass, String)>,
}
