//! How far figures can be trusted, in sentences: which times nothing covered, and what is only a least figure. They hold
//! nothing that others wrote.

use super::asked::{Asked, DAY};
use super::trouble::Trouble;
use crate::compare::{TopicCoverage, coverage};
use crate::insight::{Cause, Coverage, Hole};
use crate::model::{Source, Span, Time};

/// Shorter holes are told together, milliseconds.
const SHORT: i64 = 60_000;
/// How far back holes are looked for beside other figures, milliseconds.
const LOOKED_AT: i64 = 40 * DAY;
/// Holes that are told of a source, the latest.
const TOLD: usize = 10;

/// What nothing covered of a topic in a period.
pub(super) async fn holes(asked: &Asked, topic: &str, period: Span) -> Result<Vec<String>, Trouble> {
    let from = period.from.max(Time(period.until.0 - LOOKED_AT));
    let earlier = (from > period.from).then(|| format!("Holes before {from} are not told here; get_coverage does."));
    let found = coverage(&asked.store, &[topic.to_owned()], Span { from, ..period }, &|_| true).await?;
    let pruned =
        found.pruned_until.map(|until| format!("Searches before {until} were pruned: nothing is known of that time."));
    Ok(earlier.into_iter().chain(pruned).chain(found.topics.iter().flat_map(sentences)).collect())
}

/// What nothing covered, source by source.
pub(super) fn sentences(topic: &TopicCoverage) -> Vec<String> {
    let mut told = Vec::new();
    for one in &topic.sources {
        let Coverage::Spans { holes, open, .. } = &one.coverage else { continue };
        let (long, short): (Vec<&Hole>, Vec<&Hole>) = holes.iter().partition(|hole| hole.stretch.length_ms >= SHORT);
        let left_out = long.len().saturating_sub(TOLD);
        if left_out > 0 {
            told.push(format!("{left_out} earlier times that {} did not cover are not told here.", one.source));
        }
        told.extend(long.into_iter().skip(left_out).map(|hole| sentence(one.source, hole)));
        if !short.is_empty() {
            told.push(format!("{} times of less than a minute were not covered by {}.", short.len(), one.source));
        }
        // What nothing was due for waits for the next search, which looks back over it.
        if let Some(hole) = open.as_ref().filter(|hole| hole.stretch.length_ms >= SHORT) {
            let Span { from, until } = hole.stretch.span;
            told.push(format!(
                "Between {from} and {until} nothing was searched yet by {}; the next search looks back over it.",
                one.source
            ));
        }
    }
    told
}

fn sentence(source: Source, hole: &Hole) -> String {
    let Span { from, until } = hole.stretch.span;
    let full = hole.causes.iter().any(|cause| cause.why == crate::insight::Why::Saturated);
    let what = if full { "there may be more than was found" } else { "nothing was searched successfully" };
    let causes: Vec<String> = hole.causes.iter().map(cause).collect();
    format!("Between {from} and {until} {what} by {source} ({}): figures of that time are too low.", causes.join("; "))
}

/// A cause without its detail, which may hold what a service said.
fn cause(cause: &Cause) -> String {
    let why = cause.why.as_str().replace('_', " ");
    if cause.count > 1 { format!("{why}, {} times", cause.count) } else { why }
}

/// A count, said as a least one where there may be more.
pub(super) fn least(count: u64, more: bool) -> String {
    if more { format!("at least {count}") } else { count.to_string() }
}
