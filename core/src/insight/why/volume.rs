//! What a rise or a fall of items comes from. A group's usual count is its usual share of what is expected of the day, so that
//! weekdays count for it as they do for all. It is a cause when its share strays from the usual, further than what is left
//! without it does, and when it makes half of the change beyond what it would have made had it changed like all else.

use super::groups::{self, Group, authors, days_of, has_sources, largest};
use super::{Cause, Compared, Dimension, LEAST, NEARLY_ALL, Term, choose, real};
use crate::insight::daily::{Share, Usual, share, usual, usual_share};

/// How far from what is expected a share must lie, as a part of the way to the edge of the usual. That the group made half of the
/// change, and that all else strayed less, is asked as well.
const NEARER: f64 = 0.5;

/// A group's count beside all.
struct Counted {
    now: usize,
    /// How many are usual.
    usual: f64,
    /// How far its share strays in the direction of the change, as a part of the way to the edge of the usual; `None` where too
    /// few days tell where that is.
    strays: Option<f64>,
    /// Whether it is more of all than usual, or less where all is less.
    beyond: bool,
}

/// The cause of a day's unusual number of items, if anything makes half of it.
#[must_use]
pub fn volume(compared: &Compared<'_>, usual: &Usual) -> Option<Cause> {
    let all = compared.now.items.len();
    let change = real(all) - usual.expected;
    let by_source = has_sources(compared);
    let candidates = if change > 0.0 {
        largest([&compared.now], by_source, |_| true, change * super::HALF)
    } else {
        // Bursts are in the mean of days, and not in what is usual of them.
        largest(compared.earlier, by_source, |_| true, change.abs() * super::HALF / 2.0)
    };
    let groups = candidates.iter().filter_map(|group| {
        let ours = compared.now.items.iter().filter(|item| group.holds(item));
        let counted = counted(compared, group, ours.clone().count(), usual, change > 0.0)?;
        let rest = Rest::of(compared, group, all - counted.now, change > 0.0);
        // Where all else strays as far, everything changed, and this by chance a little more.
        if counted.strays.zip(rest.strays).is_some_and(|(ours, others)| ours < others) {
            return None;
        }
        Some(judged(group.dimension(), group.name(), &counted, all, usual, authors(ours), rest))
    });
    let terms = compared.terms.iter().filter(|_| change > 0.0).filter_map(|term| {
        let ours = || groups::with_term(&compared.now, term);
        let counted = counted_term(term, ours().count(), all, usual)?;
        Some(judged(Dimension::Term, term.term.to_owned(), &counted, all, usual, authors(ours()), Rest::UNKNOWN))
    });
    choose(groups.chain(terms).flatten().collect())
}

/// The cause that a group is, with how much it explains; `None` when it explains nothing.
fn judged(
    dimension: Dimension,
    name: String,
    counted: &Counted,
    all: usize,
    usual: &Usual,
    authors: u64,
    left: Rest,
) -> Option<(f64, Cause)> {
    let change = real(all) - usual.expected;
    let (now, rest, rest_usual) =
        (real(counted.now), real(all - counted.now), (usual.expected - counted.usual).max(0.0));
    if !counted.beyond || rest + rest_usual < 1.0 || counted.usual > usual.expected * NEARLY_ALL {
        return None;
    }
    // How all else changed, as far as counting by chance does not explain it; halves keep the factor finite.
    let like = |rest: f64| (rest + 0.5) / (rest_usual + 0.5);
    let like = if change > 0.0 { like(rest - rest.sqrt()).max(1.0) } else { like(rest + rest.sqrt()).min(1.0) };
    // What strays less than to the edge may do so by itself, and says as much less of what the group would have done.
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
    };
    Some((explained, cause))
}

/// How far a value lies from what is expected, as a part of the way to an edge, on a scale where it strays as far up as down.
fn part_of_way(scale: impl Fn(f64) -> f64, now: f64, expected: f64, edge: f64) -> f64 {
    let way = scale(edge) - scale(expected);
    if way == 0.0 { 0.0 } else { (scale(now) - scale(expected)) / way }
}

fn counted(compared: &Compared<'_>, group: &Group<'_>, now: usize, usual: &Usual, rise: bool) -> Option<Counted> {
    if rise && now < LEAST {
        return None;
    }
    let all = compared.now.items.len();
    let shares: Vec<Share> = days_of(compared, group)
        .filter_map(|day| {
            let ours = day.items.iter().filter(|item| group.holds(item)).count();
            share(ours as u64, day.items.len() as u64)
        })
        .collect();
    let share_now = if all == 0 { 0.0 } else { real(now) / real(all) };
    if let Ok(band) = usual_share(all as u64, &shares) {
        let angle = |share: f64| share.clamp(0.0, 1.0).sqrt().asin();
        let strays = part_of_way(angle, share_now, band.expected, if rise { band.high } else { band.low });
        let usual = band.expected * usual.expected;
        return Some(Counted { now, usual, strays: Some(strays), beyond: strays > NEARER });
    }
    // Too few days had any item: all of them together.
    let (part, whole) = shares.iter().fold((0, 0), |sum, day| (sum.0 + day.part, sum.1 + day.whole));
    let of = share(part, whole).map_or(0.0, |share| share.share);
    let usual = of * usual.expected;
    Some(Counted { now, usual, strays: None, beyond: beyond_chance(now, all, of, rise) })
}

fn counted_term(term: &Term<'_>, now: usize, all: usize, usual: &Usual) -> Option<Counted> {
    let of = (term.expected / usual.expected.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    let usual = term.expected.min(usual.expected);
    (now >= LEAST).then(|| Counted { now, usual, strays: None, beyond: beyond_chance(now, all, of, true) })
}

/// Whether a part of all lies beyond its usual share by more than chance.
pub(super) fn beyond_chance(now: usize, all: usize, usual: f64, rise: bool) -> bool {
    share(now as u64, all as u64).is_some_and(|share| if rise { share.low > usual } else { share.high < usual })
}

/// What is left without a group.
#[derive(Clone, Copy)]
struct Rest {
    /// Whether it is what is usual without the group.
    as_usual: bool,
    /// How far it strays in the direction of the change, as a part of the way to the edge; `None` where nobody knows.
    strays: Option<f64>,
}

impl Rest {
    const UNKNOWN: Self = Self { as_usual: false, strays: None };

    fn of(compared: &Compared<'_>, group: &Group<'_>, rest: usize, rise: bool) -> Self {
        let without: Vec<_> = days_of(compared, group)
            .map(|day| (day.day, day.items.iter().filter(|item| !group.holds(item)).count() as u64))
            .collect();
        let Ok(band) = usual(&compared.now.day, &without) else { return Self::UNKNOWN };
        let edge = if rise { band.high } else { band.low };
        let strays = part_of_way(f64::cbrt, real(rest), band.expected, edge);
        Self { as_usual: (band.low..=band.high).contains(&real(rest)), strays: Some(strays) }
    }
}
