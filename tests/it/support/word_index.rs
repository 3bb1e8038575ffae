//! What the word index of a database holds.

use crate::support::databases::Database;

/// How many rows of the index hold a token, by the database's own reading.
pub fn held(database: &Database, token: &str) -> i64 {
    let asked = if database.name == "SQLite" {
        format!("SELECT count(*) FROM item_words WHERE item_words MATCH '\"{token}\"'")
    } else {
        format!("SELECT count(*) FROM item_words WHERE words @@ CAST('''{token}''' AS TSQUERY)")
    };
    database.number(&asked)
}
