//! Predicts the usual count of a day from the days before, with a band around it for chance.
//!
//! Counts of items vary by factors, so the work is done on their cube roots, where a gamma distribution looks normal
//! (Wilson and Hilferty, 1931): the lower edge stays above zero in bursty topics, and the upper edge leaves room for
//! the long tail. Effects of weekends, weekdays and changes of level are used as far as chance does not explain them
//! (`effects`). All days together give the level and the spread. The band uses Student's t, so it is wider with fewer
//! days. docs/dev/report-measured.md has the measured error rates.

use super::Day;
use super::effects::{Effects, EvidenceThreshold, Groups, to_f64};
use crate::insight::robust::{MedianMad, median_and_mad};
use crate::insight::student_t::student_t_quantile;

/// Days needed before anything counts as usual.
pub const MIN_DAYS: usize = 7;
/// The most days used; the latest.
const MOST_DAYS: usize = 60;
/// Added before the root, so that a day with 0 items is not infinitely far from a day with 1.
const OFFSET: f64 = 0.5;
/// A day this many robust deviations above similar days was an event: it is cut to this height.
const WILD: f64 = 4.0;
/// A change that lasts longer than half of this many days is not an event.
const LASTING: usize = 7;
/// Most topics have quiet weekends and few have a busy weekday, so weekends need less evidence. A change of level is
/// tried at several dates, so one stands out by chance more easily and needs the most.
const WEEKENDS: EvidenceThreshold = EvidenceThreshold { within: 7, ratio: 1.0 };
const WEEKDAYS: EvidenceThreshold = EvidenceThreshold { within: 21, ratio: 4.0 };
const MOVED: EvidenceThreshold = EvidenceThreshold { within: 26, ratio: 9.0 };
/// How many weeks ago the level may have changed, and the days needed before that.
const MOVED_WEEKS: std::ops::RangeInclusive<usize> = 2..=6;
const BEFORE_MOVE: usize = 14;
/// The weight in days of the spread of all days, next to that of days like today.
const POOLED_DAYS: f64 = 60.0;
/// The part of the counting variance treated as estimated: that a stream varies only by chance is also inferred from
/// its days.
const ESTIMATED: f64 = 0.5;
/// The part of the degrees of freedom used for `far`, where cube roots are only roughly normal.
const BELIEVED: f64 = 0.6;
/// Normal quantiles for a calm day below the band (0.76 %) or above it (0.96 %). A rise is harder to detect than a
/// fall, so the upper side gets the larger part of the 2 %.
const LOW: f64 = 2.427_6;
const HIGH: f64 = 2.341_6;
/// Normal quantiles for a calm short window far above (0.05 %), and for a day (0.25 %). Between `SHORT` and `LONG`
/// hours the chance grows with the length: a day has fewer long windows, so false alerts per day stay equally rare.
const FAR_SHORT: f64 = 3.290_5;
const FAR_LONG: f64 = 2.807_0;
const SHORT: f64 = 3.0;
const LONG: f64 = 24.0;

/// The usual range of a count.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct UsualRange {
    /// The count predicted from the days before.
    pub expected: f64,
    /// Below this is unusual.
    pub low: f64,
    /// Above this is unusual.
    pub high: f64,
    /// Above this is worth an alert. Of calm windows, one in 2,000 exceeds it if short, and one in 400 if a day long.
    pub far: f64,
    /// The number of days used.
    pub days: usize,
    /// Whether the weekday has an effect, and earlier days with the same weekday were compared with.
    pub weekday: bool,
}

