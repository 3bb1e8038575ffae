//! The shape of an answer as JSON Schema: only the few shapes that answers here have.

use serde_json::{Map, Value, json};

/// The shape of a value.
#[derive(Debug)]
pub(in crate::web::api) enum Shape {
    /// Any text.
    Text,
    /// A word of a closed list.
    Word(fn() -> Vec<&'static str>),
    /// A whole number.
    Integer,
    Number,
    Flag,
    /// An instant, UTC, with milliseconds.
    Time,
    /// A calendar day.
    Date,
    /// An object of its own.
    Of(&'static str),
    List(&'static Shape),
    /// The shape, or null.
    Maybe(&'static Shape),
    /// The shape, under a name that another replaced.
    Former(&'static Shape),
}

/// A field of an object: its name, shape and meaning. All fields are always present.
pub(in crate::web::api) type Field = (&'static str, Shape, &'static str);

impl Shape {
    pub(in crate::web::api) fn as_json(&self) -> Value {
        match self {
            Self::Text => json!({ "type": "string" }),
            Self::Word(words) => json!({ "type": "string", "enum": words() }),
            Self::Integer => json!({ "type": "integer", "format": "int64" }),
            Self::Number => json!({ "type": "number" }),
            Self::Flag => json!({ "type": "boolean" }),
            Self::Time => json!({ "type": "string", "format": "date-time" }),
            Self::Date => json!({ "type": "string", "format": "date" }),
            Self::Of(name) => json!({ "$ref": format!("#/components/schemas/{name}") }),
            Self::List(shape) => json!({ "type": "array", "items": shape.as_json() }),
            Self::Maybe(shape) => nullable(shape.as_json()),
            Self::Former(shape) => {
                let mut schema = shape.as_json();
                if let Some(fields) = schema.as_object_mut() {
                    fields.insert("deprecated".to_owned(), json!(true));
                }
                schema
            }
        }
    }
}

/// The shape, or null.
fn nullable(mut shape: Value) -> Value {
    let kind = shape.get("type").cloned();
    match (kind, shape.as_object_mut()) {
        (Some(kind), Some(fields)) => {
            fields.insert("type".to_owned(), json!([kind, "null"]));
            if let Some(Value::Array(words)) = fields.get_mut("enum") {
                words.push(Value::Null);
            }
            shape
        }
        _ => json!({ "anyOf": [shape, { "type": "null" }] }),
    }
}

/// An object with these fields and no others.
pub(in crate::web::api) fn object(meaning: &str, fields: &[&[Field]]) -> Value {
    let fields = || fields.iter().flat_map(|fields| fields.iter());
    let property = |(name, shape, meaning): &Field| {
        let mut schema = shape.as_json();
        if let Some(inner) = schema.as_object_mut() {
            inner.insert("description".to_owned(), json!(meaning));
        }
        ((*name).to_owned(), schema)
    };
    let properties: Map<String, Value> = fields().map(property).collect();
    let required: Vec<&str> = fields().map(|(name, ..)| *name).collect();
    json!({
        "type": "object",
        "description": meaning,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
