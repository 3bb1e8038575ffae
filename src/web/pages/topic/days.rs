//! Charts of a topic's last fourteen local days, or of its last eight weeks: the stored counts, and what was not
//! covered.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::counted_items;
use crate::draw::chart::{self, Chart, ChartDay, ChartHole};
use crate::draw::format;
use crate::draw::lower_bounds;
use crate::draw::part_time;
use crate::draw::sparkline::SparkDay;
use crate::insight::daily::{CalendarUnit, Day, GapReason, SearchCoverage, days, share};
use crate::model::{DayCount, PrunedDays, Span, Time, TopicCard};
use crate::web::page_request::PageRequest;
use crate::web::problem::Problem;
use crate::web::site::Site;

/// Days of a chart.
const DAYS: i32 = 14;
/// Weeks of a chart.
const WEEKS: usize = 8;

/// The span of a chart's bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web) enum ChartUnit {
    Day,
    Week,
}

impl ChartUnit {
    fn parse(word: &str) -> Option<Self> {
        [Self::Day, Self::Week].into_iter().find(|by| by.noun() == word)
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
        }
    }

    /// The latest spans of a topic with their names, the current one last.
    fn last(self, card: &TopicCard, now: Time) -> Vec<(String, Span)> {
        match self {
            Self::Day => last(card, now).iter().map(|day| (day.date.to_string(), day.span)).collect(),
            Self::Week => {
                let weeks = CalendarUnit::Week.up_to(now, WEEKS, card.timezone());
                weeks.into_iter().map(|week| (week.name, week.span)).collect()
            }
        }
    }
}

/// The stored counts of topics, by topic.
pub(in crate::web::pages) struct Counted(BTreeMap<String, Vec<DayCount>>);

pub(in crate::web::pages) async fn read(site: &Site, cards: &[TopicCard]) -> Result<Counted, Problem> {
    let ids: Vec<String> = cards.iter().map(|card| card.topic.clone()).collect();
    let earliest = cards.iter().filter_map(|card| last(card, site.now()).first().map(|day| day.span.from)).min();
    let mut all: BTreeMap<String, Vec<DayCount>> = BTreeMap::new();
    for (topic, day) in site.store.topic_days(&ids, earliest.unwrap_or_default()).await? {
        all.entry(topic).or_default().push(day);
    }
    Ok(Counted(all))
}

/// The span of a topic's days.
pub(in crate::web::pages) fn span(card: &TopicCard, now: Time) -> Option<Span> {
    let days = last(card, now);
    let (first, today) = days.first().zip(days.last())?;
    Some(Span { from: first.span.from, until: today.span.until })
}

/// The days of a topic's charts, today last.
fn last(card: &TopicCard, now: Time) -> Vec<Day> {
    days(now, DAYS, card.timezone())
}

impl Counted {
    fn of(&self, card: &TopicCard, span: Span) -> Option<&DayCount> {
        self.0.get(&card.topic)?.iter().find(|counted| counted.span == span)
    }

    /// The days of a small chart of a topic watched since `began`. A day without items counts as unknown if it ended
    /// before that, or began after the last run that brought results. Other gaps would need all searches of all topics.
    pub(in crate::web::pages) fn sparks(&self, card: &TopicCard, began: Option<Time>, now: Time) -> Vec<SparkDay> {
        let number = |n: i64| n.unsigned_abs();
        let was_searched = |span: Span| {
            began.is_some_and(|began| span.until > began) && card.last_success.is_some_and(|last| span.from <= last)
        };
        let spark = |day: &Day| {
            let date = day.date.to_string();
            match self.of(card, day.span).filter(|counted| counted.items > 0) {
                None => SparkDay { date, unknown: !was_searched(day.span), ..SparkDay::default() },
                Some(d) => SparkDay {
                    date,
                    unknown: false,
                    items: number(d.items),
                    negative: number(d.negative),
                    neutral: number(d.neutral),
                    positive: number(d.positive),
                },
            }
        };
        last(card, now).iter().map(spark).collect()
    }

