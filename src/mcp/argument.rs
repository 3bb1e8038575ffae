//! The arguments of a tool and their limits: as JSON Schema for clients, and as the check of a call.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::error::ToolError;
use crate::model::{Source, Time, excerpt};
use crate::schedule::{INSTANTS, parse_instant};

/// What an argument accepts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// A text of at most this many characters.
    Text(usize),
    /// At most this many texts, each of at most this many characters.
    Texts(usize, usize),
    /// The name of a source.
    Source,
    /// A word of a closed list.
    Word(&'static [&'static str]),
    /// A whole number: minimum, maximum and default.
    Number(u32, u32, u32),
    /// An instant as [`parse_instant`] reads it.
    Instant,
}

#[derive(Debug)]
pub(super) struct Argument {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Whether it must be given.
    pub(super) needed: bool,
    /// What it means, in a sentence.
    pub(super) meaning: &'static str,
}

impl Argument {
    pub(super) const fn new(name: &'static str, kind: Kind, meaning: &'static str) -> Self {
        Self { name, kind, needed: false, meaning }
    }

    pub(super) const fn needed(self) -> Self {
        Self { needed: true, ..self }
    }

    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text(most) => json!({ "type": "string", "minLength": 1, "maxLength": most }),
            Kind::Texts(many, most) => json!({
                "type": "array", "minItems": 1, "maxItems": many,
                "items": { "type": "string", "minLength": 1, "maxLength": most },
            }),
            Kind::Source => json!({ "type": "string", "minLength": 1, "maxLength": 64 }),
            Kind::Word(words) => json!({ "type": "string", "enum": words }),
            Kind::Number(least, most, otherwise) => {
                json!({ "type": "integer", "minimum": least, "maximum": most, "default": otherwise })
            }
            Kind::Instant => json!({ "type": "string", "minLength": 1, "maxLength": LONGEST_INSTANT }),
        };
        if let Some(fields) = schema.as_object_mut() {
            fields.insert("description".to_owned(), json!(self.meaning));
        }
        schema
    }

    /// Checks whether a value is acceptable.
    fn check(&self, value: &Value, now: Time) -> Result<(), ToolError> {
        let text = |value: &Value, most: usize| {
            let is_valid = |text: &str| {
                // Stored text never contains NUL, and PostgreSQL accepts none.
                !text.trim().is_empty() && text.chars().count() <= most && !text.contains('\0')
            };
            value.as_str().is_some_and(is_valid)
        };
        let (is_valid, hint) = match self.kind {
            Kind::Text(most) => (text(value, most), format!("give a string of 1 to {most} characters")),
            Kind::Texts(many, most) => {
                let all =
                    |list: &Vec<Value>| (1..=many).contains(&list.len()) && list.iter().all(|one| text(one, most));
                (
                    value.as_array().is_some_and(all),
                    format!("give a list of 1 to {many} strings of 1 to {most} characters, such as [\"acme\"]"),
                )
            }
            Kind::Source => {
                let named = value.as_str().is_some_and(|name| Source::parse(name).is_some());
                (named, "give social, web, ai, or the name of a provider".to_owned())
            }
            Kind::Word(words) => {
                (value.as_str().is_some_and(|word| words.contains(&word)), format!("give one of: {}", words.join(", ")))
            }
            Kind::Number(least, most, otherwise) => {
                let range = u64::from(least)..=u64::from(most);
                let is_valid = whole_number(value).is_some_and(|number| range.contains(&number));
                (is_valid, format!("give a whole number from {least} to {most}, such as {otherwise}"))
            }
            Kind::Instant => {
                let named = |text: &str| parse_instant(text, now).is_some();
                (text(value, LONGEST_INSTANT) && value.as_str().is_some_and(named), INSTANTS.to_owned())
            }
        };
        // Where another type is wanted, quotation marks show that it is a string.
        let shown_value = || match (value.as_str(), self.kind) {
            (Some(text), Kind::Text(_) | Kind::Source | Kind::Word(_) | Kind::Instant) => excerpt(text),
            _ => excerpt(&value.to_string()),
        };
        if is_valid {
            Ok(())
        } else {
            Err(ToolError::new(format!("`{}` cannot be `{}`", self.name, shown_value()), hint))
        }
    }
}

const LONGEST_INSTANT: usize = 40;

/// A whole number. JSON Schema counts `2.0` as an integer, and so do clients.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is whole and within bounds")]
fn whole_number(value: &Value) -> Option<u64> {
    let fraction =
        || value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number));
    value.as_u64().or_else(|| Some(fraction()? as u64))
}

/// The schema of all arguments of a tool.
pub(super) fn schema(arguments: &[Argument]) -> Map<String, Value> {
    let properties: Map<String, Value> = arguments.iter().map(|one| (one.name.to_owned(), one.schema())).collect();
    let required: Vec<&str> = arguments.iter().filter(|one| one.needed).map(|one| one.name).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), json!(required));
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

/// The given arguments, checked.
#[derive(Debug)]
pub(super) struct Arguments {
    arguments: &'static [Argument],
    values: BTreeMap<&'static str, Value>,
}

