//! Finds the cause of an unusual share of a tone: the group without which the share would be at least half of the way
//! back to what is usual without it. The group must also be a larger or smaller part of all posts than usual, or have
//! moved away from the tone of the rest. A group that always had this tone, or changed like the rest, explains nothing.

use super::groups::{self, Group, authors, days_of, has_sources, largest_groups};
use super::volume::beyond_chance;
use super::{Cause, Compared, DayItems, Dimension, Item, LEAST, NEARLY_ALL, mean, most_specific_cause, real};
use crate::insight::daily::{MIN_SAMPLES, Share, UsualShare, share, usual_share};

/// Posts of the usual tone added to the rest, so that a few posts do not decide.
const ADDED: f64 = 5.0;
/// A day needs this many scored posts in the group and in the rest to compare their tones.
const APART_FROM: usize = 5;
/// Normal quantile (2.5 %) beyond which group and rest moved apart; the group must also explain half of the change.
const APART: f64 = 1.959_964;

/// Scored items: those with the tone, and all.
#[derive(Debug, Clone, Copy, Default)]
struct Scored {
    so: usize,
    all: usize,
}

impl Scored {
    fn of<'a>(items: impl Iterator<Item = &'a Item<'a>>) -> Self {
        items
            .filter_map(|item| item.has_tone)
            .fold(Self::default(), |sum, so| Self { so: sum.so + usize::from(so), all: sum.all + 1 })
    }

    fn without(self, other: Self) -> Self {
        Self { so: self.so - other.so, all: self.all - other.all }
    }

    fn share(self) -> Option<Share> {
        share(self.so as u64, self.all as u64)
    }

    /// The share on the arcsine scale, where its variance does not depend on it.
    fn angle(self) -> f64 {
        ((real(self.so) + 0.375) / (real(self.all) + 0.75)).sqrt().asin()
    }

    fn variance(self) -> f64 {
        1.0 / (4.0 * real(self.all) + 2.0)
    }
}

/// A group and the rest, in the period and on earlier days.
struct GroupAndRest {
    group: Scored,
    rest: Scored,
    earlier: Vec<(Scored, Scored)>,
}

/// Returns the cause of an unusual share of the tone, if any explains half of it. A day needs `least` scored items; the
/// rest of a day without a group needs half of that.
#[must_use]
pub fn tone_cause(compared: &Compared<'_>, usual: &UsualShare, least: u64) -> Option<Cause> {
    let all = Scored::of(compared.now.items.iter());
    let change = all.share()?.share - usual.expected;
    let (rise, by_source) = (change > 0.0, has_sources(compared));
    // More items with the tone raise the share; so do fewer items without it.
    let pulls = |item: &Item<'_>| item.has_tone == Some(rise);
    let holds_back = |item: &Item<'_>| item.has_tone == Some(!rise);
    let mut candidates = largest_groups([&compared.now], by_source, pulls, real(LEAST));
    candidates.extend(largest_groups(compared.earlier, by_source, holds_back, real(LEAST)));
    let groups = candidates.iter().filter_map(|group| {
        let comparison = group_and_rest(compared, group, all);
        let (rest_usual, rest_as_usual) = usual_without(&comparison, least)?;
        let explained = explained(&comparison, rest_usual, change);
        if !comparison.moved(rise) || comparison.is_nearly_all() {
            return None;
        }
        let scored_items = compared.now.items.iter().filter(|item| group.contains(item) && item.has_tone.is_some());
        let usual = mean(comparison.earlier.iter().map(|(scored, _)| scored.all));
        Some((
            explained,
            cause(
                group.dimension(),
                group.name(),
                comparison.group,
                usual,
                explained,
                authors(scored_items),
                rest_as_usual,
            ),
        ))
    });
    let days = mean(compared.earlier.iter().map(|day| day.items.len()));
    let terms = compared.terms.iter().filter_map(|term| {
        let scored_items = || groups::with_term(&compared.now, term).filter(|item| item.has_tone.is_some());
        let scored = Scored::of(scored_items());
        let comparison = GroupAndRest { group: scored, rest: all.without(scored), earlier: Vec::new() };
        // The tone of earlier posts with a term is not stored: only a term that became more frequent is a cause.
        let part = term.expected / days.max(f64::MIN_POSITIVE);
        let grown =
            part <= NEARLY_ALL && real(scored.all) > term.expected && beyond_chance(scored.all, all.all, part, true);
        let explained = explained(&comparison, usual.expected, change);
        let cause = cause(
            Dimension::Term,
            term.term.to_owned(),
            scored,
            term.expected,
            explained,
            authors(scored_items()),
            false,
        );
        let nearly_all = real(scored.all) > NEARLY_ALL * real(all.all);
        (grown && !nearly_all && scored.all >= LEAST).then_some((explained, cause))
    });
    most_specific_cause(groups.chain(terms).collect())
}

