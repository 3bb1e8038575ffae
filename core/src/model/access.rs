//! Who may do what: roles, named tokens and links that show one thing to whoever has them. A secret is kept as its hash alone.

use sha2::{Digest as _, Sha256};

use super::{ItemRow, Time, closed_list};

closed_list! {
    /// What a visitor of the pages and the API may do; each role includes those before it.
    Role {
        /// See.
        Read = "read",
        /// Also run, pause, mark, acknowledge.
        Act = "act",
        /// Also change what is watched.
        Edit = "edit",
    }
}

closed_list! {
    /// What a share link shows.
    SharedKind {
        /// The page of one topic.
        Topic = "topic",
        /// One report that was made.
        Report = "report",
    }
}

/// A named token.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct TokenRow {
    pub name: String,
    pub role: Role,
    /// Topics it is for, by id; with `tags` both empty, all.
    pub topics: Vec<String>,
    /// Topics it is for, by tag.
    pub tags: Vec<String>,
    /// Hash of its secret.
    #[serde(skip)]
    pub hash: String,
    pub made_at: Time,
    pub withdrawn_at: Option<Time>,
    /// To about a minute; unknown where only processes that cannot write saw it.
    pub last_used_at: Option<Time>,
}

impl TokenRow {
    /// Whether it is for everything.
    #[must_use]
    pub fn is_for_all(&self) -> bool {
        self.topics.is_empty() && self.tags.is_empty()
    }
}

/// A link that shows one thing.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct LinkRow {
    pub id: String,
    pub kind: SharedKind,
    /// Id of the topic, or of the run that made the report.
    pub of: String,
    /// Hash of its secret.
    #[serde(skip)]
    pub hash: String,
    pub made_at: Time,
    pub expires_at: Time,
    pub withdrawn_at: Option<Time>,
}

impl LinkRow {
    /// Whether it still opens something.
    #[must_use]
    pub fn is_good(&self, now: Time) -> bool {
        self.withdrawn_at.is_none() && now < self.expires_at
    }
}

impl ItemRow {
    /// The row for who does not see all topics: without the star, the note and the number of edits, which are of all of them, and
    /// without the item that it is a copy of, which perhaps only others know.
    #[must_use]
    pub fn alone(self) -> Self {
        let cluster = self.cluster.filter(|head| *head == self.key);
        Self { cluster, starred_at: None, note: None, revisions: None, ..self }
    }
}

/// What is kept of a secret. One round of SHA-256 is enough: the secrets are 256 random bits, which no dictionary holds.
#[must_use]
pub fn secret_hash(secret: &str) -> String {
    Sha256::digest(secret.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
