//! A conversation with a mail server (RFC 5321). Replies are read here: the mail library refuses a reply without words and
//! words that are not UTF-8, and panics at a blank line. The library opens and encrypts the connection.

#![expect(deprecated, reason = "no other connection of the library can be read")]

use std::fmt::Display;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use lettre::transport::smtp::Error;
use lettre::transport::smtp::client::{AsyncNetworkStream, TlsParameters};
use lettre::transport::smtp::commands::{Quit, Starttls};
use lettre::transport::smtp::extension::ClientId;

use super::channel::DeliveryError;
use crate::http;
use crate::model::SmtpTls;

/// Which ports go with which `tls`.
pub(super) const PORTS: &str = "tls = \"starttls\" is usual at port 587, tls = \"implicit\" at 465";

/// Maximum number of times that a server may ask for more during a login.
const MOST_CHALLENGES: usize = 10;

/// Maximum number of bytes of a line of a reply; RFC 5321 allows 512.
const LINE: u64 = 8 * 1024;

/// Maximum number of bytes of a reply.
const REPLY: usize = 100_000;

/// Kinds of replies, by their first digit.
pub(super) const DONE: u16 = 2;
pub(super) const GO_ON: u16 = 3;

/// A connection, and what its server offers.
pub(super) struct Conversation {
    stream: BufReader<AsyncNetworkStream>,
    host: String,
    /// The lines of its answer to EHLO after the first, in capital letters.
    offers: Vec<String>,
}

struct Reply {
    code: u16,
    lines: Vec<String>,
}

impl Conversation {
    /// Connects, greets, and encrypts. The caller limits the time of all of this.
    pub(super) async fn open(host: &str, port: u16, tls: SmtpTls) -> Result<Self, DeliveryError> {
        let failed = |error: Error| library_error(&error, host);
        let secret = || TlsParameters::new(host.to_owned()).map_err(failed);
        let wrapped = if tls == SmtpTls::Implicit { Some(secret()?) } else { None };
        let stream = AsyncNetworkStream::connect_tokio1((host, port), None, wrapped, None).await.map_err(failed)?;
        let mut server = Self { stream: BufReader::new(stream), host: host.to_owned(), offers: Vec::new() };
        let greeting = server.reply().await?;
        server.require(&greeting, DONE)?;
        server.greet().await?;
        if tls != SmtpTls::StartTls {
            return Ok(server);
        }
        if !server.offers("STARTTLS") {
            return Err(DeliveryError::permanent(format!("{host} offers no STARTTLS; nothing was sent ({PORTS})")));
        }
        server.command(Starttls, DONE).await?;
        // Unread bytes from before the encryption may be from anybody.
        let mut stream = server.stream.into_inner();
        stream.upgrade_tls(secret()?).await.map_err(failed)?;
        let mut server = Self { stream: BufReader::new(stream), host: host.to_owned(), offers: Vec::new() };
        server.greet().await?;
        Ok(server)
    }

    /// Whether the server offers an extension.
    pub(super) fn offers(&self, keyword: &str) -> bool {
        self.offers.iter().any(|line| line.split_whitespace().next() == Some(keyword))
    }

    pub(super) async fn log_in(&mut self, user: &str, password: &str) -> Result<(), DeliveryError> {
        // Old servers write `AUTH=LOGIN`.
        let words = |line: &str| line.split([' ', '=']).map(str::to_owned).collect::<Vec<_>>();
        let logins =
            self.offers.iter().map(|line| words(line)).filter(|words| words.first().is_some_and(|word| word == "AUTH"));
        let logins: Vec<String> = logins.flatten().collect();
        let has = |name: &str| logins.iter().any(|login| login == name);
        let plain = STANDARD.encode(format!("\0{user}\0{password}"));
        let mut answers = match (has("PLAIN"), has("LOGIN")) {
            (true, _) => vec![format!("AUTH PLAIN {plain}"), plain],
            (false, true) => vec!["AUTH LOGIN".to_owned(), STANDARD.encode(user), STANDARD.encode(password)],
            (false, false) => {
                let why = format!("{} offers no supported login method (PLAIN or LOGIN)", self.host);
                return Err(DeliveryError::permanent(why));
            }
        }
        .into_iter();
        for _ in 0..=MOST_CHALLENGES {
            let Some(answer) = answers.next() else { break };
            self.write(format!("{answer}\r\n").as_bytes()).await?;
            let reply = self.reply().await?;
            if reply.code != 334 {
                return self.require(&reply, DONE);
            }
        }
        Err(DeliveryError::transient(format!("{} does not complete the login", self.host)))
    }

    /// Sends a command, which must end with a reply of this kind.
    pub(super) async fn command(&mut self, command: impl Display, kind: u16) -> Result<(), DeliveryError> {
        self.write(command.to_string().as_bytes()).await?;
        let reply = self.reply().await?;
        self.require(&reply, kind)
    }

    /// Sends the lines of a mail. A line that starts with a dot gets a second one (section 4.5.2).
    pub(super) async fn mail(&mut self, mail: &[u8]) -> Result<(), DeliveryError> {
        let mut lines = Vec::with_capacity(mail.len() + 8);
        for (place, byte) in mail.iter().enumerate() {
            let begins = place == 0 || mail.get(..place).is_some_and(|before| before.ends_with(b"\r\n"));
            if *byte == b'.' && begins {
                lines.push(b'.');
            }
            lines.push(*byte);
        }
        lines.extend_from_slice(b"\r\n.\r\n");
        self.write(&lines).await?;
        let reply = self.reply().await?;
        self.require(&reply, DONE)
    }

