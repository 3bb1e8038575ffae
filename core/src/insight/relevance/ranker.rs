//! Ranking a topic's items by their marks: how likely each is good, what would be folded, and what that would have done to the
//! marks themselves.

use super::weights::Stream;
use super::{Calibration, Features, Weights};

/// Marks without which nothing is said.
pub const LEAST_MARKS: usize = 20;
/// Unmarked items that are learned from: the latest. More are ranked, but teach nothing.
pub const MOST_ITEMS: usize = 5_000;
/// Parts that marks are left out in, for the cross-check.
const PARTS: usize = 10;
/// Of what is good, the part that may be folded, as far as the ranker can tell.
const MAY_LOSE: f64 = 0.0125;
/// Nothing is folded unless words tell noise from good here at least so surely.
const SURE: f64 = 0.8;

/// An item to learn from.
#[derive(Debug, Clone)]
pub struct Seen<'a> {
    /// Its key, by which items are put in order.
    pub key: &'a str,
    pub features: &'a Features,
    /// `Some(true)` where it was marked good, `Some(false)` where it was marked noise.
    pub mark: Option<bool>,
}

/// What folding does to marks whose words were left out; where it begins to fold was learned with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct CrossChecked {
    /// Marked noise, and how many of these it would fold.
    pub noise: u64,
    pub noise_folded: u64,
    /// Marked good, and how many of these it would fold.
    pub good: u64,
    pub good_folded: u64,
}

/// What was learned of a topic.
#[derive(Debug, Clone)]
pub struct Ranker {
    weights: Weights,
    calibration: Calibration,
    /// Items less likely good than this are folded; 0 where nothing is.
    limit: f64,
    checked: CrossChecked,
}

impl Ranker {
    /// Learns from a topic's items, in any order; `None` with fewer than [`LEAST_MARKS`] marks, or with marks of one sort.
    #[must_use]
    pub fn learn(items: &[Seen<'_>]) -> Option<Self> {
        let mut items: Vec<&Seen<'_>> = items.iter().collect();
        items.sort_by_key(|item| item.key);
        items.dedup_by_key(|item| item.key);
        let marked = items.iter().enumerate().filter_map(|(place, item)| Some((place, item.mark?)));
        let marks: Vec<(usize, bool)> = marked.collect();
        let good = marks.iter().filter(|(_, good)| *good).count();
        if marks.len() < LEAST_MARKS || good == 0 || good == marks.len() {
            return None;
        }
        let stream = Stream::of(items.iter().map(|item| item.features));
        let (weights, evidence) = stream.learn(&marks);
        let left_out = left_out(&stream, &marks);
        let calibration = Calibration::fit(&left_out);
        let shares = evidence.iter().map(|evidence| calibration.share(*evidence)).collect();
        let limit = if calibration.tells < SURE { 0.0 } else { limit(shares) };
        let mut checked = CrossChecked::default();
        for (evidence, good) in left_out {
            let folded = u64::from(calibration.share(evidence) < limit);
            if good {
                checked.good += 1;
                checked.good_folded += folded;
            } else {
                checked.noise += 1;
                checked.noise_folded += folded;
            }
        }
        Some(Self { weights, calibration, limit, checked })
    }

    /// How likely an item is good, from 0 to 1.
    #[must_use]
    pub fn relevance(&self, item: &Features) -> f64 {
        self.calibration.share(self.weights.evidence(item))
    }

    /// Whether something so likely good would be folded as noise.
    #[must_use]
    pub fn folds(&self, relevance: f64) -> bool {
        relevance < self.limit
    }

    /// Whether it would fold anything: words tell noise from good here.
    #[must_use]
    pub fn tells(&self) -> bool {
        self.limit > 0.0
    }

    /// What it does to marks whose words were left out.
    #[must_use]
    pub fn checked(&self) -> CrossChecked {
        self.checked
    }
}

/// The evidence for each mark, learned without it.
fn left_out(stream: &Stream, marks: &[(usize, bool)]) -> Vec<(f64, bool)> {
    let mut all = Vec::with_capacity(marks.len());
    for part in 0..PARTS {
        let mine = |number: usize| number % PARTS == part;
        let rest: Vec<(usize, bool)> =
            marks.iter().enumerate().filter(|(number, _)| !mine(*number)).map(|(_, mark)| *mark).collect();
        let (_, evidence) = stream.learn(&rest);
        let left = marks.iter().enumerate().filter(|(number, _)| mine(*number));
        all.extend(left.map(|(_, (place, good))| (evidence[*place], *good)));
    }
    all
}

/// Below which items are folded: from the least likely up, while what is good among them is no more than may be lost of all
/// that is good. Both are sums of the probabilities, as nobody knows which are.
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
