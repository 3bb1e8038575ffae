//! The keys of near-copies from the other side: which ones an item brought, so that they go with it. What keys lead to, and
//! how they move from table to table, is in `clusters`.

use std::collections::BTreeSet;

use sqlx::AssertSqlSafe;

use super::Conn;
use super::resolve::{in_one, list};
use crate::store::StoreError;

/// Where keys are kept, the youngest first.
pub(in crate::store) const AGES: [&str; 3] = ["cluster_lead_young", "cluster_lead_middle", "cluster_lead"];

/// Keys as they stand in a row: eight bytes each.
pub(in crate::store) fn packed(keys: &[i64]) -> Vec<u8> {
    keys.iter().flat_map(|key| key.to_be_bytes()).collect()
}

/// What hexadecimal digits stand for; of anything else nothing.
pub(in crate::store) fn bytes(digits: &str) -> Vec<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let (pairs, _) = digits.as_bytes().as_chunks::<2>();
    pairs.iter().map_while(|[high, low]| Some(value(*high)? << 4 | value(*low)?)).collect()
}

fn unpacked(digits: &str) -> Vec<i64> {
    let bytes = bytes(digits);
    let (keys, _) = bytes.as_chunks::<8>();
    keys.iter().map(|key| i64::from_be_bytes(*key)).collect()
}

/// Takes away the keys that lead to these items, and those that they brought to other clusters: what leads nowhere would
/// take copies in that no cluster has. Before their copies are told to look again.
pub(in crate::store) async fn forget(conn: &mut Conn, ids: &str) -> Result<(), StoreError> {
    let given = super::numbers(1);
    let own = format!("SELECT {} FROM {given} CROSS JOIN cluster_head h WHERE h.item = given.value", keys_of("h.keys"));
    let of_copies = format!(
        "SELECT {} FROM {given} CROSS JOIN cluster_head h CROSS JOIN item i \
         WHERE h.item = given.value AND i.cluster = given.value AND i.cluster <> i.id AND i.fingerprint IS NOT NULL",
        keys_of("i.fingerprint")
    );
    take_away(conn, [own, of_copies], ids).await?;
    forget_own(conn, ids).await
}

/// Takes away the keys that these items, as copies in words of their own, brought to their clusters.
pub(in crate::store) async fn forget_own(conn: &mut Conn, ids: &str) -> Result<(), StoreError> {
    let brought = format!(
        "SELECT {} FROM {} CROSS JOIN item i CROSS JOIN cluster_head h \
         WHERE i.id = given.value AND i.fingerprint IS NOT NULL AND h.item = i.cluster",
        keys_of("i.fingerprint"),
        super::numbers(1)
    );
    take_away(conn, [brought], ids).await
}

fn keys_of(column: &str) -> String {
    super::rows_in_one(&format!("h.place, {}", super::digits(column)))
}

/// Takes away what these selections found: each key from the places that were found.
async fn take_away(conn: &mut Conn, found: impl IntoIterator<Item = String>, ids: &str) -> Result<(), StoreError> {
    let (mut keys, mut places) = (BTreeSet::new(), BTreeSet::new());
    for sql in found {
        for (place, digits) in in_one::<(i64, String)>(conn, sql, [ids.to_owned()]).await? {
            places.insert(place);
            keys.extend(unpacked(&digits));
        }
    }
    if keys.is_empty() {
        return Ok(());
    }
    let (keys, places) = (list(&keys)?, list(&places)?);
    for table in AGES {
        // By key alone (`+ 0`): with an index of both, each key would be looked up with each of many places.
        let sql = format!(
            "DELETE FROM {table} WHERE key IN (SELECT given.value FROM {}) AND place + 0 IN (SELECT given.value FROM {})",
            super::numbers(1),
            super::numbers(2)
        );
        sqlx::query(AssertSqlSafe(sql)).bind(&keys).bind(&places).execute(&mut *conn).await?;
    }
    Ok(())
}
