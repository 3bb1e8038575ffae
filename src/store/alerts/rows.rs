//! The changes of an alert check, and where a page of events begins.

use crate::model::{AlertEvent, Firing, Message, Time};

/// The most waiting events returned at once. A message reports them all, but holds no more of those from before.
pub const MOST_WAITING: i64 = 200;

/// The event after which the next page of a list begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventCursor {
    /// When the event happened.
    pub at: Time,
    pub event: String,
}

/// The changes of one check of an alert.
#[derive(Debug, Clone, Default)]
pub struct AlertChange {
    /// The cursor before the check. If the stored cursor differs, nothing is changed.
    pub from: Option<(i64, Time)>,
    /// The cursor after the check.
    pub to: (i64, Time),
    /// The events it found.
    pub events: Vec<AlertEvent>,
    /// Subjects that start to fire.
    pub begun: Vec<Firing>,
    /// Subjects that stop firing.
    pub ended: Vec<String>,
    /// The name of the message, if there is one: it reports all waiting events, new ones included.
    pub reported: Option<String>,
    /// The message, once for each channel.
    pub messages: Vec<Message>,
    /// Why waiting events and queued messages are never sent, if so.
    pub dropped: Option<&'static str>,
}
