//! How strongly single words please or displease, as VADER rates them, and what becomes of a text's words together, by
//! rules like VADER's: negation, boosters, capitals, `but`, exclamation marks. The table is part of the weights file; the
//! whole of VADER takes as long for one post as everything else here together.

/// Words and their valence, sorted by hash.
#[derive(Debug, Clone, Default)]
pub struct Valences {
    /// Open addressing: upper half of the word's hash, valence in tenths; a zero valence is an empty slot.
    slots: Vec<(u32, i8)>,
}

/// Tenths of the largest valence VADER gives.
pub const STRONGEST: i8 = 50;

/// Values of [`Sum::values`].
pub const VALUES: usize = 6;

impl Valences {
    /// A table of these words' hashes and valences in tenths.
    #[must_use]
    pub fn new(words: &[(u32, i8)]) -> Self {
        let size = (words.len() * 3 + 16).next_power_of_two();
        let mut made = Self { slots: vec![(0, 0); size] };
        for (hash, valence) in words.iter().filter(|(_, valence)| *valence != 0) {
            let at = made.place(*hash);
            if let Some(slot) = made.slots.get_mut(at) {
                *slot = (*hash, *valence);
            }
        }
        made
    }

    /// Where a hash is, or would go.
    fn place(&self, hash: u32) -> usize {
        let mask = self.slots.len().saturating_sub(1);
        let mut at = hash.wrapping_mul(0x9e37_79b1) as usize & mask;
        while self.slots.get(at).is_some_and(|(other, valence)| *valence != 0 && *other != hash) {
            at = (at + 1) & mask;
        }
        at
    }

    /// A word's valence; zero when it has none.
    #[must_use]
    pub fn of(&self, hash: u64) -> f32 {
        self.slots.get(self.place(short(hash))).map_or(0.0, |(_, valence)| f32::from(*valence) / 10.0)
    }
}

/// The part of a hash that the table keeps.
#[must_use]
pub fn short(hash: u64) -> u32 {
    u32::try_from(hash >> 32).unwrap_or(0)
}

/// Takes a text's words one after the other.
#[derive(Debug, Clone, Default)]
pub struct Sum {
    /// Praise and blame, before the last `but` halved already.
    good: f32,
    bad: f32,
    strongest: f32,
    weakest: f32,
    last: f32,
    after: f32,
    words: f32,
}

/// What a booster adds.
const BOOST: f32 = 0.293;
/// What a negation leaves of a word, on the other side.
const NEGATED: f32 = -0.74;
/// What capitals add.
const CAPITALS: f32 = 0.733;

impl Sum {
    /// A word: its valence, how far it is boosted, whether it is negated, and whether it alone is in capitals.
    pub fn word(&mut self, valence: f32, boost: f32, negated: bool, capitals: bool) {
        self.words += 1.0;
        if valence == 0.0 {
            return;
        }
        let extra = boost * BOOST + if capitals { CAPITALS } else { 0.0 };
        let said = (valence.abs() + extra).max(0.1).copysign(valence) * if negated { NEGATED } else { 1.0 };
        if said > 0.0 {
            self.good += said;
        } else {
            self.bad -= said;
        }
        self.strongest = self.strongest.max(said);
        self.weakest = self.weakest.min(said);
        self.last = said;
        self.after += said;
    }

    /// `but`: what was said before counts half, what follows more.
    pub fn but(&mut self) {
        self.good *= 0.5;
        self.bad *= 0.5;
        self.after = 0.0;
    }

    /// The whole, with its exclamation marks.
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
