//! The scorer: weighted sums of a text's features, converted to probabilities.

use std::sync::OnceLock;

use super::features::{GROUPS, features, scale};
use super::language::detect;
use super::phrase_rules;
use super::text;
use super::weights::Weights;
use super::{Lang, VERSION};
use crate::model::{Tone, ToneScore};

/// The built-in weights of this version.
const FILE: &[u8] = include_bytes!("weights/builtin-4.bin");

/// The score of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The most probable class; unsupported if the language is.
    pub tone: Tone,
    /// Positive minus negative, in thousandths.
    pub score: i64,
    /// Probabilities of negative, neutral and positive; they sum to 1. All zero if unsupported.
    pub p: [f32; 3],
    /// Code of the detected language.
    pub lang: &'static str,
}

impl Score {
    /// The probabilities in thousandths; they sum to 1000.
    #[must_use]
    pub fn thousandths(&self) -> [i64; 3] {
        #[allow(clippy::cast_possible_truncation, reason = "between 0 and 1000")]
        let [negative, _, positive] = self.p.map(|p| (p * 1_000.0).round() as i64);
        [negative, 1_000 - negative - positive, positive]
    }
}

fn built_in() -> Option<&'static Weights<'static>> {
    static WEIGHTS: OnceLock<Option<Weights<'static>>> = OnceLock::new();
    WEIGHTS.get_or_init(|| Weights::parse(FILE)).as_ref()
}

/// Scores a text. Reads at most [`text::MAX_CHARS`] characters of it.
#[must_use]
pub fn score(text: &str) -> Score {
    match built_in() {
        Some(weights) => score_with(weights, text),
        None => unsupported("und"),
    }
}

/// Scores an item by its title and text together. Implements [`crate::model::Scorer`].
#[must_use]
pub fn judge(title: Option<&str>, text: Option<&str>) -> ToneScore {
    let scored = match (title, text) {
        (Some(title), Some(text)) if title != text => score(&format!("{title}\n{text}")),
        (title, text) => score(text.or(title).unwrap_or("")),
    };
    let supported = scored.tone != Tone::Unsupported;
    ToneScore { tone: scored.tone, score: supported.then_some(scored.score), scorer: VERSION }
}

/// Scores with the given weights.
#[must_use]
pub fn score_with(weights: &Weights<'_>, text: &str) -> Score {
    scored(weights, text, phrase_rules::adjust)
}

/// Scores with the learned weights alone, without the rules of `phrase_rules`. The trainer measures this.
#[must_use]
pub fn score_without_rules(weights: &Weights<'_>, text: &str) -> Score {
    scored(weights, text, |_, _, p| p)
}

fn scored(
    weights: &Weights<'_>,
    text: &str,
    moved: impl Fn(&text::TokenizedText, super::Detected, [f32; 3]) -> [f32; 3],
) -> Score {
    let reading = text::tokenize(text);
    let detected = detect(&reading);
    if !detected.supported {
        return unsupported(detected.code);
    }
    let sums = weighted_sums(weights, &reading, detected);
    let p = moved(&reading, detected, probabilities(weights, sums, detected.lang));
    let tone = match p {
        [negative, neutral, positive] if negative > neutral && negative >= positive => Tone::Negative,
        [negative, neutral, positive] if positive > neutral && positive > negative => Tone::Positive,
        _ => Tone::Neutral,
    };
    let mut scored = Score { tone, score: 0, p, lang: detected.code };
    let [negative, _, positive] = scored.thousandths();
    scored.score = positive - negative;
    scored
}

fn unsupported(lang: &'static str) -> Score {
    Score { tone: Tone::Unsupported, score: 0, p: [0.0; 3], lang }
}

/// The weighted sums for negative, neutral and positive.
#[must_use]
pub fn weighted_sums(weights: &Weights<'_>, reading: &text::TokenizedText, detected: super::Detected) -> [f32; 3] {
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

/// Converts sums to calibrated probabilities.
fn probabilities(weights: &Weights<'_>, sums: [f32; 3], lang: Lang) -> [f32; 3] {
    let Some(calibration) = weights.calibration.get(lang as usize) else { return [0.0, 1.0, 0.0] };
    let mut calibrated = [0.0; 3];
    for ((to, sum), bias) in calibrated.iter_mut().zip(sums).zip(calibration.bias) {
        *to = sum * calibration.temperature + bias;
    }
    let top = calibrated.iter().copied().fold(f32::MIN, f32::max);
    let powers = calibrated.map(|sum| (sum - top).exp());
    let total: f32 = powers.iter().sum();
    powers.map(|power| power / total)
}
