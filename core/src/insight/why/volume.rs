//! Finds the cause of an unusual number of items. The usual count of a group is its usual share of the day's expected
//! count, so it follows the weekday. A group is a cause if its share moved beyond the usual, and further than the rest,
//! and if it explains half of the change beyond what it would have done by changing like the rest.

use super::groups::{self, Group, authors, days_of, has_sources, largest_groups};
use super::{Cause, Compared, Dimension, LEAST, Term, is_common_to_nearly_all, most_specific_cause, to_f64};
use crate::insight::daily::{Share, UsualRange, share, usual_range, usual_share};

/// A share must move at least this part of the way to the edge of its usual band. The group must also explain half of
/// the change, and the rest must not have moved further.
const NEARER: f64 = 0.5;

/// A group's count and how unusual it is.
struct GroupCount {
    now: usize,
    /// The usual count.
    usual: f64,
    /// How far its share moved in the direction of the change; 1 is the edge of its usual band. `None` with too few
    /// days.
    strays: Option<f64>,
    /// Whether its share is higher than usual in a rise, or lower in a fall.
    beyond: bool,
}

/// Returns the cause of a day's unusual number of items, if any explains half of it.
#[must_use]
pub fn volume_cause(compared: &Compared<'_>, usual: &UsualRange) -> Option<Cause> {
    let all = compared.now.items.len();
    let change = to_f64(all) - usual.expected;
    let by_source = has_sources(compared);
    let candidates = if change > 0.0 {
        largest_groups([&compared.now], by_source, |_| true, change * super::HALF)
    } else {
        // The mean of days includes bursts, the usual count does not.
        largest_groups(compared.earlier, by_source, |_| true, change.abs() * super::HALF / 2.0)
    };
    let groups = candidates.iter().filter_map(|group| {
        let group_items = compared.now.items.iter().filter(|item| group.contains(item));
        let counted = counted(compared, group, group_items.clone().count(), usual, change > 0.0)?;
        let rest = Rest::of(compared, group, all - counted.now, change > 0.0);
        // If the rest moved further, everything changed, not just this group.
        if counted.strays.zip(rest.strays).is_some_and(|(group_strays, rest_strays)| group_strays < rest_strays) {
            return None;
        }
        Some(to_cause(group.dimension(), group.name(), &counted, all, usual, authors(group_items), rest))
    });
    let terms = compared.terms.iter().filter(|_| change > 0.0).filter_map(|term| {
        let term_items = || groups::with_term(&compared.now, term);
        let counted = counted_term(term, term_items().count(), all, usual)?;
        Some(to_cause(
            Dimension::Term,
            term.term.to_owned(),
            &counted,
            all,
            usual,
            authors(term_items()),
            Rest::UNKNOWN,
        ))
    });
    most_specific_cause(groups.chain(terms).flatten().collect())
}

/// Turns a group into a cause with how much it explains; `None` if it explains nothing.
fn to_cause(
    dimension: Dimension,
    name: String,
    counted: &GroupCount,
    all: usize,
    usual: &UsualRange,
    authors: u64,
    left: Rest,
) -> Option<(f64, Cause)> {
    let change = to_f64(all) - usual.expected;
    let (now, rest, rest_usual) =
        (to_f64(counted.now), to_f64(all - counted.now), (usual.expected - counted.usual).max(0.0));
    let parts = (now / to_f64(all.max(1)), counted.usual / usual.expected.max(f64::MIN_POSITIVE));
    if !counted.beyond || rest + rest_usual < 1.0 || is_common_to_nearly_all(parts.0, parts.1) {
        return None;
    }
    // The factor by which the rest changed beyond counting noise; the halves keep it finite.
    let like = |rest: f64| (rest + 0.5) / (rest_usual + 0.5);
    let like = if change > 0.0 { like(rest - rest.sqrt()).max(1.0) } else { like(rest + rest.sqrt()).min(1.0) };
    // A rest inside its band may have moved by chance: apply only the part of the way to the edge.
    let like = 1.0 + (like - 1.0) * left.strays.map_or(1.0, |strays| strays.clamp(0.0, 1.0));
    let explained = (now - counted.usual * like) / change;
    let part = (now - counted.usual) / change;
    let cause = Cause {
        dimension,
        name,
        part,
        items: counted.now as u64,
        usual: counted.usual,
        sounding: 0,
        authors,
        rest_as_usual: left.as_usual,
        as_much: 0,
    };
    Some((explained, cause))
}

