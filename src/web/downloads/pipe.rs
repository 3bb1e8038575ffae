//! A pipe from a thread that writes a file row by row to the task that sends it, a few pages at a time. The writer
//! waits for the reader, but not forever. Every failure reaches the reader, so that no file ends early unnoticed.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use futures_util::Stream;
use tokio_util::sync::CancellationToken;

/// Pages that may wait to be sent.
const PAGES: usize = 4;
/// How long a write may wait: longer than the server keeps a connection that takes nothing.
const STALLED: Duration = Duration::from_secs(30);
/// How often a waiting write checks whether it must stop.
const LOOK: Duration = Duration::from_millis(100);

#[derive(Debug, Default)]
struct PipeState {
    pages: VecDeque<Bytes>,
    /// How it ended, once it did.
    end: Option<io::Result<()>>,
    /// Whether the reader is gone.
    left: bool,
    waker: Option<Waker>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<PipeState>,
    taken: Condvar,
}

impl Shared {
    /// The state is consistent even if a thread panicked while it held the lock.
    fn lock(&self) -> MutexGuard<'_, PipeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The writing end.
#[derive(Debug)]
pub(in crate::web) struct Writer {
    shared: Arc<Shared>,
    stop: CancellationToken,
    /// When the whole file has taken too long.
    until: Instant,
}

/// The reading end.
#[derive(Debug)]
pub(in crate::web) struct Pages(Arc<Shared>, CancellationToken);

/// A pipe that may be written to for this long, and not after `stop`.
pub(in crate::web) fn pipe(longest: Duration, stop: CancellationToken) -> (Writer, Pages) {
    let shared = Arc::new(Shared::default());
    (Writer { shared: Arc::clone(&shared), stop: stop.clone(), until: Instant::now() + longest }, Pages(shared, stop))
}

impl Writer {
    /// Records how it ended. A writer that is dropped without this has failed.
    pub(in crate::web) fn end(self, end: io::Result<()>) {
        let mut state = self.shared.lock();
        state.end = Some(end);
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if state.end.is_none() {
            state.end = Some(Err(io::ErrorKind::UnexpectedEof.into()));
        }
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    }
}

impl io::Write for &Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let began = Instant::now();
        let mut state = self.shared.lock();
        while state.pages.len() >= PAGES && !state.left {
            if self.stop.is_cancelled() {
                return Err(io::Error::other("the pages are closing"));
            }
            if began.elapsed() > STALLED {
                return Err(io::ErrorKind::TimedOut.into());
            }
            state = self.shared.taken.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.left {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if self.stop.is_cancelled() || Instant::now() > self.until {
            return Err(io::ErrorKind::TimedOut.into());
        }
        state.pages.push_back(Bytes::copy_from_slice(bytes));
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Pages {
    type Item = io::Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        let mut state = self.0.lock();
        // A stopped file is not sent further, but a complete one is sent to its end.
        if self.1.is_cancelled() && !matches!(state.end, Some(Ok(()))) {
            state.pages.clear();
        }
        if let Some(page) = state.pages.pop_front() {
            self.0.taken.notify_all();
            return Poll::Ready(Some(Ok(page)));
        }
        match &mut state.end {
            Some(Ok(())) => Poll::Ready(None),
            Some(end) => Poll::Ready(std::mem::replace(end, Ok(())).err().map(Err)),
            None => {
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        self.0.lock().left = true;
        self.0.taken.notify_all();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::io::Write as _;

    use futures_util::StreamExt as _;

    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[tokio::test]
    async fn written_bytes_arrive_in_order_and_succeed_only_with_an_explicit_end() {
        for (end, ended) in [(Some(Ok(())), true), (Some(Err(io::Error::other("x"))), false), (None, false)] {
            let (writer, mut pages) = pipe(LONG, CancellationToken::new());
            let thread = std::thread::spawn(move || {
                for n in 0..100_u32 {
                    (&writer).write_all(&n.to_be_bytes()).unwrap();
                }
                if let Some(end) = end {
                    writer.end(end);
                }
            });
            let mut all = Vec::new();
            let mut succeeded = true;
            while let Some(page) = pages.next().await {
                match page {
                    Ok(page) => all.extend_from_slice(&page),
                    Err(_) => succeeded = false,
                }
            }
            thread.join().unwrap();
            assert_eq!(all, (0..100_u32).flat_map(u32::to_be_bytes).collect::<Vec<_>>());
            assert_eq!(succeeded, ended);
        }
    }

    #[test]
    fn a_writer_fails_when_its_reader_is_gone_or_slow_or_after_the_stop() {
        let (writer, pages) = pipe(LONG, CancellationToken::new());
        drop(pages);
        assert_eq!((&writer).write(b"x").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        let (writer, _pages) = pipe(Duration::ZERO, CancellationToken::new());
        assert_eq!((&writer).write(b"x").unwrap_err().kind(), io::ErrorKind::TimedOut);
        let stop = CancellationToken::new();
        let (writer, _pages) = pipe(LONG, stop.clone());
        for _ in 0..PAGES {
            (&writer).write_all(b"x").unwrap();
        }
        // The write is waiting for room when the stop comes.
        let waits = std::thread::spawn(move || (&writer).write(b"x").is_err());
        stop.cancel();
        assert!(waits.join().unwrap());
    }

    #[tokio::test]
    async fn a_stopped_download_ends_with_an_error_and_a_complete_one_does_not() {
        for is_complete in [false, true] {
            let stop = CancellationToken::new();
            let (writer, mut pages) = pipe(LONG, stop.clone());
            (&writer).write_all(b"x").unwrap();
            if is_complete {
                writer.end(Ok(()));
                stop.cancel();
            } else {
                stop.cancel();
                writer.end(Err(io::Error::other("stopped")));
            }
            assert_eq!(pages.next().await.unwrap().is_ok(), is_complete);
        }
    }
}
