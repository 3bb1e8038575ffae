//! Turns a reply into findings: decodes it, gives entries their keys, checks them against the window. Pure: a replay of
//! stored replies uses it without any call.

use crate::model::{Answer, Finding, LookBackKind, Micros, ProviderKind, Source, Span, Time};
use crate::normalise;
use crate::search::ErrorClass;
use crate::search::decode::{self, ContentType, DecodeError, Limits, decode};
use crate::search::kinds::{Kind, ProviderRequest, ReadResult, SearchCall};

/// The context in which a reply is read.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// The source that was asked.
    pub source: Source,
    /// When it was asked.
    pub seen_at: Time,
    /// The span that was asked for.
    pub span: Span,
    /// The social platform.
    pub platform: &'a str,
    /// Whether a stream was asked for.
    pub streaming: bool,
    /// The content type of the reply.
    pub media: ContentType,
    /// Why the body is incomplete, if that is known.
    pub cut: Option<ErrorClass>,
    /// The most entries the reply could hold.
    pub limit: Option<u32>,
}

/// The contents of a reply.
#[derive(Debug, Clone, Default)]
pub struct Ingested {
    /// Its entries, in reply order.
    pub findings: Vec<Finding>,
    pub answer: Option<Answer>,
    /// Number of entries that could not be read.
    pub unreadable: i64,
    /// Whether it has as many entries as it could hold.
    pub saturated: bool,
    /// The cost that the reply itself states.
    pub cost: Option<Micros>,
    /// Why it is incomplete, if it is.
    pub failure: Option<(ErrorClass, String)>,
}

/// Reads a reply's body.
///
/// # Errors
/// If the body is no reply.
pub fn ingest(body: &[u8], context: &Reading<'_>) -> Result<Ingested, DecodeError> {
    let how = decode::Context {
        source: context.source,
        now: context.seen_at,
        streaming: context.streaming,
        media: context.media,
        cut: context.cut,
        limits: Limits::default(),
    };
    let reply = decode(body, &how)?;
    let entries = reply.items.len();
    let mut unreadable = i64::from(reply.unreadable);
    let mut findings = Vec::with_capacity(entries);
    for found in reply.items {
        match normalise::to_finding(context.source, found, context.platform, context.seen_at, context.span) {
            Some(finding) => findings.push(finding),
            None => unreadable += 1,
        }
    }
    if findings.is_empty() && reply.answer.is_none() && reply.failure.is_none() && unreadable > 0 {
        return Err(decode::all_unreadable(unreadable));
    }
    Ok(Ingested {
        findings,
        answer: reply.answer,
        unreadable,
        // An unreadable entry took one of the places too.
        saturated: context.limit.is_some_and(|limit| entries + reply.unreadable as usize >= limit as usize),
        cost: reply.cost,
        failure: reply.failure,
    })
}

/// Reads the replies of a provider as findings. Also returns how many entries could not be read.
pub(super) fn read_parts(
    kind: &dyn Kind,
    source: Source,
    request: &ProviderRequest<'_>,
    parts: &[SearchCall],
) -> Result<(ReadResult, Vec<Finding>, i64), DecodeError> {
    let mut read = kind.read(request, parts)?;
    // An entry that a feed shows for the first time is new, however old it is.
    let feed = ProviderKind::named(kind.name()).is_some_and(|kind| kind.reach == LookBackKind::Feed);
    let inside = if feed { Span { from: Time(0), until: request.span.until } } else { request.span };
    let platform = kind.platform(request.query);
    let mut unreadable = i64::from(read.reply.unreadable);
    let mut findings = Vec::with_capacity(read.reply.items.len());
    for found in std::mem::take(&mut read.reply.items) {
        match normalise::to_finding(source, found, &platform, request.now, inside) {
            Some(finding) => findings.push(finding),
            None => unreadable += 1,
        }
    }
    if findings.is_empty() && read.reply.failure.is_none() && unreadable > 0 {
        return Err(decode::all_unreadable(unreadable));
    }
    Ok((read, findings, unreadable))
}

/// Like `read_parts`, with one result, for callers that store nothing.
///
/// # Errors
/// If nothing in the replies could be read.
pub fn read_provider(
    kind: &dyn Kind,
    source: Source,
    request: &ProviderRequest<'_>,
    parts: &[SearchCall],
) -> Result<Ingested, DecodeError> {
    let (read, findings, unreadable) = read_parts(kind, source, request, parts)?;
    let (saturated, failure) = (read.full, read.reply.failure);
    Ok(Ingested { findings, answer: read.reply.answer, unreadable, saturated, cost: None, failure })
}
