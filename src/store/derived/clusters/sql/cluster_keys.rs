//! Which near-copy keys an item added, so that they are deleted with it. Lookups by key, and moving keys between
//! tables, are in `clusters`.

use std::collections::BTreeSet;

use sqlx::AssertSqlSafe;

use super::Conn;
use super::resolve::{fetch_json, to_json};
use crate::store::StoreError;

/// The tables of keys, the youngest first.
pub(in crate::store) const AGES: [&str; 3] = ["cluster_lead_young", "cluster_lead_middle", "cluster_lead"];

/// Encodes keys as they are stored: eight big-endian bytes each.
pub(in crate::store) fn encode_keys(keys: &[i64]) -> Vec<u8> {
    keys.iter().flat_map(|key| key.to_be_bytes()).collect()
}

/// Decodes hexadecimal digits; stops at the first pair that is none.
pub(in crate::store) fn decode_hex(digits: &str) -> Vec<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let (pairs, _) = digits.as_bytes().as_chunks::<2>();
    pairs.iter().map_while(|[high, low]| Some(value(*high)? << 4 | value(*low)?)).collect()
}

fn decode_keys(digits: &str) -> Vec<i64> {
    let bytes = decode_hex(digits);
    let (keys, _) = bytes.as_chunks::<8>();
    keys.iter().map(|key| i64::from_be_bytes(*key)).collect()
}

/// Deletes the keys that lead to these items, and the keys that they added to other clusters. A key that leads nowhere
/// would collect copies into a cluster that does not exist. Call this before their copies are marked for another
/// comparison.
pub(in crate::store) async fn forget(conn: &mut Conn, ids: &str) -> Result<(), StoreError> {
    let given = super::numbers(1);
    let own = format!("SELECT {} FROM {given} CROSS JOIN cluster_head h WHERE h.item = given.value", keys_of("h.keys"));
    let of_copies = format!(
        "SELECT {} FROM {given} CROSS JOIN cluster_head h CROSS JOIN item i \
         WHERE h.item = given.value AND i.cluster = given.value AND i.cluster <> i.id AND i.fingerprint IS NOT NULL",
        keys_of("i.fingerprint")
    );
    delete_found(conn, [own, of_copies], ids).await?;
    forget_own(conn, ids).await
}

/// Deletes the keys that these items, as reworded copies, added to their clusters.
pub(in crate::store) async fn forget_own(conn: &mut Conn, ids: &str) -> Result<(), StoreError> {
    let brought = format!(
        "SELECT {} FROM {} CROSS JOIN item i CROSS JOIN cluster_head h \
         WHERE i.id = given.value AND i.fingerprint IS NOT NULL AND h.item = i.cluster",
        keys_of("i.fingerprint"),
        super::numbers(1)
    );
    delete_found(conn, [brought], ids).await
}

fn keys_of(column: &str) -> String {
    super::rows_in_one(&format!("h.place, {}", super::digits(column)))
}

/// Deletes the keys that these queries return, at the places that they return.
async fn delete_found(conn: &mut Conn, found: impl IntoIterator<Item = String>, ids: &str) -> Result<(), StoreError> {
    let (mut keys, mut places) = (BTreeSet::new(), BTreeSet::new());
    for sql in found {
        for (place, digits) in fetch_json::<(i64, String)>(conn, sql, [ids.to_owned()]).await? {
            places.insert(place);
            keys.extend(decode_keys(&digits));
        }
    }
    if keys.is_empty() {
        return Ok(());
    }
    let (keys, places) = (to_json(&keys)?, to_json(&places)?);
    for table in AGES {
        // `+ 0` forces a lookup by key alone: with an index on both columns, each key would be looked up with each
        // place.
        let sql = format!(
            "DELETE FROM {table} WHERE key IN (SELECT given.value FROM {}) AND place + 0 IN (SELECT given.value FROM {})",
            super::numbers(1),
            super::numbers(2)
        );
        sqlx::query(AssertSqlSafe(sql)).bind(&keys).bind(&places).execute(&mut *conn).await?;
    }
    Ok(())
}
