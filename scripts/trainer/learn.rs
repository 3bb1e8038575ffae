//! Training: multinomial logistic regression on the scorer's own features with AdaGrad, one post at a time in a
//! deterministically shuffled order. Single-threaded, so that the same data gives the same weights.

use topicwatch::sentiment::features::{self, BUCKETS, COUNTED, GROUPS, scale};
use topicwatch::sentiment::valence::Valences;
use topicwatch::sentiment::{detect, text};

use crate::data::Post;

/// The number of classes.
pub(crate) const CLASSES: usize = 3;

/// The features of a post.
pub(crate) struct Seen {
    pub(crate) hashed: [Vec<u32>; GROUPS],
    pub(crate) counted: [f32; COUNTED],
    pub(crate) label: usize,
    pub(crate) weight: f32,
}

/// Training settings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) epochs: usize,
    pub(crate) rate: f32,
    pub(crate) decay: f32,
    pub(crate) counted_rate: f32,
    /// How far classes are balanced: 0 not at all, 1 completely.
    pub(crate) balance: f32,
    /// The weight of a post of xlmt, relative to an English tweet.
    pub(crate) xlmt: f32,
    /// The weight of a rated text.
    pub(crate) rated: f32,
    pub(crate) seed: u64,
}

impl Settings {
    /// The chosen settings; docs/dev/sentiment-measured.md lists the tried ones.
    pub(crate) const CHOSEN: Self =
        Self { epochs: 8, rate: 0.05, decay: 1e-4, counted_rate: 0.02, balance: 1.0, xlmt: 1.0, rated: 0.3, seed: 42 };

    /// Sets one setting.
    pub(crate) fn set(&mut self, key: &str, value: f32) -> Result<(), String> {
        match key {
            "epochs" => self.epochs = value as usize,
            "rate" => self.rate = value,
            "decay" => self.decay = value,
            "counted" => self.counted_rate = value,
            "balance" => self.balance = value,
            "rated" => self.rated = value,
            "xlmt" => self.xlmt = value,
            "seed" => self.seed = value as u64,
            _ => return Err(format!("`{key}` is not a setting")),
        }
        Ok(())
    }
}

/// The weights during training.
#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) hashed: Vec<[f32; CLASSES]>,
    pub(crate) counted: [[f32; CLASSES]; COUNTED],
}

/// Extracts the scorer's own features from a post.
pub(crate) fn see(post: &Post, valences: &Valences) -> Seen {
    let reading = text::tokenize(&post.text);
    let mut hashed: [Vec<u32>; GROUPS] = Default::default();
    let counted = features::features(&reading, detect(&reading), valences, |group, bucket| {
        hashed[group as usize].push(u32::try_from(bucket).unwrap_or(0));
    });
    Seen { hashed, counted, label: post.label, weight: 1.0 }
}

/// A pseudo-random generator that gives the same numbers everywhere.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % n.max(1) as u64).unwrap_or(0)
    }

    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        for at in (1..things.len()).rev() {
            things.swap(at, self.below(at + 1));
        }
    }
}

/// The scale of one feature of each group in a post.
fn scales(seen: &Seen) -> [f32; GROUPS] {
    std::array::from_fn(|group| scale(seen.hashed[group].len()))
}

impl Model {
    /// The sum for each class.
    pub(crate) fn sums(&self, seen: &Seen) -> [f32; CLASSES] {
        let mut sums = [0.0; CLASSES];
        for (group, scale) in seen.hashed.iter().zip(scales(seen)) {
            for bucket in group {
                let weights = &self.hashed[*bucket as usize];
                (0..CLASSES).for_each(|class| sums[class] += scale * weights[class]);
            }
        }
        for (value, weights) in seen.counted.iter().zip(&self.counted) {
            (0..CLASSES).for_each(|class| sums[class] += value * weights[class]);
        }
        sums
    }

    /// Trains a model.
    pub(crate) fn learn(seen: &[Seen], settings: &Settings) -> Self {
        let mut model = Self { hashed: vec![[0.0; CLASSES]; BUCKETS], counted: [[0.0; CLASSES]; COUNTED] };
        let mut squares = vec![[1e-6f32; CLASSES]; BUCKETS];
        let mut counted_squares = [[1e-3f32; CLASSES]; COUNTED];
        let mut order: Vec<usize> = (0..seen.len()).collect();
        let mut dice = Dice(settings.seed);
        let mut mean = model.clone();
        for epoch in 0..settings.epochs {
            dice.shuffle(&mut order);
            let rate = settings.rate / (1.0 + epoch as f32 * 0.3);
            for at in &order {
                let post = &seen[*at];
                let p = softmax(model.sums(post));
                let mut gradient = [0.0; CLASSES];
                (0..CLASSES).for_each(|class| {
                    gradient[class] = post.weight * (p[class] - f32::from(u8::from(class == post.label)));
                });
                for (group, scale) in post.hashed.iter().zip(scales(post)) {
                    for bucket in group {
                        let (weights, squares) = (&mut model.hashed[*bucket as usize], &mut squares[*bucket as usize]);
                        for class in 0..CLASSES {
                            let g = gradient[class] * scale + settings.decay * weights[class];
                            squares[class] += g * g;
                            weights[class] -= rate * g / squares[class].sqrt();
                        }
                    }
                }
                for ((value, weights), squares) in post.counted.iter().zip(&mut model.counted).zip(&mut counted_squares)
                {
                    if *value != 0.0 {
                        for class in 0..CLASSES {
                            let g = gradient[class] * value + settings.decay * weights[class];
                            squares[class] += g * g;
                            weights[class] -= settings.counted_rate * g / squares[class].sqrt();
                        }
                    }
                }
            }
            // The mean over the later epochs is more stable than the last one.
            if epoch * 2 >= settings.epochs {
                mean.add(&model);
            }
        }
        let rounds = (0..settings.epochs).filter(|epoch| epoch * 2 >= settings.epochs).count().max(1) as f32;
        mean.divide(rounds);
        mean
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (mine, theirs) in
            self.hashed.iter_mut().chain(&mut self.counted).zip(other.hashed.iter().chain(&other.counted))
        {
            (0..CLASSES).for_each(|class| mine[class] += theirs[class]);
        }
    }

    pub(crate) fn divide(&mut self, by: f32) {
        self.hashed.iter_mut().chain(&mut self.counted).flatten().for_each(|weight| *weight /= by);
    }
}

/// Converts sums to probabilities.
pub(crate) fn softmax(sums: [f32; CLASSES]) -> [f32; CLASSES] {
    let top = sums.iter().copied().fold(f32::MIN, f32::max);
    let powers = sums.map(|sum| (sum - top).exp());
    let whole: f32 = powers.iter().sum();
    powers.map(|power| power / whole)
}
