//! Compares the tone of a topic's items with the usual. `gather` selects the items, and `highlights` decides what is
//! worth a sentence.

use super::measures::{MIN_SAMPLE, ToneFacts};
use crate::insight::daily::{Share, ToneCounts, share, usual_share};
use crate::model::Tone;

impl ToneFacts {
    /// Compares the tone of a period with that of the `earlier` days. `week` is the week before.
    pub(in crate::report) fn of(
        period: ToneCounts,
        earlier: &[ToneCounts],
        week: &[ToneCounts],
        scorer: Option<String>,
    ) -> Self {
        let large_enough: Vec<&ToneCounts> = earlier.iter().filter(|day| day.sample() >= MIN_SAMPLE).collect();
        let usual =
            [(Tone::Negative, (|day| day.negative) as fn(&ToneCounts) -> u64), (Tone::Positive, |day| day.positive)]
                .into_iter()
                .filter_map(|(sound, part)| {
                    let shares: Vec<Share> =
                        large_enough.iter().filter_map(|day| share(part(day), day.sample())).collect();
                    Some((sound, usual_share(period.sample(), &shares).ok()?))
                });
        let usual = if period.sample() < MIN_SAMPLE { Vec::new() } else { usual.collect() };
        let before = week.iter().fold(ToneCounts::default(), ToneCounts::plus);
        let samples = large_enough.len();
        Self { shares: shares(&period), before_shares: shares(&before), scorer, period, before, usual, samples }
    }
}

/// Returns the share of each tone among the scored items.
pub(in crate::report) fn shares(tones: &ToneCounts) -> Vec<(Tone, Share)> {
    let total = tones.sample();
    [(Tone::Negative, tones.negative), (Tone::Neutral, tones.neutral), (Tone::Positive, tones.positive)]
        .into_iter()
        .filter_map(|(sound, part)| Some((sound, share(part, total)?)))
        .collect()
}
