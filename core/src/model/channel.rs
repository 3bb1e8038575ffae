//! A channel of `[[channels]]`: whom things are delivered to, and how. Secrets are named here, never held: where they are
//! read is cli's.

use std::path::PathBuf;

use super::closed_list;

closed_list! {
    /// How a mail server is spoken to.
    SmtpTls {
        /// Plain at first, then TLS, or nothing is sent.
        StartTls = "starttls",
        /// TLS from the first byte.
        Implicit = "implicit",
        /// No TLS: for a server on this machine.
        None = "none",
    }
}

closed_list! {
    /// What a channel is.
    ChannelKind {
        Email = "email",
        /// A request to an address.
        Webhook = "webhook",
        /// The same as Slack reads it.
        Slack = "slack",
        /// The same as Mattermost reads it.
        Mattermost = "mattermost",
        /// A topic of an ntfy server.
        Ntfy = "ntfy",
        /// A chat of Telegram, by a bot.
        Telegram = "telegram",
        /// A webhook of Discord.
        Discord = "discord",
        /// A workflow of Microsoft Teams.
        Teams = "teams",
        /// A key of an Apprise server.
        Apprise = "apprise",
    }
}

/// What a request to an address looks like, with what it needs to know beside the address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookForm {
    /// Our own JSON, signed.
    Own,
    /// `text`, as incoming webhooks of Slack take it.
    Slack,
    /// `text`, kept from being Markdown.
    Mattermost,
    /// `topic`, `title` and `message`, as ntfy takes it.
    Ntfy,
    /// `sendMessage` of a bot; the address is that of its API, without the token.
    Telegram {
        /// Number of the chat, or `@name` of a channel.
        chat: String,
    },
    /// `content` and an embed.
    Discord,
    /// A card in a message.
    Teams,
    /// `title`, `body`, `type` and `tag`.
    Apprise {
        /// Which services of the key; those without a tag when `None`.
        tag: Option<String>,
    },
}

/// Where a secret is read from: a variable, or a file that only its owner may read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SecretPlace {
    /// Name of the environment variable; the same with `_FILE` names a file.
    pub variable: Option<String>,
    pub file: Option<PathBuf>,
}

impl SecretPlace {
    /// Whether there is none.
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
    /// How it is spoken to.
    pub tls: SmtpTls,
    pub from: String,
    pub to: Vec<String>,
    /// Who logs in, when somebody does.
    pub user: Option<String>,
    /// Where the password is.
    pub password: SecretPlace,
}

/// A webhook channel.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSpec {
    /// The address, unless it is a secret itself.
    pub url: Option<url::Url>,
    /// The variable that holds it.
    pub url_variable: Option<String>,
    /// Where the secret is that requests are signed with; of ntfy and Telegram the access token.
    pub secret: SecretPlace,
    /// What a request looks like.
    pub form: HookForm,
    /// Whether addresses of private networks are allowed.
    pub allow_private: bool,
}

impl std::fmt::Debug for WebhookSpec {
    /// Without the path of the address, which many services make their secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookSpec").field("url", &self.url.as_ref().map(shown_url)).finish_non_exhaustive()
    }
}

/// An address for people: scheme, host and port. The rest may be a secret.
#[must_use]
pub fn shown_url(url: &url::Url) -> String {
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    let rest = if url.path().len() > 1 || url.query().is_some() { "/…" } else { "/" };
    format!("{}://{}{port}{rest}", url.scheme(), url.host_str().unwrap_or(""))
}

/// How one kind of channel is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelWay {
    Email(EmailSpec),
    /// A request to an address.
    Webhook(WebhookSpec),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSpec {
    /// Unique in the file.
    pub name: String,
    /// How it is reached.
    pub way: ChannelWay,
    /// Longest time of one try, milliseconds.
    pub timeout_ms: u64,
    /// Tries before a message is given up.
    pub max_tries: u32,
    /// Whether nothing is sent for now; messages wait.
    pub paused: bool,
}

impl ChannelSpec {
    /// What it is.
    #[must_use]
    pub fn kind(&self) -> ChannelKind {
        match &self.way {
            ChannelWay::Email(_) => ChannelKind::Email,
            ChannelWay::Webhook(hook) => match hook.form {
                HookForm::Own => ChannelKind::Webhook,
                HookForm::Slack => ChannelKind::Slack,
                HookForm::Mattermost => ChannelKind::Mattermost,
                HookForm::Ntfy => ChannelKind::Ntfy,
                HookForm::Telegram { .. } => ChannelKind::Telegram,
                HookForm::Discord => ChannelKind::Discord,
                HookForm::Teams => ChannelKind::Teams,
                HookForm::Apprise { .. } => ChannelKind::Apprise,
            },
        }
    }

    /// Whom it reaches, for people.
    #[must_use]
    pub fn whom(&self) -> String {
        match &self.way {
            ChannelWay::Email(email) => format!("{} by {}:{}", email.to.join(", "), email.host, email.port),
            ChannelWay::Webhook(hook) => {
                let address = match (&hook.url, &hook.url_variable) {
                    (Some(url), _) => shown_url(url),
                    (None, Some(variable)) => format!("the address in ${variable}"),
                    (None, None) => String::new(),
                };
                match &hook.form {
                    HookForm::Telegram { chat } => format!("chat {chat} by {address}"),
                    HookForm::Apprise { tag: Some(tag) } => format!("tag {tag} of {address}"),
                    _ => address,
                }
            }
        }
    }
}
