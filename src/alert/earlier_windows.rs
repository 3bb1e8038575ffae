//! Reads the earlier windows that `volume` and `negative` compare the current one with. `compare` reads the items of a
//! window.

use crate::compare;
use crate::insight::daily::{Day, MIN_DAYS};
use crate::model::{AlertRun, AlertSpec, CountedItem, Topic};
use crate::store::{ReadSnapshot, StoreError};

/// The windows that were searched at least half as often as the current one and as is usual, with their items. Windows
/// with pruned sightings of the alert's sources hold too few items: they are left out if enough others remain.
pub(super) async fn comparable_windows(
    moment: &mut ReadSnapshot,
    topic: &Topic,
    spec: &AlertSpec,
    days: Vec<Day>,
    run: &AlertRun,
    current_searches: usize,
    pause: i64,
) -> Result<Vec<(Day, Vec<CountedItem>)>, StoreError> {
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
    let least = current_searches.max(usual).max(1);
    let mut watched = Vec::with_capacity(answered.len());
    for (day, answers) in answered.into_iter().filter(|(_, answers)| answers.many.saturating_mul(2) >= least) {
        let (items, _) = compare::window_items(moment, topic, (spec, run), &day, &answers, pause).await?;
        watched.push((day, items));
    }
    let is_whole = |(day, _): &(Day, Vec<CountedItem>)| pruned_until.is_none_or(|until| until < day.span.from);
    if watched.iter().filter(|window| is_whole(window)).count() >= MIN_DAYS {
        watched.retain(is_whole);
    }
    Ok(watched)
}
