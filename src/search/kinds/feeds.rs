//! Feeds: RSS 0.9x to 2.0, RDF, Atom and JSON Feed, any number of them for a topic. Requests are conditional (RFC 9110,
//! section 13), a few redirects are followed, and a feed is not requested before the time it asks for. `entries` reads
//! one feed.

mod continuity;
mod entries;
mod entry_limit;
mod json_feed;
mod memory;
mod messages;
mod namespaces;
mod readable_text;
mod server_waits;
mod shared_addresses;
mod xml_text;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::kind::{
    CallTarget, Kind, MOST_PARTS, PartFailure, PartReply, ProviderRequest, ReadResult, SearchCall, SpanCoverage,
    failed, get,
};
use crate::model::{LISTED_NOTHING, Remembered, ReplyEntry, Time, without_secrets};
use crate::normalise::canonical;
use crate::search::calls::hint::feed_hint;
use crate::search::calls::sent_secrets::without_secrets_of;
use crate::search::decode::DecodeError;
use crate::search::{ErrorClass, Reply, Request, Unsupported};
use continuity::Continuity;
use memory::Memory;
use messages::{NAMED, SHORT, combined_failure, short};
use server_waits::ServerWaits;

/// The maximum number of redirects followed from one address.
const MOST_STEPS: usize = 5;

pub(super) struct Feeds;

