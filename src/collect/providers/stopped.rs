//! A search that ends before its last call: the reason, and the result.

use crate::collect::outcome::search_outcome::{self, Fetched};
use crate::model::SearchState;
use crate::search::{CallError, ErrorClass};

/// Why a further call was not made.
pub(super) enum Stopped {
    OverQuota(String),
    /// Why, and how the try before it failed.
    ProviderRefusal(String, Option<Box<CallError>>),
    Ended(SearchState, &'static str),
}

/// Ends a search before its last call: the replies so far are kept, and nothing is claimed as covered.
pub(super) fn cut_off(fetched: &mut Fetched, stopped: &Stopped) {
    let result = &mut fetched.result;
    result.covered = None;
    match stopped {
        Stopped::OverQuota(why) => (result.state, result.reason) = (SearchState::OverQuota, Some(why.clone())),
        Stopped::ProviderRefusal(why, _) => {
            // Nothing was searched yet.
            result.state = if result.state == SearchState::Empty { SearchState::Error } else { result.state };
            result.error = Some((ErrorClass::BadRequest.as_str().to_owned(), why.clone()));
        }
        Stopped::Ended(state, why) => {
            result.state = *state;
            let class =
                if *state == SearchState::Lost { search_outcome::INTERRUPTED } else { ErrorClass::Timeout.as_str() };
            result.error = Some((class.to_owned(), (*why).to_owned()));
        }
    }
}
