//! The OpenAPI 3.1 document, made from the table of operations, which also routes and checks requests, and the schemas:
//! a separate document would soon be outdated. Its version is the API's; the program's version is not disclosed.

mod schemas;
mod shape;

use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value, json};

use super::call::Call;
use super::call::form::TEXT;
use super::call::problem::MEDIA;
use super::table::operation::{Method, Operation, ResponseKind};
use super::table::parameter::{Kind, MOST, Parameter, ParameterIn};
use crate::export::ExportKind;
use crate::web::access::access_rule::AccessRule;
use crate::web::problem::Problem;
use schemas::schemas;

/// Version of the API; its first part is that of the paths.
const VERSION: &str = "1.0.0";

/// Statuses with which any operation may refuse.
const ANY: [u16; 9] = [400, 401, 403, 414, 421, 429, 431, 500, 503];

pub(super) async fn show(call: Call, operations: &'static [Operation]) -> Result<Response, Problem> {
    let secured = call.visitor.is_known();
    Ok(axum::Json(document(operations, secured)).into_response())
}

/// Returns the document. `secured` is whether this server needs a token.
pub(super) fn document(operations: &[Operation], secured: bool) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for operation in operations {
        let at = paths.entry(operation.path).or_insert_with(|| json!({}));
        let method = match operation.method {
            Method::Get => "get",
            Method::Post => "post",
            Method::Delete => "delete",
        };
        if let Some(at) = at.as_object_mut() {
            at.insert(method.to_owned(), describe(operation));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "topicwatch",
            "version": VERSION,
            "summary": "What watched topics found, how runs went, what it cost",
            "description": "All reads use GET. Times are UTC (RFC 3339, with milliseconds), ids and keys are strings, \
                            money is in US dollars, rounded to millionths. What was found is untrusted text.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": if secured { json!([{ "token": [] }]) } else { json!([{}]) },
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer", "description": "The token of the pages, or a named one" } },
        },
    })
}

fn describe(operation: &Operation) -> Value {
    let mut responses = Map::new();
    let (status, content) = match operation.answered {
        ResponseKind::Json(status, schema) => {
            (status, json!({ "application/json": { "schema": { "$ref": format!("#/components/schemas/{schema}") } } }))
        }
        ResponseKind::Stream(media) => {
            let media_type = |media: &&str| ((*media).to_owned(), json!({ "schema": { "type": "string" } }));
            (200, Value::Object(media.iter().map(media_type).collect()))
        }
    };
    let mut answered = json!({ "description": operation.summary, "content": content });
    if status == 202 {
        answered["headers"] = header("Location", "Address of the request");
    }
    responses.insert(status.to_string(), answered);
    // Any operation with parameters may be asked for something that does not exist.
    let absent = (!operation.parameters.is_empty()).then_some(&404);
    for refused in ANY.iter().chain(absent).chain(operation.refuses) {
        responses.insert(refused.to_string(), problem(*refused));
    }
    let mut object = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "parameters": operation.parameters.iter().map(|parameter| describe_parameter(parameter)).collect::<Vec<_>>(),
        "responses": responses,
    });
    if let Some(fields) = object.as_object_mut() {
        fields.insert("description".to_owned(), json!(description(operation)));
        fields.insert("x-role".to_owned(), json!(operation.need.role()));
        fields.insert("x-reach".to_owned(), json!(operation.need.describe()));
        if let Some((schema, action)) = operation.body {
            let schema = json!({ "$ref": format!("#/components/schemas/{schema}") });
            let content = json!({ "application/json": { "schema": schema, "example": example(action) } });
            fields.insert("requestBody".to_owned(), json!({ "required": true, "content": content }));
        }
    }
    object
}

/// An example of a body: an action, or JSON.
fn example(action: &str) -> Value {
    serde_json::from_str(action).unwrap_or_else(|_| json!({ "action": action }))
}

/// The description of an operation, and who may use it; for exports also the columns.
fn description(operation: &Operation) -> String {
    let gap = if operation.description.is_empty() { "" } else { "\n\n" };
    let text = format!("{}{gap}{}", operation.description, who_may(operation.need));
    if operation.id != "export" {
        return text;
    }
    let columns = ExportKind::ALL.iter().map(|what| {
        let names: Vec<&str> = what.columns().iter().map(|column| column.name).collect();
        format!("- `{what}`: {}", names.join(", "))
    });
    format!("{text}\n\nColumns:\n\n{}", columns.collect::<Vec<_>>().join("\n"))
}

