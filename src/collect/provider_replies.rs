//! The replies to one search of a provider, and how far back they reach.

use super::look_back::ReplySpan;
use crate::model::{Finding, Micros, QueryHistory, Time, WindowFit};
use crate::search::kinds::{ProviderRequest, SearchCall};

/// The replies, and what else is known about them.
#[derive(Clone, Copy)]
pub(super) struct Replies<'a> {
    pub(super) parts: &'a [SearchCall],
    /// How many calls were answered well.
    pub(super) answered: u32,
    /// The cost of the other tries.
    pub(super) beside: Micros,
    /// When the last call was made.
    pub(super) sent_at: Time,
    pub(super) recall: &'a QueryHistory,
}

impl Replies<'_> {
    /// Returns the start of what a reply covers, if the reply itself only says how far it looked back: "the past 24
    /// hours" counts from the call, and a run may wait for its place.
    pub(super) fn begin(
        &self,
        reply_span: ReplySpan,
        since: Time,
        request: &ProviderRequest<'_>,
        findings: &[Finding],
    ) -> Option<Time> {
        let since = since.plus(self.sent_at.since(request.now)).max(request.span.from);
        match reply_span {
            ReplySpan::Whole => Some(since),
            ReplySpan::FromOldest => {
                let inside = findings.iter().filter(|finding| finding.fit == WindowFit::In);
                inside.filter_map(|finding| finding.found.published_at).min().map(|oldest| oldest.max(since))
            }
            ReplySpan::Sample | ReplySpan::Nothing => None,
        }
    }
}
