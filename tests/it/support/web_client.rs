//! A visitor of the pages: plain requests over a socket, with any header a case wants, and the program that serves them on a
//! port of its own.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::support::program::{Going, Place, until};

/// A token that is long enough.
pub const TOKEN: &str = "web-token-0123456789";

/// A topic that may be asked for, and pages on which to do it.
pub const ASKED: &str =
    "[web]\nlisten = \"127.0.0.1:0\"\n[[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"12h\"\n";

/// The pages of a place.
pub struct Pages {
    pub address: String,
    pub going: Going,
}

impl Pages {
    /// `serve` on a free port.
    pub fn serve(place: &Place, more: &[&str]) -> Self {
        Self::of(place.program(&[&["serve", "--listen", "127.0.0.1:0"], more].concat()).start())
    }

    /// The same for who has the token alone.
    pub fn serve_to_some(place: &Place, more: &[&str]) -> Self {
        let program = place.program(&[&["serve", "--listen", "127.0.0.1:0"], more].concat());
        Self::of(program.env("TOPICWATCH_WEB_TOKEN", TOKEN).start())
    }

    /// `run` with pages for who has the token, of a place that was made with [`ASKED`].
    pub fn run(place: &Place) -> Self {
        Self::of(place.program(&["run"]).env("TOPICWATCH_WEB_TOKEN", TOKEN).start())
    }

    /// A program that was started and serves pages.
    pub fn of(mut going: Going) -> Self {
        let address = std::cell::RefCell::new(String::new());
        going.until("the address of the pages", |said| {
            said.contains("http://127.0.0.1:") || said.contains("for reading only")
        });
        // What is said on two ways comes in any order.
        until("the address of the pages", || {
            going.look(|out, err| {
                let both = format!("{out}\n{err}\n");
                let Some((_, rest)) = both.rsplit_once("http://127.0.0.1:") else { return };
                let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
                address.borrow_mut().replace_range(.., &format!("127.0.0.1:{port}"));
            });
            !address.borrow().is_empty()
        });
        let address = address.into_inner();
        Self { address, going }
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], "")
    }

    /// A page that must be there.
    pub fn page(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}\n{}", answer.text);
        answer.body
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if headers.iter().all(|(name, _)| !name.eq_ignore_ascii_case("host")) {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if method != "GET" && method != "HEAD" {
            head.push_str("Content-Type: application/x-www-form-urlencoded\r\n");
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        self.say(format!("{head}Connection: close\r\n\r\n{body}").as_bytes())
    }

    /// Sends bytes and reads until the other side closes.
    pub fn say(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // Who is refused early may find the connection closed while still talking.
        let _ = stream.write_all(bytes);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        Answer::of(&all)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Where forms of these pages are sent from.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The cookie of a browser that logged in.
    pub fn log_in(&self) -> String {
        let origin = self.origin();
        let answer = self.ask("POST", "/login", &[("Origin", &origin)], &format!("token={TOKEN}"));
        assert_eq!(answer.status, 303, "{}", answer.text);
        answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    }
}

/// Asks for events and reads until some words have come; the stream goes on.
pub fn events(pages: &Pages, path: &str, header: (&str, &str), words: &str) -> TcpStream {
    let mut stream = pages.connect();
    let (name, value) = header;
    let asked = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{name}: {value}\r\n\r\n", pages.address);
    stream.write_all(asked.as_bytes()).unwrap();
    said(&mut stream, words);
    stream
}

/// Reads a stream until some words have come.
pub fn said(stream: &mut TcpStream, words: &str) {
    let (mut said, mut part) = (String::new(), [0; 4_096]);
    while !said.contains(words) {
        let read = stream.read(&mut part).unwrap();
        assert!(read > 0, "{said}");
        said.push_str(&String::from_utf8_lossy(&part[..read]));
    }
}

/// Waits until the other side closes a stream, whatever it says meanwhile.
pub fn ends(mut stream: TcpStream) {
    let reading = std::thread::spawn(move || stream.read_to_end(&mut Vec::new()));
    until("the end of the stream", || reading.is_finished());
    reading.join().unwrap().unwrap();
}

/// An answer.
pub struct Answer {
    pub status: u16,
    /// All of it.
    pub text: String,
    pub body: String,
}

impl Answer {
    fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body).to_owned();
        Self { status, text, body }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let head = self.text.split_once("\r\n\r\n").map_or(self.text.as_str(), |(head, _)| head);
        head.lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, v)| v)
    }
}
