//! A search that ends before its last call: the reason, and the result.

use crate::collect::limits::refused::{ProviderRefusal, not_retried};
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

/// Ends a search before its last call: the replies so far are kept, and nothing is claimed as covered. `refused` is the
/// refusal that another search got, if it is still in force.
pub(super) fn cut_off(fetched: &mut Fetched, stopped: &Stopped, refused: Option<ProviderRefusal>) {
    let result = &mut fetched.result;
    result.covered = None;
    match stopped {
        Stopped::OverQuota(why) => (result.state, result.reason) = (SearchState::OverQuota, Some(why.clone())),
        Stopped::ProviderRefusal(why, tried) => {
            // Nothing was searched yet.
            result.state = if result.state == SearchState::Empty { SearchState::Error } else { result.state };
            let (class, text, hint) = match (refused, tried.as_deref()) {
                (refused, Some(error)) => {
                    let error = not_retried(error, refused, why);
                    (error.class.as_str(), error.text, Some(error.hint))
                }
                (Some(refused), None) => (refused.class, refused.reason(), Some(refused.hint)),
                (None, None) => (ErrorClass::BadRequest.as_str(), why.clone(), None),
            };
            result.error = Some((class.to_owned(), text));
            fetched.hint = hint.or(fetched.hint.take());
        }
        Stopped::Ended(state, why) => {
            result.state = *state;
            let class =
                if *state == SearchState::Lost { search_outcome::INTERRUPTED } else { ErrorClass::Timeout.as_str() };
            result.error = Some((class.to_owned(), (*why).to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LookBack, SocialOperation, SocialQuery, Source, Time, Window};
    use crate::search::SearchQuery;

    #[test]
    fn a_search_that_a_refusal_stops_keeps_the_class_and_hint_of_the_refusal() {
        let query = SocialQuery { query: "acme".into(), operation: SocialOperation::Basic, limit: None };
        let query = SearchQuery::Social(query, LookBack::Window(Window::Past24Hours));
        let until = Time(3_600_000);
        let refused = ProviderRefusal {
            class: ErrorClass::RateLimited.as_str(),
            text: "429 Too Many Requests".to_owned(),
            hint: "wait".to_owned(),
            until,
            asked_until: Some(until),
        };
        let mut fetched = search_outcome::not_run(Source::Social, &query, "");
        fetched.result.state = SearchState::Ok;
        let stopped = Stopped::ProviderRefusal(refused.text.clone(), None);
        cut_off(&mut fetched, &stopped, Some(refused));
        let (class, text) = fetched.result.error.unwrap_or_default();
        let why = format!("not called, the service asked to wait until {until}: 429 Too Many Requests");
        assert_eq!((class.as_str(), text, fetched.hint.as_deref()), ("rate_limited", why, Some("wait")));
        assert_eq!(fetched.result.state, SearchState::Ok, "what was found is kept");
    }
}
