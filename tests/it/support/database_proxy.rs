//! A proxy to a PostgreSQL server that a case can shut. Open connections then end or stall, and new ones are refused or
//! get no answer.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Open,
    /// New connections are refused.
    Gone,
    /// New connections are accepted and get no answer.
    Silent,
    /// Like `Silent`, and open connections stay open without any more data, as when a host vanishes from the network.
    Stalled,
}

struct State {
    mode: Mode,
    streams: Vec<TcpStream>,
}

/// A proxy on a port of its own; dropping it ends every connection through it.
pub struct DatabaseProxy {
    port: u16,
    state: Arc<Mutex<State>>,
    thread: Option<JoinHandle<()>>,
}

impl DatabaseProxy {
    /// An open proxy to the server of a URL.
    pub fn to(url: &str) -> Self {
        let real = url::Url::parse(url).unwrap();
        let real = (real.host_str().unwrap().to_owned(), real.port().unwrap_or(5432));
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(State { mode: Mode::Open, streams: Vec::new() }));
        let thread = std::thread::spawn({
            let state = Arc::clone(&state);
            move || {
                let mut copying = Vec::new();
                while let Ok((stream, _)) = listener.accept() {
                    let mut held = state.lock().unwrap();
                    match held.mode {
                        Mode::Gone => break,
                        Mode::Silent | Mode::Stalled => held.streams.push(stream),
                        Mode::Open => {
                            let other = TcpStream::connect((real.0.as_str(), real.1)).unwrap();
                            held.streams.extend([stream.try_clone().unwrap(), other.try_clone().unwrap()]);
                            let ends = [stream.try_clone().unwrap(), other.try_clone().unwrap(), other, stream];
                            let [from, to, back, there] = ends;
                            copying.push(copy(from, to, Arc::clone(&state)));
                            copying.push(copy(back, there, Arc::clone(&state)));
                        }
                    }
                }
                drop(listener);
                copying.into_iter().for_each(|one| one.join().unwrap());
            }
        });
        Self { port, state, thread: Some(thread) }
    }

    /// The URL of the server through the proxy.
    pub fn url(&self, real: &str) -> String {
        let mut url = url::Url::parse(real).unwrap();
        url.set_port(Some(self.port)).unwrap();
        url.set_host(Some("127.0.0.1")).unwrap();
        url.to_string()
    }

    /// Shuts the proxy: ends the connections through it (except `Stalled`) and lets no new one in.
    pub fn shut(&self, mode: Mode) {
        let mut held = self.state.lock().unwrap();
        held.mode = mode;
        for stream in held.streams.iter().filter(|_| mode != Mode::Stalled) {
            stream.shutdown(Shutdown::Both).ok();
        }
        drop(held);
        if mode == Mode::Gone {
            // Wakes the accepting thread.
            TcpStream::connect(("127.0.0.1", self.port)).ok();
        }
    }
}

impl Drop for DatabaseProxy {
    fn drop(&mut self) {
        self.shut(Mode::Gone);
        self.thread.take().unwrap().join().unwrap();
    }
}

fn copy(mut from: TcpStream, mut to: TcpStream, state: Arc<Mutex<State>>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut part = [0; 16 * 1024];
        while let Ok(read @ 1..) = from.read(&mut part) {
            // A stalled proxy drops the data.
            if state.lock().unwrap().mode != Mode::Stalled && to.write_all(&part[..read]).is_err() {
                break;
            }
        }
        to.shutdown(Shutdown::Both).ok();
        from.shutdown(Shutdown::Both).ok();
    })
}
