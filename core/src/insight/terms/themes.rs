//! Themes: a period's items in groups that share terms that are news. No model: the strongest term begins a theme, terms that
//! stand in the same items join it, and an item belongs to the theme that most of its terms are of.

use std::collections::BTreeSet;

use super::news::{NewsTerm, negative, shared};
use super::rises::{LEAST_VOICES, TermItem};
use crate::insight::daily::Share;
use crate::model::Kind;

/// Themes that are told.
pub const MOST_THEMES: usize = 7;
/// Terms of a theme's name.
const NAMED: usize = 3;
/// Part of the rarer term's items that two terms of a theme share.
const TOGETHER: f64 = 0.5;

/// Items that share terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    /// Its best terms, the strongest first.
    pub terms: Vec<String>,
    pub items: u64,
    /// Near-copies once.
    pub unique: u64,
    pub voices: u64,
    /// Of those that are scored.
    pub negative: Option<Share>,
    /// Items of the period before that would belong to it; `None` where that is not known.
    pub before: Option<u64>,
    /// Place of the earliest item.
    pub first: usize,
    /// Place of the post that stands for it: most reactions, or the first.
    pub post: Option<usize>,
    /// The same of pages.
    pub page: Option<usize>,
}

/// All of a period.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Themes {
    /// The largest first.
    pub told: Vec<Theme>,
    /// Themes that are not told, and their items.
    pub more: u64,
    pub more_items: u64,
    /// Items that hold no term that is news.
    pub other_items: u64,
}

/// The themes of a period. `earlier` are the terms of each item of the period before, where that can be compared.
#[must_use]
pub fn themes(news: &[NewsTerm], items: &[TermItem], earlier: Option<&[Vec<String>]>) -> Themes {
    let groups = groups(news);
    // Of an item: how many of a group's terms it holds.
    let mut held: Vec<Vec<u32>> = vec![vec![0; groups.len()]; items.len()];
    for (group, terms) in groups.iter().enumerate() {
        for place in terms.iter().flat_map(|term| &term.places) {
            if let Some(count) = held.get_mut(*place).and_then(|groups| groups.get_mut(group)) {
                *count += 1;
            }
        }
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
    let mut other = 0;
    for (place, held) in held.iter().enumerate() {
        match best(held).and_then(|group| members.get_mut(group)) {
            Some(members) => members.push(place),
            None => other += 1,
        }
    }
    let before = earlier.map(|earlier| before(&groups, earlier));
    let before = |group: usize| before.as_ref().and_then(|before| before.get(group)).copied();
    let themes = groups.iter().zip(&members).enumerate();
    let mut told: Vec<Theme> =
        themes.filter_map(|(at, (terms, places))| theme(terms, places, items, before(at))).collect();
    let grouped: u64 = told.iter().map(|theme| theme.items).sum();
    told.sort_by(|a, b| (b.unique, b.items).cmp(&(a.unique, a.items)).then_with(|| a.terms.cmp(&b.terms)));
    let rest = told.split_off(told.len().min(MOST_THEMES));
    let all = items.len() as u64;
    Themes {
        more: rest.len() as u64,
        more_items: rest.iter().map(|theme| theme.items).sum(),
        // What is left of groups that are too small is of no theme either.
        other_items: (all - grouped).max(other),
        told,
    }
}

/// The first of the groups of which an item holds most terms.
fn best(held: &[u32]) -> Option<usize> {
    let held = held.iter().enumerate().filter(|(_, many)| **many > 0);
    held.rev().max_by_key(|(_, many)| **many).map(|(group, _)| group)
}

/// How many items of the period before belong to each group, each to one, as those of the period do.
fn before(groups: &[Vec<&NewsTerm>], earlier: &[Vec<String>]) -> Vec<u64> {
    let mut before = vec![0; groups.len()];
    for item in earlier {
        let holds = |one: &&&NewsTerm| item.iter().any(|term| one.holds(term));
        let held: Vec<u32> = groups.iter().map(|terms| terms.iter().filter(holds).map(|_| 1).sum()).collect();
        if let Some(many) = best(&held).and_then(|group| before.get_mut(group)) {
            *many += 1;
        }
    }
    before
}

/// Terms that stand together, each in one group.
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
        first: of().min_by(|(_, a), (_, b)| (a.at, &a.key).cmp(&(b.at, &b.key))).map(|(place, _)| place)?,
        post: loudest(Kind::Post),
        page: loudest(Kind::Page),
    })
}
