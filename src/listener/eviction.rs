//! Decides which connection is closed for a new one when every place is taken. Of the connections on which no request
//! is being answered, it chooses those of the peer that holds most, and of these the one that took a part of an answer
//! longest ago. It opens and closes nothing itself.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

/// All open connections.
#[derive(Default)]
pub(super) struct ConnectionTable {
    taken: Mutex<BTreeMap<u64, Arc<ConnectionEntry>>>,
    /// Counts events, so that they can be ordered without a clock.
    turn: AtomicU64,
}

pub(super) struct ConnectionEntry {
    id: u64,
    peer: IpAddr,
    /// When it was opened, or last sent a byte of an answer.
    last: AtomicU64,
    /// Whether a request began since then.
    begun: AtomicBool,
    /// Number of requests being answered.
    answering: AtomicUsize,
    /// Asks the connection to close.
    pub(super) go: CancellationToken,
}

impl ConnectionTable {
    pub(super) fn take(&self, peer: IpAddr) -> Arc<ConnectionEntry> {
        let id = self.turn.fetch_add(1, Ordering::Relaxed);
        let seat = Arc::new(ConnectionEntry {
            id,
            peer: network(peer),
            last: AtomicU64::new(id),
            begun: AtomicBool::new(false),
            answering: AtomicUsize::new(0),
            go: CancellationToken::new(),
        });
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::clone(&seat));
        seat
    }

    pub(super) fn leave(&self, seat: &ConnectionEntry) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).remove(&seat.id);
    }

    /// Records that a byte of an answer was sent.
    pub(super) fn record_write(&self, seat: &ConnectionEntry) {
        seat.last.store(self.turn.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        seat.begun.store(false, Ordering::Relaxed);
    }

    /// Asks one connection to close, unless one that was asked is still open, or requests are being answered on all.
    pub(super) fn evict_one(&self) {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.values().any(|seat| seat.go.is_cancelled()) {
            return;
        }
        let mut held: HashMap<IpAddr, usize> = HashMap::new();
        for seat in taken.values() {
            *held.entry(seat.peer).or_default() += 1;
        }
        let idle = taken.values().filter(|seat| !seat.is_answering());
        let first = idle.min_by_key(|seat| {
            let most = held.get(&seat.peer).copied().unwrap_or(0);
            (std::cmp::Reverse(most), seat.last.load(Ordering::Relaxed))
        });
        if let Some(seat) = first {
            seat.go.cancel();
        }
    }
}

impl ConnectionEntry {
    /// Whether a request is being answered.
    pub(super) fn is_answering(&self) -> bool {
        self.answering.load(Ordering::Relaxed) > 0
    }

    /// Records that the head of a request has arrived.
    pub(super) fn begin(&self) {
        self.begun.store(true, Ordering::Relaxed);
    }

    /// Whether a request began since the last byte of an answer was sent. Returns true once for each request.
    pub(super) fn has_just_begun(&self) -> bool {
        self.begun.swap(false, Ordering::Relaxed)
    }

    /// Until the result is dropped, the connection is not closed for another one or because nothing is sent.
    pub(super) fn answer(self: Arc<Self>) -> ActiveRequest {
        self.answering.fetch_add(1, Ordering::Relaxed);
        ActiveRequest(self)
    }
}

/// A request that is being answered.
pub(crate) struct ActiveRequest(Arc<ConnectionEntry>);

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.answering.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns what counts as one peer: an IPv4 address, or the 64-bit network of an IPv6 address.
pub(crate) fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(ip) => {
            let [a, b, c, d, ..] = ip.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    fn asked_to_go(seats: &[Arc<ConnectionEntry>]) -> Vec<usize> {
        (0..seats.len()).filter(|at| seats[*at].go.is_cancelled()).collect()
    }

    #[test]
    fn the_peer_with_most_connections_loses_its_longest_idle_one_first() {
        let seats = ConnectionTable::default();
        let peers = ["192.0.2.1", "192.0.2.2", "192.0.2.2", "::ffff:192.0.2.2", "2001:db8::1", "2001:db8::2"];
        let taken: Vec<Arc<ConnectionEntry>> = peers.iter().map(|peer| seats.take(peer.parse().unwrap())).collect();
        let busy = Arc::clone(&taken[1]).answer();
        seats.record_write(&taken[2]);
        seats.evict_one();
        assert_eq!(asked_to_go(&taken), [3], "of three one is answered, and one was a moment ago");
        seats.evict_one();
        assert_eq!(asked_to_go(&taken), [3], "it has not gone yet");
        seats.leave(&taken[3]);
        seats.evict_one();
        assert_eq!(asked_to_go(&taken), [3, 4], "two each, and those of one network are one peer");
        seats.leave(&taken[4]);
        seats.evict_one();
        seats.leave(&taken[2]);
        drop(busy);
        seats.evict_one();
        assert_eq!(asked_to_go(&taken), [0, 2, 3, 4]);
        seats.leave(&taken[0]);
        seats.evict_one();
        seats.leave(&taken[1]);
        let last = Arc::clone(&taken[5]).answer();
        seats.evict_one();
        assert!(!taken[5].go.is_cancelled(), "what is being answered stays");
        drop(last);
    }
}
