//! Reads and writes whole tables page by page in key order, to copy a database to the other kind. `tables` lists the
//! tables, their columns and their order.

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::{Conn, Database, Row};
use crate::store::StoreError;
use crate::store::database::copying::cells::{Value, hash_row};
use crate::store::database::copying::tables::{TABLES, Table, UNFINISHED};

/// The most values bound by one statement.
const BINDS: usize = 30_000;

/// Returns whether one of these runs exists here with the same end time.
pub(in crate::store) async fn has_any_run(conn: &mut Conn, ended: &[(String, i64)]) -> Result<bool, StoreError> {
    for (id, at) in ended {
        let found = sqlx::query("SELECT 1 FROM run WHERE public_id = $1 AND finished_at = $2").bind(id).bind(at);
        if found.fetch_optional(&mut *conn).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns one page of rows after a key, in key order.
pub(in crate::store) async fn page(
    conn: &mut Conn,
    table: &Table,
    after: Option<&[Value]>,
) -> Result<Vec<Vec<Value>>, StoreError> {
    let columns: Vec<&str> = table.columns().collect();
    let mut query = QueryBuilder::<Database>::new(format!("SELECT {} FROM {}", columns.join(", "), table.name));
    if let Some(after) = after {
        query.push(format!(" WHERE ({}) > (", table.key.join(", ")));
        let mut list = query.separated(", ");
        for value in after {
            match value {
                Value::Number(number) => list.push_bind(*number),
                Value::Text(text) => list.push_bind(text.clone()),
                Value::Bytes(bytes) => list.push_bind(bytes.clone()),
            };
        }
        list.push_unseparated(")");
    }
    query.push(format!(" ORDER BY {} LIMIT {}", table.key.join(", "), table.at_once));
    let rows = query.build().fetch_all(conn).await?;
    rows.iter().map(|row| values(table, row)).collect()
}

fn values(table: &Table, row: &Row) -> Result<Vec<Value>, StoreError> {
    let (numbers, texts) = (table.numbers.len(), table.texts.len());
    let mut values = Vec::with_capacity(numbers + texts + table.bytes.len());
    for at in 0..numbers {
        values.push(Value::Number(row.try_get(at)?));
    }
    for at in numbers..numbers + texts {
        values.push(Value::Text(row.try_get(at)?));
    }
    for at in 0..table.bytes.len() {
        values.push(Value::Bytes(row.try_get(numbers + texts + at)?));
    }
    Ok(values)
}

/// Inserts rows as they are, including ids that the database would generate.
pub(in crate::store) async fn insert_rows(
    conn: &mut Conn,
    table: &Table,
    rows: &[Vec<Value>],
) -> Result<(), StoreError> {
    let columns: Vec<&str> = table.columns().collect();
    let head = format!(
        "INSERT INTO {} ({}) {}",
        table.name,
        columns.join(", "),
        if table.counted { super::disk::COUNTED } else { "" }
    );
    for chunk in rows.chunks((BINDS / columns.len().max(1)).max(1)) {
        let mut insert = QueryBuilder::<Database>::new(&head);
        insert.push_values(chunk, |mut list, row| {
            for value in row {
                match value {
                    Value::Number(number) => list.push_bind(*number),
                    Value::Text(text) => list.push_bind(text),
                    Value::Bytes(bytes) => list.push_bind(bytes),
                };
            }
        });
        insert.build().persistent(false).execute(&mut *conn).await?;
    }
    Ok(())
}

/// Returns the key of the last row.
pub(in crate::store) async fn last(conn: &mut Conn, table: &Table) -> Result<Option<Vec<Value>>, StoreError> {
    let keys = table.key.join(", ");
    let order = table.key.iter().map(|column| format!("{column} DESC")).collect::<Vec<_>>().join(", ");
    let sql = format!("SELECT {keys} FROM {} ORDER BY {order} LIMIT 1", table.name);
    let Some(row) = sqlx::query(AssertSqlSafe(sql)).fetch_optional(conn).await? else { return Ok(None) };
    let value = |(at, column): (usize, &&str)| {
        Ok::<_, StoreError>(if table.numbers.contains(column) {
            Value::Number(row.try_get(at)?)
        } else {
            Value::Text(row.try_get(at)?)
        })
    };
    table.key.iter().enumerate().map(value).collect::<Result<Vec<_>, _>>().map(Some)
}

/// Returns the number of rows and a hash over them, the same on both databases. The mark is left out.
pub(in crate::store) async fn digest(conn: &mut Conn, table: &Table) -> Result<(u64, blake3::Hash), StoreError> {
    let (mut hasher, mut rows, mut after) = (blake3::Hasher::new(), 0, None);
    loop {
        let page = page(conn, table, after.as_deref()).await?;
        let Some(last) = page.last() else { return Ok((rows, hasher.finalize())) };
        after = Some(key_of(table, last));
        for row in &page {
            if !is_unfinished_mark(table, row) {
                rows += 1;
                hash_row(&mut hasher, row);
            }
        }
    }
}

/// Returns the key of a row.
pub(in crate::store) fn key_of(table: &Table, row: &[Value]) -> Vec<Value> {
    table.key.iter().filter_map(|column| row.get(table.column_index(column)).cloned()).collect()
}

/// Returns whether a row is the mark of an unfinished copy.
pub(in crate::store) fn is_unfinished_mark(table: &Table, row: &[Value]) -> bool {
    table.name == "store_info" && row.first() == Some(&Value::Text(Some(UNFINISHED.to_owned())))
}

/// Returns what identifies the open database, whatever its address was.
pub(in crate::store) async fn identity(conn: &mut Conn) -> Result<String, StoreError> {
    Ok(sqlx::query_scalar(super::disk::IDENTITY).fetch_one(conn).await?)
}

/// Returns the source named in the mark if this is an unfinished copy.
pub(in crate::store) async fn unfinished_mark(conn: &mut Conn) -> Result<Option<String>, StoreError> {
    Ok(sqlx::query_scalar("SELECT value FROM store_info WHERE name = $1").bind(UNFINISHED).fetch_optional(conn).await?)
}

/// Marks an empty database as an unfinished copy. Returns false if it is not empty.
pub(in crate::store) async fn mark_unfinished(conn: &mut Conn, from: &str) -> Result<bool, StoreError> {
    for table in TABLES.iter().filter(|table| !matches!(table.name, "cluster_state" | "follower")) {
        if last(conn, table).await?.is_some() {
            return Ok(false);
        }
    }
    sqlx::query("DELETE FROM cluster_state").execute(&mut *conn).await?;
    sqlx::query("DELETE FROM follower").execute(&mut *conn).await?;
    sqlx::query("INSERT INTO store_info (name, value) VALUES ($1, $2)")
        .bind(UNFINISHED)
        .bind(from)
        .execute(conn)
        .await?;
    Ok(true)
}

/// Empties all tables of an unfinished copy, except for the mark.
pub(in crate::store) async fn clear(conn: &mut Conn) -> Result<(), StoreError> {
    for table in TABLES.iter().rev() {
        let but = if table.name == "store_info" { format!(" WHERE name <> '{UNFINISHED}'") } else { String::new() };
        sqlx::query(AssertSqlSafe(format!("DELETE FROM {}{but}", table.name))).execute(&mut *conn).await?;
    }
    Ok(())
}

/// Empties the table that holds the mark, except for the mark.
pub(in crate::store) async fn clear_info(conn: &mut Conn) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM store_info WHERE name <> $1").bind(UNFINISHED).execute(conn).await?;
    Ok(())
}

/// Finishes a copy: sets the id sequences and removes the mark.
pub(in crate::store) async fn end(conn: &mut Conn) -> Result<(), StoreError> {
    for table in TABLES.iter().filter(|table| table.counted) {
        super::disk::count_on(conn, table.name).await?;
    }
    sqlx::query("DELETE FROM store_info WHERE name = $1").bind(UNFINISHED).execute(conn).await?;
    Ok(())
}
