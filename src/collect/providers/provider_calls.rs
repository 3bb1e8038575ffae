//! A search that may take several calls: asks its kind for the next calls until there are none, then reads all replies.
//! Each call is counted before it is made, like any other. `search::kinds` has the protocols.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::StreamExt as _;

use super::begun_call::BegunCall;
use super::provider::{ProviderAnswer, ProviderQueryContext, ProviderState};
use super::stopped::{Stopped, cut_off};
use super::{provider_replies::Replies, stored_calls};
use crate::collect::fetch::CallGate;
use crate::collect::ingest::read_parts;
use crate::collect::limits::refused::not_retried;
use crate::collect::look_back::{ReplySpan, indexing_delay, saturation};
use crate::collect::outcome::search_outcome::{
    self, abandoned, failed, left_out, not_run, operation, unconfigured, unsupported, words,
};
use crate::collect::{Collector, Stop};
use crate::model::{NO_COMMON_TIME, QueryHistory, ResultKind, SearchState, Span, Time, covers_spans};
use crate::search::kinds::{self, CallTarget, Kind, MOST_PARTS, ProviderRequest, SearchCall, SpanCoverage};
use crate::search::{CallFailure, RUN_TIMEOUT, Request, Spent, Unsupported};
use crate::store::{Call, RunRef, StoreError};

/// The most calls of one search side by side; the provider's own limit applies too.
const WIDTH: usize = 16;

/// The answered calls of a search, why it ended before its last call, and the calls that did not end in the time of the
/// run.
type CallsMade = (Vec<SearchCall>, Option<Stopped>, Vec<CallTarget>);

impl Collector {
    pub(in crate::collect) async fn ask_provider(
        &self,
        run: &RunRef,
        asking: &ProviderQueryContext<'_>,
        seen_at: Time,
        stop: &Stop,
    ) -> Result<ProviderAnswer, StoreError> {
        let ProviderQueryContext { source, ask: search_query, query, over, items, .. } = *asking;
        if stop.cancel.is_cancelled() {
            return Ok(not_run(source, search_query, search_outcome::INTERRUPTED).into());
        }
        let Some(served) = self.served(source) else { return Ok(unconfigured(source, search_query).into()) };
        if let Some(refused) = served.refused_at(source, self.now()) {
            return Ok(left_out(source, search_query, refused).into());
        }
        let Some(kind) = kinds::named(&query.kind) else {
            let message = format!("this version does not support providers of kind `{}`", query.kind);
            let hint = "upgrade topicwatch, or remove the source from the topic".to_owned();
            return Ok(unsupported(source, search_query, Unsupported { message, hint }).into());
        };
        let memory = self.store.provider_memory(&run.topic.id, source).await?;
        let request = ProviderRequest { query, span: over.span(seen_at), now: seen_at, memory: &memory, items };
        let call = Call {
            source,
            operation: operation(search_query),
            query: words(search_query),
            price: served.price.expected(query.entries(), query.tokens()),
        };
        let gate = self.ledger(run, call, served);
        let started = tokio::time::Instant::now();
        let called = self.all_parts(kind, &request, served, &gate, stop).await?;
        let took = started.elapsed();
        crate::failpoint::at_of("call/replied", &run.topic.id);
        let was_tried = gate.tries_made.load(Ordering::Relaxed) > 0;
        let (parts, stopped, unended) = match called {
            Ok(called) => called,
            Err(wrong) => return Ok(unsupported(source, search_query, wrong).into()),
        };
        let sent_at = was_tried.then(|| Time(gate.sent_at.load(Ordering::Relaxed)));
        let recalls = covers_spans(&query.kind) && query.result_kind() == ResultKind::Posts;
        let recall = match not_run(source, search_query, "").question() {
            question if recalls && !parts.is_empty() => {
                self.store.query_history(&run.topic.id, &question, request.span, request.now).await?
            }
            _ => QueryHistory::default(),
        };
        let answered = u32::try_from(parts.iter().filter(|part| part.is_answered()).count()).unwrap_or(u32::MAX);
        let replies = Replies {
            parts: &parts,
            answered,
            beside: gate.spent_beside(answered),
            expected: served.price.expected(query.entries(), query.tokens()),
            sent_at: sent_at.unwrap_or(seen_at),
            recall: &recall,
        };
        let mut answered = match (&stopped, parts.is_empty()) {
            (None, true) => not_run(source, search_query, "nothing is due: the feeds asked for a pause").into(),
            (Some(stopped), true) => self.unanswered(asking, served, stopped, (was_tried, gate.spent_beside(0))),
            (_, false) => {
                let answer = self.read(kind, asking, &request, &replies, served);
                let forgotten = self.forgotten_keys(&answer.findings, &recall).await?;
                if forgotten.is_empty() {
                    answer
                } else {
                    // They change what it covers.
                    let recall = &QueryHistory { forgotten, ..recall.clone() };
                    self.read(kind, asking, &request, &Replies { recall, ..replies }, served)
                }
            }
        };
        if let (Some(stopped), false) = (&stopped, parts.is_empty()) {
            cut_off(&mut answered.fetched, stopped, served.refused_at(source, self.now()));
        }
        if let Some(Stopped::OverQuota(_)) = &stopped {
            let exhausted = gate.exhausted.lock().ok().and_then(|exhausted| *exhausted);
            answered.fetched.result.clears_at = exhausted.and_then(|what| what.clears_at);
            answered.fetched.result.reason =
                exhausted.map(|what| what.message_for(source.provider())).or(answered.fetched.result.reason);
            answered.fetched.hint = exhausted.map(|what| what.hint_for(source.provider()));
        }
        answered.memory.extend(kind.remember_unended(&request, &parts, &unended));
        answered.fetched.sent_at = sent_at;
        let latency = i64::try_from(took.as_millis()).ok().filter(|_| !parts.is_empty());
        answered.fetched.result.latency_ms = latency.or(answered.fetched.result.latency_ms);
        if was_tried {
            answered.fetched.result.requested_span = covers_spans(&query.kind).then_some(request.span);
        }
        Ok(answered)
    }

