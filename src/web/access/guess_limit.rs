//! Limits wrong guesses of the token: for each peer, and for all peers together that never sent the right one. Logs
//! them once a minute. `access` checks the token.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::listener::network;

/// Wrong tokens that a peer may send at once, and the time after which it may try once more.
const OF_A_PEER: Limit = Limit { most: 10, each: Duration::from_secs(6) };
/// The same for all peers together that never sent the right token. Peers that did are not blocked by the others.
const OF_ALL: Limit = Limit { most: 60, each: Duration::from_secs(1) };
/// How long a peer counts as one that sent the right token.
const KNOWN: Duration = Duration::from_secs(86_400);
/// Peers that are counted separately; the others count as one.
const MOST_PEERS: usize = 1_024;
/// Time between the first wrong token and its log line, so that a burst is one line.
const FIRST: Duration = Duration::from_secs(5);
/// Time between two such lines.
const AGAIN: Duration = Duration::from_secs(60);

/// The size of a token bucket, and the time after which one token returns.
struct Limit {
    most: u32,
    each: Duration,
}

/// The time at which a bucket is full again.
#[derive(Debug, Clone, Copy, Default)]
struct Used(Duration);

impl Used {
    /// How long until another try is allowed; `None` if one is allowed now.
    fn wait(self, limit: &Limit, now: Duration) -> Option<Duration> {
        let free = (self.0.max(now) + limit.each).saturating_sub(limit.each * limit.most);
        (free > now).then(|| free - now)
    }

    fn take(&mut self, limit: &Limit, now: Duration) {
        self.0 = self.0.max(now) + limit.each;
    }
}

/// The result of a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web) enum TryResult {
    /// The token is right.
    Right,
    /// The token is wrong.
    Wrong,
    /// The token was not checked: there were too many wrong ones before. The time until the next try.
    TooMany(Duration),
}

#[derive(Default)]
struct Peer {
    used: Used,
    /// When it last sent the right token.
    right_at: Option<Duration>,
    /// Counts since the last log line.
    wrong: u64,
    unseen: u64,
}

impl Peer {
    fn is_known(&self, now: Duration) -> bool {
        self.right_at.is_some_and(|at| now.saturating_sub(at) < KNOWN)
    }

    /// Whether forgetting it changes nothing.
    fn is_nothing(&self, now: Duration) -> bool {
        self.used.0 <= now && !self.is_known(now) && self.wrong == 0 && self.unseen == 0
    }
}

/// The tries of all peers. Times are since the start of the process.
#[derive(Default)]
struct Attempts {
    all: Used,
    peers: HashMap<IpAddr, Peer>,
    /// The peers for which there was no room.
    others: Peer,
    logged_at: Option<Duration>,
    /// Whether a log line is already scheduled.
    due: bool,
}

/// The content of a log line.
#[derive(Debug, PartialEq, Eq)]
struct LogLine {
    wrong: u64,
    unseen: u64,
    /// The peer that was wrong most often, unless it is one of those that count as one; and how often.
    worst: Option<IpAddr>,
    times: u64,
    peers: usize,
}

impl Attempts {
    /// Makes a try. Also returns when to write a log line, if one must be scheduled.
    fn tries(&mut self, peer: IpAddr, now: Duration, is_right: impl FnOnce() -> bool) -> (TryResult, Option<Duration>) {
        let peer = network(peer);
        if self.peers.len() >= MOST_PEERS && !self.peers.contains_key(&peer) {
            self.peers.retain(|_, peer| !peer.is_nothing(now));
        }
        let room = self.peers.len() < MOST_PEERS || self.peers.contains_key(&peer);
        let of = if room { self.peers.entry(peer).or_default() } else { &mut self.others };
        let is_known = of.is_known(now);
        let others = if is_known { None } else { self.all.wait(&OF_ALL, now) };
        let tried = match of.used.wait(&OF_A_PEER, now).into_iter().chain(others).max() {
            Some(wait) => {
                of.unseen += 1;
                TryResult::TooMany(wait)
            }
            None if is_right() => {
                // If peers are counted as one, this would make all of them known.
                of.right_at = room.then_some(now);
                return (TryResult::Right, None);
            }
            None => {
                of.used.take(&OF_A_PEER, now);
                of.wrong += 1;
                if !is_known {
                    self.all.take(&OF_ALL, now);
                }
                TryResult::Wrong
            }
        };
        if std::mem::replace(&mut self.due, true) {
            return (tried, None);
        }
        let next = self.logged_at.map_or(Duration::ZERO, |at| (at + AGAIN).saturating_sub(now));
        (tried, Some(next.max(FIRST)))
    }

