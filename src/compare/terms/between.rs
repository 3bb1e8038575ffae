//! A topic's terms and themes in any span, for everything except reports. Reads the items of the span itself.

use super::items::TermsAsked;
use super::rows::{NoTermsReason, TopicTerms};
use super::topic_terms;
use crate::compare::{FilteredItems, apply_filter, relevance};
use crate::insight::daily::{Day, days, scorer_of};
use crate::insight::terms::BEFORE;
use crate::model::{CountedItem, Span, Time, Topic};
use crate::store::{ReadSnapshot, Store, StoreError};

/// The days of a report's charts, ending with the period: their items decide which scorer it uses.
const SCORED_BY: i32 = 14;
const DAY: i64 = 86_400_000;
/// A span that is longer than any local day.
const LONGER: i64 = DAY + DAY / 24;
/// Longest span in days: a month, and a day for other time zones.
pub const MOST_TERM_DAYS: i64 = 32;

/// How terms are read.
#[derive(Debug, Clone, Copy, Default)]
pub struct TermsOptions {
    /// Use the stored counts of earlier days without checking whether their items changed since: for pages, which are
    /// requested often.
    pub trusting: bool,
    /// Compare with no other topic, for readers who may not see all topics.
    pub alone: bool,
}

/// Returns the terms and themes of a span.
pub async fn terms_between(
    store: &Store,
    topic: &Topic,
    span: Span,
    options: TermsOptions,
) -> Result<TopicTerms, StoreError> {
    let TermsOptions { trusting, alone } = options;
    let four_weeks = Time(span.from.0 - (BEFORE as i64 + 2) * DAY);
    // These days decide which scorer counts and whether the items are about the question.
    let chart_days = days(Time(span.until.0 - 1), SCORED_BY, topic.timezone());
    let from = chart_days.first().map_or(span.from, |day| day.span.from.min(span.from));
    let from = if trusting { from.min(Time(span.from.0 - (span.until.0 - span.from.0))) } else { from.min(four_weeks) };
    let seen = Span { from, until: span.until };
    let asked_since = store.query_changes(&topic.id, Span { from: four_weeks, ..seen }).await?.into_iter().max();
    let mut snapshot = store.snapshot().await?;
    let terms = read(&mut snapshot, topic, TermsPeriod { span, seen, chart_days, asked_since, trusting, alone }).await;
    snapshot.end().await?;
    terms
}

/// The topic and the span to analyse.
struct TermsPeriod {
    span: Span,
    /// The range of first sightings of the items that are read.
    seen: Span,
    chart_days: Vec<Day>,
    asked_since: Option<Time>,
    trusting: bool,
    alone: bool,
}

async fn read(snapshot: &mut ReadSnapshot, topic: &Topic, terms_period: TermsPeriod) -> Result<TopicTerms, StoreError> {
    let TermsPeriod { span, seen, chart_days, asked_since, trusting, alone } = terms_period;
    let began = snapshot.first_run(&topic.id).await?;
    let marks = snapshot.counted_items(&topic.id, seen).await?;
    let FilteredItems { passed, hidden, .. } = apply_filter(snapshot, topic, marks).await?;
    let period: Vec<&CountedItem> = passed.iter().filter(|mark| span.contains(mark.moment())).collect();
    let from = chart_days.first().map_or(span.from, |day| day.span.from.min(span.from));
    let scorer = scorer_of(passed.iter().filter(|mark| mark.moment() >= from));
    let earlier = chart_days.iter().filter(|day| day.span.until <= span.from);
    let earlier = earlier.map(|day| passed.iter().filter(|mark| day.span.contains(mark.moment())));
    let relevance = relevance(snapshot, topic, period.iter().copied(), earlier).await?;
    let long = span.until.0 - span.from.0 > LONGER;
    if if long { relevance.is_clearly_off_topic() } else { relevance.is_off_topic() } {
        return Ok(TopicTerms::without_terms(NoTermsReason::Relevance, period.len()));
    }
    let request = TermsAsked {
        topic,
        passed: &passed,
        hidden: &hidden,
        period: &period,
        span,
        began,
        asked_since,
        scorer: scorer.as_deref(),
        trusting,
        explains: false,
        alone,
    };
    topic_terms(snapshot, request).await
}
