//! A topic's items: searched, filtered and ordered; the same page as in the API.

use serde_json::{Value, json};

use crate::compare::{FilterMode, ListOptions, Ranking, ShownItem, list_items};
use crate::mcp::answer::Answer;
use crate::mcp::call::{DAY, ToolCall};
use crate::mcp::caveats;
use crate::mcp::error::ToolError;
use crate::mcp::quoting::{IN_A_LIST, quote_fields, quote_fields_of_all};
use crate::model::{Span, Time, Tone};
use crate::normalise::words::parse_query;
use crate::store::{Filter, ItemCursor, ItemOrder};

/// Fields of an item that are ours; all others hold text of others.
pub(super) const OURS: &[&str] = &[
    "topic",
    "key",
    "kind",
    "starred_at",
    "note",
    "published_at",
    "first_seen",
    "first_run",
    "last_seen",
    "last_run",
    "cluster",
    "tone",
    "scorer",
    "pruned_at",
    "mark",
    "fit",
];
/// The same for a near-copy.
pub(super) const OURS_OF_COPY: &[&str] = &["key", "published_at"];
/// Maximum number of near-copies shown under an item.
const COPIES: u32 = 5;
/// How far back holes are reported if no time is given, in milliseconds.
const LATELY: i64 = 7 * DAY;

pub(super) async fn answer(asked: ToolCall) -> Result<Answer, ToolError> {
    let (store, given) = (&asked.store, &asked.given);
    let card = asked.card().await?;
    let folded = given.text("copies") != Some("all");
    let order = match given.text("order") {
        Some("engagement") => ItemOrder::Reactions,
        Some("negative") => ItemOrder::Negative,
        Some("positive") => ItemOrder::Positive,
        _ => ItemOrder::New,
    };
    let filter = filter(&asked).await?;
    let after = asked.position()?.map(|at| ItemCursor { value: at.value, key: at.key });
    let listed = store.list_items(&filter, folded, order, after.as_ref(), given.number("limit")).await?;
    let ranking = Ranking::of(store, &card.topic).await?;
    let how = ListOptions {
        topic: &card.topic,
        filtered: given.text("filtered").and_then(FilterMode::parse).unwrap_or(FilterMode::Hide),
        without_noise: false,
        only_new: given.text("new_since").is_some(),
        copies: folded.then_some(COPIES),
        folded: Some(&filter).filter(|_| folded),
    };
    let shown = list_items(store, ranking.as_ref(), listed.rows, how).await?;
    let waiting = if given.text("search").is_some() { store.index_backlog().await? } else { 0 };
    let complete = order == ItemOrder::New || listed.whole;

    let mut answer = Answer::default();
    answer.field("items", shown.items.iter().map(item).collect::<Result<Vec<_>, _>>()?)?;
    answer.field("filtered", shown.hidden)?;
    answer.field("outside", shown.outside)?;
    answer.field("complete", complete)?;
    answer.field("unindexed", waiting)?;
    if shown.hidden > 0 && how.filtered == FilterMode::Hide {
        answer.note(format!("{} on this page are hidden by the topic's filter.", shown.hidden));
    }
    if shown.outside > 0 {
        answer.note(format!("{} on this page were older than the topic's window and are omitted.", shown.outside));
    }
    if !complete {
        answer.note("In this order, at most the 1,000 items first seen most recently are considered.");
    }
    if waiting > 0 {
        answer.note(format!("{waiting} items are not indexed yet and cannot be found by their words."));
    }
    let since = filter.since.unwrap_or(Time(asked.now.0 - LATELY));
    if let Some(period) = Span::new(since, asked.now) {
        answer.notes(caveats::holes(&asked, &card.topic, period).await?);
    }
    answer.next(listed.next.map(|place| asked.cursor(place.value, &place.key)))?;
    Ok(answer)
}

async fn filter(asked: &ToolCall) -> Result<Filter, ToolError> {
    let given = &asked.given;
    let instant = |name| given.instant(name, asked.now);
    let unclear = |unclear| {
        let hint = "write words, \"a phrase\", prefix*, #hashtag, @name; -word excludes";
        ToolError::new(format!("this search is not usable: {unclear}"), hint)
    };
    Ok(Filter {
        topics: vec![given.required("topic").to_owned()],
        sources: asked.source().await?.into_iter().collect(),
        tones: given.text("tone").and_then(Tone::parse).into_iter().collect(),
        authors: given.text("author").map(|author| author.trim_start_matches('@').to_owned()).into_iter().collect(),
        since: instant("since").max(instant("new_since")),
        words: given.text("search").map(parse_query).transpose().map_err(unclear)?,
        ..Filter::default()
    })
}

fn item(shown: &ShownItem) -> Result<Value, ToolError> {
    let mut item = quote_fields(&shown.row, OURS, IN_A_LIST)?;
    if let Some(fields) = item.as_object_mut() {
        let (many, copies) = &shown.copies;
        fields.insert("fit".to_owned(), json!(shown.fit));
        fields
            .insert("copies".to_owned(), json!({ "count": many, "data": quote_fields_of_all(copies, OURS_OF_COPY)? }));
    }
    Ok(item)
}
