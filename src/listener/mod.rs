//! A listener with a limited number of connections. With a patience, a connection is cut if its client neither
//! completes a request nor reads the answer, even if it keeps sending. It is not cut while the client waits for an
//! answer. A new connection takes the place of an idle one. Without a patience, further connections wait in the
//! system's queue. It speaks no protocol.

mod eviction;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep};
use tokio_util::sync::WaitForCancellationFutureOwned;

pub(crate) use self::eviction::{ActiveRequest, network};
use self::eviction::{ConnectionEntry, ConnectionTable};

/// How long a connection that was asked to close may take before another is asked.
const LEAVES: Duration = Duration::from_millis(50);

/// A TCP listener with a limit.
pub(crate) struct LimitedListener {
    listener: TcpListener,
    free: Arc<Semaphore>,
    patience: Option<Duration>,
    seats: Arc<ConnectionTable>,
}

impl LimitedListener {
    /// Allows `most` connections at a time. With a patience, a connection is cut if no byte of an answer was sent for
    /// that long: a client that sends drop by drop counts as idle.
    pub(crate) fn new(listener: TcpListener, most: usize, patience: Option<Duration>) -> Self {
        Self { listener, free: Arc::new(Semaphore::new(most)), patience, seats: Arc::default() }
    }

    /// Returns a place for an accepted connection. Probes get one too: nothing distinguishes them before they speak.
    async fn connection_permit(&self) -> Option<OwnedSemaphorePermit> {
        loop {
            if let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() {
                return Some(permit);
            }
            self.seats.evict_one();
            if let Ok(permit) = tokio::time::timeout(LEAVES, Arc::clone(&self.free).acquire_owned()).await {
                return permit.ok();
            }
        }
    }
}

impl Listener for LimitedListener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        // The semaphore is never closed; without a permit the connection is simply not counted.
        let (permit, (stream, peer)) = if self.patience.is_some() {
            let accepted = Listener::accept(&mut self.listener).await;
            (self.connection_permit().await, accepted)
        } else {
            let permit = Arc::clone(&self.free).acquire_owned().await.ok();
            (permit, Listener::accept(&mut self.listener).await)
        };
        // Streamed answers are small writes; joining them only adds latency. If this fails, answers are only slower.
        let _ = stream.set_nodelay(true);
        let seat = self.seats.take(peer.ip());
        let cut = self.patience.map(|patience| Cut {
            patience,
            at: Box::pin(tokio::time::sleep(patience)),
            is_blocked: false,
            asked: Box::pin(seat.go.clone().cancelled_owned()),
        });
        let place = ConnectionSlot { seats: Arc::clone(&self.seats), seat, _permit: permit };
        (Connection { stream, cut, place }, peer)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// The client at the other end, for request handlers.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) ip: IpAddr,
    seat: Arc<ConnectionEntry>,
}

impl Peer {
    /// Lets the client wait for its request to be read and checked, however long the connection was idle before. It may
    /// still be closed for another.
    pub(crate) fn begin(&self) {
        self.seat.begin();
    }

    /// Until the result is dropped, the connection is not closed for another one or because nothing is sent.
    pub(crate) fn answer(&self) -> ActiveRequest {
        Arc::clone(&self.seat).answer()
    }
}

#[cfg(test)]
impl Peer {
    /// A client without a connection.
    pub(crate) fn unconnected() -> Self {
        let ip = IpAddr::from([127, 0, 0, 1]);
        Self { ip, seat: ConnectionTable::default().take(ip) }
    }

    /// Whether a request of this client is being answered.
    pub(crate) fn is_answered(&self) -> bool {
        self.seat.is_answering()
    }
}

impl Connected<IncomingStream<'_, LimitedListener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, LimitedListener>) -> Self {
        Self { ip: stream.remote_addr().ip().to_canonical(), seat: Arc::clone(&stream.io().place.seat) }
    }
}

/// A connection that gives its place back when it is dropped.
pub(crate) struct Connection {
    stream: TcpStream,
    cut: Option<Cut>,
    place: ConnectionSlot,
}

struct ConnectionSlot {
    seats: Arc<ConnectionTable>,
    seat: Arc<ConnectionEntry>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.seats.leave(&self.seat);
    }
}

