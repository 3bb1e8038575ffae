//! A request that somebody made on a page, and its outcome.

use crate::model::{Time, closed_list};

closed_list! {
    /// The kinds of requests.
    RequestKind {
        /// Run a topic, report or export now, or test a channel.
        RunNow = "run_now",
        /// Pause a topic.
        Pause = "pause",
        Resume = "resume",
        /// Acknowledge the events of an alert.
        Ack = "ack",
        /// Snooze an alert.
        Snooze = "snooze",
        /// End an alert's snooze.
        Unsnooze = "unsnooze",
    }
}

impl RequestKind {
    /// Whether the request is about an alert.
    #[must_use]
    pub fn is_for_alert(self) -> bool {
        matches!(self, Self::Ack | Self::Snooze | Self::Unsnooze)
    }
}

closed_list! {
    /// The outcome of a request.
    RequestState {
        /// Not processed yet.
        Queued = "queued",
        /// It was done.
        Done = "done",
        /// It could not be done.
        Refused = "refused",
    }
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlRequest {
    pub kind: RequestKind,
    /// The topic's id, the alert's name, another job (`report:daily`) or a channel (`channel:mail`).
    pub of: String,
    /// The event to acknowledge; `None` means all events of the alert.
    pub event: Option<String>,
    /// The length of the snooze, in milliseconds.
    pub length_ms: Option<i64>,
}

impl ControlRequest {
    /// A request without further arguments.
    #[must_use]
    pub fn plain(kind: RequestKind, of: &str) -> Self {
        Self { kind, of: of.to_owned(), event: None, length_ms: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Its id, which is also the id of the requested run.
    pub id: String,
    pub request: ControlRequest,
    pub asked_at: Time,
    pub state: RequestState,
    pub answer: Option<String>,
}
