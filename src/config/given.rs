//! Values as they were given, whoever gave them: the command line, the environment, the file, or the table of defaults.
//! A value remembers its origin, so that a fault found later is reported where it was written.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use toml::de::DeValue;

use super::keys::{Key, Section, Shape, of};
use super::mistake::{Fault, Mistakes};
use super::scalars::{integer, one_of};

/// A value before its meaning is known.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// A string; whatever comes from the environment is one.
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

/// Who gave a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// A command-line option.
    Flag(&'static str),
    /// An environment variable.
    Variable(String),
    /// The file.
    File {
        /// The key.
        key: Range<usize>,
        /// The value.
        value: Range<usize>,
    },
    /// Nobody.
    Default,
}

impl Origin {
    /// Where the value is, when it is in the file.
    pub(super) fn span(&self) -> Option<&Range<usize>> {
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

/// A value and who gave it.
#[derive(Debug, Clone)]
pub(super) struct Given {
    /// The value.
    pub(super) value: Value,
    /// Who gave it.
    pub(super) origin: Origin,
}

/// What was given for one section, by key name.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    /// Where the section's header is, when it is in the file.
    pub(super) header: Option<Range<usize>>,
    /// Known keys only.
    pub(super) given: BTreeMap<&'static str, Given>,
    /// Keys that somebody tried to write: of the wrong type, or misspelt. They are not missing as well.
    pub(super) attempted: Vec<&'static str>,
}

impl Table {
    /// Whether a key was written, however wrongly.
    pub(super) fn mentions(&self, name: &str) -> bool {
        self.given.contains_key(name) || self.attempted.contains(&name)
    }

    /// The place of a key in the file.
    pub(super) fn key_span(&self, name: &str) -> Option<&Range<usize>> {
        match &self.given.get(name)?.origin {
            Origin::File { key, .. } => Some(key),
            _ => None,
        }
    }
}

impl Value {
    /// From a parsed value; `None` for tables and dates, which no key takes.
    pub(super) fn of(value: &DeValue<'_>) -> Option<Result<Self, Fault>> {
        Some(Ok(match value {
            DeValue::String(text) => Self::Text(text.to_string()),
            DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
                Ok(number) => Self::Integer(number),
                Err(_) => return Some(Err(Fault::new("is a number too large to be meant", "write a smaller one"))),
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

    /// From the default column of the table of keys.
    pub(super) fn of_default(toml: &str) -> Option<Self> {
        Self::of(DeValue::parse(toml).ok()?.get_ref())?.ok()
    }

    /// As TOML would write it.
    pub(super) fn to_toml(&self) -> String {
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

/// What a TOML value is called in messages.
pub(super) fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// What a shape is called in messages, with an example for the hint.
pub(super) fn expected(shape: Shape) -> (&'static str, &'static str) {
    match shape {
        Shape::Text | Shape::OneOf(_) => ("a string", "\"…\""),
        Shape::Duration => ("a duration string", "\"90s\", \"5m\", \"12h\" or \"7d\""),
        Shape::Kept => ("a duration string or \"forever\"", "\"400d\" or \"forever\""),
        Shape::Rate => ("a rate string", "\"60/min\""),
        Shape::Bytes => ("a number of bytes", "15000000 or \"15MB\""),
        Shape::Integer(..) => ("an integer", "3"),
        Shape::Dollars => ("a number of dollars", "0.004"),
        Shape::Budget => ("a number of dollars", "2.50"),
        Shape::Flag => ("true or false", "true"),
        Shape::Texts | Shape::SomeOf(_) => ("a list of strings", "[\"…\", \"…\"]"),
        Shape::OneOrSomeOf(_) => ("a string or a list of strings", "\"…\" or [\"…\", \"…\"]"),
    }
}

/// Whether a value has the outward type of a shape.
pub(super) fn fits(shape: Shape, value: &DeValue<'_>) -> bool {
    match shape {
        Shape::Text | Shape::OneOf(_) | Shape::Duration | Shape::Kept | Shape::Rate => {
            matches!(value, DeValue::String(_))
        }
        Shape::Bytes => matches!(value, DeValue::String(_) | DeValue::Integer(_)),
        Shape::Integer(..) => matches!(value, DeValue::Integer(_)),
        Shape::Dollars => matches!(value, DeValue::Integer(_) | DeValue::Float(_)),
        Shape::Budget => matches!(value, DeValue::Integer(_) | DeValue::Float(_) | DeValue::String(_)),
        Shape::Flag => matches!(value, DeValue::Boolean(_)),
        Shape::OneOrSomeOf(choices) => matches!(value, DeValue::String(_)) || fits(Shape::SomeOf(choices), value),
        Shape::Texts | Shape::SomeOf(_) => {
            matches!(value, DeValue::Array(list) if list.iter().all(|e| matches!(e.get_ref(), DeValue::String(_))))
        }
    }
}

/// Reads keys of one section: its own table first, then the table of `[defaults]`, then the default of the key.
pub(super) struct Reader<'r> {
    /// Which keys.
    pub(super) section: Section,
    /// Nearest first.
    pub(super) tables: &'r [&'r Table],
}

impl Reader<'_> {
    /// What was given for a key, or its default.
    pub(super) fn look(&self, name: &str) -> Option<Given> {
        if let Some(given) = self.written(name) {
            return Some(given.clone());
        }
        let default = key(self.section, name)?.default?;
        Some(Given { value: Value::of_default(default)?, origin: Origin::Default })
    }

    /// What was given for a key, default aside.
    pub(super) fn written(&self, name: &str) -> Option<&Given> {
        self.tables.iter().find_map(|table| table.given.get(name))
    }

    /// Reads a key; `None` when it has no value, or one with a fault, which is then reported.
    pub(super) fn read<T>(
        &self,
        mistakes: &mut Mistakes<'_>,
        name: &str,
        parse: impl FnOnce(&Value) -> Result<T, Fault>,
    ) -> Option<T> {
        let given = self.look(name)?;
        match parse(&given.value) {
            Ok(value) => Some(value),
            Err(fault) => {
                mistakes.fault(name, &given.origin, fault);
                None
            }
        }
    }
}

impl Reader<'_> {
    /// Reads a whole number within the bounds of the table of keys.
    pub(super) fn count(&self, mistakes: &mut Mistakes<'_>, name: &str) -> Option<u32> {
        let Shape::Integer(least, most) = key(self.section, name)?.shape else { return None };
        self.read(mistakes, name, |value| integer(value, least, most)).and_then(|number| u32::try_from(number).ok())
    }

    /// Reads one word of the closed list of the table of keys.
    pub(super) fn choice<T>(&self, mistakes: &mut Mistakes<'_>, name: &str, parse: fn(&str) -> Option<T>) -> Option<T> {
        let Shape::OneOf(choices) = key(self.section, name)?.shape else { return None };
        self.read(mistakes, name, |value| one_of(value, parse, &choices()))
    }
}

impl Reader<'_> {
    /// Reports a value that another of the same section has, too.
    pub(super) fn once(
        &self,
        mistakes: &mut Mistakes<'_>,
        key: &str,
        seen: &mut BTreeSet<String>,
        value: String,
        one: &str,
        hint: &str,
    ) {
        if seen.contains(&value) {
            if let Some(given) = self.look(key) {
                mistakes.fault(key, &given.origin, Fault::new(format!("is that of another {one}: {value:?}"), hint));
            }
        } else {
            seen.insert(value);
        }
    }
}

/// The entry of a key in the table of keys.
pub(super) fn key(section: Section, name: &str) -> Option<&'static Key> {
    of(section).find(|key| key.name == name)
}
