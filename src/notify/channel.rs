//! A channel and everything needed to reach it, why a try fails, and which text of a message may go into a header.

use std::time::Duration;

use secrecy::SecretString;

use crate::model::{SmtpTls, WebhookFormat, is_invisible, is_invisible_after, is_joiner, whole_start};

/// A channel, with everything needed to reach it.
#[derive(Debug, Clone)]
pub struct Channel {
    pub name: String,
    /// How it is reached.
    pub endpoint: Endpoint,
    /// Time limit of one try.
    pub timeout: Duration,
    /// Tries before a message is given up.
    pub max_tries: u32,
}

/// How a channel is reached.
#[derive(Debug, Clone)]
pub enum Endpoint {
    Email {
        /// The mail server.
        host: String,
        port: u16,
        /// How the connection is encrypted.
        tls: SmtpTls,
        from: String,
        to: Vec<String>,
        /// User name and password.
        login: Option<(String, SecretString)>,
    },
    /// By an HTTP request.
    Webhook {
        /// The address; all of it may be secret.
        url: SecretString,
        /// The key that signs requests; for ntfy the access token, for Telegram the bot's token.
        secret: Option<SecretString>,
        /// The format of a request.
        form: WebhookFormat,
        /// Whether private networks are allowed.
        allow_private: bool,
    },
}

/// Why a try failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryError {
    /// Whether trying again would fail the same way.
    pub for_good: bool,
    /// What happened, on one line, without secrets.
    pub text: String,
    /// How long the receiver asks to wait.
    pub wait: Option<Duration>,
    /// Whether the text is the program's own: it contains no words of the receiver and no secrets.
    pub is_own: bool,
}

impl DeliveryError {
    pub(super) fn transient(text: impl Into<String>) -> Self {
        Self { for_good: false, text: text.into(), wait: None, is_own: false }
    }

    pub(super) fn permanent(text: impl Into<String>) -> Self {
        Self { for_good: true, text: text.into(), wait: None, is_own: false }
    }

    /// A permanent failure in the program's own words. Nothing is removed from them: a part of the address may equal
    /// one of these words, such as `private`.
    pub(super) fn in_own_words(text: impl Into<String>) -> Self {
        Self { is_own: true, ..Self::permanent(text) }
    }

    pub(super) fn timeout(timeout: Duration) -> Self {
        Self::transient(format!("no answer within {} s", timeout.as_secs_f64()))
    }
}

/// Whether a character is visible: it neither controls a terminal nor reverses text, and it is drawn.
pub(super) fn is_plain(c: char) -> bool {
    !is_invisible(c) && !is_joiner(c)
}

/// The most characters of a line in a header.
const LONGEST_LINE: usize = 250;

/// A line of a message for use in a header: without control characters, and of limited length. Emoji and words of other
/// scripts keep their joiners: without them they fall apart.
pub(super) fn one_line(text: &str) -> String {
    let mut before = None;
    let visible = |c: char| if is_invisible_after(before.replace(c), c) { ' ' } else { c };
    let line: String = text.chars().map(visible).collect();
    whole_start(&line, LONGEST_LINE, |_| 1).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_line_keeps_joined_emoji_and_words_whole() {
        let title = "👩‍👩‍👧 ❤️ می‌خواهم";
        assert_eq!(one_line(title), title);
        let long = "a".repeat(LONGEST_LINE - 1);
        assert_eq!(one_line(&format!("{long}🇩🇪")), long);
        assert_eq!(one_line("a\u{200d}b\u{202e}c\r\nX: y\u{200b}"), "a b c  X: y");
    }
}
