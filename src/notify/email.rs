//! Sends a message as mail: plain text and HTML side by side, with the same `Message-ID` in every try, so that
//! receivers can recognise a duplicate. One connection per message, because there are few.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use lettre::Message as Mail;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{MultiPart, SinglePart};
use lettre::transport::smtp::commands::{self, Data, Rcpt};
use lettre::transport::smtp::extension::{MailBodyParameter, MailParameter};
use secrecy::ExposeSecret as _;

use super::channel::{Channel, DeliveryError, Endpoint, one_line};
use super::mailbox::mailbox;
use super::smtp::{Conversation, DONE, GO_ON, PORTS};
use crate::model::{Message, Time};

/// How long to wait for the server's answer to QUIT.
const FAREWELL: Duration = Duration::from_secs(2);

/// Sends a message once, within the channel's time limit. The server's answer to the message counts, even if QUIT
/// fails.
pub(super) async fn send(channel: &Channel, message: &Message, created_at: Time) -> Result<(), DeliveryError> {
    let Endpoint::Email { host, port, tls, from, to, login } = &channel.endpoint else {
        return Err(DeliveryError::permanent("the channel is not an e-mail channel"));
    };
    let mail = mail(message, from, to, created_at)?;
    let connected = AtomicBool::new(false);
    let session = async {
        let mut server = Conversation::open(host, *port, *tls).await?;
        connected.store(true, Ordering::Relaxed);
        let result = match login {
            Some((user, password)) => server.log_in(user, password.expose_secret()).await,
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

/// Sends a mail to all its recipients.
async fn send_mail(server: &mut Conversation, mail: &Mail, host: &str) -> Result<(), DeliveryError> {
    let (envelope, bytes, mut with) = (mail.envelope(), mail.formatted(), Vec::new());
    if envelope.from().into_iter().chain(envelope.to()).any(|address| !address.to_string().is_ascii()) {
        if !server.offers("SMTPUTF8") {
            return Err(DeliveryError::permanent(format!("{host} does not accept non-ASCII addresses (no SMTPUTF8)")));
        }
        with.push(MailParameter::SmtpUtfEight);
    }
    if !bytes.is_ascii() {
        if !server.offers("8BITMIME") {
            return Err(DeliveryError::permanent(format!("{host} does not accept non-ASCII mail (no 8BITMIME)")));
        }
        with.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    server.command(commands::Mail::new(envelope.from().cloned(), with), DONE).await?;
    for to in envelope.to() {
        server.command(Rcpt::new(to.clone(), Vec::new()), DONE).await?;
    }
    server.command(Data, GO_ON).await?;
    server.mail(&bytes).await
}

fn mail(message: &Message, from: &str, to: &[String], created_at: Time) -> Result<Mail, DeliveryError> {
    let mailbox = |address: &str| {
        mailbox(address).map_err(|why| DeliveryError::permanent(format!("{address:?} is not a mail address: {why}")))
    };
    let from = mailbox(from)?;
    // Made from data that never changes, so that a mail sent twice is the same mail.
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
