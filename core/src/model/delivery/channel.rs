//! A channel of `[[channels]]`: where messages are delivered, and how. It names secrets but never holds them; `cli`
//! reads them.

use std::path::PathBuf;

use crate::model::closed_list;

closed_list! {
    /// How TLS is used with a mail server.
    SmtpTls {
        /// Plain at first, then TLS. If the server offers no TLS, nothing is sent.
        StartTls = "starttls",
        /// TLS from the first byte.
        Implicit = "implicit",
        /// No TLS, for a server on this machine.
        None = "none",
    }
}

closed_list! {
    /// The kind of a channel.
    ChannelKind {
        Email = "email",
        /// An HTTP request to an address.
        Webhook = "webhook",
        /// A webhook in Slack's format.
        Slack = "slack",
        /// A webhook in Mattermost's format.
        Mattermost = "mattermost",
        /// A topic on an ntfy server.
        Ntfy = "ntfy",
        /// A Telegram chat, through a bot.
        Telegram = "telegram",
        /// A Discord webhook.
        Discord = "discord",
        /// A Microsoft Teams workflow.
        Teams = "teams",
        /// A key of an Apprise server.
        Apprise = "apprise",
    }
}

/// The format of a webhook request, with the fields that it needs in addition to the address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookFormat {
    /// Own JSON, signed.
    Own,
    /// `text`, for incoming webhooks of Slack.
    Slack,
    /// `text`, escaped so that it is not read as Markdown.
    Mattermost,
    /// `topic`, `title` and `message`, for ntfy.
    Ntfy,
    /// `sendMessage` of a bot. The address is that of the bot API, without the token.
    Telegram {
        /// The chat's number, or `@name` of a channel.
        chat: String,
    },
    /// `content` and an embed.
    Discord,
    /// A message with a card.
    Teams,
    /// `title`, `body`, `type` and `tag`.
    Apprise {
        /// The tag of the services to notify; `None` means those without a tag.
        tag: Option<String>,
    },
}

/// Where a secret is read from: an environment variable, or a file that only its owner may read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SecretSource {
    /// The name of the environment variable. The same name with `_FILE` appended may hold a file path.
    pub variable: Option<String>,
    pub file: Option<PathBuf>,
}

impl SecretSource {
    /// Whether no place is named.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.variable.is_none() && self.file.is_none()
    }
}

/// A mail channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailSpec {
    /// The mail server.
    pub host: String,
    pub port: u16,
    /// How TLS is used.
    pub tls: SmtpTls,
    pub from: String,
    pub to: Vec<String>,
    /// The user name for the login, if any.
    pub user: Option<String>,
    /// Where the password is read from.
    pub password: SecretSource,
}

/// A webhook channel.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSpec {
    /// The address, unless the address itself is a secret.
    pub url: Option<url::Url>,
    /// The environment variable that holds the address.
    pub url_variable: Option<String>,
    /// Where the signing secret is read from; for ntfy and Telegram, the access token.
    pub secret: SecretSource,
    /// The format of the request.
    pub form: WebhookFormat,
    /// Whether addresses of private networks are allowed.
    pub allow_private: bool,
}

impl std::fmt::Debug for WebhookSpec {
    /// Omits the path of the address: many services put a secret there.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookSpec").field("url", &self.url.as_ref().map(redact_url)).finish_non_exhaustive()
    }
}

/// An address to show to people: scheme, host and port. The rest may be a secret.
#[must_use]
pub fn redact_url(url: &url::Url) -> String {
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    let rest = if url.path().len() > 1 || url.query().is_some() { "/…" } else { "/" };
    format!("{}://{}{port}{rest}", url.scheme(), url.host_str().unwrap_or(""))
}

/// How a channel is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    Email(EmailSpec),
    /// An HTTP request to an address.
    Webhook(WebhookSpec),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSpec {
    /// Unique in the file.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// The timeout of one attempt, in milliseconds.
    pub timeout_ms: u64,
    /// The number of attempts before a message is given up.
    pub max_tries: u32,
    /// Whether the channel is paused; its messages wait.
    pub paused: bool,
}

impl ChannelSpec {
    /// The channel's kind.
    #[must_use]
    pub fn kind(&self) -> ChannelKind {
        match &self.transport {
            Transport::Email(_) => ChannelKind::Email,
            Transport::Webhook(hook) => match hook.form {
                WebhookFormat::Own => ChannelKind::Webhook,
                WebhookFormat::Slack => ChannelKind::Slack,
                WebhookFormat::Mattermost => ChannelKind::Mattermost,
                WebhookFormat::Ntfy => ChannelKind::Ntfy,
                WebhookFormat::Telegram { .. } => ChannelKind::Telegram,
                WebhookFormat::Discord => ChannelKind::Discord,
                WebhookFormat::Teams => ChannelKind::Teams,
                WebhookFormat::Apprise { .. } => ChannelKind::Apprise,
            },
        }
    }

    /// The recipient, for people.
    #[must_use]
    pub fn recipient(&self) -> String {
        match &self.transport {
            Transport::Email(email) => format!("{} by {}:{}", email.to.join(", "), email.host, email.port),
            Transport::Webhook(hook) => {
                let address = match (&hook.url, &hook.url_variable) {
                    (Some(url), _) => redact_url(url),
                    (None, Some(variable)) => format!("the address in ${variable}"),
                    (None, None) => String::new(),
                };
                match &hook.form {
                    WebhookFormat::Telegram { chat } => format!("chat {chat} by {address}"),
                    WebhookFormat::Apprise { tag: Some(tag) } => format!("tag {tag} of {address}"),
                    _ => address,
                }
            }
        }
    }
}
