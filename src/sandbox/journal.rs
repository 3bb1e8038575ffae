//! The recent requests to the sandbox, for tests and for people who try things out. Bounded, in memory, and without
//! headers, so that no key gets into it.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of requests kept.
const MAX_REQUESTS: usize = 1_000;
/// The maximum length of a kept path or query string, in bytes.
const MAX_BODY_BYTES: usize = 2_048;

/// One request and the status of its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedRequest {
    /// `GET`, `POST`, …
    pub method: String,
    /// Path, without the query string.
    pub path: String,
    /// Query string as sent, percent-encoded, without `?`; empty when there was none.
    pub query: String,
    /// Status of the answer; 0 when the connection was dropped instead.
    pub status: u16,
}

/// The last requests, and the number of all.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    calls: AtomicU64,
    last: Mutex<VecDeque<RecordedRequest>>,
}

impl Journal {
    /// Records a request.
    pub(crate) fn note(&self, method: &str, path: &str, query: &str, status: u16) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let seen = RecordedRequest { method: cut(method), path: cut(path), query: cut(query), status };
        // The list is usable even after a panic under the lock: nothing in it spans two entries.
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if last.len() == MAX_REQUESTS {
            last.pop_front();
        }
        last.push_back(seen);
    }

    /// The number of requests since the start.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Returns the kept requests, oldest first.
    pub(crate) fn list(&self) -> Vec<RecordedRequest> {
        self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner).iter().cloned().collect()
    }
}

/// Cuts a text at a character boundary.
fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(MAX_BODY_BYTES)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_requests_are_remembered_but_all_are_counted() {
        let journal = Journal::default();
        for n in 0..1_005 {
            journal.note("GET", &format!("/{n}"), "", 200);
        }
        let list = journal.list();
        assert_eq!((journal.calls(), list.len()), (1_005, MAX_REQUESTS));
        assert_eq!(list.first().map(|seen| seen.path.as_str()), Some("/5"));
        journal.note("GET", &"é".repeat(5_000), "", 404);
        assert!(journal.list().iter().all(|seen| seen.path.len() <= MAX_BODY_BYTES));
    }
}
