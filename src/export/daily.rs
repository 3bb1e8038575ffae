//! `daily`: a topic's days in numbers. Selects the rows of each day, as reports do; `insight` counts them and works
//! out tones and coverage. Holds one topic and a month of it at a time.

use super::columns::{self, DailyRow};
use super::request_options::{ExportError, ExportOptions};
use super::rows::OutputRows;
use crate::compare::{FilteredItems, apply_filter};
use crate::insight::daily::{self, Day, SearchCoverage};
use crate::insight::without_wrong_times;
use crate::model::{CountedItem, Micros, SearchState, SearchSummary, Source, Span, Time, Topic, WatchedTopic};
use crate::store::{ReadSnapshot, Store, StoreError};

/// Days that are worked out at once.
const CHUNK: usize = 14;

/// A day uses the scorer of most items of this many days up to it, as the charts of a report do.
const SCORED_BY: usize = 14;

/// How long before its searches a run may have started, in milliseconds.
const LONGEST_RUN: i64 = 86_400_000;

/// How far before and after its days runs are read, in milliseconds: those of a weekly topic show when it got or lost a
/// source, even at the start of the export.
const AROUND: i64 = 8 * 86_400_000;

/// Writes the days of all topics, or of those that are named or tagged.
pub(super) async fn write(
    store: &Store,
    options: &ExportOptions,
    rows: &mut OutputRows<'_>,
) -> Result<(), ExportError> {
    for (watched, topic) in options.topics(store).await? {
        // One moment per topic, so that its figures agree and a long export does not hold the database.
        let mut snapshot = store.snapshot().await?;
        let days = days(&mut snapshot, options, &watched).await?;
        for days in days.chunks(CHUNK) {
            for row in rows_of(&mut snapshot, &options.timezone, &watched, &topic, days).await? {
                rows.write(columns::DAILY, &row)?;
            }
        }
        snapshot.end().await?;
    }
    Ok(())
}

/// The days from the topic's first run that searched, or `--since`, to its last run, or the last instant before
/// `--until`.
async fn days(
    snapshot: &mut ReadSnapshot,
    options: &ExportOptions,
    watched: &WatchedTopic,
) -> Result<Vec<Day>, StoreError> {
    let topic = watched.topic.as_str();
    let (first, last) = (snapshot.first_search(topic).await?, snapshot.last_run(topic).await?);
    let Some((first, last)) = first.zip(last) else { return Ok(Vec::new()) };
    // The topic's first runs may be pruned; their days are not. Of the first UTC day, the time before the topic began
    // had no run. On a day before that the clock was behind.
    let pruned = snapshot.pruned_days(topic).await?;
    let is_known = |span: &Span| span.until > watched.began || watched.began > last;
    let pruned = pruned.days.iter().map(|day| day.span).find(is_known);
    let first = pruned.map_or(first, |day| {
        let began = if day.contains(watched.began) { watched.began } else { day.from };
        began.min(first)
    });
    let first = options.filter.since.map_or(first, |since| since.max(first));
    let last = options.filter.until.map_or(last, |until| Time(until.0.saturating_sub(1)).min(last));
    let mut date = daily::date_of(first, &options.timezone);
    let end = daily::date_of(last, &options.timezone);
    let mut days = Vec::new();
    while date <= end {
        days.extend(daily::day_of(date, &options.timezone));
        let Ok(next) = date.tomorrow() else { break };
        date = next;
    }
    Ok(days)
}

