//! How a topic's items sound, beside how they usually do. Which items those are is `gather`'s to say, what is worth a sentence
//! `highlights`'.

use super::measures::{MIN_SAMPLE, ToneFacts};
use crate::insight::daily::{Share, Sounds, share, usual_share};
use crate::model::Tone;

impl ToneFacts {
    /// The tone of a period beside that of earlier days; the last `week` of these are the week before.
    pub(super) fn of(period: Sounds, earlier: &[Sounds], week: &[Sounds], scorer: Option<String>) -> Self {
        let telling: Vec<&Sounds> = earlier.iter().filter(|day| day.sample() >= MIN_SAMPLE).collect();
        let usual =
            [(Tone::Negative, (|day| day.negative) as fn(&Sounds) -> u64), (Tone::Positive, |day| day.positive)]
                .into_iter()
                .filter_map(|(sound, part)| {
                    let shares: Vec<Share> = telling.iter().filter_map(|day| share(part(day), day.sample())).collect();
                    Some((sound, usual_share(period.sample(), &shares).ok()?))
                });
        let usual = if period.sample() < MIN_SAMPLE { Vec::new() } else { usual.collect() };
        let before = week.iter().fold(Sounds::default(), Sounds::plus);
        let samples = telling.len();
        Self { shares: shares(&period), before_shares: shares(&before), scorer, period, before, usual, samples }
    }
}

/// The share of each sound among the scored.
pub(super) fn shares(sounds: &Sounds) -> Vec<(Tone, Share)> {
    let whole = sounds.sample();
    [(Tone::Negative, sounds.negative), (Tone::Neutral, sounds.neutral), (Tone::Positive, sounds.positive)]
        .into_iter()
        .filter_map(|(sound, part)| Some((sound, share(part, whole)?)))
        .collect()
}
