//! A second search service, in addition to `[service]`: the same calls, in either dialect, to another address with
//! another key. `spec` and `desearch` build the calls, and `decode` reads the replies.

use super::kind::{Kind, ProviderRequest, ReadResult, SearchCall, SpanCoverage, failed, malformed};
use crate::model::{
    AiQuery, AiWhen, LookBack, Micros, ProviderQuery, SocialOperation, SocialQuery, Source, WebOperation, WebQuery,
    Window,
};
use crate::search::decode::{ContentType, Context, DecodeError, Limits, decode};
use crate::search::request::{desearch, spec};
use crate::search::{Dialect, Reply, Request, Unsupported, cost, covers_window_start};

/// Pages requested by a web search when the topic gives no number.
const PAGES: u32 = 10;

/// One kind of search of a service.
pub(super) struct Service {
    pub(super) name: &'static str,
    pub(super) dialect: Dialect,
    /// The source of `[service]` whose calls and replies are the same.
    pub(super) like: Source,
}

impl Service {
    fn http_request(&self, request: &ProviderRequest<'_>) -> Result<Request, Unsupported> {
        let query = request.query;
        let (window, over) = (window(request), LookBack::Since(request.span.from));
        let http_request = match (self.like, self.dialect) {
            (Source::Social, Dialect::Spec) => spec::social(&platform(query), &social(query), window.into()),
            (Source::Social, Dialect::Desearch) if request.span.until < request.now => {
                desearch::social(&social(query), LookBack::Day(request.span.from.utc_day()), request.now)
            }
            (Source::Social, Dialect::Desearch) => desearch::social(&social(query), over, request.now),
            (Source::Web, Dialect::Spec) => Ok(spec::web(&web(query))),
            (Source::Web, Dialect::Desearch) => Ok(desearch::web(&web(query))),
            (_, Dialect::Spec) => Ok(spec::ai(&ai(query))),
            (_, Dialect::Desearch) => desearch::ai(&ai(query), window.into(), request.now),
        };
        http_request.map(|http_request| Request { source: query.source, ..http_request })
    }

    fn context(&self, request: &ProviderRequest<'_>, part: &SearchCall) -> Context {
        let (media, cut) = match &part.reply {
            Ok(reply) => (ContentType::of(&reply.headers), None),
            Err(failure) => (ContentType::Unsaid, Some(failure.class)),
        };
        let streaming = part.request.streaming;
        Context { source: self.like, now: request.now, streaming, media, cut, limits: Limits::default() }
    }

    /// How much of the span the reply covers. If the call names no number, the length of its reply means nothing by
    /// itself.
    fn coverage(&self, request: &ProviderRequest<'_>, http_request: &Request, reply: &Reply) -> (SpanCoverage, bool) {
        if self.like != Source::Social {
            return (SpanCoverage::Nothing, false);
        }
        let Some(limit) = http_request.limit else {
            return (
                SpanCoverage::AsRecalled(request.span.from.max(request.now.minus(window(request).length()))),
                false,
            );
        };
        let full = reply.items.len() + reply.unreadable as usize >= limit as usize;
        let dates = || reply.items.iter().filter_map(|item| item.published_at);
        if !full || covers_window_start(dates(), request.span.from) {
            return (SpanCoverage::Whole, false);
        }
        let oldest = dates().filter(|at| *at > request.span.from).min();
        (oldest.map_or(SpanCoverage::Nothing, SpanCoverage::Since), true)
    }
}

impl Kind for Service {
    fn name(&self) -> &'static str {
        self.name
    }

    fn platform(&self, query: &ProviderQuery) -> String {
        platform(query)
    }

    fn next(&self, request: &ProviderRequest<'_>, parts: &[SearchCall]) -> Result<Vec<Request>, Unsupported> {
        if parts.is_empty() { Ok(vec![self.http_request(request)?]) } else { Ok(Vec::new()) }
    }

    fn billed(&self, parts: &[SearchCall]) -> Option<Micros> {
        let reply = parts.first()?.reply.as_ref().ok()?;
        cost::in_headers(|name| reply.header(name)).or_else(|| cost::in_body(&reply.body))
    }

    fn read(&self, request: &ProviderRequest<'_>, parts: &[SearchCall]) -> Result<ReadResult, DecodeError> {
        let Some(part) = parts.first() else {
            return Err(malformed("no call was made", "the next run tries again"));
        };
        let context = self.context(request, part);
        let (mut reply, hint) = match &part.reply {
            Ok(reply) => (decode(&reply.body, &context)?, None),
            // The part before the cut is worth keeping.
            Err(failure) => match failure.so_far.as_ref().and_then(|body| decode(body, &context).ok()) {
                Some(reply) => (reply, Some(failure.hint.clone())),
                None => return Err(failed(failure)),
            },
        };
        reply.cost = self.billed(parts).or(reply.cost);
        let (coverage, full) = self.coverage(request, &part.request, &reply);
        Ok(ReadResult { reply, coverage, full, memory: Vec::new(), tokens: 0, note: None, hint })
    }
}

/// The platform of the posts.
fn platform(query: &ProviderQuery) -> String {
    query.text("platform").unwrap_or("X").to_owned()
}

/// The smallest window that holds the span.
fn window(request: &ProviderRequest<'_>) -> Window {
    let day = Window::Past24Hours;
    if request.span.from >= request.now.minus(day.length()) { day } else { Window::Past7Days }
}

fn social(query: &ProviderQuery) -> SocialQuery {
    let text = query.text("query").unwrap_or_default().to_owned();
    SocialQuery { query: text, operation: SocialOperation::Search, limit: query.count("limit") }
}

fn web(query: &ProviderQuery) -> WebQuery {
    let text = query.text("query").unwrap_or_default().to_owned();
    WebQuery { query: text, operation: WebOperation::Search, limit: query.count("limit").unwrap_or(PAGES) }
}

fn ai(query: &ProviderQuery) -> AiQuery {
    AiQuery {
        prompt: query.text("prompt").unwrap_or_default().to_owned(),
        model: query.text("model").unwrap_or("NOVA").to_owned(),
        response_order: None,
        streaming: query.flag("streaming"),
        when: AiWhen::Always,
        count: None,
        tools: query.texts("tools").to_vec(),
    }
}
