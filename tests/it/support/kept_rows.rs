//! Stars, notes and saved searches of many items at once, written into the tables: commands and pages make one at a time.

use crate::support::databases::{Database, block_on, sql_literal};

impl Database {
    /// Stars the items for which the condition holds.
    #[track_caller]
    pub fn star(&self, condition: &str, at: i64) {
        block_on(
            self.execute(&format!("INSERT INTO item_star (item, at) SELECT id, {at} FROM item WHERE {condition}")),
        );
    }

    /// Gives the items for which the condition holds this note.
    #[track_caller]
    pub fn note(&self, condition: &str, note: &str) {
        let note = sql_literal(note);
        block_on(self.execute(&format!(
            "INSERT INTO item_note (item, note, at) SELECT id, {note}, 1773219600000 FROM item WHERE {condition}"
        )));
    }

    /// Saves searches: their names, topics and filters.
    #[track_caller]
    pub fn save_searches(&self, searches: &[(&str, Option<&str>, &str)]) {
        let row = |(name, topic, filters): &(&str, Option<&str>, &str)| {
            format!(
                "({}, {}, {}, 1773219600000)",
                sql_literal(name),
                topic.map_or("NULL".to_owned(), sql_literal),
                sql_literal(filters)
            )
        };
        let rows: Vec<String> = searches.iter().map(row).collect();
        block_on(
            self.execute(&format!(
                "INSERT INTO saved_search (name, topic, filters, made_at) VALUES {}",
                rows.join(", ")
            )),
        );
    }
}
