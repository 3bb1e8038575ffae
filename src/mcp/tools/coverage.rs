//! The covered and missed time of a topic's sources.

use serde_json::{Value, json};

use crate::compare::coverage;
use crate::mcp::answer::Answer;
use crate::mcp::call::{DAY, ToolCall};
use crate::mcp::caveats;
use crate::mcp::error::ToolError;
use crate::mcp::quoting::IN_A_LIST;
use crate::mcp::quoting::quote_fields;
use crate::model::{Source, Span, Time};

/// Maximum number of days of a period.
const MOST_DAYS: i64 = 400;
/// Maximum number of spans and checks shown for a source: the latest ones.
const MAX_SPANS: usize = 50;

pub(super) async fn answer(call: ToolCall) -> Result<Answer, ToolError> {
    let topic = call.card().await?.topic;
    let since = call.given.instant("since", call.now).unwrap_or(Time(call.now.0 - 7 * DAY));
    let period = Span::new(since, call.now)
        .ok_or_else(|| ToolError::new("`since` is not in the past", "write a time before now, such as 7d"))?;
    if period.until.0 - period.from.0 > MOST_DAYS * DAY {
        let title = format!("the period is longer than {MOST_DAYS} days");
        return Err(ToolError::new(title, "use a shorter one; `topicwatch coverage` has no limit"));
    }
    let only = call.source().await?;
    let wanted = |source: Source| only.is_none_or(|only| only == source);
    let found = coverage(&call.store, std::slice::from_ref(&topic), period, call.now, &wanted).await?;
    let Some(one) = found.topics.first() else {
        return Err(ToolError::new(format!("topic `{topic}` has not run yet"), "list_topics says when it is due"));
    };
    let mut answer = Answer::default();
    answer.field("topic", &topic)?;
    answer.field("from", period.from)?;
    answer.field("until", period.until)?;
    answer.field("began", one.watched.began)?;
    answer.field("pruned_until", found.pruned_until)?;
    let mut sources = Vec::with_capacity(one.sources.len());
    for source in &one.sources {
        let mut value = serde_json::to_value(source)?;
        for left_out in shorten_lists(&mut value)? {
            answer.note(format!("{}: {left_out}", source.source));
        }
        sources.push(value);
    }
    answer.field("sources", sources)?;
    if let Some(until) = found.pruned_until {
        answer.note(caveats::pruned(until));
    }
    let holes = caveats::describe_holes(one);
    if holes.is_empty() {
        answer.note("Sources that look back over spans left no gaps.");
    }
    answer.notes(holes);
    Ok(answer)
}

/// Shortens the lists of a source, and quotes the details of causes, which may hold text from a service. Returns what
/// was left out.
fn shorten_lists(source: &mut Value) -> Result<Vec<String>, ToolError> {
    let mut notes = Vec::new();
    for name in ["had", "covered", "holes", "late_indexing", "checks"] {
        let Some(list) = source.get_mut(name).and_then(Value::as_array_mut) else { continue };
        let left_out = list.len().saturating_sub(MAX_SPANS);
        list.drain(..left_out);
        if left_out > 0 {
            notes.push(format!("the {left_out} earliest of `{name}` are omitted; use a shorter period to see them."));
        }
        for hole in list {
            quote_details(hole)?;
        }
    }
    if let Some(open) = source.get_mut("open") {
        quote_details(open)?;
    }
    Ok(notes)
}

fn quote_details(hole: &mut Value) -> Result<(), ToolError> {
    for cause in hole.get_mut("causes").and_then(Value::as_array_mut).into_iter().flatten() {
        *cause = json!(quote_fields(cause, &["why"], IN_A_LIST)?);
    }
    Ok(())
}
