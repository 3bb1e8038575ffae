//! The model's weights, learned by `scripts/train_sentiment` and embedded as one file. Layout, little-endian: 8 bytes
//! name; the number of words with a valence, then each word (4 bytes hash, 1 byte valence in tenths); the weights of
//! the counted features (f32, for negative, neutral, positive); a temperature and three biases per language (f32); the
//! two largest hashed weights (f32); then two bytes per bucket: its weights for negative and for positive, relative to
//! neutral.

use super::Lang;
use super::features::{BUCKETS, COUNTED};
use super::valence::Valences;

/// Magic bytes at the start of the file.
pub const NAME: &[u8; 8] = b"twtone01";

/// The largest size of the file, in bytes.
pub const LARGEST: usize = 1 << 20;

/// Weights per bucket.
const COLUMNS: usize = 2;

/// How a language's sums are converted to probabilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// Factor for the sums.
    pub temperature: f32,
    /// Added to the scaled sums.
    pub bias: [f32; 3],
}

#[derive(Debug, Clone)]
pub struct Weights<'a> {
    /// Valences of words.
    pub valences: Valences,
    /// Weights of the counted features, per class.
    pub counted: [[f32; 3]; COUNTED],
    /// Calibration per language, in the order of [`Lang::ALL`].
    pub calibration: [Calibration; Lang::ALL.len()],
    /// The weight that each byte encodes, per column.
    values: [[f32; 256]; COLUMNS],
    hashed: &'a [u8],
}

/// Decodes a byte to a weight. The square gives small weights, which are the most, a finer resolution.
#[must_use]
pub fn value(byte: u8, largest: f32) -> f32 {
    let part = f32::from(i8::from_ne_bytes([byte])) / 127.0;
    part * part.abs() * largest
}

/// Encodes a weight as the nearest byte.
#[must_use]
pub fn encode_weight(weight: f32, largest: f32) -> u8 {
    let part = (weight / largest).clamp(-1.0, 1.0);
    #[allow(clippy::cast_possible_truncation, reason = "between -127 and 127")]
    let code = (part.abs().sqrt().copysign(part) * 127.0).round() as i8;
    code.to_ne_bytes()[0]
}

/// Reads from the front of a file.
struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    fn bytes(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    fn word(&mut self) -> Option<[u8; 4]> {
        self.bytes(4)?.try_into().ok()
    }

    fn f32(&mut self) -> Option<f32> {
        self.word().map(f32::from_le_bytes)
    }
}

impl<'a> Weights<'a> {
    /// Parses a file; `None` if it has another layout.
    #[must_use]
    pub fn parse(file: &'a [u8]) -> Option<Self> {
        let mut front = ByteReader(file);
        if front.bytes(NAME.len())? != NAME {
            return None;
        }
        let words = u32::from_le_bytes(front.word()?) as usize;
        let words: Vec<(u32, i8)> = front
            .bytes(words.checked_mul(5)?)?
            .chunks_exact(5)
            .filter_map(|entry| {
                let (hash, valence) = entry.split_first_chunk::<4>()?;
                Some((u32::from_le_bytes(*hash), i8::from_ne_bytes([*valence.first()?])))
            })
            .collect();
        let mut counted = [[0.0; 3]; COUNTED];
        for weight in counted.iter_mut().flatten() {
            *weight = front.f32()?;
        }
        let mut calibration = [Calibration { temperature: 1.0, bias: [0.0; 3] }; Lang::ALL.len()];
        for one in &mut calibration {
            one.temperature = front.f32()?;
            for bias in &mut one.bias {
                *bias = front.f32()?;
            }
        }
        let largest = [front.f32()?, front.f32()?];
        let values = largest.map(|largest| {
            let mut codes = 0..=u8::MAX;
            std::array::from_fn(|_| value(codes.next().unwrap_or(0), largest))
        });
        let hashed = front.bytes(BUCKETS * COLUMNS)?;
        front.0.is_empty().then_some(Self { valences: Valences::new(&words), counted, calibration, values, hashed })
    }

    /// A bucket's weights for negative and for positive.
    #[must_use]
    pub fn hashed(&self, bucket: usize) -> [f32; COLUMNS] {
        let Some([negative, positive]) = self.hashed.get(bucket * COLUMNS..bucket * COLUMNS + COLUMNS) else {
            return [0.0; COLUMNS];
        };
        [self.values[0][usize::from(*negative)], self.values[1][usize::from(*positive)]]
    }
}

/// Serialises a file.
#[must_use]
pub fn serialize(
    words: &[(u32, i8)],
    counted: &[[f32; 3]; COUNTED],
    calibration: &[Calibration; Lang::ALL.len()],
    hashed: &[[f32; 2]],
) -> Vec<u8> {
    let mut file = NAME.to_vec();
    file.extend(u32::try_from(words.len()).unwrap_or(u32::MAX).to_le_bytes());
    for (hash, valence) in words {
        file.extend(hash.to_le_bytes());
        file.extend(valence.to_ne_bytes());
    }
    let calibrated = calibration.iter().flat_map(|one| [one.temperature, one.bias[0], one.bias[1], one.bias[2]]);
    let largest: [f32; 2] =
        std::array::from_fn(|column| hashed.iter().map(|weights| weights[column].abs()).fold(1e-9, f32::max));
    for number in counted.iter().flatten().copied().chain(calibrated).chain(largest) {
        file.extend(number.to_le_bytes());
    }
    file.extend(
        hashed
            .iter()
            .flat_map(|weights| [encode_weight(weights[0], largest[0]), encode_weight(weights[1], largest[1])]),
    );
    file
}
