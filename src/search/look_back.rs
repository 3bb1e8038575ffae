//! How far back each call can be told to look. A pure table of what the calls take; whether a run should look further
//! back is `collect`'s decision.

use super::{Ask, Dialect};
use crate::model::{SocialOperation, covers_spans};

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
