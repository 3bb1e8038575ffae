//! Converts stored items for the search for causes, and restores the original spelling of a cause's name.

use std::collections::BTreeMap;

use super::{Cause, DayItems, Dimension, Item};
use crate::insight::daily::Day;
use crate::insight::normalize_author;
use crate::model::{CountedItem, Source, Time, Tone};

/// The share of a day's items whose source must be known; older sightings may be pruned.
const SOURCED: f64 = 0.9;

/// For each item, the only source that found it; `None` if several did.
#[derive(Debug, Clone, Default)]
pub struct OnlySources(BTreeMap<String, Option<Source>>);

impl OnlySources {
    /// From pairs of source and item key. Without any, sources explain nothing.
    #[must_use]
    pub fn of(sightings: Vec<(Source, String)>) -> Self {
        let mut all: BTreeMap<String, Option<Source>> = BTreeMap::new();
        for (source, key) in sightings {
            all.entry(key).and_modify(|only| *only = only.filter(|known| *known == source)).or_insert(Some(source));
        }
        Self(all)
    }

    /// Without the items first seen by an instant: sightings of runs until then were deleted, so that other sources may
    /// have shown these items, too.
    #[must_use]
    pub fn without_thinned<'a>(
        mut self,
        items: impl IntoIterator<Item = &'a CountedItem>,
        thinned_until: Option<Time>,
    ) -> Self {
        let Some(until) = thinned_until else { return self };
        for item in items.into_iter().filter(|item| item.first_seen <= until) {
            self.0.remove(&item.key);
        }
        self
    }
}

impl<'a> DayItems<'a> {
    /// The items of a day. `tone` is the tone asked about and its scorer.
    #[must_use]
    pub fn of(
        day: Day,
        marks: impl IntoIterator<Item = &'a CountedItem>,
        sources: &OnlySources,
        tone: Option<(Tone, &str)>,
    ) -> Self {
        let mut known = 0;
        let items: Vec<Item<'a>> = marks
            .into_iter()
            .map(|mark| {
                let source = sources.0.get(&mark.key);
                known += usize::from(source.is_some());
                Item {
                    key: &mark.key,
                    text: &mark.cluster,
                    author: mark.author.as_deref().map(normalize_author),
                    source: source.copied().flatten(),
                    has_tone: tone.and_then(|(wanted, scorer)| has_tone(mark, wanted, scorer)),
                }
            })
            .collect();
        let sourced = super::to_f64(known) >= super::to_f64(items.len()) * SOURCED && !sources.0.is_empty();
        Self { day, items, sourced }
    }

    /// Merges near-copies into one item, which keeps the author and the source only if all copies share it.
    #[must_use]
    pub fn merge_copies(mut self) -> Self {
        self.items.sort_by(|a, b| (a.text, a.key).cmp(&(b.text, b.key)));
        self.items.dedup_by(|copy, kept| {
            let same = copy.text == kept.text;
            if same {
                kept.author = kept.author.take().filter(|author| copy.author.as_ref() == Some(author));
                kept.source = kept.source.filter(|source| copy.source == Some(*source));
            }
            same
        });
        self
    }
}

/// Returns whether an item has the tone; `None` if that scorer has not scored it.
fn has_tone(mark: &CountedItem, wanted: Tone, scorer: &str) -> Option<bool> {
    let detected = mark.sound.filter(|_| mark.scorer.as_deref().unwrap_or_default() == scorer)?;
    (detected != Tone::Unsupported).then_some(detected == wanted)
}

impl Cause {
    /// Returns the earliest copy of the text that is the cause; `None` for other causes.
    pub fn first_copy<'a>(&self, marks: impl IntoIterator<Item = &'a CountedItem>) -> Option<&'a CountedItem> {
        let copies = marks.into_iter().filter(|mark| self.dimension == Dimension::Text && mark.cluster == self.name);
        copies.min_by_key(|mark| (mark.moment(), &mark.key))
    }

    /// Returns the name in its original spelling: author handles are normalized to lower case.
    pub fn display_name<'a>(&'a self, marks: impl IntoIterator<Item = &'a CountedItem>) -> &'a str {
        let mut authors = marks.into_iter().filter_map(|mark| mark.author.as_deref());
        let written =
            authors.find(|author| self.dimension == Dimension::Author && normalize_author(author) == self.name);
        written.unwrap_or(&self.name)
    }
}
