//! The text index of PostgreSQL: vectors of tokens that were made elsewhere. No dictionary, no configuration of a language.

use std::collections::BTreeMap;

use sqlx::{Postgres, QueryBuilder};

use super::Conn;
use crate::model::{Phrase, Tokens, Wanted};
use crate::store::StoreError;

/// The column of `item_words` that names the item.
pub(in crate::store) const ITEM: &str = "item";

/// Writes tokens of items that have none in the index.
pub(in crate::store) async fn insert(conn: &mut Conn, items: &[(i64, Tokens)]) -> Result<(), StoreError> {
    let mut insert = QueryBuilder::<Postgres>::new("INSERT INTO item_words (item, words) ");
    insert.push_values(items, |mut row, (item, tokens)| {
        row.push_bind(*item).push("CAST(").push_bind_unseparated(vector(tokens)).push_unseparated(" AS TSVECTOR)");
    });
    insert.build().persistent(false).execute(conn).await?;
    Ok(())
}

/// Each token with its places, which begin at 1. Tokens hold nothing that would end a quotation.
fn vector(tokens: &Tokens) -> String {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (place, token) in (1..).zip(tokens).filter_map(|(place, token): (u32, _)| Some((place, token.as_deref()?))) {
        places.entry(token).or_default().push(place.to_string());
    }
    let lexemes: Vec<String> = places.iter().map(|(token, at)| format!("'{token}':{}", at.join(","))).collect();
    lexemes.join(" ")
}

/// The items that have what is wanted, as a list for `IN`.
pub(in crate::store) fn push_found(query: &mut QueryBuilder<Postgres>, wanted: &Wanted) {
    query.push("(SELECT w.item FROM item_words w WHERE w.words @@ CAST(").push_bind(asked(wanted));
    query.push(" AS TSQUERY))");
}

/// Whether an item has what is wanted, looked up for it alone: for a few items, where what is wanted is common.
pub(in crate::store) fn push_has(query: &mut QueryBuilder<Postgres>, wanted: &Wanted, item: &str) {
    query.push("EXISTS (SELECT 1 FROM item_words w WHERE w.item = ").push(item).push(" AND w.words @@ CAST(");
    query.push_bind(asked(wanted)).push(" AS TSQUERY))");
}

/// In the words of a tsquery.
fn asked(wanted: &Wanted) -> String {
    let phrase = |phrase: &Phrase| {
        let tokens: Vec<String> = phrase.tokens.iter().map(|token| format!("'{token}'")).collect();
        format!("({}{})", tokens.join(" <-> "), if phrase.open { ":*" } else { "" })
    };
    let all = wanted.all.iter().map(phrase);
    let none = wanted.none.iter().map(|excluded| format!("!{}", phrase(excluded)));
    all.chain(none).collect::<Vec<_>>().join(" & ")
}

/// Makes tokens that no item has any more leave the index, which keeps them otherwise.
pub(in crate::store) async fn scour(conn: &mut Conn) -> Result<(), StoreError> {
    sqlx::query("REINDEX INDEX item_words_token").execute(conn).await?;
    Ok(())
}
