//! The schema of each answer, field by field. A test checks every answer against these. Fields that also occur in
//! exports have the same names and meanings here.

mod alerts;
mod annotations;
mod items;
mod ledger;
mod parts;
mod story;
mod terms;
mod topics;

use serde_json::{Map, Value, json};

use super::shape::Shape::{Integer, Text};
use super::shape::object;

/// Every schema by its name.
pub(in crate::web::api) fn schemas() -> Map<String, Value> {
    let all = topics::schemas()
        .into_iter()
        .chain(terms::schemas())
        .chain(items::schemas())
        .chain(annotations::schemas())
        .chain(story::schemas())
        .chain(ledger::schemas())
        .chain(alerts::schemas())
        .chain([
            ("Document", json!({ "type": "object", "description": "An OpenAPI 3.1 document" })),
            (
                "Problem",
                object(
                    "What went wrong (RFC 9457)",
                    &[&[
                        ("type", Text, "always about:blank: the status says what happened"),
                        ("title", Text, "the status in words"),
                        ("status", Integer, "the status"),
                        ("detail", Text, "what happened"),
                        ("hint", Text, "what to do"),
                    ]],
                ),
            ),
        ]);
    all.map(|(name, schema)| (name.to_owned(), schema)).collect()
}
