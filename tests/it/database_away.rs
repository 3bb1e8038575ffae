//! A PostgreSQL server that is unavailable when a process starts: it is starting up, shuts down, refuses or drops
//! connections. Commands report it and exit with 4; `run` waits for it for a while.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::daemons::{sandbox_of_today, topics};
use crate::support::databases::{on_server, postgres, sqlite};
use crate::support::postgres_server::PostgresServer;
use crate::support::program::{Place, wait_until};

/// How a server is unavailable.
#[derive(Clone, Copy, Debug)]
enum Away {
    /// It sends an error with this SQLSTATE and message.
    Says(&'static str, &'static str),
    /// It sends this part of a message, or nothing, and drops the connection.
    Drops(&'static [u8]),
}

const AWAY: [Away; 7] = [
    Away::Says("57P03", "the database system is starting up"),
    Away::Says("57P03", "the database system is shutting down"),
    Away::Says("57P01", "terminating connection due to administrator command"),
    Away::Says("53300", "sorry, too many clients already"),
    Away::Drops(b""),
    Away::Drops(b"E\0\0\0"),
    // Not a protocol message at this point, as from a proxy.
    Away::Drops(b"HTTP/1.1 503 Service Unavailable\r\n\r\n"),
];

/// The same, with so many repeats of the first that it is longer than a short interruption.
const LONG_AWAY: [Away; 27] = {
    let mut away = [AWAY[0]; 27];
    let mut n = 1;
    while n < AWAY.len() {
        away[20 + n] = AWAY[n];
        n += 1;
    }
    away
};

/// A fake server on a port of its own: unavailable for a number of connections, then a proxy to the real server.
struct Server {
    port: u16,
    asked: Arc<AtomicUsize>,
    ended: Arc<AtomicBool>,
    /// Whether the real server has to wait before it gets a connection.
    held: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    fn of(away: &'static [Away], times: usize, real: Option<String>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, ended) = (Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default());
        let (held, open) = (Arc::<AtomicBool>::default(), Arc::<Mutex<Vec<TcpStream>>>::default());
        let thread = std::thread::spawn({
            let (asked, ended, open) = (Arc::clone(&asked), Arc::clone(&ended), Arc::clone(&open));
            let held = Arc::clone(&held);
            move || {
                let mut copying = Vec::new();
                while let Ok((stream, _)) = listener.accept() {
                    if ended.load(Ordering::SeqCst) {
                        break;
                    }
                    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
                    let nth = asked.fetch_add(1, Ordering::SeqCst);
                    match &real {
                        Some(real) if nth >= times => {
                            wait_until("it is released", || !held.load(Ordering::SeqCst));
                            let other = TcpStream::connect(real).unwrap();
                            open.lock().unwrap().extend([stream.try_clone().unwrap(), other.try_clone().unwrap()]);
                            copying.extend(proxy_both_ways(stream, other));
                        }
                        _ => refuse(stream, away[nth % away.len()]),
                    }
                }
                copying.into_iter().for_each(|one: std::thread::JoinHandle<()>| one.join().unwrap());
            }
        });
        Self { port, asked, ended, held, open, thread: Some(thread) }
    }

    fn url(&self, like: &str) -> String {
        let mut url = url::Url::parse(like).unwrap();
        url.set_port(Some(self.port)).unwrap();
        url.set_host(Some("127.0.0.1")).unwrap();
        url.to_string()
    }

