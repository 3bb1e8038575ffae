//! Notification channels with their secrets. `notify` decides how they deliver.

use std::sync::Arc;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};

use crate::cli::terminal::failure::Failure;
use crate::cli::wiring::environment::env;
use crate::config::{self, Config, KeyError};
use crate::model::{ChannelSpec, SecretSource, Transport, WebhookFormat};
use crate::notify::{Channel, Endpoint};

/// Returns every channel that is not paused. Fails if one cannot be used, so that nothing is delivered to only some.
pub(in crate::cli) fn read(config: &Config) -> Result<Arc<[Channel]>, Failure> {
    let all: Result<Vec<Channel>, Failure> = config
        .channels
        .iter()
        .filter(|spec| !spec.paused)
        .map(|spec| one(spec).map_err(|e| Failure::usage(format!("channel {}: {}", spec.name, e.message), e.hint)))
        .collect();
    Ok(all?.into())
}

/// Returns one channel, or why it cannot be used.
pub(in crate::cli) fn one(spec: &ChannelSpec) -> Result<Channel, KeyError> {
    let secret = |what: &str, place: &SecretSource| {
        if place.is_none() { Ok(None) } else { config::read_secret(what, place, &env).map(Some) }
    };
    let endpoint = match &spec.transport {
        Transport::Email(email) => {
            let password = secret("password", &email.password)?;
            Endpoint::Email {
                host: email.host.clone(),
                port: email.port,
                tls: email.tls,
                from: email.from.clone(),
                to: email.to.clone(),
                login: email.user.clone().zip(password),
            }
        }
        Transport::Webhook(hook) => {
            let place = SecretSource { variable: hook.url_variable.clone(), file: None };
            let url = match &hook.url {
                Some(url) => SecretString::from(url.to_string()),
                None => config::read_secret("address", &place, &env)?,
            };
            let at = url::Url::parse(url.expose_secret());
            if !at.is_ok_and(|at| matches!(at.scheme(), "http" | "https") && at.has_host()) {
                let variable = place.variable.unwrap_or_default();
                return Err(KeyError {
                    message: format!("{variable} does not contain the URL of a web server"),
                    hint: "put the full URL there: https://…".to_owned(),
                });
            }
            let secret = secret("secret", &hook.secret)?;
            if let (WebhookFormat::Telegram { .. }, Some(token)) = (&hook.form, &secret)
                && !is_bot_token(token.expose_secret())
            {
                return Err(KeyError {
                    message: "its secret is not a Telegram bot token".to_owned(),
                    hint: "set it to the token from @BotFather, such as 123456:ABC-DEF, and nothing else".to_owned(),
                });
            }
            Endpoint::Webhook { url, secret, form: hook.form.clone(), allow_private: hook.allow_private }
        }
    };
    let timeout = Duration::from_millis(spec.timeout_ms);
    Ok(Channel { name: spec.name.clone(), endpoint, timeout, max_tries: spec.max_tries })
}

/// Whether a text is a number, a colon, and characters that are safe in a path.
fn is_bot_token(text: &str) -> bool {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    text.split_once(':').is_some_and(|(number, key)| {
        let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        digits && !key.is_empty() && key.chars().all(good)
    })
}

/// Returns the settings of the channels that a reload would change, secrets included, as bytes for hashing only.
pub(in crate::cli) fn fingerprint(config: &Config) -> Vec<u8> {
    let mut all = Vec::new();
    for spec in &config.channels {
        all.extend(format!("{spec:?} {}\n", spec.recipient()).bytes());
        match one(spec).map(|channel| channel.endpoint) {
            Ok(Endpoint::Email { login, .. }) => {
                all.extend(login.iter().flat_map(|(_, password)| password.expose_secret().bytes()));
            }
            Ok(Endpoint::Webhook { url, secret, .. }) => {
                all.extend(url.expose_secret().bytes());
                all.extend(secret.iter().flat_map(|secret| secret.expose_secret().bytes()));
            }
            Err(why) => all.extend(why.message.bytes()),
        }
    }
    all
}
