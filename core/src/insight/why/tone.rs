//! What an unusual share of a tone comes from: the group without which the share would be at least half of the way back to what
//! is usual without that group. It must have become more (or less) of all posts than usual, or sound otherwise than it used
//! to, beside all else; so one that always sounded so and one that changed like all else explain nothing.

use super::groups::{self, Group, authors, days_of, has_sources, largest};
use super::volume::beyond_chance;
use super::{Cause, Compared, DayItems, Dimension, Item, LEAST, NEARLY_ALL, choose, real};
use crate::insight::daily::{MIN_SAMPLES, Share, UsualShare, share, usual_share};

/// Posts as usual that are added to what is left, so that a few do not decide.
const ADDED: f64 = 5.0;
/// Scored posts of a group, and of all else, without which a day does not say how far apart the two sound.
const APART_FROM: usize = 5;
/// Normal quantile beyond which the two moved apart (2.5 %); that the group makes half of the change is asked as well.
const APART: f64 = 1.959_964;

/// Scored items: those that sound so, and all.
#[derive(Debug, Clone, Copy, Default)]
struct Scored {
    so: usize,
    all: usize,
}

impl Scored {
    fn of<'a>(items: impl Iterator<Item = &'a Item<'a>>) -> Self {
        items
            .filter_map(|item| item.sounds)
            .fold(Self::default(), |sum, so| Self { so: sum.so + usize::from(so), all: sum.all + 1 })
    }

    fn without(self, other: Self) -> Self {
        Self { so: self.so - other.so, all: self.all - other.all }
    }

    fn share(self) -> Option<Share> {
        share(self.so as u64, self.all as u64)
    }

    /// The share on the scale where its scatter does not depend on it.
    fn angle(self) -> f64 {
        ((real(self.so) + 0.375) / (real(self.all) + 0.75)).sqrt().asin()
    }

    fn chance(self) -> f64 {
        1.0 / (4.0 * real(self.all) + 2.0)
    }
}

/// A group and all else, in the period and on earlier days.
struct Beside {
    ours: Scored,
    rest: Scored,
    earlier: Vec<(Scored, Scored)>,
}

/// The cause of an unusual share of those items that sound as asked about, if anything makes half of it. Days with fewer
/// than `least` scored items say nothing of shares.
#[must_use]
pub fn tone(compared: &Compared<'_>, usual: &UsualShare, least: u64) -> Option<Cause> {
    let all = Scored::of(compared.now.items.iter());
    let change = all.share()?.share - usual.expected;
    let (rise, by_source) = (change > 0.0, has_sources(compared));
    // More of what sounds so raises the share, and so does less of what does not.
    let pulls = |item: &Item<'_>| item.sounds == Some(rise);
    let holds_back = |item: &Item<'_>| item.sounds == Some(!rise);
    let mut candidates = largest([&compared.now], by_source, pulls, real(LEAST));
    candidates.extend(largest(compared.earlier, by_source, holds_back, real(LEAST)));
    let groups = candidates.iter().filter_map(|group| {
        let beside = beside(compared, group, all);
        let (rest_usual, rest_as_usual) = usual_without(&beside, least)?;
        let explained = explained(&beside, rest_usual, change);
        if !beside.moved(rise) || beside.is_nearly_all() {
            return None;
        }
        let ours = compared.now.items.iter().filter(|item| group.holds(item) && item.sounds.is_some());
        let usual = mean(beside.earlier.iter().map(|(ours, _)| ours.all));
        Some((
            explained,
            cause(group.dimension(), group.name(), beside.ours, usual, explained, authors(ours), rest_as_usual),
        ))
    });
    let days = mean(compared.earlier.iter().map(|day| day.items.len()));
    let terms = compared.terms.iter().filter_map(|term| {
        let held = || groups::with_term(&compared.now, term).filter(|item| item.sounds.is_some());
        let ours = Scored::of(held());
        let beside = Beside { ours, rest: all.without(ours), earlier: Vec::new() };
        // How posts with a term sounded earlier is not kept: only one that became more is a cause.
        let part = term.expected / days.max(f64::MIN_POSITIVE);
        let grown =
            part <= NEARLY_ALL && real(ours.all) > term.expected && beyond_chance(ours.all, all.all, part, true);
        let explained = explained(&beside, usual.expected, change);
        let cause =
            cause(Dimension::Term, term.term.to_owned(), ours, term.expected, explained, authors(held()), false);
        let nearly_all = real(ours.all) > NEARLY_ALL * real(all.all);
        (grown && !nearly_all && ours.all >= LEAST).then_some((explained, cause))
    });
    choose(groups.chain(terms).collect())
}

