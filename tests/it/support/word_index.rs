//! Queries the word index of a database.

use crate::support::databases::Database;

/// The number of rows in the index that contain a token, as the database itself reports it.
pub fn held(database: &Database, token: &str) -> i64 {
    let asked = if database.name == "SQLite" {
        format!("SELECT count(*) FROM item_words WHERE item_words MATCH '\"{token}\"'")
    } else {
        format!("SELECT count(*) FROM item_words WHERE words @@ CAST('''{token}''' AS TSQUERY)")
    };
    database.number(&asked)
}
