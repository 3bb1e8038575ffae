//! Values as given by the command line, the environment, the file or the table of defaults. A value remembers its
//! origin, so that a fault found later is reported where the value was written.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::de::DeValue;

use crate::config::mistakes::fault::Fault;
use crate::model::Source;

/// A value that is not interpreted yet.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::config) enum Value {
    /// A string; values from the environment are always strings.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
    /// A list; each element knows its place.
    List(Vec<(Value, Range<usize>)>),
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::config) enum Origin {
    /// A command-line option.
    Flag(&'static str),
    /// An environment variable.
    Variable(String),
    File {
        key: Range<usize>,
        value: Range<usize>,
    },
    Default,
}

impl Origin {
    /// Returns the place of the value, if it is in the file.
    pub(in crate::config) fn span(&self) -> Option<&Range<usize>> {
        match self {
            Self::File { value, .. } => Some(value),
            _ => None,
        }
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "flag {name}"),
            Self::Variable(name) => write!(f, "environment {name}"),
            Self::File { .. } => f.write_str("file"),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A value and its origin.
#[derive(Debug, Clone)]
pub(in crate::config) struct ConfigValue {
    pub(in crate::config) value: Value,
    /// Where it came from.
    pub(in crate::config) origin: Origin,
}

/// The written values of one section, by key name.
#[derive(Debug, Clone, Default)]
pub(in crate::config) struct Table {
    /// Place of the section's header, if it is in the file.
    pub(in crate::config) header: Option<Range<usize>>,
    /// Known keys only.
    pub(in crate::config) values: BTreeMap<&'static str, ConfigValue>,
    /// The keys under a provider's name (`hn.query`).
    pub(in crate::config) asks: BTreeMap<Source, BTreeMap<&'static str, ConfigValue>>,
    /// Keys that were written with a wrong type, or misspelt. They are not reported as missing too.
    pub(in crate::config) attempted: Vec<&'static str>,
    /// The same for keys under a provider's name.
    pub(in crate::config) attempted_asks: Vec<(Source, &'static str)>,
}

impl Table {
    /// Whether a key was written, even wrongly.
    pub(in crate::config) fn was_written(&self, name: &str) -> bool {
        self.values.contains_key(name) || self.attempted.contains(&name)
    }

    /// Returns the place of a key in the file.
    pub(in crate::config) fn key_span(&self, name: &str) -> Option<&Range<usize>> {
        match &self.values.get(name)?.origin {
            Origin::File { key, .. } => Some(key),
            _ => None,
        }
    }
}

impl Value {
    /// Converts a parsed value; `None` for tables and dates, which no key takes.
    pub(in crate::config) fn of(value: &DeValue<'_>) -> Option<Result<Self, Fault>> {
        Some(Ok(match value {
            DeValue::String(text) => Self::Text(text.to_string()),
            DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
                Ok(number) => Self::Integer(number),
                Err(_) => return Some(Err(Fault::new("is too large", "write a smaller number"))),
            },
            DeValue::Float(float) => Self::Number(float.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(flag) => Self::Flag(*flag),
            DeValue::Array(array) => {
                let mut list = Vec::with_capacity(array.len());
                for element in array.iter() {
                    match Self::of(element.get_ref())? {
                        Ok(value) => list.push((value, element.span())),
                        Err(fault) => return Some(Err(Fault { at: Some(element.span()), ..fault })),
                    }
                }
                Self::List(list)
            }
            DeValue::Table(_) | DeValue::Datetime(_) => return None,
        }))
    }

    /// Parses a default of the table of keys.
    pub(in crate::config) fn of_default(toml: &str) -> Option<Self> {
        Self::of(DeValue::parse(toml).ok()?.get_ref())?.ok()
    }

    /// Formats the value as TOML.
    pub(in crate::config) fn to_toml(&self) -> String {
        match self {
            Self::Text(text) => toml::Value::String(text.clone()).to_string(),
            Self::Integer(number) => number.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::List(list) => {
                format!("[{}]", list.iter().map(|(value, _)| value.to_toml()).collect::<Vec<_>>().join(", "))
            }
        }
    }
}
