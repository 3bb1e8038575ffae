//! Connections to PostgreSQL that others could read or intercept: by the binary, to a server with TLS and to one that
//! claims to have none. `store/database/connect/tls.rs` has a table of the addresses that need TLS.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, TcpListener, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::postgres_server::PostgresServer;
use crate::support::program::Program;
use crate::support::receivers::certificate;
use crate::support::server_choice::print_to_stderr;

const PASSWORD: &str = "pg-pa55word";
/// The first bytes of a client: the length and the code of an SSLRequest.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// A server without TLS, or an attacker in front of one, for one connection. Also returns everything that it received.
fn server_without_tls() -> (u16, std::thread::JoinHandle<()>, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard: Arc<Mutex<Vec<u8>>> = Arc::default();
    let into = Arc::clone(&heard);
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut chunk = [0; 1024];
        for answer in [b"N".as_slice(), b"R\0\0\0\x08\0\0\0\x03"] {
            let Ok(n @ 1..) = stream.read(&mut chunk) else { return };
            into.lock().unwrap().extend_from_slice(&chunk[..n]);
            stream.write_all(answer).ok();
        }
        // When asked for a cleartext password, a trusting client sends it now.
        if let Ok(n @ 1..) = stream.read(&mut chunk) {
            into.lock().unwrap().extend_from_slice(&chunk[..n]);
        }
    });
    (port, server, heard)
}

fn contains_text(heard: &[u8], part: &str) -> bool {
    heard.windows(part.len()).any(|window| window == part.as_bytes())
}

fn migrate(url: &str, environment: &[(&str, &str)]) -> crate::support::program::ProgramOutput {
    let folder = tempfile::tempdir().unwrap();
    let jobs = "[service]\nbase_url = \"sandbox\"\n\n[[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"1h\"\n";
    std::fs::write(folder.path().join("jobs.toml"), jobs).unwrap();
    let mut program = Program::at(folder.path(), &["db", "migrate"]).env("TOPICWATCH_DATABASE_URL", url);
    for (name, value) in environment {
        program = program.env(name, value);
    }
    program.run()
}

#[test]
fn a_server_that_refuses_tls_gets_neither_user_nor_password() {
    // `127.1` means loopback but is not an IP address: it is treated as a host name.
    for (query, environment) in [
        ("", None),
        ("?sslmode=prefer", None),
        ("?sslmode=allow", None),
        ("?sslmode=require", None),
        ("", Some(("PGSSLMODE", "disable"))),
    ] {
        let (port, server, heard) = server_without_tls();
        let url = format!("postgres://watcher:{PASSWORD}@127.1:{port}/findings{query}");
        let ended = migrate(&url, environment.as_slice());
        server.join().unwrap();
        let heard = heard.lock().unwrap();
        assert_eq!(&heard[..], SSL_REQUEST, "{query} {environment:?}: {}", String::from_utf8_lossy(&heard));
        ended.assert_stderr(
            4,
            &["server does not support TLS", "hint: nothing was sent", "sslmode=disable in the URL, after ? or &"],
        );
        assert!(!ended.err.contains(PASSWORD), "{ended}");
    }
}

#[test]
fn sslmode_disable_and_loopback_connect_without_tls() {
    for (host, query) in [("127.1", "?sslmode=disable"), ("127.0.0.1", ""), ("localhost", "")] {
        let (port, server, heard) = server_without_tls();
        let ended = migrate(&format!("postgres://watcher:{PASSWORD}@{host}:{port}/findings{query}"), &[]);
        server.join().unwrap();
        let heard = heard.lock().unwrap();
        assert!(contains_text(&heard, "watcher"), "{host}{query}: {}\n{ended}", String::from_utf8_lossy(&heard));
    }
}

/// An address of this host that is not loopback.
fn address_of_this_host() -> Option<IpAddr> {
    let socket = UdpSocket::bind(("0.0.0.0", 0)).ok()?;
    // Nothing is sent: the system chooses the address it would use.
    socket.connect(("192.0.2.1", 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|ip| !ip.is_loopback() && !ip.is_unspecified())
}

#[test]
fn each_sslmode_encrypts_and_checks_the_certificate_as_documented() {
    let Some(mut server) = PostgresServer::start("PostgreSQL over TLS", &[]) else { return };
    let own = address_of_this_host().map(|ip| ip.to_string());
    let file = |name: &str| certificate(name).to_str().unwrap().to_owned();
    let (authority, elsewhere, alone, marked) =
        (file("authority"), file("elsewhere"), file("own"), file("self-signed"));
    let mut ask = |presents: &str, cases: &[(String, Result<(), &str>)]| {
        server.encrypt(&certificate(presents), own.as_slice());
        for (query, expected) in cases {
            let ended = migrate(&format!("{}{query}", server.url_at("localhost")), &[]);
            match expected {
                Ok(()) => ended.assert_stdout(0, &["is up to date"]),
                Err(hint) => ended.assert_stderr(4, &["certificate", hint]),
            }
        }
        // There the server accepts only TLS.
        if let Some(own) = &own {
            migrate(&server.url_at(own), &[]).assert_stdout(0, &["is up to date"]);
            migrate(&format!("{}?sslmode=prefer", server.url_at(own)), &[]).assert_stdout(0, &["is up to date"]);
            migrate(&format!("{}?sslmode=disable", server.url_at(own)), &[])
                .assert_stderr(4, &["pg_hba.conf", "no encryption"]);
        } else {
            print_to_stderr("SKIPPED: PostgreSQL over TLS at an address that is not loopback (this machine has none)");
        }
    };
    ask(
        "localhost",
        &[
            (format!("?sslmode=verify-full&sslrootcert={authority}"), Ok(())),
            (format!("?sslmode=verify-ca&sslrootcert={authority}"), Ok(())),
            (format!("?sslrootcert={authority}"), Ok(())),
            ("?sslmode=require".to_owned(), Ok(())),
            ("?sslmode=verify-full".to_owned(), Err("sslrootcert=FILE in the URL, after ? or &")),
            (format!("?sslmode=verify-full&sslrootcert={elsewhere}"), Err("sslrootcert=FILE")),
        ],
    );
    // Signed by the authority, for another host name.
    ask(
        "elsewhere",
        &[
            (format!("?sslmode=verify-full&sslrootcert={authority}"), Err("subjectAltName")),
            (format!("?sslmode=require&sslrootcert={authority}"), Err("subjectAltName")),
            (format!("?sslrootcert={authority}"), Err("subjectAltName")),
            (format!("?sslmode=verify-ca&sslrootcert={authority}"), Ok(())),
            ("?sslmode=require".to_owned(), Ok(())),
        ],
    );
    // Self-signed: as `openssl req -x509` makes it, and as the hint says.
    ask("self-signed", &[(format!("?sslrootcert={marked}"), Err("-addext basicConstraints=critical,CA:FALSE"))]);
    ask("own", &[(format!("?sslrootcert={alone}"), Ok(()))]);
    let none = migrate(&format!("{}?sslrootcert=/nowhere/ca.pem", server.url_at("localhost")), &[]);
    none.assert_stderr(4, &["hint: is the server running, and does the sslrootcert file exist, if one is set?"]);
}
