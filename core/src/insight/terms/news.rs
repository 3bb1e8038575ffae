//! The terms of a period that are news, one for each meaning: of `boston`, `#boston` and `boston marathon` the one that covers
//! most of the others' items; a hashtag if the word is not written without it. Overlapping pairs of letters are joined into
//! words again.

use std::collections::{BTreeMap, BTreeSet};

use super::chains::{is_chain, is_short_hiragana, join_chains, places_with, trim_particles, voices, whole_word};
use super::meaning::{EXPLAINS, Meaning, shared, to_f64};
use super::rises::{Rise, TermItem};
use crate::insight::daily::{Share, share};
use crate::model::{TermKind, Tone, bare_term};

/// The most terms that are returned. Beyond that, terms with one meaning are not merged, so a count would be too high.
pub const MOST: usize = 60;

/// A term that is news.
#[derive(Debug, Clone, PartialEq)]
pub struct NewsTerm {
    /// The folded term; [`crate::model::format_term`] makes it readable.
    pub term: String,
    /// The term that was counted: of joined pairs, the rarest.
    pub counted: String,
    pub kind: TermKind,
    pub z: f64,
    /// Items of the period that contain it.
    pub items: u64,
    /// People who use it.
    pub voices: u64,
    /// Different texts by different people, day by day.
    pub now: u64,
    /// The same count over all days before; of joined pairs, that of the rarest.
    pub before: u64,
    /// The count of the period that these predict.
    pub expected: f64,
    /// The negative share of its scored items.
    pub negative: Option<Share>,
    /// Indexes of its items.
    pub places: Vec<usize>,
    /// Index of its item with most reactions; the earliest of several.
    pub example: usize,
}

impl NewsTerm {
    /// Whether a text with `term` contains it: it is the term itself, or the rarest pair that it was joined from.
    pub(super) fn contains(&self, term: &str) -> bool {
        self.counted == term
    }

    /// Counts the items that contain it: only those at these places. Returns `None` if there are none.
    pub(super) fn counted_at(mut self, places: Vec<usize>, items: &[TermItem]) -> Option<Self> {
        let found = || places.iter().filter_map(|place| items.get(*place));
        self.items = places.len() as u64;
        self.voices = voices(&places, items) as u64;
        self.now = texts(found());
        self.negative = negative(found());
        self.example = example(&places, items)?;
        self.places = places;
        Some(self)
    }
}

/// Returns the terms that are news, the highest z first.
#[must_use]
pub fn news(rises: &[Rise<'_>], items: &[TermItem]) -> Vec<NewsTerm> {
    let mut found: Vec<Meaning<'_>> = Vec::new();
    for rise in rises.iter().filter(|rise| rise.is_news()) {
        if !joins(&mut found, rise, items) && found.len() < MOST {
            found.push(Meaning::of(rise));
        }
    }
    join_chains(&mut found, items);
    found.retain_mut(trim_particles);
    found.retain(|one| !is_short_hiragana(&one.text));
    found.sort_by(by_z);
    // The replacement may mean the same as other terms in the list.
    let mut found = found.into_iter().fold(Vec::new(), |mut kept: Vec<Meaning<'_>>, one| {
        let replaces = |other: &Meaning<'_>| is_more_specific(&one.text, other) && covers(&one, other);
        if !kept.iter().any(|other| covers(other, &one) && !replaces(other)) {
            kept.retain(|other| !replaces(other));
            kept.push(one);
        }
        kept
    });
    // Only here: a hashtag also counts as related to the words that it consists of.
    for word in &mut found {
        if let Some(tag) = rises.iter().find(|rise| rise.is_news() && tags_all_of(rise, word)) {
            *word = Meaning::of(tag);
        }
    }
    found.sort_by(by_z);
    found.truncate(MOST);
    found.into_iter().filter_map(|meaning| news_term(meaning, items)).collect()
}

/// The highest z first; the rarest pair has the z of a joined word.
fn by_z(a: &Meaning<'_>, b: &Meaning<'_>) -> std::cmp::Ordering {
    b.rarest.z.total_cmp(&a.rarest.z).then_with(|| a.text.cmp(&b.text))
}

/// Whether a term is a phrase and the other is not. A phrase that is nearly as frequent as a word of it is preferred,
/// whichever comes first.
fn is_more_specific(term: &str, other: &Meaning<'_>) -> bool {
    TermKind::of(term) == TermKind::Phrase && TermKind::of(&other.text) != TermKind::Phrase
}

/// Whether one term covers most items of another with a word in common.
fn covers(one: &Meaning<'_>, other: &Meaning<'_>) -> bool {
    let both = shared(&one.rise.items, &other.rise.items);
    related(&one.text, &other.text) && to_f64(both) >= EXPLAINS * to_f64(other.rise.items.len())
}

