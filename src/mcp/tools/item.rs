//! One item, with its whole text.

use serde_json::json;

use super::items::{OURS, OURS_OF_COPY};
use crate::compare::{Rankings, find_item_key};
use crate::mcp::answer::Answer;
use crate::mcp::call::ToolCall;
use crate::mcp::error::ToolError;
use crate::mcp::quoting::{ALONE, quote_fields, quote_fields_of_all};
use crate::model::excerpt;

/// Maximum number of sightings, earlier words and near-copies shown.
const MAX_LISTED: u32 = 50;
const EARLIER: u32 = 5;
const COPIES: u32 = 20;
/// Maximum number of characters of its text in all of its topics: an answer is bounded.
const IN_ALL_TOPICS: usize = 50_000;

const OURS_OF_SIGHTING: &[&str] = &["run", "topic", "seen_at", "source", "fit"];
const OURS_OF_REVISION: &[&str] = &["replaced_at"];

pub(super) async fn answer(call: ToolCall) -> Result<Answer, ToolError> {
    let (store, given) = (&call.store, call.given.required("key"));
    let named = find_item_key(store, given).await?;
    let key: &str = &named;
    let rows = Rankings::rate_all(store, store.item_by_key(key).await?).await?;
    let Some(item) = rows.first() else {
        let hint = "it may have been forgotten; search_items, get_terms and get_changes return keys";
        return Err(ToolError::new(format!("there is no item `{}`", excerpt(given)), hint));
    };
    let seen = store.item_sightings(key, None, MAX_LISTED).await?;
    let earlier = store.item_revisions(key, None, EARLIER).await?;
    let (many, copies) = store.copies_of(key, None, COPIES).await?;
    let mut answer = Answer::default();
    answer.field("key", &item.key)?;
    // Each topic's row has the text.
    let longest = ALONE.min(IN_ALL_TOPICS / rows.len());
    let topics = rows.iter().map(|row| quote_fields(row, OURS, longest)).collect::<Result<Vec<_>, _>>()?;
    answer.field("topics", topics)?;
    answer.field("sightings", quote_fields_of_all(&seen, OURS_OF_SIGHTING)?)?;
    answer.field("revisions", quote_fields_of_all(&earlier, OURS_OF_REVISION)?)?;
    answer.field("copies", json!({ "count": many, "data": quote_fields_of_all(&copies, OURS_OF_COPY)? }))?;
    if let Some(at) = item.pruned_at {
        answer.note(format!("Its text was pruned at {}.", at.iso_millis()));
    }
    for (count, most, what) in [(seen.len(), MAX_LISTED, "sightings"), (earlier.len(), EARLIER, "earlier texts")] {
        if count == most as usize {
            answer.note(format!("Only {most} of its {what} are listed; there may be more."));
        }
    }
    Ok(answer)
}
