//! Metrics: recall and F1 per class and their means, error of the class shares, calibration.

use crate::learn::{CLASSES, Dice};

/// Rows are true classes, columns are predicted classes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Confusion(pub(crate) [[f64; CLASSES]; CLASSES]);

impl Confusion {
    pub(crate) fn of(pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut made = Self::default();
        for (truth, said) in pairs {
            made.0[truth][said] += 1.0;
        }
        made
    }

    fn recall(&self, class: usize) -> f64 {
        self.0[class][class] / self.0[class].iter().sum::<f64>().max(1.0)
    }

    fn f1(&self, class: usize) -> f64 {
        let said: f64 = self.0.iter().map(|row| row[class]).sum();
        let there: f64 = self.0[class].iter().sum();
        2.0 * self.0[class][class] / (said + there).max(1.0)
    }

    pub(crate) fn macro_recall(&self) -> f64 {
        (0..CLASSES).map(|class| self.recall(class)).sum::<f64>() / CLASSES as f64
    }

    pub(crate) fn macro_f1(&self) -> f64 {
        (0..CLASSES).map(|class| self.f1(class)).sum::<f64>() / CLASSES as f64
    }
}

/// The number of posts in a random day.
const DAY: usize = 200;
const DAYS: usize = 1_000;

/// The error of the three class shares on random days of 200 posts: the mean over the classes, and half the sum (the
/// share of posts that would have to change class). With `prior`, days are sampled with those shares.
pub(crate) fn share_error(pairs: &[(usize, usize)], prior: Option<[f64; CLASSES]>) -> (f64, f64) {
    let mut dice = Dice(0x5eed_5eed);
    let of = |class| pairs.iter().copied().filter(|(truth, _)| *truth == class).collect::<Vec<_>>();
    let classes: [Vec<(usize, usize)>; CLASSES] = std::array::from_fn(of);
    if classes.iter().any(Vec::is_empty) {
        return (f64::NAN, f64::NAN);
    }
    let mut total = 0.0;
    for _ in 0..DAYS {
        let mut differ = [0.0f64; CLASSES];
        for _ in 0..DAY {
            let pool = match prior {
                None => pairs,
                Some(prior) => {
                    let draw = dice.below(1_000_000) as f64 / 1e6;
                    let class = if draw < prior[0] {
                        0
                    } else if draw < prior[0] + prior[1] {
                        1
                    } else {
                        2
                    };
                    &classes[class]
                }
            };
            let (truth, said) = pool[dice.below(pool.len())];
            differ[truth] -= 1.0 / DAY as f64;
            differ[said] += 1.0 / DAY as f64;
        }
        total += differ.iter().map(|d| d.abs()).sum::<f64>();
    }
    (total / DAYS as f64 / 3.0, total / DAYS as f64 / 2.0)
}
