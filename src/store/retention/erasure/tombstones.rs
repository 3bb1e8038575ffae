//! Tombstones: keyed hashes of forgotten authors, items and topics, and checking names against them. What is erased,
//! and when a tombstone is checked, is not decided here.

use std::collections::HashSet;

use crate::model::{Time, closed_list, page_key_of_entry};

closed_list! {
    /// What a tombstone names.
    TombstoneKind {
        /// An author, on any platform, by handle.
        Author = "author",
        /// An item, by one of its keys.
        Item = "item",
        /// Everything that a topic has found so far, by the topic's id.
        Topic = "topic",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tombstone {
    /// What it names.
    pub kind: TombstoneKind,
    /// The keyed hash of what must not come back.
    pub hash: String,
    /// When forgetting was requested.
    pub at: Time,
}

/// The key of a database's hashes. With it, one can check whether a given name was forgotten, but cannot list the
/// names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ForgetKey([u8; 32]);

impl std::fmt::Debug for ForgetKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

impl ForgetKey {
    /// Parses 64 hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(|hash| Self(*hash.as_bytes()))
    }

    /// Formats the key as 64 hexadecimal digits.
    #[must_use]
    pub fn to_hex(&self) -> String {
        blake3::Hash::from(self.0).to_hex().to_string()
    }

    /// Returns the tombstone hash of a name.
    #[must_use]
    pub fn hash(&self, kind: TombstoneKind, name: &str) -> String {
        self.digest(kind, name).to_hex().to_string()
    }

    fn digest(&self, kind: TombstoneKind, name: &str) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(kind.as_str().as_bytes()).update(b"\n");
        match kind {
            TombstoneKind::Author => hasher.update(normalize_handle(name).as_bytes()),
            TombstoneKind::Item | TombstoneKind::Topic => hasher.update(name.as_bytes()),
        };
        hasher.finalize()
    }
}

/// Normalizes an author's handle for comparison: no `@`, lower case.
#[must_use]
pub fn normalize_handle(author: &str) -> String {
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
    /// Builds the set from the tombstones of one database.
    #[must_use]
    pub fn new<'t>(key: ForgetKey, all: impl IntoIterator<Item = &'t Tombstone>) -> Self {
        let mut set = Self { key, authors: HashSet::new(), items: HashSet::new(), topics: HashSet::new() };
        for tombstone in all {
            set.add(tombstone.kind, &tombstone.hash);
        }
        set
    }

    /// Adds a tombstone by its hash.
    pub fn add(&mut self, kind: TombstoneKind, hash: &str) {
        let set = match kind {
            TombstoneKind::Author => &mut self.authors,
            TombstoneKind::Item => &mut self.items,
            TombstoneKind::Topic => &mut self.topics,
        };
        set.extend(blake3::Hash::from_hex(hash).ok().map(|hash| *hash.as_bytes()));
    }

    /// Returns the hash of a name in this database.
    #[must_use]
    pub fn hash_of(&self, kind: TombstoneKind, name: &str) -> String {
        self.key.hash(kind, name)
    }

    /// Adds a tombstone by its name.
    pub fn add_name(&mut self, kind: TombstoneKind, name: &str) {
        self.add(kind, &self.hash_of(kind, name));
    }

    /// Returns whether there are any of a kind.
    #[must_use]
    pub fn any(&self, kind: TombstoneKind) -> bool {
        !self.of(kind).is_empty()
    }

    fn of(&self, kind: TombstoneKind) -> &HashSet<[u8; 32]> {
        match kind {
            TombstoneKind::Author => &self.authors,
            TombstoneKind::Item => &self.items,
            TombstoneKind::Topic => &self.topics,
        }
    }

    /// Returns whether a name was forgotten. Forgetting a page forgets its entries, too.
    #[must_use]
    pub fn has(&self, kind: TombstoneKind, name: &str) -> bool {
        let set = self.of(kind);
        let holds = |name: &str| set.contains(self.key.digest(kind, name).as_bytes());
        let page = || page_key_of_entry(name).filter(|_| kind == TombstoneKind::Item);
        !set.is_empty() && (holds(name) || page().is_some_and(holds))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn each_forget_key_gives_its_own_hash_and_is_never_shown() {
        let (one, two) = (ForgetKey::parse(&"ab".repeat(32)).unwrap(), ForgetKey::parse(&"cd".repeat(32)).unwrap());
        assert_ne!(one.hash(TombstoneKind::Author, "jane"), two.hash(TombstoneKind::Author, "jane"));
        assert_ne!(one.hash(TombstoneKind::Author, "jane"), one.hash(TombstoneKind::Topic, "jane"));
        assert_eq!(one.hash(TombstoneKind::Author, "@Jane"), one.hash(TombstoneKind::Author, "jane"));
        assert_eq!((format!("{one:?}"), ForgetKey::parse(&one.to_hex())), ("***".into(), Some(one)));
        assert_eq!(ForgetKey::parse("ab"), None);
    }
}
