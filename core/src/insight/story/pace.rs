//! How fast a story went: items over time as bars, the hour with most of them, and when half had come.

use std::collections::BTreeMap;

use crate::model::Time;

/// Bars of a chart.
const MOST_BARS: i64 = 24;

/// Items that it takes to speak of a half.
const LEAST: usize = 4;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Lengths of a bar; beyond the last, whole multiples of it.
const LENGTHS: [i64; 11] =
    [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 30 * DAY];

/// Items of a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Bar {
    pub from: Time,
    pub until: Time,
    pub items: usize,
    /// Of these, those whose text the story did not have before.
    pub new_texts: usize,
}

/// The hour with most items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Peak {
    /// When it begins, a whole hour of UTC.
    pub hour: Time,
    pub items: usize,
}

/// How long it took until half of the items had come, of instants in order.
pub(super) fn half(at: &[Time]) -> Option<i64> {
    let middle = at.get(at.len().div_ceil(2).checked_sub(1)?)?;
    (at.len() >= LEAST).then_some(middle.0 - at.first()?.0)
}

/// Of several hours with as many the earliest.
pub(super) fn peak(at: &[Time]) -> Option<Peak> {
    let mut hours: BTreeMap<i64, usize> = BTreeMap::new();
    for at in at {
        *hours.entry(at.0.div_euclid(HOUR)).or_insert(0) += 1;
    }
    let (hour, items) = hours.into_iter().rev().max_by_key(|(_, items)| *items)?;
    (items > 1).then_some(Peak { hour: Time(hour * HOUR), items })
}

/// Instants in order as bars, without a gap between them; each instant with whether its text is a new one.
pub(super) fn bars(timeline: &[(Time, bool)]) -> Vec<Bar> {
    let (Some((first, _)), Some((last, _))) = (timeline.first(), timeline.last()) else { return Vec::new() };
    let needed = |length: i64| last.0.div_euclid(length) - first.0.div_euclid(length) + 1;
    let longest = 30 * DAY;
    let many = (1..).map(|n| n * longest).find(|length| needed(*length) <= MOST_BARS);
    let fits = LENGTHS.into_iter().find(|length| needed(*length) <= MOST_BARS);
    let length = fits.or(many).unwrap_or(longest);
    let begin = first.0.div_euclid(length);
    let bar = |n: i64| Bar { from: Time(n * length), until: Time((n + 1) * length), items: 0, new_texts: 0 };
    let mut bars: Vec<Bar> = (begin..begin + needed(length)).map(bar).collect();
    for (at, new_text) in timeline {
        let place = usize::try_from(at.0.div_euclid(length) - begin);
        if let Some(bar) = place.ok().and_then(|place| bars.get_mut(place)) {
            bar.items += 1;
            bar.new_texts += usize::from(*new_text);
        }
    }
    bars
}