impl Kind for Feeds {
    fn name(&self) -> &'static str {
        "feeds"
    }

    fn next(&self, request: &ProviderRequest<'_>, parts: &[SearchCall]) -> Result<Vec<Request>, Unsupported> {
        let remembered: HashMap<&str, &Remembered> =
            request.memory.iter().map(|one| (one.name.as_str(), one)).collect();
        let urls =
            request.query.texts("urls").iter().map(|url| (Memory::read(remembered.get(url.as_str()).copied()), url));
        let mut due: Vec<(Memory, &String)> = urls.filter(|(memory, _)| !memory.is_resting(request.now)).collect();
        // One search may not reach all feeds, so those requested longest ago come first; among those of the same
        // search, the ones that were read.
        due.sort_by_key(|(memory, _)| (memory.last_request(), memory.has_failed()));
        let (mut next, waits) = (Vec::<Request>::new(), ServerWaits::of(parts));
        let mut begun = 0;
        for (memory, url) in &due {
            let step = follow_redirects(request, parts, url);
            let one = match &step {
                Some(Step::Ended(_)) => continue,
                // The target of a redirect is untrusted; the client checks that it is public.
                Some(Step::Onward(to, via)) => {
                    Request { redirected_from: via.clone(), ..feed_request(request, to, Some(memory)) }
                }
                None => feed_request(request, url, Some(memory)),
            };
            let is_asked = next.iter().any(|other| other.address == one.address && other.path == one.path);
            if is_asked || waits.hold(one.address.as_deref()) {
                continue;
            }
            // A call that only reads a redirect is wasted, so no more feeds are started than can be followed to their
            // end.
            if step.is_none() {
                let room = MOST_PARTS.saturating_sub(parts.len() + next.len() - begun);
                if begun >= (room / (MOST_STEPS + 1)).max(1) {
                    break;
                }
                begun += 1;
            }
            next.push(one);
        }
        Ok(next)
    }

    fn read(&self, request: &ProviderRequest<'_>, parts: &[SearchCall]) -> Result<ReadResult, DecodeError> {
        let urls = request.query.texts("urls");
        let (mut items, mut memory) = (Vec::<ReplyEntry>::new(), Vec::<Remembered>::new());
        let mut feeds = Vec::<(&String, FeedResult)>::new();
        let (mut unreached, mut held, mut emptied, waits) = (0, 0, 0, ServerWaits::of(parts));
        // The span known of all feeds begins at their latest start and ends at their earliest look.
        let (mut known, mut full, mut unreadable) = ((Time(i64::MIN), request.now), false, 0_u32);
        let mut narrow = |since: Time, looked: Time| known = (known.0.max(since), known.1.min(looked));
        let (mut troubles, mut moved) = (Vec::<(String, DecodeError)>::new(), Vec::new());
        for url in urls {
            let before = Memory::of(request, url);
            let step = follow_redirects(request, parts, url);
            let Some(Step::Ended(part)) = step else {
                // The feed rests, or its redirect was not followed yet. The next search covers the time since the last
                // look.
                narrow(before.since().unwrap_or(request.now), Time(before.looked));
                if before.is_resting(request.now) {
                    continue;
                }
                let address = match step {
                    Some(Step::Onward(to, _)) => Some(to),
                    _ => feed_request(request, url, None).address,
                };
                unreached += usize::from(!waits.hold(address.as_deref()));
                held += usize::from(waits.hold(address.as_deref()));
                let asked_until = waits.until(address.as_deref());
                memory.extend(asked_until.map(|until| before.held(request.now, until).remember(url)));
                continue;
            };
            let read = match &part.reply {
                Ok(reply) if reply.status == 304 => {
                    narrow(Continuity::unchanged(before.last_look(), request.now).since, request.now);
                    memory.push(before.unchanged(reply, request.now).remember(url));
                    continue;
                }
                Ok(reply) => read_feed(request, part, reply, &before),
                Err(failure) => Err(refused(failure)),
            };
            match read {
                Ok(one) => {
                    unreadable = unreadable.saturating_add(one.unreadable);
                    full |= one.continuity.hole && !one.emptied;
                    emptied += usize::from(one.emptied);
                    narrow(one.continuity.since, request.now);
                    feeds.push((url, one));
                }
                Err(error) => {
                    narrow(before.since().unwrap_or(request.now), Time(before.looked));
                    let asked_until = part.reply.as_ref().err().and_then(|failure| failure.not_before);
                    memory.push(before.failed(request.now, asked_until).remember(url));
                    troubles.push((short(url), error));
                }
            }
            if let Some(to) = moved_for_good(request, parts, url) {
                moved.push(format!("{} moved to {to}", short(url)));
            }
        }
        let more = moved.len().saturating_sub(NAMED);
        let mut notes = moved;
        notes.truncate(NAMED);
        if more > 0 {
            notes.push(format!("{more} more moved"));
        }
        if emptied > 0 {
            notes.push(format!("{emptied} of {} feeds {LISTED_NOTHING}", urls.len()));
        }
        if held > 0 {
            notes.push(format!("{held} of {} feeds were not asked because their server asked to wait", urls.len()));
        }
        if unreached > 0 {
            // Otherwise the run ended before all calls were made, and reports that itself.
            let is_limit = parts.len() >= MOST_PARTS || self.next(request, parts).is_ok_and(|next| next.is_empty());
            let next = match is_limit {
                true => format!(": a search makes at most {MOST_PARTS} calls; the next one begins with them"),
                false => "; the next search begins with those asked longest ago".to_owned(),
            };
            notes.push(format!("{unreached} of {} feeds were not read{next}", urls.len()));
        }
        keep_each_once(&mut feeds);
        for (url, feed) in feeds {
            memory.push(feed.memory.remember(url));
            items.extend(feed.items);
        }
        for (rank, item) in (1..).zip(&mut items) {
            item.rank = rank;
        }
        let failure = combined_failure(&troubles, urls.len());
        let hint = failure.as_ref().map(|error| error.hint.clone());
        let failure = failure.map(|error| (error.class, error.text));
        let coverage = match emptied {
            0 => SpanCoverage::Between(known.0, known.1),
            _ => SpanCoverage::Nothing,
        };
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        let reply = Reply { items, unreadable, failure, ..Reply::default() };
        Ok(ReadResult { reply, coverage, full, memory, tokens: 0, note, hint })
    }

    fn is_held_up(&self, (address, _): &CallTarget, failed: &[SearchCall]) -> bool {
        ServerWaits::of(failed).hold(address.as_deref())
    }

    /// A feed that hangs must not come first each time either: enough such feeds would keep all others from being read.
    fn remember_unended(
        &self,
        request: &ProviderRequest<'_>,
        parts: &[SearchCall],
        unended: &[CallTarget],
    ) -> Vec<Remembered> {
        let hung = |url: &&String| {
            let begun = match follow_redirects(request, parts, url) {
                Some(Step::Ended(_)) => return false,
                Some(Step::Onward(to, _)) => feed_request(request, &to, None),
                None => feed_request(request, url, None),
            };
            unended.iter().any(|(address, path)| *address == begun.address && *path == begun.path)
        };
        let urls = request.query.texts("urls").iter().filter(hung);
        urls.map(|url| Memory::of(request, url).failed(request.now, None).remember(url)).collect()
    }

    fn replay_memory(&self, request: &ProviderRequest<'_>) -> Vec<Remembered> {
        let urls = request.query.texts("urls").iter();
        urls.filter_map(|url| Some(Memory::of(request, url).replay_part()?.remember(url))).collect()
    }
}

/// How far an address has been followed.
enum Step<'p> {
    /// To a reply or a failure.
    Ended(&'p SearchCall),
    /// To a redirect that must still be followed, and the addresses on the way to it.
    Onward(String, Vec<String>),
}

/// Follows an address through the calls made so far; `None` when there was none for it.
fn follow_redirects<'p>(request: &ProviderRequest<'_>, parts: &'p [SearchCall], url: &str) -> Option<Step<'p>> {
    let mut at = feed_request(request, url, None);
    let (mut last, mut via) = (None, Vec::new());
    for _ in 0..=MOST_STEPS {
        let same = |part: &&SearchCall| part.request.address == at.address && part.request.path == at.path;
        let Some(part) = parts.iter().find(same) else {
            let onward = at.address.filter(|address| address != url);
            return onward.map(|to| Step::Onward(to, via));
        };
        last = Some(part);
        via.extend(at.address.clone());
        match part.reply.as_ref().err().and_then(|failure| failure.location.as_deref()) {
            Some(location) => match target(part, location) {
                Some(to) => at = feed_request(request, &to, None),
                None => return Some(Step::Ended(part)),
            },
            None => return Some(Step::Ended(part)),
        }
    }
    // Too many steps: the last redirect is the failure.
    last.map(Step::Ended)
}

