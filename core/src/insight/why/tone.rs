//! Finds the cause of an unusual share of a tone: the group without which the share would be at least half of the way
//! back to what is usual without it. The group must also have grown or shrunk, both by itself and as a part of all
//! posts, or its own tone must have changed, away from that of the rest. A group explains nothing if it always had this
//! tone, changed like the rest, or stayed the same while the rest changed.

use super::groups::{self, Group, authors, days_of, has_sources, largest_groups};
use super::volume::beyond_chance;
use super::{Cause, Compared, DayItems, Dimension, Item, LEAST, NEARLY_ALL};
use super::{is_common_to_nearly_all, mean, most_specific_cause, to_f64};
use crate::insight::daily::{Day, MIN_SAMPLES, Share, UsualShare, share, usual_range, usual_share};

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
        ((to_f64(self.so) + 0.375) / (to_f64(self.all) + 0.75)).sqrt().asin()
    }

    fn variance(self) -> f64 {
        1.0 / (4.0 * to_f64(self.all) + 2.0)
    }
}

/// A group and the rest, in the period and on earlier days.
struct GroupAndRest {
    group: Scored,
    rest: Scored,
    day: Day,
    earlier: Vec<EarlierDay>,
}

/// A group and the rest on an earlier day.
struct EarlierDay {
    day: Day,
    group: Scored,
    rest: Scored,
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
    let mut candidates = largest_groups([&compared.now], by_source, pulls, to_f64(LEAST));
    candidates.extend(largest_groups(compared.earlier, by_source, holds_back, to_f64(LEAST)));
    let groups = candidates.iter().filter_map(|group| {
        let comparison = group_and_rest(compared, group, all);
        let (rest_usual, rest_as_usual) = usual_without(&comparison, least)?;
        let explained = explained(&comparison, rest_usual, change);
        if !comparison.explains_change(rise) || comparison.is_nearly_all() {
            return None;
        }
        let scored_items = compared.now.items.iter().filter(|item| group.contains(item) && item.has_tone.is_some());
        let usual = mean(comparison.earlier.iter().map(|day| day.group.all));
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
        let comparison =
            GroupAndRest { group: scored, rest: all.without(scored), day: compared.now.day, earlier: Vec::new() };
        // The tone of earlier posts with a term is not stored: only a term that became more frequent is a cause.
        let part = term.expected / days.max(f64::MIN_POSITIVE);
        let grown =
            part <= NEARLY_ALL && to_f64(scored.all) > term.expected && beyond_chance(scored.all, all.all, part, true);
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
        let nearly_all = to_f64(scored.all) > NEARLY_ALL * to_f64(all.all);
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
    Cause { dimension, name, part, items, usual, sounding, authors, rest_as_usual, as_much: 0 }
}

fn group_and_rest(compared: &Compared<'_>, group: &Group<'_>, all: Scored) -> GroupAndRest {
    let score_group = |day: &DayItems<'_>| Scored::of(day.items.iter().filter(|item| group.contains(item)));
    let now = score_group(&compared.now);
    let earlier = days_of(compared, group).map(|day| {
        let scored = score_group(day);
        EarlierDay { day: day.day, group: scored, rest: Scored::of(day.items.iter()).without(scored) }
    });
    GroupAndRest { group: now, rest: all.without(now), day: compared.now.day, earlier: earlier.collect() }
}

/// Returns the usual share without a group, and whether the rest lies inside it; `None` with too few days.
fn usual_without(comparison: &GroupAndRest, least: u64) -> Option<(f64, bool)> {
    // Half of a day's posts may belong to the group.
    let shares = comparison.earlier.iter().filter(|day| day.rest.all as u64 >= least.div_ceil(2));
    let shares: Vec<Share> = shares.filter_map(|day| day.rest.share()).collect();
    let band = usual_share(comparison.rest.all as u64, &shares).ok()?;
    let inside = comparison.rest.share().is_some_and(|share| (band.low..=band.high).contains(&share.share));
    Some((band.expected, inside))
}

/// Returns how far back to the usual share removing the group leads: 1 is all the way.
fn explained(comparison: &GroupAndRest, rest_usual: f64, change: f64) -> f64 {
    let left = (to_f64(comparison.rest.so) + rest_usual * ADDED) / (to_f64(comparison.rest.all) + ADDED);
    1.0 - (left - rest_usual) / change
}

/// Returns whether a count is larger (`grown`) or smaller than is usual on such a day. With too few days for a band, it
/// must lie beyond all of them.
pub(super) fn size_changed(day: &Day, now: u64, earlier: &[(Day, u64)], grown: bool) -> bool {
    let beyond_band = usual_range(day, earlier).map(|band| {
        let now = to_f64(usize::try_from(now).unwrap_or(usize::MAX));
        if grown { now > band.high } else { now < band.low }
    });
    beyond_band.unwrap_or_else(|_| earlier.iter().all(|(_, many)| if grown { now > *many } else { now < *many }))
}

impl GroupAndRest {
    /// Returns whether nearly all posts belong to the group: then nothing is left to compare it with.
    fn is_nearly_all(&self) -> bool {
        let sum = |of: fn(&EarlierDay) -> usize| to_f64(self.earlier.iter().map(of).sum::<usize>());
        let usual_part = sum(|day| day.group.all) / sum(|day| day.group.all + day.rest.all).max(1.0);
        let part = to_f64(self.group.all) / to_f64(self.group.all + self.rest.all).max(1.0);
        is_common_to_nearly_all(part, usual_part)
    }

    /// Returns whether the group grew or shrank, or its tone changed, more than the rest did.
    fn explains_change(&self, rise: bool) -> bool {
        let pulls = (self.group.angle() > self.rest.angle()) == rise;
        self.resized(pulls && self.group.all >= LEAST) || self.tone_diverged(rise)
    }

    /// Returns whether the group is a larger (`grown`) or smaller part than usual because its own number changed. If
    /// there are two groups, the share of one changes even if only the number of the other does.
    fn resized(&self, grown: bool) -> bool {
        let part = |group: Scored, rest: Scored| share(group.all as u64, (group.all + rest.all) as u64);
        let shares: Vec<Share> = self.earlier.iter().filter_map(|day| part(day.group, day.rest)).collect();
        let Some(now) = part(self.group, self.rest) else { return false };
        let counts: Vec<(Day, u64)> = self.earlier.iter().map(|day| (day.day, day.group.all as u64)).collect();
        usual_share(now.whole, &shares)
            .is_ok_and(|band| if grown { now.share > band.high } else { now.share < band.low })
            && size_changed(&self.day, self.group.all as u64, &counts, grown)
    }

    /// Returns whether the group's own tone is unusual, and moved away from that of the rest.
    fn tone_diverged(&self, rise: bool) -> bool {
        let known = |day: &&EarlierDay| day.group.all >= APART_FROM && day.rest.all >= APART_FROM;
        let days: Vec<&EarlierDay> = self.earlier.iter().filter(known).collect();
        if days.len() < MIN_SAMPLES || self.group.all < APART_FROM {
            return false;
        }
        let shares: Vec<Share> = days.iter().filter_map(|day| day.group.share()).collect();
        let own = self.group.share().zip(usual_share(self.group.all as u64, &shares).ok());
        own.is_some_and(|(now, band)| if rise { now.share > band.high } else { now.share < band.low })
            && self.differs_more_than_usual(&days, rise)
    }

    /// Returns whether the tones of group and rest differ more than usual, in the direction of the change.
    fn differs_more_than_usual(&self, days: &[&EarlierDay], rise: bool) -> bool {
        let days: Vec<(f64, f64)> = days
            .iter()
            .map(|day| (day.group.angle() - day.rest.angle(), day.group.variance() + day.rest.variance()))
            .collect();
        let many = to_f64(days.len());
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