    fn chart(&self, card: &TopicCard, by: ChartUnit, now: Time, gaps: &Gaps, query_changed_at: Vec<Time>) -> Chart {
        let number = |n: i64| n.unsigned_abs();
        let day = |(date, span): (String, Span)| {
            let d = self.of(card, span).cloned().unwrap_or(DayCount {
                span,
                items: 0,
                unique: 0,
                negative: 0,
                neutral: 0,
                positive: 0,
                scorers: Vec::new(),
            });
            let scored = number(d.negative + d.neutral + d.positive);
            ChartDay {
                date,
                span,
                all: number(d.items),
                unique: number(d.unique),
                uncovered: d.items == 0 && gaps.coverage.covered_share(span) <= 0.0,
                at_least: gaps.coverage.may_be_more(&gaps.pruned_days, span, now),
                scored,
                negative: share(number(d.negative), scored),
                positive: share(number(d.positive), scored),
            }
        };
        Chart {
            id: card.topic.clone(),
            title: card.title.clone(),
            days: by.last(card, now).into_iter().map(day).collect(),
            holes: gaps.holes.clone(),
            query_changed_at,
            usual: None,
            all_alike: false,
            each: by.noun(),
            points: true,
        }
    }
}

/// The gaps in the coverage.
struct Gaps {
    coverage: SearchCoverage,
    pruned_days: PrunedDays,
    /// Spans that a source did not cover, and the time before the topic was watched.
    holes: Vec<ChartHole>,
}

/// A topic's chart.
pub(in crate::web) struct TopicChart {
    pub(in crate::web) chart: Chart,
    /// For each day whether a full reply left a gap that nothing filled.
    pub(in crate::web) full_days: Vec<bool>,
    /// The scorers that judged the tones.
    pub(in crate::web) scorers: Vec<String>,
    /// The sources that the topic had in a part of a day or week only, in words: counts of that time are lower bounds.
    pub(in crate::web) part_time: Option<String>,
    /// Why other counts are lower bounds.
    gap_reasons: BTreeSet<GapReason>,
}

/// A topic's days or weeks with the holes of its coverage, and the scorers that judged their tones. Weeks are counted
/// here, because nothing else needs them.
pub(in crate::web) async fn chart_of(
    site: &Site,
    card: &TopicCard,
    by: ChartUnit,
) -> Result<Option<TopicChart>, Problem> {
    let now = site.now();
    let days = by.last(card, now);
    let Some(span) = days.first().zip(days.last()).map(|(a, b)| Span { from: a.1.from, until: b.1.until.min(now) })
    else {
        return Ok(None);
    };
    let counted = match by {
        ChartUnit::Day => read(site, std::slice::from_ref(card)).await?,
        ChartUnit::Week => {
            let spans: Vec<(String, Span)> = days.iter().map(|(_, span)| (card.topic.clone(), *span)).collect();
            let weeks = site.store.count_days(&spans).await?.into_iter().map(|(_, week)| week).collect();
            Counted(BTreeMap::from([(card.topic.clone(), weeks)]))
        }
    };
    let gaps = gaps(site, card, span).await?;
    let query_changed_at = site.store.query_changes(&card.topic, span).await?;
    // The current scorers, and those at the time of counting: items may have been scored again since.
    let begins: Vec<Time> = days.iter().map(|(_, span)| span.from).collect();
    let mut scorers = site.store.scorers_at(&card.topic, &begins).await?;
    scorers.extend(counted.0.get(&card.topic).into_iter().flatten().flat_map(|day| day.scorers.iter().cloned()));
    scorers.sort_unstable();
    scorers.dedup();
    let full_days = days.iter().map(|(_, span)| gaps.coverage.saturated(*span)).collect();
    // Before it was watched, a topic had no sources.
    let began = gaps.holes.iter().filter(|hole| hole.before).map(|hole| hole.span.until).max();
    let watched = |span: Span| began.map_or(Some(span), |from| span.intersection(Span { from, until: span.until }));
    let spans: Vec<Span> = days.iter().filter_map(|(_, span)| watched(*span)).collect();
    let part_time =
        watched(span).and_then(|span| part_time::note(&gaps.coverage.part_time(&spans, now), span, card.timezone()));
    let chart = counted.chart(card, by, now, &gaps, query_changed_at);
    let marked = chart.days.iter().filter(|day| day.at_least && !day.uncovered);
    let gap_reasons = marked.flat_map(|day| gaps.coverage.gap_reasons(&gaps.pruned_days, day.span, now)).collect();
    Ok(Some(TopicChart { chart, full_days, scorers, part_time, gap_reasons }))
}

