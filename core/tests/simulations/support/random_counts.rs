//! Random counts whose mean and variation the tests know.

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, Gamma, Poisson};

/// A random count of one day.
pub fn draw(mean: f64, cv: Option<f64>, random: &mut ChaCha8Rng) -> u64 {
    // The part of the variation that is not chance is variation of the rate.
    let own = cv.map_or(0.0, |cv| cv * cv - 1.0 / mean);
    let rate = if own > 0.0 { Gamma::new(1.0 / own, mean * own).unwrap().sample(random) } else { mean };
    if rate <= 0.0 {
        return 0;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
    let count = Poisson::new(rate).unwrap().sample(random) as u64;
    count
}
