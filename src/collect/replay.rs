//! Stored replies read again by today's decoder, a run at a time, without anybody being called. What is added to a run, and
//! that nothing is taken away, is the store's.

use super::{Ingested, Reading, group, ingest, parts_kept, run_outcome};
use crate::model::{LookBack, Time, Window};
use crate::search::decode::Media;
use crate::search::{ErrorClass, kinds};
use crate::store::{Changed, Reread, Store, StoreError, StoredReply, StoredRun, unpack};

/// Which runs are read again, and against what.
#[derive(Debug, Clone, Copy)]
pub struct Again<'a> {
    /// Begun at this instant or later.
    pub since: Time,
    /// Of these topics, or of all.
    pub topics: &'a [String],
    /// The social platform.
    pub platform: &'a str,
    /// Whether nothing is written.
    pub rehearsal: bool,
}

/// A named reader that has told of runs to which something was added.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Behind {
    pub reader: String,
    /// Runs it has told of.
    pub runs: u64,
    /// Sightings of these that it has not.
    pub sightings: u64,
}

/// What became of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Replayed {
    /// Runs that were read again.
    pub runs: u64,
    /// Of these, with anything other than before.
    pub changed_runs: u64,
    /// Replies that were read.
    pub replies: u64,
    /// Replies that cannot be read, by this decoder either.
    pub unreadable: u64,
    /// Replies that were cut before they were kept, or came so.
    pub cut: u64,
    /// Searches that were answered and whose replies are not kept any more.
    pub pruned: i64,
    #[serde(flatten)]
    pub changed: Changed,
    /// Readers that will not hear of them by themselves.
    pub behind: Vec<Behind>,
    /// Ended before the last run.
    pub interrupted: bool,
}

/// Reads the replies of runs again, the oldest first, until there is none left or `enough` says so.
pub async fn replay(
    store: &Store,
    again: &Again<'_>,
    enough: &(dyn Fn() -> bool + Send + Sync),
    mut told: impl FnMut(&Replayed),
) -> Result<Replayed, StoreError> {
    let cursors = store.cursors().await?;
    let mut whole = Replayed { pruned: store.pruned_replies(again.since, again.topics).await?, ..Replayed::default() };
    whole.behind = cursors.iter().map(|(reader, _)| Behind { reader: reader.clone(), runs: 0, sightings: 0 }).collect();
    let mut after = 0;
    while let Some((run, replies)) = store.next_replayable(after, again.since, again.topics).await? {
        if enough() {
            whole.interrupted = true;
            break;
        }
        after = run.seq;
        let read = reread(&run, &replies, again.platform, &mut whole);
        let changed = store.reread(&run, &read, again.rehearsal).await?;
        crate::failpoint::at("replay/run");
        whole.runs += 1;
        whole.changed.add(&changed);
        if changed.any() {
            whole.changed_runs += 1;
            for ((_, seq), behind) in cursors.iter().zip(&mut whole.behind).filter(|((_, seq), _)| *seq >= run.seq) {
                tracing::debug!(reader = behind.reader, seq, run = run.public_id, "has told of this run");
                behind.runs += 1;
                behind.sightings += changed.sightings;
            }
        }
        told(&whole);
    }
    whole.behind.retain(|behind| behind.runs > 0);
    Ok(whole)
}

fn reread(run: &StoredRun, replies: &[StoredReply], platform: &str, whole: &mut Replayed) -> Reread {
    let (mut findings, mut answer, mut readable) = (Vec::new(), None, Vec::new());
    for reply in replies {
        whole.replies += 1;
        let Some(ingested) = read(reply, platform) else {
            tracing::debug!(run = run.public_id, source = %reply.source, "its reply cannot be read");
            whole.unreadable += 1;
            continue;
        };
        whole.cut += u64::from(reply.truncated || ingested.failure.is_some());
        readable.push(reply.read(ingested.unreadable));
        findings.extend(ingested.findings);
        answer = ingested.answer.or(answer);
    }
    let items = group(findings);
    let answer = answer.map(|answer| {
        let cited = run_outcome::cited(&answer, &items);
        (answer, cited)
    });
    Reread {
        items,
        replies: readable,
        answer,
        key_version: crate::normalise::KEY_VERSION,
        judge: Some(crate::sentiment::judge),
    }
}

/// What a stored reply says; `None` when it cannot be read. It is judged by the time of its run.
pub(super) fn read(reply: &StoredReply, platform: &str) -> Option<Ingested> {
    let body = unpack(&reply.body)?;
    if !reply.source.is_service() {
        return read_provider(reply, &body);
    }
    // Of the request only this is needed; without it a reply is read as a plain one, by its shape.
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
        media: Media::of(&serde_json::from_str::<Vec<(String, String)>>(&reply.headers).unwrap_or_default()),
        // Also one that was cut when it was kept: it does not show its end either.
        cut: reply.truncated.then_some(ErrorClass::Cut),
        limit,
    };
    ingest(&body, &context).ok()
}

/// The same of a search that a provider answered in several replies.
fn read_provider(reply: &StoredReply, body: &[u8]) -> Option<Ingested> {
    let kept: parts_kept::Kept = serde_json::from_str(&reply.request).ok()?;
    let kind = kinds::named(&kept.query.kind)?;
    let all = parts_kept::read(&kept.query, body)?;
    let (query, span) = (&kept.query, kept.span());
    let asked = kinds::Asked { query, span, now: reply.seen_at, memory: &kept.memory, items: &kept.items };
    super::read_provider(kind, reply.source, &asked, &all).ok()
}
