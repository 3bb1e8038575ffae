//! What only the tables show of items: those that no topic has, pruned words, aliases and internal ids. Also writes items
//! and edits into the tables, because no service shows so many. When a table changes, this file changes and not the
//! tests.

use crate::support::databases::{Database, wait};

impl Database {
    /// The keys of all items, even of those that no topic has.
    #[track_caller]
    pub fn kept_keys(&self) -> Vec<String> {
        self.texts("SELECT key FROM item ORDER BY key")
    }

    /// The author of each item, even of those that no topic has; `-` where there is none.
    #[track_caller]
    pub fn kept_authors(&self) -> Vec<String> {
        self.texts("SELECT coalesce(author, '-') FROM item ORDER BY key")
    }

    /// The keys of items whose words were pruned.
    #[track_caller]
    pub fn pruned_keys(&self) -> Vec<String> {
        self.texts("SELECT key FROM item WHERE pruned_at IS NOT NULL ORDER BY key")
    }

    /// Every key that leads to an item, with the item's own.
    #[track_caller]
    pub fn aliases(&self) -> Vec<(String, String)> {
        let from = "item_key k JOIN item i ON i.id = k.item ORDER BY k.key";
        self.rows(["k.key", "i.key"], from).map(|[alias, key]| (alias, key)).collect()
    }

    /// The internal id of an item, for statements that set up a state.
    #[track_caller]
    pub fn item_id(&self, key: &str) -> i64 {
        self.number(&format!("SELECT id FROM item WHERE key = '{}'", key.replace('\'', "''")))
    }

    /// Gives a topic the items for which the condition holds, as if this run alone had found them.
    #[track_caller]
    pub fn give(&self, topic: &str, run: &str, condition: &str) {
        wait(self.execute(&format!(
            "INSERT INTO topic_item (topic, item, first_seen, first_run, last_seen, last_run, times_seen) \
             SELECT '{topic}', id, first_seen, {run}, last_seen, {run}, 1 FROM item WHERE {condition}",
            run = self.run_id(run)
        )));
    }

    /// Stores these words as those that an item had until its topic saw it last.
    #[track_caller]
    pub fn give_edit(&self, topic: &str, key: &str, words: &str) {
        wait(self.execute(&format!(
            "INSERT INTO item_revision (item, run, replaced_at, title, text) \
             SELECT item, last_run, last_seen, NULL, '{words}' FROM topic_item WHERE topic = '{topic}' AND item = {}",
            self.item_id(key)
        )));
    }
}
