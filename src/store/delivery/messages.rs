//! Messages of the outbox as whoever delivers them sees them.

use crate::model::{Message, Time};

/// A message in hand: to be sent, and then settled.
#[derive(Debug, Clone)]
pub struct Outgoing {
    pub message: Message,
    /// The run that it came of.
    pub origin: Option<String>,
    /// Which try this is, from 1; it was counted before it is made.
    pub attempt: i64,
    /// When it was queued.
    pub created_at: Time,
    pub(crate) token: String,
}

/// What a claim found.
#[derive(Debug, Clone, Default)]
pub struct Claimed {
    /// The message in hand, if one was due.
    pub message: Option<Outgoing>,
    /// Those that died because the process of their last try did.
    pub given_up: Vec<GivenUp>,
}

/// A message that nobody was sending any more, after its last try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenUp {
    pub event: String,
    /// Tries that there were.
    pub attempt: i64,
    pub error: String,
}

/// What became of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// Whoever it was for has it.
    Sent,
    /// Not now; what went wrong, and when to try again.
    Again(Time, String),
    /// Never, and why.
    Dead(String),
}