    pub(super) async fn quit(&mut self) -> Result<(), DeliveryError> {
        self.command(Quit, DONE).await
    }

    /// Says EHLO, and to a server that does not know it HELO (section 3.2).
    async fn greet(&mut self) -> Result<(), DeliveryError> {
        let client = ClientId::default();
        self.write(format!("EHLO {client}\r\n").as_bytes()).await?;
        let reply = self.reply().await?;
        if matches!(reply.code, 500..=504) {
            return self.command(format!("HELO {client}\r\n"), DONE).await;
        }
        self.require(&reply, DONE)?;
        self.offers = reply.lines.iter().skip(1).map(|line| line.to_ascii_uppercase()).collect();
        Ok(())
    }

    /// Whether a reply has ended a command, or asks for its data. Otherwise a mail would count as delivered although the
    /// server did not take it, or be read as commands.
    fn require(&self, reply: &Reply, kind: u16) -> Result<(), DeliveryError> {
        let (code, text) = (reply.code, reply.lines.join(" "));
        match code / 100 {
            4 => Err(DeliveryError::transient(format!("transient error ({code}): {text}"))),
            // The server will never accept it.
            5 => Err(DeliveryError::permanent(format!("permanent error ({code}): {text}"))),
            found if found == kind => Ok(()),
            _ => {
                Err(DeliveryError::transient(format!("{} gave an answer of the wrong kind: {code} {text}", self.host)))
            }
        }
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), DeliveryError> {
        let stream = self.stream.get_mut();
        stream.write_all(bytes).await.map_err(|error| network_error(&error))?;
        stream.flush().await.map_err(|error| network_error(&error))
    }

    /// Reads a reply: lines that begin with its code and, except the last, a hyphen.
    async fn reply(&mut self) -> Result<Reply, DeliveryError> {
        let unreadable = |why: &str| DeliveryError::transient(format!("the reply cannot be read: {why}"));
        let (mut reply, mut size) = (Reply { code: 0, lines: Vec::new() }, 0);
        while size < REPLY {
            let mut line = Vec::new();
            let mut limited = (&mut self.stream).take(LINE);
            let read = limited.read_until(b'\n', &mut line).await.map_err(|error| network_error(&error))?;
            size += read;
            let line = String::from_utf8_lossy(&line);
            let Some(line) = line.strip_suffix('\n') else {
                let is_full = read as u64 >= LINE;
                return Err(unreadable(if is_full { "a line is too long" } else { "the connection was closed" }));
            };
            let (digits, rest) = line.trim_end().split_at_checked(3).unwrap_or_default();
            let code = digits.parse().ok().filter(|code| (200..600).contains(code));
            let Some(code) = code.filter(|code| reply.lines.is_empty() || *code == reply.code) else {
                return Err(unreadable("a line does not begin with the code of a reply"));
            };
            reply.code = code;
            let (words, is_last) = match rest.strip_prefix('-') {
                Some(words) => (words, false),
                None if rest.is_empty() || rest.starts_with(' ') => (rest, true),
                None => return Err(unreadable("a line does not begin with the code of a reply")),
            };
            reply.lines.push(words.trim().to_owned());
            if is_last {
                return Ok(reply);
            }
        }
        Err(unreadable("it is too long"))
    }
}

fn network_error(error: &std::io::Error) -> DeliveryError {
    DeliveryError::transient(format!("network error: {}", http::with_causes(error)))
}

/// A failure to connect or to encrypt.
fn library_error(error: &Error, host: &str) -> DeliveryError {
    let text = with_advice(with_host(http::with_causes(error), host), host);
    if error.is_permanent() || error.is_client() {
        DeliveryError::permanent(text)
    } else {
        DeliveryError::transient(text)
    }
}

/// Names the server instead of repeating the library's name for the step.
fn with_host(text: String, host: &str) -> String {
    match text.strip_prefix("Connection error: ") {
        Some(cause) => format!("cannot connect to {host}: {}", cause.replacen("Connection error: ", "", 1)),
        None => text,
    }
}

/// What happened, and what to do if that is not obvious. These refusals come before anything but a greeting was sent.
fn with_advice(text: String, host: &str) -> String {
    // The greeting of a server that does not begin with TLS is no TLS record.
    if http::TlsFault::in_text(&text) == Some(http::TlsFault::NoTls) {
        return format!("{text}: {host} does not begin with TLS; nothing was sent ({PORTS})");
    }
    match http::tls_advice(&text, host) {
        Some(advice) => format!("{text}; nothing was sent ({advice})"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_connection_names_the_server_and_the_cause_once() {
        let told = |text: &str| with_host(text.to_owned(), "smtp.example.com");
        assert_eq!(
            told("Connection error: Connection error: tls handshake eof"),
            "cannot connect to smtp.example.com: tls handshake eof"
        );
        assert_eq!(told("permanent error (550)"), "permanent error (550)");
    }

    #[test]
    fn the_advice_about_a_certificate_fits_its_fault() {
        let told = |why: &str| with_advice(format!("invalid peer certificate: {why}"), "mail.example");
        let expired = told("certificate expired: verification time 1");
        assert!(
            expired.ends_with("; nothing was sent (renew the server's certificate, or correct this machine's clock)")
        );
        assert!(!told("Other(OtherError(CaUsedAsEndEntity))").contains("trust its issuer"));
        assert!(told("UnknownIssuer").ends_with("and is the certificate for mail.example?)"));
    }
}
