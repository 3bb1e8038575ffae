//! Works out from its reply what a search of the service covered, and writes the note of a reply that covers less than
//! was asked for. Makes no call.

use super::search_outcome::{Fetched, SearchSpan};
use crate::collect::look_back::{self, ReplySpan, indexing_delay, saturation};
use crate::model::{Finding, SearchState, Span, Time};
use crate::search::SearchQuery;

impl Fetched {
    /// Sets what the search covered, by the findings of its own reply; nothing if its request names no span.
    /// `limited`: whether the request named a number of posts.
    pub(in crate::collect) fn set_coverage(
        &mut self,
        search_query: &SearchQuery,
        over: &SearchSpan<'_>,
        own: &[Finding],
        limited: bool,
        seen_at: Time,
    ) {
        let Some(requested) = over.requested_span else { return };
        let result = &mut self.result;
        let mut reply_span = ReplySpan::Whole;
        if matches!(search_query, SearchQuery::Social(..)) && result.state == SearchState::Ok {
            reply_span = if result.saturated {
                saturation::of_full(own, requested, &over.recall)
            } else {
                saturation::reply_span(own, result.unreadable, requested, &over.recall, limited)
            };
            result.saturated = saturation::is_full(reply_span);
            reply_span = saturation::unless_unfiltered(reply_span, own, requested, seen_at);
            if reply_span == ReplySpan::Unfiltered {
                result.reason = Some(saturation::DATES_IGNORED.to_owned());
            }
            result.late_ms = indexing_delay::indexing_delay(own, &over.recall);
        }
        let sent_at = self.sent_at.unwrap_or(seen_at);
        if matches!(search_query, SearchQuery::Social(..)) && result.state == SearchState::Empty {
            // "The past 24 hours" counts from the call, and a run may wait for its permit.
            let from = requested.from.plus(sent_at.since(seen_at)).min(requested.until);
            reply_span = saturation::of_empty(Span { from, ..requested }, &over.recall);
        }
        let when = look_back::SearchTime {
            seen_at,
            sent_at,
            allowance: indexing_delay::allowance(over.recall.late.iter().copied().chain(result.late_ms)),
        };
        result.covered = look_back::covered(search_query, requested, result.state, reply_span, own, when);
        self.widened = over.why.is_some() && requested != over.otherwise;
        let why = over.why.filter(|_| self.widened);
        self.empty_in_error = reply_span == ReplySpan::Nothing;
        if self.empty_in_error {
            saturation::note_empty(&mut result.reason, why);
        } else if why.is_some() && result.error.is_none() {
            result.reason = why.map(str::to_owned);
        }
    }
}