fn cause(
    dimension: Dimension,
    name: String,
    ours: Scored,
    usual: f64,
    part: f64,
    authors: u64,
    rest_as_usual: bool,
) -> Cause {
    let (items, sounding) = (ours.all as u64, ours.so as u64);
    Cause { dimension, name, part, items, usual, sounding, authors, rest_as_usual }
}

fn beside(compared: &Compared<'_>, group: &Group<'_>, all: Scored) -> Beside {
    let ours = |day: &DayItems<'_>| Scored::of(day.items.iter().filter(|item| group.holds(item)));
    let now = ours(&compared.now);
    let earlier = days_of(compared, group).map(|day| {
        let ours = ours(day);
        (ours, Scored::of(day.items.iter()).without(ours))
    });
    Beside { ours: now, rest: all.without(now), earlier: earlier.collect() }
}

/// The share that is usual without a group, and whether what is left has it; `None` where too few days are known.
fn usual_without(beside: &Beside, least: u64) -> Option<(f64, bool)> {
    // Half of the posts may be the group's.
    let shares = beside.earlier.iter().filter(|(_, rest)| rest.all as u64 >= least.div_ceil(2));
    let shares: Vec<Share> = shares.filter_map(|(_, rest)| rest.share()).collect();
    let band = usual_share(beside.rest.all as u64, &shares).ok()?;
    let inside = beside.rest.share().is_some_and(|share| (band.low..=band.high).contains(&share.share));
    Some((band.expected, inside))
}

/// How far back to the usual the share is without a group, as a part of the way.
fn explained(beside: &Beside, rest_usual: f64, change: f64) -> f64 {
    let left = (real(beside.rest.so) + rest_usual * ADDED) / (real(beside.rest.all) + ADDED);
    1.0 - (left - rest_usual) / change
}

impl Beside {
    /// Whether nearly all posts used to be the group's: then there is nothing to compare it with.
    fn is_nearly_all(&self) -> bool {
        let sum =
            |sum: (usize, usize), (ours, rest): &(Scored, Scored)| (sum.0 + ours.all, sum.1 + ours.all + rest.all);
        let (ours, all) = self.earlier.iter().fold((0, 0), sum);
        real(ours) > real(all) * NEARLY_ALL
    }

    /// Whether the group became more or less of all than usual, or moved away from all else.
    fn moved(&self, rise: bool) -> bool {
        let pulls = (self.ours.angle() > self.rest.angle()) == rise;
        self.resized(pulls && self.ours.all >= LEAST) || self.apart(rise)
    }

    fn resized(&self, grown: bool) -> bool {
        let part = |ours: Scored, rest: Scored| share(ours.all as u64, (ours.all + rest.all) as u64);
        let shares: Vec<Share> = self.earlier.iter().filter_map(|(ours, rest)| part(*ours, *rest)).collect();
        let Some(now) = part(self.ours, self.rest) else { return false };
        usual_share(now.whole, &shares)
            .is_ok_and(|band| if grown { now.share > band.high } else { now.share < band.low })
    }

    fn apart(&self, rise: bool) -> bool {
        let known = |(ours, rest): &&(Scored, Scored)| ours.all >= APART_FROM && rest.all >= APART_FROM;
        let days: Vec<(f64, f64)> = self
            .earlier
            .iter()
            .filter(known)
            .map(|(ours, rest)| (ours.angle() - rest.angle(), ours.chance() + rest.chance()))
            .collect();
        if days.len() < MIN_SAMPLES || self.ours.all < APART_FROM {
            return false;
        }
        let many = real(days.len());
        let usual = days.iter().map(|(apart, _)| apart).sum::<f64>() / many;
        let scatter = days.iter().map(|(apart, chance)| (apart - usual).powi(2) * many / (many - 1.0) - chance);
        let between = (scatter.sum::<f64>() / many).max(0.0);
        let chance = days.iter().map(|(_, chance)| chance).sum::<f64>() / many;
        let variance = between + self.ours.chance() + self.rest.chance() + (between + chance) / many;
        let away = (self.ours.angle() - self.rest.angle() - usual) / variance.sqrt();
        if rise { away > APART } else { away < -APART }
    }
}

fn mean(counts: impl Iterator<Item = usize>) -> f64 {
    let (sum, many) = counts.fold((0, 0), |(sum, many), count| (sum + count, many + 1));
    if many == 0 { 0.0 } else { real(sum) / real(many) }
}
