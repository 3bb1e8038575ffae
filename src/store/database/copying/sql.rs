//! Tables read and written as a whole, page by page in the order of their keys: what moves a database to the other kind.
//! What is in a table, and in which order tables come, is `tables`'.

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::{Conn, Database, Row};
use crate::store::StoreError;
use crate::store::database::copying::cells::{Value, feed};
use crate::store::database::copying::tables::{TABLES, Table, UNFINISHED};

/// Values that one statement binds at most.
const BINDS: usize = 30_000;

/// Whether one of these runs is here, and ended when it is said to have ended.
pub(in crate::store) async fn knows_any(conn: &mut Conn, ended: &[(String, i64)]) -> Result<bool, StoreError> {
    for (id, at) in ended {
        let found = sqlx::query("SELECT 1 FROM run WHERE public_id = $1 AND finished_at = $2").bind(id).bind(at);
        if found.fetch_optional(&mut *conn).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Rows after a key, in the order of the key.
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

/// Writes rows as they are, numbers that the database would count by itself included.
pub(in crate::store) async fn put(conn: &mut Conn, table: &Table, rows: &[Vec<Value>]) -> Result<(), StoreError> {
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

/// The key of the last row there is.
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

/// How many rows there are, and a hash of all that they hold, the same on both databases. The mark is not counted.
pub(in crate::store) async fn digest(conn: &mut Conn, table: &Table) -> Result<(u64, blake3::Hash), StoreError> {
    let (mut hasher, mut rows, mut after) = (blake3::Hasher::new(), 0, None);
    loop {
        let page = page(conn, table, after.as_deref()).await?;
        let Some(last) = page.last() else { return Ok((rows, hasher.finalize())) };
        after = Some(key_of(table, last));
        for row in &page {
            if !is_mark(table, row) {
                rows += 1;
                feed(&mut hasher, row);
            }
        }
    }
}

/// The key of a row.
pub(in crate::store) fn key_of(table: &Table, row: &[Value]) -> Vec<Value> {
    table.key.iter().filter_map(|column| row.get(table.place(column)).cloned()).collect()
}

/// Whether a row is the mark of a database that is not whole.
pub(in crate::store) fn is_mark(table: &Table, row: &[Value]) -> bool {
    table.name == "store_info" && row.first() == Some(&Value::Text(Some(UNFINISHED.to_owned())))
}

/// Whether a database is being filled, and with what.
pub(in crate::store) async fn mark(conn: &mut Conn) -> Result<Option<String>, StoreError> {
    Ok(sqlx::query_scalar("SELECT value FROM store_info WHERE name = $1").bind(UNFINISHED).fetch_optional(conn).await?)
}

/// Marks an empty database as not whole; false when it is not empty.
pub(in crate::store) async fn begin(conn: &mut Conn, from: &str) -> Result<bool, StoreError> {
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

/// Empties a database that is not whole, but for the mark.
pub(in crate::store) async fn clear(conn: &mut Conn) -> Result<(), StoreError> {
    for table in TABLES.iter().rev() {
        let but = if table.name == "store_info" { format!(" WHERE name <> '{UNFINISHED}'") } else { String::new() };
        sqlx::query(AssertSqlSafe(format!("DELETE FROM {}{but}", table.name))).execute(&mut *conn).await?;
    }
    Ok(())
}

/// Empties what the mark stands in, but for it.
pub(in crate::store) async fn clear_info(conn: &mut Conn) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM store_info WHERE name <> $1").bind(UNFINISHED).execute(conn).await?;
    Ok(())
}

/// Says that a database is whole: it counts on from what it holds, and the mark goes.
pub(in crate::store) async fn end(conn: &mut Conn) -> Result<(), StoreError> {
    for table in TABLES.iter().filter(|table| table.counted) {
        super::disk::count_on(conn, table.name).await?;
    }
    sqlx::query("DELETE FROM store_info WHERE name = $1").bind(UNFINISHED).execute(conn).await?;
    Ok(())
}
