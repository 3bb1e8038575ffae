//! Sends a message as a request: resolves the name, checks the addresses, connects only to those, and follows no
//! redirect. `reply` judges the reply.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use secrecy::{ExposeSecret as _, SecretString};
use url::{Host, Url};

use super::channel::{DeliveryError, one_line};
use super::{chat_formats, mattermost, reply, signature, webhook_formats};
use crate::http::{self, is_public};
use crate::model::{Message, Time, WebhookFormat};

/// The message to send, and the circumstances of the try.
pub(super) struct Request<'m> {
    pub(super) message: &'m Message,
    pub(super) created_at: Time,
    pub(super) attempt: i64,
    pub(super) now: Time,
    pub(super) timeout: Duration,
}

pub(super) async fn send(
    url: &SecretString,
    secret: Option<&SecretString>,
    form: &WebhookFormat,
    allow_private: bool,
    request: &Request<'_>,
) -> Result<(), DeliveryError> {
    // The error does not repeat the address, which may hold a secret.
    let url =
        Url::parse(url.expose_secret()).map_err(|_| DeliveryError::permanent("its address is not a valid URL"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(DeliveryError::permanent("its URL is neither http nor https"));
    }
    let deadline = tokio::time::Instant::now() + request.timeout;
    let pinned = resolve(&url, allow_private, "allow_private").await?;
    let options = http::Options {
        connect_timeout: request.timeout,
        max_idle_per_host: 0,
        roots: http::Roots::needed_by(&url),
        public_only: false,
    };
    let client = http::pinned_client(&options, &pinned).map_err(|e| DeliveryError::transient(e.text))?;
    let (url, body) = match form {
        WebhookFormat::Own => (url, webhook_formats::own_json(request.message, request.created_at)?),
        WebhookFormat::Slack => (url, webhook_formats::slack(request.message)?),
        WebhookFormat::Mattermost => (url, mattermost::mattermost(request.message)?),
        WebhookFormat::Ntfy => webhook_formats::ntfy(&url, request.message)?,
        WebhookFormat::Telegram { chat } => chat_formats::telegram(&url, secret, chat, request.message)?,
        WebhookFormat::Discord => chat_formats::discord(&url, request.message)?,
        WebhookFormat::Teams => (url, chat_formats::teams(request.message)?),
        WebhookFormat::Apprise { tag } => (url, chat_formats::apprise(tag.as_deref(), request.message)?),
    };
    let mut builder = client.post(url).header(CONTENT_TYPE, "application/json");
    if *form == WebhookFormat::Own {
        builder = builder
            .header("X-Topicwatch-Event", one_line(&request.message.event))
            .header("X-Topicwatch-Attempt", request.attempt.to_string());
    }
    match (secret, form) {
        (Some(secret), WebhookFormat::Own) => {
            let seconds = request.now.0.div_euclid(1_000);
            let signed = signature(secret.expose_secret().as_bytes(), seconds, &body);
            builder = builder.header("X-Topicwatch-Signature", signed);
        }
        (Some(token), WebhookFormat::Ntfy) => builder = builder.bearer_auth(token.expose_secret()),
        _ => {}
    }
    let reply = builder.body(body).send().await.map_err(unanswered)?;
    reply::judge_as(form, reply, deadline, request.now).await
}

/// Why a request has no reply, and what to do if TLS refused the connection.
pub(super) fn unanswered(error: reqwest::Error) -> DeliveryError {
    let text = http::describe(error);
    match http::tls_advice(&text, "that name") {
        Some(advice) => DeliveryError::transient(format!("{text} ({advice})")),
        None => DeliveryError::transient(text),
    }
}

/// The only addresses to connect to: resolving the name again could give others. `key` names the setting that allows
/// private ones.
pub(super) async fn resolve(url: &Url, allow_private: bool, key: &str) -> Result<http::Pinned, DeliveryError> {
    let port = url.port_or_known_default().unwrap_or(443);
    let (host, found): (String, Vec<SocketAddr>) = match url.host() {
        Some(Host::Ipv4(ip)) => (ip.to_string(), vec![(IpAddr::V4(ip), port).into()]),
        Some(Host::Ipv6(ip)) => (ip.to_string(), vec![(IpAddr::V6(ip), port).into()]),
        Some(Host::Domain(name)) => {
            let found = tokio::net::lookup_host((name, port)).await;
            let found = found.map_err(|e| DeliveryError::transient(format!("the name {name} was not found: {e}")))?;
            (name.to_owned(), found.collect())
        }
        None => return Err(DeliveryError::permanent("its URL has no host")),
    };
    let allowed: Vec<SocketAddr> = found.iter().copied().filter(|a| allow_private || is_public(a.ip())).collect();
    if allowed.is_empty() {
        return Err(match found.first() {
            Some(inner) => {
                let ip = inner.ip().to_string();
                let resolved = if ip == host { String::new() } else { format!(" {ip},") };
                DeliveryError::in_own_words(format!(
                    "{host} is{resolved} an address in a private network; set {key} = true if that is intended"
                ))
            }
            None => DeliveryError::transient(format!("the name {host} has no address")),
        });
    }
    Ok(http::Pinned { host, addresses: allowed })
}