/// Returns what is usual on `day`, given comparable earlier days (watched and covered) with their counts, the earliest
/// first. `Err` holds the number of days if there are too few.
pub fn usual_range(day: &Day, earlier: &[(Day, u64)]) -> Result<UsualRange, usize> {
    let days = earlier.get(earlier.len().saturating_sub(MOST_DAYS)..).unwrap_or_default();
    if days.len() < MIN_DAYS {
        return Err(days.len());
    }
    let weekdays: Vec<usize> = days.iter().map(|(day, _)| weekday(day)).collect();
    #[expect(clippy::cast_precision_loss, reason = "counts of items")]
    let mut roots: Vec<f64> = days.iter().map(|(_, count)| (*count as f64 + OFFSET).cbrt()).collect();
    clip_outliers(&mut roots, &weekdays);
    let fit = Fit::of(&roots, &weekdays, weekday(day));
    let count = |root: f64| (root.max(0.0).powi(3) - OFFSET).max(0.0);
    let high = count(fit.today + student_t_quantile(HIGH, fit.freedom) * fit.deviation);
    let far = count(fit.today + student_t_quantile(far_quantile(day), fit.far_freedom) * fit.deviation);
    // A part of this day, or a Saturday for a Sunday, has the effect, too, but "on this weekday" does not fit them.
    let same = |earlier: &Day| weekday(earlier) == weekday(day) && earlier.date != day.date;
    Ok(UsualRange {
        expected: count(fit.today),
        low: count(fit.today - student_t_quantile(LOW, fit.freedom) * fit.deviation),
        high,
        far: far.max(high),
        days: days.len(),
        weekday: fit.weekday && days.iter().any(|(earlier, _)| same(earlier)),
    })
}

/// Returns the normal quantile of the chance that a calm window exceeds `far`.
fn far_quantile(window: &Day) -> f64 {
    let hours = (window.span.length().as_secs_f64() / 3_600.0).clamp(SHORT, LONG);
    FAR_SHORT + (FAR_LONG - FAR_SHORT) * (hours / SHORT).ln() / (LONG / SHORT).ln()
}

fn weekday(day: &Day) -> usize {
    usize::try_from(day.date.weekday().to_monday_zero_offset()).unwrap_or(0)
}

/// Returns 1 for Saturday and Sunday, else 0.
fn weekend(weekday: usize) -> usize {
    usize::from(weekday >= 5)
}

/// Cuts outlier days: those far above all days, above other days of their weekday, and above the days around them.
fn clip_outliers(roots: &mut [f64], weekdays: &[usize]) {
    let all = median_and_mad(roots.iter().copied()).median;
    let weekly: Vec<f64> = (0..7)
        .map(|weekday| {
            let same: Vec<f64> = of_group(roots, weekdays, weekday).collect();
            if same.len() >= 3 { median_and_mad(same).median.max(all) } else { all }
        })
        .collect();
    let like: Vec<f64> = weekdays.iter().map(|weekday| weekly.get(*weekday).copied().unwrap_or(all)).collect();
    let MedianMad { stray, .. } = median_and_mad(roots.iter().zip(&like).map(|(root, like)| root - like));
    let reach = WILD * stray.max(poisson(all)).max(all * 0.05);
    let before = roots.to_vec();
    for (place, (root, like)) in roots.iter_mut().zip(&like).enumerate() {
        if *root > like + reach {
            let from = place.saturating_sub(LASTING / 2).min(before.len().saturating_sub(LASTING));
            let around = median_and_mad(before.iter().skip(from).take(LASTING).copied()).median;
            *root = root.min(like.max(around) + reach);
        }
    }
}

/// Returns the values of one group.
fn of_group<'a>(values: &'a [f64], groups: &'a [usize], group: usize) -> impl Iterator<Item = f64> + 'a {
    values.iter().zip(groups).filter(move |(_, other)| **other == group).map(|(value, _)| *value)
}

/// Returns the standard deviation of a Poisson count on the cube-root scale, given its root.
fn poisson(root: f64) -> f64 {
    1.0 / (3.0 * root.max(0.8).sqrt())
}

/// The values predicted for the earlier days and today.
struct Fit {
    today: f64,
    deviation: f64,
    freedom: f64,
    far_freedom: f64,
    weekday: bool,
}

