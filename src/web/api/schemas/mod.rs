//! What each answer holds, field by field. A test holds every answer against these; what a field of an export is called
//! and means, it is called and means here.

mod alerts;
mod found;
mod ledger;
mod topics;

use serde_json::{Map, Value, json};

use super::shape::Shape::{Flag, Integer, List, Maybe, Number, Of, Text, Word};
use super::shape::{Field, Shape, object};
use crate::model::Source;

const NEXT: Field = ("next_page_token", Maybe(&Text), "where the next page begins; null when there is none");
const SANDBOX: Field = ("sandbox", Flag, "everything here was invented");
const TOPIC: Field = ("topic", Text, "id of the topic");
const COST: Field =
    ("cost_usd", Number, "US dollars, whole micro-dollars; billed, or expected while that is not known");
const SOURCE: Shape = Word(|| Source::ALL.iter().map(|source| source.as_str()).collect());
const PAGED: &[Field] = &[NEXT, SANDBOX];

/// A schema and its name.
type Named = (&'static str, Value);

/// Every schema by its name.
pub(super) fn schemas() -> Map<String, Value> {
    let all =
        topics::schemas().into_iter().chain(found::schemas()).chain(ledger::schemas()).chain(alerts::schemas()).chain(
            [
                ("Document", json!({ "type": "object", "description": "An OpenAPI 3.1 document" })),
                (
                    "Problem",
                    object(
                        "What went wrong (RFC 9457)",
                        &[&[
                            ("type", Text, "always about:blank: the status says what it is"),
                            ("title", Text, "the status in words"),
                            ("status", Integer, "the status"),
                            ("detail", Text, "what happened"),
                            ("hint", Text, "what to do"),
                        ]],
                    ),
                ),
            ],
        );
    all.map(|(name, schema)| (name.to_owned(), schema)).collect()
}

/// A list of rows, and what else is told of it.
fn list(name: &'static str, of: &'static Shape, more: &[Field]) -> Named {
    (name, object("A page of a list", &[&[("data", List(of), "the rows")], more]))
}

/// One thing.
fn one(name: &'static str, of: &'static str) -> Named {
    (name, object("One of them", &[&[("data", Of(of), "what was asked for"), SANDBOX]]))
}
