//! Detects sources that answer but return nothing useful: silent (no items although it used to return some) or stale
//! (items, but nothing new). Judged against the topic's own history, and only after [`JUDGED_FROM`] searches, so that a
//! quiet topic is not reported. Pure; docs/explanation/changes.md has the rules.

use std::time::Duration;

use crate::insight::robust::{MedianMad, median_and_mad};
use crate::model::{AnsweredSearch, Source, SourceActivity, Time, closed_list};

/// Answered searches needed before a source is judged.
pub const JUDGED_FROM: usize = 20;

/// Searches in a row without items, or without new ones, needed before a source can be silent or stale.
const LEAST_EMPTY: usize = 3;

/// A wait is too long beyond this many times the usual one.
const TIMES: i64 = 3;

/// A wait is too long beyond this many deviations (scaled to a normal distribution) above the median.
const DEVIATIONS: f64 = 6.0;

closed_list! {
    /// The fault of a source that answers.
    SilenceKind {
        /// It returns no items although it used to.
        Silent = "silent",
        /// It returns items, but nothing new.
        Stale = "stale",
    }
}

/// A source that is silent or stale.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SourceSilence {
    pub topic: String,
    pub source: Source,
    pub state: SilenceKind,
    /// When it last returned items (silent) or new items (stale).
    pub since: Time,
    /// Answered searches since then.
    pub searches: usize,
    /// The most searches (silent) or milliseconds (stale) that would still be usual.
    pub usual: i64,
}

impl SourceSilence {
    /// Describes the silence without the topic; the caller formats `since`.
    #[must_use]
    pub fn describe(&self, since: &str) -> String {
        let Self { source, searches, usual, .. } = self;
        match self.state {
            SilenceKind::Silent => {
                format!(
                    "{source} is silent: no items in {searches} searches in a row since {since}; usually at most {usual}"
                )
            }
            SilenceKind::Stale => {
                let usual = crate::model::format_duration(Duration::from_millis(u64::try_from(*usual).unwrap_or(0)));
                format!(
                    "{source} is stale: nothing new in {searches} searches since {since}; usually for at most {usual}"
                )
            }
        }
    }
}

impl std::fmt::Display for SourceSilence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.topic, self.describe(&self.since.whole_seconds().to_string()))
    }
}

/// The 90th percentile; 0 without values.
fn ninth_decile(sorted: &[i64]) -> i64 {
    let place = (sorted.len() * 9).div_ceil(10).saturating_sub(1);
    sorted.get(place).copied().unwrap_or(0)
}

/// Returns the longest wait that is still usual: three times the 90th percentile, or the median plus six deviations,
/// whichever is longer. A few outliers move neither. Unlike `daily::usual` it has no lower limit: a short wait is no
/// problem, and waits vary far more than counts.
fn longest_usual_wait(mut values: Vec<i64>) -> i64 {
    values.sort_unstable();
    let MedianMad { median, stray } = median_and_mad(values.iter().map(|value| to_f64(*value)));
    ninth_decile(&values).saturating_mul(TIMES).max(truncated(median + stray * DEVIATIONS))
}

#[expect(clippy::cast_precision_loss, reason = "spans of time are far below 2^53")]
fn to_f64(value: i64) -> f64 {
    value as f64
}

#[expect(clippy::cast_possible_truncation, reason = "spans of time are far below 2^53")]
fn truncated(value: f64) -> i64 {
    value as i64
}

/// Returns whether a source may be silent or stale by its latest searches: a cheap check before the full one.
#[must_use]
pub fn may_be_silent(activity: &SourceActivity) -> bool {
    let latest = activity.beats.iter().rev().take(LEAST_EMPTY);
    !latest.into_iter().any(|beat| fresh(&beat))
}

/// Returns the fault of a source; `None` if it is healthy or has too few searches to judge.
#[must_use]
pub fn detect_silence(activity: &SourceActivity) -> Option<SourceSilence> {
    let beats = &activity.beats;
    if beats.len() < JUDGED_FROM {
        return None;
    }
    silent(activity, beats).or_else(|| stale(activity, beats))
}

