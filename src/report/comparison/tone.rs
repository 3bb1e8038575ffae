//! Compares the tone of a topic's items with the usual. `gather` selects the items, and `highlights` decides what is
//! worth a sentence.

use std::collections::BTreeSet;

use super::measures::{MIN_SAMPLE, ToneFacts};
use crate::insight::daily::{Day, Share, ToneCounts, count_tones, share, usual_share};
use crate::model::{CountedItem, Time, Tone};

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

/// How many days before the last one its tone is compared with.
const BEFORE: usize = 7;

/// Returns those of `before` with which the tone of the last day of a history is compared.
pub(in crate::report) fn latest<'a>(history: &[Day], before: &'a [Day]) -> &'a [Day] {
    let week = history.get(history.len().saturating_sub(BEFORE + 1)).map_or(Time(i64::MIN), |day| day.span.from);
    before.get(before.partition_point(|day| day.span.from < week)..).unwrap_or_default()
}

/// Compares the tone of the items of a period with that of earlier days and of the week before.
pub(in crate::report) fn tone(
    period: &[&CountedItem],
    marks: &[CountedItem],
    earlier: &[Day],
    week: &[Day],
    scorer: Option<String>,
) -> ToneFacts {
    let period_keys: BTreeSet<&str> = period.iter().map(|mark| mark.key.as_str()).collect();
    let others: Vec<&CountedItem> = marks.iter().filter(|mark| !period_keys.contains(&*mark.key)).collect();
    let of_day = |day: &Day| {
        count_tones(others.iter().copied().filter(|mark| day.span.contains(mark.moment())), scorer.as_deref())
    };
    let of_days = |days: &[Day]| days.iter().map(of_day).collect::<Vec<_>>();
    let period = count_tones(period.iter().copied(), scorer.as_deref());
    let (earlier, week) = (of_days(earlier), of_days(week));
    ToneFacts::of(period, &earlier, &week, scorer)
}
