//! Themes: groups of a period's items that share terms that are news. No model: the strongest term starts a theme, terms in
//! the same items join it, and an item belongs to the theme that has most of its terms.

use std::collections::BTreeSet;

use super::meaning::shared;
use super::news::{NewsTerm, negative};
use super::rises::{LEAST_VOICES, TermItem};
use crate::insight::daily::Share;
use crate::model::Kind;

/// The most themes that are returned.
pub const MOST_THEMES: usize = 7;
/// The most terms in a theme's name.
const NAMED: usize = 3;
/// Two terms share a theme if they share this part of the rarer term's items.
const TOGETHER: f64 = 0.5;

/// Items that share terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    /// Its best terms, the strongest first.
    pub terms: Vec<String>,
    pub items: u64,
    /// Items, with near-copies counted once.
    pub unique: u64,
    pub voices: u64,
    /// The negative share of its scored items.
    pub negative: Option<Share>,
    /// Items of the period before that would belong to it; `None` if unknown.
    pub before: Option<u64>,
    /// Indexes of its items.
    pub places: Vec<usize>,
    /// Index of the earliest item.
    pub first: usize,
    /// Index of its post with most reactions; the earliest of several.
    pub post: Option<usize>,
    /// Index of its page with most reactions; the earliest of several.
    pub page: Option<usize>,
}

/// The themes of a period.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Themes {
    /// At most [`MOST_THEMES`], the largest first.
    pub largest: Vec<Theme>,
    /// Further themes, and their items.
    pub more: u64,
    pub more_items: u64,
    /// Items without a theme.
    pub other_items: u64,
}

/// Groups a period's items into themes. `earlier` holds the terms of each item of the period before, if that can be compared.
#[must_use]
pub fn themes(news: &[NewsTerm], items: &[TermItem], earlier: Option<&[Vec<String>]>) -> Themes {
    let groups = groups(news);
    // For each item and group: how many of the group's terms the item contains.
    let mut term_counts: Vec<Vec<u32>> = vec![vec![0; groups.len()]; items.len()];
    for (group, terms) in groups.iter().enumerate() {
        for place in terms.iter().flat_map(|term| &term.places) {
            if let Some(count) = term_counts.get_mut(*place).and_then(|groups| groups.get_mut(group)) {
                *count += 1;
            }
        }
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
    let mut other = 0;
    for (place, term_counts) in term_counts.iter().enumerate() {
        match best(term_counts).and_then(|group| members.get_mut(group)) {
            Some(members) => members.push(place),
            None => other += 1,
        }
    }
    let before = earlier.map(|earlier| before(&groups, earlier));
    let before = |group: usize| before.as_ref().and_then(|before| before.get(group)).copied();
    let themes = groups.iter().zip(&members).enumerate();
    let mut found: Vec<Theme> =
        themes.filter_map(|(at, (terms, places))| theme(terms, places, items, before(at))).collect();
    let grouped: u64 = found.iter().map(|theme| theme.items).sum();
    found.sort_by(|a, b| (b.unique, b.items).cmp(&(a.unique, a.items)).then_with(|| a.terms.cmp(&b.terms)));
    let rest = found.split_off(found.len().min(MOST_THEMES));
    let all = items.len() as u64;
    Themes {
        more: rest.len() as u64,
        more_items: rest.iter().map(|theme| theme.items).sum(),
        // Items of groups that are too small have no theme either.
        other_items: (all - grouped).max(other),
        largest: found,
    }
}

/// The group with most of an item's terms; the first of several.
fn best(term_counts: &[u32]) -> Option<usize> {
    let term_counts = term_counts.iter().enumerate().filter(|(_, many)| **many > 0);
    term_counts.rev().max_by_key(|(_, many)| **many).map(|(group, _)| group)
}

/// Counts the items of the period before in each group. As in the period itself, an item belongs to one group.
fn before(groups: &[Vec<&NewsTerm>], earlier: &[Vec<String>]) -> Vec<u64> {
    let mut before = vec![0; groups.len()];
    for item in earlier {
        let holds = |one: &&&NewsTerm| item.iter().any(|term| one.contains(term));
        let term_counts: Vec<u32> = groups.iter().map(|terms| terms.iter().filter(holds).map(|_| 1).sum()).collect();
        if let Some(many) = best(&term_counts).and_then(|group| before.get_mut(group)) {
            *many += 1;
        }
    }
    before
}

/// Groups terms that occur in the same items; each term is in one group.
fn groups(news: &[NewsTerm]) -> Vec<Vec<&NewsTerm>> {
    let mut groups: Vec<Vec<&NewsTerm>> = Vec::new();
    for term in news {
        let part = |leader: &NewsTerm| {
            let least = leader.places.len().min(term.places.len()).max(1);
            f64::from(u32::try_from(shared(&leader.places, &term.places)).unwrap_or(u32::MAX))
                / f64::from(u32::try_from(least).unwrap_or(u32::MAX))
        };
        let nearest = groups.iter().enumerate().filter_map(|(at, group)| Some((at, part(group.first()?))));
        let nearest = nearest.filter(|(_, part)| *part >= TOGETHER).rev().max_by(|a, b| a.1.total_cmp(&b.1));
        match nearest.and_then(|(at, _)| groups.get_mut(at)) {
            Some(group) => group.push(term),
            None => groups.push(vec![term]),
        }
    }
    groups
}

fn theme(terms: &[&NewsTerm], places: &[usize], items: &[TermItem], before: Option<u64>) -> Option<Theme> {
    let of = || places.iter().filter_map(|place| Some((*place, items.get(*place)?)));
    let voices = of().map(|(_, item)| item.voice.as_str()).collect::<BTreeSet<_>>().len();
    if voices < LEAST_VOICES {
        return None;
    }
    let loudest = |kind: Kind| {
        let all = of().filter(|(_, item)| item.kind == kind);
        all.min_by(|(_, a), (_, b)| (b.weight, a.at, &a.key).cmp(&(a.weight, b.at, &b.key))).map(|(place, _)| place)
    };
    Some(Theme {
        terms: terms.iter().take(NAMED).map(|term| term.term.clone()).collect(),
        items: places.len() as u64,
        unique: of().map(|(_, item)| item.cluster.as_str()).collect::<BTreeSet<_>>().len() as u64,
        voices: voices as u64,
        negative: negative(of().map(|(_, item)| item)),
        before,
        places: places.to_vec(),
        first: of().min_by(|(_, a), (_, b)| (a.at, &a.key).cmp(&(b.at, &b.key))).map(|(place, _)| place)?,
        post: loudest(Kind::Post),
        page: loudest(Kind::Page),
    })
}
