//! A topic's last fourteen local days as pages draw them: what was counted of them, and what of them nothing covered.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::draw::chart::{self, Chart, ChartDay, Gap};
use crate::draw::format;
use crate::draw::spark::SparkDay;
use crate::insight::daily::{Day, days, share};
use crate::insight::{Coverage, covered};
use crate::model::{DayCount, Span, Time, TopicCard};
use crate::web::problem::Problem;
use crate::web::site::Site;

/// Days of a chart.
const DAYS: i32 = 14;
/// Shorter holes are not drawn, milliseconds.
const SHORT: i64 = 60_000;

/// What was counted of topics, by topic.
pub(super) struct Counted(BTreeMap<String, Vec<DayCount>>);

pub(super) async fn read(site: &Site, cards: &[TopicCard]) -> Result<Counted, Problem> {
    let ids: Vec<String> = cards.iter().map(|card| card.topic.clone()).collect();
    let earliest = cards.iter().filter_map(|card| last(card, site.now()).first().map(|day| day.span.from)).min();
    let mut all: BTreeMap<String, Vec<DayCount>> = BTreeMap::new();
    for (topic, day) in site.store.topic_days(&ids, earliest.unwrap_or_default()).await? {
        all.entry(topic).or_default().push(day);
    }
    Ok(Counted(all))
}

/// The days of a topic's charts, today the last.
fn last(card: &TopicCard, now: Time) -> Vec<Day> {
    days(now, DAYS, card.timezone())
}

impl Counted {
    fn of(&self, card: &TopicCard, day: &Day) -> Option<&DayCount> {
        self.0.get(&card.topic)?.iter().find(|counted| counted.span == day.span)
    }

    /// For a small chart.
    pub(super) fn sparks(&self, card: &TopicCard, now: Time) -> Vec<SparkDay> {
        let number = |n: i64| n.unsigned_abs();
        let spark = |day: &Day| {
            let date = day.date.to_string();
            self.of(card, day).map_or_else(
                || SparkDay { date: date.clone(), ..SparkDay::default() },
                |d| SparkDay {
                    date: date.clone(),
                    items: number(d.items),
                    negative: number(d.negative),
                    neutral: number(d.neutral),
                    positive: number(d.positive),
                },
            )
        };
        last(card, now).iter().map(spark).collect()
    }

    fn chart(&self, card: &TopicCard, now: Time, holes: Vec<Gap>, full: &[Span], asked_anew: Vec<Time>) -> Chart {
        let number = |n: i64| n.unsigned_abs();
        let day = |day: &Day| {
            let d = self.of(card, day).cloned().unwrap_or(DayCount {
                span: day.span,
                items: 0,
                unique: 0,
                negative: 0,
                neutral: 0,
                positive: 0,
                scorers: Vec::new(),
            });
            let scored = number(d.negative + d.neutral + d.positive);
            ChartDay {
                date: day.date.to_string(),
                span: day.span,
                all: number(d.items),
                unique: number(d.unique),
                saturated: full.iter().any(|hole| hole.from < day.span.until && hole.until > day.span.from),
                scored,
                negative: share(number(d.negative), scored),
                positive: share(number(d.positive), scored),
            }
        };
        Chart {
            id: card.topic.clone(),
            title: card.title.clone(),
            days: last(card, now).iter().map(day).collect(),
            holes,
            asked_anew,
            usual: None,
            all_alike: false,
        }
    }
}

/// A topic's days with the holes of its coverage, and who judged their tones.
pub(in crate::web) async fn chart_of(site: &Site, card: &TopicCard) -> Result<Option<(Chart, Vec<String>)>, Problem> {
    let now = site.now();
    let counted = read(site, std::slice::from_ref(card)).await?;
    let days = last(card, now);
    let Some(span) =
        days.first().zip(days.last()).map(|(a, b)| Span { from: a.span.from, until: b.span.until.min(now) })
    else {
        return Ok(None);
    };
    let mut moment = site.store.moment().await?;
    let watched = moment.watched(std::slice::from_ref(&card.topic)).await;
    let looks = moment.looks(&card.topic, span).await;
    moment.end().await?;
    let (watched, looks) = (watched?.pop(), looks?);
    let (mut holes, mut full) = (Vec::new(), Vec::new());
    if let Some(watched) = &watched {
        if let Some(before) = Span::new(span.from, watched.began.min(span.until)) {
            holes.push(Gap { span: before, before: true });
        }
        for source in covered(watched, &looks, span, |_| true) {
            let Coverage::Spans { holes: found, .. } = source.coverage else { continue };
            for hole in found.iter().filter(|hole| hole.stretch.length_ms >= SHORT) {
                holes.push(Gap { span: hole.stretch.span, before: false });
                if hole.causes.iter().any(|cause| cause.why == crate::insight::Why::Saturated) {
                    full.push(hole.stretch.span);
                }
            }
        }
    }
    let asked_anew = site.store.asked_anew(&card.topic, span).await?;
    // As they were counted, and as they are: others may have judged some since.
    let begins: Vec<Time> = days.iter().map(|day| day.span.from).collect();
    let mut scorers = site.store.scorers_at(&card.topic, &begins).await?;
    scorers.extend(counted.0.get(&card.topic).into_iter().flatten().flat_map(|day| day.scorers.iter().cloned()));
    scorers.sort_unstable();
    scorers.dedup();
    Ok(Some((counted.chart(card, now, holes, &full, asked_anew), scorers)))
}

/// Both charts of a topic.
pub(super) async fn charts(site: &Site, card: &TopicCard) -> Result<Markup, Problem> {
    let Some((chart, scorers)) = chart_of(site, card).await? else { return Ok(html! {}) };
    let drawn = chart.holes.iter().any(|hole| !hole.before);
    let zone = card.timezone();
    let waits = site.store.days_wait().await?;
    Ok(html! { section aria-labelledby="days" {
        h2 #days { "The last 14 days" }
        @if waits { p.note { "Not all of it is counted yet: what came last is counted beside the loop, within moments while " code { "topicwatch run" } " is up." } }
        div.pair {
            figure { (chart::volume(&chart, zone)) figcaption { (chart::legend()) " Days of " (zone) ", by when they were published." @if drawn { " Hatched: not covered." } (chart::anew(&chart, zone)) } }
            figure { (chart::tone(&chart, zone)) figcaption { span.negative { "■ negative" } ", " span.positive { "● positive" } " of the scored, with 95 % intervals." } }
        }
        @if scorers.len() > 1 { p.note {
            "Tones of these days are of scorers that cannot be compared (" (scorers.join(", ")) "): " code { "topicwatch db rescore" } " has one judge all."
        } }
        @if card.has_filter() { p.meta { "Counted before the topic's filter." } }
        details { summary { "The days in numbers" } div.wide role="region" tabindex="0" aria-label="The days in numbers" { table {
            thead { tr { th scope="col" { "Day" } th.n scope="col" { "Items" } th.n scope="col" { "Unique" } th.n scope="col" { "Scored" } th.n scope="col" { "Negative" } th.n scope="col" { "Positive" } } }
            tbody { @for day in chart.days.iter().rev() { tr {
                th scope="row" { (day.date) } td.n { (format::at_least(day.all, day.saturated)) } td.n { (format::number(day.unique)) } td.n { (format::number(day.scored)) }
                td.n { (day.negative.as_ref().map_or_else(|| "–".to_owned(), format::share)) } td.n { (day.positive.as_ref().map_or_else(|| "–".to_owned(), format::share)) }
            } } }
        } } }
    } })
}
