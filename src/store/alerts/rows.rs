//! What an alert's look changes, and where a page of events begins.

use crate::model::{AlertEvent, Firing, Message, Time};

/// Waiting events that are handed out at once; a message tells of no more.
pub const MOST_WAITING: i64 = 200;

/// Behind which event of a list the next page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPlace {
    /// When it was.
    pub at: Time,
    pub event: String,
}

/// What a look of an alert changes.
#[derive(Debug, Clone, Default)]
pub struct AlertChange {
    /// Where the cursor was; a look from elsewhere changes nothing.
    pub from: Option<(i64, Time)>,
    /// Where it is afterwards.
    pub to: (i64, Time),
    /// What it saw.
    pub events: Vec<AlertEvent>,
    /// What fires from now on.
    pub begun: Vec<Firing>,
    /// Subjects of what fires no more.
    pub ended: Vec<String>,
    /// Waiting events, new ones among them, that a message tells of, and the message's name.
    pub told: Vec<String>,
    /// The message, once for each channel.
    pub messages: Vec<Message>,
}
