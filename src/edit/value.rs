//! Values of keys: parsing and formatting.

use toml_edit::Value;

use crate::model::{is_invisible, is_joiner};

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyValue {
    Text(String),
    Texts(Vec<String>),
    Number(i64),
    Flag(bool),
    /// Any other value: only shown, never changed.
    Other,
}

impl KeyValue {
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text.value().clone()),
            Value::Integer(number) => Self::Number(*number.value()),
            Value::Boolean(flag) => Self::Flag(*flag.value()),
            Value::Array(list) => {
                let texts: Option<Vec<String>> = list.iter().map(|one| one.as_str().map(str::to_owned)).collect();
                texts.map_or(Self::Other, Self::Texts)
            }
            _ => Self::Other,
        }
    }

    /// Formats the value as TOML on one line.
    pub(super) fn to_toml(&self) -> String {
        match self {
            Self::Text(text) => basic_string(text),
            Self::Texts(texts) => {
                format!("[{}]", texts.iter().map(|text| basic_string(text)).collect::<Vec<_>>().join(", "))
            }
            Self::Number(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Other => basic_string(""),
        }
    }
}

/// Formats a TOML basic string (<https://toml.io/en/v1.0.0#string>) on one line. Invisible characters are escaped, so
/// that the file shows its contents.
#[must_use]
pub fn basic_string(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for c in text.chars() {
        match c {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            c if is_invisible(c) || is_joiner(c) => match u32::from(c) {
                code @ ..=0xFFFF => written.push_str(&format!("\\u{code:04X}")),
                code => written.push_str(&format!("\\U{code:08X}")),
            },
            c => written.push(c),
        }
    }
    written.push('"');
    written
}