/// When a connection is cut, unless a byte is sent before.
struct Cut {
    patience: Duration,
    at: Pin<Box<Sleep>>,
    /// Whether the client takes no more bytes of an answer.
    is_blocked: bool,
    /// Completes when another connection needs the place.
    asked: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Connection {
    /// Fails when the patience is over or the place is needed; otherwise keeps waiting for the client.
    fn poll_timeout<T>(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        let Some(cut) = &mut self.cut else { return Poll::Pending };
        if cut.asked.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        while cut.at.as_mut().poll(cx).is_ready() {
            let seat = &self.place.seat;
            if cut.is_blocked || !(seat.is_answering() || seat.has_just_begun()) {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            // The client waits for the answer, or its request is read and checked, which takes less than the patience.
            cut.at.as_mut().reset(Instant::now() + cut.patience);
        }
        Poll::Pending
    }

    /// Handles the result of a write: each byte that was sent restarts the patience.
    fn after_write(&mut self, cx: &mut Context<'_>, wrote: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match (&wrote, &mut self.cut) {
            (Poll::Ready(Ok(1..)), Some(cut)) => {
                cut.is_blocked = false;
                cut.at.as_mut().reset(Instant::now() + cut.patience);
                self.place.seats.record_write(&self.place.seat);
            }
            (Poll::Pending, Some(cut)) => {
                let was_blocked = std::mem::replace(&mut cut.is_blocked, true);
                if !was_blocked && self.place.seat.is_answering() {
                    // It may have waited long for these bytes.
                    cut.at.as_mut().reset(Instant::now() + cut.patience);
                }
                return self.poll_timeout(cx);
            }
            _ => {}
        }
        wrote
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_read(cx, buf) {
            Poll::Pending => self.poll_timeout(cx),
            read => read,
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.after_write(cx, wrote)
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
        self.after_write(cx, wrote)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::time::timeout;

    use super::*;

    const PATIENCE: Duration = Duration::from_millis(50);
    const LONG: Duration = Duration::from_secs(60);

    /// A client that sends and takes nothing, and its connection.
    async fn connected() -> (TcpStream, Connection) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut listener = LimitedListener::new(listener, 1, Some(PATIENCE));
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (connection, _) = listener.accept().await;
        (client, connection)
    }

    #[tokio::test]
    async fn a_connection_is_not_cut_while_its_client_waits_for_an_answer() {
        let (_client, mut connection) = connected().await;
        let answering = Arc::clone(&connection.place.seat).answer();
        let mut byte = [0; 1];
        assert!(timeout(PATIENCE * 6, connection.read(&mut byte)).await.is_err(), "the answer takes long");
        assert_eq!(connection.write(b"x").await.unwrap(), 1);
        drop(answering);
        // Now it is the client that sends nothing.
        let cut = timeout(LONG, connection.read(&mut byte)).await.unwrap();
        assert_eq!(cut.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_request_that_begins_late_on_an_idle_connection_extends_its_patience_once() {
        let opened = Instant::now();
        let (_client, mut connection) = connected().await;
        let seat = Arc::clone(&connection.place.seat);
        seat.begin();
        let cut = timeout(LONG, connection.read(&mut [0; 1])).await.unwrap();
        assert_eq!(cut.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(opened.elapsed() >= PATIENCE * 2, "it was cut while its request was checked");
        // An answer restarts the patience itself.
        seat.begin();
        assert_eq!(connection.write(b"x").await.unwrap(), 1);
        assert!(!seat.has_just_begun());
    }

    #[tokio::test]
    async fn a_connection_is_cut_if_its_client_does_not_take_the_answer() {
        let (_client, mut connection) = connected().await;
        let _answering = Arc::clone(&connection.place.seat).answer();
        let part = vec![0_u8; 1024 * 1024];
        let error = loop {
            if let Err(error) = timeout(LONG, connection.write(&part)).await.unwrap() {
                break error;
            }
        };
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        // Reading notices it, too: a client that reads nothing gets no extra time.
        let cut = timeout(LONG, connection.read(&mut [0; 1])).await.unwrap();
        assert_eq!(cut.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