async fn rows_of(
    snapshot: &mut ReadSnapshot,
    timezone: &str,
    watched: &WatchedTopic,
    topic: &Topic,
    days: &[Day],
) -> Result<Vec<DailyRow>, StoreError> {
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return Ok(Vec::new()) };
    let span = Span { from: first.span.from, until: last.span.until };
    let before = daily::days(span.from, i32::try_from(SCORED_BY).unwrap_or(1), timezone);
    let scored = Span { from: before.first().map_or(span.from, |day| day.span.from), ..span };
    let marks = snapshot.counted_items(&topic.id, scored).await?;
    let FilteredItems { passed: passed_items, hidden, .. } = apply_filter(snapshot, topic, marks).await?;
    let new = snapshot.first_seen_in(&topic.id, span).await?;
    let began = Span { from: Time(span.from.0.saturating_sub(LONGEST_RUN)), ..span };
    let searches = snapshot.searches(&topic.id, began, i64::MAX).await?;
    let ran = snapshot.last_run(&topic.id).await?.unwrap_or(span.from);
    let pruned = snapshot.pruned_days(&topic.id).await?;
    // As of the last run, and including the time after the last day, so that spans that end there are complete.
    let beyond = Time(span.until.0.saturating_add(LONGEST_RUN));
    let around =
        Span { from: Time(span.from.0.saturating_sub(AROUND)), until: Time(span.until.0.saturating_add(AROUND)) };
    let mut run_searches = snapshot.runs_covering(&topic.id, around).await?;
    // Leave out coverage after the last run, claimed by a clock that was ahead.
    run_searches.retain(|search| !search.is_ahead(Time(ran.0.saturating_add(LONGEST_RUN))));
    let run_searches = without_wrong_times(run_searches);
    let covered = run_searches.iter().filter_map(|run_search| Some(run_search.search.as_ref()?.covered?.until));
    let ran = covered.fold(ran, Time::max);
    let beyond = beyond.min(ran).max(span.from);
    // A pause that lasts began after the last run.
    let paused = watched.paused && ran < around.until;
    let then = WatchedTopic { ended: None, paused, ..watched.clone() };
    let search_coverage = SearchCoverage::new(Some(then), run_searches, Span { until: beyond, ..span }, Time(i64::MAX));
    // Time that the next search will look back over is not a hole yet.
    let settled = search_coverage.open_from().filter(|_| beyond == ran).map_or(ran, |open| open.min(ran));
    Ok(days
        .iter()
        .map(|day| {
            let inside = |mark: &&CountedItem| day.span.contains(mark.moment());
            let week = daily::days(day.span.from, i32::try_from(SCORED_BY).unwrap_or(1), timezone);
            let chart_span = Span { from: week.first().map_or(day.span.from, |day| day.span.from), ..day.span };
            let scorer = daily::scorer_of(passed_items.iter().filter(|mark| chart_span.contains(mark.moment())));
            let searches: Vec<&SearchSummary> = searches.iter().filter(|search| day.span.contains(search.at)).collect();
            let mut runs: Vec<&str> = searches.iter().map(|search| search.run.as_str()).collect();
            let last_run = runs.last().map(|run| (*run).to_owned());
            let (is_complete, pruned_totals) = (pruned.is_complete(day.span), pruned.totals(day.span));
            // The remaining searches of a day do not show what the pruned ones covered.
            let all = pruned_totals.is_some_and(|(runs, ..)| runs == 0);
            runs.sort_unstable();
            runs.dedup();
            let passed = Span { until: day.span.until.min(settled).max(day.span.from), ..day.span };
            DailyRow {
                topic: topic.id.clone(),
                day: day.date.to_string(),
                from: day.span.from,
                until: day.span.until,
                last_run: last_run.filter(|_| all),
                runs: pruned_totals.map(|totals| totals.0 + i64::try_from(runs.len()).unwrap_or(i64::MAX)),
                counted: daily::count_items(passed_items.iter().filter(inside)),
                new: new.iter().filter(|at| day.span.contains(**at)).count() as u64,
                filtered: hidden.iter().filter(inside).count() as u64,
                sounds: daily::count_tones(passed_items.iter().filter(inside), scorer.as_deref()),
                scorer,
                calls: pruned_totals.map(|totals| totals.1 + searches.iter().map(|search| search.tries).sum::<i64>()),
                cost: pruned_totals
                    .map(|totals| searches.iter().fold(totals.2, |sum: Micros, search| sum.plus(search.cost))),
                assumed: pruned_totals
                    .filter(|totals| totals.2 == Micros(0))
                    .map(|_| searches.iter().fold(Micros(0), |sum, search| sum.plus(search.assumed))),
                social: all.then(|| of(&searches, Source::Social)),
                web: all.then(|| of(&searches, Source::Web)),
                ai: all.then(|| of(&searches, Source::Ai)),
                saturated: is_complete.then(|| search_coverage.saturated(day.span)),
                covered: is_complete.then(|| search_coverage.covered_share(day.span)),
                covered_s: search_coverage.covered_ms(day.span).map(|ms| ms / 1_000).filter(|_| is_complete),
                holes: (is_complete && search_coverage.has_spans(day.span))
                    .then(|| search_coverage.holes(passed).into_iter().filter(|hole| !hole.before).collect()),
                pruned: !is_complete,
                // Also of the rest of the last day, for which no search may have been due.
                at_least: search_coverage.may_be_more(&pruned, day.span, Time(i64::MAX)),
            }
        })
        .collect())
}

/// The number of answered and of failed searches of a source.
fn of(searches: &[&SearchSummary], source: Source) -> (u64, u64) {
    let count = |states: &[SearchState]| {
        searches.iter().filter(|search| search.source == source && states.contains(&search.state)).count() as u64
    };
    (count(&[SearchState::Ok, SearchState::Empty]), count(&[SearchState::Error, SearchState::Lost]))
}
