//! The operations that star items, note them and save searches. They have a file of their own because `table` is long
//! enough; `items::stars_and_notes` and `items::searches` answer them.

use super::operation::{Method, Operation, ResponseKind, get};
use super::parameter::Parameter;
use super::parameters::{ID, KEY};
use crate::model::Role::{Act, Read};
use crate::web::access::access_rule::AccessRule::OfAll;
use crate::web::api::items::{searches, stars_and_notes};

const HOW: &str = "Only inside `topicwatch run`, and only with a token for all topics, or without any where pages may edit the file. The star belongs to the item, in every topic.";
const NAME: Parameter = Parameter::path("search", ID, "Name of the search", "launch-news");

pub(in crate::web::api) const STAR: Operation = Operation {
    method: Method::Post,
    path: "/api/v1/stars",
    need: OfAll(Act),
    id: "star",
    summary: "Stars an item",
    description: HOW,
    parameters: &[],
    body: Some(("ToStar", "{\"key\": \"post:x:2031610711893905509\"}")),
    answered: ResponseKind::Json(200, "OneStar"),
    refuses: &[404, 413, 415],
    handler: |call| Box::pin(stars_and_notes::star(call)),
};

pub(super) const UNSTAR: Operation = Operation {
    method: Method::Delete,
    id: "unstar",
    summary: "Removes an item's star",
    description: "Only inside `topicwatch run`, and only with a token for all topics, or without any where pages may edit the file. Removing a star that is not there is \
           not an error.",
    parameters: &[&KEY],
    body: None,
    refuses: &[404],
    handler: |call| Box::pin(stars_and_notes::unstar(call)),
    ..STAR
};

pub(in crate::web::api) const NOTE: Operation = Operation {
    path: "/api/v1/notes",
    id: "note",
    summary: "Writes an item's note, replacing an existing one",
    description: "Only inside `topicwatch run`, and only with a token for all topics, or without any where pages may edit the file. The note belongs to the \
           item, in every topic. An empty `note` deletes it.",
    body: Some(("ToNote", "{\"key\": \"post:x:2031610711893905509\", \"note\": \"ask Ann\"}")),
    answered: ResponseKind::Json(200, "OneNote"),
    handler: |call| Box::pin(stars_and_notes::note(call)),
    ..STAR
};

pub(super) const UNNOTE: Operation = Operation {
    path: "/api/v1/notes",
    id: "unnote",
    summary: "Deletes an item's note",
    description: "Only inside `topicwatch run`, and only with a token for all topics, or without any where pages may edit the file. Deleting a note that is not there is \
           not an error.",
    answered: ResponseKind::Json(200, "OneNote"),
    handler: |call| Box::pin(stars_and_notes::unnote(call)),
    ..UNSTAR
};

pub(in crate::web::api) const SEARCHES: Operation = get(
    "/api/v1/searches",
    OfAll(Read),
    "listSearches",
    "Saved searches, by name",
    "Each has an Atom feed of its items, those first seen most recently on top, at most a hundred.",
    &[],
    "SavedSearches",
    |call| Box::pin(searches::list(call)),
);

pub(super) const SAVE_SEARCH: Operation = Operation {
    path: "/api/v1/searches",
    id: "saveSearch",
    summary: "Saves a search under a name, replacing an existing one",
    description: "Only inside `topicwatch run`, and only with a token for all topics, or without any where pages may edit the file. `query` has the parameters of the items \
           page; at most 200 searches are kept.",
    body: Some(("ToSave", "{\"name\": \"launch-news\", \"query\": \"search=launch&since=7d\"}")),
    answered: ResponseKind::Json(200, "OneSavedSearch"),
    refuses: &[404, 409, 413, 415],
    handler: |call| Box::pin(searches::save(call)),
    ..STAR
};

pub(super) const DROP_SEARCH: Operation = Operation {
    method: Method::Delete,
    path: "/api/v1/searches/{search}",
    need: OfAll(Act),
    id: "deleteSearch",
    summary: "Deletes a saved search",
    description: "Only inside `topicwatch run`, and only with a token for all topics, or without any where pages may edit the file. Returns the deleted search.",
    parameters: &[&NAME],
    body: None,
    answered: ResponseKind::Json(200, "OneSavedSearch"),
    refuses: &[404],
    handler: |call| Box::pin(searches::delete(call)),
};
