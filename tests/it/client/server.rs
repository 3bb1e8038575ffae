//! A loopback server that sends raw bytes, so that it can break off, stall and lie as real ones do. It ends when
//! dropped.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// A received request.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    /// The request's number at this server, from 0.
    pub(crate) number: usize,
    /// The connection's number, from 0.
    pub(crate) connection: usize,
    /// The request line and headers, without the blank line.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: Vec<u8>,
}

impl Received {
    /// The request line without the protocol version.
    pub(crate) fn line(&self) -> &str {
        self.head.lines().next().unwrap().trim_end_matches(" HTTP/1.1")
    }

    /// The values of a header (name in lower case).
    pub(crate) fn header(&self, name: &str) -> Vec<&str> {
        let pairs = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        pairs.filter(|(key, _)| key.to_ascii_lowercase() == name).map(|(_, value)| value).collect()
    }
}

/// What happens to the connection after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// It stays open for the next request.
    Keep,
    /// It is closed.
    Close,
    /// It stays open, and no more data is sent.
    Hang,
}

/// An answer: bytes, and what happens after them.
pub(crate) type Answer = (Vec<u8>, Then);

/// An answer that may take time.
type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// A server that runs until it is dropped.
pub(crate) struct Server {
    /// Its address.
    pub(crate) url: url::Url,
    received: Arc<Mutex<Vec<Received>>>,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Answers each request by its number and content.
    pub(crate) async fn start(answer: impl Fn(&Received) -> Answer + Send + Sync + 'static) -> Self {
        Self::start_async(move |received| {
            let answer = answer(&received);
            Box::pin(async move { answer })
        })
        .await
    }

    /// The same with an asynchronous answer.
    pub(crate) async fn start_async(answer: impl Fn(Received) -> Answering + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let (log, answer) = (Arc::clone(&received), Arc::new(answer));
        let task = tokio::spawn(async move {
            let mut open = JoinSet::new();
            for connection in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                open.spawn(serve(stream, connection, Arc::clone(&log), Arc::clone(&answer)));
            }
        });
        Self { url, received, task }
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    connection: usize,
    log: Arc<Mutex<Vec<Received>>>,
    answer: Arc<impl Fn(Received) -> Answering>,
) {
    while let Some((head, body)) = read(&mut stream).await {
        let received = {
            let mut log = log.lock().unwrap();
            let received = Received { number: log.len(), connection, head, body };
            log.push(received.clone());
            received
        };
        let (bytes, then) = answer(received).await;
        // The client may have closed the connection.
        if stream.write_all(&bytes).await.is_err() {
            return;
        }
        match then {
            Then::Keep => {}
            Then::Close => return,
            Then::Hang => std::future::pending().await,
        }
    }
}

/// Reads one request; `None` when the client has closed.
async fn read(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let length = head
        .lines()
        .filter_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ").map(str::to_owned))
        .map(|length| length.parse::<usize>().unwrap())
        .next()
        .unwrap_or(0);
    let mut body = bytes.split_off(head_end + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    assert_eq!(body.len(), length, "no request is sent before its turn");
    Some((head, body))
}

/// A complete answer; the connection stays open.
pub(crate) fn reply(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Answer {
    let body = body.as_ref();
    let mut bytes =
        format!("HTTP/1.1 {status} Whatever\r\ncontent-length: {}\r\n{headers}\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    (bytes, Then::Keep)
}
