//! Reads what a window of `volume` and `negative` holds: the answers in it, and the items that count; the same for the
//! windows it is compared with.

use crate::compare;
use crate::insight::daily::Day;
use crate::model::{AlertRun, AlertSpec, CountedItem, Kind, SearchState, Span, Time, Topic, WindowFit};
use crate::store::{ReadSnapshot, StoreError};

/// Maximum number of items of a window that are counted: the latest ones.
const MOST_MARKS: i64 = 20_000;
/// Maximum number of searches of a window that are counted.
const MOST_SEARCHES: i64 = 5_000;
/// How long after their publication posts and pages may first be found. Services index posts within minutes; web
/// searches take days, and may give only a date. In milliseconds.
const LATE_POST: i64 = 3_600_000;
const LATE_PAGE: i64 = 48 * 3_600_000;

/// The answers in a window.
pub(super) struct Answers {
    pub(super) many: usize,
    last: Option<Time>,
    /// Whether one came after a longer pause than usual. It then also brings older items, which an answer on time would
    /// not.
    caught_up: bool,
}

impl Answers {
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
}

/// The answers of the alert's sources in a span.
pub(super) async fn answers(
    moment: &mut ReadSnapshot,
    spec: &AlertSpec,
    topic: &Topic,
    span: Span,
    pause: i64,
) -> Result<Answers, StoreError> {
    // One missed slot makes the pause twice as long.
    let long = pause.saturating_mul(3) / 2;
    let wide = Span { from: Time(span.from.0.saturating_sub(long)), until: span.until };
    let searches = moment.searches(&topic.id, wide, MOST_SEARCHES).await?;
    let answered = searches.iter().filter(|search| matches!(search.state, SearchState::Ok | SearchState::Empty));
    let answered = answered.filter(|search| spec.checks_source(search.source));
    let mut at: Vec<Time> = answered.map(|search| search.at).collect();
    at.sort_unstable();
    let many = at.iter().filter(|at| **at >= span.from).count();
    let last = at.last().copied().filter(|at| *at >= span.from);
    at.dedup();
    let late = |(n, one): (usize, &Time)| {
        let before = n.checked_sub(1).and_then(|n| at.get(n));
        *one >= span.from && before.is_none_or(|before| one.0 - before.0 > long)
    };
    Ok(Answers { many, last, caught_up: pause > 0 && at.iter().enumerate().any(late) })
}

/// The items of a window that the run could see, and that one of the alert's sources found in the window.
pub(super) async fn items_in_window(
    moment: &mut ReadSnapshot,
    topic: &Topic,
    spec: &AlertSpec,
    day: &Day,
    run: &AlertRun,
    answers: &Answers,
    pause: i64,
) -> Result<Vec<CountedItem>, StoreError> {
    let mut marks = moment.counted_items_first_seen(&topic.id, day.span, MOST_MARKS).await?;
    marks.retain(|mark| {
        let old = mark.published_at.is_some_and(|at| at < answers.oldest(mark.kind, day, pause));
        mark.seq <= run.seq && mark.fit != WindowFit::Outside && !old
    });
    if !spec.sources.is_empty() {
        let found = moment.found_by(&topic.id, &spec.sources, day.span, run.seq).await?;
        marks.retain(|mark| found.contains(&mark.key));
    }
    Ok(compare::apply_filter(moment, topic, marks).await?.passed)
}

/// The windows that were searched at least half as often as the current one and as is usual, with their items.
pub(super) async fn comparable_windows(
    moment: &mut ReadSnapshot,
    topic: &Topic,
    spec: &AlertSpec,
    days: Vec<Day>,
    run: &AlertRun,
    current_searches: usize,
    pause: i64,
) -> Result<Vec<(Day, Vec<CountedItem>)>, StoreError> {
    let mut answered = Vec::with_capacity(days.len());
    for day in days {
        let answers = answers(moment, spec, topic, day.span, pause).await?;
        answered.push((day, answers));
    }
    // A window searched less than half as often holds fewer items. Soon after an outage the current window was searched
    // seldom, too, and would be compared with those that reach into the outage.
    let mut many: Vec<usize> = answered.iter().map(|(_, answers)| answers.many).filter(|many| *many > 0).collect();
    many.sort_unstable();
    let usual = many.get(many.len() / 2).copied().unwrap_or(0);
    let least = current_searches.max(usual).max(1);
    let mut watched = Vec::with_capacity(answered.len());
    for (day, answers) in answered.into_iter().filter(|(_, answers)| answers.many.saturating_mul(2) >= least) {
        watched.push((day, items_in_window(moment, topic, spec, &day, run, &answers, pause).await?));
    }
    Ok(watched)
}
