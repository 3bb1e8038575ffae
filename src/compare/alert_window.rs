//! The window of an alert that ends with a run: the answers in it, and the items that `volume` and `negative` count.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::apply_filter;
use crate::insight::daily::{Day, window_before};
use crate::model::{
    AlertRun, AlertSpec, CountedItem, Kind, ResultKind, SearchState, SearchSummary, Source, Span, Time, Topic,
    WindowFit,
};
use crate::store::{ReadSnapshot, Store, StoreError};

/// Runs used to work out the usual pause between two.
const PAUSES: u32 = 30;
/// The same with those of a long backfill, one for each of at most 31 days, which do not count.
const PAUSES_AND_BACKFILL: u32 = PAUSES + 31;
/// A window ends a twentieth of its length after its run, but at most this much.
const MOST_SLACK: Duration = Duration::from_secs(300);
/// Maximum number of items of a window that are counted: the latest ones.
const MOST_MARKS: i64 = 20_000;
/// Maximum number of searches of a window that are counted.
const MOST_SEARCHES: i64 = 5_000;
/// How long after their publication posts and pages may first be found. Services index posts within minutes; web
/// searches take days, and may give only a date. In milliseconds.
const LATE_POST: i64 = 3_600_000;
const LATE_PAGE: i64 = 48 * 3_600_000;

/// The answers in a window.
#[derive(Debug)]
pub struct WindowAnswers {
    pub many: usize,
    /// How long a time the answers of each source show, in milliseconds: from its last answer before the window, but at
    /// most the length of the window or the usual pause, to its last answer in it. Shorter if the source was away at the
    /// end of the window.
    shown: BTreeMap<Source, i64>,
    last: Option<Time>,
    /// Whether one came after a longer pause than usual. It then also brings older items, which an answer on time would
    /// not.
    caught_up: bool,
    /// Whether one was a full reply, so that there may be more items than are known.
    full: bool,
}

impl WindowAnswers {
    /// Since when an item of a window must be published to count. The answers of one window can bring more than was
    /// published in its length: after failed or empty answers, even of one source, and when the clock goes forward, so
    /// that two daily runs fall into it. What counts is what was published in that length before the last answer, or in
    /// the usual pause if that is longer.
    fn oldest(&self, kind: Kind, day: &Day, pause: i64) -> Time {
        let Span { from, until } = day.span;
        let late = match kind {
            _ if self.caught_up => 0,
            Kind::Post => LATE_POST,
            Kind::Page => LATE_PAGE,
        };
        let reach = until.0.saturating_sub(from.0).max(pause).saturating_add(late);
        Time(self.last.unwrap_or(until).min(until).0.saturating_sub(reach))
    }

    /// How long a time the answers of a source show, in milliseconds; 0 without an answer.
    #[must_use]
    pub fn shown_by(&self, source: Source) -> i64 {
        self.shown.get(&source).copied().unwrap_or(0)
    }
}

/// Whether an alert counts the items of a source. Sources that only write an answer find no items, and many are asked only
/// if there is something new, so their answers do not show how often a window was searched. A window may hold answers of
/// AI from before it was removed from the topic, too.
#[must_use]
pub fn counts_items_of(spec: &AlertSpec, topic: &Topic, source: Source) -> bool {
    let answers = source == Source::Ai || topic.result_kind(source) == Some(ResultKind::Answer);
    spec.checks_source(source) && !answers
}

/// See [`WindowAnswers`]; `most` is the longest time that is counted.
fn shown_by_source(answered: &[&SearchSummary], from: Time, most: i64) -> BTreeMap<Source, i64> {
    let mut shown = BTreeMap::new();
    let sources: BTreeSet<Source> = answered.iter().map(|search| search.source).collect();
    for source in sources {
        let at = || answered.iter().filter(|search| search.source == source).map(|search| search.at);
        if let Some(last) = at().filter(|at| *at >= from).max() {
            let before = at().filter(|at| *at < from).max();
            let since_before = before.map_or(most, |before| last.0.saturating_sub(before.0));
            shown.insert(source, since_before.min(most));
        }
    }
    shown
}

