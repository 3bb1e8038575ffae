//! Extracts the message of an error body: `detail` is a string, an object, a list or missing, and the body may be HTML.
//! Cutting and scrubbing come after.

use std::time::Duration;

use serde_json::Value;

use crate::http::retry_after;
use crate::model::Micros;
use crate::search::cost;

/// Members that may hold the message of an error, the most specific first.
const WORDS: [&str; 8] = ["detail", "message", "msg", "error", "errors", "reason", "description", "title"];
/// The maximum number of list entries in a message.
const ENTRIES: usize = 5;
/// The maximum depth at which messages are looked for.
const DEPTH: u32 = 6;

/// The code with which the OpenAI API says that the account's money is used up, with the status of a rate limit.
pub(super) const INSUFFICIENT_QUOTA: &str = "insufficient_quota";

/// The message of an error body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::search) struct ErrorDetail {
    /// Its message, neither cut nor scrubbed; empty when there is none.
    pub(in crate::search) text: String,
    /// The wait it asks for.
    pub(in crate::search) retry_after: Option<Duration>,
    /// What the call cost, if the body names it.
    pub(in crate::search) cost: Option<Micros>,
}

impl ErrorDetail {
    /// Reads a body, or its beginning.
    pub(in crate::search) fn of(body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let text = text.trim_start_matches('\u{feff}').trim();
        match serde_json::from_str::<Value>(text) {
            Ok(value) => {
                let mut text = message(&value, DEPTH);
                let code = value.pointer("/error/code").or_else(|| value.pointer("/error/type"));
                if code.and_then(Value::as_str) == Some(INSUFFICIENT_QUOTA) && !text.contains(INSUFFICIENT_QUOTA) {
                    text.push_str(&format!(" ({INSUFFICIENT_QUOTA})"));
                }
                Self { text, retry_after: retry_after::body(&value), cost: cost::of(&value) }
            }
            Err(_) if text.starts_with('<') => Self { text: page(text), ..Self::default() },
            Err(_) => Self { text: text.to_owned(), ..Self::default() },
        }
    }
}

fn message(value: &Value, depth: u32) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) if depth > 0 => {
            let mut messages: Vec<_> = list.iter().take(ENTRIES).map(|entry| message(entry, depth - 1)).collect();
            if list.len() > ENTRIES {
                messages.push(format!("{} more", list.len() - ENTRIES));
            }
            messages.join("; ")
        }
        Value::Object(fields) if depth > 0 => {
            let messages = WORDS.iter().filter_map(|name| fields.get(*name)).map(|inner| message(inner, depth - 1));
            match messages.into_iter().find(|text| !text.is_empty()) {
                Some(text) => fault_location(value).map_or_else(|| text.clone(), |place| format!("{place}: {text}")),
                None if fields.is_empty() => String::new(),
                None => value.to_string(),
            }
        }
        other => other.to_string(),
    }
}

/// Returns where in the request the fault lies, as validators report it: `"loc": ["body", "count"]`.
fn fault_location(value: &Value) -> Option<String> {
    let steps = value.get("loc")?.as_array()?;
    Some(steps.iter().take(DEPTH as usize).map(|step| message(step, 0)).collect::<Vec<_>>().join("."))
}

/// Describes the page of a proxy by its title.
fn page(text: &str) -> String {
    let between = |open: &str, close: &str| {
        let start = text.find(open)? + open.len();
        Some(text[start..start + text[start..].find(close)?].trim())
    };
    match between("<title>", "</title>") {
        Some(title) if !title.is_empty() => format!("an HTML page titled {title:?}"),
        _ => "an HTML page".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_form_of_error_body_becomes_a_message() {
        for (body, text) in [
            (r#"{"detail":"Invalid key"}"#, "Invalid key"),
            (r#"{"detail":{"message":"Slow down","retry_after":"60 seconds"}}"#, "Slow down"),
            (r#"{"detail":{"code":7}}"#, r#"{"code":7}"#),
            (
                r#"{"detail":[{"loc":["body","count"],"msg":"at least 10"},{"loc":["body",0],"msg":"odd"}]}"#,
                "body.count: at least 10; body.0: odd",
            ),
            (r#"{"error":{"message":"no"}}"#, "no"),
            (r#"{"detail":null,"message":"said elsewhere"}"#, "said elsewhere"),
            (r#"[1,2,3,4,5,6,7]"#, "1; 2; 3; 4; 5; 2 more"),
            (r#""just words""#, "just words"),
            ("{}", ""),
            ("", ""),
            ("null", ""),
            ("\u{feff}plain words\n", "plain words"),
            ("<html><title> 502 Bad Gateway </title>", "an HTML page titled \"502 Bad Gateway\""),
            ("<!doctype html>", "an HTML page"),
            (r#"{"detail":"cut of"#, r#"{"detail":"cut of"#),
        ] {
            assert_eq!(ErrorDetail::of(body.as_bytes()).text, text, "{body}");
        }
    }

    #[test]
    fn an_endlessly_nested_body_is_treated_as_text() {
        let deep = "[".repeat(100_000);
        assert_eq!(ErrorDetail::of(deep.as_bytes()).text.len(), deep.len());
        let within_limits = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        assert!(ErrorDetail::of(within_limits.as_bytes()).text.starts_with('['));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn any_bytes_are_accepted_as_an_error_body(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = ErrorDetail::of(&body);
        }
    }
}
