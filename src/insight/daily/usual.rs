//! What is usual for a day: what the days before let expect of it, and how far a day may stray from that by chance.
//!
//! Counts of items vary by factors, so the work is done on their cube roots, where a gamma distribution looks normal (Wilson
//! and Hilferty, 1931): the lower edge stays above zero in bursty topics, and the upper one leaves room for the long tail.
//! Weekend and weekday effects are estimated and shrunk towards none as far as chance explains them (empirical Bayes); the
//! spread of the days like today is shrunk towards that of all; the band is Student's, so that it is wider when days are few. docs/explanation/report.md has the
//! measured error rates. What is done about an unusual day is for others to say.

use super::Day;
use crate::insight::robust::{Middle, middle};
use crate::insight::student::student;

/// Days without which nothing is called usual.
pub const MIN_DAYS: usize = 7;
/// Days that the spread and the weekdays are learned from; the latest.
const MOST_DAYS: usize = 60;
/// Days that the level is learned from; the latest.
const LEVEL_DAYS: usize = 28;
/// Added before the root, so that a day with nothing is not infinitely far from a day with one.
const OFFSET: f64 = 0.5;
/// A day further above its like than so many robust deviations was an event: it is cut to there, and teaches nothing more.
const WILD: f64 = 4.0;
/// Degrees of freedom that are left within groups, without which their effects are not estimated.
const LEAST_WITHIN: usize = 7;
/// Days that the spread of all days counts as, beside that of the days like today.
const POOLED_DAYS: f64 = 28.0;
/// Part of the scatter of counting that counts as estimated: that a stream is nothing but chance is known from its days, too.
const ESTIMATED: f64 = 0.5;
/// Part of the degrees of freedom that is believed: cube roots are only nearly normal, and effects are estimated, too.
const BELIEVED: f64 = 0.6;
/// Normal quantiles of the chances that a calm day falls below the band (1.05 %), or above it (0.88 %).
const LOW: f64 = 2.308_0;
const HIGH: f64 = 2.373_9;
/// The same of the chance that a short window is far above (0.05 %), and of a day (0.25 %). Between `SHORT` and `LONG` hours the
/// chance grows with the length: a day has fewer of the longer windows, so as few calm ones of a day are told.
const FAR_SHORT: f64 = 3.290_5;
const FAR_LONG: f64 = 2.807_0;
const SHORT: f64 = 3.0;
const LONG: f64 = 24.0;

/// What is usual.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Usual {
    /// What the days before let expect.
    pub expected: f64,
    /// Below this is unusual.
    pub low: f64,
    /// Above this is unusual.
    pub high: f64,
    /// Above this is worth a message: of calm windows one in 2,000 passes it when they are short, and one in 400 of a day.
    pub far: f64,
    /// Days it rests on.
    pub days: usize,
    /// Whether the weekday made a difference.
    pub weekday: bool,
}

/// What is usual on `day`, by earlier days with their counts, the earliest first; only days that can be compared (watched
/// and covered) belong in the list. `Err` tells how many there are where they are too few.
pub fn usual(day: &Day, earlier: &[(Day, u64)]) -> Result<Usual, usize> {
    let days = earlier.get(earlier.len().saturating_sub(MOST_DAYS)..).unwrap_or_default();
    if days.len() < MIN_DAYS {
        return Err(days.len());
    }
    let weekdays: Vec<usize> = days.iter().map(|(day, _)| weekday(day)).collect();
    #[expect(clippy::cast_precision_loss, reason = "counts of items")]
    let mut roots: Vec<f64> = days.iter().map(|(_, count)| (*count as f64 + OFFSET).cbrt()).collect();
    tame(&mut roots, &weekdays);
    let fit = Fit::of(&roots, &weekdays, weekday(day));
    let count = |root: f64| (root.max(0.0).powi(3) - OFFSET).max(0.0);
    let high = count(fit.today + student(HIGH, fit.freedom) * fit.deviation);
    let far = count(fit.today + student(far_quantile(day), fit.far_freedom) * fit.deviation);
    Ok(Usual {
        expected: count(fit.today),
        low: count(fit.today - student(LOW, fit.freedom) * fit.deviation),
        high,
        far: far.max(high),
        days: days.len(),
        weekday: fit.weekday,
    })
}

