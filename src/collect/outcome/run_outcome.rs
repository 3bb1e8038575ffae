//! The outcome of a run: its state from those of its searches, the items that its answer cites, and its report. Pure.

use std::collections::BTreeSet;

use super::search_outcome::{Fetched, INTERRUPTED};
use crate::collect::{RunReport, SearchReport};
use crate::insight::daily::{extract_links, without_last_word};
use crate::model::{Answer, Micros, RunState, SearchState, Source, missed_items, page_key_of_entry};
use crate::normalise::link_key;
use crate::store::{Counts, DataOrigin, RunRef, SeenItem, StoreError};

/// Returns state, reason, and the first error.
pub(in crate::collect) fn of(searches: &[Fetched]) -> (RunState, Option<String>, Option<(String, String)>) {
    let error = searches.iter().find_map(|s| s.result.error.clone());
    let good = searches.iter().filter(|s| answered(s)).count();
    let over = searches.iter().filter(|s| s.result.state == SearchState::OverQuota).count();
    // A search left out on purpose does not count. One left out because of a refusal carries its error.
    let left_out = searches
        .iter()
        .filter(|s| s.result.state == SearchState::NotRun && s.result.error.is_none() && !interrupted_search(s))
        .count();
    let bad = searches.len() - good - over - left_out;
    // A part of an answer is better than nothing.
    let part = searches.iter().any(|s| s.part_of_answer);
    let reason = searches
        .iter()
        .filter(|s| s.result.state == SearchState::OverQuota || interrupted_search(s))
        .find_map(|s| s.result.reason.clone());
    // A search that was answered in part, such as 11 of 12 feeds.
    let marred = searches.iter().any(|s| answered(s) && s.result.error.is_some());
    let state = match (good, over, bad) {
        (_, 0, 0) if marred => RunState::Partial,
        (_, 0, 0) => RunState::Ok,
        (0, 1.., 0) => RunState::OverQuota,
        (0, _, _) if !part => RunState::Failed,
        _ => RunState::Partial,
    };
    (state, reason, error)
}

fn answered(search: &Fetched) -> bool {
    matches!(search.result.state, SearchState::Ok | SearchState::Empty)
}

/// Whether nothing is known about new items, because every search failed or was not made.
pub(in crate::collect) fn none_answered(searches: &[Fetched]) -> bool {
    !searches.iter().any(answered)
}

/// Why no summary of new items is requested.
pub(in crate::collect) const NO_OTHER: &str = "no other source answered";
pub(in crate::collect) const NOTHING_NEW: &str = "nothing new was found";

/// Returns why there is nothing to write about.
pub(in crate::collect) fn no_prompt_items_reason(searches: &[Fetched]) -> &'static str {
    if none_answered(searches) { NO_OTHER } else { NOTHING_NEW }
}

fn interrupted_search(search: &Fetched) -> bool {
    search.result.reason.as_deref() == Some(INTERRUPTED)
}

/// Whether a run was interrupted before any search was answered. If it found nothing, it can be given back: its slot runs again, and a call in
/// progress is on record at its price.
pub(in crate::collect) fn is_fully_interrupted(searches: &[Fetched]) -> bool {
    searches.iter().all(|s| match s.result.state {
        SearchState::NotRun => s.result.error.is_none(),
        state => state == SearchState::Lost,
    })
}

/// Returns whether the replies are invented or real; `None` if there are none.
pub(in crate::collect) fn origin(searches: &[Fetched], is_sandbox: bool) -> Option<DataOrigin> {
    let answered = searches.iter().any(|s| s.result.raw.is_some());
    let invented = is_sandbox || searches.iter().any(|s| s.invented);
    answered.then_some(if invented { DataOrigin::Sandbox } else { DataOrigin::Real })
}

/// Error class of findings that may not be stored in this database.
pub const MIXED: &str = "mixed";

/// Removes the replies from the searches of a run whose findings the database refuses.
pub(in crate::collect) fn drop_replies(mut searches: Vec<Fetched>, why: &StoreError) -> Vec<Fetched> {
    for search in &mut searches {
        if search.result.raw.take().is_none() {
            continue;
        }
        search.result.state = SearchState::Error;
        search.result.error = Some((MIXED.to_owned(), why.text.clone()));
        search.result.covered = None;
        search.hint = Some(why.hint.clone());
    }
    searches
}

/// Returns the report of a run that was given back: with a slot it is queued again, a manual one is cancelled.
pub(in crate::collect) fn interrupted(run: &RunRef, searches: Vec<Fetched>) -> RunReport {
    let state = if run.slot.is_some() { RunState::Queued } else { RunState::Cancelled };
    report(run, state, Some(INTERRUPTED.into()), searches, &[])
}

/// Returns the keys of the items that an answer cites: those that came with it, those whose address it names, and those
/// addresses, which may be of items found before. The store keeps those that its topic knows.
pub(in crate::collect) fn cited(answer: &Answer, items: &[SeenItem]) -> Vec<String> {
    let text = if answer.partial { without_last_word(&answer.text) } else { &*answer.text };
    let linked: BTreeSet<String> = extract_links(text).0.into_iter().filter_map(link_key).collect();
    // Posts of most networks have a key of their own besides that of their address.
    let leads_to = |item: &SeenItem| {
        let addresses = item.sightings.iter().filter_map(|sighting| link_key(sighting.found.url.as_deref()?));
        addresses.into_iter().any(|address| linked.contains(&address))
    };
    let names = |item: &SeenItem| {
        let of =
            |key: &String| linked.contains(key) || page_key_of_entry(key).is_some_and(|page| linked.contains(page));
        item.keys.iter().any(of) || leads_to(item)
    };
    let mut keys: Vec<String> = items
        .iter()
        .filter(|item| item.sightings.iter().any(|s| s.source == Source::Ai) || names(item))
        .filter_map(|item| item.keys.first().cloned())
        .collect();
    keys.extend(linked.iter().cloned());
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Builds the report of a run.
pub(in crate::collect) fn report(
    run: &RunRef,
    state: RunState,
    reason: Option<String>,
    searches: Vec<Fetched>,
    counts: &[(Source, Counts)],
) -> RunReport {
    let clears_at = searches.iter().filter_map(|s| s.result.clears_at).max();
    let searches = searches
        .into_iter()
        .map(|Fetched { result, hint, widened, empty_in_error, .. }| SearchReport {
            source: result.source,
            state: result.state,
            counts: counts.iter().find(|(source, _)| *source == result.source).map(|(_, c)| *c).unwrap_or_default(),
            saturated: result.saturated,
            empty_in_error,
            is_incomplete: missed_items(
                result.source,
                result.operation,
                result.state,
                result.error.is_some() || empty_in_error,
            ),
            cost: result.cost,
            latency_ms: result.latency_ms,
            requested_span: result.requested_span,
            covered: result.covered,
            widened,
            note: result
                .error
                .map(|(class, text)| if class == text { text } else { format!("{class}: {text}") })
                .or(result.reason),
            clears_at: result.clears_at,
            hint,
            assumed: if result.cost_basis == "assumed" { result.cost } else { Micros(0) },
        })
        .collect();
    RunReport { run: run.public_id.clone(), topic: run.topic.id.clone(), state, reason, clears_at, searches }
}
