//! What was forgotten, as it is remembered: keyed hashes of authors, items and topics, and whether a text names any of
//! them. What is erased, and when a tombstone is looked at, is not decided here.

use std::collections::HashSet;

use crate::model::{Time, closed_list, page_of_entry};

closed_list! {
    /// What a tombstone stands for.
    Forgot {
        /// An author, on whatever platform, by handle.
        Author = "author",
        /// An item, by one of its keys.
        Item = "item",
        /// What a topic found until then, by its id.
        Topic = "topic",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tombstone {
    /// What it stands for.
    pub kind: Forgot,
    /// The keyed hash of what must not come back.
    pub hash: String,
    /// When it was asked for.
    pub at: Time,
}

/// The key of a database's hashes: who has it can ask whether a name was forgotten, and nothing else.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ForgetKey([u8; 32]);

impl std::fmt::Debug for ForgetKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

impl ForgetKey {
    /// Reads it as it is kept, 64 hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(|hash| Self(*hash.as_bytes()))
    }

    /// As it is kept.
    #[must_use]
    pub fn to_hex(&self) -> String {
        blake3::Hash::from(self.0).to_hex().to_string()
    }

    /// The tombstone's hash of something.
    #[must_use]
    pub fn hash(&self, kind: Forgot, name: &str) -> String {
        self.digest(kind, name).to_hex().to_string()
    }

    fn digest(&self, kind: Forgot, name: &str) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(kind.as_str().as_bytes()).update(b"\n");
        match kind {
            Forgot::Author => hasher.update(handle(name).as_bytes()),
            Forgot::Item | Forgot::Topic => hasher.update(name.as_bytes()),
        };
        hasher.finalize()
    }
}

/// An author's handle as it is compared: without `@`, without regard to case.
#[must_use]
pub fn handle(author: &str) -> String {
    author.trim().trim_start_matches(['@', '＠']).trim().to_lowercase()
}

/// Tombstones in memory.
#[derive(Debug, Clone)]
pub struct Tombstones {
    key: ForgetKey,
    authors: HashSet<[u8; 32]>,
    items: HashSet<[u8; 32]>,
    topics: HashSet<[u8; 32]>,
}

impl Tombstones {
    /// Of one database.
    #[must_use]
    pub fn new<'t>(key: ForgetKey, all: impl IntoIterator<Item = &'t Tombstone>) -> Self {
        let mut known = Self { key, authors: HashSet::new(), items: HashSet::new(), topics: HashSet::new() };
        for tombstone in all {
            known.add(tombstone.kind, &tombstone.hash);
        }
        known
    }

    /// Knows one more.
    pub fn add(&mut self, kind: Forgot, hash: &str) {
        let set = match kind {
            Forgot::Author => &mut self.authors,
            Forgot::Item => &mut self.items,
            Forgot::Topic => &mut self.topics,
        };
        set.extend(blake3::Hash::from_hex(hash).ok().map(|hash| *hash.as_bytes()));
    }

    /// The hash of a name, in this database.
    #[must_use]
    pub fn hash_of(&self, kind: Forgot, name: &str) -> String {
        self.key.hash(kind, name)
    }

    /// Knows one more, by its name.
    pub fn learn(&mut self, kind: Forgot, name: &str) {
        self.add(kind, &self.hash_of(kind, name));
    }

    /// Whether there are any of a kind.
    #[must_use]
    pub fn any(&self, kind: Forgot) -> bool {
        !self.of(kind).is_empty()
    }

    fn of(&self, kind: Forgot) -> &HashSet<[u8; 32]> {
        match kind {
            Forgot::Author => &self.authors,
            Forgot::Item => &self.items,
            Forgot::Topic => &self.topics,
        }
    }

    /// Whether something was forgotten. Forgetting a page forgets its entries too.
    #[must_use]
    pub fn has(&self, kind: Forgot, name: &str) -> bool {
        let set = self.of(kind);
        let holds = |name: &str| set.contains(self.key.digest(kind, name).as_bytes());
        let page = || page_of_entry(name).filter(|_| kind == Forgot::Item);
        !set.is_empty() && (holds(name) || page().is_some_and(holds))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn another_key_gives_another_hash_and_neither_is_shown() {
        let (one, two) = (ForgetKey::parse(&"ab".repeat(32)).unwrap(), ForgetKey::parse(&"cd".repeat(32)).unwrap());
        assert_ne!(one.hash(Forgot::Author, "jane"), two.hash(Forgot::Author, "jane"));
        assert_ne!(one.hash(Forgot::Author, "jane"), one.hash(Forgot::Topic, "jane"));
        assert_eq!(one.hash(Forgot::Author, "@Jane"), one.hash(Forgot::Author, "jane"));
        assert_eq!((format!("{one:?}"), ForgetKey::parse(&one.to_hex())), ("***".into(), Some(one)));
        assert_eq!(ForgetKey::parse("ab"), None);
    }
}
