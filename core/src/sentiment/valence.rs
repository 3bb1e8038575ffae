//! Word valences from VADER, combined by rules like VADER's: negation, boosters, capitals, `but`, exclamation marks.
//! The table is part of the weights file. VADER itself would take as long per post as all the rest of the scorer.

/// Hash table of word valences.
#[derive(Debug, Clone, Default)]
pub struct Valences {
    /// Open addressing. Each slot holds the upper half of the word's hash and the valence in tenths; valence 0 is an
    /// empty slot.
    slots: Vec<(u32, i8)>,
}

/// The largest absolute valence, in tenths. The trainer clamps to it.
pub const STRONGEST: i8 = 50;

/// Number of values that [`ValenceSum::values`] returns.
pub const VALUES: usize = 6;

impl Valences {
    /// Builds a table from shortened hashes and valences in tenths.
    #[must_use]
    pub fn new(words: &[(u32, i8)]) -> Self {
        let size = (words.len() * 3 + 16).next_power_of_two();
        let mut table = Self { slots: vec![(0, 0); size] };
        for (hash, valence) in words.iter().filter(|(_, valence)| *valence != 0) {
            let at = table.slot_of(*hash);
            if let Some(slot) = table.slots.get_mut(at) {
                *slot = (*hash, *valence);
            }
        }
        table
    }

    /// The slot of a hash, or the empty slot for it.
    fn slot_of(&self, hash: u32) -> usize {
        let mask = self.slots.len().saturating_sub(1);
        let mut at = hash.wrapping_mul(0x9e37_79b1) as usize & mask;
        while self.slots.get(at).is_some_and(|(other, valence)| *valence != 0 && *other != hash) {
            at = (at + 1) & mask;
        }
        at
    }

    /// A word's valence; 0 if it has none.
    #[must_use]
    pub fn of(&self, hash: u64) -> f32 {
        self.slots.get(self.slot_of(upper_half(hash))).map_or(0.0, |(_, valence)| f32::from(*valence) / 10.0)
    }
}

/// The upper half of a hash, as stored in the table.
#[must_use]
pub fn upper_half(hash: u64) -> u32 {
    u32::try_from(hash >> 32).unwrap_or(0)
}

/// Combines the valences of a text's words, one word after the other.
#[derive(Debug, Clone, Default)]
pub struct ValenceSum {
    /// Sums of positive and negative valences. Those before a `but` are already halved.
    good: f32,
    bad: f32,
    strongest: f32,
    weakest: f32,
    last: f32,
    words: f32,
}

/// The amount that a booster adds to a valence.
const BOOST: f32 = 0.293;
/// Factor of a negated valence.
const NEGATED: f32 = -0.74;
/// The amount that capitals add to a valence.
const CAPITALS: f32 = 0.733;

impl ValenceSum {
    /// Adds a word: its valence, its boost, whether it is negated, and whether it is in capitals while other words are
    /// not.
    pub fn word(&mut self, valence: f32, boost: f32, negated: bool, capitals: bool) {
        self.words += 1.0;
        if valence == 0.0 {
            return;
        }
        let extra = boost * BOOST + if capitals { CAPITALS } else { 0.0 };
        let effective = (valence.abs() + extra).max(0.1).copysign(valence) * if negated { NEGATED } else { 1.0 };
        if effective > 0.0 {
            self.good += effective;
        } else {
            self.bad -= effective;
        }
        self.strongest = self.strongest.max(effective);
        self.weakest = self.weakest.min(effective);
        self.last = effective;
    }

    /// Handles `but`: halves the weight of everything before it.
    pub fn halve_what_came_before(&mut self) {
        self.good *= 0.5;
        self.bad *= 0.5;
    }

    /// The result for the text, given its number of exclamation marks.
    #[must_use]
    pub fn values(&self, exclamations: f32) -> [f32; VALUES] {
        let sum = self.good - self.bad;
        let sum = if sum == 0.0 { 0.0 } else { sum + (0.292 * exclamations.min(4.0)).copysign(sum) };
        let bounded = |x: f32| x / (x * x + 15.0).sqrt();
        let per_word = |x: f32| 2.0 * x / (self.good + self.bad + self.words + 1.0);
        [
            bounded(sum),
            per_word(self.good),
            per_word(self.bad),
            bounded(sum).abs(),
            bounded(self.last),
            bounded(self.strongest + self.weakest),
        ]
    }
}
