//! The replies to one search of a provider, and how far back they reach.

use crate::budget::Price;
use crate::collect::look_back::ReplySpan;
use crate::collect::outcome::search_outcome::{charge, paid, settle};
use crate::model::{Finding, Micros, QueryHistory, Time, WindowFit};
use crate::search::Spent;
use crate::search::kinds::{Kind, ProviderRequest, ReadResult, SearchCall};
use crate::store::SearchResult;

/// The replies, and what else is known about them.
#[derive(Clone, Copy)]
pub(in crate::collect) struct Replies<'a> {
    pub(in crate::collect) parts: &'a [SearchCall],
    /// How many calls were answered, even in part.
    pub(in crate::collect) answered: u32,
    /// The cost of the other tries.
    pub(in crate::collect) beside: Spent,
    /// The expected price of a call.
    pub(in crate::collect) expected: Micros,
    /// When the last call was made.
    pub(in crate::collect) sent_at: Time,
    pub(in crate::collect) recall: &'a QueryHistory,
}

impl Replies<'_> {
    /// Sets the cost of a search whose replies were read.
    pub(in crate::collect) fn charge(&self, result: &mut SearchResult, read: &ReadResult, found: usize, price: &Price) {
        let rest = self.beside.counted(self.expected);
        match read.reply.cost {
            Some(cost) => {
                // The cost of replies that stated none.
                let others = price.of(self.answered.saturating_sub(1), 0, 0);
                let unknown = self.beside.unknown.saturating_add(u32::from(others > Micros(0)));
                paid(result, cost.plus(others).plus(rest), Spent { unknown, ..self.beside });
            }
            None => charge(result, price.of(self.answered, found, read.tokens).plus(rest)),
        }
    }

    /// Sets the cost of a search whose replies could not be read.
    pub(super) fn charge_unreadable(&self, result: &mut SearchResult, kind: &'static dyn Kind, price: &Price) {
        let rest = self.beside.counted(self.expected);
        match (self.answered, kind.billed(self.parts), kind.tokens(self.parts)) {
            (0, ..) => settle(result, self.beside, self.expected),
            (_, Some(billed), _) => paid(result, billed.plus(rest), self.beside),
            // The billed cost is unknown: each reply keeps the expected price.
            (answered, None, 0) => charge(result, self.expected.times(i64::from(answered)).plus(rest)),
            (answered, None, tokens) => charge(result, price.of(answered, 0, tokens).plus(rest)),
        }
    }

    /// Returns the start of what a reply covers, if the reply itself only says how far it looked back: "the past 24
    /// hours" counts from the call, and a run may wait for its permit.
    pub(in crate::collect) fn begin(
        &self,
        reply_span: ReplySpan,
        since: Time,
        request: &ProviderRequest<'_>,
        findings: &[Finding],
    ) -> Option<Time> {
        let since = since.plus(self.sent_at.since(request.now)).max(request.span.from);
        match reply_span {
            ReplySpan::Whole => Some(since),
            ReplySpan::FromOldest | ReplySpan::Unfiltered => {
                let inside = findings.iter().filter(|finding| finding.fit == WindowFit::In);
                inside.filter_map(|finding| finding.found.published_at).min().map(|oldest| oldest.max(since))
            }
            ReplySpan::Sample | ReplySpan::Nothing => None,
        }
    }
}
