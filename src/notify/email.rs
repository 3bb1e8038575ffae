//! Sends a message as mail: plain text and HTML side by side, with the same `Message-ID` in every try, so that
//! receivers can recognise a duplicate. One connection per message, because there are few.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use lettre::Message as Mail;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{MultiPart, SinglePart};
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{self, Auth, Data, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use lettre::transport::smtp::response::{Response, Severity};
use secrecy::ExposeSecret as _;

use super::channel::{Channel, DeliveryError, Endpoint, one_line};
use super::mailbox::mailbox;
use crate::http;
use crate::model::{Message, SmtpTls, Time};

/// How long to wait for the server's answer to QUIT.
const FAREWELL: Duration = Duration::from_secs(2);

/// Maximum number of times that a server may ask for more during a login.
const MOST_CHALLENGES: usize = 10;

/// Which ports go with which `tls`.
const PORTS: &str = "tls = \"starttls\" is usual at port 587, tls = \"implicit\" at 465";

/// Sends a message once, within the channel's time limit. The server's answer to the message counts, even if QUIT
/// fails.
pub(super) async fn send(channel: &Channel, message: &Message, created_at: Time) -> Result<(), DeliveryError> {
    let Endpoint::Email { host, port, tls, from, to, login } = &channel.endpoint else {
        return Err(DeliveryError::permanent("the channel is not an e-mail channel"));
    };
    let mail = mail(message, from, to, created_at)?;
    let connected = AtomicBool::new(false);
    let session = async {
        let mut server = connect(host, *port, *tls).await.map_err(|error| delivery_error(&error, host))?;
        connected.store(true, Ordering::Relaxed);
        let result = match login {
            Some((user, password)) => log_in(&mut server, user, password.expose_secret(), host).await,
            None => Ok(()),
        };
        let result = match result {
            Ok(()) => send_mail(&mut server, &mail, host).await,
            refused => refused,
        };
        Ok((server, result))
    };
    match tokio::time::timeout(channel.timeout, session).await {
        Ok(Ok((mut server, result))) => {
            let _ = tokio::time::timeout(FAREWELL, server.quit()).await;
            result
        }
        Ok(Err(refused)) => Err(refused),
        Err(_) if connected.load(Ordering::Relaxed) => Err(DeliveryError::timeout(channel.timeout)),
        Err(_) => {
            // A server that expects TLS from the first byte waits for it, and does not greet.
            let DeliveryError { text, .. } = DeliveryError::timeout(channel.timeout);
            Err(DeliveryError::transient(format!("{text}; nothing was sent ({PORTS}; this one is {port})")))
        }
    }
}

async fn connect(host: &str, port: u16, tls: SmtpTls) -> Result<AsyncSmtpConnection, Error> {
    let (hello, secret) = (ClientId::default(), || TlsParameters::new(host.to_owned()));
    let wrapped = if tls == SmtpTls::Implicit { Some(secret()?) } else { None };
    // The caller limits the time of all of this.
    let mut server = AsyncSmtpConnection::connect_tokio1((host, port), None, &hello, wrapped, None).await?;
    if tls == SmtpTls::StartTls {
        server.starttls(secret()?, &hello).await?;
    }
    Ok(server)
}

async fn log_in(server: &mut AsyncSmtpConnection, user: &str, password: &str, host: &str) -> Result<(), DeliveryError> {
    let refused = |error: Error| delivery_error(&error, host);
    let Some(mechanism) = server.server_info().get_auth_mechanism(DEFAULT_MECHANISMS) else {
        return Err(DeliveryError::permanent(format!("{host} offers no supported login method (PLAIN or LOGIN)")));
    };
    let credentials = Credentials::new(user.to_owned(), password.to_owned());
    let first = Auth::new(mechanism, credentials.clone(), None).map_err(refused)?;
    let mut response = server.command(first).await.map_err(refused)?;
    for _ in 0..MOST_CHALLENGES {
        if !response.has_code(334) {
            return require(&response, Severity::PositiveCompletion, host);
        }
        let next = Auth::new_from_response(mechanism, credentials.clone(), &response).map_err(refused)?;
        response = server.command(next).await.map_err(refused)?;
    }
    Err(DeliveryError::transient(format!("{host} does not complete the login")))
}

/// Sends the commands itself, because the library sends QUIT and waits for its answer before it reports what was
/// refused.
async fn send_mail(server: &mut AsyncSmtpConnection, mail: &Mail, host: &str) -> Result<(), DeliveryError> {
    let refused = |error: Error| delivery_error(&error, host);
    let (envelope, bytes, mut with) = (mail.envelope(), mail.formatted(), Vec::new());
    let offers = |server: &AsyncSmtpConnection, feature| server.server_info().supports_feature(feature);
    if envelope.from().into_iter().chain(envelope.to()).any(|address| !address.to_string().is_ascii()) {
        if !offers(server, Extension::SmtpUtfEight) {
            return Err(DeliveryError::permanent(format!("{host} does not accept non-ASCII addresses (no SMTPUTF8)")));
        }
        with.push(MailParameter::SmtpUtfEight);
    }
    if !bytes.is_ascii() {
        if !offers(server, Extension::EightBitMime) {
            return Err(DeliveryError::permanent(format!("{host} does not accept non-ASCII mail (no 8BITMIME)")));
        }
        with.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    let (done, go_on) = (Severity::PositiveCompletion, Severity::PositiveIntermediate);
    require(&server.command(commands::Mail::new(envelope.from().cloned(), with)).await.map_err(refused)?, done, host)?;
    for to in envelope.to() {
        require(&server.command(Rcpt::new(to.clone(), Vec::new())).await.map_err(refused)?, done, host)?;
    }
    require(&server.command(Data).await.map_err(refused)?, go_on, host)?;
    require(&server.message(&bytes).await.map_err(refused)?, done, host)
}

/// Whether an answer has ended a command, or asks for its data. For the library, both are good: a mail would count as
/// delivered although the server did not take it, or be read as commands.
fn require(response: &Response, severity: Severity, host: &str) -> Result<(), DeliveryError> {
    if response.code().severity == severity {
        return Ok(());
    }
    let said = response.first_line().unwrap_or_default();
    Err(DeliveryError::transient(format!("{host} gave an answer of the wrong kind: {} {said}", response.code())))
}

/// 5yz: the server will never accept it. A client error: the server does not offer something that is needed.
fn delivery_error(error: &Error, host: &str) -> DeliveryError {
    let text = with_advice(http::with_causes(error), host);
    if error.is_permanent() || error.is_client() {
        DeliveryError::permanent(text)
    } else {
        DeliveryError::transient(text)
    }
}

/// What happened, and what to do if that is not obvious. These refusals come before anything but a greeting was sent.
fn with_advice(text: String, host: &str) -> String {
    if text.contains("STARTTLS") {
        return format!("{text}: {host} offers no STARTTLS; nothing was sent ({PORTS})");
    }
    // The greeting of a server that does not begin with TLS is no TLS record.
    if text.contains("corrupt message") {
        return format!("{text}: {host} does not begin with TLS; nothing was sent ({PORTS})");
    }
    if text.contains("certificate") {
        return format!(
            "{text}; nothing was sent (does this machine trust its issuer, see SSL_CERT_FILE, and is the certificate for {host}?)"
        );
    }
    text
}

fn mail(message: &Message, from: &str, to: &[String], created_at: Time) -> Result<Mail, DeliveryError> {
    let mailbox = |address: &str| {
        mailbox(address).map_err(|why| DeliveryError::permanent(format!("{address:?} is not a mail address: {why}")))
    };
    let from = mailbox(from)?;
    // Made from what never changes, so that a mail that is sent twice is the same mail.
    let name = blake3::hash(message.event.as_bytes()).to_hex();
    let id = format!("<{}.topicwatch@{}>", &name[..32], from.email.domain());
    let date = SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(created_at.0).unwrap_or(0));
    let mut mail = Mail::builder().from(from).subject(one_line(&message.subject)).message_id(Some(id)).date(date);
    for address in to {
        mail = mail.to(mailbox(address)?);
    }
    for (header, value) in [("Auto-Submitted", "auto-generated"), ("X-Topicwatch-Event", &one_line(&message.event))] {
        let name = HeaderName::new_from_ascii(header.to_owned());
        let name = name.map_err(|e| DeliveryError::permanent(format!("{header} is not a valid header: {e}")))?;
        mail = mail.raw_header(HeaderValue::new(name, value.to_owned()));
    }
    let text = SinglePart::builder().header(ContentType::TEXT_PLAIN).body(message.text.clone());
    let built = match &message.html {
        None => mail.singlepart(text),
        Some(html) => {
            let page = SinglePart::builder().header(ContentType::TEXT_HTML).body(html.clone());
            let both = MultiPart::alternative().boundary(format!("tw-{}", &name[32..]));
            mail.multipart(both.singlepart(text).singlepart(page))
        }
    };
    built.map_err(|e| DeliveryError::permanent(format!("the message cannot be written as mail: {e}")))
}