    /// Makes calls until there is nothing more to ask. Also returns those that did not end in the time of the run.
    async fn all_parts(
        &self,
        kind: &'static dyn Kind,
        request: &ProviderRequest<'_>,
        served: &ProviderState,
        gate: &CallGate,
        stop: &Stop,
    ) -> Result<Result<CallsMade, Unsupported>, StoreError> {
        let mut parts: Vec<SearchCall> = Vec::new();
        loop {
            let next = match kind.next(request, &parts) {
                Ok(next) => next,
                // The replies before it are still good.
                Err(_) if !parts.is_empty() => return Ok(Ok((parts, None, Vec::new()))),
                Err(wrong) => return Ok(Err(wrong)),
            };
            let room = MOST_PARTS.saturating_sub(parts.len());
            if next.is_empty() || room == 0 {
                return Ok(Ok((parts, None, Vec::new())));
            }
            let (is_over, failed_calls) = (AtomicBool::new(false), &Mutex::<Vec<SearchCall>>::default());
            let calls = next.into_iter().take(room).enumerate().take_while(|_| !is_over.load(Ordering::Relaxed));
            let calls = calls.map(|(place, part)| async move {
                let call = BegunCall::of(&part, gate, kind, failed_calls);
                // It would wait for its turn in vain.
                if call.is_held_up() {
                    return None;
                }
                let called = self.call_one(part, served, &call, stop).await;
                (!call.was_held_up()).then(|| (place, call.target(), called))
            });
            let mut calls = futures_util::stream::iter(calls).buffer_unordered(WIDTH);
            let (mut arrived, mut ended, mut unended) = (Vec::new(), None, Vec::new());
            // In any order: a reply must not be lost because an earlier call hangs until the run ends. Calls under way
            // may be billed, so they end as usual when another is refused.
            while let Some(ended_call) = calls.next().await {
                let Some((place, target, called)) = ended_call else { continue };
                match called? {
                    Ok(part) => {
                        if let (Err(_), Ok(mut failed_calls)) = (&part.reply, failed_calls.lock()) {
                            failed_calls.push(part.clone());
                        }
                        arrived.push((place, part));
                    }
                    Err(stopped) => {
                        is_over.store(true, Ordering::Relaxed);
                        unended.extend(target.filter(|_| matches!(stopped, Stopped::Ended(SearchState::Error, _))));
                        ended.get_or_insert(stopped);
                    }
                }
            }
            drop(calls);
            arrived.sort_by_key(|(place, _)| *place);
            parts.extend(arrived.into_iter().map(|(_, part)| part));
            if ended.is_some() {
                // A call that is being counted may already be on record.
                gate.counting.close();
                gate.counting.wait().await;
                return Ok(Ok((parts, ended, unended)));
            }
        }
    }

