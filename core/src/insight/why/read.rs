//! Turns stored items into those that causes are looked for in, and a cause's name back into what was written.

use std::collections::BTreeMap;

use super::{Cause, DayItems, Dimension, Item};
use crate::insight::daily::Day;
use crate::insight::one_author;
use crate::model::{Mark, Source, Tone};

/// Part of a day's items of which it must be known who found them: older sightings may be pruned.
const SOURCED: f64 = 0.9;

/// Which source found an item alone.
#[derive(Debug, Clone, Default)]
pub struct OnlySources(BTreeMap<String, Option<Source>>);

impl OnlySources {
    /// By which source found what; with nothing, sources explain nothing.
    #[must_use]
    pub fn of(shown: Vec<(Source, String)>) -> Self {
        let mut all: BTreeMap<String, Option<Source>> = BTreeMap::new();
        for (source, key) in shown {
            all.entry(key).and_modify(|only| *only = only.filter(|known| *known == source)).or_insert(Some(source));
        }
        Self(all)
    }
}

impl<'a> DayItems<'a> {
    /// The items of a day; `tone` is what they are asked to sound like, and by which scorer.
    #[must_use]
    pub fn of(
        day: Day,
        marks: impl IntoIterator<Item = &'a Mark>,
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
                    author: mark.author.as_deref().map(one_author),
                    source: source.copied().flatten(),
                    sounds: tone.and_then(|(asked, scorer)| sounds(mark, asked, scorer)),
                }
            })
            .collect();
        let sourced = super::real(known) >= super::real(items.len()) * SOURCED && !sources.0.is_empty();
        Self { day, items, sourced }
    }

    /// The same with near-copies as one item, which has the author and the source that all of them share.
    #[must_use]
    pub fn texts_once(mut self) -> Self {
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

/// Whether an item sounds as asked about; `None` where that scorer has not said so.
fn sounds(mark: &Mark, asked: Tone, scorer: &str) -> Option<bool> {
    let judged = mark.sound.filter(|_| mark.scorer.as_deref().unwrap_or_default() == scorer)?;
    (judged != Tone::Unsupported).then_some(judged == asked)
}

impl Cause {
    /// The earliest of the items that a text's name stands for.
    pub fn first_copy<'a>(&self, marks: impl IntoIterator<Item = &'a Mark>) -> Option<&'a Mark> {
        let ours = marks.into_iter().filter(|mark| self.dimension == Dimension::Text && mark.cluster == self.name);
        ours.min_by_key(|mark| (mark.moment(), &mark.key))
    }

    /// The name as somebody wrote it: authors are told apart without the case of A to Z.
    pub fn written<'a>(&'a self, marks: impl IntoIterator<Item = &'a Mark>) -> &'a str {
        let mut authors = marks.into_iter().filter_map(|mark| mark.author.as_deref());
        let written = authors.find(|author| self.dimension == Dimension::Author && one_author(author) == self.name);
        written.unwrap_or(&self.name)
    }
}