/// Returns the target of a redirect, if it is a web address.
fn target(part: &SearchCall, location: &str) -> Option<String> {
    let to = match part.request.address.as_deref().and_then(|address| url::Url::parse(address).ok()) {
        Some(from) => from.join(location).ok()?,
        None => url::Url::parse(location).ok()?,
    };
    (matches!(to.scheme(), "http" | "https") && to.has_host()).then(|| to.into())
}

/// Returns the new address of a feed that has moved permanently, with its scheme, which may be all that changed.
fn moved_for_good(request: &ProviderRequest<'_>, parts: &[SearchCall], url: &str) -> Option<String> {
    let first = feed_request(request, url, None);
    let part = parts.iter().find(|part| part.request.address == first.address && part.request.path == first.path)?;
    let failure = part.reply.as_ref().err().filter(|failure| matches!(failure.status, Some(301 | 308)))?;
    let page = |address: &str| address.split('#').next().map(str::to_owned);
    let to = target(part, failure.location.as_deref()?).filter(|to| page(to) != page(url))?;
    Some(without_secrets(&without_secrets_of(url, &to)).chars().take(SHORT).collect())
}

/// Keeps each entry once, and marks feeds that share entries: which wording arrives depends on the feed that changed.
/// Feeds of one site often differ in the tracking parameters of their links.
fn keep_each_once(feeds: &mut [(&String, FeedResult)]) {
    let mut first = HashMap::<(String, Option<String>), usize>::new();
    let mut overlapping = HashSet::new();
    for (place, (_, feed)) in feeds.iter_mut().enumerate() {
        feed.items.retain(|found| {
            let words = || format!("{:?} {:?}", found.title, found.text);
            let page = found.url.as_deref().map(|url| canonical(url).unwrap_or_else(|| url.to_owned()));
            match first.entry((page.unwrap_or_else(words), found.entry.clone())) {
                Entry::Vacant(entry) => {
                    entry.insert(place);
                    true
                }
                Entry::Occupied(other) => {
                    if *other.get() != place {
                        overlapping.extend([*other.get(), place]);
                    }
                    false
                }
            }
        });
    }
    for (place, (_, feed)) in feeds.iter_mut().enumerate() {
        feed.memory.overlaps |= overlapping.contains(&place);
        for found in &mut feed.items {
            found.excerpt = feed.memory.overlaps;
        }
    }
}

/// Builds a conditional request for a feed. An address without a scheme is relative to the provider's.
fn feed_request(request: &ProviderRequest<'_>, url: &str, memory: Option<&Memory>) -> Request {
    let is_absolute = url.contains("://");
    let path = if is_absolute { String::new() } else { format!("/{}", url.trim_start_matches('/')) };
    let mut headers = vec![(
        "Accept".to_owned(),
        "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5".to_owned(),
    )];
    if let Some(memory) = memory {
        headers.extend(memory.etag.clone().map(|etag| ("If-None-Match".to_owned(), etag)));
        headers.extend(memory.modified.clone().map(|at| ("If-Modified-Since".to_owned(), at)));
    }
    Request { address: is_absolute.then(|| url.to_owned()), headers, ..get(request.query, &path, Vec::new()) }
}

/// The result of reading one feed.
struct FeedResult {
    items: Vec<ReplyEntry>,
    unreadable: u32,
    continuity: Continuity,
    /// Whether it listed nothing, although it had entries before.
    emptied: bool,
    memory: Memory,
}

fn read_feed(
    request: &ProviderRequest<'_>,
    part: &SearchCall,
    reply: &PartReply,
    before: &Memory,
) -> Result<FeedResult, DecodeError> {
    let address = part.request.address.as_deref();
    let mut feed = entries::read(&reply.body, reply.header("content-type"), address, request.now)?;
    let continuity = Continuity::of(before.last_look(), &feed, request.now);
    let emptied = feed.names.is_empty() && !before.newest.is_empty();
    let memory = if emptied {
        before.clone().after_empty_reply(reply, &feed, request.now)
    } else {
        let shared = shared_addresses::mark_shared_addresses(&mut feed, &before.shared);
        before.changed(reply, &feed, continuity.since, shared, request.now)
    };
    Ok(FeedResult { items: feed.items, unreadable: feed.unreadable, continuity, emptied, memory })
}

/// The failure of a call, with a hint about the feed's address instead of the provider's.
fn refused(failure: &PartFailure) -> DecodeError {
    let hint = match (failure.class, failure.status) {
        (ErrorClass::BadRequest, Some(_)) => "check the feed's address; it may have moved",
        // Refused here, with a reason of its own.
        (ErrorClass::BadRequest, None) => &failure.hint,
        (class, _) => feed_hint(class, &failure.text).unwrap_or(&failure.hint),
    };
    DecodeError { hint: hint.to_owned(), ..failed(failure) }
}