/// The normal quantile of the chance that a calm window passes `far`.
fn far_quantile(window: &Day) -> f64 {
    let hours = (window.span.length().as_secs_f64() / 3_600.0).clamp(SHORT, LONG);
    FAR_SHORT + (FAR_LONG - FAR_SHORT) * (hours / SHORT).ln() / (LONG / SHORT).ln()
}

fn weekday(day: &Day) -> usize {
    usize::try_from(day.date.weekday().to_monday_zero_offset()).unwrap_or(0)
}

/// Saturday and Sunday are one group, the others another.
fn weekend(weekday: usize) -> usize {
    usize::from(weekday >= 5)
}

/// Cuts wild days: those far above both all days and the other days of their weekday.
fn tame(roots: &mut [f64], weekdays: &[usize]) {
    let all = middle(roots.iter().copied()).median;
    let like: Vec<f64> = (0..7)
        .map(|weekday| {
            let same: Vec<f64> = of_group(roots, weekdays, weekday).collect();
            if same.len() >= 3 { middle(same).median.max(all) } else { all }
        })
        .collect();
    let like = |place: usize| weekdays.get(place).and_then(|weekday| like.get(*weekday)).copied().unwrap_or(all);
    let away: Vec<f64> = roots.iter().enumerate().map(|(place, root)| root - like(place)).collect();
    let Middle { stray, .. } = middle(away);
    let reach = WILD * stray.max(poisson(all)).max(all * 0.05);
    for (place, root) in roots.iter_mut().enumerate() {
        *root = root.min(like(place) + reach);
    }
}

/// The values of one group.
fn of_group<'a>(values: &'a [f64], groups: &'a [usize], group: usize) -> impl Iterator<Item = f64> + 'a {
    values.iter().zip(groups).filter(move |(_, other)| **other == group).map(|(value, _)| *value)
}

/// The standard deviation that a Poisson count has on the scale of roots, by its root.
fn poisson(root: f64) -> f64 {
    1.0 / (3.0 * root.max(0.8).sqrt())
}

/// What is expected of each earlier day and of today.
struct Fit {
    today: f64,
    deviation: f64,
    freedom: f64,
    far_freedom: f64,
    weekday: bool,
}

/// The effects of groups of days on their level.
struct Effects {
    of: Vec<f64>,
    /// Variance of what today's group may differ by beyond its effect.
    left: f64,
    /// Degrees of freedom that were used up.
    used: f64,
}

