//! Schemas of annotations: stars, notes and saved searches.

use super::parts::{Named, SANDBOX, list, one};
use crate::web::api::document::shape::Shape::{Flag, Maybe, Text, Time};
use crate::web::api::document::shape::{Field, object};

const STAR: &[Field] = &[("key", Text, "the key that was given"), ("starred", Flag, "whether the item has a star now")];

const NOTE: &[Field] = &[("key", Text, "the key that was given"), ("note", Maybe(&Text), "the item's note now")];

const SEARCH: &[Field] = &[
    ("name", Text, "its name"),
    ("query", Text, "parameters of the items page, as in its address"),
    ("href", Text, "address of the page that shows it"),
    ("feed", Text, "address of its Atom feed"),
    ("made_at", Time, "when it was saved"),
];

pub(super) fn schemas() -> Vec<Named> {
    let key = ("key", Text, "any key of the item");
    let search = &[
        ("name", Text, "1 to 64 lowercase letters, digits, - and _"),
        ("query", Text, "parameters of the items page, as in its address"),
    ];
    vec![
        one("OneStar", "Star"),
        ("Star", object("An item's star", &[STAR])),
        ("ToStar", object("An item to star", &[&[key]])),
        one("OneNote", "Note"),
        ("Note", object("An item's note", &[NOTE])),
        (
            "ToNote",
            object(
                "A note to save",
                &[&[
                    ("key", Text, "any key of the item"),
                    ("note", Text, "up to 2,000 characters; empty deletes the note"),
                ]],
            ),
        ),
        list("SavedSearches", &crate::web::api::document::shape::Shape::Of("SavedSearch"), &[SANDBOX]),
        one("OneSavedSearch", "SavedSearch"),
        ("SavedSearch", object("A search saved under a name", &[SEARCH])),
        ("ToSave", object("A search to save", &[search])),
    ]
}