fn silent(activity: &SourceActivity, beats: &[AnsweredSearch]) -> Option<SourceSilence> {
    let last = beats.iter().rposition(|beat| beat.counts.found > 0)?;
    let empty = beats.len() - 1 - last;
    // The lengths of the runs of empty replies between two replies with items.
    let with_items: Vec<usize> =
        (0..=last).filter(|n| beats.get(*n).is_some_and(|beat| beat.counts.found > 0)).collect();
    let rows: Vec<i64> =
        with_items.windows(2).map(|pair| i64::try_from(pair[1] - pair[0] - 1).unwrap_or(i64::MAX)).collect();
    // A source that returned items only once or twice is not judged.
    if with_items.len() < LEAST_EMPTY {
        return None;
    }
    // Judge a mostly empty source by its empty runs only, because replies that show the same few posts again have no
    // empty reply between them. The same holds for a source that was empty for a while several times.
    let some: Vec<i64> = rows.iter().copied().filter(|row| *row > 0).collect();
    let mostly_empty = with_items.len() * 2 < last + 1;
    let rows = if mostly_empty || some.len() >= LEAST_EMPTY { some } else { rows };
    let usual = longest_usual_wait(rows).max(i64::try_from(LEAST_EMPTY).unwrap_or(0) - 1);
    (i64::try_from(empty).unwrap_or(0) > usual).then(|| SourceSilence {
        topic: activity.topic.clone(),
        source: activity.source,
        state: SilenceKind::Silent,
        since: beats.get(last).map_or(Time(0), |beat| beat.at),
        searches: empty,
        usual,
    })
}

/// Whether a search returned something new that was not older than its window.
fn fresh(beat: &&AnsweredSearch) -> bool {
    beat.fresh > 0
}

