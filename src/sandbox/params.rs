//! Reads the parameters of a request from a JSON body or a query string. Tolerant where clients differ (booleans as
//! `true`, `True` or `1`; numbers as text in query strings), strict about ranges and lengths. It knows no endpoint.

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value};

use super::reply::json;
use super::validation_errors::ValidationErrors;

/// The maximum length of a query or prompt, in characters.
const MAX_QUERY_CHARS: usize = 4_000;
/// The maximum number of entries in a list.
const MAX_LIST: usize = 50;

/// The parameters of one request, and the errors found in them.
#[derive(Debug)]
pub(crate) struct Params {
    values: Map<String, Value>,
    part: &'static str,
    /// Errors so far.
    pub(crate) mistakes: ValidationErrors,
}

impl Params {
    /// Takes the object of a JSON body.
    pub(crate) fn body(values: Map<String, Value>) -> Self {
        Self { values, part: "body", mistakes: ValidationErrors::default() }
    }

    /// Parses a query string. The last value of a repeated name counts.
    pub(crate) fn query(query: &str) -> Self {
        let values = url::form_urlencoded::parse(query.as_bytes())
            .map(|(name, value)| (name.into_owned(), Value::String(value.into_owned())))
            .collect();
        Self { values, part: "query", mistakes: ValidationErrors::default() }
    }

    /// Reports every name that is not in `known`.
    pub(crate) fn refuse_unknown(&mut self, known: &[&str]) {
        let unknown: Vec<String> = self.values.keys().filter(|key| !known.contains(&key.as_str())).cloned().collect();
        for key in unknown {
            self.add_error("extra_forbidden", &key, "Extra inputs are not permitted");
        }
    }

    /// Adds an error about a parameter.
    pub(crate) fn add_error(&mut self, kind: &str, field: &str, message: &str) {
        self.mistakes.note(kind, self.part, field, message);
    }

    /// Returns the value; `null` counts as missing.
    fn get(&self, field: &str) -> Option<Value> {
        self.values.get(field).filter(|value| !value.is_null()).cloned()
    }

    /// Reads a query or prompt: required, not blank, not too long. Returns an empty text after an error.
    pub(crate) fn required_text(&mut self, field: &str) -> String {
        match self.get(field) {
            None => self.add_error("missing", field, "Field required"),
            Some(Value::String(text)) if text.trim().is_empty() => {
                self.add_error("string_too_short", field, "String should have at least 1 character");
            }
            Some(Value::String(text)) if text.chars().count() > MAX_QUERY_CHARS => {
                self.add_error("string_too_long", field, "String should have at most 4000 characters");
            }
            Some(Value::String(text)) => return text,
            Some(_) => self.add_error("string_type", field, "Input should be a valid string"),
        }
        String::new()
    }

    /// Reads an optional text.
    pub(crate) fn text(&mut self, field: &str) -> Option<String> {
        match self.get(field)? {
            Value::String(text) if text.chars().count() <= MAX_QUERY_CHARS => Some(text),
            Value::String(_) => {
                self.add_error("string_too_long", field, "String should have at most 4000 characters");
                None
            }
            _ => {
                self.add_error("string_type", field, "Input should be a valid string");
                None
            }
        }
    }

    /// Reads an optional text that must be one of `allowed`.
    pub(crate) fn one_of(&mut self, field: &str, allowed: &[&str]) -> Option<String> {
        let text = self.text(field)?;
        if allowed.contains(&text.as_str()) {
            return Some(text);
        }
        self.add_error("enum", field, &format!("Input should be one of: {}", allowed.join(", ")));
        None
    }

    /// Reads an optional whole number in a range. Accepts a number as text only in a query string.
    pub(crate) fn integer(&mut self, field: &str, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        let number = match self.get(field)? {
            Value::Number(number) => number.as_i64(),
            Value::String(text) if self.part == "query" => text.trim().parse().ok(),
            _ => None,
        };
        match number {
            None => self.add_error("int_type", field, "Input should be a valid integer"),
            Some(number) if number < *range.start() => {
                self.add_error(
                    "greater_than_equal",
                    field,
                    &format!("Input should be greater than or equal to {}", range.start()),
                );
            }
            Some(number) if number > *range.end() => {
                self.add_error(
                    "less_than_equal",
                    field,
                    &format!("Input should be less than or equal to {}", range.end()),
                );
            }
            Some(number) => return Some(number),
        }
        None
    }

    /// Reads an optional boolean: `true`, `"True"`, `1` or `"1"`, and the same for false.
    pub(crate) fn boolean(&mut self, field: &str) -> Option<bool> {
        let value = self.get(field)?;
        let read = match &value {
            Value::Bool(yes) => Some(*yes),
            Value::Number(number) => match number.as_i64() {
                Some(0) => Some(false),
                Some(1) => Some(true),
                _ => None,
            },
            Value::String(text) => match text.to_ascii_lowercase().as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            _ => None,
        };
        if read.is_none() {
            self.add_error("bool_parsing", field, "Input should be a valid boolean");
        }
        read
    }

    /// Reads a required, non-empty list of texts.
    pub(crate) fn texts(&mut self, field: &str) -> Vec<String> {
        let message = match self.get(field) {
            None => {
                self.add_error("missing", field, "Field required");
                return Vec::new();
            }
            Some(Value::Array(list)) if list.is_empty() => "List should have at least 1 item",
            Some(Value::Array(list)) if list.len() > MAX_LIST => "List should have at most 50 items",
            Some(Value::Array(list)) => {
                let texts: Vec<String> = list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect();
                if texts.len() == list.len() {
                    return texts;
                }
                "Every item should be a valid string"
            }
            Some(_) => "Input should be a valid list",
        };
        self.add_error("list_type", field, message);
        Vec::new()
    }
}

/// Returns a 422 with all errors.
pub(crate) fn validation_error(params: Params) -> Response {
    json(StatusCode::UNPROCESSABLE_ENTITY, &params.mistakes.into_body())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn booleans_are_read_in_every_spelling_clients_use() {
        for (query, read) in
            [("b=true", Some(true)), ("b=True", Some(true)), ("b=1", Some(true)), ("b=False", Some(false)), ("", None)]
        {
            let mut params = Params::query(query);
            assert_eq!(params.boolean("b"), read, "{query}");
            assert!(params.mistakes.is_empty());
        }
        let mut params = Params::query("b=maybe");
        assert_eq!(params.boolean("b"), None);
        assert!(!params.mistakes.is_empty());
    }

    #[test]
    fn text_is_a_number_in_a_query_string_and_not_in_a_body() {
        assert_eq!(Params::query("n=7").integer("n", 1..=100), Some(7));
        let body = serde_json::json!({"n": "7", "m": 101, "k": 5.5, "null": null});
        let mut params = Params::body(body.as_object().cloned().unwrap_or_default());
        assert_eq!((params.integer("n", 1..=100), params.integer("m", 1..=100)), (None, None));
        assert_eq!((params.integer("k", 1..=100), params.integer("null", 1..=100)), (None, None));
        assert_eq!(params.mistakes.into_body()["detail"].as_array().map(Vec::len), Some(3));
    }
}
