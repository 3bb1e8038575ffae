//! The items that an alert counts at a run. `alert` decides what they mean.

use super::alert_window::alert_window;
use super::changes_between;
use crate::filter::Filter;
use crate::insight::daily::scorer_of;
use crate::insight::{Changes, NewItem};
use crate::model::{AlertRule, AlertRun, AlertSpec, ItemSummary, Tone, Topic, TopicFilter};
use crate::store::{Store, StoreError};

/// The words of an alert, compiled to filters.
#[derive(Debug)]
pub struct WordFilters(Vec<(String, Filter)>);

impl WordFilters {
    /// Skips words that do not parse; the configuration rejects them.
    #[must_use]
    pub fn of(spec: &AlertSpec) -> Self {
        let one = |word: &String| {
            let filter = TopicFilter { must: vec![word.clone()], ..TopicFilter::default() };
            Some((word.clone(), Filter::compile(&filter).ok()?))
        };
        Self(spec.words.iter().filter_map(one).collect())
    }

    /// The first of the words that occurs in an item.
    #[must_use]
    pub fn first_match<'a>(&'a self, item: &ItemSummary) -> Option<&'a str> {
        // A filter passes items without words, but no word occurs in them.
        let worded = item.title.is_some() || item.text.is_some();
        let inside = |filter: &Filter| worded && filter.passes(item.title.as_deref(), item.text.as_deref(), None, None);
        self.0.iter().find(|(_, filter)| inside(filter)).map(|(word, _)| word.as_str())
    }
}

/// The new items that an alert is about: all of its sources, or those in which one of its words occurs.
#[must_use]
pub fn matching_items<'c>(spec: &AlertSpec, wanted: &WordFilters, changes: &'c Changes) -> Vec<&'c NewItem> {
    let by_words = |new: &&NewItem| spec.words.is_empty() || wanted.first_match(&new.item).is_some();
    changes.new.iter().filter(|new| is_of_sources(spec, new)).filter(by_words).collect()
}

/// How many new items an alert that looks for words cannot judge, because their text was pruned.
#[must_use]
pub fn count_without_text(spec: &AlertSpec, changes: &Changes) -> u64 {
    if spec.words.is_empty() {
        return 0;
    }
    changes.new.iter().filter(|new| new.item.pruned && is_of_sources(spec, new)).count() as u64
}

/// Whether one of an alert's sources showed a new item.
fn is_of_sources(spec: &AlertSpec, new: &NewItem) -> bool {
    new.sources.is_empty() || new.sources.iter().any(|source| spec.checks_source(*source))
}

/// Returns what a run changed, with all of its new items that are read: a word may be in any of them. If there are
/// more, the counts show it.
pub async fn changes_of_run(store: &Store, topic: &Topic, run: &AlertRun) -> Result<Changes, StoreError> {
    changes_between(store, topic, run.as_range(), usize::MAX, false).await
}

/// Returns the keys of the items that an alert counts at a run, by its definition and that of the topic as they are
/// now; `None` if its rule counts no items.
pub async fn alert_item_keys(
    store: &Store,
    spec: &AlertSpec,
    topic: &Topic,
    run: &AlertRun,
) -> Result<Option<Vec<String>>, StoreError> {
    Ok(match spec.rule {
        AlertRule::Items => {
            let changes = changes_of_run(store, topic, run).await?;
            let matching = matching_items(spec, &WordFilters::of(spec), &changes);
            Some(matching.into_iter().map(|new| new.item.key.clone()).collect())
        }
        AlertRule::Volume => {
            let window = alert_window(store, spec, topic, run).await?;
            window.map(|window| window.items.into_iter().map(|item| item.key).collect())
        }
        AlertRule::Negative => {
            let Some(window) = alert_window(store, spec, topic, run).await? else { return Ok(None) };
            let scorer = scorer_of(&window.items);
            let scored = window.items.into_iter().filter(|item| {
                let is_judged = matches!(item.sound, Some(Tone::Negative | Tone::Neutral | Tone::Positive));
                is_judged && Some(item.scorer.as_deref().unwrap_or_default()) == scorer.as_deref()
            });
            Some(scored.map(|item| item.key).collect())
        }
        AlertRule::Source | AlertRule::Missed | AlertRule::Budget => None,
    })
}
