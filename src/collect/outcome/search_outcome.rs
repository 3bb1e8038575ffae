//! How a search ended: not made, given up, failed or answered; what it cost, and how much of its reply is kept.
//! `reply_coverage` says what it covered. Makes no call.

use crate::collect::compress::Compressor;
use crate::collect::limits::refused::ProviderRefusal;
use crate::collect::{Settings, ingest};
use crate::model::{
    Answer, Finding, Micros, ProviderKind, QueryHistory, Question, Remembered, SearchState, Source, Span, Time,
};
use crate::search::decode::ContentType;
use crate::search::{
    CallError, ErrorClass, NO_PROVIDER, RawReply, Request, SearchQuery, Spent, Unsupported, cost_in_body,
    hint_for_stored_failure,
};
use crate::store::{RawRecord, SearchResult};

/// Bytes kept of a reply; the rest of a longer one is cut.
pub(in crate::collect) const RAW_KEPT: usize = 4 * 1024 * 1024;

/// Why a search did not run or ended early: the process was asked to stop.
pub(in crate::collect) const INTERRUPTED: &str = "interrupted";

/// Header by which a sandbox at another address is recognised.
pub(in crate::collect) const SANDBOX_HEADER: &str = "x-topicwatch-sandbox";

/// The findings of a run's searches so far.
#[derive(Default)]
pub(in crate::collect) struct RunFindings {
    pub(in crate::collect) searches: Vec<Fetched>,
    pub(in crate::collect) findings: Vec<Finding>,
    pub(in crate::collect) answer: Option<Answer>,
    pub(in crate::collect) memory: Vec<(Source, Remembered)>,
}

/// A search that ended in any way, with the reply that is still to be read.
pub(in crate::collect) struct Fetched {
    pub(in crate::collect) result: SearchResult,
    pub(in crate::collect) hint: Option<String>,
    /// Whether the reply says that a sandbox made it.
    pub(in crate::collect) invented: bool,
    /// Cost of the tries before the answered one.
    earlier: Micros,
    /// When its last try was made; `None` if none was.
    pub(in crate::collect) sent_at: Option<Time>,
    /// Whether it looked back further than its topic says.
    pub(in crate::collect) widened: bool,
    /// Whether it failed, but a part of its answer is kept.
    pub(in crate::collect) part_of_answer: bool,
    /// Whether the reply was empty although posts are known or certain: it covers nothing.
    pub(in crate::collect) empty_in_error: bool,
    reply: Option<(Request, RawReply)>,
}

/// The span of a search.
pub(in crate::collect) struct SearchSpan<'a> {
    /// The span that its request names.
    pub(in crate::collect) requested_span: Option<Span>,
    /// The span for judging its findings if the request names none.
    pub(in crate::collect) otherwise: Span,
    /// Why it is not the topic's window, if it is not.
    pub(in crate::collect) why: Option<&'a str>,
    /// Earlier replies to the same question.
    pub(in crate::collect) recall: QueryHistory,
}

/// Returns a search that was not made.
pub(in crate::collect) fn not_run(source: Source, search_query: &SearchQuery, reason: &str) -> Fetched {
    let result = SearchResult {
        source,
        operation: operation(search_query),
        query: words(search_query),
        state: SearchState::NotRun,
        reason: Some(reason.to_owned()),
        clears_at: None,
        http_status: None,
        latency_ms: None,
        unreadable: 0,
        saturated: false,
        cost: Micros(0),
        cost_basis: "none",
        error: None,
        raw: None,
        requested_span: None,
        covered: None,
        late_ms: None,
    };
    Fetched {
        result,
        hint: None,
        invented: false,
        earlier: Micros(0),
        sent_at: None,
        widened: false,
        part_of_answer: false,
        empty_in_error: false,
        reply: None,
    }
}

/// Returns a search that was not made because every call would be refused.
pub(in crate::collect) fn left_out(source: Source, search_query: &SearchQuery, refused: ProviderRefusal) -> Fetched {
    let mut fetched = not_run(source, search_query, refused.class);
    fetched.result.error = Some((refused.class.to_owned(), refused.reason()));
    fetched.hint = Some(refused.hint);
    fetched
}

/// Returns a search of a provider that this process's configuration does not have.
pub(in crate::collect) fn unconfigured(source: Source, search_query: &SearchQuery) -> Fetched {
    let mut fetched = not_run(source, search_query, "");
    fetched.result.state = SearchState::Error;
    fetched.result.reason = None;
    let text = format!("{NO_PROVIDER} `{}`", source.provider());
    fetched.hint = hint_for_stored_failure(source.provider(), false, ErrorClass::BadRequest.as_str(), None, &text);
    fetched.result.error = Some((ErrorClass::BadRequest.as_str().to_owned(), text));
    fetched
}

