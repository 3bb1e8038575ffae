//! Computes how fast a story spread: items over time as bars, the hour with the most items, and when half of them were
//! there.

use std::collections::BTreeMap;

use crate::model::Time;

/// The most bars of a chart.
const MOST_BARS: i64 = 24;

/// Minimum number of items for a half.
const LEAST: usize = 4;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Lengths of a bar. Longer ones are multiples of the last.
const LENGTHS: [i64; 11] =
    [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 30 * DAY];

/// The items in a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Bar {
    pub from: Time,
    pub until: Time,
    pub items: usize,
    /// Items whose text is new to the story.
    pub new_texts: usize,
}

/// The hour with the most items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Peak {
    /// Its start: a full UTC hour.
    pub hour: Time,
    pub items: usize,
}

/// Returns the milliseconds until half of the items were there. `at` must be sorted.
pub(super) fn time_to_half(at: &[Time]) -> Option<i64> {
    let middle = at.get(at.len().div_ceil(2).checked_sub(1)?)?;
    (at.len() >= LEAST).then_some(middle.0.saturating_sub(at.first()?.0))
}

/// Returns the hour with the most items; `None` if several have as many.
pub(super) fn peak(at: &[Time]) -> Option<Peak> {
    let mut hours: BTreeMap<i64, usize> = BTreeMap::new();
    for at in at {
        *hours.entry(at.0.div_euclid(HOUR)).or_insert(0) += 1;
    }
    let (hour, items) = hours.iter().max_by_key(|(_, items)| **items).map(|(hour, items)| (*hour, *items))?;
    let is_alone = hours.values().filter(|many| **many == items).count() == 1;
    (items > 1 && is_alone).then_some(Peak { hour: Time(hour.saturating_mul(HOUR)), items })
}

/// Returns bars without gaps for sorted times, each with whether its text is new.
pub(super) fn bars(timeline: &[(Time, bool)]) -> Vec<Bar> {
    let (Some((first, _)), Some((last, _))) = (timeline.first(), timeline.last()) else { return Vec::new() };
    let needed = |length: i64| last.0.div_euclid(length) - first.0.div_euclid(length) + 1;
    let longest = 30 * DAY;
    // With fewer, the bars would not reach over the whole span.
    let least = (i128::from(last.0) - i128::from(first.0)) / i128::from(MOST_BARS * longest);
    let least = i64::try_from(least).unwrap_or(i64::MAX).max(1);
    let many = (least..).map_while(|n| n.checked_mul(longest)).find(|length| needed(*length) <= MOST_BARS);
    let fitting = LENGTHS.into_iter().find(|length| needed(*length) <= MOST_BARS);
    let length = fitting.or(many).unwrap_or(longest);
    let begin = first.0.div_euclid(length);
    let edge = |n: i64| Time(n.saturating_mul(length));
    let bar = |n: i64| Bar { from: edge(n), until: edge(n + 1), items: 0, new_texts: 0 };
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
