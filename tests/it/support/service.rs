//! The search service for cases that run the binary: a sandbox with a manual clock, or a server that sends given bytes.
//! Both run on threads of their own, so that cases are plain functions.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU16, AtomicUsize, Ordering};
use std::time::Duration;

use topicwatch::model::Time;
use topicwatch::sandbox::{CorpusSource, Fault, SandboxHandle, Settings, start};

/// Lines of `[service]`: no rate limit and no retries, so that a case need not wait.
fn lines(address: SocketAddr) -> String {
    format!("base_url = \"http://{address}\"\nrate_limit = \"unlimited\"\nmax_tries = 1\n")
}

/// A running sandbox.
pub struct Sandbox {
    runtime: tokio::runtime::Runtime,
    running: Option<SandboxHandle>,
    now: Arc<AtomicI64>,
}

impl Sandbox {
    /// Starts it at a given time with these fault rules.
    #[track_caller]
    pub fn at(now: &str, faults: &[&str]) -> Self {
        Self::with(now, faults, CorpusSource::BuiltIn)
    }

    #[track_caller]
    pub fn with(now: &str, faults: &[&str], corpus: CorpusSource) -> Self {
        let now = Arc::new(AtomicI64::new(Time::parse(now).unwrap().0));
        let clock = Arc::clone(&now);
        let settings = Settings {
            listen: ([127, 0, 0, 1], 0).into(),
            key: None,
            corpus,
            faults: faults.iter().map(|rule| Fault::parse(rule).unwrap()).collect(),
            clock: Arc::new(move || Time(clock.load(Ordering::Relaxed))),
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let running = runtime.block_on(start(settings)).unwrap();
        Self { runtime, running: Some(running), now }
    }

    fn running(&self) -> &SandboxHandle {
        self.running.as_ref().unwrap()
    }

    /// The lines for `[service]`.
    #[track_caller]
    pub fn lines(&self) -> String {
        lines(self.running().address)
    }

    /// `[providers.hn]`: Hacker News on this sandbox.
    #[track_caller]
    pub fn hacker_news(&self) -> String {
        let lines = lines(self.running().address).replacen("\"\n", "/hackernews\"\n", 1);
        format!("[providers.hn]\nkind = \"hackernews\"\n{lines}")
    }

    /// Sets its clock.
    #[track_caller]
    pub fn set_clock(&self, now: &str) {
        self.now.store(Time::parse(now).unwrap().0, Ordering::Relaxed);
    }

    /// The number of requests so far.
    #[track_caller]
    pub fn calls(&self) -> u64 {
        self.running().calls()
    }

    /// The number of requests so far whose path ends with this.
    #[track_caller]
    pub fn calls_to(&self, end: &str) -> usize {
        self.running().requests().iter().filter(|seen| seen.path.ends_with(end)).count()
    }

    /// Method and path of each request.
    #[track_caller]
    pub fn requests(&self) -> Vec<String> {
        self.running().requests().iter().map(|seen| format!("{} {}", seen.method, seen.path)).collect()
    }

    #[track_caller]
    pub fn loaded(&self) -> topicwatch::sandbox::LoadStats {
        self.running().loaded().unwrap()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            self.runtime.block_on(running.stop());
        }
    }
}

/// A server that answers every request with the bytes that a function returns for its path, and closes.
pub struct FakeServer {
    address: SocketAddr,
    over: Arc<AtomicBool>,
}

impl FakeServer {
    #[track_caller]
    pub fn respond_with(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let raw = Self { address: listener.local_addr().unwrap(), over: Arc::default() };
        let (over, answer) = (Arc::clone(&raw.over), Arc::new(answer));
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let answer = Arc::clone(&answer);
                std::thread::spawn(move || converse(&mut connection.unwrap(), &*answer));
            }
        });
        raw
    }

    /// The lines for `[service]` with an address where nothing listens. It is kept until the test's process ends, so no
    /// other test's server gets it meanwhile.
    #[track_caller]
    pub fn unreachable() -> String {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = socket.local_addr().unwrap();
        std::mem::forget(socket);
        lines(address)
    }

    #[track_caller]
    pub fn lines(&self) -> String {
        lines(self.address)
    }

    #[track_caller]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        // Wakes the listener, so that its thread ends.
        TcpStream::connect(self.address).ok();
    }
}

