//! Delivery: a message of the outbox to a channel, by mail or by webhook, at least once; and pings, by the way. What happened and what is said
//! about it is others'; when to try again, and what is a refusal, is decided here.

mod backoff;
mod courier;
mod email;
mod forms;
mod mailbox;
mod ping;
mod scrub;
mod signature;
mod webhook;

use std::time::Duration;

use secrecy::SecretString;

pub use backoff::after;
pub use courier::{Courier, Delivery};
pub use mailbox::{NoAddress, check_address};
pub use ping::{PingTarget, PingTargets, Pinger, Signal};
pub use signature::{signature, verify};

use crate::model::{HookForm, Message, SmtpTls, Time, is_hidden, is_joiner};

/// A channel with what it takes to reach it.
#[derive(Debug, Clone)]
pub struct Channel {
    pub name: String,
    /// How it is reached.
    pub way: Way,
    /// Longest time of one try.
    pub timeout: Duration,
    /// Tries before a message is given up.
    pub max_tries: u32,
}

/// How a channel is reached.
#[derive(Debug, Clone)]
pub enum Way {
    Email {
        /// The mail server.
        host: String,
        port: u16,
        /// How it is spoken to.
        tls: SmtpTls,
        from: String,
        to: Vec<String>,
        /// Who logs in.
        login: Option<(String, SecretString)>,
    },
    /// By a request.
    Webhook {
        /// The address, which may be a secret as a whole.
        url: SecretString,
        /// What requests are signed with; of ntfy the access token.
        secret: Option<SecretString>,
        /// What a request looks like.
        form: HookForm,
        /// Whether private networks are allowed.
        allow_private: bool,
    },
}

/// Why a try failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Whether the same try would fail the same way tomorrow.
    pub for_good: bool,
    /// What happened, one line, without secrets.
    pub text: String,
    /// How long whoever refused wants to be left alone.
    pub wait: Option<Duration>,
}

impl Refusal {
    fn passing(text: impl Into<String>) -> Self {
        Self { for_good: false, text: text.into(), wait: None }
    }

    fn for_good(text: impl Into<String>) -> Self {
        Self { for_good: true, text: text.into(), wait: None }
    }

    fn unanswered(timeout: Duration) -> Self {
        Self::passing(format!("no answer within {} s", timeout.as_secs_f64()))
    }
}

impl Channel {
    /// Sends a message once, within the channel's time.
    ///
    /// # Errors
    /// See [`Refusal`].
    pub async fn send(&self, message: &Message, created_at: Time, attempt: i64, now: Time) -> Result<(), Refusal> {
        let sent = match &self.way {
            Way::Email { .. } => email::send(self, message, created_at).await,
            Way::Webhook { url, secret, form, allow_private } => {
                let request = webhook::Request { message, created_at, attempt, now, timeout: self.timeout };
                let sent = webhook::send(url, secret.as_ref(), *form, *allow_private, &request);
                let sent = tokio::time::timeout(self.timeout, sent).await;
                sent.unwrap_or_else(|_| Err(Refusal::unanswered(self.timeout)))
            }
        };
        sent.map_err(|refusal| Refusal { text: scrub::scrubbed(&self.way, &refusal.text), ..refusal })
    }
}

/// Whether a character is seen: it neither commands a terminal nor turns its text around, and it is drawn.
fn is_plain(c: char) -> bool {
    !is_hidden(c) && !is_joiner(c)
}

/// A line of a message as it may stand in a header: no control characters, bounded.
fn one_line(text: &str) -> String {
    let line: String = text.chars().map(|c| if is_plain(c) { c } else { ' ' }).take(250).collect();
    line.trim().to_owned()
}
