//! What is to be delivered to whom: a message of the outbox, before, while and after it is sent. How it is sent is
//! `notify`'s.

use super::{Time, closed_list};

closed_list! {
    /// How far a message of the outbox has got.
    OutboxState {
        /// Waits for its next try.
        Queued = "queued",
        /// A process has it in hand.
        Sending = "sending",
        Sent = "sent",
        /// Given up, until somebody asks for it again.
        Dead = "dead",
    }
}

/// Something that happened, for one channel.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Message {
    /// The same at every try, and of nothing else ever.
    pub event: String,
    /// Name of the channel.
    pub channel: String,
    /// What it is about: `report`.
    pub kind: String,
    /// Text of one line.
    pub subject: String,
    /// For readers of plain text.
    pub text: String,
    /// The same as a page.
    pub html: Option<String>,
    /// The same for programs, as JSON.
    pub data: Option<String>,
}

/// How many messages nobody has got although it was tried, or because nobody tries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Undelivered {
    /// Messages given up after the last attempt.
    pub dead: i64,
    /// Waiting for another try after one that failed.
    pub waiting: i64,
    /// Queued for a channel that the configuration has not: nobody tries them.
    pub stranded: i64,
}

impl std::fmt::Display for Undelivered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all =
            [(self.dead, "dead"), (self.waiting, "waiting"), (self.stranded, "for a channel that is not in the file")];
        let mut before = false;
        for (number, what) in all.into_iter().filter(|(number, _)| *number > 0) {
            match (before, number) {
                (true, _) => write!(f, ", {number} {what}")?,
                (false, 1) => write!(f, "1 message {what}")?,
                (false, _) => write!(f, "{number} messages {what}")?,
            }
            before = true;
        }
        if before { Ok(()) } else { f.write_str("no message waiting") }
    }
}

/// A message as the outbox knows it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Posted {
    /// The message; lists leave the bodies out.
    #[serde(flatten)]
    pub message: Message,
    /// The run that it came of.
    pub origin: Option<String>,
    /// How far it has got.
    pub state: OutboxState,
    /// Tries so far.
    pub attempt: i64,
    /// When it was queued.
    pub created_at: Time,
    /// Its next try, when it waits for one.
    pub next_at: Option<Time>,
    /// When it was delivered.
    pub delivered_at: Option<Time>,
    /// What went wrong at the last try.
    pub error: Option<String>,
}

impl Posted {
    /// Whether nothing is left of it that could be sent. Meant for one that was read whole.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        let Message { text, html, data, .. } = &self.message;
        text.is_empty() && html.is_none() && data.is_none()
    }

    /// Whether it was sent so long ago that its bodies are not kept any more. Meant for one that was read whole.
    #[must_use]
    pub fn is_emptied(&self) -> bool {
        self.state == OutboxState::Sent && self.is_blank()
    }
}
