//! Learns which words speak for a topic: naive Bayes over marked and unmarked items (Nigam, McCallum, Thrun, Mitchell
//! 2000). Unmarked items start with the probability from their words of the question and are re-estimated a few times.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use super::features::{Features, GROUPS};

/// Prior probability that an item with 0, 1, 2, or more words of the question is good, and how many marks the prior
/// counts as.
const BELIEVED: [f64; GROUPS] = [0.25, 0.7, 0.85, 0.9];
const BELIEF: f64 = 4.0;
/// A marked item counts as this many unmarked ones.
const MARKED: f64 = 20.0;
/// Words of the whole stream added to each side, so that rare words say little.
const SMOOTHING: f64 = 50.0;
/// How often unmarked items are re-estimated.
const ROUNDS: usize = 3;
/// The strongest words of an item count once more: a post about a topic may have one such word among many others.
const BEST: usize = 3;

/// Values by word. A word is a hash already; it is only mixed with a random key, so that nobody can choose words that
/// meet in one place of the table.
type ByWord<V> = HashMap<u64, V, Keyed>;

#[derive(Debug, Clone)]
struct Keyed(u64);

impl Default for Keyed {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for Keyed {
    type Hasher = Mixed;

    fn build_hasher(&self) -> Mixed {
        Mixed(self.0)
    }
}

struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, word: u64) {
        // The upper half of the product depends on every bit, so it is folded into the lower one.
        let wide = u128::from(word ^ self.0) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (wide as u64) ^ ((wide >> 64) as u64);
    }
}

/// The learned weights.
#[derive(Debug, Clone)]
pub(super) struct Weights {
    groups: [f64; GROUPS],
    words: ByWord<f64>,
    /// Mean and standard deviation over the stream, so that evidence is comparable between topics.
    mean: f64,
    spread: f64,
}

/// A stream of items with numbered words, to learn from several times.
#[derive(Debug)]
pub(super) struct Stream {
    /// Words that at least two items contain, sorted.
    vocabulary: Vec<u64>,
    /// The number of items that contain each word.
    item_counts: Vec<f64>,
    /// How many words of the question each item contains.
    asked: Vec<usize>,
    /// The numbers of all items' words, one item after the other, and where each item's end.
    words: Vec<usize>,
    ends: Vec<usize>,
}

/// The result of learning from some marks.
struct Learned {
    groups: [f64; GROUPS],
    /// The log-ratio of each word of the vocabulary.
    ratios: Vec<f64>,
    mean: f64,
    spread: f64,
    evidence: Vec<f64>,
}

