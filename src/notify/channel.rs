//! A channel with all that it takes to reach it, why a try fails, and what of a message may stand in a header.

use std::time::Duration;

use secrecy::SecretString;

use crate::model::{HookForm, SmtpTls, is_hidden, is_joiner};

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
        /// What requests are signed with; of ntfy the access token, of Telegram the bot's.
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
    pub(super) fn passing(text: impl Into<String>) -> Self {
        Self { for_good: false, text: text.into(), wait: None }
    }

    pub(super) fn for_good(text: impl Into<String>) -> Self {
        Self { for_good: true, text: text.into(), wait: None }
    }

    pub(super) fn unanswered(timeout: Duration) -> Self {
        Self::passing(format!("no answer within {} s", timeout.as_secs_f64()))
    }
}

/// Whether a character is seen: it neither commands a terminal nor turns its text around, and it is drawn.
pub(super) fn is_plain(c: char) -> bool {
    !is_hidden(c) && !is_joiner(c)
}

/// A line of a message as it may stand in a header: no control characters, bounded.
pub(super) fn one_line(text: &str) -> String {
    let line: String = text.chars().map(|c| if is_plain(c) { c } else { ' ' }).take(250).collect();
    line.trim().to_owned()
}
