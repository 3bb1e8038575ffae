//! A way to a PostgreSQL server that can be shut: what went through it ends, and who comes afterwards finds nobody or hears
//! nothing.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Open,
    /// Nobody listens any more.
    Gone,
    /// Connections are taken and nothing is said.
    Silent,
    /// The same, and those that there are stay and hear nothing more: as when a host is gone from the network.
    Stalled,
}

struct State {
    way: Way,
    streams: Vec<TcpStream>,
}

/// Listens on a port of its own; dropped, everything through it ends.
pub struct Gate {
    port: u16,
    state: Arc<Mutex<State>>,
    thread: Option<JoinHandle<()>>,
}

impl Gate {
    /// An open one to the server of an address.
    pub fn to(url: &str) -> Self {
        let real = url::Url::parse(url).unwrap();
        let real = (real.host_str().unwrap().to_owned(), real.port().unwrap_or(5432));
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(State { way: Way::Open, streams: Vec::new() }));
        let thread = std::thread::spawn({
            let state = Arc::clone(&state);
            move || {
                let mut copying = Vec::new();
                while let Ok((stream, _)) = listener.accept() {
                    let mut held = state.lock().unwrap();
                    match held.way {
                        Way::Gone => break,
                        Way::Silent | Way::Stalled => held.streams.push(stream),
                        Way::Open => {
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

    /// The address of the server through this.
    pub fn url(&self, real: &str) -> String {
        let mut url = url::Url::parse(real).unwrap();
        url.set_port(Some(self.port)).unwrap();
        url.set_host(Some("127.0.0.1")).unwrap();
        url.to_string()
    }

    /// Ends what goes through, and lets nobody else in.
    pub fn shut(&self, way: Way) {
        let mut held = self.state.lock().unwrap();
        held.way = way;
        for stream in held.streams.iter().filter(|_| way != Way::Stalled) {
            stream.shutdown(Shutdown::Both).ok();
        }
        drop(held);
        if way == Way::Gone {
            // Whoever waits for the next one sees it.
            TcpStream::connect(("127.0.0.1", self.port)).ok();
        }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.shut(Way::Gone);
        self.thread.take().unwrap().join().unwrap();
    }
}

fn copy(mut from: TcpStream, mut to: TcpStream, state: Arc<Mutex<State>>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut part = [0; 16 * 1024];
        while let Ok(read @ 1..) = from.read(&mut part) {
            // What is said to nobody is lost.
            if state.lock().unwrap().way != Way::Stalled && to.write_all(&part[..read]).is_err() {
                break;
            }
        }
        to.shutdown(Shutdown::Both).ok();
        from.shutdown(Shutdown::Both).ok();
    })
}