impl Fit {
    fn of(roots: &[f64], weekdays: &[usize], today: usize) -> Self {
        let n = to_f64(roots.len());
        let level = (roots.iter().sum::<f64>() / n).max(0.5);
        let chance = poisson(level).powi(2);
        let rest: Vec<f64> = roots.iter().map(|root| root - level).collect();
        let groups: Vec<usize> = weekdays.iter().copied().map(weekend).collect();
        let ends = Groups { of: &groups, many: 2, today: weekend(today) };
        let ends = Effects::of(&rest, &ends, chance, &WEEKENDS);
        let rest: Vec<f64> = rest.iter().zip(&groups).map(|(rest, group)| rest - ends.at(*group)).collect();
        let days = Effects::of(&rest, &Groups { of: weekdays, many: 7, today }, chance, &WEEKDAYS);
        let rest: Vec<f64> = rest.iter().zip(weekdays).map(|(rest, weekday)| rest - days.at(*weekday)).collect();
        let (since, moved) = level_shift(&rest, chance);
        let before = roots.len() - since;
        let moved_at = |place: usize| moved.at(usize::from(place >= before));
        let rest: Vec<f64> = rest.iter().enumerate().map(|(place, rest)| rest - moved_at(place)).collect();
        let effect = |weekday: usize| ends.at(weekend(weekday)) + days.at(weekday);
        let fitted = |(place, weekday): (usize, &usize)| (level + effect(*weekday) + moved_at(place)).max(0.5);
        let fitted: Vec<f64> = weekdays.iter().enumerate().map(fitted).collect();
        let today_root = (level + effect(today) + moved.at(1)).max(0.5);
        // Days vary in proportion to their level, plus counting noise.
        let freedom = (n - 1.0 - ends.used - days.used - moved.used).max(2.0);
        let beyond =
            |(rest, fitted): (&f64, &f64)| (rest / fitted).powi(2) * n / freedom - (poisson(*fitted) / fitted).powi(2);
        let beyond: Vec<f64> = rest.iter().zip(&fitted).map(beyond).collect();
        // Weekends may vary more or less than weekdays, as far as few days can show.
        let own: Vec<f64> = of_group(&beyond, &groups, weekend(today)).collect();
        let (pooled, of_own) = (beyond.iter().sum::<f64>() / n, own.iter().sum::<f64>());
        let spread = ((of_own + pooled * POOLED_DAYS) / (to_f64(own.len()) + POOLED_DAYS)).max(0.0);
        let (spread, counting) = (spread * today_root.powi(2), poisson(today_root).powi(2));
        let variance = spread + counting;
        let deviation = (variance * (1.0 + 1.0 / n) + ends.left + days.left + moved.left).sqrt();
        // One less, because searching for effects costs something even if none was found.
        let freedom = (freedom - 1.0).max(2.0);
        // The counting variance is known, not estimated, so few days leave less doubt (Satterthwaite). Not for the
        // band: a lively stream looks like pure chance in some of its first weeks.
        let far_freedom = freedom * BELIEVED * (variance / (spread + counting * ESTIMATED)).powi(2);
        Self { today: today_root, deviation, freedom, far_freedom, weekday: effect(today) != 0.0 }
    }
}