impl Arguments {
    pub(super) fn of(
        arguments: &'static [Argument],
        given_values: Map<String, Value>,
        now: Time,
    ) -> Result<Self, ToolError> {
        let mut values = BTreeMap::new();
        for (name, value) in given_values {
            let Some(argument) = arguments.iter().find(|known| known.name == name) else {
                let known: Vec<&str> = arguments.iter().map(|known| known.name).collect();
                let hint = format!("known arguments: {}", known.join(", "));
                return Err(ToolError::new(format!("there is no argument `{}`", excerpt(&name)), hint));
            };
            // Some clients send null for arguments that they leave out.
            if value.is_null() {
                continue;
            }
            argument.check(&value, now)?;
            values.insert(argument.name, value);
        }
        match arguments.iter().find(|one| one.needed && !values.contains_key(one.name)) {
            Some(missing) => Err(ToolError::new(format!("`{}` is missing", missing.name), missing.meaning)),
            None => Ok(Self { arguments, values }),
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.as_str().map(str::trim)
    }

    /// An argument that must be given.
    pub(super) fn required(&self, name: &str) -> &str {
        self.text(name).unwrap_or("")
    }

    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let list = self.values.get(name).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|one| Some(one.as_str()?.trim().to_owned())).collect()
    }

    pub(super) fn number(&self, name: &str) -> u32 {
        let otherwise = self.arguments.iter().find_map(|argument| match argument.kind {
            Kind::Number(_, _, otherwise) if argument.name == name => Some(otherwise),
            _ => None,
        });
        let value = self.values.get(name).and_then(whole_number).and_then(|number| u32::try_from(number).ok());
        value.or(otherwise).unwrap_or(1)
    }

    pub(super) fn instant(&self, name: &str, now: Time) -> Option<Time> {
        self.text(name).and_then(|text| parse_instant(text, now))
    }

    /// All arguments that determine which rows are listed, and in which order.
    pub(super) fn scope(&self) -> Value {
        let parts = self.values.iter().filter(|(name, _)| !matches!(**name, "limit" | "cursor"));
        json!(parts.collect::<BTreeMap<_, _>>())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    static ALL: [Argument; 6] = [
        Argument::new("topic", Kind::Text(5), "which topic").needed(),
        Argument::new("topics", Kind::Texts(2, 5), "which topics"),
        Argument::new("source", Kind::Source, "which source"),
        Argument::new("order", Kind::Word(&["new", "old"]), "which order"),
        Argument::new("limit", Kind::Number(1, 50, 10), "how many"),
        Argument::new("since", Kind::Instant, "since when"),
    ];

    fn parse(text: &str) -> Result<Arguments, ToolError> {
        let Value::Object(fields) = serde_json::from_str(text).unwrap() else { panic!("{text}") };
        Arguments::of(&ALL, fields, Time(1_773_219_600_000))
    }

    #[test]
    fn valid_arguments_are_read_and_missing_ones_get_defaults() {
        let all =
            parse(r#"{"topic":" acme","topics":["a","b"],"source":"web","order":"new","limit":50,"since":"24h"}"#)
                .unwrap();
        assert_eq!((all.required("topic"), all.number("limit"), all.text("order")), ("acme", 50, Some("new")));
        assert_eq!(all.texts("topics"), ["a", "b"]);
        assert_eq!(all.instant("since", Time(86_400_000)), Some(Time(0)));
        assert_eq!(parse(r#"{"topic":"a","limit":2.0}"#).unwrap().number("limit"), 2);
        let defaults = parse(r#"{"topic":"acme","limit":null}"#).unwrap();
        assert_eq!((defaults.number("limit"), defaults.text("source"), defaults.texts("topics").len()), (10, None, 0));
    }

    #[test]
    fn invalid_arguments_are_refused_with_a_hint() {
        for (wrong, title, hint) in [
            (r"{}", "`topic` is missing", "which topic"),
            (r#"{"topic":7}"#, "`topic` cannot be `7`", "1 to 5 characters"),
            (r#"{"topic":"longer"}"#, "`topic` cannot be `longer`", "1 to 5 characters"),
            (r#"{"topic":" "}"#, "`topic` cannot be", "1 to 5 characters"),
            (r#"{"topic":"a\u0000"}"#, "`topic` cannot be", "1 to 5 characters"),
            (r#"{"topic":"a","topics":"a"}"#, r#"`topics` cannot be `\"a\"`"#, r#"such as [\"acme\"]"#),
            (r#"{"topic":"a","topics":["a","b","c"]}"#, "`topics` cannot be", "a list of 1 to 2 strings"),
            (r#"{"topic":"a","topics":[]}"#, "`topics` cannot be", "a list of 1 to 2 strings"),
            (r#"{"topic":"a","source":"NO SUCH"}"#, "`source` cannot be", "social, web, ai"),
            (r#"{"topic":"a","order":"best"}"#, "`order` cannot be `best`", "new, old"),
            (r#"{"topic":"a","limit":0}"#, "`limit` cannot be `0`", "from 1 to 50"),
            (r#"{"topic":"a","limit":"10"}"#, r#"`limit` cannot be `\"10\"`"#, "from 1 to 50, such as 10"),
            (r#"{"topic":"a","limit":1.5}"#, "`limit` cannot be `1.5`", "from 1 to 50"),
            (r#"{"topic":"a","limit":-1.0}"#, "`limit` cannot be `-1.0`", "from 1 to 50"),
            (r#"{"topic":"a","limit":1e300}"#, "`limit` cannot be", "from 1 to 50"),
            (r#"{"topic":"a","since":"soon"}"#, "`since` cannot be `soon`", "2026-03-11"),
            (r#"{"topic":"a","tpoic":"b"}"#, "there is no argument `tpoic`", "topic, topics, source"),
        ] {
            let error = format!("{:?}", parse(wrong).unwrap_err());
            assert!(error.contains(title) && error.contains(hint), "{wrong}: {error}");
        }
    }
}