/// The answers of the alert's sources in a span.
pub async fn window_answers(
    moment: &mut ReadSnapshot,
    spec: &AlertSpec,
    topic: &Topic,
    span: Span,
    pause: i64,
) -> Result<WindowAnswers, StoreError> {
    // One missed slot makes the pause twice as long.
    let long = pause.saturating_mul(3) / 2;
    let wide = Span { from: Time(span.from.0.saturating_sub(long)), until: span.until };
    let searches = moment.searches(&topic.id, wide, MOST_SEARCHES).await?;
    let answered = searches.iter().filter(|search| matches!(search.state, SearchState::Ok | SearchState::Empty));
    // While a broken service returns nothing, a window holds fewer items than there were. A backfill searches an
    // earlier time.
    let answered = answered.filter(|search| !search.empty_in_error && !search.past);
    let answered: Vec<_> = answered.filter(|search| counts_items_of(spec, topic, search.source)).collect();
    let shown = shown_by_source(&answered, span.from, span.until.0.saturating_sub(span.from.0).max(pause));
    let full = answered.iter().any(|search| search.at >= span.from && search.saturated);
    let mut at: Vec<Time> = answered.iter().map(|search| search.at).collect();
    at.sort_unstable();
    let many = at.iter().filter(|at| **at >= span.from).count();
    let last = at.last().copied().filter(|at| *at >= span.from);
    at.dedup();
    let late = |(n, one): (usize, &Time)| {
        let before = n.checked_sub(1).and_then(|n| at.get(n));
        *one >= span.from && before.is_none_or(|before| one.0.saturating_sub(before.0) > long)
    };
    Ok(WindowAnswers { many, shown, last, caught_up: pause > 0 && at.iter().enumerate().any(late), full })
}

/// If sightings of runs since an instant were pruned, returns the time before which it is unknown which items the
/// sources of an alert showed. Windows that begin before that may have held more items.
pub async fn pruned_sources_until(
    moment: &mut ReadSnapshot,
    spec: &AlertSpec,
    topic: &Topic,
    since: Time,
) -> Result<Option<Time>, StoreError> {
    // An alert on all sources counts what the topic saw first, which stays known.
    if topic.sources().iter().all(|source| spec.checks_source(*source)) {
        return Ok(None);
    }
    moment.thinned_until(&topic.id, since).await
}

/// The items of a window that the run could see, and that one of the alert's sources found in the window; and whether
/// there were more than are counted.
pub async fn window_items(
    moment: &mut ReadSnapshot,
    topic: &Topic,
    (spec, run): (&AlertSpec, &AlertRun),
    day: &Day,
    answers: &WindowAnswers,
    pause: i64,
) -> Result<(Vec<CountedItem>, bool), StoreError> {
    let most = crate::failpoint::limit("alert/window", MOST_MARKS);
    let mut marks = moment.counted_items_first_seen(&topic.id, day.span, most).await?;
    let cut = i64::try_from(marks.len()).is_ok_and(|many| many >= most);
    marks.retain(|mark| {
        let old = mark.published_at.is_some_and(|at| at < answers.oldest(mark.kind, day, pause));
        mark.seq <= run.seq && mark.fit != WindowFit::Outside && !old
    });
    if !spec.sources.is_empty() {
        let found = moment.found_by(&topic.id, &spec.sources, day.span, run.seq).await?;
        marks.retain(|mark| found.contains(&mark.key));
    }
    Ok((apply_filter(moment, topic, marks).await?.passed, cut))
}

/// A window that ends with a run, and what it holds.
#[derive(Debug)]
pub struct AlertWindow {
    pub day: Day,
    /// The usual time between two answers, in milliseconds; 0 if it is unknown.
    pub pause: i64,
    /// The answers in it.
    pub answers: WindowAnswers,
    /// Whether one of them was full, more items were found than are counted, or sightings of the alert's sources were
    /// pruned, so that there may be more items.
    pub full: bool,
    /// The items that count.
    pub items: Vec<CountedItem>,
}

