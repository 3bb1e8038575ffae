//! How far back each call can look. A pure table of what the calls support; `collect` decides whether a run should look
//! further back.

use std::time::Duration;

use super::{Dialect, SearchQuery};
use crate::model::{LookBack, SocialOperation, SocialQuery, Window, covers_spans};

/// How much longer a gap may be than the time between its two slots: runs start after their slots, and the last minutes
/// before a search never count as covered.
const AROUND: Duration = Duration::from_secs(3_600);

/// How a call states how far back it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookBackSupport {
    /// Not at all: its reply is about the moment of the call.
    Unsaid,
    /// One of the contract's two windows.
    Windows,
    /// Whole days only.
    Dates,
    /// A point in time.
    Since,
}

/// Returns how the call for this query states how far back it looks.
#[must_use]
pub fn look_back_support(dialect: Dialect, search_query: &SearchQuery) -> LookBackSupport {
    match (dialect, search_query) {
        (_, SearchQuery::Social(query, _)) => match (query.operation, dialect) {
            (SocialOperation::Posts, _) => LookBackSupport::Unsaid,
            (SocialOperation::Search, Dialect::Spec) => LookBackSupport::Windows,
            (SocialOperation::Search, Dialect::Desearch) | (SocialOperation::Basic, _) => LookBackSupport::Dates,
        },
        (_, SearchQuery::Provider(query, _)) if covers_spans(&query.kind) => LookBackSupport::Since,
        (_, SearchQuery::Provider(..)) => LookBackSupport::Unsaid,
        (Dialect::Desearch, SearchQuery::Ai(..)) => LookBackSupport::Dates,
        (Dialect::Spec, SearchQuery::Ai(..)) | (_, SearchQuery::Web(_)) => LookBackSupport::Unsaid,
    }
}

/// Returns how the call for this query could look back further than the window; `None` if it cannot.
#[must_use]
pub fn wider_look_back(dialect: Dialect, search_query: &SearchQuery, window: Window) -> Option<LookBackSupport> {
    match look_back_support(dialect, search_query) {
        LookBackSupport::Unsaid => None,
        LookBackSupport::Windows if window == Window::Past7Days => None,
        reach => Some(reach),
    }
}

/// Whether a run fills a gap of this length between two slots by itself, when runs look back at most `catch_up`.
#[must_use]
pub fn catches_up(dialect: Dialect, query: &SocialQuery, window: Window, gap: Duration, catch_up: Duration) -> bool {
    let search_query = SearchQuery::Social(query.clone(), LookBack::Window(window));
    gap.saturating_add(AROUND) <= catch_up && wider_look_back(dialect, &search_query, window).is_some()
}
