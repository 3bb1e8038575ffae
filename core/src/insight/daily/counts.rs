//! Counts a set of items: all items, unique texts and authors separately, and unknown fields.

use std::collections::{BTreeMap, BTreeSet};

use crate::insight::normalize_author;
use crate::model::{CountedItem, Kind, Tone};

/// The counts of a set of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct ItemCounts {
    /// All items, near-copies included.
    pub raw: u64,
    /// Items with near-copies counted once.
    pub unique: u64,
    /// Different known authors; 0 if any item was pruned, because its author is unknown.
    pub authors: u64,
    /// Items that are posts.
    pub posts: u64,
    /// Items that are pages.
    pub pages: u64,
    /// Items without a date: they count when first seen.
    pub undated: u64,
    /// Items without a known author.
    pub no_author: u64,
    /// Items without any known reactions.
    pub no_engagement: u64,
}

/// Counts a set of items.
#[must_use]
pub fn count_items<'a>(marks: impl IntoIterator<Item = &'a CountedItem>) -> ItemCounts {
    let (mut clusters, mut authors) = (BTreeSet::new(), BTreeSet::new());
    let mut counted = ItemCounts::default();
    let mut pruned = false;
    for mark in marks {
        pruned |= mark.pruned;
        counted.raw += 1;
        clusters.insert(mark.cluster.as_str());
        match &mark.author {
            Some(author) => drop(authors.insert(normalize_author(author))),
            None => counted.no_author += 1,
        }
        match mark.kind {
            Kind::Post => counted.posts += 1,
            Kind::Page => counted.pages += 1,
        }
        counted.undated += u64::from(mark.published_at.is_none());
        counted.no_engagement += u64::from(!mark.has_engagement());
    }
    counted.unique = clusters.len() as u64;
    counted.authors = if pruned { 0 } else { authors.len() as u64 };
    counted
}

/// The tones of a set of items, by one scorer.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct ToneCounts {
    pub negative: u64,
    pub neutral: u64,
    pub positive: u64,
    /// In a language the scorer does not know.
    pub unsupported: u64,
    /// Not scored yet.
    pub unscored: u64,
    /// Items scored by another scorer, by its name; not in the other counts.
    pub by_others: BTreeMap<String, u64>,
}

impl ToneCounts {
    /// Returns the sample size: items with one of the three tones.
    #[must_use]
    pub fn sample(&self) -> u64 {
        self.negative + self.neutral + self.positive
    }

    /// Adds two sets.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        self.negative += other.negative;
        self.neutral += other.neutral;
        self.positive += other.positive;
        self.unsupported += other.unsupported;
        self.unscored += other.unscored;
        for (name, many) in &other.by_others {
            *self.by_others.entry(name.clone()).or_default() += many;
        }
        self
    }
}

/// Returns the scorer of most items; of several, the last by name. Figures of two scorers are never mixed.
#[must_use]
pub fn scorer_of<'a>(marks: impl IntoIterator<Item = &'a CountedItem>) -> Option<String> {
    let mut by_name: BTreeMap<&str, u64> = BTreeMap::new();
    for mark in marks.into_iter().filter(|mark| mark.sound.is_some()) {
        *by_name.entry(mark.scorer.as_deref().unwrap_or_default()).or_default() += 1;
    }
    by_name.into_iter().max_by_key(|(name, many)| (*many, *name)).map(|(name, _)| name.to_owned())
}

/// Counts the tones of a set of items by one scorer.
#[must_use]
pub fn count_tones<'a>(marks: impl IntoIterator<Item = &'a CountedItem>, scorer: Option<&str>) -> ToneCounts {
    let mut all = ToneCounts::default();
    for mark in marks {
        let by = mark.scorer.as_deref().unwrap_or_default();
        match mark.sound {
            None => all.unscored += 1,
            Some(_) if Some(by) != scorer => *all.by_others.entry(by.to_owned()).or_default() += 1,
            Some(Tone::Negative) => all.negative += 1,
            Some(Tone::Neutral) => all.neutral += 1,
            Some(Tone::Positive) => all.positive += 1,
            Some(Tone::Unsupported) => all.unsupported += 1,
        }
    }
    all
}

/// The items of one host or author.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// The host, or the author's handle.
    pub name: String,
    pub raw: u64,
    /// With near-copies counted once.
    pub unique: u64,
    /// The reactions to the `known` items.
    pub engagement: i64,
    /// The number of items with known reactions.
    pub known: u64,
}

