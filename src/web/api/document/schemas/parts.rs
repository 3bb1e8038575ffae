//! Fields and shapes that several schemas share.

use serde_json::Value;

use crate::web::api::document::shape::Shape::{Flag, List, Maybe, Number, Of, Text};
use crate::web::api::document::shape::{Field, Shape, object};

pub(super) const NEXT: Field = ("next_page_token", Maybe(&Text), "token of the next page; null if there is none");
pub(super) const SANDBOX: Field = ("sandbox", Flag, "all data is invented");
pub(super) const TOPIC: Field = ("topic", Text, "id of the topic");
pub(super) const COST: Field =
    ("cost_usd", Number, "US dollars, rounded to millionths; billed, or expected until that is known");
/// `social`, `web`, `ai`, or the name of a provider.
pub(super) const SOURCE: Shape = Text;
pub(super) const PAGED: &[Field] = &[NEXT, SANDBOX];

/// A schema and its name.
pub(super) type Named = (&'static str, Value);

/// A list of rows, with more fields.
pub(super) fn list(name: &'static str, of: &'static Shape, more: &[Field]) -> Named {
    (name, object("One page of a list", &[&[("data", List(of), "the rows")], more]))
}

pub(super) fn one(name: &'static str, of: &'static str) -> Named {
    (name, object("A single object", &[&[("data", Of(of), "the object"), SANDBOX]]))
}
