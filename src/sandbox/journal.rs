//! What the sandbox was asked lately, for tests and for the person who rehearses. Bounded, in memory, and without
//! headers: no key ever gets into it.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many requests are remembered.
const KEPT: usize = 1_000;
/// How much of a path or query string is remembered, in bytes.
const KEPT_BYTES: usize = 2_048;

/// One request as it was answered.
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

/// The last requests and the number of all.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    calls: AtomicU64,
    last: Mutex<VecDeque<RecordedRequest>>,
}

impl Journal {
    /// Notes a request.
    pub(crate) fn note(&self, method: &str, path: &str, query: &str, status: u16) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let seen = RecordedRequest { method: cut(method), path: cut(path), query: cut(query), status };
        // A panic while the lock was held leaves a usable list: nothing in it spans two entries.
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if last.len() == KEPT {
            last.pop_front();
        }
        last.push_back(seen);
    }

    /// Requests noted since the start.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// The requests remembered, oldest first.
    pub(crate) fn list(&self) -> Vec<RecordedRequest> {
        self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner).iter().cloned().collect()
    }
}

/// The text, or its beginning up to a character boundary.
fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(KEPT_BYTES)].to_owned()
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
        assert_eq!((journal.calls(), list.len()), (1_005, KEPT));
        assert_eq!(list.first().map(|seen| seen.path.as_str()), Some("/5"));
        journal.note("GET", &"é".repeat(5_000), "", 404);
        assert!(journal.list().iter().all(|seen| seen.path.len() <= KEPT_BYTES));
    }
}