impl Fit {
    fn of(roots: &[f64], weekdays: &[usize], today: usize) -> Self {
        let n = real(roots.len());
        let level = (roots.iter().sum::<f64>() / n).max(0.5);
        let rest: Vec<f64> = roots.iter().map(|root| root - level).collect();
        let groups: Vec<usize> = weekdays.iter().copied().map(weekend).collect();
        let ends = Effects::of(&rest, &groups, 2, weekend(today), poisson(level));
        let rest: Vec<f64> = rest.iter().zip(&groups).map(|(rest, group)| rest - ends.at(*group)).collect();
        let days = Effects::of(&rest, weekdays, 7, today, poisson(level));
        let rest: Vec<f64> = rest.iter().zip(weekdays).map(|(rest, weekday)| rest - days.at(*weekday)).collect();
        let effect = |weekday: usize| ends.at(weekend(weekday)) + days.at(weekday);
        // The level may have moved since; how days stray from it is learned from all.
        let latest = rest.get(rest.len().saturating_sub(LEVEL_DAYS)..).unwrap_or(&rest);
        let moved = latest.iter().sum::<f64>() / real(latest.len());
        let today_root = (level + effect(today) + moved).max(0.5);
        // Days stray in proportion to their level, and by chance as counts do.
        let fitted: Vec<f64> = weekdays.iter().map(|weekday| (level + effect(*weekday)).max(0.5)).collect();
        let freedom = (n - 1.0 - ends.used - days.used).max(2.0);
        let beyond =
            |(rest, fitted): (&f64, &f64)| (rest / fitted).powi(2) * n / freedom - (poisson(*fitted) / fitted).powi(2);
        let beyond: Vec<f64> = rest.iter().zip(&fitted).map(beyond).collect();
        // Weekends may stray otherwise than weekdays; as far as so few days can tell.
        let own: Vec<f64> = of_group(&beyond, &groups, weekend(today)).collect();
        let (pooled, of_own) = (beyond.iter().sum::<f64>() / n, own.iter().sum::<f64>());
        let spread = (of_own + pooled * POOLED_DAYS) / (real(own.len()) + POOLED_DAYS);
        let (spread, counting) = (spread.max(0.0) * today_root.powi(2), poisson(today_root).powi(2));
        let variance = spread + counting;
        let deviation = (variance * (1.0 + 1.0 / real(latest.len())) + ends.left + days.left).sqrt();
        let freedom = freedom.min(real(own.len()) + POOLED_DAYS) * BELIEVED;
        // The scatter of counting is known and not estimated, so few days leave less in doubt (Satterthwaite). That is not
        // for the band: a lively stream looks like mere chance in some of its first weeks.
        let far_freedom = freedom * (variance / (spread + counting * ESTIMATED)).powi(2);
        Self { today: today_root, deviation, freedom, far_freedom, weekday: effect(today) != 0.0 }
    }
}

impl Effects {
    /// The effects of `many` groups on values around zero, each shrunk by how much of what lies between groups chance
    /// explains; none where too few values are left to tell.
    fn of(values: &[f64], groups: &[usize], many: usize, today: usize, least: f64) -> Self {
        let none = Self { of: vec![0.0; many], left: 0.0, used: 0.0 };
        let sizes: Vec<f64> = (0..many).map(|group| real(of_group(values, groups, group).count())).collect();
        let there = sizes.iter().filter(|size| **size > 0.0).count();
        let Some(within) = values.len().checked_sub(there).filter(|within| there > 1 && *within >= LEAST_WITHIN) else {
            return none;
        };
        let n = real(values.len());
        let mean = values.iter().sum::<f64>() / n;
        let means: Vec<f64> = sizes
            .iter()
            .enumerate()
            .map(|(group, size)| if *size > 0.0 { of_group(values, groups, group).sum::<f64>() / size } else { mean })
            .collect();
        let at = |group: usize| means.get(group).copied().unwrap_or(mean);
        let inside = values.iter().zip(groups).map(|(value, group)| (value - at(*group)).powi(2)).sum::<f64>();
        let inside = (inside / real(within)).max(least * least);
        // Variance components of a one-way layout of unequal groups.
        let between = sizes.iter().zip(&means).map(|(size, own)| size * (own - mean).powi(2)).sum::<f64>();
        let between = between / real(there - 1);
        let size = (n - sizes.iter().map(|size| size * size).sum::<f64>() / n) / real(there - 1);
        let effect = ((between - inside) / size).max(0.0);
        if effect == 0.0 {
            return none;
        }
        let kept = |size: f64| if size > 0.0 { effect / (effect + inside / size) } else { 0.0 };
        let used = sizes.iter().map(|size| kept(*size)).sum::<f64>() / real(there) * real(there - 1);
        let of = sizes.iter().zip(&means).map(|(size, own)| kept(*size) * (own - mean)).collect();
        let left = effect * (1.0 - sizes.get(today).map_or(0.0, |size| kept(*size)));
        Self { of, left, used }
    }

