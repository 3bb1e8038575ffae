//! Channels that are reached over HTTP: their address, their secret, and what some kinds need besides. Messages do not
//! repeat addresses: they may contain a secret.

use std::path::Path;

use url::Url;

use super::channel_keys::{TOKEN, missing, secret};
use crate::config::file::key_reader::Reader;
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::mistake::Mistakes;
use crate::config::values::names::variable_name;
use crate::config::values::scalars::{flag, not_a_url, plain_text, text};
use crate::config::values::value::Table;
use crate::model::{ChannelKind, SecretSource, WebhookFormat, WebhookSpec};

/// Default address of Telegram's bot API.
const TELEGRAM: &str = "https://api.telegram.org/";

/// Where a channel is written.
pub(in crate::config) struct ChannelContext<'p> {
    pub(in crate::config) reader: &'p Reader<'p>,
    pub(in crate::config) table: &'p Table,
    /// The folder from which relative files start.
    pub(in crate::config) dir: &'p Path,
    /// Whether the file's syntax is broken, so that missing keys mean nothing.
    pub(in crate::config) broken: bool,
}

/// Reads a channel of one of these kinds.
pub(in crate::config) fn read(
    place: &ChannelContext<'_>,
    kind: ChannelKind,
    mistakes: &mut Mistakes<'_>,
) -> Option<WebhookSpec> {
    let ChannelContext { reader, table, dir, broken } = *place;
    let url = match reader.written("url") {
        None => Some(None),
        Some(_) => reader.read(mistakes, "url", |value| address_of(kind, &text(value)?).map(Some)),
    };
    let url_variable = match reader.written("url_env") {
        None => Some(None),
        Some(_) => reader.read(mistakes, "url_env", variable_name).map(Some),
    };
    let url = match (table.was_written("url"), table.was_written("url_env"), &table.header) {
        (false, false, _) if kind == ChannelKind::Telegram => Url::parse(TELEGRAM).ok().map(Some),
        (false, false, Some(header)) if !broken => {
            let hint = "write url = \"https://…\", or url_env = \"…\" when the URL itself is a secret";
            mistakes.at(header, "this channel has no `url`", hint);
            None
        }
        (true, true, Some(header)) => {
            mistakes.at(header, "`url_env` cannot be combined with `url`", "keep one of the two");
            None
        }
        _ => url,
    };
    let secret = match kind {
        ChannelKind::Webhook => secret(reader, "secret_env", "secret_file", dir, mistakes),
        ChannelKind::Ntfy | ChannelKind::Telegram => secret(reader, "token_env", "token_file", dir, mistakes),
        _ => Some(SecretSource::default()),
    };
    let form = match kind {
        ChannelKind::Slack => Some(WebhookFormat::Slack),
        ChannelKind::Mattermost => Some(WebhookFormat::Mattermost),
        ChannelKind::Ntfy => Some(WebhookFormat::Ntfy),
        ChannelKind::Discord => Some(WebhookFormat::Discord),
        ChannelKind::Teams => Some(WebhookFormat::Teams),
        ChannelKind::Telegram => {
            let has_token = TOKEN.iter().any(|key| table.was_written(key));
            if let (false, Some(header), false) = (broken, &table.header, has_token) {
                let hint = "write token_env = \"TOPICWATCH_TELEGRAM_TOKEN\"; get the bot token from @BotFather";
                mistakes.at(header, "this channel has no `token_env`", hint);
            }
            missing(table, "chat", broken, mistakes);
            reader.read(mistakes, "chat", |value| chat(text(value)?)).map(|chat| WebhookFormat::Telegram { chat })
        }
        ChannelKind::Apprise => match reader.written("tag") {
            None => Some(WebhookFormat::Apprise { tag: None }),
            Some(_) => {
                let tag = reader.read(mistakes, "tag", |value| plain_text(value, 200));
                tag.map(|tag| WebhookFormat::Apprise { tag: Some(tag) })
            }
        },
        ChannelKind::Webhook | ChannelKind::Email => Some(WebhookFormat::Own),
    };
    let allow_private = reader.read(mistakes, "allow_private", flag);
    // Read all keys before returning, to find every mistake at once.
    Some(WebhookSpec {
        url: url?,
        url_variable: url_variable?,
        secret: secret?,
        form: form?,
        allow_private: allow_private?,
    })
}

/// Parses a chat: its number, or the @name of a channel or group.
fn chat(text: String) -> Result<String, Fault> {
    let name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if text.parse::<i64>().is_ok() || text.strip_prefix('@').is_some_and(name) {
        return Ok(text);
    }
    let hint = "write its number, such as \"-1001234567890\", or the @name of a channel";
    Err(Fault::new(format!("cannot be {text:?}"), hint))
}

/// Parses the address of a kind of channel. Rejects addresses at which messages would be refused or lost.
fn address_of(kind: ChannelKind, text: &str) -> Result<Url, Fault> {
    let hint = match kind {
        ChannelKind::Webhook => "use `url_env`, or sign with `secret_env`",
        ChannelKind::Ntfy | ChannelKind::Telegram => "use `url_env`, or an access token in `token_env`",
        _ => "use `url_env`",
    };
    let url = address(text, hint)?;
    let has = |part: &str| url.path_segments().is_some_and(|mut parts| parts.any(|one| one == part));
    let ends_in = |part: &str| url.path().trim_end_matches('/').ends_with(part);
    match kind {
        ChannelKind::Telegram if url.path().contains("/bot") => {
            let hint = "remove `url`, and write token_env = \"TOPICWATCH_TELEGRAM_TOKEN\"";
            Err(Fault::new("contains a bot token", hint))
        }
        ChannelKind::Discord if ends_in("/slack") || ends_in("/github") => {
            let hint = match ends_in("/slack") {
                true => "remove the end of the URL, or write kind = \"slack\"",
                false => "remove the end of the URL",
            };
            Err(Fault::new("is for messages of another service", hint))
        }
        ChannelKind::Ntfy if url.path().trim_matches('/').is_empty() => {
            let hint = "write a URL such as \"https://ntfy.example.com/my-topic\"";
            Err(Fault::new("does not name a topic", hint))
        }
        ChannelKind::Apprise if !has("notify") => {
            let hint = "write a URL such as \"https://apprise.example.com/notify/KEY\"";
            Err(Fault::new("is not an Apprise notification URL", hint))
        }
        _ => Ok(url),
    }
}

/// Parses a webhook's address.
pub(in crate::config) fn address(text: &str, instead: &str) -> Result<Url, Fault> {
    const HINT: &str = "write a URL such as \"https://hooks.example.com/topicwatch\"";
    let url = Url::parse(text).map_err(|error| Fault::new(not_a_url(error), HINT))?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(Fault::new("is not the URL of a web server", HINT));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Fault::new("contains a user name or a password", instead));
    }
    Ok(url)
}
