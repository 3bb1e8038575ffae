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
    /// Whether each source searched the current window up to its end; if hardly any window is like that, whether as many
    /// sources did as usual. If not, it may hold fewer items than there are, so it does not show that a rise is over.
    pub(super) is_current_whole: bool,
    /// The sources that did not search it up to its end, although they usually do.
    pub(super) away: Vec<Source>,
}

/// The sources whose answers show a shorter time than they usually do.
fn away(answers: &WindowAnswers, usually_shown: &[(Source, i64)]) -> Vec<Source> {
    let shorter = usually_shown.iter().filter(|(source, usual)| answers.shown_by(*source) / 9 < usual / 10);
    shorter.map(|(source, _)| *source).collect()
}

/// The number of sources whose answers show a time about as long as usual.
fn whole_sources(answers: &WindowAnswers, usually_shown: &[(Source, i64)]) -> usize {
    usually_shown.len() - away(answers, usually_shown).len()
}

/// The windows that were searched at least half as often as the current one and as is usual, with their items. Windows
/// that not every source searched up to their end hold too few items and are left out; if hardly any would remain, only
/// those of fewer sources than the current one. So do windows with pruned sightings of the alert's sources: they are left
/// out if enough others remain.
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
    let (all, in_current) = (usually_shown.len(), whole_sources(current, &usually_shown));
    let mut whole: Vec<usize> = answered.iter().map(|(_, answers)| whole_sources(answers, &usually_shown)).collect();
    whole.sort_unstable();
    let of_all = whole.iter().filter(|sources| **sources == all).count();
    // Several sources that are often away in turn may never answer together. A single source shows at least half of the
    // windows in which it answers as long as usual, because usual is the median.
    let is_seldom = of_all < MIN_DAYS && of_all.saturating_mul(4) < whole.len();
    // Windows of fewer sources than the current one hold fewer items.
    let (enough, needed) =
        if is_seldom { (whole.get(whole.len() / 2).copied().unwrap_or(0), in_current) } else { (all, all) };
    answered.retain(|(_, answers)| whole_sources(answers, &usually_shown) >= needed);
    let mut watched = Vec::with_capacity(answered.len());
    for (day, answers) in answered {
        let (items, _) = compare::window_items(moment, topic, (spec, run), &day, &answers, pause).await?;
        watched.push((day, items));
    }
    let is_kept = |(day, _): &(Day, Vec<CountedItem>)| pruned_until.is_none_or(|until| until < day.span.from);
    if watched.iter().filter(|window| is_kept(window)).count() >= MIN_DAYS {
        watched.retain(is_kept);
    }
    let is_current_whole = current.many > 0 && in_current >= enough;
    Ok(ComparableWindows { windows: watched, is_current_whole, away: away(current, &usually_shown) })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alert::rules::samples::spec;
    use crate::model::{SocialOperation, SocialQuery, Window};

    #[test]
    fn answers_of_ai_do_not_count_after_it_was_removed_from_the_topic() {
        let topic = Topic {
            id: "acme".into(),
            title: "Acme".into(),
            tags: Vec::new(),
            window: Window::Past24Hours,
            social: Some(SocialQuery { query: "acme".into(), operation: SocialOperation::Search, limit: None }),
            web: None,
            ai: None,
            providers: Vec::new(),
            schedule: None,
            unscheduled: Default::default(),
            limits: Default::default(),
            filter: Default::default(),
        };
        let counted = |source: Source| compare::counts_items_of(&spec(), &topic, source);
        // An answer of a source of items that was removed still shows that the window was searched.
        assert_eq!([Source::Social, Source::Web, Source::Ai].map(counted), [true, true, false]);
    }
}
