//! A server that sends its replies in order, repeats the last one, and records the requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

pub struct ReplyServer {
    address: SocketAddr,
    over: Arc<AtomicBool>,
    heads: Arc<Mutex<Vec<String>>>,
    bodies: Arc<Mutex<Vec<String>>>,
}

/// A complete HTTP reply.
#[track_caller]
pub fn reply(status: u16, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    // A 304 has no body, and so no length (RFC 9110, section 15.4.5).
    let length = if status == 304 { String::new() } else { format!("content-length: {}\r\n", body.len()) };
    format!("HTTP/1.1 {status} x\r\nconnection: close\r\n{length}{headers}\r\n{body}").into_bytes()
}

impl ReplyServer {
    #[track_caller]
    pub fn start(replies: Vec<Vec<u8>>) -> Self {
        Self::answering(move |n, _| replies[n.min(replies.len() - 1)].clone())
    }

    /// Answers by the number of the request and its path.
    #[track_caller]
    pub fn answering(answer: impl Fn(usize, &str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let made = Self {
            address: listener.local_addr().unwrap(),
            over: Arc::default(),
            heads: Arc::default(),
            bodies: Arc::default(),
        };
        let (over, heads, bodies) = (Arc::clone(&made.over), Arc::clone(&made.heads), Arc::clone(&made.bodies));
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                if let Ok(mut connection) = connection {
                    let Some((head, body)) = asked(&connection) else { continue };
                    bodies.lock().unwrap().push(body);
                    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                    let n = {
                        let mut heads = heads.lock().unwrap();
                        heads.push(head);
                        heads.len() - 1
                    };
                    connection.write_all(&answer(n, &path)).ok();
                }
            }
        });
        made
    }

    #[track_caller]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The bodies of all requests so far.
    #[track_caller]
    pub fn bodies(&self) -> Vec<String> {
        self.bodies.lock().unwrap().clone()
    }

    /// The heads of all requests so far.
    #[track_caller]
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

fn asked(connection: &TcpStream) -> Option<(String, String)> {
    let (mut head, mut reader) = (String::new(), BufReader::new(connection));
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim_end().is_empty() {
            break;
        }
        head.push_str(line.trim_end());
        head.push('\n');
    }
    let length = head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8(body).ok()?))
}

impl Drop for ReplyServer {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        // Wakes the listener, so that its thread ends.
        TcpStream::connect(self.address).ok();
    }
}
