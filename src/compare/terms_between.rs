//! A topic's terms and themes of any span, for whoever is not making a report: the items are read here.

use super::term_rows::{TopicTerms, Untold};
use super::terms::{TermsAsked, topic_terms};
use super::{FilteredItems, relevance, sifted};
use crate::insight::daily::{days, scorer_of};
use crate::insight::terms::BEFORE;
use crate::model::{Mark, Span, Time, Topic};
use crate::store::{Moment, Store, StoreError};

/// Days whose items say which scorer a period is told by, its own the last: those of a report's charts.
const SCORED_BY: i32 = 14;
const DAY: i64 = 86_400_000;

/// The terms and themes of a span; `trusting` takes the days before as they were counted, without looking whether their
/// items are still the same: for pages, which are asked for often.
pub async fn terms_between(store: &Store, topic: &Topic, span: Span, trusting: bool) -> Result<TopicTerms, StoreError> {
    let back = if trusting { span.until.0 - span.from.0 } else { (BEFORE as i64 + 2) * DAY };
    let seen = Span { from: Time(span.from.0 - back), until: span.until };
    let history = Span { from: Time(span.from.0 - (BEFORE as i64 + 2) * DAY), until: span.until };
    let asked_since = store.asked_anew(&topic.id, history).await?.into_iter().max();
    let mut moment = store.moment().await?;
    let told = read(&mut moment, topic, span, seen, asked_since, trusting).await;
    moment.end().await?;
    told
}

async fn read(
    moment: &mut Moment,
    topic: &Topic,
    span: Span,
    seen: Span,
    asked_since: Option<Time>,
    trusting: bool,
) -> Result<TopicTerms, StoreError> {
    let began = moment.first_run(&topic.id).await?;
    let marks = moment.marks_of(&topic.id, seen).await?;
    let FilteredItems { meant, hidden, .. } = sifted(moment, topic, marks).await?;
    let period: Vec<&Mark> = meant.iter().filter(|mark| span.holds(mark.moment())).collect();
    let drawn = days(Time(span.until.0 - 1), SCORED_BY, topic.timezone());
    let from = drawn.first().map_or(span.from, |day| day.span.from.min(span.from));
    let scorer = scorer_of(meant.iter().filter(|mark| mark.moment() >= from));
    let earlier = drawn.iter().filter(|day| day.span.until <= span.from);
    let earlier = earlier.map(|day| meant.iter().filter(|mark| day.span.holds(mark.moment())));
    if relevance(moment, topic, period.iter().copied(), earlier).await?.is_astray() {
        return Ok(TopicTerms::untold(Untold::Relevance));
    }
    let asked = TermsAsked {
        topic,
        meant: &meant,
        hidden: &hidden,
        period: &period,
        span,
        began,
        asked_since,
        scorer: scorer.as_deref(),
        trusting,
    };
    topic_terms(moment, asked).await
}
