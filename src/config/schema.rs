//! The JSON Schema (draft 2020-12) of `jobs.toml`, for editors, built from the table of keys. It describes types. Keys
//! that it requires may also come from the environment, and loading checks everything else.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::model::{KINDS, QueryKeyType};

use super::keys::{BOTH, KEYS, Key, Section, Shape};

/// Returns the schema as pretty-printed JSON with a line break at the end.
#[must_use]
pub fn schema() -> String {
    let mut topic = section(|key| key.section == Section::Topic);
    topic["required"] = json!(["id"]);
    let both = json!({ "required": ["schedule", "every"] });
    topic["not"] = both.clone();
    let mut defaults = section(Key::has_default_section);
    defaults["not"] = both.clone();
    let mut report = section(|key| key.section == Section::Report);
    report["required"] = json!(["name"]);
    report["not"] = both.clone();
    let mut export = section(|key| key.section == Section::Export);
    export["required"] = json!(["name", "what"]);
    export["not"] = both;
    let mut channel = section(|key| key.section == Section::Channel);
    channel["required"] = json!(["name", "kind"]);
    let mut alert = section(|key| key.section == Section::Alert);
    alert["required"] = json!(["name", "rule"]);
    let mut provider = section(|key| key.section == Section::Provider);
    provider["required"] = json!(["kind"]);
    // Queries are written under the provider's name.
    let queries = query_keys();
    (topic["additionalProperties"], defaults["additionalProperties"]) = (queries.clone(), queries);
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "jobs.toml of topicwatch",
        "type": "object",
        "additionalProperties": false,
        "required": ["topics"],
        "properties": {
            "service": section(|key| key.section == Section::Service),
            "providers": { "type": "object", "additionalProperties": provider },
            "database": section(|key| key.section == Section::Database),
            "scheduler": section(|key| key.section == Section::Scheduler),
            "retention": section(|key| key.section == Section::Retention),
            "web": section(|key| key.section == Section::Web),
            "defaults": defaults,
            "topics": { "type": "array", "minItems": 1, "items": topic },
            "reports": { "type": "array", "items": report },
            "channels": { "type": "array", "items": channel },
            "exports": { "type": "array", "items": export },
            "alerts": { "type": "array", "items": alert },
        },
    });
    format!("{schema:#}\n")
}

/// Returns the query keys of all kinds. Where kinds describe a key differently, each description names its kinds.
fn query_keys() -> Value {
    let mut object = empty_object();
    let mut docs: BTreeMap<&str, Vec<(&str, Vec<&str>)>> = BTreeMap::new();
    for kind in KINDS {
        for key in kind.asks {
            let property = match key.shape {
                QueryKeyType::Text => json!({ "type": "string" }),
                QueryKeyType::Texts => json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
                QueryKeyType::Count(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
                QueryKeyType::Flag => json!({ "type": "boolean" }),
                QueryKeyType::OneOf(choices) => json!({ "enum": choices() }),
            };
            let slot = &mut object["properties"][key.name];
            if slot.is_null() {
                *slot = property;
            }
            let of_key = docs.entry(key.name).or_default();
            match of_key.iter_mut().find(|(doc, _)| *doc == key.doc) {
                Some((_, kinds)) => kinds.push(kind.name),
                None => of_key.push((key.doc, vec![kind.name])),
            }
        }
    }
    for (name, docs) in docs {
        let of_kinds = |(doc, kinds): &(&str, Vec<&str>)| format!("{}: {doc}", kinds.join(", "));
        let described = match docs.as_slice() {
            [(doc, _)] => (*doc).to_owned(),
            several => several.iter().map(of_kinds).collect::<Vec<_>>().join(" "),
        };
        object["properties"][name]["description"] = json!(described);
    }
    object
}

fn section(belongs: impl Fn(&Key) -> bool) -> Value {
    let mut object = empty_object();
    for key in KEYS.iter().filter(|key| belongs(key)) {
        let mut at = &mut object;
        let mut names = key.name.split('.').peekable();
        while let Some(name) = names.next() {
            let slot = &mut at["properties"][name];
            if names.peek().is_none() {
                *slot = property(key);
            } else if slot.is_null() {
                *slot = empty_object();
            }
            at = &mut at["properties"][name];
        }
    }
    object
}

fn empty_object() -> Value {
    json!({ "type": "object", "additionalProperties": false, "properties": {} })
}

fn property(key: &Key) -> Value {
    let mut property = match key.shape {
        Shape::Text => json!({ "type": "string" }),
        Shape::Duration => json!({ "type": "string", "examples": ["90s", "5m", "12h", "7d"] }),
        Shape::Kept => json!({ "type": "string", "examples": ["30d", "400d", "forever"] }),
        Shape::Rate => json!({ "type": "string", "examples": ["60/min", "5/s", "1000/h", "unlimited"] }),
        Shape::Bytes => json!({ "type": ["integer", "string"], "examples": [15_000_000, "15MB"] }),
        Shape::Integer(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Shape::Dollars => json!({ "type": "number", "minimum": 0, "maximum": 1000 }),
        Shape::Budget => {
            json!({ "type": ["number", "string"], "exclusiveMinimum": 0, "maximum": 1_000_000, "examples": [2.5, "2.50"] })
        }
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::OneOf(choices) => json!({ "enum": choices() }),
        Shape::Texts => json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true }),
        Shape::Named(names) => {
            let least = u8::from(key.default != Some("[]"));
            let one = json!({ "type": "string", "examples": names() });
            json!({ "type": "array", "items": one, "minItems": least, "uniqueItems": true })
        }
        Shape::OneOrSomeOf(choices) => {
            let one = json!({ "enum": choices() });
            let alone = json!({ "enum": choices().into_iter().chain([BOTH]).collect::<Vec<_>>() });
            json!({ "anyOf": [alone, { "type": "array", "items": one, "minItems": 1, "uniqueItems": true }] })
        }
        Shape::SomeOf(choices) => {
            let least = u8::from(key.default != Some("[]"));
            json!({ "type": "array", "items": { "enum": choices() }, "minItems": least, "uniqueItems": true })
        }
    };
    let mut about = Map::new();
    about.insert("description".to_owned(), json!(key.doc));
    if let Some(default) = key.default.and_then(as_json) {
        about.insert("default".to_owned(), default);
    }
    if let Some(object) = property.as_object_mut() {
        object.append(&mut about);
    }
    property
}

/// Converts a default to JSON.
fn as_json(toml: &str) -> Option<Value> {
    fn convert(value: super::values::value::Value) -> Value {
        match value {
            super::values::value::Value::Text(text) => json!(text),
            super::values::value::Value::Integer(number) => json!(number),
            super::values::value::Value::Number(number) => json!(number),
            super::values::value::Value::Flag(flag) => json!(flag),
            super::values::value::Value::List(list) => list.into_iter().map(|(value, _)| convert(value)).collect(),
        }
    }
    super::values::value::Value::of_default(toml).map(convert)
}