/// A port for a server that must have the same one again when it restarts. It is below those that the system hands out,
/// so no other test's server gets it meanwhile.
#[track_caller]
pub fn unused_port() -> u16 {
    static TRIED: AtomicU16 = AtomicU16::new(0);
    loop {
        // Each test is a process of its own; neighbours begin at different ports.
        let offset = std::process::id().wrapping_mul(97) + u32::from(TRIED.fetch_add(1, Ordering::SeqCst));
        let port = 20_000 + u16::try_from(offset % 12_000).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// A server that malicious texts try to make a browser request. No request may ever arrive.
pub struct RequestTrap {
    raw: FakeServer,
    asked: Arc<AtomicUsize>,
}

impl RequestTrap {
    #[track_caller]
    pub fn set() -> Self {
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let raw = FakeServer::respond_with(move |_| {
            counter.fetch_add(1, Ordering::SeqCst);
            reply("200 OK", "", b"")
        });
        Self { raw, asked }
    }

    #[track_caller]
    pub fn url(&self) -> String {
        self.raw.url()
    }

    /// The number of requests so far.
    #[track_caller]
    pub fn request_count(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// Texts that request it, or set `data-ran` on the page, where a page takes them for markup.
    #[track_caller]
    pub fn hostile_texts(&self) -> Vec<String> {
        let url = self.url();
        let run = "document.documentElement.setAttribute('data-ran','yes')";
        vec![
            format!("<script>{run}</script>"),
            format!("<img src=\"{url}/a.png\" onerror=\"{run}\">"),
            format!("\"><svg onload=\"{run}\"><image href='{url}/b'/></svg>"),
            format!("</main></style></title><iframe src='{url}/c'></iframe><link rel=stylesheet href={url}/d>"),
            format!("'); background: url({url}/e); x=('"),
            format!("<meta http-equiv=refresh content='0;url={url}/f'>"),
            format!("<base href='{url}/'><form action='{url}/g'><input autofocus onfocus={run}>"),
        ]
    }
}

fn converse(stream: &mut TcpStream, answer: &dyn Fn(&str) -> Reply) {
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    // Byte by byte, so that the body is still unread when the answer is chosen.
    let (mut head, mut byte) = (Vec::new(), [0; 1]);
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head);
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<u64>().unwrap())
    });
    let reply = answer(head.split(' ').nth(1).unwrap());
    if reply.then != Then::Reset {
        std::io::copy(&mut stream.take(length.unwrap_or(0)), &mut std::io::sink()).unwrap();
    }
    // The client may close before the end.
    let _ =
        stream.write_all(&reply.head).and_then(|()| (0..reply.times).try_for_each(|_| stream.write_all(&reply.body)));
    // Closing with unread bytes resets the connection.
    if reply.then == Then::Close {
        stream.shutdown(std::net::Shutdown::Write).ok();
    }
    if reply.then != Then::Reset {
        while matches!(stream.read(&mut [0; 4096]), Ok(1..)) {}
    }
}

/// What happens to the connection after a reply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Then {
    /// It is closed cleanly.
    #[default]
    Close,
    /// It is reset.
    Reset,
    /// It stays open, and no more data comes.
    Hang,
}

/// What a raw server sends: a head, and a body repeated `times` times. By default nothing.
#[derive(Clone, Default)]
pub struct Reply {
    head: Vec<u8>,
    body: Vec<u8>,
    times: usize,
    then: Then,
}

/// A complete reply with the rest of the status line, headers (each ending in `\r\n`) and a body.
#[track_caller]
pub fn reply(status: &str, headers: &str, body: &[u8]) -> Reply {
    repeated(status, headers, body, 1)
}

/// The same with a body too long to hold in memory.
#[track_caller]
pub fn repeated(status: &str, headers: &str, body: &[u8], times: usize) -> Reply {
    let length = body.len() * times;
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n");
    Reply { head: head.into_bytes(), body: body.to_vec(), times, then: Then::Close }
}

/// Raw bytes.
#[track_caller]
pub fn bytes(bytes: &[u8]) -> Reply {
    Reply { head: bytes.to_vec(), ..Reply::default() }
}

/// Raw bytes, and what happens to the connection after them.
#[track_caller]
pub fn broken(bytes: &[u8], then: Then) -> Reply {
    Reply { head: bytes.to_vec(), then, ..Reply::default() }
}
