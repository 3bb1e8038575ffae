//! Queries the word index of a database, and makes items wait for it.

use crate::support::databases::{Database, block_on};

/// The number of rows in the index that contain a token, as the database itself reports it.
pub fn indexed_rows(database: &Database, token: &str) -> i64 {
    let asked = if database.name == "SQLite" {
        format!("SELECT count(*) FROM item_words WHERE item_words MATCH '\"{token}\"'")
    } else {
        format!("SELECT count(*) FROM item_words WHERE words @@ CAST('''{token}''' AS TSQUERY)")
    };
    database.number(&asked)
}

/// Makes the items for which the condition holds wait for the index, and no others.
#[track_caller]
pub fn queue_for_index(database: &Database, condition: &str) {
    block_on(database.execute(&format!(
        "DELETE FROM item_words_due; INSERT INTO item_words_due (item) SELECT id FROM item WHERE {condition}"
    )));
}

/// Empties the index, so that every item waits for it.
#[track_caller]
pub fn empty_index(database: &Database) {
    queue_for_index(database, "id > 0");
    block_on(database.execute("DELETE FROM item_words"));
}