/// Returns a search with a query that cannot be asked.
pub(in crate::collect) fn unsupported(source: Source, search_query: &SearchQuery, wrong: Unsupported) -> Fetched {
    let mut fetched = not_run(source, search_query, "unsupported");
    fetched.result.state = SearchState::Error;
    fetched.result.error = Some((ErrorClass::BadRequest.as_str().to_owned(), wrong.message));
    fetched.hint = Some(wrong.hint);
    fetched
}

/// Returns a search that was in progress, or waited for its permit, when the run had to end. Each try may be billed.
pub(in crate::collect) fn abandoned(
    source: Source,
    search_query: &SearchQuery,
    (spent, price): (Spent, Micros),
    state: SearchState,
    why: &str,
) -> Fetched {
    let mut fetched = not_run(source, search_query, why);
    fetched.result.state = state;
    fetched.result.reason = None;
    // A search that a person or the service manager ended did not time out.
    let class = if why == INTERRUPTED { INTERRUPTED } else { ErrorClass::Timeout.as_str() };
    fetched.result.error = Some((class.to_owned(), why.to_owned()));
    fetched.hint = hint_for_stored_failure(source.provider(), false, class, None, why);
    settle(&mut fetched.result, spent, price);
    fetched
}

pub(in crate::collect) fn failed(
    source: Source,
    search_query: &SearchQuery,
    price: Micros,
    error: CallError,
) -> Fetched {
    let mut fetched = not_run(source, search_query, "");
    let result = &mut fetched.result;
    result.state = SearchState::Error;
    result.reason = None;
    result.http_status = error.status;
    result.latency_ms = millis(error.latency);
    match error.spent {
        Spent { billed: Micros(0), unknown: 0 } if error.cost.is_none() => {}
        Spent { billed, unknown: 0 } => (result.cost, result.cost_basis) = (billed, "billed"),
        spent => charge(result, spent.counted(price)),
    }
    result.error = Some((error.class.as_str().to_owned(), error.text));
    fetched.hint = Some(error.hint).filter(|hint| !hint.is_empty());
    fetched
}

pub(in crate::collect) fn answered(
    source: Source,
    search_query: &SearchQuery,
    price: Micros,
    request: Request,
    reply: RawReply,
    dialect: &'static str,
    packer: &Compressor,
) -> Fetched {
    let mut fetched = not_run(source, search_query, "");
    let result = &mut fetched.result;
    result.state = SearchState::Ok;
    result.reason = None;
    result.http_status = Some(reply.status);
    result.latency_ms = millis(reply.latency);
    fetched.earlier = reply.earlier.counted(price);
    match reply.cost {
        Some(cost) => paid(result, cost.plus(fetched.earlier), reply.earlier),
        None => charge(result, price.plus(fetched.earlier)),
    }
    result.raw = compress_reply(&request, &reply, dialect, packer);
    fetched.invented = reply.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(SANDBOX_HEADER));
    fetched.reply = Some((request, reply));
    fetched
}

/// Sets the cost that the service stated. It counts as billed only if every try was answered.
pub(in crate::collect) fn paid(result: &mut SearchResult, cost: Micros, earlier: Spent) {
    (result.cost, result.cost_basis) = (cost, if earlier.unknown == 0 { "billed" } else { "assumed" });
}

/// Sets the cost of a search whose tries were not answered. `price` is that of one whose cost is not known.
pub(in crate::collect) fn settle(result: &mut SearchResult, spent: Spent, price: Micros) {
    match spent {
        Spent { billed: Micros(1..), unknown: 0 } => (result.cost, result.cost_basis) = (spent.billed, "billed"),
        spent => charge(result, spent.counted(price)),
    }
}

pub(in crate::collect) fn charge(result: &mut SearchResult, cost: Micros) {
    if cost > Micros(0) {
        (result.cost, result.cost_basis) = (cost, "assumed");
    }
}

