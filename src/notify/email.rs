//! A message as mail: plain text and a page side by side, the same `Message-ID` at every try, so that whoever gets it twice
//! can tell. One connection for each, as there are few.

use std::time::{Duration, SystemTime};

use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart, SinglePart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message as Mail, Tokio1Executor};
use secrecy::ExposeSecret as _;

use super::{Channel, Refusal, Way, one_line};
use crate::http;
use crate::model::{Message, SmtpTls, Time};

pub(super) async fn send(channel: &Channel, message: &Message, created_at: Time) -> Result<(), Refusal> {
    let Way::Email { host, port, tls, from, to, login } = &channel.way else {
        return Err(Refusal::for_good("the channel is no mail channel"));
    };
    let mail = mail(message, from, to, created_at)?;
    let told = |error: &lettre::transport::smtp::Error| advised(http::with_causes(error), host);
    let wrong = |error: lettre::transport::smtp::Error| Refusal::passing(told(&error));
    let tls = match tls {
        SmtpTls::StartTls => Tls::Required(TlsParameters::new(host.clone()).map_err(wrong)?),
        SmtpTls::Implicit => Tls::Wrapper(TlsParameters::new(host.clone()).map_err(wrong)?),
        SmtpTls::None => Tls::None,
    };
    let mut server = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host.as_str())
        .port(*port)
        .tls(tls)
        .timeout(Some(channel.timeout));
    if let Some((user, password)) = login {
        server = server.credentials(Credentials::new(user.clone(), password.expose_secret().to_owned()));
    }
    match server.build().send(mail).await {
        Ok(_) => Ok(()),
        // 5yz: the server will not take it, however often it is asked. A client's error is a login it does not offer.
        Err(error) if error.is_permanent() || error.is_client() => Err(Refusal::for_good(told(&error))),
        Err(error) => Err(wrong(error)),
    }
}

/// What happened, and what to do where that is not plain. What is refused here was refused before anything but a greeting
/// went out.
fn advised(text: String, host: &str) -> String {
    if text.contains("STARTTLS") {
        return format!("{text}: {host} offers no STARTTLS; nothing was sent (another port, or tls = \"implicit\"?)");
    }
    if text.contains("certificate") {
        return format!(
            "{text}; nothing was sent (is its authority one of this machine's, see SSL_CERT_FILE, and is it a certificate that names {host}?)"
        );
    }
    text
}

fn mail(message: &Message, from: &str, to: &[String], created_at: Time) -> Result<Mail, Refusal> {
    let mailbox = |address: &str| {
        address.parse::<Mailbox>().map_err(|e| Refusal::for_good(format!("{address:?} is no mail address: {e}")))
    };
    let from = mailbox(from)?;
    // Made of what never changes, so that a mail that is sent twice is the same mail.
    let name = blake3::hash(message.event.as_bytes()).to_hex();
    let id = format!("<{}.topicwatch@{}>", &name[..32], from.email.domain());
    let date = SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(created_at.0).unwrap_or(0));
    let mut mail = Mail::builder().from(from).subject(one_line(&message.subject)).message_id(Some(id)).date(date);
    for address in to {
        mail = mail.to(mailbox(address)?);
    }
    for (header, value) in [("Auto-Submitted", "auto-generated"), ("X-Topicwatch-Event", &one_line(&message.event))] {
        let name = HeaderName::new_from_ascii(header.to_owned());
        let name = name.map_err(|e| Refusal::for_good(format!("{header} is no header: {e}")))?;
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
    built.map_err(|e| Refusal::for_good(format!("it cannot be written as mail: {e}")))
}
