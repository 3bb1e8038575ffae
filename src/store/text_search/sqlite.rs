//! The text index of SQLite: FTS5 over tokens that were made elsewhere. It parts them at spaces and does nothing else.

use sqlx::{QueryBuilder, Sqlite};

use super::Conn;
use crate::model::{Phrase, Tokens, Wanted};
use crate::store::StoreError;

/// The column of `item_words` that names the item.
pub(in crate::store) const ITEM: &str = "rowid";

/// At a place where nothing is found. No token is this character.
const NOTHING: &str = "\u{FFFC}";

/// Writes tokens of items that have none in the index.
pub(in crate::store) async fn insert(conn: &mut Conn, items: &[(i64, Tokens)]) -> Result<(), StoreError> {
    let mut insert = QueryBuilder::<Sqlite>::new("INSERT INTO item_words (rowid, words) ");
    insert.push_values(items, |mut row, (item, tokens)| {
        let words: Vec<&str> = tokens.iter().map(|token| token.as_deref().unwrap_or(NOTHING)).collect();
        row.push_bind(*item).push_bind(words.join(" "));
    });
    insert.build().persistent(false).execute(conn).await?;
    Ok(())
}

/// The items that have what is wanted, as a list for `IN`.
pub(in crate::store) fn push_found(query: &mut QueryBuilder<Sqlite>, wanted: &Wanted) {
    query.push("(SELECT rowid FROM item_words WHERE item_words MATCH ").push_bind(asked(wanted)).push(")");
}

/// Whether an item has what is wanted, looked up for it alone: for a few items, where what is wanted is common.
pub(in crate::store) fn push_has(query: &mut QueryBuilder<Sqlite>, wanted: &Wanted, item: &str) {
    query.push("EXISTS (SELECT 1 FROM item_words w WHERE w.rowid = ").push(item).push(" AND w.words MATCH ");
    query.push_bind(asked(wanted)).push(")");
}

/// In FTS5's words. Tokens hold nothing that would end a quotation.
fn asked(wanted: &Wanted) -> String {
    let phrase = |phrase: &Phrase| format!("\"{}\"{}", phrase.tokens.join(" "), if phrase.open { " *" } else { "" });
    let all: Vec<String> = wanted.all.iter().map(phrase).collect();
    let none: Vec<String> = wanted.none.iter().map(phrase).collect();
    let mut asked = format!("({})", all.join(" AND "));
    if !none.is_empty() {
        asked.push_str(&format!(" NOT ({})", none.join(" OR ")));
    }
    asked
}

/// Makes words that were taken out leave the file's index, which until then only passes them over.
pub(in crate::store) async fn scour(conn: &mut Conn) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO item_words (item_words) VALUES ('optimize')").execute(conn).await?;
    Ok(())
}