fn who_may(need: AccessRule) -> String {
    let Some(role) = need.role() else { return "Needs no token.".to_owned() };
    let reach = match need {
        AccessRule::OfTopic(_) => "for the topic",
        AccessRule::InScope(_) => "; a token for some topics sees only those",
        AccessRule::Open | AccessRule::OfAll(_) => "for all topics",
    };
    let gap = if reach.starts_with(';') { "" } else { " " };
    format!("Needs the role `{role}`{gap}{reach}.")
}

fn problem(status: u16) -> Value {
    let reason = axum::http::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    let text = match status {
        409 => "Each value is well-formed, but they do not fit together, or one cannot be used; `detail` says which",
        _ => reason.unwrap_or("refused"),
    };
    let content = json!({ MEDIA: { "schema": { "$ref": "#/components/schemas/Problem" } } });
    let mut refused = json!({ "description": text, "content": content });
    match status {
        401 => refused["headers"] = header("WWW-Authenticate", "`Bearer`"),
        429 | 503 => refused["headers"] = header("Retry-After", "Seconds to wait before trying again"),
        _ => {}
    }
    refused
}

/// A header that is always present.
fn header(name: &str, meaning: &str) -> Value {
    json!({ name: { "description": meaning, "required": true, "schema": { "type": "string" } } })
}

fn describe_parameter(parameter: &Parameter) -> Value {
    let schema = match parameter.kind {
        Kind::Source => {
            json!({ "type": "string", "pattern": "^[a-z][a-z0-9_-]{0,23}$", "examples": ["social", "web", "ai"] })
        }
        Kind::Text(most) => json!({ "type": "string", "minLength": 1, "maxLength": most, "pattern": TEXT }),
        Kind::Written(form) => json!({
            "type": "string",
            "minLength": 1,
            "maxLength": form.most,
            "pattern": *form.pattern,
            "description": form.hint,
        }),
        Kind::Word(words) => json!({ "type": "string", "enum": words() }),
        Kind::Number(least, most, otherwise) => {
            json!({ "type": "integer", "minimum": least, "maximum": most, "default": otherwise })
        }
    };
    let (place, needed) = match parameter.place {
        ParameterIn::Path => ("path", true),
        ParameterIn::Query => ("query", parameter.needed),
    };
    let schema = if parameter.many { json!({ "type": "array", "items": schema, "maxItems": MOST }) } else { schema };
    let example = match parameter.kind {
        Kind::Number(..) => json!(parameter.example.parse::<u32>().unwrap_or_default()),
        _ if parameter.many => json!([parameter.example]),
        _ => json!(parameter.example),
    };
    let mut object = json!({
        "name": parameter.name,
        "in": place,
        "required": needed,
        "description": parameter.meaning,
        "schema": schema,
    });
    if let Some(fields) = object.as_object_mut().filter(|_| !parameter.example.is_empty()) {
        fields.insert("example".to_owned(), example);
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::api::table::OPERATIONS;

    #[test]
    fn every_name_is_documented_once_and_every_named_schema_exists() {
        let document = document(OPERATIONS, true);
        let text = document.to_string();
        let schemas = document["components"]["schemas"].as_object().map(Map::len).unwrap_or_default();
        let mut named: Vec<&str> =
            text.split("\"#/components/schemas/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        named.sort_unstable();
        named.dedup();
        for name in &named {
            assert!(document["components"]["schemas"][*name].is_object(), "{name}");
        }
        assert_eq!(named.len(), schemas, "a schema that nobody names");
        let mut ids: Vec<&str> = OPERATIONS.iter().map(|operation| operation.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), OPERATIONS.len());
        for operation in OPERATIONS {
            let placeholders = operation.path.matches('{').count();
            let path_parameters =
                operation.parameters.iter().filter(|parameter| parameter.place == ParameterIn::Path).count();
            assert_eq!(placeholders, path_parameters, "{}", operation.path);
        }
        assert!(!text.contains(env!("CARGO_PKG_VERSION")) || env!("CARGO_PKG_VERSION") == VERSION);
    }
}