fn stale(activity: &SourceActivity, beats: &[AnsweredSearch]) -> Option<SourceSilence> {
    let news: Vec<Time> = beats.iter().filter(fresh).map(|beat| beat.at).collect();
    let (last, now) = (*news.last()?, beats.last()?.at);
    let gaps: Vec<i64> = news.windows(2).map(|pair| (pair[1].0 - pair[0].0).max(0)).collect();
    // With fewer gaps it is unknown what is usual.
    if gaps.len() < JUDGED_FROM / 4 {
        return None;
    }
    let between = median_and_mad(beats.windows(2).map(|pair| to_f64((pair[1].at.0 - pair[0].at.0).max(0))));
    let usual = longest_usual_wait(gaps).max(truncated(between.median).saturating_mul(TIMES));
    let since = beats.iter().filter(|beat| beat.at > last).count();
    (now.0 - last.0 > usual && since >= LEAST_EMPTY).then(|| SourceSilence {
        topic: activity.topic.clone(),
        source: activity.source,
        state: SilenceKind::Stale,
        since: last,
        searches: since,
        usual,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::Counts;

    const HOUR: i64 = 3_600_000;

    /// One search an hour: `+` new, `=` nothing new, `o` only old, `d` known items and an old one, `.` empty.
    fn activity_of(beats: &str) -> SourceActivity {
        let beat = |(hour, kind): (i64, char)| AnsweredSearch {
            at: Time(hour * HOUR),
            counts: match kind {
                '+' => Counts { found: 9, new: 2, duplicate: 7, ..Counts::default() },
                '=' => Counts { found: 9, duplicate: 9, ..Counts::default() },
                'o' => Counts { found: 9, new: 9, outside: 9, ..Counts::default() },
                'd' => Counts { found: 9, new: 1, duplicate: 8, outside: 1, ..Counts::default() },
                _ => Counts::default(),
            },
            fresh: if kind == '+' { 2 } else { 0 },
        };
        let beats = (0..).zip(beats.chars()).map(beat).collect();
        SourceActivity { topic: "acme".into(), source: Source::Social, beats }
    }

    #[test]
    fn a_source_is_silent_or_stale_only_compared_with_its_own_history() {
        for (name, beats, expected) in [
            ("too young", "+++++++++++++++....".to_owned(), None),
            ("used to give", "+".repeat(17) + "...", Some((SilenceKind::Silent, 3))),
            ("two empty replies are nothing", "+".repeat(18) + "..", None),
            ("rarely gives", "+.....".repeat(5) + "..........", None),
            ("rarely gave and stopped", "+.....".repeat(5) + &".".repeat(20), Some((SilenceKind::Silent, 25))),
            // Seven searches show each post.
            (
                "is mostly empty",
                format!("+======{0}+======..+======.....+======{1}", ".".repeat(90), ".".repeat(40)),
                None,
            ),
            ("was empty once, for long", format!("+======{0}+======{0}", ".".repeat(40)), None),
            ("is empty for a while, often", "+======......".repeat(6) + "+======.......", None),
            ("never gave", ".".repeat(30), None),
            (
                "one outage in its past",
                "+".repeat(20) + "........" + &"+".repeat(10) + "....",
                Some((SilenceKind::Silent, 4)),
            ),
            ("always new", "+".repeat(30), None),
            ("nothing new any more", "+".repeat(20) + &"=".repeat(6), Some((SilenceKind::Stale, 6))),
            ("nothing new for a moment", "+".repeat(20) + "==", None),
            ("only old things", "+".repeat(20) + &"o".repeat(8), Some((SilenceKind::Stale, 8))),
            ("something old beside what is known", "+".repeat(20) + &"d".repeat(8), Some((SilenceKind::Stale, 8))),
            ("news twice a day", "+===========".repeat(8) + &"=".repeat(20), None),
            ("news twice a day, once", "+===========".repeat(8) + &"=".repeat(40), Some((SilenceKind::Stale, 51))),
            ("too little news to know", format!("+{}+{}", "=".repeat(10), "=".repeat(40)), None),
        ] {
            let got = detect_silence(&activity_of(&beats));
            assert_eq!(got.as_ref().map(|silence| (silence.state, silence.searches)), expected, "{name}: {got:?}");
        }
    }

    #[test]
    fn after_a_pause_a_source_is_stale_from_the_third_search_without_news() {
        for (searches, expected) in [(1, None), (2, None), (3, Some((SilenceKind::Stale, 3)))] {
            let mut activity = activity_of(&("+".repeat(20) + &"=".repeat(searches)));
            // The topic paused for two days before these searches.
            for beat in activity.beats.iter_mut().skip(20) {
                beat.at.0 += 48 * HOUR;
            }
            let got = detect_silence(&activity).map(|silence| (silence.state, silence.searches));
            assert_eq!(got, expected, "{searches} searches");
        }
    }

    #[test]
    fn a_silence_is_described_in_words() {
        let description =
            detect_silence(&activity_of(&("+".repeat(20) + &"=".repeat(6)))).map(|silence| silence.to_string());
        let expected =
            "acme: social is stale: nothing new in 6 searches since 1970-01-01T19:00:00Z; usually for at most 3h";
        assert_eq!(description.as_deref(), Some(expected));
    }

    proptest! {
        #[test]
        fn a_source_with_new_items_in_its_last_search_is_healthy(beats in "[+=od.]{0,80}") {
            prop_assert_eq!(detect_silence(&activity_of(&format!("{beats}+"))), None);
        }

        #[test]
        fn no_source_is_judged_from_too_few_searches_and_nothing_panics(beats in "[+=od.]{0,120}") {
            let got = detect_silence(&activity_of(&beats));
            prop_assert!(got.is_none() || beats.len() >= JUDGED_FROM);
            prop_assert!(got.is_none() || may_be_silent(&activity_of(&beats)), "the quick look overlooks nothing");
        }
    }
}
