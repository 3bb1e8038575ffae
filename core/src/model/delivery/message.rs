//! A message of the outbox, before, during and after delivery. `notify` sends it.

use crate::model::{Time, closed_list};

closed_list! {
    /// The delivery state of a message.
    OutboxState {
        /// Waits for its next attempt.
        Queued = "queued",
        /// Claimed by a process.
        Sending = "sending",
        Sent = "sent",
        /// Given up; sent again only on request.
        Dead = "dead",
    }
}

closed_list! {
    /// The delivery state of a message, over all its channels.
    Delivery {
        Delivered = "delivered",
        /// A channel still waits for it.
        Waiting = "waiting",
        /// Delivered to some channels, given up or dropped for the others.
        Partly = "partly delivered",
        /// Given up for all channels.
        Dead = "dead",
        /// No longer in the outbox.
        Unknown = "unknown",
    }
}

impl Delivery {
    /// The state of a message whose channels are in these states.
    #[must_use]
    pub fn of(states: &[OutboxState]) -> Self {
        let any = |wanted: &[OutboxState]| states.iter().any(|state| wanted.contains(state));
        if any(&[OutboxState::Queued, OutboxState::Sending]) {
            return Self::Waiting;
        }
        match (any(&[OutboxState::Sent]), any(&[OutboxState::Dead])) {
            (true, false) => Self::Delivered,
            (true, true) => Self::Partly,
            (false, true) => Self::Dead,
            (false, false) => Self::Unknown,
        }
    }

    /// The state of a message that was also dropped for other channels than those whose states are known.
    #[must_use]
    pub fn with_dropped(self) -> Self {
        if self == Self::Delivered { Self::Partly } else { self }
    }
}

/// A notification for one channel.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Message {
    /// The event's id. The same at every attempt, and unique to this event.
    pub event: String,
    /// Name of the channel.
    pub channel: String,
    /// What the message is about, such as `report`.
    pub kind: String,
    /// One line of text.
    pub subject: String,
    /// The plain-text body.
    pub text: String,
    /// The HTML body.
    pub html: Option<String>,
    /// The JSON body, for programs.
    pub data: Option<String>,
}

impl Message {
    /// A message waits at most some hours for its next try or for its channel, and a little more than a day for quiet
    /// hours; a snooze may be longer. Any other longer wait was written by a clock that was ahead.
    pub const LONGEST_WAIT: std::time::Duration = std::time::Duration::from_secs(48 * 3_600);
}

/// Counts of messages that were not delivered after at least one attempt, or that no process will deliver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Undelivered {
    /// Given up after the last attempt.
    pub dead: i64,
    /// Waiting: for the first attempt, for another one, or because the channel is paused or asked for a wait.
    pub waiting: i64,
    /// Queued for a channel that is not in the configuration.
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
        if before { Ok(()) } else { f.write_str("no messages waiting") }
    }
}

/// A message with its delivery state.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct OutboxEntry {
    /// The message; without bodies in lists.
    #[serde(flatten)]
    pub message: Message,
    /// The run that caused it.
    pub origin: Option<String>,
    /// The delivery state.
    pub state: OutboxState,
    /// The number of attempts so far.
    pub attempt: i64,
    /// When it was queued.
    pub created_at: Time,
    /// The time of the next attempt, if there will be one.
    pub next_at: Option<Time>,
    /// When it was delivered.
    pub delivered_at: Option<Time>,
    /// The error of the last attempt.
    pub error: Option<String>,
}

impl OutboxEntry {
    /// Whether all bodies are gone, so that nothing could be sent. Only for a message read with its bodies.
    #[must_use]
    pub fn has_no_body(&self) -> bool {
        let Message { text, html, data, .. } = &self.message;
        text.is_empty() && html.is_none() && data.is_none()
    }

    /// Whether it was sent so long ago that its bodies were deleted. Only for a message read with its bodies.
    #[must_use]
    pub fn is_body_deleted(&self) -> bool {
        self.state == OutboxState::Sent && self.has_no_body()
    }
}
