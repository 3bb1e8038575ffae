//! `daily`: a topic's days in numbers. Selects the rows of each day, as reports do; `insight` counts them and works
//! out tones and coverage. Holds one topic and four weeks of it at a time.

use super::columns::{self, DailyRow};
use super::request_options::{ExportError, ExportOptions};
use super::rows::OutputRows;
use crate::compare::{FilteredItems, apply_filter};
use crate::insight::daily::{self, Day, SearchCoverage};
use crate::model::{CountedItem, Micros, SearchState, SearchSummary, Source, Span, Time, Topic, WatchedTopic};
use crate::store::{ReadSnapshot, Store, StoreError};

/// Days that are worked out at once.
const CHUNK: usize = 14;

/// A day uses the scorer of most items of this many days up to it, as the charts of a report do.
const SCORED_BY: usize = 14;

/// How long before its searches a run may have started, in milliseconds.
const LONGEST_RUN: i64 = 86_400_000;

/// Writes the days of all topics, or of those that are named or tagged.
pub(super) async fn write(store: &Store, order: &ExportOptions, rows: &mut OutputRows<'_>) -> Result<(), ExportError> {
    for (watched, topic) in order.topics(store).await? {
        // One moment per topic, so that its figures agree and a long export does not hold the database.
        let mut moment = store.snapshot().await?;
        let days = days(&mut moment, order, &topic.id).await?;
        for days in days.chunks(CHUNK) {
            for row in rows_of(&mut moment, &order.timezone, &watched, &topic, days).await? {
                rows.write(columns::DAILY, &row)?;
            }
        }
        moment.end().await?;
    }
    Ok(())
}

/// The days from the topic's first run that searched, or `--since`, to its last run, or the last instant before
/// `--until`.
async fn days(moment: &mut ReadSnapshot, order: &ExportOptions, topic: &str) -> Result<Vec<Day>, StoreError> {
    let (first, last) = (moment.first_search(topic).await?, moment.last_run(topic).await?);
    let Some((first, last)) = first.zip(last) else { return Ok(Vec::new()) };
    // The topic's first runs may be pruned; their days are not.
    let first = moment.pruned_days(topic).await?.days.first().map_or(first, |day| day.span.from.min(first));
    let first = order.filter.since.map_or(first, |since| since.max(first));
    let last = order.filter.until.map_or(last, |until| Time(until.0.saturating_sub(1)).min(last));
    let mut date = daily::date_of(first, &order.timezone);
    let end = daily::date_of(last, &order.timezone);
    let mut days = Vec::new();
    while date <= end {
        days.extend(daily::day_of(date, &order.timezone));
        let Ok(next) = date.tomorrow() else { break };
        date = next;
    }
    Ok(days)
}

async fn rows_of(
    moment: &mut ReadSnapshot,
    timezone: &str,
    watched: &WatchedTopic,
    topic: &Topic,
    days: &[Day],
) -> Result<Vec<DailyRow>, StoreError> {
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return Ok(Vec::new()) };
    let span = Span { from: first.span.from, until: last.span.until };
    let before = daily::days(span.from, i32::try_from(SCORED_BY).unwrap_or(1), timezone);
    let scored = Span { from: before.first().map_or(span.from, |day| day.span.from), ..span };
    let marks = moment.counted_items(&topic.id, scored).await?;
    let FilteredItems { passed: meant, hidden, .. } = apply_filter(moment, topic, marks).await?;
    let new = moment.first_seen_in(&topic.id, span).await?;
    let began = Span { from: Time(span.from.0.saturating_sub(LONGEST_RUN)), ..span };
    let asked = moment.searches(&topic.id, began, i64::MAX).await?;
    let ran = moment.last_run(&topic.id).await?.unwrap_or(span.from);
    let pruned = moment.pruned_days(&topic.id).await?;
    // As of the last run, with what follows the last day, so that spans that end there are seen to their end.
    let beyond = Time(span.until.0.saturating_add(LONGEST_RUN));
    let looks = moment.runs_covering(&topic.id, Span { until: beyond, ..began }).await?;
    let covered = looks.iter().filter_map(|look| Some(look.search.as_ref()?.covered?.until));
    let ran = covered.fold(ran, Time::max);
    let beyond = beyond.min(ran).max(span.from);
    let then = WatchedTopic { ended: None, paused: false, ..watched.clone() };
    let looked = SearchCoverage::new(Some(then), looks, Span { until: beyond, ..span }, Time(i64::MAX));
    // What the next search will look back over is not a hole yet.
    let settled = looked.open_from().filter(|_| beyond == ran).map_or(ran, |open| open.min(ran));
    Ok(days
        .iter()
        .map(|day| {
            let inside = |mark: &&CountedItem| day.span.contains(mark.moment());
            let week = daily::days(day.span.from, i32::try_from(SCORED_BY).unwrap_or(1), timezone);
            let drawn = Span { from: week.first().map_or(day.span.from, |day| day.span.from), ..day.span };
            let scorer = daily::scorer_of(meant.iter().filter(|mark| drawn.contains(mark.moment())));
            let asked: Vec<&SearchSummary> = asked.iter().filter(|asked| day.span.contains(asked.at)).collect();
            let mut runs: Vec<&str> = asked.iter().map(|asked| asked.run.as_str()).collect();
            let last_run = runs.last().map(|run| (*run).to_owned());
            let (whole, gone) = (pruned.is_complete(day.span), pruned.totals(day.span));
            // The remaining searches of a day say nothing about the pruned ones.
            let all = gone.is_some_and(|(runs, ..)| runs == 0);
            runs.sort_unstable();
            runs.dedup();
            let passed = Span { until: day.span.until.min(settled).max(day.span.from), ..day.span };
            DailyRow {
                topic: topic.id.clone(),
                day: day.date.to_string(),
                from: day.span.from,
                until: day.span.until,
                last_run: last_run.filter(|_| all),
                runs: gone.map(|gone| gone.0 + i64::try_from(runs.len()).unwrap_or(i64::MAX)),
                counted: daily::count_items(meant.iter().filter(inside)),
                new: new.iter().filter(|at| day.span.contains(**at)).count() as u64,
                filtered: hidden.iter().filter(inside).count() as u64,
                sounds: daily::count_tones(meant.iter().filter(inside), scorer.as_deref()),
                scorer,
                calls: gone.map(|gone| gone.1 + asked.iter().map(|asked| asked.tries).sum::<i64>()),
                cost: gone.map(|gone| asked.iter().fold(gone.2, |sum: Micros, asked| sum.plus(asked.cost))),
                social: all.then(|| of(&asked, Source::Social)),
                web: all.then(|| of(&asked, Source::Web)),
                ai: all.then(|| of(&asked, Source::Ai)),
                saturated: whole.then(|| looked.saturated(day.span)),
                covered: whole.then(|| looked.covered_share(day.span)),
                covered_s: looked.covered_ms(day.span).map(|ms| ms / 1_000).filter(|_| whole),
                holes: (whole && looked.has_spans(day.span))
                    .then(|| looked.holes(passed).into_iter().filter(|hole| !hole.before).collect()),
                pruned: !whole,
            }
        })
        .collect())
}

/// The number of answered and of failed searches of a source.
fn of(asked: &[&SearchSummary], source: Source) -> (u64, u64) {
    let count = |states: &[SearchState]| {
        asked.iter().filter(|asked| asked.source == source && states.contains(&asked.state)).count() as u64
    };
    (count(&[SearchState::Ok, SearchState::Empty]), count(&[SearchState::Error, SearchState::Lost]))
}
