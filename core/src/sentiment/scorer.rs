//! The scorer: a text's features weighed, the sums made probabilities.

use std::sync::OnceLock;

use super::complaints;
use super::features::{GROUPS, features, scale};
use super::language::detect;
use super::text;
use super::weights::Weights;
use super::{Lang, VERSION};
use crate::model::{Judged, Tone};

/// The weights of this version.
const FILE: &[u8] = include_bytes!("weights/builtin-4.bin");

/// What a text got.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The most probable class, or unsupported.
    pub tone: Tone,
    /// Positive less negative, in thousandths.
    pub score: i64,
    /// Negative, neutral, positive; they sum to one. All zero when unsupported.
    pub p: [f32; 3],
    /// The language that was detected.
    pub lang: &'static str,
}

impl Scored {
    /// The probabilities in thousandths that sum to a thousand.
    #[must_use]
    pub fn thousandths(&self) -> [i64; 3] {
        #[allow(clippy::cast_possible_truncation, reason = "between 0 and 1000")]
        let [negative, _, positive] = self.p.map(|p| (p * 1_000.0).round() as i64);
        [negative, 1_000 - negative - positive, positive]
    }
}

fn built_in() -> Option<&'static Weights<'static>> {
    static WEIGHTS: OnceLock<Option<Weights<'static>>> = OnceLock::new();
    WEIGHTS.get_or_init(|| Weights::read(FILE)).as_ref()
}

/// Scores a text of any kind and length; reads [`text::MAX_CHARS`] of it.
#[must_use]
pub fn score(text: &str) -> Scored {
    match built_in() {
        Some(weights) => score_with(weights, text),
        None => unsupported("und"),
    }
}

/// Judges an item by its title and its text together: [`crate::model::Judge`].
#[must_use]
pub fn judge(title: Option<&str>, text: Option<&str>) -> Judged {
    let scored = match (title, text) {
        (Some(title), Some(text)) if title != text => score(&format!("{title}\n{text}")),
        (title, text) => score(text.or(title).unwrap_or("")),
    };
    let supported = scored.tone != Tone::Unsupported;
    Judged { tone: scored.tone, score: supported.then_some(scored.score), scorer: VERSION }
}

/// Scores with other weights than those of the program.
#[must_use]
pub fn score_with(weights: &Weights<'_>, text: &str) -> Scored {
    scored(weights, text, complaints::moved)
}

/// The same by what was learned alone, which is what the trainer measures.
#[must_use]
pub fn learned(weights: &Weights<'_>, text: &str) -> Scored {
    scored(weights, text, |_, _, p| p)
}

fn scored(
    weights: &Weights<'_>,
    text: &str,
    moved: impl Fn(&text::Reading, super::Detected, [f32; 3]) -> [f32; 3],
) -> Scored {
    let reading = text::read(text);
    let detected = detect(&reading);
    if !detected.supported {
        return unsupported(detected.code);
    }
    let sums = sums(weights, &reading, detected);
    let p = moved(&reading, detected, probabilities(weights, sums, detected.lang));
    let tone = match p {
        [negative, neutral, positive] if negative > neutral && negative >= positive => Tone::Negative,
        [negative, neutral, positive] if positive > neutral && positive > negative => Tone::Positive,
        _ => Tone::Neutral,
    };
    let mut scored = Scored { tone, score: 0, p, lang: detected.code };
    let [negative, _, positive] = scored.thousandths();
    scored.score = positive - negative;
    scored
}

fn unsupported(lang: &'static str) -> Scored {
    Scored { tone: Tone::Unsupported, score: 0, p: [0.0; 3], lang }
}

/// What speaks for negative, neutral and positive.
#[must_use]
pub fn sums(weights: &Weights<'_>, reading: &text::Reading, detected: super::Detected) -> [f32; 3] {
    let (mut hashed, mut sizes) = ([[0.0f32; 2]; GROUPS], [0usize; GROUPS]);
    let counted = features(reading, detected, &weights.valences, |group, bucket| {
        let [negative, positive] = weights.hashed(bucket);
        let sums = &mut hashed[group as usize];
        sums[0] += negative;
        sums[1] += positive;
        sizes[group as usize] += 1;
    });
    let mut sums = [0.0f32; 3];
    for (group, size) in hashed.iter().zip(sizes) {
        sums[0] += scale(size) * group[0];
        sums[2] += scale(size) * group[1];
    }
    for (value, weights) in counted.iter().zip(&weights.counted).filter(|(value, _)| **value != 0.0) {
        for (sum, weight) in sums.iter_mut().zip(weights) {
            *sum += value * weight;
        }
    }
    sums
}

/// Probabilities of the three classes.
fn probabilities(weights: &Weights<'_>, sums: [f32; 3], lang: Lang) -> [f32; 3] {
    let Some(calibration) = weights.calibration.get(lang as usize) else { return [0.0, 1.0, 0.0] };
    let mut calibrated = [0.0; 3];
    for ((to, sum), bias) in calibrated.iter_mut().zip(sums).zip(calibration.bias) {
        *to = sum * calibration.temperature + bias;
    }
    let top = calibrated.iter().copied().fold(f32::MIN, f32::max);
    let powers = calibrated.map(|sum| (sum - top).exp());
    let whole: f32 = powers.iter().sum();
    powers.map(|power| power / whole)
}