async fn gaps(site: &Site, card: &TopicCard, span: Span) -> Result<Gaps, Problem> {
    let mut snapshot = site.store.snapshot().await?;
    let watched = snapshot.watched_topics(std::slice::from_ref(&card.topic)).await;
    let searches = snapshot.runs_with_searches(&card.topic, span).await;
    let pruned_days = snapshot.pruned_days(&card.topic).await;
    snapshot.end().await?;
    let coverage = SearchCoverage::new(watched?.pop(), searches?, span, span.until).in_zone(card.timezone());
    let holes = coverage.holes(span).into_iter().filter(|hole| !hole.open);
    let holes = holes.map(|hole| ChartHole { span: hole.span, before: hole.before }).collect();
    Ok(Gaps { coverage, pruned_days: pruned_days?, holes })
}

/// Both charts of a topic. Without a request they are on a shared page, which names no sources.
pub(in crate::web::pages) async fn charts(
    site: &Site,
    card: &TopicCard,
    request: Option<&PageRequest>,
) -> Result<Markup, Problem> {
    let by = request.map_or(Ok(None), |request| request.word("by", ChartUnit::parse))?.unwrap_or(ChartUnit::Day);
    let Some(of_topic) = chart_of(site, card, by).await? else {
        return Ok(html! {});
    };
    let TopicChart { chart, scorers, part_time, gap_reasons, .. } = of_topic;
    let path = format!("/topics/{}", card.topic);
    let (title, table) = match by {
        ChartUnit::Day => ("The last 14 days", "The days in numbers"),
        ChartUnit::Week => ("The last 8 weeks", "The weeks in numbers"),
    };
    let has_gaps = chart.holes.iter().any(|hole| !hole.before);
    let unwatched = chart.holes.iter().any(|hole| hole.before);
    let bounds = lower_bounds::note(&gap_reasons, part_time.is_some(), by.noun());
    let zone = card.timezone();
    let waits = site.store.days_pending(std::slice::from_ref(&card.topic)).await?;
    Ok(html! { section aria-labelledby="days" {
        h2 #days { (title) }
        @if let Some(request) = request { nav.pages aria-label="Days or weeks" { @for (one, name) in [(ChartUnit::Day, "Days"), (ChartUnit::Week, "Weeks")] {
            a href=(request.with(&path, &[("by", (one == ChartUnit::Week).then_some("week")), ("after", None)]) + "#days") aria-current=[(one == by).then_some("true")] { (name) }
        } } }
        @if waits && by == ChartUnit::Day && card.last_run.is_some() { p.note { "The latest items are still being counted." } }
        div.pair {
            figure { (chart::volume(&chart, zone)) figcaption { (chart::legend(by.noun())) " " @if by == ChartUnit::Day { "Days" } @else { "Weeks from Monday" } " of " (zone) ", by publication time, or when first seen if that was earlier or there is none." @if has_gaps { " Hatched: not covered." } @if unwatched { " Grey: before the topic was watched." } @if !bounds.is_empty() { " " (bounds) } @if let (Some(note), true) = (&part_time, request.is_some()) { " " (note) } (chart::query_changes_note(&chart, zone)) } }
            figure { (chart::tone(&chart, zone)) figcaption { span.negative { "■ negative" } ", " span.positive { "● positive" } " of the scored items, with 95 % intervals." } }
        }
        @if scorers.len() > 1 { p.note {
            "The tones of these " (by.noun()) "s come from scorers that cannot be compared (" (scorers.join(", ")) "): " code { "topicwatch db rescore" } " scores all with one."
        } }
        @if card.has_filter() { p.meta { "Counted before the topic's filter." } }
        details { summary { (table) } div.wide role="region" tabindex="0" aria-label=(table) { table {
            thead { tr { th scope="col" { @if by == ChartUnit::Day { "Day" } @else { "Week" } } th.n scope="col" { "Items" } th.n scope="col" { "Unique" } th.n scope="col" { "Scored" } th.n scope="col" { "Negative" } th.n scope="col" { "Positive" } } }
            tbody { @for day in chart.days.iter().rev() { tr {
                @let [all, unique] = day.counts();
                th scope="row" { (day.date) } td.n { @if request.is_some() && day.all > 0 { a href=(counted_items::of_days(&card.topic, day.span)) { (all) } } @else { (all) } } td.n { (unique) } td.n { (format::number(day.scored)) }
                td.n { (day.negative.as_ref().map_or_else(|| "–".to_owned(), format::share)) } td.n { (day.positive.as_ref().map_or_else(|| "–".to_owned(), format::share)) }
            } } }
        } } }
    } })
}