    fn connections(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        for stream in self.open.lock().unwrap().drain(..) {
            stream.shutdown(std::net::Shutdown::Both).ok();
        }
        TcpStream::connect(("127.0.0.1", self.port)).ok();
        self.thread.take().unwrap().join().unwrap();
    }
}

fn proxy_both_ways(one: TcpStream, other: TcpStream) -> [std::thread::JoinHandle<()>; 2] {
    let copy = |mut from: TcpStream, mut to: TcpStream| {
        from.set_read_timeout(None).unwrap();
        std::thread::spawn(move || {
            std::io::copy(&mut from, &mut to).ok();
            to.shutdown(std::net::Shutdown::Both).ok();
            from.shutdown(std::net::Shutdown::Both).ok();
        })
    };
    let (here, there) = (one.try_clone().unwrap(), other.try_clone().unwrap());
    [copy(one, other), copy(there, here)]
}

/// Answers like an unavailable server: first to the encryption request, then to the start of a session.
fn refuse(mut stream: TcpStream, how: Away) {
    let mut asked = || -> Option<Vec<u8>> {
        let mut length = [0; 4];
        stream.read_exact(&mut length).ok()?;
        let mut rest = vec![0; (u32::from_be_bytes(length) as usize).saturating_sub(4).min(10_000)];
        stream.read_exact(&mut rest).ok()?;
        if rest == [4, 210, 22, 47] {
            stream.write_all(b"N").ok()?;
        }
        Some(rest)
    };
    if asked().is_some_and(|first| first == [4, 210, 22, 47]) {
        asked();
    }
    let answer = match how {
        Away::Says(code, message) => {
            let mut fields = Vec::new();
            for (name, value) in [("S", "FATAL"), ("V", "FATAL"), ("C", code), ("M", message), ("L", "948")] {
                fields.extend_from_slice(format!("{name}{value}\0").as_bytes());
            }
            fields.push(0);
            let length = u32::try_from(fields.len() + 4).unwrap().to_be_bytes();
            [&b"E"[..], &length, &fields].concat()
        }
        Away::Drops(part) => part.to_vec(),
    };
    stream.write_all(&answer).ok();
}

#[test]
fn commands_exit_with_4_while_the_server_is_away() {
    let sandbox = sandbox_of_today(&[]);
    for how in &AWAY {
        let server = Server::of(std::slice::from_ref(how), usize::MAX, None);
        let mut database = sqlite();
        database.url = server.url("postgres://watch:secret@localhost/watch");
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"]));
        for args in [&["status"][..], &["once"], &["health"], &["export", "--out", "x.csv"]] {
            let ended = place.run(args);
            assert_eq!(ended.code, Some(4), "{how:?} {args:?}: {ended}");
            assert!(ended.err.contains("hint: ") && !ended.err.contains("secret"), "{how:?} {args:?}: {ended}");
        }
        // The daemon tries again, reports it, and gives up after a while.
        let before = server.connections();
        let ended = place.program(&["run"]).env("TOPICWATCH_TEST_BOUND", "away=2500").run();
        ended.assert_stderr(4, &["trying again for ", "gave up after 2 s", "hint: "]);
        assert!(server.connections() >= before + 3, "{how:?}: {ended}");
        assert!(ended.err.matches("trying again for ").count() <= 2, "said once: {ended}");
    }
    assert_eq!(sandbox.calls(), 0);
}

/// The message of a server, and a part of the hint.
const SERVER_MESSAGES: [(Away, &str); 10] = [
    (
        Away::Says("25P03", "terminating connection due to idle-in-transaction timeout"),
        "this process stood still in a transaction",
    ),
    (
        Away::Says("25006", "cannot execute INSERT in a read-only transaction"),
        "the database is read-only: is the server a standby",
    ),
    (Away::Says("28P01", "password authentication failed"), "are the user, password and database name"),
    (Away::Says("3D000", "database \"watch\" does not exist"), "are the user, password and database name"),
    (Away::Says("40001", "could not serialize access"), "other processes wrote the same rows"),
    (Away::Says("42501", "permission denied"), "the database user lacks a privilege"),
    (Away::Says("53100", "could not extend file"), "the disk is full"),
    (Away::Says("53200", "out of memory"), "the database server is out of memory"),
    (
        Away::Says("53300", "sorry, too many clients already"),
        "the database server has no free connection: raise max_connections",
    ),
    (Away::Says("57014", "canceling statement due to statement timeout"), "it took longer than 60 seconds"),
];

#[test]
fn each_server_error_has_a_fitting_hint() {
    for (how, hint) in &SERVER_MESSAGES {
        let server = Server::of(std::slice::from_ref(how), usize::MAX, None);
        let mut database = sqlite();
        database.url = server.url("postgres://watch:secret@localhost/watch");
        let place = Place::new(database, "base_url = \"sandbox\"", &topics(&["acme"]));
        let ended = place.run(&["status"]);
        assert!(ended.code != Some(0) && ended.err.contains(&format!("hint: {hint}")), "{how:?}: {ended}");
        // The output has neither the driver's words nor a line number of the server's source.
        assert!(
            !ended.err.contains("returned from database") && !ended.err.contains("at line 948"),
            "{how:?}: {ended}"
        );
    }
}

#[test]
fn a_daemon_waits_for_its_server_and_stops_on_a_signal_meanwhile() {
    let Some(database) = postgres() else { return };
    let sandbox = sandbox_of_today(&[]);
    let real = url::Url::parse(&database.url).unwrap();
    let real = format!("{}:{}", real.host_str().unwrap(), real.port().unwrap_or(5432));
    let place = Place::new(database, &sandbox.lines(), &topics(&["acme"]));
    let server = Server::of(&LONG_AWAY, LONG_AWAY.len(), Some(real));
    let url = server.url(&place.database.url);
    let mut going = place.program(&["run", "--database", &url]).start();
    going.wait_until("the log line", |said| said.contains("trying again for "));
    going.wait_until("its plan", |said| said.contains("next slot"));
    assert!(server.connections() > LONG_AWAY.len());
    going.signal("TERM");
    let ended = going.wait();
    ended.assert_stderr(0, &["the database system is starting up", "stopped"]);

    let never = Server::of(&AWAY, usize::MAX, None);
    let url = never.url(&place.database.url);
    let mut going = place.program(&["run", "--database", &url]).start();
    going.wait_until("the log line", |said| said.contains("trying again for "));
    wait_until("another try", || never.connections() > 1);
    going.signal("TERM");
    assert_eq!(going.wait().code, Some(130));
}

#[test]
fn a_signal_is_not_lost_while_the_server_comes_back() {
    let Some(database) = postgres() else { return };
    let sandbox = sandbox_of_today(&[]);
    let real = url::Url::parse(&database.url).unwrap();
    let real = format!("{}:{}", real.host_str().unwrap(), real.port().unwrap_or(5432));
    let place = Place::new(database, &sandbox.lines(), &topics(&["acme"]));
    let server = Server::of(&LONG_AWAY, LONG_AWAY.len(), Some(real));
    server.held.store(true, Ordering::SeqCst);
    let mut going = place.program(&["run", "--database", &server.url(&place.database.url)]).start();
    going.wait_until("the log line", |said| said.contains("trying again for "));
    wait_until("the attempt that succeeds", || server.connections() > LONG_AWAY.len());
    going.signal("TERM");
    server.held.store(false, Ordering::SeqCst);
    assert_eq!(going.wait().code, Some(130));
}

#[test]
fn processes_that_start_during_a_server_restart_fail_only_with_exit_4() {
    let Some(cluster) = PostgresServer::start("a server that restarts while processes start", &[]) else { return };
    let sandbox = sandbox_of_today(&[]);
    let place = Place::new(on_server(&cluster.url()), &sandbox.lines(), &topics(&["acme"]));
    place.ok(&["db", "migrate"]);
    let away = Place::new(on_server(&cluster.url()), &sandbox.lines(), &topics(&["acme"]));
    let ended = AtomicBool::new(false);
    let (codes, daemons) = std::thread::scope(|scope| {
        let restarting = scope.spawn(|| {
            for how in ["fast", "immediate", "fast", "immediate"] {
                cluster.restart_with(how, || away.run(&["status"]).assert_stderr(4, &["error: "]));
            }
            ended.store(true, Ordering::SeqCst);
        });
        let people = scope.spawn(|| {
            let mut codes = Vec::new();
            while !ended.load(Ordering::SeqCst) {
                let done = place.run(&["status"]);
                assert!(matches!(done.code, Some(0 | 4)), "{done}");
                codes.push(done.code.unwrap());
            }
            codes
        });
        let mut daemons = 0;
        while !ended.load(Ordering::SeqCst) || daemons == 0 {
            let mut going = place.program(&["run"]).start();
            going.wait_until("its plan", |said| said.contains("next slot"));
            going.signal("TERM");
            drop(going.wait());
            daemons += 1;
        }
        restarting.join().unwrap();
        (people.join().unwrap(), daemons)
    });
    assert!(!codes.is_empty() && daemons > 0);
}