/// Groups items by name, the most frequent first; A to Z compare without case.
#[must_use]
pub fn tally<'a>(named: impl IntoIterator<Item = (String, &'a CountedItem)>, most: usize) -> Vec<Tally> {
    let mut list = group_by_name(named);
    list.sort_by(|a, b| (b.raw, b.unique, &a.name).cmp(&(a.raw, a.unique, &b.name)));
    list.truncate(most);
    list
}

/// Returns the authors of a set of items, those with the most reactions first, those with unknown reactions last.
#[must_use]
pub fn top_authors<'a>(marks: impl IntoIterator<Item = &'a CountedItem>, most: usize) -> Vec<Tally> {
    let mut list = group_by_name(marks.into_iter().filter_map(|mark| Some((mark.author.clone()?, mark))));
    let reactions = |tally: &Tally| (tally.known > 0).then_some(tally.engagement);
    list.sort_by(|a, b| (reactions(b), b.raw, b.unique, &a.name).cmp(&(reactions(a), a.raw, a.unique, &b.name)));
    list.truncate(most);
    list
}

/// Groups items by name.
fn group_by_name<'a>(named: impl IntoIterator<Item = (String, &'a CountedItem)>) -> Vec<Tally> {
    let mut all: BTreeMap<String, (Tally, BTreeSet<&str>)> = BTreeMap::new();
    for (name, mark) in named {
        let none = || Tally { name: name.clone(), raw: 0, unique: 0, engagement: 0, known: 0 };
        let (tally, clusters) = all.entry(normalize_author(&name)).or_insert_with(|| (none(), BTreeSet::new()));
        tally.name = tally.name.clone().min(name);
        tally.raw += 1;
        if mark.has_engagement() {
            tally.engagement = tally.engagement.saturating_add(mark.engagement.sum());
            tally.known += 1;
        }
        clusters.insert(&mark.cluster);
    }
    all.into_values().map(|(tally, clusters)| Tally { unique: clusters.len() as u64, ..tally }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Engagement, Time, WindowFit};

    fn post(key: &str) -> CountedItem {
        CountedItem {
            key: key.to_owned(),
            kind: Kind::Post,
            author: None,
            url: None,
            published_at: None,
            first_seen: Time(0),
            seq: 1,
            fit: WindowFit::In,
            cluster: key.to_owned(),
            sound: None,
            score: None,
            scorer: None,
            engagement: Engagement::default(),
            changes: 0,
            pruned: false,
        }
    }

    #[test]
    fn tones_of_other_scorers_are_counted_apart() {
        let scored =
            |tone: Tone, scorer: &str| CountedItem { sound: Some(tone), scorer: Some(scorer.to_owned()), ..post("a") };
        let items = [
            scored(Tone::Negative, "new"),
            scored(Tone::Negative, "new"),
            scored(Tone::Neutral, "new"),
            scored(Tone::Positive, "new"),
            scored(Tone::Unsupported, "new"),
            scored(Tone::Negative, "old"),
            scored(Tone::Neutral, "old"),
            scored(Tone::Positive, "older"),
            scored(Tone::Unsupported, "older"),
            post("not scored"),
        ];
        assert_eq!(scorer_of(&items).as_deref(), Some("new"));
        let expected = ToneCounts {
            negative: 2,
            neutral: 1,
            positive: 1,
            unsupported: 1,
            unscored: 1,
            by_others: BTreeMap::from([("old".to_owned(), 2), ("older".to_owned(), 2)]),
        };
        assert_eq!(count_tones(&items, Some("new")), expected);
    }

    #[test]
    fn authors_with_unknown_reactions_come_after_those_with_none() {
        let by = |author: &str, likes: Option<i64>| CountedItem {
            author: Some(author.to_owned()),
            // Views are no reactions.
            engagement: Engagement { likes, views: Some(900), ..Engagement::default() },
            ..post("a")
        };
        let items = [by("unknown", None), by("unknown", None), by("none", Some(0)), by("seven", Some(7))];
        let names = |most: usize| top_authors(&items, most).into_iter().map(|tally| tally.name).collect::<Vec<_>>();
        assert_eq!(names(8), ["seven", "none", "unknown"]);
        assert_eq!(names(2), ["seven", "none"]);
    }
}
