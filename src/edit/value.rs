//! Values of keys: as they are given, and as they are written.

use toml_edit::Value;

/// What a key is given as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    Text(String),
    Texts(Vec<String>),
    Number(i64),
    Flag(bool),
    /// Something that is only shown, and left as it is.
    Other,
}

impl Given {
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

    /// As TOML, on one line.
    pub(super) fn written(&self) -> String {
        match self {
            Self::Text(text) => quoted(text),
            Self::Texts(texts) => format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ")),
            Self::Number(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Other => quoted(""),
        }
    }
}

/// A basic string of TOML on one line. What cannot be seen is escaped, so that the file shows what it says.
fn quoted(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for c in text.chars() {
        match c {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            c if is_unseen(c) => written.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => written.push(c),
        }
    }
    written.push('"');
    written
}

/// Control characters, and those that change the direction or the line.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{061C}' | '\u{FEFF}')
}