/// Returns how many days ago the level last changed, and the effects before and since, for the clearest of the changes
/// tried. Whole weeks, so that a change is not confused with weekends.
fn level_shift(rest: &[f64], chance: f64) -> (usize, Effects) {
    let at = |since: usize| {
        let before = rest.len() - since;
        let groups: Vec<usize> = (0..rest.len()).map(|place| usize::from(place >= before)).collect();
        (since, Effects::of(rest, &Groups { of: &groups, many: 2, today: 1 }, chance, &MOVED))
    };
    let dates = MOVED_WEEKS.map(|weeks| weeks * 7).filter(|since| since + BEFORE_MOVE <= rest.len());
    let clearest = dates.map(at).max_by(|(_, one), (_, other)| one.ratio.total_cmp(&other.ratio));
    clearest.unwrap_or_else(|| (rest.len(), Effects::none(2)))
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

    fn of(counts: &[u64]) -> UsualRange {
        let (day, before) = history(counts);
        usual_range(&day, &before).unwrap()
    }

    #[test]
    fn one_outlier_day_does_not_move_the_usual_range() {
        let calm = [100, 104, 96, 101, 100, 98, 102, 99, 103, 97, 100, 105, 95, 100];
        let mut wild = calm;
        wild[4] = 5_000;
        let (calm, wild) = (of(&calm), of(&wild));
        assert!((99.0..101.0).contains(&calm.expected) && calm.low > 70.0 && calm.high < 135.0, "{calm:?}");
        assert!((wild.expected - calm.expected).abs() < 8.0 && wild.low > 50.0 && wild.high < 180.0, "{wild:?}");
    }

    #[test]
    fn weekdays_are_compared_with_the_same_kind_of_day() {
        // 30 March 2026 is a Monday, as is every seventh day before it.
        let mondays =
            |on: u64, other: u64| -> Vec<u64> { (0..28).map(|day| if day % 7 == 0 { on } else { other }).collect() };
        let quiet = of(&mondays(10, 500));
        assert!(quiet.weekday && quiet.expected < 60.0, "{quiet:?}");
        let loud = of(&mondays(500, 100));
        assert!(loud.weekday && loud.expected > 350.0 && loud.low > 100.0, "{loud:?}");
        assert!(!of(&[50; 28]).weekday);
    }

    #[test]
    fn a_weekday_is_named_only_if_an_earlier_one_was_compared_with() {
        let hour = |hour: i64| {
            let end = Time(Time::parse("2026-03-30T12:00:00Z").unwrap().0 + hour * 3_600_000);
            super::super::window_before(end, 0, std::time::Duration::from_secs(3_600), "UTC").unwrap()
        };
        // A loud Sunday, then a quiet Monday.
        let of = |first: i64| {
            let before = |at: &i64| (hour(*at), if (-36..-12).contains(at) { 400 } else { 5 });
            usual_range(&hour(0), &(first..0).step_by(3).map(|at| before(&at)).collect::<Vec<_>>()).unwrap()
        };
        let (young, old) = (of(-36), of(-24 * 7 - 9));
        assert!(young.expected < 100.0 && !young.weekday, "{young:?}");
        assert!(old.weekday, "{old:?}");
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
    fn bursts_keep_the_lower_edge_above_zero() {
        let bursty =
            [204, 90, 260, 800, 150, 210, 120, 330, 180, 95, 240, 1_100, 205, 160, 220, 130, 280, 190, 500, 140, 210];
        let got = of(&bursty);
        assert!(got.low > 10.0 && got.high > 600.0, "{got:?}");
    }

    #[test]
    fn a_changed_level_is_followed_but_not_a_two_day_event() {
        let day = |n: usize| [90, 100, 110, 95, 105][n % 5];
        for (since, factor) in [(28, 2), (14, 2), (28, 4), (14, 4), (42, 3)] {
            let up = of(&(0..60).map(|n| if n + since >= 60 { day(n) * factor } else { day(n) }).collect::<Vec<u64>>());
            let to = 100.0 * to_f64(usize::try_from(factor).unwrap());
            assert!((up.expected / to - 1.0).abs() < 0.05, "{since} days ago, {factor} times: {up:?}");
            assert!(up.low > to * 0.6 && up.high < to * 1.5, "{since} days ago, {factor} times: {up:?}");
            let down =
                of(&(0..60).map(|n| if n + since >= 60 { day(n) } else { day(n) * factor }).collect::<Vec<u64>>());
            assert!((down.expected / 100.0 - 1.0).abs() < 0.1, "{since} days ago, {factor} times down: {down:?}");
        }
        let calm = of(&(0..60).map(day).collect::<Vec<u64>>());
        for event in [[58, 59], [30, 31], [0, 1], [20, 40]] {
            let got = of(&(0..60).map(|n| if event.contains(&n) { day(n) * 20 } else { day(n) }).collect::<Vec<u64>>());
            assert!((got.expected / calm.expected - 1.0).abs() < 0.03, "{event:?}: {got:?}");
            assert!(got.high < 160.0 && got.low > 55.0, "{event:?}: {got:?} beside {calm:?}");
        }
    }

    #[test]
    fn only_the_latest_60_days_count() {
        let latest = of(&[100; 60]);
        assert!(latest.days == 60 && (latest.expected - 100.0).abs() < 0.01, "{latest:?}");
        for older in [1, 60] {
            let counts: Vec<u64> = (0..older + 60).map(|day| if day < older { 400 } else { 100 }).collect();
            assert_eq!(of(&counts), latest, "{older} older days");
        }
    }

    #[test]
    fn too_few_days_give_no_usual_range_and_a_few_more_a_wide_one() {
        let (day, before) = history(&[1, 2, 3, 4, 5, 6]);
        assert_eq!(usual_range(&day, &before), Err(6));
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
