//! A topic's items: searched, filtered and ordered; the same page as in the API.

use serde_json::{Value, json};

use crate::compare::{FilterMode, ListOptions, Ranking, ShownItem, list_items};
use crate::mcp::answer::Answer;
use crate::mcp::call::{DAY, ToolCall};
use crate::mcp::caveats;
use crate::mcp::error::ToolError;
use crate::mcp::quoting::{IN_A_LIST, quote_fields, quote_fields_of_all};
use crate::model::{Span, Time, Tone, excerpt};
use crate::normalise::words::{VERSION, parse_query};
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

pub(super) async fn answer(call: ToolCall) -> Result<Answer, ToolError> {
    let (store, arguments) = (&call.store, &call.given);
    let card = call.card().await?;
    let folded = arguments.text("copies") != Some("all");
    let order = match arguments.text("order") {
        Some("engagement") => ItemOrder::Reactions,
        Some("negative") => ItemOrder::Negative,
        Some("positive") => ItemOrder::Positive,
        _ => ItemOrder::New,
    };
    let filter = filter(&call).await?;
    let after = call.position()?.map(|at| ItemCursor { value: at.value, key: at.key });
    let listed = store.list_items(&filter, folded, order, after.as_ref(), arguments.number("limit")).await?;
    let ranking = Ranking::of(store, &card.topic).await?;
    let options = ListOptions {
        topic: &card.topic,
        filtered: arguments.text("filtered").and_then(FilterMode::parse).unwrap_or(FilterMode::Hide),
        without_noise: false,
        new_since: arguments.instant("new_since", call.now),
        copies: folded.then_some(COPIES),
        folded: Some(&filter).filter(|_| folded),
    };
    let list = list_items(store, ranking.as_ref(), listed.rows, options).await?;
    let waiting = if arguments.text("search").is_some() { store.index_backlog(VERSION).await? } else { 0 };
    let complete = order == ItemOrder::New || listed.whole;

    let mut answer = Answer::default();
    answer.field("items", list.items.iter().map(item).collect::<Result<Vec<_>, _>>()?)?;
    answer.field("filtered", list.hidden)?;
    answer.field("outside", list.outside)?;
    answer.field("complete", complete)?;
    answer.field("unindexed", waiting)?;
    if list.hidden > 0 && options.filtered == FilterMode::Hide {
        let of_copies = if folded { " (near-copies count once; one that it shows is listed instead)" } else { "" };
        answer.note(format!("Items of this page that the topic's filter hides: {}{of_copies}.", list.hidden));
    }
    if list.outside > 0 {
        answer.note(format!(
            "Items of this page omitted because they were outside the topic's window when they were found, or stored by a clock that was ahead: {}.",
            list.outside
        ));
    }
    if !complete {
        answer.note("In this order, at most the 1,000 items first seen most recently are considered.");
    }
    if waiting > 0 {
        answer.note(format!("Items not indexed yet, which cannot be found by their words: {waiting}."));
    }
    let since = filter.since.unwrap_or(Time(call.now.0 - LATELY));
    if let Some(period) = Span::new(since, call.now) {
        answer.notes(caveats::holes(&call, &card.topic, period).await?);
    }
    answer.next(listed.next.map(|place| call.cursor(place.value, &place.key)))?;
    Ok(answer)
}

async fn filter(call: &ToolCall) -> Result<Filter, ToolError> {
    let arguments = &call.given;
    let instant = |name| arguments.instant(name, call.now);
    let unclear = |unclear| {
        let hint = "write words, \"a phrase\", prefix*, #hashtag, @name; -word excludes; \
                    for example: acme \"price rise\" -jobs";
        ToolError::new(format!("`search` cannot be `{}`: {unclear}", excerpt(arguments.required("search"))), hint)
    };
    Ok(Filter {
        topics: vec![arguments.required("topic").to_owned()],
        sources: call.source().await?.into_iter().collect(),
        tones: arguments.text("tone").and_then(Tone::parse).into_iter().collect(),
        authors: arguments.text("author").map(|author| author.trim_start_matches('@').to_owned()).into_iter().collect(),
        since: instant("since").max(instant("new_since")),
        words: arguments.text("search").map(parse_query).transpose().map_err(unclear)?,
        ..Filter::default()
    })
}

fn item(shown_item: &ShownItem) -> Result<Value, ToolError> {
    let mut item = quote_fields(&shown_item.row, OURS, IN_A_LIST)?;
    if let Some(fields) = item.as_object_mut() {
        let (many, copies) = &shown_item.copies;
        fields.insert("fit".to_owned(), json!(shown_item.fit));
        fields
            .insert("copies".to_owned(), json!({ "count": many, "data": quote_fields_of_all(copies, OURS_OF_COPY)? }));
    }
    Ok(item)
}