    /// Whether a try would be checked.
    fn may_try(&self, peer: IpAddr, now: Duration) -> bool {
        let full = self.peers.len() >= MOST_PEERS;
        let of = self.peers.get(&network(peer)).or(full.then_some(&self.others));
        of.is_none_or(|of| of.used.wait(&OF_A_PEER, now).is_none())
            && (of.is_some_and(|of| of.is_known(now)) || self.all.wait(&OF_ALL, now).is_none())
    }

    /// Returns what happened since the last log line; `None` if nothing did.
    fn take_log_line(&mut self, now: Duration) -> Option<LogLine> {
        self.due = false;
        let (mut wrong, mut unseen, mut peers, mut worst) = (0, 0, 0, (0, None));
        let named = self.peers.iter_mut().map(|(ip, peer)| (Some(*ip), peer));
        for (ip, peer) in named.chain([(None, &mut self.others)]) {
            let (missed, ignored) = (std::mem::take(&mut peer.wrong), std::mem::take(&mut peer.unseen));
            peers += usize::from(missed + ignored > 0);
            (wrong, unseen) = (wrong + missed, unseen + ignored);
            worst = worst.max((missed + ignored, ip));
        }
        if wrong + unseen == 0 {
            return None;
        }
        self.logged_at = Some(now);
        Some(LogLine { wrong, unseen, worst: worst.1, times: worst.0, peers })
    }
}

/// The tries in this process.
pub(in crate::web) struct GuessLimiter {
    begun: Instant,
    attempts: Mutex<Attempts>,
}

impl Default for GuessLimiter {
    fn default() -> Self {
        Self { begun: Instant::now(), attempts: Mutex::default() }
    }
}

impl GuessLimiter {
    /// Makes a try of a peer.
    pub(in crate::web) fn attempt(self: &Arc<Self>, peer: IpAddr, is_right: impl FnOnce() -> bool) -> TryResult {
        let now = self.begun.elapsed();
        let (tried, line) = self.attempts.lock().unwrap_or_else(PoisonError::into_inner).tries(peer, now, is_right);
        if let Some(wait) = line {
            let guesses = Arc::clone(self);
            tokio::spawn(async move {
                tokio::time::sleep(wait).await;
                guesses.log();
            });
        }
        tried
    }