/// Returns the window that ends with a run.
pub async fn alert_window(
    store: &Store,
    spec: &AlertSpec,
    topic: &Topic,
    run: &AlertRun,
) -> Result<Option<AlertWindow>, StoreError> {
    let Some(day) = window_of_run(spec, run, 0) else { return Ok(None) };
    let pause = usual_pause(store, spec, topic, run).await?;
    let mut moment = store.snapshot().await?;
    // In a backtest the store also holds later answers.
    let until_now = Span { until: Time(run.at.0.saturating_add(1)), ..day.span };
    let answers = window_answers(&mut moment, spec, topic, until_now, pause).await?;
    let (items, cut) = window_items(&mut moment, topic, (spec, run), &day, &answers, pause).await?;
    let pruned = pruned_sources_until(&mut moment, spec, topic, day.span.from).await?.is_some();
    moment.end().await?;
    let full = answers.full || cut || pruned;
    Ok(Some(AlertWindow { day, pause, answers, full, items }))
}

/// Returns the window of a run, or the same so many days before.
#[must_use]
pub fn window_of_run(spec: &AlertSpec, run: &AlertRun, back: i32) -> Option<Day> {
    let length = Duration::from_millis(spec.window_ms);
    window_before(end_of(run, length), back, length, &spec.timezone)
}

/// The median time between two answers of the alert's sources, in milliseconds; 0 if it is unknown.
async fn usual_pause(store: &Store, spec: &AlertSpec, topic: &Topic, run: &AlertRun) -> Result<i64, StoreError> {
    let mut latest = store.searched(&topic.id, run.seq, PAUSES).await?;
    if latest.iter().any(|search| search.past) {
        latest = store.searched(&topic.id, run.seq, PAUSES_AND_BACKFILL).await?;
    }
    let answered = latest.iter().filter(|search| matches!(search.state, SearchState::Ok | SearchState::Empty));
    let answered = answered.filter(|search| !search.past && counts_items_of(spec, topic, search.source));
    let at: BTreeSet<Time> = answered.map(|search| search.at).collect();
    let at: Vec<Time> = at.into_iter().collect();
    let mut pauses: Vec<i64> = at.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].0)).collect();
    pauses.sort_unstable();
    Ok(pauses.get(pauses.len() / 2).copied().unwrap_or(0))
}

/// When the window of a run ends. A run starts a little after its slot, by a varying delay, so the run one window
/// length earlier could fall on either side of an exact bound. With a slightly later end it falls into the window
/// before, unless the clock went forward since.
fn end_of(run: &AlertRun, length: Duration) -> Time {
    run.at.plus((length / 20).min(MOST_SLACK))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Micros;

    fn answer(source: Source, at: i64) -> SearchSummary {
        SearchSummary {
            run: String::new(),
            source,
            state: SearchState::Ok,
            at: Time(at),
            tries: 1,
            trouble: None,
            refused: false,
            saturated: false,
            empty_in_error: false,
            past: false,
            cost: Micros(0),
            assumed: Micros(0),
        }
    }

    #[test]
    fn a_source_that_was_away_at_the_end_of_a_window_shows_a_shorter_time() {
        // A window of 24 hours from hour 100, with a search every six.
        for (hours, expected) in [
            (&[96, 102, 108, 114, 120][..], Some(24)),
            (&[96, 102, 108, 114][..], Some(18)),
            (&[96, 120][..], Some(24)),
            (&[102, 108][..], Some(24)),
            (&[96][..], None),
        ] {
            let answers: Vec<SearchSummary> = hours.iter().map(|hour| answer(Source::Social, *hour)).collect();
            let shown = shown_by_source(&answers.iter().collect::<Vec<_>>(), Time(100), 24);
            assert_eq!(shown.get(&Source::Social).copied(), expected, "{hours:?}");
        }
        let answers = [answer(Source::Social, 99), answer(Source::Web, 99), answer(Source::Social, 104)];
        let shown = shown_by_source(&answers.iter().collect::<Vec<_>>(), Time(100), 24);
        assert_eq!(shown, BTreeMap::from([(Source::Social, 5)]));
    }
}