fn cause(
    dimension: Dimension,
    name: String,
    scored: Scored,
    usual: f64,
    part: f64,
    authors: u64,
    rest_as_usual: bool,
) -> Cause {
    let (items, sounding) = (scored.all as u64, scored.so as u64);
    Cause { dimension, name, part, items, usual, sounding, authors, rest_as_usual }
}

fn group_and_rest(compared: &Compared<'_>, group: &Group<'_>, all: Scored) -> GroupAndRest {
    let score_group = |day: &DayItems<'_>| Scored::of(day.items.iter().filter(|item| group.contains(item)));
    let now = score_group(&compared.now);
    let earlier = days_of(compared, group).map(|day| {
        let scored = score_group(day);
        (scored, Scored::of(day.items.iter()).without(scored))
    });
    GroupAndRest { group: now, rest: all.without(now), earlier: earlier.collect() }
}

/// Returns the usual share without a group, and whether the rest lies inside it; `None` with too few days.
fn usual_without(comparison: &GroupAndRest, least: u64) -> Option<(f64, bool)> {
    // Half of a day's posts may belong to the group.
    let shares = comparison.earlier.iter().filter(|(_, rest)| rest.all as u64 >= least.div_ceil(2));
    let shares: Vec<Share> = shares.filter_map(|(_, rest)| rest.share()).collect();
    let band = usual_share(comparison.rest.all as u64, &shares).ok()?;
    let inside = comparison.rest.share().is_some_and(|share| (band.low..=band.high).contains(&share.share));
    Some((band.expected, inside))
}

/// Returns how far back to the usual share removing the group leads: 1 is all the way.
fn explained(comparison: &GroupAndRest, rest_usual: f64, change: f64) -> f64 {
    let left = (real(comparison.rest.so) + rest_usual * ADDED) / (real(comparison.rest.all) + ADDED);
    1.0 - (left - rest_usual) / change
}

impl GroupAndRest {
    /// Returns whether nearly all posts used to belong to the group: then nothing is left to compare it with.
    fn is_nearly_all(&self) -> bool {
        let sum =
            |sum: (usize, usize), (group, rest): &(Scored, Scored)| (sum.0 + group.all, sum.1 + group.all + rest.all);
        let (group, all) = self.earlier.iter().fold((0, 0), sum);
        real(group) > real(all) * NEARLY_ALL
    }

    /// Returns whether the group became a larger or smaller part than usual, or moved away from the rest in tone.
    fn moved(&self, rise: bool) -> bool {
        let pulls = (self.group.angle() > self.rest.angle()) == rise;
        self.resized(pulls && self.group.all >= LEAST) || self.tone_diverged(rise)
    }

    fn resized(&self, grown: bool) -> bool {
        let part = |group: Scored, rest: Scored| share(group.all as u64, (group.all + rest.all) as u64);
        let shares: Vec<Share> = self.earlier.iter().filter_map(|(group, rest)| part(*group, *rest)).collect();
        let Some(now) = part(self.group, self.rest) else { return false };
        usual_share(now.whole, &shares)
            .is_ok_and(|band| if grown { now.share > band.high } else { now.share < band.low })
    }

    fn tone_diverged(&self, rise: bool) -> bool {
        let known = |(group, rest): &&(Scored, Scored)| group.all >= APART_FROM && rest.all >= APART_FROM;
        let days: Vec<(f64, f64)> = self
            .earlier
            .iter()
            .filter(known)
            .map(|(group, rest)| (group.angle() - rest.angle(), group.variance() + rest.variance()))
            .collect();
        if days.len() < MIN_SAMPLES || self.group.all < APART_FROM {
            return false;
        }
        let many = real(days.len());
        let usual = days.iter().map(|(difference, _)| difference).sum::<f64>() / many;
        let scatter =
            days.iter().map(|(difference, chance)| (difference - usual).powi(2) * many / (many - 1.0) - chance);
        let between = (scatter.sum::<f64>() / many).max(0.0);
        let chance = days.iter().map(|(_, chance)| chance).sum::<f64>() / many;
        let variance = between + self.group.variance() + self.rest.variance() + (between + chance) / many;
        let away = (self.group.angle() - self.rest.angle() - usual) / variance.sqrt();
        if rise { away > APART } else { away < -APART }
    }
}
