//! Values copied from one database to the other.

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) enum Value {
    Number(Option<i64>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
}

/// Adds a row to a hash, encoded so that different rows never hash the same input.
pub(in crate::store) fn hash_row(hasher: &mut blake3::Hasher, row: &[Value]) {
    for value in row {
        match value {
            Value::Number(Some(number)) => {
                hasher.update(b"i").update(number.to_string().as_bytes()).update(b";");
            }
            Value::Text(Some(text)) => {
                hasher.update(b"t").update(text.len().to_string().as_bytes()).update(b":").update(text.as_bytes());
            }
            Value::Bytes(Some(bytes)) => {
                hasher.update(b"b").update(bytes.len().to_string().as_bytes()).update(b":").update(bytes);
            }
            Value::Number(None) | Value::Text(None) | Value::Bytes(None) => {
                hasher.update(b"n");
            }
        }
    }
    hasher.update(b"\n");
}
