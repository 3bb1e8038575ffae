//! Reads the keys of one section: from the section's own table, then `[defaults]`, then the key's default.

use std::collections::BTreeSet;

use toml::de::DeValue;

use crate::config::keys::{Key, Section, Shape, of};
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::mistake::Mistakes;
use crate::config::values::scalars::{integer, one_of};
use crate::config::values::value::{ConfigValue, Origin, Table, Value};

/// Returns the name of a TOML value's type for messages.
pub(in crate::config) fn kind(value: &DeValue<'_>) -> &'static str {
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

/// Returns the name of a shape for messages, and what to write, for the hint: the number that was written in quotes, or
/// an example.
pub(in crate::config) fn expected(shape: Shape, found: &DeValue<'_>) -> (&'static str, String) {
    let number = match (shape, found) {
        (Shape::Integer(least, most), DeValue::String(text)) => {
            let given = text.trim().trim_end_matches('%').trim_end().parse::<i64>().ok();
            Some(given.filter(|given| (least..=most).contains(given)).unwrap_or(3_i64.clamp(least, most)))
        }
        (Shape::Integer(least, most), _) => Some(3_i64.clamp(least, most)),
        _ => None,
    };
    let (wanted, example) = match shape {
        Shape::Text | Shape::OneOf(_) => ("a string", "\"…\""),
        Shape::Duration => ("a duration string", "\"90s\", \"5m\", \"12h\" or \"7d\""),
        Shape::Kept => ("a duration string or \"forever\"", "\"400d\" or \"forever\""),
        Shape::Rate => ("a rate string", "\"60/min\""),
        Shape::Bytes => ("a number of bytes", "15000000 or \"15MB\""),
        Shape::Integer(..) => ("an integer", "3"),
        Shape::Dollars => ("a number of dollars", "0.004"),
        Shape::Budget => ("a number of dollars", "2.50"),
        Shape::Flag => ("true or false", "true"),
        Shape::Texts | Shape::SomeOf(_) | Shape::Named(_) => ("a list of strings", "[\"…\", \"…\"]"),
        Shape::OneOrSomeOf(_) => ("a string or a list of strings", "\"…\" or [\"…\", \"…\"]"),
    };
    (wanted, number.map_or_else(|| example.to_owned(), |number| number.to_string()))
}

/// Whether a value has the TOML type of a shape.
pub(in crate::config) fn fits(shape: Shape, value: &DeValue<'_>) -> bool {
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
        Shape::Texts | Shape::SomeOf(_) | Shape::Named(_) => {
            matches!(value, DeValue::Array(list) if list.iter().all(|e| matches!(e.get_ref(), DeValue::String(_))))
        }
    }
}

/// Reads keys of one section: its own table first, then the table of `[defaults]`, then the default of the key.
pub(in crate::config) struct Reader<'r> {
    pub(in crate::config) section: Section,
    /// Nearest table first.
    pub(in crate::config) tables: &'r [&'r Table],
}

impl Reader<'_> {
    /// Returns the written value of a key, or its default. A key that was misspelt or has a wrong type, which was
    /// reported, has neither: messages about its default would be false.
    pub(in crate::config) fn value_or_default(&self, name: &str) -> Option<ConfigValue> {
        if let Some(table) = self.tables.iter().find(|table| table.was_written(name)) {
            return table.values.get(name).cloned();
        }
        let default = key(self.section, name)?.default?;
        Some(ConfigValue { value: Value::of_default(default)?, origin: Origin::Default })
    }

    /// Returns the written value of a key, without the default.
    pub(in crate::config) fn written(&self, name: &str) -> Option<&ConfigValue> {
        self.tables.iter().find_map(|table| table.values.get(name))
    }

    /// Whether a key was written, even wrongly.
    pub(in crate::config) fn was_written(&self, name: &str) -> bool {
        self.tables.iter().any(|table| table.was_written(name))
    }

    /// Reads a key. Returns `None` if it has no value, or a wrong one, which is reported.
    pub(in crate::config) fn read<T>(
        &self,
        mistakes: &mut Mistakes<'_>,
        name: &str,
        parse: impl FnOnce(&Value) -> Result<T, Fault>,
    ) -> Option<T> {
        let setting = self.value_or_default(name)?;
        match parse(&setting.value) {
            Ok(value) => Some(value),
            Err(fault) => {
                mistakes.fault(name, &setting.origin, fault);
                None
            }
        }
    }
}

impl Reader<'_> {
    /// Reads a whole number within the bounds of the key.
    pub(in crate::config) fn count(&self, mistakes: &mut Mistakes<'_>, name: &str) -> Option<u32> {
        let Shape::Integer(least, most) = key(self.section, name)?.shape else { return None };
        self.read(mistakes, name, |value| integer(value, least, most)).and_then(|number| u32::try_from(number).ok())
    }

    /// Reads one word of the key's closed list.
    pub(in crate::config) fn choice<T>(
        &self,
        mistakes: &mut Mistakes<'_>,
        name: &str,
        parse: fn(&str) -> Option<T>,
    ) -> Option<T> {
        let Shape::OneOf(choices) = key(self.section, name)?.shape else { return None };
        self.read(mistakes, name, |value| one_of(value, parse, &choices()))
    }
}

impl Reader<'_> {
    /// Reports a value that another table of the same section has too.
    pub(in crate::config) fn check_unique(
        &self,
        mistakes: &mut Mistakes<'_>,
        key: &str,
        seen: &mut BTreeSet<String>,
        value: String,
        one: &str,
        hint: &str,
    ) {
        if seen.contains(&value) {
            // A default may contain the name.
            if let Some(setting) = self.value_or_default(key).or_else(|| self.value_or_default("name")) {
                mistakes.fault(
                    key,
                    &setting.origin,
                    Fault::new(format!("is already used by another {one}: {value:?}"), hint),
                );
            }
        } else {
            seen.insert(value);
        }
    }
}

/// Finds a key in the table of keys.
pub(in crate::config) fn key(section: Section, name: &str) -> Option<&'static Key> {
    of(section).find(|key| key.name == name)
}
