//! Groups of items with something in common: the candidates for a cause.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{Compared, DayItems, Dimension, Item, Term};
use crate::model::Source;

/// The most groups per dimension; the largest are used.
const MOST: usize = 6;

/// The common property of a group's items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Group<'a> {
    Text(&'a str),
    Author(&'a str),
    Source(Source),
}

impl<'a> Group<'a> {
    pub(super) fn dimension(&self) -> Dimension {
        match self {
            Self::Text(_) => Dimension::Text,
            Self::Author(_) => Dimension::Author,
            Self::Source(_) => Dimension::Source,
        }
    }

    pub(super) fn name(&self) -> String {
        match self {
            Self::Text(name) | Self::Author(name) => (*name).to_owned(),
            Self::Source(source) => source.to_string(),
        }
    }

    pub(super) fn contains(&self, item: &Item<'_>) -> bool {
        match self {
            Self::Text(text) => item.text == *text,
            Self::Author(author) => item.author.as_deref() == Some(author),
            Self::Source(source) => item.source == Some(*source),
        }
    }

    fn all_of(item: &'a Item<'_>, by_source: bool) -> impl Iterator<Item = Self> {
        let source = item.source.filter(|_| by_source).map(Self::Source);
        [Some(Self::Text(item.text)), item.author.as_deref().map(Self::Author), source].into_iter().flatten()
    }
}

/// Returns whether sources can be compared: they are known for the period, and there are at least two.
pub(super) fn has_sources(compared: &Compared<'_>) -> bool {
    let sourced = std::iter::once(&compared.now).chain(compared.earlier).filter(|day| day.sourced);
    // An item found by several sources has source `None`, which counts as one more.
    let all: BTreeSet<Option<Source>> = sourced.flat_map(|day| &day.items).map(|item| item.source).collect();
    compared.now.sourced && all.len() > 1
}

/// Returns the days on which items of a group can be counted.
pub(super) fn days_of<'a>(compared: &Compared<'a>, group: &Group<'_>) -> impl Iterator<Item = &'a DayItems<'a>> {
    let by_source = group.dimension() == Dimension::Source;
    compared.earlier.iter().filter(move |day| day.sourced || !by_source)
}

/// Returns the largest groups of each dimension among the items that `counts` accepts, with at least `least` of them
/// per day.
pub(super) fn largest_groups<'a>(
    days: impl IntoIterator<Item = &'a DayItems<'a>>,
    by_source: bool,
    counts: impl Fn(&Item<'_>) -> bool,
    least: f64,
) -> BTreeSet<Group<'a>> {
    let mut many: HashMap<Group<'a>, usize> = HashMap::new();
    let mut of_days = 0;
    for day in days {
        of_days += 1;
        for item in day.items.iter().filter(|item| counts(item)) {
            for group in Group::all_of(item, by_source && day.sourced) {
                *many.entry(group).or_default() += 1;
            }
        }
    }
    let least = least * super::to_f64(of_days);
    let mut groups: Vec<(usize, Group<'a>)> =
        many.into_iter().filter(|(_, many)| super::to_f64(*many) >= least).map(|(group, many)| (many, group)).collect();
    groups.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut room: BTreeMap<Dimension, usize> = BTreeMap::new();
    groups.retain(|(_, group)| {
        let taken = room.entry(group.dimension()).or_default();
        *taken += 1;
        *taken <= MOST
    });
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Returns the number of different authors.
pub(super) fn authors<'a>(items: impl Iterator<Item = &'a Item<'a>>) -> u64 {
    items.filter_map(|item| item.author.as_deref()).collect::<HashSet<&str>>().len() as u64
}

/// Returns the period's items that contain a term.
pub(super) fn with_term<'a>(now: &'a DayItems<'_>, term: &'a Term<'_>) -> impl Iterator<Item = &'a Item<'a>> {
    now.items.iter().filter(|item| term.keys.contains(item.key))
}