    fn at(&self, group: usize) -> f64 {
        self.of.get(group).copied().unwrap_or(0.0)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of days")]
fn real(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::super::days;
    use super::*;
    use crate::model::Time;

    fn history(counts: &[u64]) -> (Day, Vec<(Day, u64)>) {
        let all = days(Time::parse("2026-03-30T12:00:00Z").unwrap(), i32::try_from(counts.len()).unwrap() + 1, "UTC");
        let (last, before) = all.split_last().unwrap();
        (*last, before.iter().copied().zip(counts.iter().copied()).collect())
    }

    fn of(counts: &[u64]) -> Usual {
        let (day, before) = history(counts);
        usual(&day, &before).unwrap()
    }

    #[test]
    fn one_wild_day_does_not_move_what_is_usual() {
        let calm = [100, 104, 96, 101, 100, 98, 102, 99, 103, 97, 100, 105, 95, 100];
        let mut wild = calm;
        wild[4] = 5_000;
        let (calm, wild) = (of(&calm), of(&wild));
        assert!((99.0..101.0).contains(&calm.expected) && calm.low > 70.0 && calm.high < 135.0, "{calm:?}");
        assert!((wild.expected - calm.expected).abs() < 8.0 && wild.low > 50.0 && wild.high < 180.0, "{wild:?}");
    }

    #[test]
    fn weekdays_are_compared_with_their_like() {
        // The 30th of March 2026 is a Monday; so is each seventh day before.
        let mondays =
            |on: u64, other: u64| -> Vec<u64> { (0..28).map(|day| if day % 7 == 0 { on } else { other }).collect() };
        let quiet = of(&mondays(10, 500));
        assert!(quiet.weekday && quiet.expected < 60.0, "{quiet:?}");
        let loud = of(&mondays(500, 100));
        assert!(loud.weekday && loud.expected > 350.0 && loud.low > 100.0, "{loud:?}");
        assert!(!of(&[50; 28]).weekday);
    }

    #[test]
    fn the_chance_of_a_calm_alert_grows_with_the_window() {
        let window = |hours: u64| {
            let end = Time::parse("2026-03-30T12:00:00Z").unwrap();
            let window = super::super::window_before(end, 0, std::time::Duration::from_secs(hours * 3_600), "UTC");
            far_quantile(&window.unwrap())
        };
        assert_eq!((window(1), window(3)), (FAR_SHORT, FAR_SHORT));
        // A third and two thirds of the way.
        assert!(
            (window(6) - 3.129).abs() < 0.001 && (window(12) - 2.968).abs() < 0.001,
            "{} {}",
            window(6),
            window(12)
        );
        assert!((window(24) - FAR_LONG).abs() < 1e-9 && (window(168) - FAR_LONG).abs() < 1e-9);
    }

    #[test]
    fn bursts_leave_the_lower_edge_above_nothing() {
        let bursty =
            [204, 90, 260, 800, 150, 210, 120, 330, 180, 95, 240, 1_100, 205, 160, 220, 130, 280, 190, 500, 140, 210];
        let got = of(&bursty);
        assert!(got.low > 10.0 && got.high > 600.0, "{got:?}");
    }

    #[test]
    fn few_days_are_no_measure_and_few_more_a_wide_one() {
        let (day, before) = history(&[1, 2, 3, 4, 5, 6]);
        assert_eq!(usual(&day, &before), Err(6));
        let width = |n: usize| {
            let counts: Vec<u64> = (0..n).map(|day| [90, 100, 110, 95, 105][day % 5]).collect();
            let got = of(&counts);
            got.high - got.low
        };
        assert!(width(7) > width(14) && width(14) > width(56), "{} {} {}", width(7), width(14), width(56));
        let nothing = of(&[0; 14]);
        assert!(nothing.low == 0.0 && nothing.high < 8.0 && nothing.expected < 0.1, "{nothing:?}");
    }
}
