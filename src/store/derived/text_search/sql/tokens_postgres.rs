//! The text index of PostgreSQL: `tsvector` values of tokens made elsewhere, without dictionary or text search
//! configuration.

use std::collections::BTreeMap;

use sqlx::{Postgres, QueryBuilder};

use super::Conn;
use crate::model::{Phrase, TextQuery, Tokens};
use crate::store::StoreError;

/// The column of `item_words` that holds the item's id.
pub(in crate::store) const ITEM: &str = "item";

/// Inserts tokens of items that are not in the index.
pub(in crate::store) async fn insert(conn: &mut Conn, items: &[(i64, Tokens)]) -> Result<(), StoreError> {
    let mut insert = QueryBuilder::<Postgres>::new("INSERT INTO item_words (item, words) ");
    insert.push_values(items, |mut row, (item, tokens)| {
        row.push_bind(*item).push("CAST(").push_bind_unseparated(vector(tokens)).push_unseparated(" AS TSVECTOR)");
    });
    insert.build().persistent(false).execute(conn).await?;
    Ok(())
}

/// Formats a `tsvector`: each token with its positions, from 1. Tokens contain no character that would end a quotation.
fn vector(tokens: &Tokens) -> String {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (place, token) in (1..).zip(tokens).filter_map(|(place, token): (u32, _)| Some((place, token.as_deref()?))) {
        places.entry(token).or_default().push(place.to_string());
    }
    let lexemes: Vec<String> = places.iter().map(|(token, at)| format!("'{token}':{}", at.join(","))).collect();
    lexemes.join(" ")
}

/// Adds a subquery for the matching items, to be used with `IN`.
pub(in crate::store) fn push_found(query: &mut QueryBuilder<Postgres>, wanted: &TextQuery) {
    query.push("(SELECT w.item FROM item_words w WHERE w.words @@ CAST(").push_bind(tsquery(wanted));
    query.push(" AS TSQUERY))");
}

/// Adds a condition that one item matches. For a few items and common words.
pub(in crate::store) fn push_has(query: &mut QueryBuilder<Postgres>, wanted: &TextQuery, item: &str) {
    query.push("EXISTS (SELECT 1 FROM item_words w WHERE w.item = ").push(item).push(" AND w.words @@ CAST(");
    query.push_bind(tsquery(wanted)).push(" AS TSQUERY))");
}

/// Adds a condition that an item of the `seen` items matches.
pub(in crate::store) fn push_among_seen(query: &mut QueryBuilder<Postgres>, wanted: &TextQuery, item: &str) {
    push_has(query, wanted, item);
}

/// Formats a `tsquery`.
fn tsquery(wanted: &TextQuery) -> String {
    let phrase = |phrase: &Phrase| {
        let tokens: Vec<String> = phrase.tokens.iter().map(|token| format!("'{token}'")).collect();
        format!("({}{})", tokens.join(" <-> "), if phrase.open { ":*" } else { "" })
    };
    let all = wanted.all.iter().map(phrase);
    let none = wanted.none.iter().map(|excluded| format!("!{}", phrase(excluded)));
    all.chain(none).collect::<Vec<_>>().join(" & ")
}

/// Empties the index.
pub(in crate::store) async fn empty_index(conn: &mut Conn) -> Result<(), StoreError> {
    // The session's limit is for short statements.
    sqlx::query("SET LOCAL statement_timeout = 0").execute(&mut *conn).await?;
    sqlx::query("DELETE FROM item_words").execute(conn).await?;
    Ok(())
}

/// Rebuilds the index, which otherwise keeps tokens that no item has any more.
pub(in crate::store) async fn merge_index(conn: &mut Conn) -> Result<(), StoreError> {
    // The session's limit is for short statements. With some hundred thousand items this takes minutes.
    sqlx::query("SET LOCAL statement_timeout = 0").execute(&mut *conn).await?;
    sqlx::query("REINDEX INDEX item_words_token").execute(conn).await?;
    Ok(())
}
