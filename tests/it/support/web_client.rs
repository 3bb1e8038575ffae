//! A client of the pages: plain requests over a socket with any headers, and the program that serves the pages on a
//! free port.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::support::program::{Place, RunningProgram, wait_until};

/// A token of sufficient length.
pub const TOKEN: &str = "web-token-0123456789";

/// The configuration of a topic that can be run on demand, and pages to do it from.
pub const ON_DEMAND_TOPIC: &str =
    "[web]\nlisten = \"127.0.0.1:0\"\n[[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"12h\"\n";

/// A page without its links; their words stay.
pub fn without_links(page: &str) -> String {
    let (mut text, mut rest) = (String::with_capacity(page.len()), page);
    while let Some((before, link)) = rest.split_once("<a ") {
        text.push_str(before);
        rest = link.split_once('>').map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    text.replace("</a>", "")
}

/// The running pages of a place.
pub struct Pages {
    pub address: String,
    pub program: RunningProgram,
}

impl Pages {
    /// `serve` on a free port.
    #[track_caller]
    pub fn serve(place: &Place, more: &[&str]) -> Self {
        Self::wait_for_address(place.program(&[&["serve", "--listen", "127.0.0.1:0"], more].concat()).start())
    }

    /// The same with a token required.
    #[track_caller]
    pub fn serve_with_token(place: &Place, more: &[&str]) -> Self {
        let program = place.program(&[&["serve", "--listen", "127.0.0.1:0"], more].concat());
        Self::wait_for_address(program.env("TOPICWATCH_WEB_TOKEN", TOKEN).start())
    }

    /// Starts `run` with pages that need the token, for a place configured with [`ON_DEMAND_TOPIC`].
    #[track_caller]
    pub fn run(place: &Place) -> Self {
        Self::wait_for_address(place.program(&["run"]).env("TOPICWATCH_WEB_TOKEN", TOKEN).start())
    }

    /// Waits for the address of a program that serves pages.
    #[track_caller]
    pub fn wait_for_address(mut going: RunningProgram) -> Self {
        let address = std::cell::RefCell::new(String::new());
        going.wait_until("the address of the pages", |said| {
            said.contains("http://127.0.0.1:") || said.contains("serving pages")
        });
        // Lines on stdout and stderr come in any order.
        wait_until("the address of the pages", || {
            going.with_output(|out, err| {
                let both = format!("{out}\n{err}\n");
                let Some((_, rest)) = both.rsplit_once("http://127.0.0.1:") else { return };
                let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
                address.borrow_mut().replace_range(.., &format!("127.0.0.1:{port}"));
            });
            !address.borrow().is_empty()
        });
        let address = address.into_inner();
        Self { address, program: going }
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[], "")
    }

    /// Waits until a path is answered with this status.
    #[track_caller]
    pub fn wait_for_status(&self, path: &str, status: u16) {
        wait_until(&format!("{status} of {path}"), || self.get(path).status == status);
    }

    /// Gets a page that must exist. While many tests share the processors, a page may take longer than its server
    /// allows; then the server asks to try again.
    #[track_caller]
    pub fn page(&self, path: &str) -> String {
        let until = Instant::now() + Duration::from_secs(60);
        let is_busy = |answer: &Answer| answer.status == 503 && answer.body.contains("<h1>This took too long</h1>");
        let mut answer = self.get(path);
        while is_busy(&answer) && Instant::now() < until {
            answer = self.get(path);
        }
        assert_eq!(answer.status, 200, "{path}\n{}", answer.text);
        answer.body
    }

    #[track_caller]
    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
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
        self.send_bytes(format!("{head}Connection: close\r\n\r\n{body}").as_bytes())
    }

    /// Sends bytes and reads until the server closes.
    #[track_caller]
    pub fn send_bytes(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // The server may close the connection early when it refuses a request.
        let _ = stream.write_all(bytes);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        Answer::of(&all)
    }

    #[track_caller]
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// The value of `Origin` for forms of these pages.
    #[track_caller]
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Logs in and returns the cookie.
    #[track_caller]
    pub fn log_in(&self) -> String {
        let origin = self.origin();
        let answer = self.request("POST", "/login", &[("Origin", &origin)], &format!("token={TOKEN}"));
        assert_eq!(answer.status, 303, "{}", answer.text);
        answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    }
}

/// Opens an event stream and reads until these words have come; the stream stays open.
#[track_caller]
pub fn open_event_stream(pages: &Pages, path: &str, header: (&str, &str), words: &str) -> TcpStream {
    let mut stream = pages.connect();
    let (name, value) = header;
    let asked = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{name}: {value}\r\n\r\n", pages.address);
    stream.write_all(asked.as_bytes()).unwrap();
    read_until(&mut stream, words);
    stream
}

/// Reads a stream until these words have come.
#[track_caller]
pub fn read_until(stream: &mut TcpStream, words: &str) {
    let (mut said, mut part) = (String::new(), [0; 4_096]);
    while !said.contains(words) {
        let read = stream.read(&mut part).unwrap();
        assert!(read > 0, "{said}");
        said.push_str(&String::from_utf8_lossy(&part[..read]));
    }
}

/// Waits until the server closes a stream; ignores what it sends meanwhile.
#[track_caller]
pub fn wait_for_end(mut stream: TcpStream) {
    let reading = std::thread::spawn(move || stream.read_to_end(&mut Vec::new()));
    wait_until("the end of the stream", || reading.is_finished());
    reading.join().unwrap().unwrap();
}

/// A response.
pub struct Answer {
    pub status: u16,
    /// The whole response.
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

    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        let head = self.text.split_once("\r\n\r\n").map_or(self.text.as_str(), |(head, _)| head);
        head.lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, v)| v)
    }
}
