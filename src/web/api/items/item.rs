//! One item: as each topic knows it, its sightings, earlier words and near-copies; and how it spread.

use axum::response::Response;
use serde_json::json;

use crate::compare::{self, Rankings, find_item_key_within};
use crate::model::excerpt;
use crate::web::api::call::Call;
use crate::web::api::call::envelope::answer;
use crate::web::pages::items::item::seen_by;
use crate::web::problem::Problem;

/// Maximum number of sightings, earlier words and near-copies shown.
const MAX_LISTED: u32 = 100;
const EARLIER: u32 = 20;
const COPIES: u32 = 50;

/// Answers how an item spread.
pub(in crate::web::api) async fn story(call: Call) -> Result<Response, Problem> {
    let key = call.required("key");
    match compare::story(&call.site().store, key).await? {
        Some(story) => answer(&call, [("data", json!(story))]).await,
        None => Err(unknown(key)),
    }
}

fn unknown(key: &str) -> Problem {
    let hint = "It may have been forgotten. Take a key from an item, a sighting or a citation.";
    let title = format!("There is no item `{}`", excerpt(key));
    Problem { hint: hint.to_owned(), ..Problem::not_found(title) }
}

pub(in crate::web::api) async fn one(call: Call) -> Result<Response, Problem> {
    let (store, given) = (&call.site().store, call.required("key"));
    let only = call.visitor.visible_topics();
    let named = find_item_key_within(store, given, only.as_deref()).await?;
    let key: &str = &named;
    let rows = seen_by(&call.visitor, store.item_by_key(key).await?);
    let rows = Rankings::rate_all(store, rows).await?;
    let Some(item) = rows.first() else { return Err(unknown(given)) };
    let seen = store.item_sightings(key, only.as_deref(), MAX_LISTED).await?;
    let earlier = store.item_revisions(key, only.as_deref(), EARLIER).await?;
    let (many, copies) = store.copies_of(key, only.as_deref(), COPIES).await?;
    let data = json!({
        "key": item.key,
        "topics": rows,
        "sightings": seen,
        "revisions": earlier,
        "copies": { "count": many, "data": copies },
    });
    answer(&call, [("data", data)]).await
}
