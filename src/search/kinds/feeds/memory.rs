//! The stored state of a feed between two reads: how to ask whether it changed, when to ask again, its newest
//! entries, since when it is known without a gap, and which addresses several entries shared.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::continuity::{Continuity, LastLook, newest};
use super::entries::Feed;
use crate::model::{Remembered, Time};
use crate::search::kinds::date;
use crate::search::kinds::kind::{PartReply, ProviderRequest};

/// A feed that asks for a longer rest is still requested once a day.
const LONGEST_REST: Duration = Duration::from_secs(86_400);

/// How much too early a feed may be requested, in milliseconds: a twentieth of its rest, at most this. Runs start some
/// milliseconds before or after their time; without it, a rest as long as the schedule would skip every second run.
const EARLY: i64 = 30_000;

/// More than the time that a search of feeds leaves unclaimed at its end for late entries, in milliseconds.
const UNCLAIMED: i64 = 600_000;

/// The maximum length of an `ETag` or `Last-Modified` that is sent back, in bytes.
const LONGEST_TAG: usize = 512;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Memory {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) etag: Option<String>,
    /// The `Last-Modified` header, unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) modified: Option<String>,
    /// The feed must not be requested before this time, in milliseconds since the epoch.
    #[serde(default)]
    not_before: i64,
    /// The names of its newest entries.
    #[serde(default)]
    pub(super) newest: Vec<String>,
    /// When the feed was last read, in milliseconds since the epoch.
    #[serde(default)]
    pub(super) looked: i64,
    /// When the feed could not be read last, in milliseconds since the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failed: Option<i64>,
    /// When the feed was last not requested because its server asked to wait, in milliseconds since the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    held: Option<i64>,
    /// Every entry from this time on was seen, in milliseconds since the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<i64>,
    /// The rest that the feed itself asks for, in seconds.
    #[serde(default)]
    rest: u64,
    /// Whether another feed of the topic has an entry of this one, maybe in other words.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) overlaps: bool,
    /// Digests of addresses that several entries shared, the latest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) shared: Vec<String>,
}

impl Memory {
    pub(super) fn of(request: &ProviderRequest<'_>, url: &str) -> Self {
        Self::read(request.memory_of(url))
    }

    pub(super) fn read(remembered: Option<&Remembered>) -> Self {
        remembered.and_then(|one| serde_json::from_str(&one.value).ok()).unwrap_or_default()
    }

    /// Whether the feed is resting now. Not when the clock has stepped back.
    pub(super) fn is_resting(&self, now: Time) -> bool {
        let begun = self.last_request().max(self.held.unwrap_or(0));
        let early = (self.not_before.saturating_sub(begun) / 20).clamp(0, EARLY);
        now.0 < self.not_before - early
            && self.not_before - now.0 <= i64::try_from(LONGEST_REST.as_millis()).unwrap_or(0)
    }

    /// When the feed was last requested, successfully or not. Feeds that fail must not come first each time.
    pub(super) fn last_request(&self) -> i64 {
        self.looked.max(self.failed.unwrap_or(0))
    }

    /// Whether the last request failed.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// The memory after a request that failed. `asked_until`: until when the server asked to wait, if it did.
    pub(super) fn failed(self, now: Time, asked_until: Option<Time>) -> Self {
        let not_before = asked_until.map_or(self.not_before, |at| at.min(now.plus(LONGEST_REST)).0);
        Self { failed: Some(now.0), not_before, ..self }
    }

    /// The memory of a feed that was not requested, because its server asked to wait.
    pub(super) fn held(self, now: Time, until: Time) -> Self {
        Self { not_before: until.min(now.plus(LONGEST_REST)).0, held: Some(now.0), ..self }
    }

    /// The memory after a reply without any entry, although the feed had some. Entries may come and go meanwhile, so
    /// the last known state is kept, and an unchanged empty reply is not accepted.
    pub(super) fn after_empty_reply(self, reply: &PartReply, feed: &Feed, now: Time) -> Self {
        let rest = feed.rest(now).max(freshness(reply, now)).min(LONGEST_REST);
        Self { not_before: now.plus(rest).0, failed: Some(now.0), ..self }
    }

    /// Since when the feed is known without a gap; `None` if it was never read.
    pub(super) fn since(&self) -> Option<Time> {
        // Earlier versions did not keep it. Their last search did not claim the latest minutes, which it has seen by now.
        (self.looked != 0).then(|| Time(self.since.unwrap_or(self.looked - UNCLAIMED)))
    }

    pub(super) fn last_look(&self) -> LastLook<'_> {
        LastLook { since: self.since(), looked: self.looked, newest: &self.newest }
    }

    /// Keeps only what affects how a reply is read: `None` for most feeds.
    pub(super) fn replay_part(self) -> Option<Self> {
        (!self.shared.is_empty()).then(|| Self { shared: self.shared, ..Self::default() })
    }

    pub(super) fn remember(&self, url: &str) -> Remembered {
        Remembered { name: url.to_owned(), value: serde_json::to_string(self).unwrap_or_default() }
    }

    /// The memory after a reply that says that nothing changed.
    pub(super) fn unchanged(self, reply: &PartReply, now: Time) -> Self {
        let rest = Duration::from_secs(self.rest).max(freshness(reply, now)).min(LONGEST_REST);
        let since = Some(Continuity::unchanged(self.last_look(), now).since.0);
        Self { not_before: now.plus(rest).0, looked: now.0, failed: None, held: None, since, ..self }
    }

    /// The memory after the feed was read. `shared` holds its shared addresses.
    pub(super) fn changed(&self, reply: &PartReply, feed: &Feed, since: Time, shared: Vec<String>, now: Time) -> Self {
        // A value that was cut, or that contains other characters, is not what the server sent.
        let short = |value: &&str| value.len() <= LONGEST_TAG && value.is_ascii();
        let rest = feed.rest(now);
        Self {
            etag: reply.header("etag").filter(short).map(str::to_owned),
            modified: reply.header("last-modified").filter(short).map(str::to_owned),
            not_before: now.plus(rest.max(freshness(reply, now)).min(LONGEST_REST)).0,
            newest: newest(feed, now),
            looked: now.0,
            failed: None,
            held: None,
            since: Some(since.0),
            overlaps: self.overlaps,
            rest: rest.as_secs(),
            shared,
        }
    }
}

/// Returns how long a reply stays fresh: `Cache-Control: max-age`, else the time from its `Date` to `Expires`, since the
/// server's clock may be wrong; less the `Age` that it has from a cache on its way (RFC 9111, section 4.2).
fn freshness(reply: &PartReply, now: Time) -> Duration {
    let lines = reply.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("cache-control"));
    let control = lines.map(|(_, value)| value.to_ascii_lowercase()).collect::<Vec<_>>().join(",");
    if control.contains("no-cache") || control.contains("no-store") {
        return Duration::ZERO;
    }
    let lifetime: Option<u64> =
        control.split(',').find_map(|part| part.trim().strip_prefix("max-age=")?.trim_matches('"').parse().ok());
    let time_of = |name: &str| reply.header(name).and_then(|at| date::read(at, now));
    let lifetime = match lifetime {
        Some(seconds) => Duration::from_secs(seconds),
        None => time_of("expires").map_or(Duration::ZERO, |at| at.since(time_of("date").unwrap_or(now))),
    };
    let age = reply.header("age").and_then(|age| age.trim().parse().ok()).unwrap_or(0);
    lifetime.saturating_sub(Duration::from_secs(age))
}
