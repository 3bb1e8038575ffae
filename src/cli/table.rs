//! The table that `once` ends with: one row per topic and source, sums that add up, what went wrong and what to do.

use super::output;
use crate::collect::RunReport;
use crate::model::{Micros, RunState, SearchState};
use crate::store::Counts;

/// Sums over runs.
#[derive(Debug, Default, serde::Serialize)]
pub(super) struct Sums {
    pub(super) runs: usize,
    pub(super) ok: usize,
    #[serde(flatten)]
    pub(super) counts: Counts,
    #[serde(rename = "cost_usd")]
    pub(super) cost: Micros,
}

pub(super) fn sums(reports: &[RunReport]) -> Sums {
    let mut sums =
        Sums { runs: reports.len(), ok: reports.iter().filter(|r| r.state == RunState::Ok).count(), ..Sums::default() };
    for search in reports.iter().flat_map(|r| &r.searches) {
        let c = search.counts;
        sums.counts.found += c.found;
        sums.counts.new += c.new;
        sums.counts.duplicate += c.duplicate;
        sums.counts.outside += c.outside;
        sums.counts.undated += c.undated;
        sums.cost = sums.cost.plus(search.cost);
    }
    sums
}

pub(super) fn drawn(reports: &[RunReport]) -> String {
    let mut rows = Vec::new();
    let mut notes = Vec::new();
    for report in reports {
        for (place, search) in report.searches.iter().enumerate() {
            let topic = if place == 0 { report.topic.clone() } else { String::new() };
            let number = |n: i64| {
                if matches!(search.state, SearchState::Ok | SearchState::Empty | SearchState::Error) {
                    n.to_string()
                } else {
                    "-".to_owned()
                }
            };
            let found =
                if search.saturated { format!("≥{}", search.counts.found) } else { number(search.counts.found) };
            let c = search.counts;
            rows.push(vec![
                topic,
                search.source.to_string(),
                search.state.to_string(),
                found,
                number(c.new),
                number(c.duplicate),
                number(c.outside),
                search.cost.to_string(),
                search.latency_ms.map_or_else(|| "-".to_owned(), |ms| format!("{ms} ms")),
            ]);
            if (search.state != SearchState::Ok || search.widened)
                && let Some(note) = &search.note
            {
                notes.push((
                    format!("{} {}: {}", report.topic, search.source, output::brief(note, 300)),
                    search.hint.clone(),
                ));
            }
        }
    }
    let header = ["topic", "source", "state", "found", "new", "duplicate", "outside", "cost", "time"];
    let mut text = output::table(&header, rows, &[3, 4, 5, 6, 7, 8]);
    let sums = sums(reports);
    text.push_str(&format!(
        "\n{} of {} runs ok · {} found = {} new + {} duplicate · cost {}\n",
        sums.ok, sums.runs, sums.counts.found, sums.counts.new, sums.counts.duplicate, sums.cost
    ));
    said_once(&mut text, &notes);
    text
}

/// The same trouble in every topic is told once, with how often; each hint once.
fn said_once(text: &mut String, notes: &[(String, Option<String>)]) {
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
        text.push_str(&format!("hint: {}\n", output::visible(hint)));
    }
}
