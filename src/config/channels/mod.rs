//! `[[channels]]`: where messages are delivered. Secrets are only named here and read elsewhere. `hook_channels` reads
//! the channels that are reached over HTTP.

pub(super) mod channel_keys;
pub(super) mod http_channels;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use super::file::document::Document;
use super::file::key_reader::Reader;
use super::keys::Section;
use super::mistakes::fault::Fault;
use super::mistakes::mistake::Mistakes;
use super::values::names::slug;
use super::values::scalars::{duration, flag, plain_text, text, texts};
use super::values::value::Table;
use crate::model::{ChannelKind, ChannelSpec, EmailSpec, SmtpTls, Transport};
use crate::notify::check_address;
use channel_keys::{PASSWORD, foreign, missing, secret};
use http_channels::ChannelContext;

/// Reads all channels. Mistakes are reported; a channel with a mistake is left out.
pub(super) fn read(document: &Document, dir: &Path, mistakes: &mut Mistakes<'_>) -> Vec<ChannelSpec> {
    let mut names = BTreeSet::new();
    let mut channels = Vec::with_capacity(document.channels.len());
    for table in &document.channels {
        let tables = [table];
        let reader = Reader { section: Section::Channel, tables: &tables };
        let name = reader.read(mistakes, "name", slug);
        for key in ["name", "kind"] {
            missing(table, key, document.broken, mistakes);
        }
        if let Some(name) = &name {
            reader.check_unique(mistakes, "name", &mut names, name.clone(), "channel", "choose another name");
        }
        let transport = reader.choice(mistakes, "kind", ChannelKind::parse).and_then(|kind| {
            report_foreign_keys(table, kind, mistakes);
            let place = ChannelContext { reader: &reader, table, dir, broken: document.broken };
            match kind {
                ChannelKind::Email => email(&reader, table, dir, document.broken, mistakes).map(Transport::Email),
                _ => http_channels::read(&place, kind, mistakes).map(Transport::Webhook),
            }
        });
        let span = (Duration::from_secs(1), Duration::from_secs(300));
        let timeout = reader.read(mistakes, "timeout", |value| duration(value, span.0, span.1));
        let max_tries = reader.count(mistakes, "max_tries");
        let paused = reader.read(mistakes, "paused", flag);
        let channel = || {
            let timeout_ms = u64::try_from(timeout?.as_millis()).ok()?;
            Some(ChannelSpec { name: name?, transport: transport?, timeout_ms, max_tries: max_tries?, paused: paused? })
        };
        channels.extend(channel());
    }
    channels
}

/// Returns the environment variables that a channel names.
pub(super) fn variables(channel: &ChannelSpec) -> impl Iterator<Item = &str> {
    let (place, url) = match &channel.transport {
        Transport::Email(email) => (&email.password, None),
        Transport::Webhook(hook) => (&hook.secret, hook.url_variable.as_deref()),
    };
    place.variable.as_deref().into_iter().chain(url)
}

/// Reports keys of other kinds.
fn report_foreign_keys(table: &Table, kind: ChannelKind, mistakes: &mut Mistakes<'_>) {
    for key in foreign(kind).into_iter().filter(|key| table.values.contains_key(*key)) {
        if let Some(span) = table.key_span(key).cloned() {
            mistakes.at(&span, format!("`{key}` does not apply to a channel of kind = \"{kind}\""), "remove it");
        }
    }
}

fn email(
    reader: &Reader<'_>,
    table: &Table,
    dir: &Path,
    broken: bool,
    mistakes: &mut Mistakes<'_>,
) -> Option<EmailSpec> {
    for key in ["host", "from", "to"] {
        missing(table, key, broken, mistakes);
    }
    let host = reader.read(mistakes, "host", |value| host(text(value)?));
    let tls = reader.choice(mistakes, "tls", SmtpTls::parse);
    let port = match (reader.written("port"), tls) {
        (Some(_), _) => reader.count(mistakes, "port").and_then(|port| u16::try_from(port).ok()),
        (None, Some(SmtpTls::StartTls) | None) => Some(587),
        (None, Some(SmtpTls::Implicit)) => Some(465),
        (None, Some(SmtpTls::None)) => Some(25),
    };
    let from = reader.read(mistakes, "from", |value| mail_address(plain_text(value, 320)?));
    let to = reader.read(mistakes, "to", |value| {
        let to = texts(value, 50, 320)?;
        if to.is_empty() {
            return Err(Fault::new(
                "is empty: nobody would receive messages",
                "add a recipient, or remove the channel",
            ));
        }
        to.into_iter().map(mail_address).collect::<Result<Vec<String>, Fault>>()
    });
    let user = match reader.written("user") {
        None => Some(None),
        Some(_) => reader.read(mistakes, "user", |value| plain_text(value, 320)).map(Some),
    };
    let password = secret(reader, "password_env", "password_file", dir, mistakes);
    let has_password = PASSWORD.iter().any(|key| table.was_written(key));
    if let (Some(Some(_)), Some(setting), false) = (&user, reader.written("user"), has_password) {
        let fault = Fault::new("is set without a password", "write password_env = \"TOPICWATCH_SMTP_PASSWORD\"");
        mistakes.fault("user", &setting.origin, fault);
    }
    for key in PASSWORD {
        if let (false, Some(setting)) = (table.was_written("user"), reader.written(key)) {
            let fault = Fault::new("is set without a `user`", "write user = \"…\" too, or remove it");
            mistakes.fault(key, &setting.origin, fault);
        }
    }
    if let (Some(SmtpTls::None), Some(Some(_)), Some(host), Some(setting)) = (tls, &user, &host, reader.written("tls"))
        && !matches!(host.as_str(), "localhost" | "127.0.0.1" | "::1")
    {
        let fault =
            Fault::new("would send the password unencrypted over the network", "write \"starttls\" or \"implicit\"");
        mistakes.fault("tls", &setting.origin, fault);
    }
    Some(EmailSpec { host: host?, port: port?, tls: tls?, from: from?, to: to?, user: user?, password: password? })
}

/// Parses a host name or an IP address.
fn host(text: String) -> Result<String, Fault> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    if text.is_empty() || text.len() > 253 || !text.chars().all(good) {
        return Err(Fault::new(format!("cannot be {text:?}"), "write a host name, such as \"smtp.example.com\""));
    }
    // An IPv6 address has several colons.
    match text.split_once(':') {
        Some((name, port)) if !port.contains(':') => {
            let hint = match port.parse::<u16>() {
                Ok(port) if !name.is_empty() => format!("write host = {name:?} and port = {port}"),
                _ => "write a host name, such as \"smtp.example.com\", and its port in `port`".to_owned(),
            };
            Err(Fault::new("contains a port", hint))
        }
        _ => Ok(text),
    }
}

/// Parses `somebody@example.com` or `Name <somebody@example.com>`. Accepts only what can be written into a mail.
fn mail_address(text: String) -> Result<String, Fault> {
    const HINT: &str = "write somebody@example.com, or Name <somebody@example.com>";
    check_address(&text).map_err(|why| Fault::new(format!("cannot be {text:?}: {why}"), HINT))?;
    Ok(text)
}
