//! The change from one count to another. Either count may be too low. A bound is given only if its sign is certain.

use crate::report::format;

/// A count or a rate, and whether there may be more.
#[derive(Debug, Clone, Copy)]
pub(in crate::report) struct Count {
    pub(in crate::report) value: f64,
    pub(in crate::report) at_least: bool,
}

/// The change between two counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::report) enum Change {
    /// It may have risen or fallen, because there may be more.
    Unknown,
    /// Both are equal.
    Alike,
    /// There was nothing before.
    FromNone,
    /// `+12%`, `≥ +12%`, `≤ −12%`, `12 times as many`.
    By(String),
}

impl Count {
    /// Builds a count of items.
    pub(in crate::report) fn of(many: u64, at_least: bool) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "counts")]
        let value = many as f64;
        Self { value, at_least }
    }

    /// Returns the change from an earlier count to this one.
    pub(super) fn change_from(self, before: Self) -> Change {
        let (from, to) = (before.value, self.value);
        // Zero is 0 % of any number, so a fall to zero is exact.
        let bound =
            if self.at_least { Some("≥\u{a0}") } else { Some("≤\u{a0}").filter(|_| before.at_least && to > 0.0) };
        match (self.at_least, before.at_least) {
            (true, true) => return Change::Unknown,
            (true, false) if to <= from => return Change::Unknown,
            (false, true) if to >= from => return Change::Unknown,
            _ => {}
        }
        let mark = bound.unwrap_or_default();
        let size = ((to - from) / from).abs();
        match from {
            _ if (from - to).abs() < f64::EPSILON * from.max(1.0) => Change::Alike,
            none if none <= 0.0 => Change::FromNone,
            from if to >= 10.0 * from => {
                let times = to / from;
                let times = if bound.is_some() { (times + 1e-9).floor() } else { times };
                Change::By(format!("{mark}{times:.0} times as many"))
            }
            _ => {
                let sign = if to < from { '−' } else { '+' };
                // The size of a bound is rounded down, so that it holds.
                let size = match bound {
                    Some(_) => format!("{:.0}%", (size * 100.0 + 1e-9).floor()),
                    // Only a fall is never rounded to 100 %: a fall cannot exceed it, but a rise can.
                    None if to > from && size > 0.99 => format!("{:.0}%", format::hundredths(size)),
                    None => format::change_percent(size),
                };
                Change::By(format!("{mark}{sign}{size}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_change_between_lower_bounds_is_shown_only_if_its_sign_is_certain() {
        let of = |(before, before_more): (u64, bool), (now, now_more): (u64, bool)| {
            Count::of(now, now_more).change_from(Count::of(before, before_more))
        };
        let by = |change: &str| Change::By(change.replace(' ', "\u{a0}"));
        for (before, now, change) in [
            ((22, false), (24, false), by("+9%")),
            ((22, true), (24, false), Change::Unknown),
            ((24, true), (24, false), Change::Unknown),
            ((35, true), (28, false), by("≤ −20%")),
            ((35, true), (0, false), by("−100%")),
            ((0, true), (3, false), Change::Unknown),
            ((22, false), (24, true), by("≥ +9%")),
            ((1_000, false), (1_001, true), by("≥ +0%")),
            ((1_000, false), (1_001, false), by("+0.1%")),
            ((1_000, false), (1_996, false), by("+100%")),
            ((1_000, false), (4, false), by("−>99%")),
            ((35, false), (28, true), Change::Unknown),
            ((24, false), (24, true), Change::Unknown),
            ((0, false), (3, true), Change::FromNone),
            ((0, false), (0, true), Change::Unknown),
            ((35, true), (28, true), Change::Unknown),
            ((22, true), (240, true), Change::Unknown),
            ((24, false), (24, false), Change::Alike),
            ((0, false), (0, false), Change::Alike),
            ((10, false), (119, false), Change::By("12 times as many".into())),
            ((10, false), (119, true), Change::By("≥\u{a0}11 times as many".into())),
        ] {
            assert_eq!(of(before, now), change, "{before:?} {now:?}");
        }
    }
}
