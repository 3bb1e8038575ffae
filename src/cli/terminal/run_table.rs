//! The table that `once` prints at the end: one row per topic and source, sums, what went wrong and what to do.

use std::collections::{BTreeMap, HashMap};

use crate::cli::terminal::output;
use crate::collect::{MIXED, RunReport};
use crate::compare::hidden_new;
use crate::model::{Micros, RunState, SearchCost, SearchState, Source};
use crate::store::{Counts, DataOrigin, SearchRow, Store, StoreError};

/// Index of the column `filtered`.
const FILTERED: usize = 5;

/// Sums over runs.
#[derive(Debug, Default, serde::Serialize)]
pub(in crate::cli) struct Sums {
    pub(in crate::cli) runs: usize,
    pub(in crate::cli) ok: usize,
    #[serde(flatten)]
    pub(in crate::cli) counts: Counts,
    /// New items that the topics' filters hide. The other counts are the ledger's, before any filter.
    pub(in crate::cli) filtered: i64,
    #[serde(rename = "cost_usd")]
    pub(in crate::cli) cost: Micros,
    /// How much of it was assumed from a price.
    #[serde(rename = "assumed_usd")]
    pub(in crate::cli) assumed: Micros,
    /// Whether a source returned its maximum, failed, or returned nothing in error: there may be more.
    #[serde(skip)]
    is_least: bool,
}

/// New items that filters hide, by run and source. A run whose topic has no filter is absent.
pub(in crate::cli) type Hidden = HashMap<String, BTreeMap<Source, i64>>;

impl Sums {
    /// Describes how much was found, in parts that add up.
    pub(in crate::cli) fn found_parts(&self) -> String {
        let filtered = if self.filtered > 0 { format!("{} filtered + ", self.filtered) } else { String::new() };
        let Counts { found, new, duplicate, .. } = self.counts;
        let (found, new) =
            (output::at_least(found, self.is_least), output::at_least(new - self.filtered, self.is_least));
        format!("{found} found = {new} new + {filtered}{duplicate} duplicate")
    }

    /// The cost of the searches.
    pub(in crate::cli) fn paid(&self) -> SearchCost {
        SearchCost { total: self.cost, assumed: self.assumed }
    }
}

/// Whether what these runs found and cost is invented. A service on this machine may be a sandbox or not: only its
/// replies show this, and a reply that the database refused was real.
pub(in crate::cli) async fn is_invented(store: &Store, sandbox: bool, runs: &[String]) -> Result<bool, StoreError> {
    if sandbox || store.origin().await? != Some(DataOrigin::Sandbox) {
        return Ok(sandbox);
    }
    let searches = store.searches(runs).await?;
    let is_stored = |search: &SearchRow| matches!(search.state, SearchState::Ok | SearchState::Empty);
    Ok(searches.iter().any(is_stored) && searches.iter().all(|search| search.error_class.as_deref() != Some(MIXED)))
}

/// Counts the new items that filters hide. Costs nothing if no topic has a filter.
pub(in crate::cli) async fn hidden(store: &Store, reports: &[RunReport]) -> Result<Hidden, StoreError> {
    let runs: Vec<(&str, &str)> = reports.iter().map(|report| (&*report.run, &*report.topic)).collect();
    hidden_new(store, &runs).await
}

pub(in crate::cli) fn sums(reports: &[RunReport], hidden: &Hidden) -> Sums {
    let mut sums =
        Sums { runs: reports.len(), ok: reports.iter().filter(|r| r.state == RunState::Ok).count(), ..Sums::default() };
    sums.filtered = reports.iter().filter_map(|r| hidden.get(&r.run)).flat_map(BTreeMap::values).sum();
    for search in reports.iter().flat_map(|r| &r.searches) {
        sums.counts += search.counts;
        sums.cost = sums.cost.plus(search.cost);
        sums.assumed = sums.assumed.plus(search.assumed);
        sums.is_least |= search.may_be_more() || search.is_incomplete;
    }
    sums
}

/// Formats the number of new items, followed by those first seen that are not new.
pub(in crate::cli) fn format_new(new: i64, others: i64, is_least: bool) -> String {
    let new = output::at_least(new.max(0), is_least);
    if others == 0 { new } else { format!("{new} (+{others})") }
}

/// Describes an error, without saying the same word twice.
pub(in crate::cli) fn error_words(class: &str, text: &str) -> String {
    if text.is_empty() || text == class { class.to_owned() } else { format!("{class}: {text}") }
}

