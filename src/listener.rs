//! A listener that holds a bounded number of connections; more wait in the system's queue. One whose client neither sends a
//! request to its end nor takes the answer is cut, however busy it looks. It speaks no protocol.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep};

/// A TCP listener with a limit.
pub(crate) struct Limited {
    listener: TcpListener,
    free: Arc<Semaphore>,
    patience: Option<Duration>,
}

impl Limited {
    /// So many connections at a time. With a patience, so long may pass without a byte of an answer leaving: whoever sends
    /// drop by drop counts as idle.
    pub(crate) fn new(listener: TcpListener, most: usize, patience: Option<Duration>) -> Self {
        Self { listener, free: Arc::new(Semaphore::new(most)), patience }
    }
}

impl Listener for Limited {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        // The semaphore is never closed; without a permit the connection is simply not counted.
        let permit = self.free.clone().acquire_owned().await.ok();
        let (stream, peer) = Listener::accept(&mut self.listener).await;
        // Streamed answers are small writes; waiting to join them only adds latency. Refused is as good as slow.
        let _ = stream.set_nodelay(true);
        let cut = self.patience.map(|patience| Cut { patience, at: Box::pin(tokio::time::sleep(patience)) });
        (Connection { stream, cut, _permit: permit }, peer)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that gives its place back when it is dropped.
pub(crate) struct Connection {
    stream: TcpStream,
    cut: Option<Cut>,
    _permit: Option<OwnedSemaphorePermit>,
}

/// When a connection is cut, unless something leaves it before.
struct Cut {
    patience: Duration,
    at: Pin<Box<Sleep>>,
}

impl Connection {
    /// Whoever waits for the client waits no longer than the patience.
    fn waits<T>(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        match self.cut.as_mut().map(|cut| cut.at.as_mut().poll(cx)) {
            Some(Poll::Ready(())) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            _ => Poll::Pending,
        }
    }

    /// What came of writing: a byte that left begins the patience anew.
    fn wrote(&mut self, cx: &mut Context<'_>, wrote: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match (&wrote, &mut self.cut) {
            (Poll::Ready(Ok(1..)), Some(cut)) => cut.at.as_mut().reset(Instant::now() + cut.patience),
            (Poll::Pending, _) => return self.waits(cx),
            _ => {}
        }
        wrote
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_read(cx, buf) {
            Poll::Pending => self.waits(cx),
            read => read,
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.wrote(cx, wrote)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.wrote(cx, wrote)
    }
}
