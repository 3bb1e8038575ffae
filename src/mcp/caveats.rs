//! Sentences on how far figures can be trusted: which times were not covered, and which counts are minimums. They
//! hold no text of others.

use super::call::{DAY, ToolCall};
use super::error::ToolError;
use crate::compare::{TopicCoverage, coverage};
use crate::insight::{Cause, Coverage, Hole, HoleCause, SourceCoverage};
use crate::model::{Source, Span, Time};

/// Shorter holes are only counted. In milliseconds.
const SHORT: i64 = 60_000;
/// How far back to look for holes that affect other figures, in milliseconds.
const HOLES_WITHIN: i64 = 40 * DAY;
/// Maximum number of holes listed for a source: the latest ones.
const MAX_HOLES: usize = 10;

/// The holes of a topic in a period, in sentences.
pub(super) async fn holes(call: &ToolCall, topic: &str, period: Span) -> Result<Vec<String>, ToolError> {
    let from = period.from.max(Time(period.until.0 - HOLES_WITHIN));
    let earlier = (from > period.from)
        .then(|| format!("Gaps before {} are not listed here; see get_coverage.", from.iso_millis()));
    let found = coverage(&call.store, &[topic.to_owned()], Span { from, ..period }, call.now, &|_| true).await?;
    let pruned = found.pruned_until.map(pruned);
    Ok(earlier.into_iter().chain(pruned).chain(found.topics.iter().flat_map(describe_holes)).collect())
}

/// Says that earlier searches were pruned.
pub(super) fn pruned(until: Time) -> String {
    format!("Searches before {} were pruned: nothing is known about that time.", until.iso_millis())
}

/// The holes of a topic in sentences, source by source. Times look as in the fields of the answer.
pub(super) fn describe_holes(topic: &TopicCoverage) -> Vec<String> {
    let mut sentences = Vec::new();
    for one in &topic.sources {
        sentences.extend(part_time(one));
        let Coverage::Spans { holes, open, .. } = &one.coverage else { continue };
        let (long, short): (Vec<&Hole>, Vec<&Hole>) = holes.iter().partition(|hole| hole.span.length_ms >= SHORT);
        let left_out = long.len().saturating_sub(MAX_HOLES);
        if left_out > 0 {
            sentences.push(format!("{left_out} earlier gaps of {} are not listed here.", one.source));
        }
        sentences.extend(long.into_iter().skip(left_out).map(|hole| sentence(one.source, hole)));
        if !short.is_empty() {
            sentences.push(format!("Gaps of {} that are shorter than a minute: {}.", one.source, short.len()));
        }
        // If nothing was due, the next search looks back over the open span.
        if let Some(hole) = open.as_ref().filter(|hole| hole.span.length_ms >= SHORT) {
            let due = hole.causes.iter().any(|cause| cause.why != HoleCause::NothingDue);
            sentences.push(if due {
                sentence(one.source, hole)
            } else {
                let span = from_to(hole.span.span);
                format!("No search by {} covers {span} yet; the next one looks back over it.", one.source)
            });
        }
    }
    sentences
}

/// Says when the topic had a source, if that was a part of the period.
fn part_time(one: &SourceCoverage) -> Option<String> {
    let had = one.had.as_deref().filter(|had| !had.is_empty())?;
    let left_out = had.len().saturating_sub(MAX_HOLES);
    let mut spans: Vec<String> = had.iter().skip(left_out).map(|span| format!("from {}", from_to(*span))).collect();
    if left_out > 0 {
        spans.insert(0, format!("in {left_out} earlier spans that are not listed here"));
    }
    // A backfill may have covered some of it.
    let known = match &one.coverage {
        Coverage::Spans { .. } => "known only where it is covered",
        Coverage::Checks { .. } => "not known",
    };
    let (source, spans) = (one.source, spans.join(", "));
    Some(format!("The topic had {source} only {spans}: what it would have found in the rest is {known}."))
}

fn sentence(source: Source, hole: &Hole) -> String {
    let span = from_to(hole.span.span);
    let full = hole.causes.iter().any(|cause| cause.why == HoleCause::Saturated);
    let what = if full { "may have missed items from" } else { "did not cover" };
    let causes: Vec<String> = hole.causes.iter().map(cause).collect();
    format!("{source} {what} {span} ({}): figures for that time are too low.", causes.join("; "))
}

/// The ends of a span.
fn from_to(span: Span) -> String {
    format!("{} to {}", span.from.iso_millis(), span.until.iso_millis())
}

/// A cause without its detail, which may hold text of a service.
fn cause(cause: &Cause) -> String {
    if cause.why == HoleCause::NothingDue {
        return "no search reached it".to_owned();
    }
    let why = cause.why.as_str().replace('_', " ");
    if cause.count > 1 { format!("{why}, {} times", cause.count) } else { why }
}

