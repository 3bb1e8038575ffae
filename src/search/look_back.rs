//! How far back each call can be told to look. A pure table of what the calls take; whether a run should look further
//! back is `collect`'s decision.

use std::time::Duration;

use super::{Ask, Dialect};
use crate::model::{LookBack, SocialOperation, SocialQuery, Window, covers_spans};

/// What a gap is longer by than what lies between two slots, at most: runs begin after their slots, and the last minutes
/// before a search are never claimed.
const AROUND: Duration = Duration::from_secs(3_600);

/// What a call takes to say how far back it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LooksBack {
    /// Nothing: its reply is about the moment it is asked at.
    Unsaid,
    /// One of the contract's two windows.
    Windows,
    /// Only whole days can be asked for.
    Dates,
    /// An instant.
    Since,
}

/// What the call for this ask takes.
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

/// How the call for this ask could look back further than the window; `None` when it could not.
#[must_use]
pub fn looks_further(dialect: Dialect, ask: &Ask, window: Window) -> Option<LooksBack> {
    match looks_back(dialect, ask) {
        LooksBack::Unsaid => None,
        LooksBack::Windows if window == Window::Past7Days => None,
        reach => Some(reach),
    }
}

/// Whether a run makes up for such a gap between two slots by itself, where runs look back over so much.
#[must_use]
pub fn makes_up_for(dialect: Dialect, query: &SocialQuery, window: Window, gap: Duration, catch_up: Duration) -> bool {
    let ask = Ask::Social(query.clone(), LookBack::Window(window));
    gap.saturating_add(AROUND) <= catch_up && looks_further(dialect, &ask, window).is_some()
}
