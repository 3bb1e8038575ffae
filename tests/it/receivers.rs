//! Who gets what is delivered, on loopback: a web server and a mail server of a few lines, each of which keeps what it got
//! and answers as a case says. They run on threads of their own, so that cases are plain functions.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Got {
    pub head: String,
    pub body: Vec<u8>,
}

impl Got {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// What is answered to the nth request, from 0: a status line's rest with headers, or not a word for as long as asked.
pub enum Answer {
    Say(&'static str),
    Hang,
}

/// A server of one kind; dropped, it ends.
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
pub struct Hook {
    listening: Listening,
    got: Arc<Mutex<Vec<Got>>>,
}

impl Hook {
    pub fn answering(answer: impl Fn(usize) -> Answer + Send + Sync + 'static) -> Self {
        let got: Arc<Mutex<Vec<Got>>> = Arc::default();
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

    pub fn good() -> Self {
        Self::answering(|_| Answer::Say("204 No Content"))
    }

    pub fn url(&self) -> String {
        format!("http://{}/T0KEN-in-the-path?key=QUERYKEY", self.listening.address)
    }

    pub fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }
}

fn read_request(stream: &mut TcpStream) -> Option<Got> {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let mut got = Got { head, body: Vec::new() };
    let length: usize = got.header("content-length").map_or(0, |length| length.parse().unwrap());
    got.body = vec![0; length];
    reader.read_exact(&mut got.body).ok()?;
    Some(got)
}

/// A mail as it came.
#[derive(Debug, Clone)]
pub struct Mail {
    pub from: String,
    pub to: Vec<String>,
    pub data: String,
}

/// A mail server that takes what it is given, or answers the nth mail (from 0) with a line of its own.
pub struct Post {
    listening: Listening,
    got: Arc<Mutex<Vec<Mail>>>,
}

impl Post {
    pub fn answering(answer: impl Fn(usize) -> Option<&'static str> + Send + Sync + 'static) -> Self {
        let got: Arc<Mutex<Vec<Mail>>> = Arc::default();
        let keep = Arc::clone(&got);
        let listening = Listening::begin(move |mut stream| {
            let _ = converse(&mut stream, &keep, &answer);
        });
        Self { listening, got }
    }

    pub fn good() -> Self {
        Self::answering(|_| None)
    }

    pub fn port(&self) -> u16 {
        self.listening.address.port()
    }

    pub fn got(&self) -> Vec<Mail> {
        self.got.lock().unwrap().clone()
    }
}

fn converse(
    stream: &mut TcpStream,
    keep: &Mutex<Vec<Mail>>,
    answer: &dyn Fn(usize) -> Option<&'static str>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut mail = Mail { from: String::new(), to: Vec::new(), data: String::new() };
    stream.write_all(b"220 here\r\n")?;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let word = line.split([' ', ':']).next().unwrap_or("").trim().to_ascii_uppercase();
        let reply = match word.as_str() {
            "EHLO" | "HELO" => "250-here\r\n250 8BITMIME",
            "MAIL" => {
                mail.from = line.trim().to_owned();
                "250 yes"
            }
            "RCPT" => {
                mail.to.push(line.trim().to_owned());
                "250 yes"
            }
            "DATA" => {
                stream.write_all(b"354 go on\r\n")?;
                loop {
                    let mut line = String::new();
                    reader.read_line(&mut line)?;
                    if line == ".\r\n" || line.is_empty() {
                        break;
                    }
                    mail.data.push_str(&line);
                }
                let mut got = keep.lock().unwrap();
                got.push(mail.clone());
                answer(got.len() - 1).unwrap_or("250 taken")
            }
            "QUIT" => {
                stream.write_all(b"221 bye\r\n")?;
                return Ok(());
            }
            _ => "250 yes",
        };
        stream.write_all(format!("{reply}\r\n").as_bytes())?;
    }
}
