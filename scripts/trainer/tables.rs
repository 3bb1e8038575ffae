//! The tables of docs/dev/sentiment-measured.md, measured with the scorer itself and the written weights.

use std::error::Error;

use topicwatch::model::Tone;
use topicwatch::sentiment::weights::Weights;
use topicwatch::sentiment::{Score, detect, score_with, text, weighted_sums};
use vader_parity::SentimentIntensityAnalyzer;

use crate::Learned;
use crate::calibrate::{Calibrations, ENGLISH};
use crate::data::{LANGUAGES, Post, TWEETS, Use};
use crate::learn::{CLASSES, see, softmax};
use crate::measure::{Confusion, share_error};

/// The class shares of a set more negative than the training sets.
const DARK: [f64; CLASSES] = [0.32, 0.48, 0.20];

/// The class by VADER's own limits for its compound score.
fn vader_says(vader: &SentimentIntensityAnalyzer, text: &str) -> usize {
    let compound = vader.polarity_scores(text).compound;
    if compound >= 0.05 { 2 } else { usize::from(compound > -0.05) }
}

/// The predicted class; unsupported counts as neutral, which is mostly wrong.
fn predicted_class(scored: &Score) -> usize {
    match scored.tone {
        Tone::Negative => 0,
        Tone::Neutral | Tone::Unsupported => 1,
        Tone::Positive => 2,
    }
}

pub(crate) fn print(
    posts: &[Post],
    purpose: Use,
    file: &[u8],
    vader: &SentimentIntensityAnalyzer,
) -> Result<(), Box<dyn Error>> {
    let weights = Weights::parse(file).ok_or("the weights that were just written cannot be read")?;
    println!(
        "| posts | n | macro-recall | VADER | macro-F1 | VADER | turned away | share error (mean, half sum) | VADER | as if 32/48/20 | VADER |\n|---|--:|--:|--:|--:|--:|--:|---|---|---|---|"
    );
    let (mut mean, mut theirs) = (0.0, 0.0);
    let sets = [(TWEETS, "2016test"), (TWEETS, "tweeteval")].into_iter().chain(LANGUAGES.map(|l| (l, "val")));
    let mut english = Vec::new();
    for (set, part) in sets {
        let chosen: Vec<&Post> =
            posts.iter().filter(|p| p.purpose == purpose && p.set == set && p.part == part).collect();
        if chosen.is_empty() {
            continue;
        }
        let scored: Vec<Score> = chosen.iter().map(|post| score_with(&weights, &post.text)).collect();
        let pairs: Vec<_> =
            chosen.iter().zip(&scored).map(|(post, scored)| (post.label, predicted_class(scored))).collect();
        let vader: Vec<_> = chosen.iter().map(|post| (post.label, vader_says(vader, &post.text))).collect();
        let (ours, other) = (Confusion::of(pairs.iter().copied()), Confusion::of(vader.iter().copied()));
        let away = scored.iter().filter(|scored| scored.tone == Tone::Unsupported).count();
        let shares = |pairs: &[(usize, usize)], prior| {
            let (mean, half) = share_error(pairs, prior);
            format!("{mean:.3}, {half:.3}")
        };
        println!(
            "| {set} {part} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {away} | {} | {} | {} | {} |",
            pairs.len(),
            ours.macro_recall(),
            other.macro_recall(),
            ours.macro_f1(),
            other.macro_f1(),
            shares(&pairs, None),
            shares(&vader, None),
            shares(&pairs, Some(DARK)),
            shares(&vader, Some(DARK)),
        );
        if set == TWEETS {
            english.extend(chosen.iter().zip(&scored).map(|(post, scored)| (post.label, scored.p)));
            let rows = ours.0.map(|row| row.map(|n| (n / row.iter().sum::<f64>().max(1.0) * 100.0).round()));
            eprintln!("{part}: negative, neutral, positive said of each, per cent: {rows:?}");
        } else {
            mean += ours.macro_f1() / LANGUAGES.len() as f64;
            theirs += other.macro_f1() / LANGUAGES.len() as f64;
        }
    }
    println!("\nmean macro-F1 over the languages: {mean:.3} (VADER {theirs:.3})\n");
    calibration(&english);
    Ok(())
}

