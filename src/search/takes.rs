//! What each call takes of a topic's keys: the bounds of its number, and whether it sends the key at all. A pure table, read
//! by whoever makes a request and by whoever checks a file before anything is asked.

use std::ops::RangeInclusive;

use super::Dialect;
use crate::model::{SocialOperation, WebOperation};

/// How many results the AI search and the link searches take; 5 is refused with 422.
pub(super) const RESULTS: RangeInclusive<u32> = 10..=200;
/// How many posts one page of `/twitter` may hold.
pub(super) const POSTS_A_PAGE: RangeInclusive<u32> = 1..=100;
/// How many pages the contract's web search may be asked for.
const PAGES: RangeInclusive<u32> = 1..=100;

/// Tools of an AI search in the deployed dialect; any other word is refused with 422.
pub const TOOLS: [&str; 7] = ["twitter", "web", "hackernews", "reddit", "wikipedia", "youtube", "arxiv"];

/// The bounds of `social.limit` in the call that serves a topic; `None` when that call sends no number.
#[must_use]
pub fn social_limit(dialect: Dialect, operation: SocialOperation) -> Option<RangeInclusive<u32>> {
    match (dialect, operation) {
        (Dialect::Spec, SocialOperation::Search) => None,
        (Dialect::Desearch, SocialOperation::Search) | (_, SocialOperation::Basic) => Some(POSTS_A_PAGE),
        (_, SocialOperation::Posts) => Some(RESULTS),
    }
}

/// The same of `web.limit`. A topic may want fewer pages than a link search gives; then the least is asked for, since
/// more pages are no loss.
#[must_use]
pub fn web_limit(dialect: Dialect, operation: WebOperation) -> Option<RangeInclusive<u32>> {
    match (dialect, operation) {
        (Dialect::Spec, WebOperation::Search) => Some(PAGES),
        (Dialect::Desearch, WebOperation::Search) | (_, WebOperation::Basic) => None,
        (_, WebOperation::Links) => Some(RESULTS),
    }
}
