//! Reads stored replies again with the current decoder, run by run and without any call. The store adds what is new to
//! a run and removes nothing.

use super::outcome::run_outcome;
use super::providers::stored_calls;
use super::{Ingested, Reading, group, ingest};
use crate::model::{LookBack, Time, Window};
use crate::search::decode::ContentType;
use crate::search::{ErrorClass, kinds};
use crate::store::{ReplayChanges, ReplayedRun, Store, StoreError, StoredReply, StoredRun, unpack};

/// Which runs are read again, and how.
#[derive(Debug, Clone, Copy)]
pub struct ReplayOptions<'a> {
    /// Only runs that started at this time or later.
    pub since: Time,
    /// Only these topics; all if empty.
    pub topics: &'a [String],
    /// The social platform.
    pub platform: &'a str,
    /// Whether nothing is written.
    pub dry_run: bool,
}

/// A named reader that has already read runs to which something was added.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct OutdatedReader {
    pub reader: String,
    /// Changed runs that it has already read.
    pub runs: u64,
    /// Sightings added to these runs, which it has not read.
    pub sightings: u64,
}

/// The result of a replay.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Replayed {
    /// Runs that were read again.
    pub runs: u64,
    /// The number of these runs that changed.
    pub changed_runs: u64,
    /// Replies that were read.
    pub replies: u64,
    /// Replies that this decoder cannot read either.
    pub unreadable: u64,
    /// Replies that were cut when stored, or arrived cut.
    pub cut: u64,
    /// Answered searches whose replies are no longer stored.
    pub pruned: i64,
    #[serde(flatten)]
    pub changed: ReplayChanges,
    /// Readers that will not notice the changes by themselves.
    pub behind: Vec<OutdatedReader>,
    /// Whether it ended before the last run.
    pub interrupted: bool,
}

/// Reads the replies of runs again, oldest first, until none is left or `enough` returns true.
pub async fn replay(
    store: &Store,
    again: &ReplayOptions<'_>,
    enough: &(dyn Fn() -> bool + Send + Sync),
    mut report_progress: impl FnMut(&Replayed),
) -> Result<Replayed, StoreError> {
    let cursors = store.cursors().await?;
    let mut total = Replayed { pruned: store.pruned_replies(again.since, again.topics).await?, ..Replayed::default() };
    total.behind =
        cursors.iter().map(|(reader, _)| OutdatedReader { reader: reader.clone(), runs: 0, sightings: 0 }).collect();
    let mut after = 0;
    while let Some((run, replies)) = store.next_replayable(after, again.since, again.topics).await? {
        if enough() {
            total.interrupted = true;
            break;
        }
        after = run.seq;
        let read = parse_replies(&run, &replies, again.platform, &mut total);
        let changed = store.replay_run(&run, &read, again.dry_run).await?;
        crate::failpoint::at("replay/run");
        total.runs += 1;
        total.changed.add(&changed);
        if changed.is_changed() {
            total.changed_runs += 1;
            for ((_, seq), behind) in cursors.iter().zip(&mut total.behind).filter(|((_, seq), _)| *seq >= run.seq) {
                tracing::debug!(reader = behind.reader, seq, run = run.public_id, "has already reported this run");
                behind.runs += 1;
                behind.sightings += changed.sightings;
            }
        }
        report_progress(&total);
    }
    total.behind.retain(|behind| behind.runs > 0);
    Ok(total)
}

fn parse_replies(run: &StoredRun, replies: &[StoredReply], platform: &str, total: &mut Replayed) -> ReplayedRun {
    let (mut findings, mut answer, mut readable) = (Vec::new(), None, Vec::new());
    for reply in replies {
        total.replies += 1;
        let Some(ingested) = read(reply, platform) else {
            tracing::debug!(run = run.public_id, source = %reply.source, "its reply cannot be read");
            total.unreadable += 1;
            continue;
        };
        total.cut += u64::from(reply.truncated || ingested.failure.is_some());
        readable.push(reply.as_read(ingested.unreadable));
        findings.extend(ingested.findings);
        answer = ingested.answer.or(answer);
    }
    let items = group(findings);
    let answer = answer.map(|answer| {
        let cited = run_outcome::cited(&answer, &items);
        (answer, cited)
    });
    ReplayedRun {
        items,
        replies: readable,
        answer,
        key_version: crate::normalise::KEY_VERSION,
        judge: Some(crate::sentiment::judge),
    }
}

/// Reads a stored reply; `None` if it cannot be read. Findings are judged by the time of its run.
pub(super) fn read(reply: &StoredReply, platform: &str) -> Option<Ingested> {
    let body = unpack(&reply.body)?;
    if !reply.source.is_service() {
        return read_provider(reply, &body);
    }
    // Only two fields of the request are needed. Without them the reply is read as a plain one, by its shape.
    let request: serde_json::Value = serde_json::from_str(&reply.request).unwrap_or_default();
    let limit = request.get("limit").and_then(serde_json::Value::as_u64).and_then(|limit| u32::try_from(limit).ok());
    let context = Reading {
        source: reply.source,
        seen_at: reply.seen_at,
        span: reply
            .asked
            .unwrap_or_else(|| LookBack::from(reply.window.unwrap_or(Window::Past24Hours)).span(reply.seen_at)),
        platform,
        streaming: request.get("streaming").and_then(serde_json::Value::as_bool).unwrap_or(false),
        media: ContentType::of(&serde_json::from_str::<Vec<(String, String)>>(&reply.headers).unwrap_or_default()),
        // Also a reply that was cut when stored: its end is missing too.
        cut: reply.truncated.then_some(ErrorClass::Cut),
        limit,
    };
    ingest(&body, &context).ok()
}

/// Reads a search that a provider answered in several replies.
fn read_provider(reply: &StoredReply, body: &[u8]) -> Option<Ingested> {
    let kept: stored_calls::StoredRequest = serde_json::from_str(&reply.request).ok()?;
    let kind = kinds::named(&kept.query.kind)?;
    let all = stored_calls::read(&kept.query, body)?;
    let (query, span) = (&kept.query, kept.span());
    let request = kinds::ProviderRequest { query, span, now: reply.seen_at, memory: &kept.memory, items: &kept.items };
    super::read_provider(kind, reply.source, &request, &all).ok()
}