    async fn call_one(
        &self,
        request: Request,
        served: &ProviderState,
        begun: &BegunCall<'_>,
        stop: &Stop,
    ) -> Result<Result<SearchCall, Stopped>, StoreError> {
        let called = tokio::select! {
            biased;
            () = stop.cancel.cancelled() => {
                return Ok(Err(Stopped::Ended(SearchState::Lost, search_outcome::INTERRUPTED)));
            }
            () = tokio::time::sleep_until(stop.deadline) => {
                return Ok(Err(Stopped::Ended(SearchState::Error, RUN_TIMEOUT)));
            }
            called = served.client.call(&request, begun, &*self.random, &*self.clock) => called,
        };
        match called {
            Ok(reply) => Ok(Ok(SearchCall::answered(request, reply))),
            Err(CallFailure::Refused(refusal)) => {
                if let Some(error) = refusal.cause.as_ref().and_then(|cause| cause.downcast_ref::<StoreError>()) {
                    return Err(error.clone());
                }
                Ok(Err(match refusal.over_quota {
                    true => Stopped::OverQuota(refusal.text),
                    false => Stopped::ProviderRefusal(refusal.text, refusal.tried),
                }))
            }
            Err(CallFailure::Error(error)) => {
                served.learn(begun.gate.source(), &error, self.now(), begun.gate.is_on_one_server());
                Ok(Ok(SearchCall::failed(request, *error)))
            }
        }
    }

    /// Returns a search that had to end before any call was answered.
    fn unanswered(
        &self,
        asking: &ProviderQueryContext<'_>,
        served: &ProviderState,
        stopped: &Stopped,
        (was_tried, spent): (bool, Spent),
    ) -> ProviderAnswer {
        let ProviderQueryContext { source, ask: search_query, query, .. } = *asking;
        let price = served.price.expected(query.entries(), query.tokens());
        match stopped {
            Stopped::OverQuota(why) => {
                let mut fetched = not_run(source, search_query, why);
                fetched.result.state = SearchState::OverQuota;
                search_outcome::settle(&mut fetched.result, spent, price);
                fetched.into()
            }
            Stopped::ProviderRefusal(why, tried) => {
                let mut fetched = match (served.refused_at(source, self.now()), tried.as_deref()) {
                    (refused, Some(error)) => failed(source, search_query, price, not_retried(error, refused, why)),
                    (Some(refused), None) => left_out(source, search_query, refused),
                    (None, None) => not_run(source, search_query, why),
                };
                // Another of its calls may have been made.
                if was_tried {
                    fetched.result.state = SearchState::Error;
                    search_outcome::settle(&mut fetched.result, spent, price);
                }
                fetched.into()
            }
            Stopped::Ended(SearchState::Lost, why) if !was_tried => not_run(source, search_query, why).into(),
            Stopped::Ended(state, why) => abandoned(source, search_query, (spent, price), *state, why).into(),
        }
    }