/// Merges a term into one that is in the list already, if both mean the same. Returns whether it did.
fn joins<'a>(found: &mut Vec<Meaning<'a>>, rise: &'a Rise<'a>, items: &[TermItem]) -> bool {
    let mut replaced: Vec<usize> = Vec::new();
    for (place, one) in found.iter_mut().enumerate() {
        if is_chain(rise.term) && is_chain(&one.text) {
            let piece = Meaning::of(rise);
            if let Some(text) = whole_word(one, &piece, items) {
                one.merge(&piece, text);
                return true;
            }
            continue;
        }
        let both = shared(&one.rise.items, &rise.items);
        let most_of = |all: &[usize]| to_f64(both) >= EXPLAINS * to_f64(all.len());
        if !related(&one.text, rise.term) {
            continue;
        }
        // The words of a hashtag count as words, too, so the word covers all items of the hashtag. If it has more, people
        // also write it without the sign.
        if most_of(&one.rise.items) && bare_term(&one.text) == bare_term(rise.term) {
            if one.rise.items.len() < rise.items.len() {
                *one = Meaning::of(rise);
            }
            return true;
        }
        if !most_of(&rise.items) {
            continue;
        }
        if !is_more_specific(rise.term, one) || !most_of(&one.rise.items) {
            return true;
        }
        // Only if no other term covers the phrase: otherwise neither the phrase nor this word would be reported.
        replaced.push(place);
    }
    let mut others = replaced.into_iter();
    let Some(one) = others.next().and_then(|first| found.get_mut(first)) else { return false };
    *one = Meaning::of(rise);
    others.rev().for_each(|place| drop(found.remove(place)));
    true
}

/// Whether a term is the hashtag of a word, and in all items of it.
fn tags_all_of(tag: &Rise<'_>, word: &Meaning<'_>) -> bool {
    TermKind::of(tag.term) == TermKind::Hashtag && bare_term(tag.term) == word.text && tag.items == word.rise.items
}

/// Whether two terms have a word in common; a hashtag may be several words written as one.
fn related(a: &str, b: &str) -> bool {
    let words = |term: &str| bare_term(term).split(' ').map(str::to_owned).collect::<BTreeSet<_>>();
    let joined = |term: &str| bare_term(term).replace(' ', "");
    let tags = |a: &str, b: &str| TermKind::of(a) == TermKind::Hashtag && joined(a).contains(&joined(b));
    !words(a).is_disjoint(&words(b)) || joined(a) == joined(b) || tags(a, b) || tags(b, a)
}

fn news_term(meaning: Meaning<'_>, items: &[TermItem]) -> Option<NewsTerm> {
    let rise = meaning.rarest;
    let joined = meaning.text != rise.term;
    let term = NewsTerm {
        kind: TermKind::of(&meaning.text),
        counted: rise.term.to_owned(),
        term: meaning.text,
        z: rise.z,
        items: rise.items.len() as u64,
        voices: rise.voices as u64,
        now: rise.now,
        before: rise.before,
        expected: rise.expected,
        negative: negative(rise.items.iter().filter_map(|place| items.get(*place))),
        places: rise.items.clone(),
        example: example(&rise.items, items)?,
    };
    if !joined {
        return Some(term);
    }
    // A pair is part of other words, too.
    let places = places_with(&term.term, &rise.items, items);
    term.counted_at(places, items)
}

/// The place of the item with most reactions; of several, the earliest.
fn example(places: &[usize], items: &[TermItem]) -> Option<usize> {
    let key = |place: &&usize| items.get(**place).map(|item| (std::cmp::Reverse(item.weight), item.at, &item.key));
    places.iter().min_by(|a, b| key(a).cmp(&key(b))).copied()
}

/// The texts of items, day by day the smaller of different texts and people.
pub(super) fn texts<'a>(items: impl Iterator<Item = &'a TermItem>) -> u64 {
    let mut days: BTreeMap<usize, (BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for item in items {
        let (texts, voices) = days.entry(item.day).or_default();
        texts.insert(&item.cluster);
        voices.insert(&item.voice);
    }
    days.values().map(|(texts, voices)| texts.len().min(voices.len()) as u64).sum()
}

/// The negative share of scored items.
pub(super) fn negative<'a>(items: impl Iterator<Item = &'a TermItem>) -> Option<Share> {
    let (mut negative, mut scored) = (0, 0);
    for item in items {
        let counts = matches!(item.sound, Some(Tone::Negative | Tone::Neutral | Tone::Positive));
        scored += u64::from(counts);
        negative += u64::from(item.sound == Some(Tone::Negative));
    }
    share(negative, scored)
}