impl Stream {
    pub(super) fn of<'a>(items: impl Iterator<Item = &'a Features> + Clone) -> Self {
        let mut many: ByWord<usize> = ByWord::default();
        for word in items.clone().flat_map(|item| &item.words) {
            *many.entry(*word).or_default() += 1;
        }
        let mut vocabulary: Vec<u64> = many.iter().filter(|(_, many)| **many > 1).map(|(word, _)| *word).collect();
        vocabulary.sort_unstable();
        let item_counts = vocabulary.iter().map(|word| many[word] as f64).collect();
        let numbers: ByWord<usize> = vocabulary.iter().enumerate().map(|(number, word)| (*word, number)).collect();
        let (mut asked, mut words, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for item in items {
            asked.push(item.asked);
            words.extend(item.words.iter().filter_map(|word| numbers.get(word)));
            ends.push(words.len());
        }
        Self { vocabulary, item_counts, asked, words, ends }
    }

    /// Returns the number of words of the question and the word numbers of each item.
    fn items(&self) -> impl Iterator<Item = (usize, &[usize])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        self.asked.iter().zip(starts.zip(&self.ends)).map(|(asked, (from, until))| (*asked, &self.words[from..*until]))
    }

    /// Learns from these marks, given by item index. Returns the weights and the evidence for each item.
    pub(super) fn learn(&self, marks: &[(usize, bool)]) -> (Weights, Vec<f64>) {
        let Learned { groups, ratios, mean, spread, evidence } = self.learned(marks);
        let words = self.vocabulary.iter().copied().zip(ratios).collect();
        (Weights { groups, words, mean, spread }, evidence)
    }

    /// Returns only the evidence for each item.
    pub(super) fn evidence(&self, marks: &[(usize, bool)]) -> Vec<f64> {
        self.learned(marks).evidence
    }

    fn learned(&self, marks: &[(usize, bool)]) -> Learned {
        let groups = self.groups(marks);
        let mut marked = vec![None; self.asked.len()];
        for (place, good) in marks {
            marked[*place] = Some(*good);
        }
        let share = |good: bool| if good { 1.0 } else { 0.0 };
        let mut likely: Vec<f64> = (self.asked.iter().zip(&marked))
            .map(|(query_word_count, mark)| mark.map_or_else(|| logistic(groups[*query_word_count]), share))
            .collect();
        let (mut ratios, mut evidence) = (Vec::new(), vec![0.0; self.asked.len()]);
        for _ in 0..ROUNDS {
            ratios = self.ratios(&likely, &marked);
            for (place, (query_word_count, words)) in self.items().enumerate() {
                evidence[place] = groups[query_word_count] + of_words(words.iter().map(|word| ratios[*word]));
                if marked[place].is_none() {
                    likely[place] = logistic(evidence[place]);
                }
            }
        }
        let many = evidence.len().max(1) as f64;
        let mean = evidence.iter().sum::<f64>() / many;
        let spread = (evidence.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / many).sqrt();
        // Avoids a division by zero if all items are alike.
        let spread = if spread > 1e-9 { spread } else { 1.0 };
        for one in &mut evidence {
            *one = (*one - mean) / spread;
        }
        Learned { groups, ratios, mean, spread, evidence }
    }

    /// Returns the log-odds that items with each number of words of the question are good.
    fn groups(&self, marks: &[(usize, bool)]) -> [f64; GROUPS] {
        let mut groups = [0.0; GROUPS];
        for (query_word_count, group) in groups.iter_mut().enumerate() {
            let of_group = marks.iter().filter(|(place, _)| self.asked[*place] == query_word_count);
            let (all, good) = of_group
                .fold((0.0, 0.0), |(all, good), (_, is_good)| (all + 1.0, if *is_good { good + 1.0 } else { good }));
            let share = (good + BELIEF * BELIEVED[query_word_count]) / (all + BELIEF);
            *group = (share / (1.0 - share)).ln();
        }
        groups
    }

    /// Returns the log-ratio of each word between likely good and likely noise items.
    fn ratios(&self, likely: &[f64], marked: &[Option<bool>]) -> Vec<f64> {
        let mut counts = vec![(0.0, 0.0); self.vocabulary.len()];
        for ((place, (_, words)), good) in self.items().enumerate().zip(likely) {
            let weight = if marked[place].is_some() { MARKED } else { 1.0 };
            for word in words {
                counts[*word].0 += weight * good;
                counts[*word].1 += weight * (1.0 - good);
            }
        }
        let (all_good, all_noise) = counts.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let all: f64 = self.item_counts.iter().sum();
        let ratio = |((good, noise), item_count): (&(f64, f64), &f64)| {
            let usual = SMOOTHING * item_count / all + 0.5;
            ((good + usual) / (all_good + SMOOTHING)).ln() - ((noise + usual) / (all_noise + SMOOTHING)).ln()
        };
        counts.iter().zip(&self.item_counts).map(ratio).collect()
    }
}

impl Weights {
    /// Returns the log-odds that an item with this evidence is good, as far as the words show.
    pub(super) fn log_odds(&self, evidence: f64) -> f64 {
        evidence * self.spread + self.mean
    }

    /// Returns the evidence that an item is good: 0 is the mean of the stream, 1 is one standard deviation above.
    pub(super) fn evidence(&self, item: &Features) -> f64 {
        let words = item.words.iter().filter_map(|word| self.words.get(word).copied());
        (self.groups[item.asked] + of_words(words) - self.mean) / self.spread
    }
}

/// Returns the mean of the ratios plus the mean of the best ones.
fn of_words(ratios: impl Iterator<Item = f64>) -> f64 {
    let (mut many, mut sum, mut best) = (0.0, 0.0, [f64::NEG_INFINITY; BEST]);
    for ratio in ratios {
        many += 1.0;
        sum += ratio;
        let mut carried = ratio;
        for one in &mut best {
            if carried > *one {
                std::mem::swap(one, &mut carried);
            }
        }
    }
    if many == 0.0 {
        return 0.0;
    }
    let known = best.iter().filter(|one| one.is_finite());
    let (count, top) = known.fold((0.0, 0.0), |(count, top), one| (count + 1.0, top + one));
    sum / many + if count > 0.0 { top / count } else { 0.0 }
}

pub(super) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