    /// Reads the replies.
    fn read(
        &self,
        kind: &'static dyn Kind,
        asking: &ProviderQueryContext<'_>,
        request: &ProviderRequest<'_>,
        replies: &Replies<'_>,
        served: &ProviderState,
    ) -> ProviderAnswer {
        let Replies { parts, recall, .. } = *replies;
        let mut fetched = not_run(asking.source, asking.ask, "");
        fetched.result.reason = None;
        fetched.result.http_status = parts.last().map(|part| match &part.reply {
            Ok(reply) => reply.status,
            Err(failure) => failure.status.unwrap_or(0),
        });
        fetched.result.http_status = fetched.result.http_status.filter(|status| *status > 0);
        fetched.invented = parts.iter().filter_map(|part| part.reply.as_ref().ok()).any(stored_calls::invented);
        fetched.result.raw = stored_calls::build_record(kind, request, parts, &self.packer);
        let read = read_parts(kind, asking.source, request, parts);
        let (read, findings, unreadable) = match read {
            Ok(read) => read,
            Err(error) => {
                replies.charge_unreadable(&mut fetched.result, kind, &served.price);
                fetched.result.state = SearchState::Error;
                // The text may quote the reply.
                let text = served.client.redact_key(&error.text);
                fetched.result.error = Some((error.class.as_str().to_owned(), text));
                fetched.hint = Some(error.hint);
                return fetched.into();
            }
        };
        replies.charge(&mut fetched.result, &read, findings.len(), &served.price);
        let result = &mut fetched.result;
        result.unreadable = unreadable;
        result.saturated = read.full;
        let answer = read.reply.answer;
        result.state = match (&read.reply.failure, findings.is_empty() && answer.is_none()) {
            (_, false) => SearchState::Ok,
            (None, true) => SearchState::Empty,
            (Some(_), true) => SearchState::Error,
        };
        result.reason = read.note;
        match read.reply.failure {
            // The replies are stored and count as an answer. The run is partial, and nothing is claimed as covered.
            Some((class, text)) => {
                result.error = Some((class.as_str().to_owned(), text));
                fetched.hint = read.hint;
                fetched.part_of_answer = answer.is_some();
            }
            None if covers_spans(&asking.query.kind) => {
                result.late_ms = indexing_delay::indexing_delay(&findings, recall);
                let late = recall.late.iter().copied().chain(result.late_ms);
                let allowance = indexing_delay::allowance(late);
                let mut until = request.span.until.min(request.now.minus(allowance));
                fetched.empty_in_error = result.state == SearchState::Empty
                    && saturation::of_empty(request.span, recall) == ReplySpan::Nothing;
                let from = match read.coverage {
                    _ if fetched.empty_in_error => None,
                    SpanCoverage::Whole => Some(request.span.from),
                    SpanCoverage::Since(at) => Some(at.max(request.span.from)),
                    SpanCoverage::Between(from, looked) => {
                        until = until.min(looked.minus(allowance));
                        Some(from.max(request.span.from))
                    }
                    SpanCoverage::AsRecalled(at) => {
                        let reply_span = saturation::reply_span(&findings, unreadable, request.span, recall, false);
                        result.saturated |= saturation::is_full(reply_span);
                        let reply_span =
                            saturation::unless_unfiltered(reply_span, &findings, request.span, request.now);
                        if reply_span == ReplySpan::Unfiltered {
                            result.reason = Some(saturation::DATES_IGNORED.to_owned());
                        }
                        replies.begin(reply_span, at, request, &findings)
                    }
                    SpanCoverage::Nothing => None,
                };
                result.covered = from.and_then(|from| Span::new(from, until));
                if matches!(read.coverage, SpanCoverage::Between(..)) && result.covered.is_none() {
                    result.reason.get_or_insert_with(|| NO_COMMON_TIME.to_owned());
                }
                fetched.widened = asking.why.is_some();
                if fetched.empty_in_error {
                    saturation::note_empty(&mut result.reason, asking.why);
                } else if fetched.widened && result.reason.is_none() {
                    result.reason = asking.why.map(str::to_owned);
                }
            }
            None => {}
        }
        ProviderAnswer { fetched, findings, answer, memory: read.memory }
    }
}
