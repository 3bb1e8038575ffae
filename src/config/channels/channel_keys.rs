//! The keys of each kind of channel; reporting a missing key, and reading a secret from one of two.

use std::path::Path;

use crate::config::file::key_reader::Reader;
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::mistake::Mistakes;
use crate::config::values::names::variable_name;
use crate::config::values::paths::plain_path;
use crate::config::values::value::Table;
use crate::model::{ChannelKind, SecretSource};

/// Keys for the password of an e-mail channel.
pub(in crate::config) const PASSWORD: [&str; 2] = ["password_env", "password_file"];
/// Keys for the access token of ntfy and Telegram.
pub(in crate::config) const TOKEN: [&str; 2] = ["token_env", "token_file"];

/// Keys that only some kinds of channel have.
const EMAIL: [&str; 8] = ["host", "port", "tls", "from", "to", "user", "password_env", "password_file"];
const ADDRESS: [&str; 3] = ["url", "url_env", "allow_private"];
const SIGNED: [&str; 2] = ["secret_env", "secret_file"];
const CHAT: [&str; 1] = ["chat"];
const TAG: [&str; 1] = ["tag"];

/// Returns the keys that a kind does not have.
pub(in crate::config) fn foreign(kind: ChannelKind) -> Vec<&'static str> {
    let own: &[&[&str]] = match kind {
        ChannelKind::Email => &[&EMAIL],
        ChannelKind::Webhook => &[&ADDRESS, &SIGNED],
        ChannelKind::Slack | ChannelKind::Mattermost | ChannelKind::Discord | ChannelKind::Teams => &[&ADDRESS],
        ChannelKind::Ntfy => &[&ADDRESS, &TOKEN],
        ChannelKind::Telegram => &[&ADDRESS, &TOKEN, &CHAT],
        ChannelKind::Apprise => &[&ADDRESS, &TAG],
    };
    let all: [&[&str]; 6] = [&EMAIL, &ADDRESS, &SIGNED, &TOKEN, &CHAT, &TAG];
    all.concat().into_iter().filter(|key| !own.iter().any(|keys| keys.contains(key))).collect()
}

/// Reports a key that a channel needs but does not have.
pub(in crate::config) fn missing(table: &Table, key: &str, broken: bool, mistakes: &mut Mistakes<'_>) {
    if let (false, Some(header), false) = (broken, &table.header, table.was_written(key)) {
        mistakes.at(header, format!("this channel has no `{key}`"), missing_key_hint(key));
    }
}

fn missing_key_hint(key: &str) -> &'static str {
    match key {
        "name" => "write name = \"…\": a short name that reports refer to",
        "kind" => {
            "write kind = \"email\", \"webhook\", \"slack\", \"mattermost\", \"ntfy\", \"telegram\", \"discord\", \"teams\" or \"apprise\""
        }
        "host" => "write host = \"smtp.example.com\"",
        "chat" => "write chat = \"-1001234567890\", the number of a chat, or chat = \"@name\" for a channel",
        "from" => "write from = \"topicwatch@example.com\"",
        _ => "write to = [\"team@example.com\"]",
    }
}

/// Reads a secret from one of two keys; both together are a mistake.
pub(in crate::config) fn secret(
    reader: &Reader<'_>,
    variable: &'static str,
    file: &'static str,
    dir: &Path,
    mistakes: &mut Mistakes<'_>,
) -> Option<SecretSource> {
    let mut place = SecretSource::default();
    if reader.written(variable).is_some() {
        place.variable = Some(reader.read(mistakes, variable, variable_name)?);
    }
    if let Some(setting) = reader.written(file) {
        if place.variable.is_some() {
            let message = format!("cannot be combined with `{variable}`");
            mistakes.fault(file, &setting.origin, Fault::new(message, "keep one of the two"));
            return None;
        }
        place.file = Some(dir.join(reader.read(mistakes, file, plain_path)?));
    }
    Some(place)
}
