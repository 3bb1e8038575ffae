//! The changes in a topic between two runs.

use crate::compare::{NoStart, Since, begin, changes_between, run_range};
use crate::insight::{ChangeCounts, Changes};
use crate::mcp::answer::Answer;
use crate::mcp::call::ToolCall;
use crate::mcp::caveats::{self, at_least};
use crate::mcp::error::ToolError;
use crate::mcp::quoting::quote_fields_of_all;
use crate::model::{EMPTY_REPLY, Span, Time, Topic, excerpt};
use crate::schedule::{INSTANTS, parse_instant};

/// Fields of a changed item that are ours.
const OURS: &[&str] = &[
    "key",
    "kind",
    "published_at",
    "cluster",
    "run",
    "first_seen",
    "fit",
    "sources",
    "source",
    "last_seen",
    "missed",
    "at",
    "from",
    "until",
];

pub(super) async fn answer(call: ToolCall) -> Result<Answer, ToolError> {
    let topic = call.topic().await?;
    let since = since(&call, &topic).await?;
    let between = run_range(&call.store, &topic.id, since, None).await?.ok_or_else(|| {
        ToolError::new(
            format!("topic `{}` has no run with results yet", topic.id),
            "list_topics says when its next one is due",
        )
    })?;
    let most = call.given.number("limit") as usize;
    let changes = changes_between(&call.store, &topic, between, most, false).await?;
    let from = changes.since.as_ref().or(changes.first.as_ref()).map(|point| point.at);
    let until = changes.until.as_ref().map(|point| Time(point.at.0.saturating_add(1)));
    let span = from.zip(until).and_then(|(from, until)| Span::new(from, until));
    let mut answer = Answer::default();
    answer.notes(describe_counts(&changes.counts));
    if let Some(span) = span {
        answer.notes(call.store.pruned_summary(&topic.id, span).await?.describe());
        answer.notes(caveats::holes(&call, &topic.id, span).await?);
    }
    if changes.until.is_none() {
        answer.note("There has been no run since then.");
    }
    fill(&mut answer, &topic, &changes)?;
    Ok(answer)
}

fn fill(answer: &mut Answer, topic: &Topic, changes: &Changes) -> Result<(), ToolError> {
    answer.field("topic", &topic.id)?;
    answer.field("since", &changes.since)?;
    answer.field("first", &changes.first)?;
    answer.field("until", &changes.until)?;
    answer.field("runs", changes.runs)?;
    answer.field("counts", changes.counts)?;
    answer.field("sources", &changes.sources)?;
    answer.field("new", quote_fields_of_all(&changes.new, OURS)?)?;
    answer.field("outside", quote_fields_of_all(&changes.outside, OURS)?)?;
    answer.field("gone", quote_fields_of_all(&changes.gone, OURS)?)?;
    answer.field("edited", quote_fields_of_all(&changes.edited, OURS)?)?;
    answer.field("rising", quote_fields_of_all(&changes.rising, OURS)?)
}

/// The counts in words.
fn describe_counts(counts: &ChangeCounts) -> Vec<String> {
    let new = at_least(counts.new as u64, counts.may_be_more_new());
    let [gone, edited, rising] =
        [counts.gone, counts.edited, counts.rising].map(|many| at_least(many as u64, counts.may_be_more_changed()));
    let mut notes = vec![format!("{new} new, {gone} gone, {edited} edited, {rising} rising.")];
    notes.extend(counts.pruned_note().map(|note| format!("Note: {note}.")));
    if counts.full {
        notes.push("A source returned its maximum: there may be more new items.".to_owned());
    }
    if counts.failed {
        notes.push("A source failed in the last run: there may be more new items.".to_owned());
    }
    if counts.emptied {
        notes.push(format!("In the last run there was {EMPTY_REPLY}: there may be more new items."));
    }
    if counts.searches_pruned {
        notes
            .push("Searches were pruned, and may have returned their maximum: there may be more new items.".to_owned());
    }
    if counts.cut {
        notes.push("The period is too long to read at once; only its latest part was read.".to_owned());
    }
    if counts.baseline > 0 {
        let many = at_least(counts.baseline as u64, counts.cut);
        notes.push(format!("Not counted as new, because of the first answer to a query: {many}."));
    }
    if counts.filtered > 0 {
        let many = at_least(counts.filtered as u64, counts.may_be_more_new());
        notes.push(format!("Newly seen, but hidden by the topic's filter: {many}."));
    }
    notes
}

async fn since(call: &ToolCall, topic: &Topic) -> Result<Since, ToolError> {
    let Some(named) = call.given.text("since") else { return Ok(Since::TheRunBefore) };
    let at = parse_instant(named, call.now);
    begin(&call.store, topic, named, at, &call.settings.reports).await.map_err(|error| match error {
        NoStart::Store(error) => error.into(),
        NoStart::NoReport(_) => ToolError::new(error.to_string(), "compare with a run or a time: 24h"),
        NoStart::NotEnded => ToolError::new(format!("run `{}` has not ended", excerpt(named)), "name a finished run"),
        NoStart::Unknown(_) => ToolError::new(
            format!("`since` cannot be `{}`: {error}", excerpt(named)),
            format!("name a run, or {INSTANTS}"),
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_a_cut_diff_are_lower_bounds() {
        let counts = ChangeCounts { edited: 3, ..ChangeCounts::default() };
        assert_eq!(describe_counts(&counts), ["0 new, 0 gone, 3 edited, 0 rising."]);
        let all = |many| at_least(many, true);
        let expected = format!("{} new, {} gone, {} edited, {} rising.", all(0), all(0), all(3), all(0));
        assert_eq!(describe_counts(&ChangeCounts { cut: true, ..counts })[0], expected);
    }
}
