//! What somebody asked for on a page, and what became of it.

use super::{Time, closed_list};

closed_list! {
    /// What can be asked for.
    RequestKind {
        /// A run of a topic, a report or an export at once, or a test of a channel.
        RunNow = "run_now",
        /// A topic's pause.
        Pause = "pause",
        Resume = "resume",
        /// To be taken at one's word that one knows what an alert saw.
        Ack = "ack",
        /// That an alert tells nobody for a while.
        Snooze = "snooze",
        /// That it tells again.
        Unsnooze = "unsnooze",
    }
}

impl RequestKind {
    /// Whether it is about an alert; about a topic otherwise.
    #[must_use]
    pub fn is_of_alert(self) -> bool {
        matches!(self, Self::Ack | Self::Snooze | Self::Unsnooze)
    }
}

closed_list! {
    /// What became of it.
    RequestState {
        /// Nobody has taken it up yet.
        Queued = "queued",
        /// It was done.
        Done = "done",
        /// It could not be.
        Refused = "refused",
    }
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlRequest {
    pub kind: RequestKind,
    /// Of which topic, or of which alert; of something else by its job (`report:daily`) or as `channel:mail`.
    pub of: String,
    /// The one event that is known; all that an alert saw otherwise.
    pub event: Option<String>,
    /// For how long nobody is to be told, milliseconds.
    pub length_ms: Option<i64>,
}

impl ControlRequest {
    /// Something that needs no more words.
    #[must_use]
    pub fn plain(kind: RequestKind, of: &str) -> Self {
        Self { kind, of: of.to_owned(), event: None, length_ms: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Its id; also that of the run that is asked for.
    pub id: String,
    pub wish: ControlRequest,
    pub asked_at: Time,
    /// What became of it.
    pub state: RequestState,
    pub answer: Option<String>,
}
