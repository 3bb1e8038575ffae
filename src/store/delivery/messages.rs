//! Messages of the outbox, as their delivery sees them.

use crate::model::{Message, Time};

/// A claimed message: to be sent and then settled.
#[derive(Debug, Clone)]
pub struct Outgoing {
    pub message: Message,
    /// The run that it comes from.
    pub origin: Option<String>,
    /// The number of this try, from 1; it is counted before the message is sent.
    pub attempt: i64,
    /// When it was queued.
    pub created_at: Time,
    pub(crate) token: String,
}

/// The result of a claim.
#[derive(Debug, Clone, Default)]
pub struct ClaimedMessage {
    /// The claimed message, if one was due.
    pub message: Option<Outgoing>,
    /// Messages that are dead now because the process that made their last try died.
    pub given_up: Vec<AbandonedMessage>,
}

/// A message given up because its last try was never settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbandonedMessage {
    pub event: String,
    /// The number of tries.
    pub attempt: i64,
    pub error: String,
}

/// Messages that are not sent yet, of one channel and from one origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingMessages {
    pub channel: String,
    /// The alert that they are from.
    pub alert: Option<String>,
    /// How many are queued; 0 if a process is sending them.
    pub queued: i64,
    /// When the first of them is due, or when the lease of the process that is sending them runs out.
    pub next_at: Option<Time>,
}

/// The result of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendResult {
    /// It was delivered.
    Sent,
    /// It failed for now: when to try again, and what went wrong.
    Again(Time, String),
    /// It failed for good, and why.
    Dead(String),
}
