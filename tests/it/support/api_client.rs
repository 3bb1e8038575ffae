//! An API client that knows only HTTP and the published document.

use std::io::{Read as _, Write as _};

use serde_json::Value;

use crate::support::web_client::Pages;

/// A response.
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
    /// Whether the body is complete by its length or its last chunk.
    pub whole: bool,
}

/// Sends a request with only the given headers.
#[track_caller]
pub fn send_request(pages: &Pages, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut stream = pages.connect();
    // The server may close the connection early when it refuses a request.
    let _ = stream.write_all(request_text(pages, method, path, headers, body).as_bytes());
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    Reply::parse(&all)
}

#[track_caller]
pub fn request_text(pages: &Pages, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    let given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
    if !given("host") {
        head.push_str(&format!("Host: {}\r\n", pages.address));
    }
    if !body.is_empty() && !given("content-length") {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    format!("{head}\r\n{body}")
}

/// Gets a path that must exist, as JSON.
#[track_caller]
pub fn get_json(pages: &Pages, path: &str) -> Value {
    let reply = send_request(pages, "GET", path, &[], "");
    assert_eq!(reply.status, 200, "{path}\n{}", reply.text());
    assert_eq!(reply.header("content-type"), Some("application/json"), "{path}");
    reply.json()
}

impl Reply {
    #[track_caller]
    pub fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let rest = bytes.get(end + 4..).unwrap_or_default();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let mut reply = Self { status, head, body: rest.to_vec(), whole: true };
        if reply.header("transfer-encoding") == Some("chunked") {
            (reply.body, reply.whole) = decode_chunked(rest);
        } else if let Some(length) = reply.header("content-length") {
            reply.whole = length.parse() == Ok(rest.len());
        }
        reply
    }

    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The body as text.
    #[track_caller]
    pub fn body_text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub fn text(&self) -> String {
        format!("{}\n\n{}", self.head, String::from_utf8_lossy(&self.body))
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}\n{}", self.text()))
    }

    /// Asserts an error as RFC 9457 requires; returns its text.
    #[track_caller]
    pub fn assert_problem(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{}", self.text());
        let problem = self.json();
        assert_eq!(problem["status"], status, "{problem}");
        assert_eq!(problem["type"], "about:blank");
        for field in ["title", "detail", "hint"] {
            assert!(problem[field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {problem}");
        }
        format!("{}; {}", problem["detail"].as_str().unwrap(), problem["hint"].as_str().unwrap())
    }
}

/// Decodes a chunked body (RFC 9112, section 7.1); also returns whether the last chunk came.
#[track_caller]
pub fn decode_chunked(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut all = Vec::new();
    loop {
        let Some(end) = rest.windows(2).position(|two| two == b"\r\n") else { return (all, false) };
        let Ok(size) = usize::from_str_radix(&String::from_utf8_lossy(&rest[..end]), 16) else { return (all, false) };
        rest = &rest[end + 2..];
        if size == 0 {
            return (all, true);
        }
        if rest.len() < size + 2 {
            return (all, false);
        }
        all.extend_from_slice(&rest[..size]);
        rest = &rest[size + 2..];
    }
}

/// Returns where a value differs from its schema. Panics at a schema keyword that the document does not use so far.
#[track_caller]
pub fn schema_errors(document: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let wrong = |why: String| vec![format!("{at}: {why}: {value:.200}")];
    let mut all = Vec::new();
    for (word, meant) in schema.as_object().unwrap() {
        match word.as_str() {
            "description" | "deprecated" | "default" | "minLength" | "maxLength" => {}
            "$ref" => {
                let place = meant.as_str().unwrap().trim_start_matches('#');
                let target = document.pointer(place).unwrap_or_else(|| panic!("{place} is not there"));
                all.extend(schema_errors(document, target, value, at));
            }
            "anyOf" => {
                let fits = |one: &Value| schema_errors(document, one, value, at).is_empty();
                if !meant.as_array().unwrap().iter().any(fits) {
                    all.extend(wrong(format!("none of {meant}")));
                }
            }
            "type" => {
                let named = meant.as_array().cloned().unwrap_or_else(|| vec![meant.clone()]);
                if !named.iter().any(|name| is_of_type(name.as_str().unwrap(), value)) {
                    all.extend(wrong(format!("is no {meant}")));
                }
            }
            "enum" if !meant.as_array().unwrap().contains(value) => all.extend(wrong(format!("none of {meant}"))),
            "format" if !value.is_null() && !matches_format(meant.as_str().unwrap(), value) => {
                all.extend(wrong(format!("is no {meant}")));
            }
            "enum" | "format" => {}
            "items" => {
                let items = value.as_array().into_iter().flatten().enumerate();
                all.extend(items.flat_map(|(n, item)| schema_errors(document, meant, item, &format!("{at}[{n}]"))));
            }
            "properties" => {
                for (name, inner) in meant.as_object().unwrap() {
                    if let Some(field) = value.get(name) {
                        all.extend(schema_errors(document, inner, field, &format!("{at}.{name}")));
                    }
                }
            }
            "required" => {
                let missing =
                    meant.as_array().unwrap().iter().filter(|name| value.get(name.as_str().unwrap()).is_none());
                all.extend(missing.flat_map(|name| wrong(format!("{name} is missing"))));
            }
            "additionalProperties" => {
                assert_eq!(*meant, Value::Bool(false));
                let known = schema["properties"].as_object().unwrap();
                let more = value.as_object().into_iter().flatten().filter(|(name, _)| !known.contains_key(*name));
                all.extend(more.flat_map(|(name, _)| wrong(format!("{name} is not documented"))));
            }
            other => panic!("{at}: the document uses the keyword `{other}`, which is not checked"),
        }
    }
    all
}

#[track_caller]
pub fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("`{other}` is not a type"),
    }
}

#[track_caller]
pub fn matches_format(name: &str, value: &Value) -> bool {
    let text = value.as_str().unwrap_or("");
    match name {
        "int64" => value.is_i64(),
        // All times have one form.
        "date-time" => text.len() == 24 && text.ends_with('Z') && text.parse::<jiff::Timestamp>().is_ok(),
        "date" => text.parse::<jiff::civil::Date>().is_ok(),
        other => panic!("`{other}` is not a format"),
    }
}
