//! Receivers on loopback: a small web server and a small mail server. Each keeps what it receives and answers as the
//! case says. They run on threads of their own, so that cases are plain functions.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A received request.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    pub head: String,
    pub body: Vec<u8>,
}

impl ReceivedRequest {
    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// The answer to a request: the rest of the status line with headers, or no answer for as long as the client waits.
pub enum Answer {
    Say(&'static str),
    Hang,
}

/// The listening thread of a server; dropping it ends the thread.
struct Listening {
    address: SocketAddr,
    over: Arc<AtomicBool>,
}

impl Listening {
    fn begin(each: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let listening = Self { address: listener.local_addr().unwrap(), over: Arc::default() };
        let (over, each) = (Arc::clone(&listening.over), Arc::new(each));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let each = Arc::clone(&each);
                std::thread::spawn(move || {
                    let stream = stream.unwrap();
                    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
                    each(stream);
                });
            }
        });
        listening
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        // Wakes the listener, so that its thread ends.
        TcpStream::connect(self.address).ok();
    }
}

/// A web server.
pub struct WebhookServer {
    listening: Listening,
    got: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl WebhookServer {
    /// A receiver that gives one answer, which a case can change.
    #[track_caller]
    pub fn changeable(first: &'static str) -> (Self, Arc<Mutex<&'static str>>) {
        let answer = Arc::new(Mutex::new(first));
        let given = Arc::clone(&answer);
        (Self::answering(move |_| Answer::Say(*given.lock().unwrap())), answer)
    }

    #[track_caller]
    pub fn answering(answer: impl Fn(usize) -> Answer + Send + Sync + 'static) -> Self {
        let got: Arc<Mutex<Vec<ReceivedRequest>>> = Arc::default();
        let keep = Arc::clone(&got);
        let listening = Listening::begin(move |mut stream| {
            let Some(request) = read_request(&mut stream) else { return };
            let n = {
                let mut got = keep.lock().unwrap();
                got.push(request);
                got.len() - 1
            };
            match answer(n) {
                Answer::Say(reply) => {
                    let _ = stream.write_all(format!("HTTP/1.1 {reply}\r\nconnection: close\r\n\r\n").as_bytes());
                    stream.shutdown(std::net::Shutdown::Write).ok();
                }
                Answer::Hang => {}
            }
            while matches!(stream.read(&mut [0; 1024]), Ok(1..)) {}
        });
        Self { listening, got }
    }

    #[track_caller]
    pub fn accepting() -> Self {
        Self::answering(|_| Answer::Say("204 No Content"))
    }

    #[track_caller]
    pub fn url(&self) -> String {
        self.url_of("/T0KEN-in-the-path?key=QUERYKEY")
    }

    /// The URL of a path.
    #[track_caller]
    pub fn url_of(&self, path: &str) -> String {
        format!("http://{}{path}", self.listening.address)
    }

    #[track_caller]
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.got.lock().unwrap().clone()
    }
}

fn read_request(stream: &mut TcpStream) -> Option<ReceivedRequest> {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let mut got = ReceivedRequest { head, body: Vec::new() };
    let length: usize = got.header("content-length").map_or(0, |length| length.parse().unwrap());
    got.body = vec![0; length];
    reader.read_exact(&mut got.body).ok()?;
    Some(got)
}

/// A received mail.
#[derive(Debug, Clone, Default)]
pub struct Mail {
    pub from: String,
    pub to: Vec<String>,
    pub data: String,
    /// The login as the client sent it.
    pub login: Option<String>,
    /// Whether it came over TLS.
    pub encrypted: bool,
}

/// How a mail server encrypts, with the name of the certificate in `tls/`.
#[derive(Clone, Copy)]
pub enum MailEncryption {
    Plain,
    StartTls(&'static str),
    Implicit(&'static str),
}

/// Overrides the answer to a command; an empty string means no answer at all.
pub type Script = fn(&str) -> Option<&'static str>;

/// A mail server that accepts every mail, or answers the nth mail (from 0) with a line of its own.
pub struct MailServer {
    listening: Listening,
    got: Arc<Mutex<Vec<Mail>>>,
    clear: Arc<Mutex<Vec<String>>>,
}

/// The state of a conversation.
struct Talk<'a> {
    keep: &'a Mutex<Vec<Mail>>,
    clear: &'a Mutex<Vec<String>>,
    answer: &'a dyn Fn(usize) -> Option<&'static str>,
    script: Script,
    /// Whether it offers STARTTLS.
    offers: bool,
    encrypted: bool,
    greets: bool,
}

impl MailServer {
    #[track_caller]
    pub fn answering(answer: impl Fn(usize) -> Option<&'static str> + Send + Sync + 'static) -> Self {
        Self::encrypted(MailEncryption::Plain, answer)
    }

    #[track_caller]
    pub fn scripted(script: Script) -> Self {
        Self::begin(MailEncryption::Plain, script, |_| None)
    }

    #[track_caller]
    pub fn encrypted(
        wire: MailEncryption,
        answer: impl Fn(usize) -> Option<&'static str> + Send + Sync + 'static,
    ) -> Self {
        Self::begin(wire, |_| None, answer)
    }

