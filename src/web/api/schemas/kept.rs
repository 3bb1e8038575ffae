//! Schemas of stars, notes and saved searches.

use super::parts::{Named, SANDBOX, list, one};
use crate::web::api::shape::Shape::{Flag, Maybe, Text, Time};
use crate::web::api::shape::{Field, object};

const STAR: &[Field] = &[("key", Text, "the key that was given"), ("starred", Flag, "whether the item has a star now")];

const NOTE: &[Field] = &[("key", Text, "the key that was given"), ("note", Maybe(&Text), "the item's note now")];

const SEARCH: &[Field] = &[
    ("name", Text, "its name"),
    ("query", Text, "what the items page is asked for, as an address writes it"),
    ("href", Text, "address of the page that shows it"),
    ("feed", Text, "address of its Atom feed"),
    ("made_at", Time, "when it was saved"),
];

pub(super) fn schemas() -> Vec<Named> {
    let key = ("key", Text, "any key of the item");
    let search = &[
        ("name", Text, "1 to 64 lowercase letters, digits, - and _"),
        ("query", Text, "parameters of the items page, as an address writes them"),
    ];
    vec![
        one("OneStar", "Star"),
        ("Star", object("An item's star", &[STAR])),
        ("ToStar", object("What is starred", &[&[key]])),
        one("OneNote", "Note"),
        ("Note", object("An item's note", &[NOTE])),
        (
            "ToNote",
            object(
                "What is noted",
                &[&[
                    ("key", Text, "any key of the item"),
                    ("note", Text, "up to 2,000 characters; empty takes it away"),
                ]],
            ),
        ),
        list("SavedSearches", &crate::web::api::shape::Shape::Of("SavedSearch"), &[SANDBOX]),
        one("OneSavedSearch", "SavedSearch"),
        ("SavedSearch", object("A search that is kept by name", &[SEARCH])),
        ("ToSave", object("What is saved", &[search])),
    ]
}
