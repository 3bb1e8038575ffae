//! Item data that only the tables show: items that no topic has, pruned words, aliases and internal ids. Also writes
//! items and edits into the tables, because no service shows so many. When a table changes, this file changes and not
//! the tests.

use crate::support::databases::{Database, block_on, sql_literal};

impl Database {
    /// The keys of all items, even of those that no topic has.
    #[track_caller]
    pub fn all_item_keys(&self) -> Vec<String> {
        self.texts("SELECT key FROM item ORDER BY key")
    }

    /// When an item was first seen by any topic, of all items.
    #[track_caller]
    pub fn first_seen(&self) -> i64 {
        self.number("SELECT min(first_seen) FROM item")
    }

    /// The author of each item, even of those that no topic has; `-` where there is none.
    #[track_caller]
    pub fn all_item_authors(&self) -> Vec<String> {
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
        self.number(&format!("SELECT id FROM item WHERE key = {}", sql_literal(key)))
    }

    /// Gives a topic the items for which the condition holds, as if this run alone had found them.
    #[track_caller]
    pub fn add_items_to_topic(&self, topic: &str, run: &str, condition: &str) {
        block_on(self.execute(&format!(
            "INSERT INTO topic_item (topic, item, first_seen, first_run, last_seen, last_run, times_seen) \
             SELECT '{topic}', id, first_seen, {run}, last_seen, {run}, 1 FROM item WHERE {condition}",
            run = self.run_id(run)
        )));
    }

    /// Stores these words as those that an item had until its topic saw it last.
    #[track_caller]
    pub fn add_revision(&self, topic: &str, key: &str, words: &str) {
        block_on(self.execute(&format!(
            "INSERT INTO item_revision (item, run, replaced_at, title, text) \
             SELECT item, last_run, last_seen, NULL, '{words}' FROM topic_item WHERE topic = '{topic}' AND item = {}",
            self.item_id(key)
        )));
    }

    /// Writes items with the keys `post:made:1`, `post:made:2` and so on, seen at nine. Other columns are SQL with the
    /// number `n`.
    #[track_caller]
    pub fn make_items(&self, many: u32, columns: &[(&str, &str)]) {
        let usual = [("kind", "'post'"), ("first_seen", "1773219600000"), ("last_seen", "1773219600000")];
        let usual = usual.into_iter().filter(|(name, _)| columns.iter().all(|(other, _)| other != name));
        let (names, values): (Vec<&str>, Vec<&str>) = columns.iter().copied().chain(usual).unzip();
        block_on(self.execute(&format!(
            "INSERT INTO item (key, strong, {}) \
             WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {many}) \
             SELECT 'post:made:' || n, 1, {} FROM n",
            names.join(", "),
            values.join(", ")
        )));
    }

    /// Deletes what the first of its runs saw of an item.
    #[track_caller]
    pub fn prune_first_sighting(&self, key: &str) {
        let item = self.item_id(key);
        block_on(self.execute(&format!(
            "DELETE FROM sighting WHERE item = {item} AND run = (SELECT min(run) FROM sighting WHERE item = {item})"
        )));
    }

    /// Deletes all sightings of an item.
    #[track_caller]
    pub fn prune_sightings(&self, key: &str) {
        let item = self.item_id(key);
        block_on(self.execute(&format!("DELETE FROM sighting WHERE item = {item}")));
    }

    /// Each sighting `s` for which the condition holds, once more from that many other sources, with one like.
    #[track_caller]
    pub fn add_sightings(&self, many: u32, condition: &str) {
        block_on(self.execute(&format!(
            "INSERT INTO sighting (run, item, source, rank, fit, likes) \
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {many}) \
             SELECT s.run, s.item, 'other' || n.i, s.rank, s.fit, 1 FROM sighting s CROSS JOIN n WHERE {condition}"
        )));
    }

    /// Gives a third of the items each tone.
    #[track_caller]
    pub fn set_tones(&self) {
        block_on(self.execute(
            "UPDATE item SET tone = CASE id % 3 WHEN 0 THEN 'negative' WHEN 1 THEN 'neutral' ELSE 'positive' END",
        ));
    }

    /// Replaces the answers of a topic by one that cites nothing.
    #[track_caller]
    pub fn replace_answers(&self, topic: &str, text: &str) {
        block_on(self.execute(&format!(
            "UPDATE answer SET text = {}, cited = '[]' WHERE run IN (SELECT id FROM run WHERE topic = '{topic}')",
            sql_literal(text)
        )));
    }

    /// Gives the items for which the condition holds these words as title, text and author, this address, and a tone by
    /// a scorer of that name; all answers have the words, too.
    #[track_caller]
    pub fn set_hostile_texts(&self, condition: &str, words: &str, address: &str, answer: &str) {
        let [words, address, answer] = [words, address, answer].map(sql_literal);
        block_on(self.execute(&format!(
            "UPDATE item SET text = {words}, title = {words}, author = {words}, url = {address}, tone = 'negative', \
             score = -900, scorer = {words} WHERE {condition}; UPDATE answer SET text = {answer}, model = {words}"
        )));
    }
}
