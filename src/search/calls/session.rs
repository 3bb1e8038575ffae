//! A login that returns tokens: `com.atproto.server.createSession` with an account and an app password, then
//! `refreshSession` (<https://atproto.com/specs/xrpc#authentication>). Tokens stay in memory and are never printed.

use std::time::Duration;

use reqwest::header::RETRY_AFTER;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::Url;

use crate::http::{self, retry_after};
use crate::model::Time;
use crate::search::ErrorClass;

/// The maximum number of bytes read from a reply.
const MOST: u64 = 256 * 1024;

/// Returns the current time, which only dates need.
type Now<'a> = &'a (dyn Fn() -> Time + Send + Sync);

/// A login and its tokens.
pub(in crate::search) struct Session {
    base_url: Url,
    user: String,
    password: SecretString,
    tokens: Mutex<Option<Tokens>>,
}

struct Tokens {
    access: SecretString,
    refresh: SecretString,
}

/// Why there is no token.
pub(in crate::search) struct LoginError {
    pub(in crate::search) class: ErrorClass,
    pub(in crate::search) status: Option<u16>,
    pub(in crate::search) text: String,
    /// The wait that the server asks for.
    pub(in crate::search) retry_after: Option<Duration>,
}

impl Session {
    pub(in crate::search) fn new(base_url: Url, user: String, password: SecretString) -> Self {
        Self { base_url, user, password, tokens: Mutex::default() }
    }

    /// Returns the token. Logs in when there is none.
    pub(in crate::search) async fn token(
        &self,
        http: &reqwest::Client,
        deadline: Instant,
        now: Now<'_>,
    ) -> Result<SecretString, LoginError> {
        let mut tokens = self.tokens.lock().await;
        if let Some(known) = tokens.as_ref() {
            return Ok(known.access.clone());
        }
        let new_tokens = self.create(http, deadline, now).await?;
        let access = new_tokens.access.clone();
        *tokens = Some(new_tokens);
        Ok(access)
    }

    /// Replaces a token that is no longer accepted. The first caller renews it for all.
    pub(in crate::search) async fn renew(
        &self,
        http: &reqwest::Client,
        stale: &SecretString,
        deadline: Instant,
        now: Now<'_>,
    ) -> Result<SecretString, LoginError> {
        let mut tokens = self.tokens.lock().await;
        let refresh = match tokens.as_ref() {
            Some(known) if known.access.expose_secret() != stale.expose_secret() => return Ok(known.access.clone()),
            Some(known) => Some(known.refresh.clone()),
            None => None,
        };
        let renewed = match refresh {
            Some(refresh) => {
                let url = self.url("com.atproto.server.refreshSession");
                self.tokens_of(http.post(url).bearer_auth(refresh.expose_secret()), deadline, now).await.ok()
            }
            None => None,
        };
        let new_tokens = match renewed {
            Some(new_tokens) => new_tokens,
            None => {
                *tokens = None;
                self.create(http, deadline, now).await?
            }
        };
        let access = new_tokens.access.clone();
        *tokens = Some(new_tokens);
        Ok(access)
    }

    async fn create(&self, http: &reqwest::Client, deadline: Instant, now: Now<'_>) -> Result<Tokens, LoginError> {
        let body = json!({ "identifier": self.user, "password": self.password.expose_secret() });
        let url = self.url("com.atproto.server.createSession");
        let request = http.post(url).header(reqwest::header::CONTENT_TYPE, "application/json").body(body.to_string());
        self.tokens_of(request, deadline, now).await
    }

    fn url(&self, method: &str) -> Url {
        let mut url = self.base_url.clone();
        url.set_path(&format!("{}/xrpc/{method}", self.base_url.path().trim_end_matches('/')));
        url
    }

    async fn tokens_of(
        &self,
        request: reqwest::RequestBuilder,
        deadline: Instant,
        now: Now<'_>,
    ) -> Result<Tokens, LoginError> {
        let unanswered = |class, text: String| LoginError { class, status: None, text, retry_after: None };
        let sent = tokio::time::timeout_at(deadline, request.send()).await;
        let reply = match sent {
            Ok(Ok(reply)) => reply,
            Ok(Err(error)) => return Err(unanswered(ErrorClass::Transport, http::describe(error))),
            Err(_) => return Err(unanswered(ErrorClass::Timeout, "the login was not answered in time".to_owned())),
        };
        let status = reply.status().as_u16();
        let header = reply.headers().get(RETRY_AFTER).map(|at| String::from_utf8_lossy(at.as_bytes()).into_owned());
        let body = http::read_capped(reply, MOST, deadline).await.unwrap_or_else(|unread| unread.so_far);
        let fields: Value = serde_json::from_slice(&body).unwrap_or_default();
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let refused = |class, text: String| {
            let wait = header.as_deref().and_then(|text| retry_after::header(text, now()));
            LoginError { class, status: Some(status), text, retry_after: wait.or_else(|| retry_after::body(&fields)) }
        };
        match (status, text("accessJwt"), text("refreshJwt")) {
            (200..=299, Some(access), Some(refresh)) => {
                Ok(Tokens { access: SecretString::from(access), refresh: SecretString::from(refresh) })
            }
            (200..=299, _, _) => Err(refused(ErrorClass::Malformed, "the login's reply contains no tokens".to_owned())),
            (400 | 401 | 403, _, _) => {
                let why = text("message").or_else(|| text("error")).unwrap_or("no reason was given");
                Err(refused(ErrorClass::KeyRefused, format!("{status}: the login was refused: {why}")))
            }
            _ => {
                let class = super::failure::class_of_status(status);
                Err(refused(class, format!("{status}: the login failed")))
            }
        }
    }
}
