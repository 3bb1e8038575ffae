//! Ranks a topic's items by its marks: how likely each is good, what to fold, and how folding would have treated the
//! marks themselves.

use super::calibration::LeftOut;
use super::mark::{TrainingItem, TrainingMark, labels, marks, sorted};
use super::weights::Stream;
use super::{Calibration, Features, Weights};

/// Marks needed before anything is learned.
pub const LEAST_MARKS: usize = 20;
/// The most unmarked items to learn from: the latest. Further items are ranked but not learned from.
pub const MOST_ITEMS: usize = 5_000;
/// Number of parts of the cross-check (k-fold).
const PARTS: usize = 10;
/// The estimated part of the good items that may be folded.
const MAY_LOSE: f64 = 0.0135;
/// Nothing is folded unless words separate noise from good items with at least this probability.
const SURE: f64 = 0.8;

/// How folding treats marks that were left out of learning the words. The limit for folding was learned with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct CrossCheck {
    /// Items marked noise, and how many of them would be folded.
    pub noise: u64,
    pub noise_folded: u64,
    /// Items marked good, and how many of them would be folded.
    pub good: u64,
    pub good_folded: u64,
}

/// The model learned for a topic.
#[derive(Debug, Clone)]
pub struct Ranker {
    weights: Weights,
    calibration: Calibration,
    /// Items with a lower probability are folded; 0 folds nothing.
    limit: f64,
    checked: CrossCheck,
}

impl Ranker {
    /// Learns from a topic's items, in any order. `None` with fewer than [`LEAST_MARKS`] marks, or if all marks are the
    /// same.
    #[must_use]
    pub fn learn(items: &[TrainingItem<'_>]) -> Option<Self> {
        let items = sorted(items);
        let marks = marks(&items);
        let good = marks.iter().filter(|(_, mark)| mark.good).count();
        if marks.len() < LEAST_MARKS || good == 0 || good == marks.len() {
            return None;
        }
        let stream = Stream::of(items.iter().map(|item| item.features));
        let (weights, evidence) = stream.learn(&labels(&marks));
        let left_out = left_out(&stream, &marks);
        let calibration = Calibration::fit(&left_out, &evidence);
        let shares = evidence.iter().map(|evidence| calibration.share(*evidence)).collect();
        let limit = if calibration.tells < SURE { 0.0 } else { limit(shares) };
        let mut checked = CrossCheck::default();
        for LeftOut { evidence, mark } in left_out {
            let folded = u64::from(calibration.share(evidence) < limit);
            if mark.good {
                checked.good += 1;
                checked.good_folded += folded;
            } else {
                checked.noise += 1;
                checked.noise_folded += folded;
            }
        }
        Some(Self { weights, calibration, limit, checked })
    }

    /// Returns the probability that an item is good.
    #[must_use]
    pub fn relevance(&self, item: &Features) -> f64 {
        self.calibration.share(self.weights.evidence(item))
    }

    /// Returns whether an item of this relevance would be folded as noise.
    #[must_use]
    pub fn folds(&self, relevance: f64) -> bool {
        relevance < self.limit
    }

    /// Returns whether anything can be folded, because words separate noise from good items.
    #[must_use]
    pub fn can_fold(&self) -> bool {
        self.limit > 0.0
    }

    /// Returns the result of the cross-check.
    #[must_use]
    pub fn cross_check(&self) -> CrossCheck {
        self.checked
    }
}

/// Returns the evidence for each mark, learned without that mark.
fn left_out(stream: &Stream, marks: &[(usize, TrainingMark)]) -> Vec<LeftOut> {
    let mut all = Vec::with_capacity(marks.len());
    for part in 0..PARTS {
        let in_part = |number: usize| number % PARTS == part;
        let rest = marks.iter().enumerate().filter(|(number, _)| !in_part(*number)).map(|(_, mark)| mark);
        let evidence = stream.evidence(&labels(rest));
        let left = marks.iter().enumerate().filter(|(number, _)| in_part(*number));
        all.extend(left.map(|(_, (place, mark))| LeftOut { evidence: evidence[*place], mark: *mark }));
    }
    all
}

/// Returns the limit below which items are folded. From the least likely item up, it rises while the good items below
/// it are at most the part that may be lost. Both counts are sums of probabilities, because it is unknown which items
/// are good.
fn limit(mut shares: Vec<f64>) -> f64 {
    shares.sort_by(f64::total_cmp);
    let may_lose = MAY_LOSE * shares.iter().sum::<f64>();
    let mut lost = 0.0;
    let stays = shares.into_iter().find(|share| {
        lost += share;
        lost > may_lose || *share > 0.5
    });
    stays.unwrap_or(0.0)
}