    fn begin(
        wire: MailEncryption,
        script: Script,
        answer: impl Fn(usize) -> Option<&'static str> + Send + Sync + 'static,
    ) -> Self {
        let got: Arc<Mutex<Vec<Mail>>> = Arc::default();
        let clear: Arc<Mutex<Vec<String>>> = Arc::default();
        let (keep, heard) = (Arc::clone(&got), Arc::clone(&clear));
        let listening = Listening::begin(move |stream| {
            let plain = Talk {
                keep: &keep,
                clear: &heard,
                answer: &answer,
                script,
                offers: matches!(wire, MailEncryption::StartTls(_)),
                encrypted: false,
                greets: true,
            };
            let secret = |greets| Talk { offers: false, encrypted: true, greets, ..plain };
            // The case checks what a client that breaks off does.
            let _ = match wire {
                MailEncryption::Plain => converse(stream, &plain).map(drop),
                MailEncryption::Implicit(name) => converse(encrypted(stream, name), &secret(true)).map(drop),
                MailEncryption::StartTls(name) => converse(stream, &plain).and_then(|stream| match stream {
                    Some(stream) => converse(encrypted(stream, name), &secret(false)).map(drop),
                    None => Ok(()),
                }),
            };
        });
        Self { listening, got, clear }
    }

    #[track_caller]
    pub fn accepting() -> Self {
        Self::answering(|_| None)
    }

    #[track_caller]
    pub fn port(&self) -> u16 {
        self.listening.address.port()
    }

    #[track_caller]
    pub fn received(&self) -> Vec<Mail> {
        self.got.lock().unwrap().clone()
    }

    /// Every line that came unencrypted.
    #[track_caller]
    pub fn unencrypted_lines(&self) -> Vec<String> {
        self.clear.lock().unwrap().clone()
    }
}

/// The path of a file in `tls/`: certificates of an authority that only these cases trust, valid from 2020 to 2119.
#[track_caller]
pub fn certificate(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/tls/{name}.pem"))
}

fn encrypted(stream: TcpStream, name: &str) -> rustls::StreamOwned<rustls::ServerConnection, TcpStream> {
    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    let (chain, key) =
        (CertificateDer::from_pem_file(certificate(name)), PrivateKeyDer::from_pem_file(certificate(name)));
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![chain.unwrap()], key.unwrap())
        .unwrap();
    rustls::StreamOwned::new(rustls::ServerConnection::new(Arc::new(config)).unwrap(), stream)
}

/// Runs the conversation until the client ends it. Returns the connection when the client asks for STARTTLS.
fn converse<S: Read + Write>(stream: S, talk: &Talk<'_>) -> std::io::Result<Option<S>> {
    let mut reader = BufReader::new(stream);
    let mut mail = Mail { encrypted: talk.encrypted, ..Mail::default() };
    if talk.greets {
        say(&mut reader, "220 here")?;
    }
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        if !talk.encrypted {
            talk.clear.lock().unwrap().push(line.trim().to_owned());
        }
        let word = line.split([' ', ':']).next().unwrap_or("").trim().to_ascii_uppercase();
        match (talk.script)(&word) {
            Some("") => continue,
            Some(reply) => {
                say(&mut reader, reply)?;
                continue;
            }
            None => {}
        }
        let reply = match word.as_str() {
            "EHLO" | "HELO" if talk.offers => "250-here\r\n250-AUTH PLAIN\r\n250-STARTTLS\r\n250 8BITMIME",
            "EHLO" | "HELO" => "250-here\r\n250-AUTH PLAIN\r\n250 8BITMIME",
            "STARTTLS" if talk.offers => {
                say(&mut reader, "220 go on")?;
                assert!(reader.buffer().is_empty(), "no data may be sent before encryption");
                return Ok(Some(reader.into_inner()));
            }
            "STARTTLS" => "502 not here",
            "AUTH" => {
                mail.login = Some(line.trim().to_owned());
                "235 yes"
            }
            "MAIL" => {
                mail.from = line.trim().to_owned();
                "250 yes"
            }
            "RCPT" => {
                mail.to.push(line.trim().to_owned());
                "250 yes"
            }
            "DATA" => {
                say(&mut reader, "354 go on")?;
                loop {
                    let mut line = String::new();
                    reader.read_line(&mut line)?;
                    if line == ".\r\n" || line.is_empty() {
                        break;
                    }
                    mail.data.push_str(&line);
                }
                let mut got = talk.keep.lock().unwrap();
                got.push(mail.clone());
                (talk.answer)(got.len() - 1).unwrap_or("250 taken")
            }
            "QUIT" => {
                say(&mut reader, "221 bye")?;
                return Ok(None);
            }
            _ => "250 yes",
        };
        say(&mut reader, reply)?;
    }
}

fn say<S: Read + Write>(reader: &mut BufReader<S>, reply: &str) -> std::io::Result<()> {
    reader.get_mut().write_all(format!("{reply}\r\n").as_bytes())?;
    reader.get_mut().flush()
}