/// Calibration by tenths of the predicted class's probability: how many, their mean, and how often it was right.
fn calibration(posts: &[(usize, [f32; CLASSES])]) {
    println!("| probability of what is said | posts | mean | right |\n|---|--:|--:|--:|");
    let (mut gap, mut counts) = (0.0, [0.0f64; CLASSES]);
    posts.iter().for_each(|(label, _)| counts[*label] += 1.0);
    // Weighted as if classes had the frequencies that the probabilities assume.
    let weight = |label: usize| ENGLISH[label] * posts.len() as f64 / counts[label].max(1.0);
    for tenth in 3..10 {
        let (low, high) = (tenth as f32 / 10.0, (tenth + 1) as f32 / 10.0);
        let top =
            |p: &[f32; CLASSES]| p.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((1, 0.0));
        let within: Vec<_> = posts
            .iter()
            .map(|(label, p)| (*label, top(p)))
            .filter(|(_, (_, p))| *p >= low && (*p < high || tenth == 9))
            .collect();
        let n = within.iter().map(|(label, _)| weight(*label)).sum::<f64>().max(1e-9);
        let mean = within.iter().map(|(label, (_, p))| f64::from(*p) * weight(*label)).sum::<f64>() / n;
        let right =
            within.iter().filter(|(label, (said, _))| label == said).map(|(label, _)| weight(*label)).sum::<f64>() / n;
        gap += (mean - right).abs() * n / posts.len().max(1) as f64;
        println!("| {low:.1}–{high:.1} | {} | {mean:.2} | {right:.2} |", within.len());
    }
    println!("\nexpected calibration error: {gap:.3}");
}

/// The largest difference in a sum caused by storing weights as bytes, over the held-out posts.
pub(crate) fn difference(learned: &Learned, posts: &[Post], file: &[u8]) -> Result<f32, Box<dyn Error>> {
    let weights = Weights::parse(file).ok_or("the weights cannot be read")?;
    let mut largest = 0.0f32;
    for post in posts.iter().filter(|post| post.purpose == Use::Held) {
        let reading = text::tokenize(&post.text);
        let bytes = weighted_sums(&weights, &reading, detect(&reading));
        let floats = learned.model.sums(&see(post, &learned.valences));
        for class in [0, 2] {
            largest = largest.max(((bytes[class] - bytes[1]) - (floats[class] - floats[1])).abs());
        }
    }
    Ok(largest)
}

/// The reference for the scorer's own test: for each line of `texts`, the digest of its features in training, and the
/// probabilities from the weights before quantisation.
pub(crate) fn parity(learned: &Learned, calibration: &Calibrations, file: &[u8], texts: &str) -> String {
    let mut lines = format!("{}\n", blake3::hash(file).to_hex());
    for text in texts.lines() {
        let post = Post { text: text.into(), label: 1, set: TWEETS, part: String::new(), purpose: Use::Held };
        let seen = see(&post, &learned.valences);
        let buckets = seen.hashed.iter().flatten().flat_map(|bucket| bucket.to_le_bytes());
        let counted = seen.counted.iter().flat_map(|value| value.to_le_bytes());
        let digest = blake3::hash(&buckets.chain(counted).collect::<Vec<u8>>()).to_hex();
        let sums = learned.model.sums(&seen);
        let fitted = calibration[detect(&text::tokenize(text)).lang as usize];
        let p = softmax(std::array::from_fn(|class| sums[class] * fitted.temperature + fitted.bias[class]));
        lines.push_str(&format!("{}\t{:.4}\t{:.4}\t{:.4}\n", &digest[..16], p[0], p[1], p[2]));
    }
    lines
}