/// Returns only what went wrong.
pub(in crate::cli) fn problems(reports: &[RunReport]) -> Vec<String> {
    let mut lines = Vec::new();
    for report in reports.iter().filter(|report| report.state != RunState::Ok) {
        // A search that was left out because it was not needed is no problem.
        let wrong = |state: SearchState, hint: bool| match state {
            SearchState::Ok | SearchState::Empty => false,
            SearchState::NotRun => hint,
            _ => true,
        };
        let failed = report.searches.iter().filter(|search| wrong(search.state, search.hint.is_some()));
        for search in failed {
            let note = output::truncate(search.note.as_deref().unwrap_or(""), 300);
            lines.push(format!("error: {} {} {}: {note}", report.topic, search.source, search.state));
            lines.extend(search.hint.as_ref().map(|hint| format!("hint: {}", output::truncate(hint, 300))));
        }
        if lines.is_empty() {
            lines.push(format!("error: {}: {}", report.topic, report.state));
        }
    }
    lines
}

pub(in crate::cli) fn render(reports: &[RunReport], hidden: &Hidden) -> String {
    let mut rows = Vec::new();
    let mut notes = Vec::new();
    for report in reports {
        for (place, search) in report.searches.iter().enumerate() {
            let topic = if place == 0 { report.topic.clone() } else { String::new() };
            let number =
                |n: i64| if search.state.has_counts(search.counts.found) { n.to_string() } else { "-".to_owned() };
            let least = |n: i64| if search.may_be_more() { output::at_least(n, true) } else { number(n) };
            let c = search.counts;
            let filtered = hidden.get(&report.run).and_then(|of| of.get(&search.source)).copied().unwrap_or(0);
            rows.push(vec![
                topic,
                search.source.to_string(),
                search.state.to_string(),
                least(c.found),
                least(c.new - filtered),
                number(filtered),
                number(c.duplicate),
                number(c.outside),
                search.cost.to_string(),
                search.latency_ms.map_or_else(|| "-".to_owned(), |ms| format!("{ms} ms")),
            ]);
            if let Some(note) = &search.note {
                notes.push((
                    format!("{} {}: {}", report.topic, search.source, output::truncate(note, 300)),
                    search.hint.clone(),
                ));
            }
        }
    }
    let mut header =
        vec!["topic", "source", "state", "found", "new", "filtered", "duplicate", "outside", "cost", "time"];
    let sums = sums(reports, hidden);
    // Without hidden items the column is useless.
    if sums.filtered == 0 {
        header.remove(FILTERED);
        for row in &mut rows {
            row.remove(FILTERED);
        }
    }
    let numbers: Vec<usize> = (3..header.len()).collect();
    let mut text = output::table(&header, rows, &numbers);
    text.push_str(&format!(
        "\n{} · {} · cost {}\n",
        states(reports, reports.len(), "run"),
        sums.found_parts(),
        sums.paid()
    ));
    render_notes(&mut text, &notes);
    text
}

/// Describes how the runs ended: `3 of 3 runs ok`, or `3 runs: 2 ok, 1 partial`. There were to be `all`, each of one `unit`.
pub(in crate::cli) fn states(reports: &[RunReport], all: usize, unit: &str) -> String {
    let of = |state: RunState| reports.iter().filter(|report| report.state == state).count();
    let units = if all == 1 { unit.to_owned() } else { format!("{unit}s") };
    if of(RunState::Ok) == all {
        return format!("{all} of {all} {units} ok");
    }
    let counted = RunState::ALL.iter().map(|state| (of(*state), state)).filter(|(many, _)| *many > 0);
    let mut counted: Vec<String> = counted.map(|(many, state)| format!("{many} {state}")).collect();
    let left = all.saturating_sub(reports.len());
    if left > 0 {
        counted.push(format!("{left} not searched"));
    }
    format!("{all} {units}: {}", counted.join(", "))
}

/// Appends the first notes, then each hint once.
fn render_notes(text: &mut String, notes: &[(String, Option<String>)]) {
    const MOST: usize = 12;
    for (note, _) in notes.iter().take(MOST) {
        text.push_str(&format!("  {note}\n"));
    }
    if notes.len() > MOST {
        text.push_str(&format!("  … and {} more: topicwatch runs --searches\n", notes.len() - MOST));
    }
    let mut hints: Vec<&String> =
        notes.iter().filter_map(|(_, hint)| hint.as_ref()).filter(|h| !h.is_empty()).collect();
    hints.sort_unstable();
    hints.dedup();
    for hint in hints.into_iter().take(MOST) {
        text.push_str(&format!("hint: {}\n", output::escape_control(hint)));
    }
}