/// Returns how far `now` lies from `expected`, 1 at `edge`, on a scale that makes the scatter symmetric.
fn part_of_way(scale: impl Fn(f64) -> f64, now: f64, expected: f64, edge: f64) -> f64 {
    let way = scale(edge) - scale(expected);
    if way == 0.0 { 0.0 } else { (scale(now) - scale(expected)) / way }
}

fn counted(
    compared: &Compared<'_>,
    group: &Group<'_>,
    now: usize,
    usual: &UsualRange,
    rise: bool,
) -> Option<GroupCount> {
    if rise && now < LEAST {
        return None;
    }
    let all = compared.now.items.len();
    let shares: Vec<Share> = days_of(compared, group)
        .filter_map(|day| {
            let in_group = day.items.iter().filter(|item| group.contains(item)).count();
            share(in_group as u64, day.items.len() as u64)
        })
        .collect();
    let share_now = if all == 0 { 0.0 } else { to_f64(now) / to_f64(all) };
    if let Ok(band) = usual_share(all as u64, &shares) {
        let angle = |share: f64| share.clamp(0.0, 1.0).sqrt().asin();
        let strays = part_of_way(angle, share_now, band.expected, if rise { band.high } else { band.low });
        let usual = band.expected * usual.expected;
        return Some(GroupCount { now, usual, strays: Some(strays), beyond: strays > NEARER });
    }
    // Too few days had any item: pool them all.
    let (part, whole) = shares.iter().fold((0, 0), |sum, day| (sum.0 + day.part, sum.1 + day.whole));
    let of = share(part, whole).map_or(0.0, |share| share.share);
    let usual = of * usual.expected;
    Some(GroupCount { now, usual, strays: None, beyond: beyond_chance(now, all, of, rise) })
}

fn counted_term(term: &Term<'_>, now: usize, all: usize, usual: &UsualRange) -> Option<GroupCount> {
    let of = (term.expected / usual.expected.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    let usual = term.expected.min(usual.expected);
    (now >= LEAST).then(|| GroupCount { now, usual, strays: None, beyond: beyond_chance(now, all, of, true) })
}

/// Returns whether a part of all lies beyond its usual share by more than chance.
pub(super) fn beyond_chance(now: usize, all: usize, usual: f64, rise: bool) -> bool {
    share(now as u64, all as u64).is_some_and(|share| if rise { share.low > usual } else { share.high < usual })
}

/// The items without a group.
#[derive(Clone, Copy)]
struct Rest {
    /// Whether their number is usual without the group.
    as_usual: bool,
    /// How far it moved in the direction of the change, 1 at the edge of its band; `None` if unknown.
    strays: Option<f64>,
}

impl Rest {
    const UNKNOWN: Self = Self { as_usual: false, strays: None };

    fn of(compared: &Compared<'_>, group: &Group<'_>, rest: usize, rise: bool) -> Self {
        let without: Vec<_> = days_of(compared, group)
            .map(|day| (day.day, day.items.iter().filter(|item| !group.contains(item)).count() as u64))
            .collect();
        let Ok(band) = usual_range(&compared.now.day, &without) else { return Self::UNKNOWN };
        let edge = if rise { band.high } else { band.low };
        let strays = part_of_way(f64::cbrt, to_f64(rest), band.expected, edge);
        Self { as_usual: (band.low..=band.high).contains(&to_f64(rest)), strays: Some(strays) }
    }
}
