//! How far back each call can look. A pure table of what the calls support; `collect` decides whether a run should look
//! further back.

use std::time::Duration;

use super::{Ask, Dialect};
use crate::model::{LookBack, SocialOperation, SocialQuery, Window, covers_spans};

/// How much longer a gap may be than the time between its two slots: runs start after their slots, and the last minutes
/// before a search never count as covered.
const AROUND: Duration = Duration::from_secs(3_600);

/// How a call states how far back it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LooksBack {
    /// Not at all: its reply is about the moment of the call.
    Unsaid,
    /// One of the contract's two windows.
    Windows,
    /// Whole days only.
    Dates,
    /// Any instant.
    Since,
}

/// Returns how the call for this ask states how far back it looks.
#[must_use]
pub fn looks_back(dialect: Dialect, ask: &Ask) -> LooksBack {
    match (dialect, ask) {
        (_, Ask::Social(query, _)) => match (query.operation, dialect) {
            (SocialOperation::Posts, _) => LooksBack::Unsaid,
            (SocialOperation::Search, Dialect::Spec) => LooksBack::Windows,
            (SocialOperation::Search, Dialect::Desearch) | (SocialOperation::Basic, _) => LooksBack::Dates,
        },
        (_, Ask::Provider(query, _)) if covers_spans(&query.kind) => LooksBack::Since,
        (_, Ask::Provider(..)) => LooksBack::Unsaid,
        (Dialect::Desearch, Ask::Ai(..)) => LooksBack::Dates,
        (Dialect::Spec, Ask::Ai(..)) | (_, Ask::Web(_)) => LooksBack::Unsaid,
    }
}

/// Returns how the call for this ask could look back further than the window; `None` when it cannot.
#[must_use]
pub fn looks_further(dialect: Dialect, ask: &Ask, window: Window) -> Option<LooksBack> {
    match looks_back(dialect, ask) {
        LooksBack::Unsaid => None,
        LooksBack::Windows if window == Window::Past7Days => None,
        reach => Some(reach),
    }
}

/// Whether a run fills a gap of this length between two slots by itself, when runs look back at most `catch_up`.
#[must_use]
pub fn makes_up_for(dialect: Dialect, query: &SocialQuery, window: Window, gap: Duration, catch_up: Duration) -> bool {
    let ask = Ask::Social(query.clone(), LookBack::Window(window));
    gap.saturating_add(AROUND) <= catch_up && looks_further(dialect, &ask, window).is_some()
}
