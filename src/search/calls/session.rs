//! A login that returns tokens: `com.atproto.server.createSession` with an account and an app password, then
//! `refreshSession` (<https://atproto.com/specs/xrpc#authentication>). Tokens stay in memory and are never printed.

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::Url;

use crate::http;
use crate::search::ErrorClass;

/// The maximum number of bytes read from a reply.
const MOST: u64 = 256 * 1024;

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
    ) -> Result<SecretString, LoginError> {
        let mut tokens = self.tokens.lock().await;
        if let Some(known) = tokens.as_ref() {
            return Ok(known.access.clone());
        }
        let new_tokens = self.create(http, deadline).await?;
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
                self.tokens_of(http.post(url).bearer_auth(refresh.expose_secret()), deadline).await.ok()
            }
            None => None,
        };
        let new_tokens = match renewed {
            Some(new_tokens) => new_tokens,
            None => {
                *tokens = None;
                self.create(http, deadline).await?
            }
        };
        let access = new_tokens.access.clone();
        *tokens = Some(new_tokens);
        Ok(access)
    }

    async fn create(&self, http: &reqwest::Client, deadline: Instant) -> Result<Tokens, LoginError> {
        let body = json!({ "identifier": self.user, "password": self.password.expose_secret() });
        let url = self.url("com.atproto.server.createSession");
        let request = http.post(url).header(reqwest::header::CONTENT_TYPE, "application/json").body(body.to_string());
        self.tokens_of(request, deadline).await
    }

    fn url(&self, method: &str) -> Url {
        let mut url = self.base_url.clone();
        url.set_path(&format!("{}/xrpc/{method}", self.base_url.path().trim_end_matches('/')));
        url
    }

    async fn tokens_of(&self, request: reqwest::RequestBuilder, deadline: Instant) -> Result<Tokens, LoginError> {
        let refused = |class, status, text: String| LoginError { class, status, text };
        let sent = tokio::time::timeout_at(deadline, request.send()).await;
        let reply = match sent {
            Ok(Ok(reply)) => reply,
            Ok(Err(error)) => return Err(refused(ErrorClass::Transport, None, http::describe(error))),
            Err(_) => return Err(refused(ErrorClass::Timeout, None, "the login was not answered in time".to_owned())),
        };
        let status = reply.status().as_u16();
        let body = http::read_capped(reply, MOST, deadline).await.unwrap_or_else(|unread| unread.so_far);
        let fields: Value = serde_json::from_slice(&body).unwrap_or_default();
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        match (status, text("accessJwt"), text("refreshJwt")) {
            (200..=299, Some(access), Some(refresh)) => {
                Ok(Tokens { access: SecretString::from(access), refresh: SecretString::from(refresh) })
            }
            (200..=299, _, _) => {
                Err(refused(ErrorClass::Malformed, Some(status), "the login's reply contains no tokens".to_owned()))
            }
            (400 | 401 | 403, _, _) => {
                let why = text("message").or_else(|| text("error")).unwrap_or("no reason was given");
                Err(refused(ErrorClass::KeyRefused, Some(status), format!("{status}: the login was refused: {why}")))
            }
            _ => {
                let class = super::failure::class_of_status(status);
                Err(refused(class, Some(status), format!("{status}: the login failed")))
            }
        }
    }
}