    /// Whether a try of a peer would be checked now. It is not counted.
    pub(in crate::web) fn may_try(&self, peer: IpAddr) -> bool {
        let now = self.begun.elapsed();
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner).may_try(peer, now)
    }

    /// Writes the log line, if there is something to log.
    pub(in crate::web) fn log(&self) {
        let now = self.begun.elapsed();
        let line = self.attempts.lock().unwrap_or_else(PoisonError::into_inner).take_log_line(now);
        let Some(LogLine { wrong, unseen, worst, times, peers }) = line else { return };
        let peer = worst.map_or_else(|| "many addresses".to_owned(), |ip| ip.to_string());
        tracing::warn!(
            wrong,
            not_looked_at = unseen,
            peer,
            of_this_peer = times,
            peers,
            "wrong tokens were sent to the pages"
        );
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn wrong_guess(attempts: &mut Attempts, peer: &str, now: Duration) -> TryResult {
        attempts.tries(ip(peer), now, || false).0
    }

    #[test]
    fn a_peer_gets_ten_wrong_guesses_then_one_every_six_seconds() {
        let mut attempts = Attempts::default();
        for _ in 0..10 {
            assert_eq!(wrong_guess(&mut attempts, "192.0.2.1", s(100)), TryResult::Wrong);
        }
        assert_eq!(wrong_guess(&mut attempts, "192.0.2.1", s(100)), TryResult::TooMany(s(6)));
        let mut was_checked = false;
        let unseen = attempts.tries(ip("192.0.2.1"), s(103), || std::mem::replace(&mut was_checked, true)).0;
        assert_eq!(
            (unseen, was_checked),
            (TryResult::TooMany(s(3)), false),
            "the right token is not looked at, either"
        );
        assert!(!attempts.may_try(ip("192.0.2.1"), s(103)) && attempts.may_try(ip("192.0.2.1"), s(106)));
        assert_eq!(attempts.tries(ip("192.0.2.2"), s(103), || true).0, TryResult::Right, "others are");
        assert_eq!(wrong_guess(&mut attempts, "192.0.2.1", s(106)), TryResult::Wrong);
        assert_eq!(wrong_guess(&mut attempts, "192.0.2.1", s(106)), TryResult::TooMany(s(6)));
        let in_an_hour =
            (0..36_000).filter(|n| wrong_guess(&mut attempts, "192.0.2.1", s(200) + s(*n) / 10) == TryResult::Wrong);
        assert_eq!(in_an_hour.count(), 609, "what had come back, and one in six seconds");
    }

    #[test]
    fn many_peers_share_a_limit_that_never_blocks_one_that_was_right() {
        let mut attempts = Attempts::default();
        assert_eq!(attempts.tries(ip("192.0.2.7"), s(0), || true).0, TryResult::Right);
        let tried: Vec<TryResult> =
            (0..200).map(|n| wrong_guess(&mut attempts, &format!("198.51.100.{n}"), s(1))).collect();
        assert_eq!(tried.iter().filter(|tried| **tried == TryResult::Wrong).count(), 60);
        assert!(!attempts.may_try(ip("192.0.2.8"), s(1)) && attempts.may_try(ip("192.0.2.7"), s(1)));
        assert!(matches!(attempts.tries(ip("192.0.2.8"), s(1), || true).0, TryResult::TooMany(_)));
        assert_eq!(attempts.tries(ip("192.0.2.7"), s(1), || true).0, TryResult::Right);
        assert_eq!(
            attempts.tries(ip("192.0.2.8"), s(2), || true).0,
            TryResult::Right,
            "a second later there is one more"
        );
        // Addresses of one IPv6 network are one peer.
        let tried: Vec<TryResult> =
            (0..20).map(|n| wrong_guess(&mut attempts, &format!("2001:db8::{n}"), s(100))).collect();
        assert_eq!(tried.iter().filter(|tried| **tried == TryResult::Wrong).count(), 10);
    }

    #[test]
    fn peers_beyond_the_tracked_number_count_as_one() {
        let mut attempts = Attempts::default();
        let peer = |n: u32| IpAddr::from((0x0A00_0000 + n).to_be_bytes());
        for n in 0..5_000 {
            attempts.tries(peer(n), s(0), || false);
        }
        assert_eq!(attempts.peers.len(), MOST_PEERS);
        assert_eq!(attempts.others.right_at, None);
        let line = attempts.take_log_line(s(5)).unwrap();
        assert_eq!((line.wrong, line.unseen, line.peers), (60, 4_940, 1_025));
        attempts.tries(peer(6_000), s(3_600), || false);
        assert_eq!(attempts.peers.len(), 1, "what says nothing any more makes room");
    }

    #[test]
    fn the_log_gets_one_line_for_a_burst_and_one_a_minute_afterwards() {
        let mut attempts = Attempts::default();
        assert_eq!(attempts.tries(ip("192.0.2.1"), s(0), || false), (TryResult::Wrong, Some(FIRST)));
        for _ in 0..6_335 {
            assert_eq!(attempts.tries(ip("192.0.2.1"), s(0), || false).1, None);
        }
        assert_eq!(attempts.tries(ip("192.0.2.2"), s(1), || false).1, None);
        let line = attempts.take_log_line(s(5)).unwrap();
        let expected = LogLine { wrong: 11, unseen: 6_326, worst: Some(ip("192.0.2.1")), times: 6_336, peers: 2 };
        assert_eq!(line, expected);
        assert_eq!(attempts.take_log_line(s(6)), None);
        assert_eq!(attempts.tries(ip("192.0.2.2"), s(15), || false).1, Some(s(50)));
        assert_eq!(attempts.tries(ip("192.0.2.2"), s(500), || true).1, None);
        assert_eq!(attempts.take_log_line(s(65)).unwrap().wrong, 1);
    }
}
