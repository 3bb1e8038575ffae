//! What somebody asked for on a page, and what became of it.

use super::{Time, closed_list};

closed_list! {
    /// What can be asked for.
    RequestKind {
        /// A run at once.
        RunNow = "run_now",
        /// A pause.
        Pause = "pause",
        /// Its end.
        Resume = "resume",
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

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Its id; also that of the run that is asked for.
    pub id: String,
    /// What.
    pub kind: RequestKind,
    /// Of which topic.
    pub topic: String,
    /// When.
    pub asked_at: Time,
    /// What became of it.
    pub state: RequestState,
    /// In words.
    pub answer: Option<String>,
}
