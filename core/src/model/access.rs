//! Access control data: roles, named tokens and share links. Only the hash of a secret is stored.

use sha2::{Digest as _, Sha256};

use super::{ItemRow, Time, closed_list};

closed_list! {
    /// The permissions of a client of the pages and the API. Each role includes those before it.
    Role {
        /// Read only.
        Read = "read",
        /// Also run, pause, mark and acknowledge.
        Act = "act",
        /// Also change the configuration of what is watched.
        Edit = "edit",
    }
}

closed_list! {
    /// The kind of page that a share link shows.
    SharedKind {
        /// The page of one topic.
        Topic = "topic",
        /// One report.
        Report = "report",
    }
}

/// A named token.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct TokenRow {
    pub name: String,
    pub role: Role,
    /// Ids of the topics it gives access to. If `topics` and `tags` are both empty, it gives access to all topics.
    pub topics: Vec<String>,
    /// Tags of the topics it gives access to.
    pub tags: Vec<String>,
    /// Hash of the secret.
    #[serde(skip)]
    pub hash: String,
    pub made_at: Time,
    pub withdrawn_at: Option<Time>,
    /// Accurate to about a minute. Uses by processes that cannot write are not recorded.
    pub last_used_at: Option<Time>,
}

impl TokenRow {
    /// Whether the token gives access to all topics.
    #[must_use]
    pub fn covers_all_topics(&self) -> bool {
        self.topics.is_empty() && self.tags.is_empty()
    }

    /// The token after a topic was forgotten; `None` if that changes nothing. One that was for this topic alone is withdrawn:
    /// without any topic and tag, it would be for all topics.
    #[must_use]
    pub fn without_topic(&self, topic: &str, now: Time) -> Option<Self> {
        if self.withdrawn_at.is_some() || self.topics.iter().all(|id| id != topic) {
            return None;
        }
        let topics: Vec<String> = self.topics.iter().filter(|id| *id != topic).cloned().collect();
        Some(match topics.is_empty() && self.tags.is_empty() {
            true => Self { withdrawn_at: Some(now), ..self.clone() },
            false => Self { topics, ..self.clone() },
        })
    }
}

/// A share link.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct LinkRow {
    pub id: String,
    pub kind: SharedKind,
    /// The id of the topic, or of the run that made the report.
    pub of: String,
    /// Hash of the secret.
    #[serde(skip)]
    pub hash: String,
    pub made_at: Time,
    pub expires_at: Time,
    pub withdrawn_at: Option<Time>,
}

impl LinkRow {
    /// Whether the link is neither withdrawn nor expired.
    #[must_use]
    pub fn is_valid(&self, now: Time) -> bool {
        self.withdrawn_at.is_none() && now < self.expires_at
    }

    /// Names what the link shows, for people. The id of a scheduled report's run begins with `report:`.
    #[must_use]
    pub fn shows(&self) -> String {
        let of = match self.kind {
            SharedKind::Topic => self.of.as_str(),
            SharedKind::Report => self.of.strip_prefix("report:").unwrap_or(&self.of),
        };
        format!("{} {of}", self.kind)
    }
}

/// The tokens and links that changed because topics were forgotten, as they are now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccessChanges {
    pub tokens: Vec<TokenRow>,
    /// Those that had not expired.
    pub links: Vec<LinkRow>,
}

impl AccessChanges {
    /// Adds later changes. A token of several topics changes several times.
    pub fn add(&mut self, later: Self) {
        self.tokens.retain(|token| later.tokens.iter().all(|other| other.name != token.name));
        self.tokens.extend(later.tokens);
        self.tokens.sort_by(|one, other| one.name.cmp(&other.name));
        self.links.extend(later.links);
        self.links.sort_by(|one, other| one.id.cmp(&other.id));
    }
}

impl ItemRow {
    /// The row for a reader who may not see all topics. Drops what is shared by all topics: star, note, number of
    /// edits, and the cluster's first item, which may belong to other topics only. It is dropped from every row:
    /// otherwise its absence would reveal that another topic has a near-copy.
    #[must_use]
    pub fn without_shared_fields(self) -> Self {
        Self { cluster: None, starred_at: None, note: None, revisions: None, ..self }
    }
}

/// The stored hash of a secret. One round of SHA-256 is enough: secrets are 256 random bits, so no dictionary helps.
#[must_use]
pub fn secret_hash(secret: &str) -> String {
    Sha256::digest(secret.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