/// A count, written as a minimum if there may be more.
pub(super) fn at_least(count: u64, more: bool) -> String {
    if more { format!("at least {count}") } else { count.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::insight::SpanLength;
    use crate::model::WatchedTopic;

    const HOUR: i64 = 3_600_000;

    fn hole(from: i64, until: i64, causes: &[(HoleCause, usize)]) -> Hole {
        let span = Span { from: Time(from), until: Time(until) };
        // Text of a service must not appear as our own.
        let cause =
            |(why, count): &(HoleCause, usize)| Cause { why: *why, count: *count, detail: Some("obey".to_owned()) };
        let length = SpanLength { span, length_ms: until - from };
        Hole { span: length, causes: causes.iter().map(cause).collect() }
    }

    /// The same for a topic that also had a web source in these spans.
    fn describe_with_web(holes: Vec<Hole>, open: Option<Hole>, had: Option<Vec<Span>>) -> Vec<String> {
        let coverage = Coverage::Spans {
            covered: Vec::new(),
            holes,
            open,
            covered_ms: 0,
            holes_ms: 0,
            late_indexing: Vec::new(),
            late_indexing_ms: 0,
            covered_share: None,
        };
        let watched = WatchedTopic {
            topic: "acme".to_owned(),
            began: Time(0),
            filled_from: None,
            ended: None,
            paused: false,
            next: None,
            definition: None,
        };
        let social = SourceCoverage { source: Source::Social, had: None, coverage };
        let checks = Coverage::Checks { checks: Vec::new(), failed: 0, largest_distance_ms: None };
        let web = SourceCoverage { source: Source::Web, had, coverage: checks };
        describe_holes(&TopicCoverage { watched, sources: vec![social, web] })
    }

    fn describe(holes: Vec<Hole>, open: Option<Hole>) -> Vec<String> {
        describe_with_web(holes, open, None)
    }

    #[test]
    fn holes_are_described_with_causes_and_without_foreign_text() {
        let missed = hole(0, HOUR, &[(HoleCause::FailedSearch, 1), (HoleCause::MissedSlot, 3)]);
        let short = hole(HOUR, HOUR + 1_000, &[(HoleCause::NothingDue, 1)]);
        let full = hole(2 * HOUR, 3 * HOUR, &[(HoleCause::Saturated, 1)]);
        let open = hole(5 * HOUR, 6 * HOUR, &[(HoleCause::NothingDue, 1)]);
        let expected = [
            "social did not cover 1970-01-01T00:00:00.000Z to 1970-01-01T01:00:00.000Z (failed search; missed slot, 3 times): \
             figures for that time are too low.",
            "social may have missed items from 1970-01-01T02:00:00.000Z to 1970-01-01T03:00:00.000Z (saturated): figures for \
             that time are too low.",
            "Gaps of social that are shorter than a minute: 1.",
            "No search by social covers 1970-01-01T05:00:00.000Z to 1970-01-01T06:00:00.000Z yet; the next one looks back over it.",
        ];
        assert_eq!(describe(vec![missed, short, full], Some(open)), expected);
        let failed = hole(5 * HOUR + 470, 6 * HOUR, &[(HoleCause::NothingDue, 1), (HoleCause::FailedSearch, 3)]);
        let expected = "social did not cover 1970-01-01T05:00:00.470Z to 1970-01-01T06:00:00.000Z (no search reached it; \
                        failed search, 3 times): figures for that time are too low.";
        assert_eq!(describe(Vec::new(), Some(failed)), [expected]);
        assert_eq!(describe(Vec::new(), None), [""; 0]);
        let many = (0..12).map(|n| hole(n * HOUR, n * HOUR + 100_000, &[(HoleCause::NotAsked, 1)])).collect();
        let sentences = describe(many, None);
        assert_eq!((sentences.len(), &*sentences[0]), (11, "2 earlier gaps of social are not listed here."));
    }

    #[test]
    fn a_removed_source_is_described_as_known_for_a_part_only() {
        let span = |from: i64, until: i64| Span { from: Time(from * HOUR), until: Time(until * HOUR) };
        let expected = "The topic had web only from 1970-01-01T00:00:00.000Z to 1970-01-01T02:00:00.000Z, \
                        from 1970-01-01T05:00:00.000Z to 1970-01-01T06:00:00.000Z: what it would have found in the rest is not known.";
        assert_eq!(describe_with_web(Vec::new(), None, Some(vec![span(0, 2), span(5, 6)])), [expected]);
        // A source that was added but not searched yet.
        assert_eq!(describe_with_web(Vec::new(), None, Some(Vec::new())), [""; 0]);
    }
}
