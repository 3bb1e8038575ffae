//! The text index of SQLite: FTS5 over tokens made elsewhere; it only splits them at spaces.

use sqlx::{QueryBuilder, Sqlite};

use super::Conn;
use crate::model::{Phrase, TextQuery, Tokens};
use crate::store::StoreError;

/// The column of `item_words` that holds the item's id.
pub(in crate::store) const ITEM: &str = "rowid";

/// A placeholder for positions without a token. No token is this character.
const NOTHING: &str = "\u{FFFC}";

/// Inserts tokens of items that are not in the index.
pub(in crate::store) async fn insert(conn: &mut Conn, items: &[(i64, Tokens)]) -> Result<(), StoreError> {
    let mut insert = QueryBuilder::<Sqlite>::new("INSERT INTO item_words (rowid, words) ");
    insert.push_values(items, |mut row, (item, tokens)| {
        let words: Vec<&str> = tokens.iter().map(|token| token.as_deref().unwrap_or(NOTHING)).collect();
        row.push_bind(*item).push_bind(words.join(" "));
    });
    insert.build().persistent(false).execute(conn).await?;
    Ok(())
}

/// Adds a subquery for the matching items, to be used with `IN`.
pub(in crate::store) fn push_found(query: &mut QueryBuilder<Sqlite>, wanted: &TextQuery) {
    query.push("(SELECT rowid FROM item_words WHERE item_words MATCH ").push_bind(match_query(wanted)).push(")");
}

/// Adds a condition that one item matches. For a few items and common words.
pub(in crate::store) fn push_has(query: &mut QueryBuilder<Sqlite>, wanted: &TextQuery, item: &str) {
    query.push("EXISTS (SELECT 1 FROM item_words w WHERE w.rowid = ").push(item).push(" AND w.words MATCH ");
    query.push_bind(match_query(wanted)).push(")");
}

/// Adds a condition that an item of the `seen` items matches. Each lookup costs FTS5 about a millisecond, so the matches
/// of their range are read at once.
pub(in crate::store) fn push_among_seen(query: &mut QueryBuilder<Sqlite>, wanted: &TextQuery, item: &str) {
    query.push(item).push(" IN (SELECT rowid FROM item_words WHERE item_words MATCH ").push_bind(match_query(wanted));
    query.push(" AND rowid BETWEEN (SELECT min(item) FROM seen) AND (SELECT max(item) FROM seen))");
}

/// Formats an FTS5 query. Tokens contain no character that would end a quotation.
fn match_query(wanted: &TextQuery) -> String {
    let phrase = |phrase: &Phrase| format!("\"{}\"{}", phrase.tokens.join(" "), if phrase.open { " *" } else { "" });
    let all: Vec<String> = wanted.all.iter().map(phrase).collect();
    let none: Vec<String> = wanted.none.iter().map(phrase).collect();
    let mut query = format!("({})", all.join(" AND "));
    if !none.is_empty() {
        query.push_str(&format!(" NOT ({})", none.join(" OR ")));
    }
    query
}

/// Empties the index. Deleted item by item, it would be merged again after each tenth of its items, and other writers
/// would wait for seconds each time.
pub(in crate::store) async fn empty_index(conn: &mut Conn) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO item_words (item_words) VALUES ('delete-all')").execute(conn).await?;
    Ok(())
}

/// Merges the index, which otherwise keeps deleted words and only skips them.
pub(in crate::store) async fn merge_index(conn: &mut Conn) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO item_words (item_words) VALUES ('optimize')").execute(conn).await?;
    Ok(())
}
