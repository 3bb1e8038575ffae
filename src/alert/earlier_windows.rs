//! Reads the earlier windows that `volume` and `negative` compare the current one with. `compare` reads the items of a
//! window.

use crate::compare::{self, WindowAnswers};
use crate::insight::daily::{Day, MIN_DAYS};
use crate::model::{AlertRun, AlertSpec, CountedItem, Source, Topic};
use crate::store::{ReadSnapshot, StoreError};

/// The windows to compare the current one with.
pub(super) struct ComparableWindows {
    /// With their items.
    pub(super) windows: Vec<(Day, Vec<CountedItem>)>,
    /// Whether each source searched the current window up to its end. If not, it may hold fewer items than there are, so
    /// it does not show that a rise is over. Also true if hardly any earlier window is whole: then a later one may never be.
    pub(super) is_current_whole: bool,
}

/// Whether the answers of each source show about as long a time as they usually do.
fn is_whole(answers: &WindowAnswers, usually_shown: &[(Source, i64)]) -> bool {
    usually_shown.iter().all(|(source, usual)| answers.shown_by(*source) / 9 >= usual / 10)
}

/// The windows that were searched at least half as often as the current one and as is usual, with their items. Windows
/// that not every source searched up to their end, and those with pruned sightings of the alert's sources, hold too few
/// items: they are left out if enough others remain.
pub(super) async fn comparable_windows(
    moment: &mut ReadSnapshot,
    topic: &Topic,
    spec: &AlertSpec,
    days: Vec<Day>,
    run: &AlertRun,
    current: &WindowAnswers,
    pause: i64,
) -> Result<ComparableWindows, StoreError> {
    let pruned_until = match days.iter().map(|day| day.span.from).min() {
        Some(since) => compare::pruned_sources_until(moment, spec, topic, since).await?,
        None => None,
    };
    let mut answered = Vec::with_capacity(days.len());
    for day in days {
        let answers = compare::window_answers(moment, spec, topic, day.span, pause).await?;
        answered.push((day, answers));
    }
    // A window searched less than half as often holds fewer items. Soon after an outage the current window was searched
    // seldom, too, and would be compared with those that reach into the outage.
    let mut many: Vec<usize> = answered.iter().map(|(_, answers)| answers.many).filter(|many| *many > 0).collect();
    many.sort_unstable();
    let usual = many.get(many.len() / 2).copied().unwrap_or(0);
    let least = current.many.max(usual).max(1);
    let usually_shown = usually_shown(topic, spec, &answered);
    answered.retain(|(_, answers)| answers.many.saturating_mul(2) >= least);
    // Several sources that are often away in turn may never answer together. With one source, at least half are whole.
    let whole = answered.iter().filter(|(_, answers)| is_whole(answers, &usually_shown)).count();
    let seldom_whole = whole < MIN_DAYS && whole.saturating_mul(4) < answered.len();
    if !seldom_whole {
        answered.retain(|(_, answers)| is_whole(answers, &usually_shown));
    }
    let mut watched = Vec::with_capacity(answered.len());
    for (day, answers) in answered {
        let (items, _) = compare::window_items(moment, topic, (spec, run), &day, &answers, pause).await?;
        watched.push((day, items));
    }
    let is_kept = |(day, _): &(Day, Vec<CountedItem>)| pruned_until.is_none_or(|until| until < day.span.from);
    if watched.iter().filter(|window| is_kept(window)).count() >= MIN_DAYS {
        watched.retain(is_kept);
    }
    let is_current_whole = seldom_whole || is_whole(current, &usually_shown);
    Ok(ComparableWindows { windows: watched, is_current_whole })
}

/// How long a time the answers of each source of the alert usually show, in milliseconds: the median of the windows with
/// an answer. A window that shows less than nine tenths of it ended while the source was away: what the source then
/// missed was first seen after the window. A source that answers in few windows, such as one that is searched less often
/// than windows are long, usually shows nothing.
fn usually_shown(topic: &Topic, spec: &AlertSpec, answered: &[(Day, WindowAnswers)]) -> Vec<(Source, i64)> {
    let usual = |source: Source| {
        let windows = answered.iter().filter(|(_, answers)| answers.many > 0);
        let mut shown: Vec<i64> = windows.map(|(_, answers)| answers.shown_by(source)).collect();
        shown.sort_unstable();
        (source, shown.get(shown.len() / 2).copied().unwrap_or(0))
    };
    let sources = topic.sources().into_iter().filter(|source| compare::counts_items_of(spec, topic, *source));
    sources.map(usual).collect()
}
