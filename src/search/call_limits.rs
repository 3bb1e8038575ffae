//! Which of a topic's keys each call sends, and the bounds of its number. A pure table, used to build requests and to
//! check a configuration before any call.

use std::ops::RangeInclusive;

use super::Dialect;
use crate::model::{SocialOperation, WebOperation};

/// The number of results that AI search and link searches accept; 5 is refused with 422.
pub(super) const RESULTS: RangeInclusive<u32> = 10..=200;
/// The number of posts that one page of `/twitter` may hold.
pub(super) const POSTS_A_PAGE: RangeInclusive<u32> = 1..=100;
/// The number of pages that the contract's web search accepts.
const PAGES: RangeInclusive<u32> = 1..=100;

/// Tools of an AI search in the deployed dialect; any other name is refused with 422.
pub const TOOLS: [&str; 7] = ["twitter", "web", "hackernews", "reddit", "wikipedia", "youtube", "arxiv"];

/// Returns the bounds of `social.limit` in the call for a topic; `None` when that call sends no number.
#[must_use]
pub fn social_limit(dialect: Dialect, operation: SocialOperation) -> Option<RangeInclusive<u32>> {
    match (dialect, operation) {
        (Dialect::Spec, SocialOperation::Search) => None,
        (Dialect::Desearch, SocialOperation::Search) | (_, SocialOperation::Basic) => Some(POSTS_A_PAGE),
        (_, SocialOperation::Posts) => Some(RESULTS),
    }
}

/// The same for `web.limit`. If a topic wants fewer pages than a link search's minimum, the minimum is requested: more
/// pages do no harm.
#[must_use]
pub fn web_limit(dialect: Dialect, operation: WebOperation) -> Option<RangeInclusive<u32>> {
    match (dialect, operation) {
        (Dialect::Spec, WebOperation::Search) => Some(PAGES),
        (Dialect::Desearch, WebOperation::Search) | (_, WebOperation::Basic) => None,
        (_, WebOperation::Links) => Some(RESULTS),
    }
}
