//! One item: as each topic knows it, where and when it was seen, what its words were, its near-copies.

use axum::response::Response;
use serde_json::json;

use super::call::Call;
use super::envelope::answer;
use crate::compare::Ranking;
use crate::web::problem::Problem;

/// Sightings, earlier words and near-copies that are told.
const SEEN: u32 = 100;
const EARLIER: u32 = 20;
const COPIES: u32 = 50;

pub(super) async fn one(call: Call) -> Result<Response, Problem> {
    let (store, key) = (&call.site().store, call.needed("key"));
    let mut known = store.item_by_key(key).await?;
    for row in &mut known {
        row.relevance = Ranking::of(store, &row.topic).await?.and_then(|ranking| ranking.item(row));
    }
    let Some(item) = known.first() else {
        let hint = "It may have been forgotten. Keys are those of items, sightings and citations.";
        let title = format!("There is no item `{}`", super::call::cut(key));
        return Err(Problem { hint: hint.to_owned(), ..Problem::unknown(title) });
    };
    let seen = store.seen_of(key, SEEN).await?;
    let earlier = store.earlier_of(key, EARLIER).await?;
    let (many, copies) = store.copies_of(key, None, COPIES).await?;
    let data = json!({
        "key": item.key,
        "topics": known,
        "sightings": seen,
        "revisions": earlier,
        "copies": { "count": many, "data": copies },
    });
    answer(&call, [("data", data)]).await
}