/// Compresses the reply for storage; `None` only if that fails.
fn compress_reply(
    request: &Request,
    reply: &RawReply,
    dialect: &'static str,
    packer: &Compressor,
) -> Option<RawRecord> {
    let kept = reply.body.get(..RAW_KEPT).unwrap_or(&reply.body);
    Some(RawRecord {
        request: serde_json::to_string(request).ok()?,
        dialect,
        headers: serde_json::to_string(&reply.headers).ok()?,
        body: packer.gzip(kept)?,
        bytes: i64::try_from(reply.body.len()).unwrap_or(i64::MAX),
        truncated: kept.len() < reply.body.len() || reply.cut.is_some(),
    })
}

impl Fetched {
    /// Whether there is a reply to decode.
    pub(in crate::collect) fn is_answered(&self) -> bool {
        self.reply.is_some()
    }

    /// Whether the request named a number of entries; `None` without a reply to decode.
    pub(in crate::collect) fn names_limit(&self) -> Option<bool> {
        self.reply.as_ref().map(|(request, _)| request.limit.is_some())
    }

    /// Returns the question that was asked.
    pub(in crate::collect) fn question(&self) -> Question {
        let SearchResult { source, operation, query, .. } = &self.result;
        Question { source: *source, operation: (*operation).to_owned(), query: query.clone() }
    }

    /// Reads the reply, if there is one, adds its content to the run, and sets the search's state.
    pub(in crate::collect) fn ingest(
        mut self,
        seen_at: Time,
        over: &SearchSpan<'_>,
        settings: &Settings,
        findings: &mut Vec<Finding>,
        answer: &mut Option<Answer>,
    ) -> Self {
        if self.sent_at.is_some() {
            self.result.requested_span = over.requested_span;
        }
        let Some((request, reply)) = self.reply.take() else { return self };
        let result = &mut self.result;
        let context = ingest::Reading {
            source: result.source,
            seen_at,
            span: over.requested_span.unwrap_or(over.otherwise),
            platform: &settings.platform,
            streaming: request.streaming,
            media: ContentType::of(&reply.headers),
            cut: reply.cut.as_ref().map(|(class, _)| *class),
            limit: request.limit,
        };
        match ingest(&reply.body, &context) {
            Ok(ingested) => {
                if let (Some(cost), None) = (ingested.cost, reply.cost) {
                    paid(result, cost.plus(self.earlier), reply.earlier);
                }
                result.unreadable = ingested.unreadable;
                result.saturated = ingested.saturated;
                if ingested.findings.is_empty() && ingested.answer.is_none() {
                    result.state = SearchState::Empty;
                }
                if let Some((class, text)) = ingested.failure {
                    result.state = SearchState::Error;
                    // The connection knows better than the body why it broke.
                    let message = reply.cut.filter(|(cut, _)| *cut == class).map_or(text, |(_, why)| why);
                    result.error = Some((class.as_str().to_owned(), message));
                    self.hint = Some(part_kept(class).into());
                    self.part_of_answer = ingested.answer.is_some();
                }
                findings.extend(ingested.findings);
                if ingested.answer.is_some() {
                    *answer = ingested.answer;
                }
            }
            Err(error) => {
                if let (Some(cost), None) = (cost_in_body(&reply.body), reply.cost) {
                    paid(result, cost.plus(self.earlier), reply.earlier);
                }
                result.state = SearchState::Error;
                let message = reply.cut.filter(|(cut, _)| *cut == error.class).map_or(error.text, |(_, why)| why);
                result.error = Some((error.class.as_str().to_owned(), message));
                self.hint = Some(error.hint);
            }
        }
        self
    }
}

/// Returns the hint for a reply that is kept only in part.
fn part_kept(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Timeout => "the part received in time is stored; raise `service.call_timeout` if this repeats",
        _ => "the part received is stored; the next run tries again",
    }
}

/// Returns the operation's name as it is stored.
pub(in crate::collect) fn operation(search_query: &SearchQuery) -> &'static str {
    match search_query {
        SearchQuery::Social(query, _) => query.operation.as_str(),
        SearchQuery::Web(query) => query.operation.as_str(),
        SearchQuery::Ai(..) => "search",
        SearchQuery::Provider(query, _) => ProviderKind::named(&query.kind).map_or("unknown", |kind| kind.name),
    }
}

/// Returns the words of the query.
pub(in crate::collect) fn words(search_query: &SearchQuery) -> String {
    match search_query {
        SearchQuery::Social(query, _) => query.query.clone(),
        SearchQuery::Web(query) => query.query.clone(),
        SearchQuery::Ai(query, _) => query.prompt.clone(),
        SearchQuery::Provider(query, _) => query.query_text(),
    }
}

fn millis(duration: std::time::Duration) -> Option<i64> {
    i64::try_from(duration.as_millis()).ok()
}
