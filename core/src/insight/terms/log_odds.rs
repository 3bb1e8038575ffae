//! How surprising a count is: the weighted log-odds-ratio with an informative Dirichlet prior (Monroe, Colaresi and Quinn,
//! "Fightin' Words", Political Analysis 16, 2008), and the exact chance of such a count.

/// The most texts that the prior is worth; never more than the days before have.
const PRIOR: f64 = 500.0;
/// Weight, in days, of the assumption that a term varies only by chance.
const BELIEVED: f64 = 5.0;

/// A term's counts in the period and before, and the totals of both.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counts {
    pub(super) now: u64,
    pub(super) of_now: u64,
    pub(super) before: u64,
    pub(super) of_before: u64,
}

fn to_f64(count: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts of texts")]
    let real = count as f64;
    real
}

impl Counts {
    /// The count of the period that the days before predict.
    pub(super) fn expected(&self) -> f64 {
        if self.of_before == 0 { 0.0 } else { to_f64(self.before) * to_f64(self.of_now) / to_f64(self.of_before) }
    }

    /// The z-score of the log-odds ratio. The prior is the term's share over both, worth at most [`PRIOR`] texts.
    pub(super) fn z(&self) -> f64 {
        let all = to_f64(self.of_now + self.of_before);
        let worth = to_f64(self.of_before).clamp(1.0, PRIOR);
        let prior = worth * to_f64(self.now + self.before) / all.max(1.0);
        let odds = |count: u64, of: u64| {
            let with = to_f64(count) + prior;
            (with / (to_f64(of) + worth - with).max(1e-9)).ln()
        };
        let spread = 1.0 / (to_f64(self.now) + prior) + 1.0 / (to_f64(self.before) + prior);
        (odds(self.now, self.of_now) - odds(self.before, self.of_before)) / spread.sqrt()
    }

    /// The chance of this count or a higher one if the period is like the days before: each text with the term is then in
    /// the period with the same probability. If a term varies n times as much as chance, n texts count as one.
    pub(super) fn chance(&self, scatter: f64) -> f64 {
        let part = to_f64(self.of_now) / to_f64(self.of_now + self.of_before).max(1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a count")]
        let fewer = |count: u64| (to_f64(count) / scatter.max(1.0)) as u64;
        let now = fewer(self.now);
        upper_tail(now, now + fewer(self.before), part)
    }
}

/// The variance of a term's daily counts divided by that of chance, at least 1. So a word of every Monday is no news on
/// Mondays.
pub(super) fn scatter(days: &[(u64, u64)]) -> f64 {
    let (count, of) = days.iter().fold((0, 0), |(count, of), day| (count + day.0, of + day.1));
    if count == 0 || of == 0 {
        return 1.0;
    }
    let expected = |of_day: u64| to_f64(count) * to_f64(of_day) / to_f64(of);
    let used = days.iter().filter(|(_, of)| *of > 0);
    let (mut sum, mut many) = (0.0, 0.0);
    for (count, of) in used {
        let expected = expected(*of);
        // Less than half an expected text would weigh a day too much.
        sum += (to_f64(*count) - expected).powi(2) / expected.max(0.5);
        many += 1.0;
    }
    ((sum + BELIEVED) / (many - 1.0 + BELIEVED)).max(1.0)
}

/// The binomial chance of at least `least` successes in `all` trials with probability `part`.
fn upper_tail(least: u64, all: u64, part: f64) -> f64 {
    if least == 0 || part >= 1.0 {
        return 1.0;
    }
    if part <= 0.0 {
        return 0.0;
    }
    let log = ln_factorial(all) - ln_factorial(least) - ln_factorial(all - least)
        + to_f64(least) * part.ln()
        + to_f64(all - least) * (-part).ln_1p();
    let (mut one, mut sum) = (1.0_f64, 0.0_f64);
    for count in least..=all {
        sum += one;
        one *= to_f64(all - count) / to_f64(count + 1) * part / (1.0 - part);
        // Beyond the mean the terms shrink faster and faster.
        if one < sum * 1e-12 && to_f64(count) > to_f64(all) * part {
            break;
        }
    }
    (log + sum.ln()).exp().min(1.0)
}

/// ln(n!), by Stirling's series from 10 on.
fn ln_factorial(n: u64) -> f64 {
    if n < 10 {
        return (2..=n).map(|k| to_f64(k).ln()).sum();
    }
    let n = to_f64(n);
    n * n.ln() - n + 0.5 * (2.0 * std::f64::consts::PI * n).ln() + 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tail_probabilities_match_known_values() {
        for (least, all, part, chance) in [
            (0, 5, 0.3, 1.0),
            (3, 5, 0.5, 0.5),
            (5, 5, 0.5, 1.0 / 32.0),
            (1, 2, 0.25, 0.4375),
            (90, 100, 0.5, 1.531_645e-17),
        ] {
            assert!(
                (upper_tail(least, all, part) / chance - 1.0).abs() < 1e-4,
                "{least} of {all}: {}",
                upper_tail(least, all, part)
            );
        }
    }

    #[test]
    fn a_weekly_word_has_dispersion_and_an_even_one_does_not() {
        let weekly: Vec<(u64, u64)> = (0..28).map(|day| (if day % 7 == 0 { 20 } else { 0 }, 100)).collect();
        let even: Vec<(u64, u64)> = (0..28).map(|day| (2 + day % 2, 100)).collect();
        assert!(scatter(&weekly) > 10.0, "{}", scatter(&weekly));
        assert!((scatter(&even) - 1.0).abs() < 1e-9);
        let z_of = |before| Counts { now: 20, of_now: 100, before, of_before: 2_800 }.z();
        assert!(z_of(80) / scatter(&weekly).sqrt() < 3.0 && z_of(0) > 5.0, "{} {}", z_of(80), z_of(0));
        let monday = Counts { now: 20, of_now: 100, before: 80, of_before: 2_800 };
        let (chance, weekly) = (monday.chance(1.0), monday.chance(scatter(&weekly)));
        assert!(chance < 1e-8 && weekly > 0.01, "{chance} {weekly}");
    }
}
